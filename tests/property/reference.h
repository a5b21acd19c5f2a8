/* A second, deliberately simple model of the pipe: what is in each stage, clock by clock, straight from the
 * rules. Slow; used to check pipe.c. */
#ifndef PROPERTY_REFERENCE_H
#define PROPERTY_REFERENCE_H

#include "pipe_runner.h"

typedef struct reference_insn {
    int d1, d2, ex, end;
    bool in_v;
} reference_insn;
typedef struct reference_record {
    unsigned count;
    reference_insn insns[PROGRAM_MOST];
    unsigned
        stalls[P5_STALL_COUNT]; /* EXECUTE: all clocks in EX but the first of a group, whatever held it */
    int clocks;
} reference_record;

/* Clock 0 is that in which EX is free for the first time. */
void reference_run(const program *p, const timing *t, reference_record *record);

#endif
