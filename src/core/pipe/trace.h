/* Reports every issued instruction to a tracer; off in normal runs. */
#ifndef CORE_PIPE_TRACE_H
#define CORE_PIPE_TRACE_H

#include "core/pipe/operation.h"
#include "p5scope/core.h"

/* The instruction that wrote each register last, by its number in order of issue; 0: none since the trace
 * began. */
typedef struct trace_writers {
    uint64_t gpr[8], mm[8];
    uint8_t late_gpr; /* general registers whose last writer has them too late for D2 in the next clock */
    uint64_t flags, carry; /* flags other than CF, and CF */
    uint64_t st[8];        /* by distance from the top of stack, as in fpu.h */
} trace_writers;

typedef struct trace_sink {
    void (*insn)(void *context, const p5_trace_insn *insn); /* the tracer */
    void *context;
    uint64_t count; /* instructions reported */
    trace_writers writers;
    uint16_t misses[2][2]; /* data references of the group in EX that missed: [U, V][reads, writes] */
} trace_sink;

/* Fills in the sources of `o`, the next instruction in order of issue, and records the registers that it writes. Unused
 * elements of `sources` are left as they are. */
void trace_sources(trace_sink *sink, const op *o, p5_trace_source sources[P5_TRACE_SOURCES]);

/* Returns which stages `o` passes after D2. */
p5_pipe_kind trace_kind(const op *o);

#endif
