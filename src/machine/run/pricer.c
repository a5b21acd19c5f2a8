/* Passes what the engine has executed to the model's thread, which prices it: computes its clocks and counts. A stretch
 * is a retired block or a part of one; a batch is several whole blocks. */
#include "machine/run/pricer.h"

#include <stdlib.h>
#include <string.h>

#include "base/area.h"
#include "base/bits.h"
#include "core/core.h"
#include "machine/run/run_internal.h"
#include "machine/state.h"

/* Batches are not copied. The engine writes them one after the other into a large buffer, and moves
 * to the next buffer when another batch might not fit. A buffer is reused when everything in it has been
 * priced. */
enum {
    /* There are few buffers, because their contents pass through the caches of both host processors: programs
     * took 1.07 times as long with 32 buffers. */
    BUFFERS = 8,
    /* A batch may begin before these indexes of a buffer's arrays, which have room for a largest batch after them. */
    BUFFER_BLOCKS = 1024,
    BUFFER_VALUES = 1024,
    BUFFER_ACCESSES = 2048
};
/* Each batch begins on a new cache line of the host, so that the thread that prices the previous batch does
 * not read that line. */
enum { LINE_BLOCKS = 2, LINE_VALUES = 8, LINE_ACCESSES = 16 };
_Static_assert(sizeof(p5_retired_block) * LINE_BLOCKS % HOST_LINE == 0 &&
                   sizeof(p5_value) * LINE_VALUES % HOST_LINE == 0 &&
                   sizeof(p5_access) * LINE_ACCESSES % HOST_LINE == 0,
               "so many elements take whole lines");

typedef struct buffer {
    BEGINS_LINE p5_retired_block blocks[BUFFER_BLOCKS + ENGINE_BUFFER_BLOCKS];
    BEGINS_LINE p5_value values[BUFFER_VALUES + ENGINE_BUFFER_VALUES];
    BEGINS_LINE p5_access accesses[BUFFER_ACCESSES + ENGINE_BUFFER_ACCESSES];
} buffer;

struct pricer {
    worker *worker; /* the thread and its queue of messages */
    p5_machine *machine;
    buffer *buffers;  /* BUFFERS of them */
    unsigned current; /* index of the buffer in use */
    unsigned long long
        count[BUFFERS]; /* for each buffer, the number of all messages put up to its last one */
};

/* A message is either a batch in a buffer, or a single stretch followed by a copy of its values and
 * accesses. */
typedef struct message {
    size_t count; /* number of blocks; 0 = the message is `one` */
    union {
        struct {
            const p5_access *accesses;
            const p5_value *values;
            const p5_retired_block *blocks;
            unsigned instructions;
        } batch;
        p5_retired one;
    };
    p5_prediction predictions[]; /* of branches: one for each block, or one for `one` */
} message;
_Static_assert(_Alignof(p5_value) <= _Alignof(message) && _Alignof(p5_access) <= _Alignof(p5_value),
               "each begins where the one before ends");

/* Prices a message in the model's thread. Returns true if attention is wanted. */
static bool price(p5_machine *machine, const message *m)
{
    if (m->count == 0)
        return run_price_copy(machine, &m->one, m->predictions[0]);
    const p5_batch batch = {m->batch.accesses, m->batch.values, m->batch.blocks, m->predictions, m->count};
    return run_price(machine, &batch, m->batch.instructions);
}

/* The worker's function for each message. */
static void work(void *context, const void *m)
{
    p5_machine *machine = context;
    if (price(machine, m))
        engine_request_attention_async(machine->engine);
}

/* Returns the space of a buffer that begins after this many blocks, values and accesses. */
static engine_buffers space_in(buffer *s, size_t blocks, size_t values, size_t accesses)
{
    return (engine_buffers){s->blocks + blocks, s->values + values, s->accesses + accesses};
}

