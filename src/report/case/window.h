/* A window of executed instructions, captured from the core's trace. */
#ifndef REPORT_CASE_WINDOW_H
#define REPORT_CASE_WINDOW_H

#include "isa/isa.h"
#include "p5tool/report.h"

typedef struct window_insn {
    p5_trace_insn trace;
    unsigned trip; /* 0 = the first captured */
    char text[80]; /* disassembly */
} window_insn;

struct p5_window {
    window_insn *items;
    size_t count, capacity;
    unsigned first_trip; /* number of the first captured trip in the run, from 1 */
    unsigned trips;      /* whole trips captured */
    unsigned run_trips;
    uint64_t end; /* EX clock of the instruction after the last captured one */
};

#endif
