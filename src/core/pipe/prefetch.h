/* PF: the prefetch buffers. 16-byte blocks of the instruction stream, in order, one (P55C) or two (P54C: a
 * split-line access is free) a clock, at most four ahead of the decoders. */
#ifndef CORE_PIPE_PREFETCH_H
#define CORE_PIPE_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/event/clock.h"
#include "core/pipe/block.h"

enum { PREFETCH_BUFFERS = 4, PREFETCH_LINE = 32, PREFETCH_BLOCK = 16, PREFETCH_PARTS = 4 };

typedef struct prefetch_state {
    int16_t clock;                /* clock of the last block's fetch */
    int16_t part[PREFETCH_PARTS]; /* clocks at which the 8-byte parts at hand were in the buffers */
    int16_t line[PREFETCH_PARTS]; /* ... at which the parts of the current line come from the cache */
    int16_t
        freed[PREFETCH_BUFFERS]; /* clocks at which the decoders left the last four blocks, oldest first */
    uint8_t used;                /* blocks fetched in `clock` */
    bool redirect;               /* the next instruction starts a new stream */
} prefetch_state;

typedef struct prefetch {
    int64_t clock;
    int64_t part[PREFETCH_PARTS], line[PREFETCH_PARTS], freed[PREFETCH_BUFFERS];
    uint32_t
        block; /* number (linear address / 16) of the last block fetched; PREFETCH_NO_BLOCK in a new stream */
    uint8_t used;
    bool redirect;
} prefetch;

/* No block's number: those are addresses by 16. */
#define PREFETCH_NO_BLOCK UINT32_MAX

struct pipe;

/* Fetches the blocks from that at hand, or from that of `o` in a new stream, up to that of its last byte. */
void prefetch_fetch(struct pipe *p, const op *o);

/* Clock at which all bytes of `o` are in the buffers `f` of `p`; fetches what is missing. */
static inline int64_t prefetch_bytes(struct pipe *p, const prefetch *f, const op *o)
{
    if (f->block != o->last_block)
        prefetch_fetch(p, o);
    int64_t ready = f->part[o->part];
    for (unsigned i = 0; i < o->parts_behind; i++)
        ready = clock_later(ready, f->part[(o->part + i + 1u) % PREFETCH_PARTS]);
    return ready;
}

/* The decoders took this instruction at `clock`: the blocks that it touches are needed until then at least.
 */
static inline void prefetch_release(prefetch *f, const op *o, int64_t clock)
{
    f->freed[PREFETCH_BUFFERS - 1] = clock;
    if (o->two_blocks)
        f->freed[PREFETCH_BUFFERS - 2] = clock;
}

/* The stream goes on elsewhere: at a predicted target, whose first block comes in the clock in which the
 * branch leaves the decoder at `clock`, into other buffers; or from `clock` on (flush). Intel, 242816: a
 * target in the last bytes of 16 gives too few of them for a clock. */
void prefetch_redirect(prefetch *f, int64_t clock);
void prefetch_flush(prefetch *f, int64_t clock);

#endif
