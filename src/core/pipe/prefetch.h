/* PF, the prefetch buffers. They fetch the 16-byte blocks of the instruction stream in order, one (P55C) or
 * two (P54C, where a split-line access is free) per clock, at most four ahead of the decoders. */
#ifndef CORE_PIPE_PREFETCH_H
#define CORE_PIPE_PREFETCH_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/event/clock.h"
#include "core/model/timing.h"
#include "core/pipe/operation.h"

enum {
    PREFETCH_BUFFERS = 4,
    PREFETCH_BLOCK = 16, /* bytes of a block and of a buffer */
    PREFETCH_PARTS = 4   /* 8-byte parts of a line of the code cache */
};

/* The stored form, with clocks relative to the end of the code that was priced (pipe_state). */
typedef struct prefetch_state {
    int16_t clock;                /* clock of the last block's fetch */
    int16_t part[PREFETCH_PARTS]; /* clocks at which the 8-byte parts of the current line were in the
                                     buffers */
    int16_t line[PREFETCH_PARTS]; /* clocks at which the parts of the current line arrive from the cache */
    /* Clocks at which the decoders left the last four blocks, oldest first. */
    int16_t freed[PREFETCH_BUFFERS];
    uint8_t used;  /* blocks fetched in `clock` */
    bool redirect; /* the next instruction starts a new stream */
} prefetch_state;

/* How far PF is ahead of the decoders, which determines when the next block is fetched. The members have the same
 * meaning as in prefetch_state. */
typedef struct prefetch_ahead {
    int64_t clock;
    int64_t freed[PREFETCH_BUFFERS];
    uint8_t used;
} prefetch_ahead;

/* The same while code is priced. Members of the same name as in prefetch_state have the same meaning. */
typedef struct prefetch {
    prefetch_ahead ahead;
    int64_t part[PREFETCH_PARTS], line[PREFETCH_PARTS];
    /* Number (linear address / 16) of the last block fetched; PREFETCH_NO_BLOCK in a new stream. */
    uint32_t block;
    bool redirect;
    /* Since prefetch_begin: */
    /* `ahead` at prefetch_begin does not follow from the pipe's stored state alone. False again after a new
     * stream, which sets it. */
    bool from_past;
    unsigned fetched; /* number of blocks fetched */
    /* If `from_past`: */
    uint8_t freed_set; /* bit n: ahead.freed[n] was set since prefetch_begin */
    int64_t floor;     /* lower bound of the last fetch's clock, however far PF was ahead */
} prefetch;

/* Returns whether PF is always ahead enough: F takes less than a block per clock, and PF fetches one (P55C).
 * How far PF is ahead then does not matter from PREFETCH_SLACK clocks on, except for the clock at which a
 * line that misses the code cache is requested. Within a stream, `ahead` is therefore left out of the states
 * of the memo, which reduces their number. */
static inline bool prefetch_leads(const timing *t)
{
    return t->fifo && t->fetch_blocks == 1 && 2 * t->push_length < PREFETCH_BLOCK;
}
enum { PREFETCH_SLACK = 2 };

/* How a stretch (what is executed of a block at a time) changes `ahead`. */
typedef struct prefetch_move {
    uint8_t fetched, freed_set;      /* as in prefetch: blocks fetched; entries of `freed` that were set */
    bool complete;                   /* a new stream came, so the values at its end are complete */
    int32_t clock;                   /* lower bound of the last fetch's clock, relative to the end; if
                                        `complete`, the clock itself */
    int32_t freed[PREFETCH_BUFFERS]; /* likewise, for the entries whose bit is set in `freed_set` */
} prefetch_move;

/* No block has this number, because numbers are addresses divided by 16. */
#define PREFETCH_NO_BLOCK UINT32_MAX

struct pipe;

/* Takes the oldest buffer for the next block, which is fetched in a->clock afterwards; at most `width` blocks are
 * fetched per clock. */
static inline void prefetch_take_buffer(prefetch_ahead *a, unsigned width)
{
    assert(width > 0);
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

/* Fetches the blocks from the current one, or in a new stream from that of `o`, up to that of its last
 * byte. */
void prefetch_fetch(struct pipe *p, const op *o);

/* Returns the clock at which all bytes of `o` are in the buffers `f` of `p`; fetches missing blocks. */
static inline int64_t prefetch_bytes(struct pipe *p, const prefetch *f, const op *o)
{
    assert(o->part < PREFETCH_PARTS && o->parts_after < PREFETCH_PARTS);
    if (f->block != o->last_block)
        prefetch_fetch(p, o);
    int64_t ready = f->part[o->part];
    for (unsigned i = 0; i < o->parts_after; i++)
        ready = clock_later(ready, f->part[(o->part + i + 1u) % PREFETCH_PARTS]);
    return ready;
}

/* Records that the decoders took this instruction at `clock`: its blocks are needed at least until then. */
static inline void prefetch_release(prefetch *f, const op *o, int64_t clock)
{
    f->ahead.freed[PREFETCH_BUFFERS - 1] = clock;
    f->freed_set |= 1u << (PREFETCH_BUFFERS - 1);
    if (o->two_blocks) {
        f->ahead.freed[PREFETCH_BUFFERS - 2] = clock;
        f->freed_set |= 1u << (PREFETCH_BUFFERS - 2);
    }
}

/* Begins a stretch. `past`: `ahead` is not known from the pipe's state (prefetch_leads); it does not matter if a new
 * stream begins, too. */
void prefetch_begin(prefetch *f, bool past);
/* Returns how the stretch changed `ahead`. It ends at clock `now`. */
prefetch_move prefetch_moved(const prefetch *f, int64_t now);

/* Returns `ahead` relative to the end of a stretch that is `complete`. */
static inline prefetch_ahead prefetch_complete(const prefetch_move *move)
{
    assert(move->complete);
    prefetch_ahead ahead = {.clock = move->clock, .used = 1};
    for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
        ahead.freed[i] = move->freed[i];
    return ahead;
}

/* Advances `ahead` over another stretch, which took `clocks`. It is relative to the stretch's beginning
 * before the call, and relative to its end afterwards. */
static inline void prefetch_advance(prefetch_ahead *ahead, const prefetch_move *move, int64_t clocks)
{
    for (unsigned n = 0; n < move->fetched; n++)
        prefetch_take_buffer(ahead, 1);
    ahead->clock -= clocks;
    if (move->fetched > 0)
        ahead->clock = clock_later(ahead->clock, move->clock);
    for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
        ahead->freed[i] = move->freed_set >> i & 1 ? move->freed[i] : ahead->freed[i] - clocks;
}

/* Begins a new stream at a predicted target. Its first block is fetched into other buffers in the clock `clock` in which
 * the branch leaves the decoder, or in the clock after the last fetch if that is later. Intel, 242816: a target in
 * the last bytes of a 16-byte block supplies too few bytes for one clock. */
void prefetch_redirect(prefetch *f, int64_t clock);
/* Begins a new stream after a flush of the pipe. Its first block is fetched in `clock` at the earliest. */
void prefetch_flush(prefetch *f, int64_t clock);

#endif
