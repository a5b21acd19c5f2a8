/* References to timed devices, whose state depends on the clock. Such an instruction runs alone in its block, so that
 * everything before it has been priced, and interrupts that it causes come right after it. */
#include "engine/memory/guard.h"
#include "engine/memory/memory_internal.h"
#include "engine/stretch/stretch.h"

/* Leaves the running block before the instruction whose call returns to `retaddr`, and has it translated as a block
 * of its own. Returns only if it is one already, or if there is no running block. */
void guard_run_alone(engine *e, uintptr_t retaddr)
{
    enum { BOUNDARIES = 2 /* before and after the instruction */ };
    const engine_block *b = stretch_block(e);
    if (b == NULL || b->count == 1)
        return;
    e->memory.guard.alone = BOUNDARIES;
    guard_set_step_flag(e); /* blocks have one instruction from now on */
    stretch_leave_before(e, retaddr, true);
}

/* Called at each boundary, where a block starts. Returns true after an instruction that ran alone, when blocks have
 * several instructions again, so that the block about to start is the wrong one. */
bool guard_alone_ends(engine *e)
{
    if (e->memory.guard.alone == 0 || --e->memory.guard.alone != 0)
        return false;
    guard_set_step_flag(e);
    return true;
}
