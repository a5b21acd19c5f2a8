/* Checks of references that Unicorn does not make (guard.c). */
#ifndef ENGINE_MEMORY_GUARD_H
#define ENGINE_MEMORY_GUARD_H

#include "engine/internal.h"

/* Updates the checks after segments, CPL, mode, AM, AC or the debug registers may have changed. */
void guard_update(engine *e);
void guard_debug_written(engine *e);
void guard_step_mode(engine *e);
/* Records breakpoints that matched, bit n = DRn. */
void guard_hit(engine *e, unsigned matches);
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
/* Returns true if [offset, offset + size) lies within the segment's limit, upwards or downwards. */
bool segment_allows(const uc_segment *s, uint32_t offset, unsigned size);

#endif
