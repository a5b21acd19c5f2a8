#include "machine/pricer.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/spsc.h"
#include "machine/state.h"

struct pricer {
    spsc queue;
    p5_machine *machine;
    pthread_t thread;
    bool behind; /* something has been put since the last pricer_catch_up */
};
_Static_assert((int)PRICER_BATCHES == (int)SPSC_MESSAGES, "what the run loop reckons with");

/* A message: this, then stretches, their values, their accesses. */
typedef struct message {
    size_t count; /* of blocks; 0 = it is `one` */
    union {
        struct {
            const p5_access *accesses;
            const p5_value *values;
            unsigned instructions;
        } batch;
        p5_retired one;
    };
    p5_retired_block blocks[];
} message;
_Static_assert(_Alignof(p5_value) <= _Alignof(p5_retired_block) && _Alignof(p5_access) <= _Alignof(p5_value),
               "each begins where the one before ends");

static bool price(p5_machine *machine, const message *m)
{
    if (m->count == 0)
        return run_price_apart(machine, &m->one);
    return run_price(machine, m->batch.accesses, m->batch.values, m->blocks, m->count, m->batch.instructions);
}

static void *work(void *context)
{
    pricer *p = context;
    for (const message *m; (m = spsc_take(&p->queue)) != NULL; spsc_done(&p->queue))
        if (price(p->machine, m))
            engine_request_attention(p->machine->engine);
    return NULL;
}

/* Signals are for the threads of the program. */
static bool start(pricer *p)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&p->thread, NULL, work, p) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

pricer *pricer_open(p5_machine *machine)
{
    pricer *p = aligned_alloc(_Alignof(pricer), sizeof *p);
    if (p == NULL)
        return NULL;
    memset(p, 0, sizeof *p);
    p->machine = machine;
    if (spsc_open(&p->queue)) {
        if (start(p))
            return p;
        spsc_close(&p->queue);
    }
    free(p);
    return NULL;
}

void pricer_close(pricer *p)
{
    if (p == NULL)
        return;
    spsc_end(&p->queue);
    pthread_join(p->thread, NULL);
    spsc_close(&p->queue);
    free(p);
}

/* Begins a message for so many stretches, values and accesses, and copies those; NULL: it is too large. */
static message *begin(pricer *p, size_t blocks, const p5_value *values, size_t value_count,
                      const p5_access *accesses, size_t access_count, const p5_value **values_there,
                      const p5_access **accesses_there)
{
    size_t values_at = sizeof(message) + blocks * sizeof(p5_retired_block);
    size_t accesses_at = values_at + value_count * sizeof *values;
    size_t bytes = accesses_at + access_count * sizeof *accesses;
    if (bytes > SPSC_LARGEST)
        return NULL;
    unsigned char *m = spsc_reserve(&p->queue, bytes);
    *values_there = memcpy(m + values_at, values, value_count * sizeof *values);
    *accesses_there = memcpy(m + accesses_at, accesses, access_count * sizeof *accesses);
    p->behind = true;
    return (message *)m;
}

/* What stands at `pointer`, when what begins at `from` has been moved to `to`. */
static inline const void *moved(const void *pointer, const void *from, const void *to)
{
    return (const char *)to + ((const char *)pointer - (const char *)from);
}

bool pricer_put(pricer *p, const p5_access *accesses, const p5_value *values, const p5_retired_block *blocks,
                size_t count, unsigned instructions)
{
    const p5_retired_block *last = &blocks[count - 1];
    const p5_value *values_there;
    const p5_access *accesses_there;
    message *m = begin(p, count, values, (size_t)(last->values_end - values), accesses,
                       (size_t)(last->accesses_end - accesses), &values_there, &accesses_there);
    if (m == NULL)
        return false;
    m->count = count;
    m->batch.accesses = accesses_there;
    m->batch.values = values_there;
    m->batch.instructions = instructions;
    for (size_t i = 0; i < count; i++) {
        m->blocks[i] = blocks[i];
        m->blocks[i].accesses_end = moved(blocks[i].accesses_end, accesses, accesses_there);
        m->blocks[i].values_end = moved(blocks[i].values_end, values, values_there);
    }
    spsc_put(&p->queue);
    return true;
}

bool pricer_put_one(pricer *p, const p5_retired *retired)
{
    if (retired->unsafe_x87) /* its mask is not carried */
        return false;
    const p5_value *values_there;
    const p5_access *accesses_there;
    message *m = begin(p, 0, retired->values, retired->value_count, retired->accesses, retired->access_count,
                       &values_there, &accesses_there);
    if (m == NULL)
        return false;
    m->count = 0;
    m->one = *retired;
    m->one.values = values_there;
    m->one.accesses = accesses_there;
    m->one.unsafe_mask = NULL;
    spsc_put(&p->queue);
    return true;
}

void pricer_catch_up(pricer *p)
{
    if (!p->behind)
        return;
    spsc_drain(&p->queue);
    p->behind = false;
}