pricer *pricer_open(p5_machine *machine)
{
    pricer *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->machine = machine;
    p->buffers = area_open(BUFFERS * sizeof *p->buffers);
    p->worker = p->buffers != NULL ? worker_open(work, machine) : NULL;
    if (p->worker == NULL) {
        area_close(p->buffers, BUFFERS * sizeof *p->buffers);
        free(p);
        return NULL;
    }
    engine_buffers first = space_in(&p->buffers[0], 0, 0, 0);
    engine_batch_into(machine->engine, &first);
    return p;
}

void pricer_close(pricer *p)
{
    if (p == NULL)
        return;
    worker_close(p->worker);
    area_close(p->buffers, BUFFERS * sizeof *p->buffers);
    free(p);
}

/* Returns the next buffer when it is free. If it has to wait, it waits until half of the buffers are free, so
 * that waits are rare. */
static buffer *next_buffer(pricer *p)
{
    p->count[p->current] = worker_count(p->worker);
    p->current = (p->current + 1) % BUFFERS;
    if (!worker_has_done(p->worker, p->count[p->current]))
        worker_wait_for(p->worker, p->count[(p->current + BUFFERS / 2 - 1) % BUFFERS]);
    return &p->buffers[p->current];
}

/* Returns the first index at or after `index` that begins a cache line. */
static inline size_t line_from(ptrdiff_t index, size_t per_line)
{
    return round_up((size_t)index, per_line);
}

/* Queues a batch, which stays in its buffer, and directs the engine to the space after it or to the next buffer. */
void pricer_put(pricer *p, const p5_access *accesses, const p5_value *values, const p5_retired_block *blocks,
                size_t count, unsigned instructions)
{
    message *m = worker_reserve(p->worker, sizeof *m + count * sizeof m->predictions[0]);
    m->count = count;
    m->batch.accesses = accesses;
    m->batch.values = values;
    m->batch.blocks = blocks;
    m->batch.instructions = instructions;
    core_predict_blocks(p->machine->core, blocks, count, m->predictions);
    worker_put(p->worker);

    buffer *s = &p->buffers[p->current];
    const p5_retired_block *end = blocks + count;
    size_t next_block = line_from(end - s->blocks, LINE_BLOCKS);
    size_t next_value = line_from(end[-1].values_end - s->values, LINE_VALUES);
    size_t next_access = line_from(end[-1].accesses_end - s->accesses, LINE_ACCESSES);
    bool fits = next_block <= BUFFER_BLOCKS && next_value <= BUFFER_VALUES && next_access <= BUFFER_ACCESSES;
    engine_buffers next =
        fits ? space_in(s, next_block, next_value, next_access) : space_in(next_buffer(p), 0, 0, 0);
    engine_batch_into(p->machine->engine, &next);
}

bool pricer_put_one(pricer *p, const p5_retired *retired, p5_prediction prediction)
{
    size_t values_bytes = retired->value_count * sizeof *retired->values;
    /* The values follow the prediction, which is smaller than their alignment. */
    size_t values_at = sizeof(message) + _Alignof(message), accesses_at = values_at + values_bytes;
    size_t accesses_bytes = retired->access_count * sizeof *retired->accesses;
    if (retired->unsafe_x87 /* its mask is not copied */ || accesses_at + accesses_bytes > WORKER_LARGEST)
        return false;
    unsigned char *bytes = worker_reserve(p->worker, accesses_at + accesses_bytes);
    message *m = (message *)(void *)bytes;
    m->count = 0;
    m->one = *retired;
    m->one.values = memcpy(bytes + values_at, retired->values, values_bytes);
    m->one.accesses = memcpy(bytes + accesses_at, retired->accesses, accesses_bytes);
    m->one.unsafe_mask = NULL;
    m->predictions[0] = prediction;
    worker_put(p->worker);
    return true;
}

void pricer_wait(pricer *p)
{
    worker_wait(p->worker);
}
