/* What ends or interrupts a run from within: a failure, a fault, a request for attention. */
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "engine/stretch/leave.h"

/* Makes the run fail with this message. The first failure is kept. */
void engine_fail(engine *e, const char *format, ...)
{
    if (e->stretch.run.failure[0])
        return; /* the first failure is the cause */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(e->stretch.run.failure, sizeof e->stretch.run.failure, format, arguments);
    va_end(arguments);
}

/* Makes the run fail because host memory has run out. */
void engine_fail_memory(engine *e)
{
    p5_error error;
    error_set(&error, P5_ERR_MEMORY, "out of memory");
    engine_fail(e, "%s%s%s", error.message, error.hint[0] != '\0' ? "; " : "", error.hint);
}

/* Sets the result of the run, which ends because Unicorn is about to leave its loop. */
void engine_set_stop(engine *e, engine_stop stop)
{
    assert(e->stretch.run.running);
    e->stretch.run.stop = stop;
    e->stretch.run.stopping = true;
}

void engine_run_begins(engine *e)
{
    assert(!e->stretch.run.running);
    e->stretch.run.stopping = false;
    e->stretch.run.running = true;
}

void engine_run_ends(engine *e)
{
    assert(e->stretch.run.running);
    e->stretch.run.running = false;
}

/* Returns why the run has ended. It has failed if Unicorn has left its loop for a reason of its own. */
engine_stop engine_run_result(engine *e)
{
    if (!e->stretch.run.stopping)
        engine_fail(e, "Unicorn stopped at %08x without a reason", engine_linear_eip(e));
    return engine_failed(e) ? ENGINE_FAILED : e->stretch.run.stop;
}

/* Returns the message of the failure, or "". */
const char *engine_failure(const engine *e)
{
    return e->stretch.run.failure;
}

/* Ends the run with the result `stop`, by longjmp into Unicorn's loop. Translated code and its callers do not
 * continue. */
void engine_leave(engine *e, engine_stop stop)
{
    engine_set_stop(e, stop);
    *uc_exception_index(engine_cpu(e)) = UC_EXCP_HLT; /* ends Unicorn's loop, like HLT */
    UC_INTERNAL(cpu_loop_exit)(engine_cpu(e));
}

/* Looks up the block at the state's EIP and continues there, by longjmp into Unicorn's loop. */
void engine_resume(engine *e)
{
    *uc_exception_index(engine_cpu(e)) = -1; /* no exception */
    UC_INTERNAL(cpu_loop_exit)(engine_cpu(e));
}

/* Raises an exception at the state's EIP, by longjmp into Unicorn's loop, which calls event_interrupt. */
void engine_raise(engine *e, int vector, uint32_t error_code)
{
    UC_INTERNAL(raise_exception_err_ra)(e->env, vector, (int)error_code, 0);
}

/* Requests a call of the owner's attention() at the next boundary, also between iterations of a REP string. */
void engine_request_attention(engine *e)
{
    atomic_fetch_or_explicit(&e->stretch.run.requested, REQUEST_BLOCK | REQUEST_ITERATION,
                             memory_order_relaxed);
}

/* Requests a call of attention() at the next boundary, but not within a REP string. May be called from any thread and
 * from signal handlers. */
void engine_request_attention_async(engine *e)
{
    atomic_fetch_or_explicit(&e->stretch.run.requested, REQUEST_BLOCK, memory_order_relaxed);
}
