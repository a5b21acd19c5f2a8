#include "core/pipe/prefetch.h"

#include "core/pipe/pipe.h"

/* Asks for the line of `address`, at the clock of the fetch. */
static void fetch_line(pipe *p, uint32_t address)
{
    prefetch *f = &p->prefetch;
    code_answer answer;
    if (p->resolver->code(p->resolver->context, address, p->start + (uint64_t)f->clock, &answer)) {
        observed_count(p->deltas, p->observer, P5_EVENT_CODE_READ, 1, 1);
        for (unsigned i = 0; i < PREFETCH_PARTS; i++)
            f->line[i] = f->clock;
        return;
    }
    for (unsigned i = 0; i < PREFETCH_PARTS; i++) {
        f->line[i] = (int64_t)(answer.ready[i] - p->start);
        if (f->line[i] > f->clock && f->line[i] + p->timing->depth > p->miss_until)
            p->miss_until = f->line[i] +
                            p->timing->depth; /* clocks until then are the miss's, should the queue run dry */
    }
}

/* Fetches the next block; a free buffer and the fetch width decide when. */
static void fetch_block(pipe *p, uint32_t block, bool new_stream)
{
    prefetch *f = &p->prefetch;
    if (new_stream || f->used >= p->timing->fetch_blocks) {
        f->clock++;
        f->used = 0;
    }
    if (f->freed[0] > f->clock) {
        f->clock = f->freed[0];
        f->used = 0;
    }
    f->used++;
    for (unsigned i = 0; i + 1 < PREFETCH_BUFFERS; i++)
        f->freed[i] = f->freed[i + 1];
    f->freed[PREFETCH_BUFFERS - 1] = f->clock;
    f->block = block;
    if (new_stream || block % 2 == 0)
        fetch_line(p, block * PREFETCH_BLOCK);
    unsigned half = block % 2 * 2;
    for (unsigned i = half; i < half + 2; i++)
        f->part[i] = f->line[i] > f->clock ? f->line[i] : f->clock;
}

void prefetch_fetch(pipe *p, const op *o)
{
    prefetch *f = &p->prefetch;
    if (f->redirect) {
        f->redirect = false;
        fetch_block(p, o->address / PREFETCH_BLOCK, true);
    }
    while (f->block != o->last_block)
        fetch_block(p, (f->block + 1) & 0x0fffffff, false);
}

void prefetch_redirect(prefetch *f, int64_t clock)
{
    prefetch_flush(f, f->clock + 1 > clock ? f->clock + 1 : clock);
}

void prefetch_flush(prefetch *f, int64_t clock)
{
    f->redirect = true;
    f->block = PREFETCH_NO_BLOCK;
    f->clock = clock - 1; /* the first block of the new stream comes in `clock` */
    for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
        f->freed[i] = clock - 1;
}
