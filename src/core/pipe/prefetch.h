/* PF: the prefetch buffers. 16-byte blocks of the instruction stream, in order, one (P55C) or two (P54C: a
 * split-line access is free) a clock, at most four ahead of the decoders. */
#ifndef CORE_PIPE_PREFETCH_H
#define CORE_PIPE_PREFETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/event/clock.h"
#include "core/model/timing.h"
#include "core/pipe/block.h"

enum { PREFETCH_BUFFERS = 4, PREFETCH_BLOCK = 16, PREFETCH_PARTS = 4 };

typedef struct prefetch_state {
    int16_t clock;                /* clock of the last block's fetch */
    int16_t part[PREFETCH_PARTS]; /* clocks at which the 8-byte parts at hand were in the buffers */
    int16_t line[PREFETCH_PARTS]; /* ... at which the parts of the current line come from the cache */
    int16_t
        freed[PREFETCH_BUFFERS]; /* clocks at which the decoders left the last four blocks, oldest first */
    uint8_t used;                /* blocks fetched in `clock` */
    bool redirect;               /* the next instruction starts a new stream */
} prefetch_state;

/* How far PF is ahead of the decoders: what says when the next block is fetched. */
typedef struct prefetch_ahead {
    int64_t clock;
    int64_t freed[PREFETCH_BUFFERS];
    uint8_t used;
} prefetch_ahead;

typedef struct prefetch {
    prefetch_ahead ahead;
    int64_t part[PREFETCH_PARTS], line[PREFETCH_PARTS];
    uint32_t
        block; /* number (linear address / 16) of the last block fetched; PREFETCH_NO_BLOCK in a new stream */
    bool redirect;
    /* Since prefetch_begin: */
    bool from_past;   /* what was ahead then is not known from the pipe's state alone */
    uint8_t left;     /* bits of those of `freed` that were set */
    unsigned fetched; /* blocks, */
    int64_t floor;    /* ... the last one not before this clock, however far PF was ahead */
} prefetch;

/* F takes less than a block a clock, and PF fetches one (P55C). So it does not matter how far PF is ahead, if
 * that is PREFETCH_SLACK clocks or more, but for the clock at which a line is asked for that is not in the
 * code cache: within a stream, `ahead` is left out of the states that the memo knows, of which there are so
 * fewer. */
static inline bool prefetch_leads(const timing *t)
{
    return t->fifo && t->fetch_blocks == 1 && 2 * t->push_length < PREFETCH_BLOCK;
}
enum { PREFETCH_SLACK = 2 };

/* What a stretch makes of `ahead`. */
typedef struct prefetch_move {
    uint8_t fetched, left;
    bool known;                      /* its end says all: a new stream came */
    int16_t clock;                   /* the last fetch not before this, relative to the end; `known`: at it */
    int16_t freed[PREFETCH_BUFFERS]; /* likewise, those that are `left` */
} prefetch_move;

/* No block's number: those are addresses by 16. */
#define PREFETCH_NO_BLOCK UINT32_MAX

struct pipe;

/* The next block takes the oldest buffer; `width` blocks are fetched a clock at most. */
static inline void prefetch_take_buffer(prefetch_ahead *a, unsigned width)
{
    if (a->used >= width) {
        a->clock++;
        a->used = 0;
    }
    if (a->freed[0] > a->clock) {
        a->clock = a->freed[0];
        a->used = 0;
    }
    a->used++;
    for (unsigned i = 0; i + 1 < PREFETCH_BUFFERS; i++)
        a->freed[i] = a->freed[i + 1];
    a->freed[PREFETCH_BUFFERS - 1] = a->clock;
}

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
    f->ahead.freed[PREFETCH_BUFFERS - 1] = clock;
    f->left |= 1u << (PREFETCH_BUFFERS - 1);
    if (o->two_blocks) {
        f->ahead.freed[PREFETCH_BUFFERS - 2] = clock;
        f->left |= 1u << (PREFETCH_BUFFERS - 2);
    }
}

/* A stretch begins. `past`: as in prefetch.from_past, unless a new stream begins, too. */
void prefetch_begin(prefetch *f, bool past);
/* ... and ends at clock `now`. */
prefetch_move prefetch_moved(const prefetch *f, int64_t now);

/* `ahead` relative to the end of a stretch of which it is known, */
static inline prefetch_ahead prefetch_known(const prefetch_move *move)
{
    prefetch_ahead ahead = {.clock = move->clock, .used = 1};
    for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
        ahead.freed[i] = move->freed[i];
    return ahead;
}

/* ... and of another, which took `clocks`, from what it was relative to its beginning. */
static inline void prefetch_go_on(prefetch_ahead *ahead, const prefetch_move *move, int64_t clocks)
{
    for (unsigned n = 0; n < move->fetched; n++)
        prefetch_take_buffer(ahead, 1);
    ahead->clock -= clocks;
    if (move->fetched > 0)
        ahead->clock = clock_later(ahead->clock, move->clock);
    for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
        ahead->freed[i] = move->left >> i & 1 ? move->freed[i] : ahead->freed[i] - clocks;
}

/* The stream goes on elsewhere: at a predicted target, whose first block comes in the clock in which the
 * branch leaves the decoder at `clock`, into other buffers; or from `clock` on (flush). Intel, 242816: a
 * target in the last bytes of 16 gives too few of them for a clock. */
void prefetch_redirect(prefetch *f, int64_t clock);
void prefetch_flush(prefetch *f, int64_t clock);

#endif
