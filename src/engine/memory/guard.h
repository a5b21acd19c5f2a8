/* Checks of references that Unicorn does not make (guard.c). */
#ifndef ENGINE_MEMORY_GUARD_H
#define ENGINE_MEMORY_GUARD_H

#include <assert.h>

#include "engine/internal.h"

/* Updates the checks after segments, CPL, mode, AM, AC or the debug registers may have changed. */
void guard_update(engine *e);
void guard_debug_written(engine *e);
/* Switches engine_step_mode. */
void guard_step_mode(engine *e, bool on);
/* Returns true if attention() follows each instruction. */
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
/* Raises #DB after the running instruction, with these bits of DR6. */
void guard_trap(engine *e, uint32_t dr6);
/* Handles a fault of the instruction: drops the breakpoints that it matched, and those that MOV SS has
 * postponed. */
void guard_faulted(engine *e);
/* Checks a MOV to or from a debug register while DR7.GD is set. */
void guard_general_detect(engine *e);
/* Called where blocks start, in this order: control leaves the running block for `b`; block `b` has
 * completed; `b` is about to start. */
void guard_branch(engine *e, const engine_block *b);
void guard_completed(engine *e, const engine_block *b);
void guard_block(engine *e, const engine_block *b);
/* Returns true if a block that is being translated needs checks at its start. */
bool guard_looks(const engine *e, const uc_translated *tb);
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

/* EFLAGS.RF, which suppresses code breakpoints for one instruction. It is set by an instruction (IRET) that
 * has not completed itself, or by a delivery. */
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
/* Makes RF belong to the instruction at EIP. */
static inline void guard_resume_here(engine *e)
{
    e->memory.resume_at = engine_linear_eip(e);
}
static inline bool guard_resumes_at(const engine *e, uint32_t linear)
{
    return e->memory.resume && e->memory.resume_at == linear;
}
/* Counts RF down after the instruction that has set it, unless guard_completed does. */
static inline void guard_resume_done(engine *e)
{
    if (!e->memory.guard.looking)
        e->memory.resume = RESUME_NOW;
}

/* Returns true if [offset, offset + size) lies within the segment's limit, upwards or downwards. */
bool segment_allows(const uc_segment *s, uint32_t offset, unsigned size);

#endif
