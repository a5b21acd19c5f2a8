/* Fetches of 16-byte blocks and 32-byte lines of code into the prefetch buffers. Clocks are relative to pipe.start. */
#include "core/pipe/prefetch.h"

#include "core/pipe/pipe.h"

/* Before all clocks that matter. Half of the least number, so that nothing overflows. */
#define LONG_AGO (INT64_MIN / 2)

/* Looks up the line of `address` in the code cache at the clock of the fetch, and sets the clocks at which the line's
 * four parts arrive. The resolver counts a lookup for which it returns false. */
static void fetch_line(pipe *p, uint32_t address)
{
    prefetch *f = &p->prefetch;
    code_answer answer;
    if (p->resolver->code(p->resolver->context, address, p->start + (uint64_t)f->ahead.clock, &answer)) {
        observed_count(p->deltas, p->observer, P5_EVENT_CODE_READ, 1, 1);
        for (unsigned i = 0; i < PREFETCH_PARTS; i++)
            f->line[i] = f->ahead.clock;
        return;
    }
    for (unsigned i = 0; i < PREFETCH_PARTS; i++) {
        f->line[i] = (int64_t)(answer.ready[i] - p->start);
        if (f->line[i] > f->ahead.clock) {
            /* until instructions of this part can be in EX, clocks in which it is empty may belong to the miss */
            p->miss_until = clock_later(p->miss_until, f->line[i] + p->timing->depth);
        }
    }
}

/* Fetches a block in the first clock in which a buffer is free and the fetch width permits it. */
static void fetch_block(pipe *p, uint32_t block, bool new_stream)
{
    prefetch *f = &p->prefetch;
    if (new_stream)
        f->ahead.used = UINT8_MAX; /* no other block is fetched in the same clock */
    /* A buffer freed before the stretch does not bound the floor, which holds however far PF was ahead. The floor grows
     * by a clock per block because it is used only if PF fetches one per clock (prefetch_leads). */
    const int64_t freed = f->freed_set & 1 ? f->ahead.freed[0] : LONG_AGO;
    prefetch_take_buffer(&f->ahead, p->timing->fetch_blocks);
    f->floor = clock_later(f->floor + 1, freed);
    f->freed_set >>= 1;
    f->fetched++;
    f->block = block;
    if (new_stream || block % 2 == 0)
        fetch_line(p, block * PREFETCH_BLOCK);
    unsigned half = block % 2 * 2; /* the block has two of the line's four parts */
    for (unsigned i = half; i < half + 2; i++)
        f->part[i] = clock_later(f->line[i], f->ahead.clock);
}

void prefetch_fetch(pipe *p, const op *o)
{
    prefetch *f = &p->prefetch;
    if (f->redirect) {
        f->redirect = false;
        fetch_block(p, o->address / PREFETCH_BLOCK, true);
    }
    while (f->block != o->last_block)
        fetch_block(p, (f->block + 1) & 0x0fffffff, false); /* block numbers have 28 bits */
}

void prefetch_redirect(prefetch *f, int64_t clock)
{
    prefetch_flush(f, clock_later(f->ahead.clock + 1, clock));
}

void prefetch_flush(prefetch *f, int64_t clock)
{
    f->redirect = true;
    f->from_past = false;
    f->block = PREFETCH_NO_BLOCK;
    f->ahead.clock = clock - 1; /* the first block of the new stream is fetched in `clock` */
    f->ahead.used = 0;
    for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
        f->ahead.freed[i] = clock - 1;
}

/* ---- how a stretch changes `ahead` ---- */

void prefetch_begin(prefetch *f, bool past)
{
    f->from_past = past && !f->redirect;
    f->fetched = 0;
    f->freed_set = 0;
    f->floor = LONG_AGO;
}

/* Returns `t` relative to `now`, clamped to 32 bits. It may be long before `now`, after a long wait. */
static int32_t relative(int64_t t, int64_t now)
{
    return (int32_t)clock_later(t - now, INT32_MIN);
}

prefetch_move prefetch_moved(const prefetch *f, int64_t now)
{
    assert(f->fetched <= UINT8_MAX);
    const bool complete = f->redirect || !f->from_past;
    prefetch_move move = {.fetched = (uint8_t)f->fetched,
                          .freed_set = f->freed_set,
                          .complete = complete,
                          .clock = relative(complete ? f->ahead.clock : f->floor, now)};
    for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
        move.freed[i] = relative(f->ahead.freed[i], now);
    return move;
}
