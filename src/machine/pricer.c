#include "machine/pricer.h"

#include <string.h>

#include "machine/state.h"

/* A message: this, then stretches, their values, their accesses, their predictions. */
typedef struct message {
    size_t count; /* of blocks; 0 = it is `one` */
    union {
        struct {
            const p5_access *accesses;
            const p5_value *values;
            const p5_prediction *predictions;
            unsigned instructions;
        } batch;
        struct {
            p5_retired one;
            p5_prediction prediction;
        };
    };
    p5_retired_block blocks[];
} message;
_Static_assert(_Alignof(p5_value) <= _Alignof(p5_retired_block) && _Alignof(p5_access) <= _Alignof(p5_value),
               "each begins where the one before ends");

static bool price(p5_machine *machine, const message *m)
{
    if (m->count == 0)
        return run_price_apart(machine, &m->one, m->prediction);
    return run_price(machine, m->batch.accesses, m->batch.values, m->blocks, m->batch.predictions, m->count,
                     m->batch.instructions);
}

static void work(void *context, const void *m)
{
    p5_machine *machine = context;
    if (price(machine, m))
        engine_request_attention(machine->engine);
}

worker *pricer_open(p5_machine *machine)
{
    return worker_open(work, machine);
}

/* Begins a message for so many stretches, values and accesses, and copies those; NULL: it is too large. */
static message *begin(worker *w, size_t blocks, const p5_value *values, size_t value_count,
                      const p5_access *accesses, size_t access_count, const p5_value **values_there,
                      const p5_access **accesses_there)
{
    size_t values_at = sizeof(message) + blocks * sizeof(p5_retired_block);
    size_t accesses_at = values_at + value_count * sizeof *values;
    size_t bytes = accesses_at + access_count * sizeof *accesses + blocks * sizeof(p5_prediction);
    if (bytes > WORKER_LARGEST)
        return NULL;
    unsigned char *m = worker_reserve(w, bytes);
    *values_there = memcpy(m + values_at, values, value_count * sizeof *values);
    *accesses_there = memcpy(m + accesses_at, accesses, access_count * sizeof *accesses);
    return (message *)m;
}

/* What stands at `pointer`, when what begins at `from` has been moved to `to`. */
static inline const void *moved(const void *pointer, const void *from, const void *to)
{
    return (const char *)to + ((const char *)pointer - (const char *)from);
}

bool pricer_put(worker *w, const p5_access *accesses, const p5_value *values, const p5_retired_block *blocks,
                const p5_prediction *predictions, size_t count, unsigned instructions)
{
    const p5_retired_block *last = &blocks[count - 1];
    const p5_value *values_there;
    const p5_access *accesses_there;
    size_t access_count = (size_t)(last->accesses_end - accesses);
    message *m = begin(w, count, values, (size_t)(last->values_end - values), accesses, access_count,
                       &values_there, &accesses_there);
    if (m == NULL)
        return false;
    m->count = count;
    m->batch.accesses = accesses_there;
    m->batch.values = values_there;
    m->batch.predictions = memcpy((p5_prediction *)(accesses_there + access_count), predictions, count);
    m->batch.instructions = instructions;
    for (size_t i = 0; i < count; i++) {
        m->blocks[i] = blocks[i];
        m->blocks[i].accesses_end = moved(blocks[i].accesses_end, accesses, accesses_there);
        m->blocks[i].values_end = moved(blocks[i].values_end, values, values_there);
    }
    worker_put(w);
    return true;
}

bool pricer_put_one(worker *w, const p5_retired *retired, p5_prediction prediction)
{
    if (retired->unsafe_x87) /* its mask is not carried */
        return false;
    const p5_value *values_there;
    const p5_access *accesses_there;
    message *m = begin(w, 0, retired->values, retired->value_count, retired->accesses, retired->access_count,
                       &values_there, &accesses_there);
    if (m == NULL)
        return false;
    m->count = 0;
    m->one = *retired;
    m->prediction = prediction;
    m->one.values = values_there;
    m->one.accesses = accesses_there;
    m->one.unsafe_mask = NULL;
    worker_put(w);
    return true;
}
