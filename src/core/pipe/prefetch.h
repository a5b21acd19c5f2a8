/* PF, the prefetch stage. It fetches the 16-byte blocks of the instruction stream in order into four buffers, one block
 * per clock (P55C) or two (P54C, also of different lines). On the P55C, F takes instructions from the buffers and pushes
 * them into a FIFO before the decoders. */
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

/* The form of `prefetch` in a pipe_state, with clocks relative to the end of the code that was priced. */
typedef struct prefetch_state {
    int16_t clock; /* clock of the last block's fetch */
    /* By a part's number in its line: clock at which the last part with this number is in the buffers. */
    int16_t part[PREFETCH_PARTS];
    /* Clocks at which the parts of the last line arrive from the code cache. */
    int16_t line[PREFETCH_PARTS];
    /* Clocks at which the last four blocks are no longer needed, oldest first; the fetch's own clock until an
     * instruction of the block is taken. */
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
    /* `ahead` still depends on code before the stretch: at prefetch_begin it did not follow from the pipe's stored
     * state, and no new stream, which sets it, has begun since. */
    bool from_past;
    unsigned fetched; /* number of blocks fetched since prefetch_begin */
    /* If `from_past`: */
    uint8_t freed_set; /* bit n: ahead.freed[n] was set since prefetch_begin */
    int64_t floor;     /* lower bound of the last fetch's clock, however far PF was ahead */
} prefetch;

/* Returns whether F never uses blocks faster than PF fetches them: F takes less than a block per clock, and PF fetches one
 * (P55C). A lead above PREFETCH_SLACK clocks then only matters for the clock at which a line that misses the code cache
 * is requested. Within a stream, `ahead` is therefore left out of the states of the memo, which reduces their number;
 * memo_resume.c computes it for a miss. */
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

/* Takes the oldest buffer for the next block, and sets a->clock to the clock of its fetch. At most `width` blocks are
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

/* Returns the clock at which all bytes of `o` are in the buffers; fetches missing blocks. `f` is &p->prefetch. */
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

/* Begins a stretch. `past`: the pipe's state does not contain `ahead` (prefetch_leads). If a new stream begins with the
 * stretch, `past` makes no difference. */
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

/* Advances `ahead` over a stretch that is not `complete`, which took `clocks`. The clocks in `ahead` are relative to the
 * stretch's beginning before the call, and to its end afterwards. */
static inline void prefetch_advance(prefetch_ahead *ahead, const prefetch_move *move, int64_t clocks)
{
    assert(!move->complete);
    for (unsigned n = 0; n < move->fetched; n++)
        prefetch_take_buffer(ahead, 1); /* one block per clock: prefetch_leads */
    ahead->clock -= clocks;
    if (move->fetched > 0)
        ahead->clock = clock_later(ahead->clock, move->clock);
    for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
        ahead->freed[i] = move->freed_set >> i & 1 ? move->freed[i] : ahead->freed[i] - clocks;
}

/* Begins a new stream at a predicted target. Its first block is fetched in `clock`, in which the branch leaves the
 * decoder, or in the clock after the last fetch if that is later. A target in the last bytes of a block supplies too few
 * bytes for one clock (Intel, 242816). */
void prefetch_redirect(prefetch *f, int64_t clock);
/* Begins a new stream after a flush of the pipe. Its first block is fetched in `clock` at the earliest. */
void prefetch_flush(prefetch *f, int64_t clock);

#endif
