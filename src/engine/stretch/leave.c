/* What ends or interrupts a run from within: a failure, a fault, a request for attention. */
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "engine/stretch/leave.h"

void engine_fail(engine *e, const char *format, ...)
{
    if (e->failure[0])
        return; /* the first failure is the cause */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(e->failure, sizeof e->failure, format, arguments);
    va_end(arguments);
}

void engine_fail_memory(engine *e)
{
    p5_error error;
    error_set(&error, P5_ERR_MEMORY, "out of memory");
    engine_fail(e, "%s%s%s", error.message, error.hint[0] != '\0' ? "; " : "", error.hint);
}

void engine_leave(engine *e, engine_stop stop)
{
    e->stop = stop;
    e->stopping = true;
    *uc_exception_index(engine_cpu(e)) = UC_EXCP_HLT;
    UC_INTERNAL(cpu_loop_exit)(engine_cpu(e));
}

void engine_resume(engine *e)
{
    *uc_exception_index(engine_cpu(e)) = -1;
    UC_INTERNAL(cpu_loop_exit)(engine_cpu(e));
}

void engine_raise(engine *e, int vector, uint32_t error_code)
{
    UC_INTERNAL(raise_exception_err_ra)(e->env, vector, (int)error_code, 0);
}

void engine_request_attention(engine *e)
{
    atomic_fetch_or_explicit(&e->requested, REQUEST_BLOCK | REQUEST_ITERATION, memory_order_relaxed);
}

void engine_request_attention_async(engine *e)
{
    atomic_fetch_or_explicit(&e->requested, REQUEST_BLOCK, memory_order_relaxed);
}
