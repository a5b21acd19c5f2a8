/* The state of what is being recorded. stretch.h has the functions for it. */
#ifndef ENGINE_STRETCH_STATE_H
#define ENGINE_STRETCH_STATE_H

#include <stdatomic.h>

#include "engine/block.h"

/* Bits of engine_run_state.requested. engine_request_attention sets both. */
enum { REQUEST_BLOCK = 1, REQUEST_ITERATION = 2 };

/* What ends or interrupts a run (leave.c). */
typedef struct engine_run_state {
    atomic_uint requested; /* attention() at the next boundary: REQUEST_* */
    bool running;
    bool
        redirected; /* a callback changed EIP or a segment: the block that was about to start is not the next */
    bool stopping;
    engine_stop stop;
    char failure[200];
} engine_run_state;

typedef struct stretch_state {
    engine_block *block;    /* the running block, NULL between blocks */
    p5_access *record_next; /* where the next access goes */
    p5_value *value_next;
    p5_retired_block *batch_next; /* where the next stretch of the batch goes; the running block's records and
                                     values begin where those of the stretch before it end */
    int64_t batch_left; /* upper half: the clocks that the batch still takes; lower half: its instructions.
                                     Both include the running block. Negative: the running block goes into no batch,
                                     or is the last of the batch */
    bool batching;      /* engine_batch */
    int batch_clocks;
    engine_run_state run;
    bool descriptor;   /* the stretch read a descriptor */
    bool restart;      /* the running block was left before a store; the next block starts inside it */
    engine_buffers at; /* where the running block and the batch before it are recorded. The first stretch is a
                        dummy, whose end is where the batch begins */
    engine_buffers next_batch; /* engine_batch_into */
    p5_access *record_end;     /* nothing is recorded from here on: stretch_full */
    p5_value *value_end;
    p5_retired retired; /* filled in for every stretch; what is rarely set is clear between stretches */
    uint8_t unsafe[BLOCK_INSNS]; /* p5_retired.unsafe_mask */

    /* REP strings. */
    uint32_t repeat_count;            /* ECX when the stretch began */
    uint32_t repeat_flags;            /* arithmetic flags before the instruction */
    const engine_block *repeat_block; /* the one in progress between two of its parts */
    p5_access *iteration_records;     /* where the current iteration's records begin */

    /* The engine's own buffers, for everything but batches, and for these until engine_batch_into. */
    p5_access *records; /* RECORD_CAPACITY */
    p5_value values[ENGINE_BUFFER_VALUES];
    p5_retired_block batch[ENGINE_BUFFER_BLOCKS];
} stretch_state;

/* A clock, as it stands in stretch_state.batch_left. */
#define ENGINE_CLOCK_LEFT ((int64_t)1 << 32)

#endif
