/* Checks of the processor that Unicorn does not make: segments, alignment, debug registers (guard.c, code_limit.c,
 * alone.c). A boundary is where a block of translated code starts. */
#ifndef ENGINE_MEMORY_GUARD_H
#define ENGINE_MEMORY_GUARD_H

#include <assert.h>

#include "engine/internal.h"

/* Updates the checks after segments, CPL, mode, AM, AC or the debug registers may have changed. */
void guard_update(engine *e);
/* Updates the breakpoints after a write to a debug register or CR4.DE. */
void guard_debug_written(engine *e);
/* Switches engine_step_mode. */
void guard_step_mode(engine *e, bool on);
/* Returns true if every instruction is a block and the owner's attention() is called at each boundary. */
static inline bool guard_steps(const engine *e)
{
    return e->memory.guard.stepping || e->memory.guard.alone != 0;
}
/* Called at each boundary while guard_steps: returns true if an instruction that had to run alone has ended, so
 * that the next block must be looked up again. */
bool guard_alone_ends(engine *e);
/* Records breakpoints that matched, bit n = DRn. */
void guard_hit(engine *e, unsigned matches);
/* Records the breakpoints that a port access matches. */
void guard_port_access(engine *e, const p5_access *access);
/* Makes #DB come after the running instruction, with these bits of DR6. */
void guard_trap(engine *e, uint32_t dr6);
/* Called when an instruction faults: drops the traps for breakpoints that it matched, and those that MOV SS has
 * postponed. */
void guard_faulted(engine *e);
/* Called before a MOV to or from a debug register: raises #DB if DR7.GD is set. */
void guard_general_detect(engine *e);
/* Called where blocks start, in this order: control leaves the running block for `b`; block `b` has
 * completed; `b` is about to start. The first and the last raise pending faults and traps, and then do not
 * return. */
void guard_branch(engine *e, const engine_block *b);
void guard_completed(engine *e, const engine_block *b);
void guard_block(engine *e, const engine_block *b);
/* Returns true if a block that is being translated needs checks at its start, by stream_block_checked. */
bool guard_needs_hook(const engine *e, const uc_translated *tb);
/* Checks data references from here on if `b` uses FS or GS and that segment is not flat. */
void guard_extra_segments(engine *e, const engine_block *b);
/* Returns true if an offset above FFFFh can violate a segment, and nothing else can. */
static inline bool guard_real_limits(const engine *e)
{
    return e->memory.guard.real_limits;
}
/* Ends the shadow of MOV SS and POP SS when an exception or interrupt was delivered. */
static inline void guard_delivered(engine *e)
{
    e->memory.guard.shadow = false;
}

/* EFLAGS.RF, which suppresses code breakpoints for one instruction: 0 clear; RESUME_NOW for the instruction at
 * memory_state.resume_at; RESUME_AFTER_THIS if the running instruction (IRET, a task switch) has set it for that. The
 * number is counted down when an instruction completes, by guard_completed. */
enum { RESUME_NOW = 1, RESUME_AFTER_THIS = 2 };
static inline unsigned guard_resume(const engine *e)
{
    return e->memory.resume;
}
static inline void guard_set_resume(engine *e, unsigned resume)
{
    assert(resume <= RESUME_AFTER_THIS);
    e->memory.resume = (uint8_t)resume;
}
/* Makes RF belong to the instruction at the state's EIP. */
static inline void guard_resume_here(engine *e)
{
    e->memory.resume_at = engine_linear_eip(e);
}
/* Returns whether RF suppresses code breakpoints at this linear address. */
static inline bool guard_resumes_at(const engine *e, uint32_t linear)
{
    return e->memory.resume && e->memory.resume_at == linear;
}
/* Counts RF down after the instruction that has set it, unless guard_completed does, which is not called while no
 * breakpoints are checked. */
static inline void guard_resume_done(engine *e)
{
    if (!e->memory.guard.hooks)
        e->memory.resume = RESUME_NOW;
}

/* Returns true if [offset, offset + size) lies within the segment's limit, upwards or downwards. Does not check
 * rights. */
bool segment_allows(const uc_segment *s, uint32_t offset, unsigned size);

#endif
