/* What ends or interrupts a run (engine_run) from within (leave.c). "Attention" is a call of the owner's
 * attention() at a boundary, where a block starts and everything before has been reported. The state is Unicorn's
 * processor state. */
#ifndef ENGINE_STRETCH_LEAVE_H
#define ENGINE_STRETCH_LEAVE_H

#include "engine/internal.h"

/* Store the reason of a failure. The run ends with ENGINE_FAILED when attention() returns next, which the caller
 * requests, or by engine_leave. The first failure is the cause; later ones are ignored. */
void engine_fail(engine *e, const char *format, ...) __attribute__((format(printf, 2, 3)));
void engine_fail_memory(engine *e);
static inline bool engine_failed(const engine *e)
{
    return e->stretch.run.failure[0] != '\0';
}
/* Leaves uc_emu_start with `stop`; the state's EIP must be current. May only be called from within a run. */
_Noreturn void engine_leave(engine *e, engine_stop stop);
/* Sets the result of the run, which ends because Unicorn is about to leave its loop. */
void engine_set_stop(engine *e, engine_stop stop);
/* Continues with the block at the state's EIP, looked up anew. May only be called from within a run. */
_Noreturn void engine_resume(engine *e);
/* Raises `vector` at the state's EIP. May only be called from within a run. */
_Noreturn void engine_raise(engine *e, int vector, uint32_t error_code);

/* Begin and end a run, and return its result. The run has failed if nothing has stopped it. */
void engine_run_begins(engine *e);
void engine_run_ends(engine *e);
engine_stop engine_run_result(engine *e);
static inline bool engine_running(const engine *e)
{
    return e->stretch.run.running;
}

/* engine_redirect records, during a callback, that another block than the one that was about to start comes next,
 * because EIP, a segment or the mode of translation has changed. engine_redirected returns that, and
 * engine_clear_redirected clears it before a callback. */
static inline void engine_redirect(engine *e)
{
    e->stretch.run.redirected = true;
}
static inline bool engine_redirected(const engine *e)
{
    return e->stretch.run.redirected;
}
static inline void engine_clear_redirected(engine *e)
{
    e->stretch.run.redirected = false;
}

/* Returns the pending requests for attention() (REQUEST_*). They are checked where a batch ends; a request in the
 * middle of a block therefore calls stretch_no_batch, too. */
static inline unsigned engine_requests(const engine *e)
{
    return atomic_load_explicit(&e->stretch.run.requested, memory_order_relaxed);
}
/* Clears all requests, because attention() is about to be called. */
static inline void engine_clear_requests(engine *e)
{
    atomic_store_explicit(&e->stretch.run.requested, 0, memory_order_relaxed);
}

#endif
