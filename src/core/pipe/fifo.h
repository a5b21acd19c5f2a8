/* F and the instruction FIFO of the P55C; on the P54C the prefetch buffers feed D1 directly. */
#ifndef CORE_PIPE_FIFO_H
#define CORE_PIPE_FIFO_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/event/clock.h"
#include "core/pipe/operation.h"

enum { FIFO_DEPTH = 4 };

typedef struct fifo_state {
    int16_t clock;            /* clock of the last push */
    int16_t pull[FIFO_DEPTH]; /* clocks at which D1 took the last four instructions, oldest first */
    bool open;                /* a second instruction may still be pushed in `clock` */
} fifo_state;

typedef struct fifo {
    int64_t clock;
    int64_t pull[FIFO_DEPTH];
    bool open;
} fifo;

/* Clocks at which an instruction went through the stages before D1, relative like all clocks of a run. For
 * traces. */
typedef struct pipe_front {
    int64_t fetched; /* last byte in the prefetch buffers */
    int64_t f;       /* F entered (P54C: the same) */
} pipe_front;

/* Pushes `o`, whose bytes are all present at `bytes`. F pushes up to two instructions per clock. The second
 * must have no prefixes, and neither may be longer than seven bytes. An instruction with prefixes keeps F for
 * several clocks and may be pushed together with its successor in the last of them. There is space once D1
 * has taken the fourth instruction before `o`; if one waits in D1 for its partner, that is one entry further
 * back in `pull`. */
static inline void fifo_push(fifo *f, const op *o, int64_t bytes, bool one_waits, pipe_front *front)
{
    assert(o->f_clocks > 0);
    const int64_t space = f->pull[one_waits];
    front->fetched = bytes;
    if (f->open && o->push_second && bytes < f->clock && space <= f->clock) {
        f->open = false;
        front->f = f->clock;
        return;
    }
    front->f = clock_later(f->clock, bytes) + 1;
    f->clock = clock_later(front->f + o->f_clocks - 1, space);
    f->open = o->push_two;
}

/* Records that D1 took `count` instructions, one or two. */
static inline void fifo_pull(fifo *f, unsigned count, int64_t clock)
{
    assert(count == 1 || count == 2);
    memmove(f->pull, f->pull + count, (FIFO_DEPTH - count) * sizeof *f->pull);
    f->pull[FIFO_DEPTH - 1] = f->pull[FIFO_DEPTH - count] = clock;
}
/* Redirects the stream to a predicted target. */
void fifo_redirect(fifo *f);
/* Empties the FIFO by a flush at `clock`. */
void fifo_flush(fifo *f, int64_t clock);

#endif
