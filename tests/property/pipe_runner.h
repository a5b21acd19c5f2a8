/* Runs a random program through the pipe with the outcomes that the program prescribes. */
#ifndef PROPERTY_PIPE_RUNNER_H
#define PROPERTY_PIPE_RUNNER_H

#include "programs.h"

enum { PROGRAM_MOST = PROGRAM_BLOCKS * PROGRAM_INSNS };

typedef struct pipe_record {
    unsigned count;
    p5_trace_insn insns[PROGRAM_MOST];
    pipe_deltas deltas;
    uint64_t clocks;
} pipe_record;

/* `cut_percent`: how often the run is taken apart between two instructions (state stored and loaded again).
 */
void pipe_runner(const program *p, const timing *t, random_source *r, unsigned cut_percent,
                 pipe_record *record);

#endif
