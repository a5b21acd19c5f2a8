/* Where the pipe tells a tracer about every instruction it issued; off in normal runs. */
#ifndef CORE_TRACE_H
#define CORE_TRACE_H

#include "p5scope/core.h"

typedef struct trace_sink {
    void (*insn)(void *context, const p5_trace_insn *insn);
    void *context;
} trace_sink;

#endif
