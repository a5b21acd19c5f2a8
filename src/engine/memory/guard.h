/* What Unicorn never checks of a reference (guard.c). */
#ifndef ENGINE_MEMORY_GUARD_H
#define ENGINE_MEMORY_GUARD_H

#include "engine/internal.h"

/* Segments, CPL, mode, AM, AC or the debug registers may have changed. */
void guard_update(engine *e);
void guard_debug_written(engine *e);
void guard_step_mode(engine *e);
/* Breakpoints that matched, bit n = DRn. */
void guard_hit(engine *e, unsigned matches);
/* #DB behind the running instruction, with these bits of DR6. */
void guard_trap(engine *e, uint32_t dr6);
/* The instruction faults: breakpoints that it matched, or that wait behind MOV SS, are dropped. */
void guard_faulted(engine *e);
/* MOV to or from a debug register while DR7.GD is set. */
void guard_general_detect(engine *e);
/* Block starts, in this order: control leaves the running block for `b`; block `b` was completed; `b` is to
 * start. */
void guard_branch(engine *e, const engine_block *b);
void guard_completed(engine *e, const engine_block *b);
void guard_block(engine *e, const engine_block *b);
/* Is there something to look after at the start of a block that is translated? */
bool guard_looks(const engine *e, const uc_translated *tb);
/* FS or GS is used by `b` and not flat: data references are checked from here on. */
void guard_extra_segments(engine *e, const engine_block *b);
/* True if [offset, offset + size) lies within the segment's limit, upwards or downwards. */
bool segment_allows(const uc_segment *s, uint32_t offset, unsigned size);

#endif
