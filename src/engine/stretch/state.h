/* The state of what is being recorded: a *record* is the p5_access of a data reference. A *stretch* is an executed
 * block or part of one. Stretches are reported to the engine's owner one by one or in batches. stretch.h has the
 * functions. */
#ifndef ENGINE_STRETCH_STATE_H
#define ENGINE_STRETCH_STATE_H

#include <stdatomic.h>

#include "engine/block.h"

/* Bits of engine_run_state.requested: at the start of a block; also between two iterations of a REP string.
 * engine_request_attention sets both. */
enum { REQUEST_BLOCK = 1, REQUEST_ITERATION = 2 };

/* What ends or interrupts a run (leave.c). */
typedef struct engine_run_state {
    atomic_uint requested; /* attention() at the next boundary: REQUEST_* */
    bool running;          /* within engine_run */
    bool redirected;       /* a callback has changed which block comes next */
    bool stopping;         /* `stop` is valid: the reason why Unicorn's loop ends */
    engine_stop stop;
    char failure[200]; /* reason of ENGINE_FAILED; "": none */
} engine_run_state;

typedef struct stretch_state {
    engine_block *block;          /* the running block, NULL between blocks */
    p5_access *record_next;       /* where the next access goes */
    p5_value *value_next;         /* where the next value goes */
    p5_retired_block *batch_next; /* where the next stretch of the batch goes; the running block's records and
                                     values begin where those of the stretch before it end */
    /* Upper half: the clocks that the batch still takes; lower half: its instructions so far. Both include the
     * running block. Negative: no batch is open, so that the running block is reported alone or is the last of the
     * batch before it. */
    int64_t batch_left;
    bool batching;    /* engine_batch permits batches */
    int batch_clocks; /* limit of a batch: engine_batch */
    engine_run_state run;
    bool descriptor;   /* the running block has read a descriptor */
    bool restart;      /* the running block was left before a store; the next block starts inside it */
    engine_buffers at; /* where the running block and the batch before it are recorded. The first stretch is a
                        dummy, whose end is where the batch begins */
    engine_buffers next_batch; /* where the next batch is recorded: engine_batch_into */
    p5_access *record_end;     /* nothing is recorded from here on: stretch_full */
    p5_value *value_end;       /* the same for values */
    /* Filled in for every stretch that is reported alone; what is rarely set is clear between them. */
    p5_retired retired;
    /* For p5_retired.unsafe_mask: P5_X87_* of each instruction of the running block. */
    uint8_t unsafe[BLOCK_INSNS];

    /* REP strings. Their iterations are reported in parts if something has to be done between two of them. */
    uint32_t repeat_count; /* ECX or CX when the part began */
    uint32_t repeat_flags; /* arithmetic flags before the instruction */
    /* The one of which a part was reported and another follows; NULL: none. */
    const engine_block *repeat_block;
    p5_access *iteration_records; /* where the current iteration's records begin */

    /* The engine's own buffers: for everything but batches, and for batches until engine_batch_into. */
    p5_access *records; /* RECORD_CAPACITY of them */
    p5_value values[ENGINE_BUFFER_VALUES];
    p5_retired_block batch[ENGINE_BUFFER_BLOCKS];
} stretch_state;

/* One clock in the upper half of stretch_state.batch_left. */
#define ENGINE_CLOCK_LEFT ((int64_t)1 << 32)

#endif
