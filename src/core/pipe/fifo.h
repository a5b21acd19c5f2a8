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

/* The stored form, with clocks relative to the end of the code that was priced (pipe_state). */
typedef struct fifo_state {
    int16_t clock;            /* clock of the last push */
    int16_t pull[FIFO_DEPTH]; /* clocks at which D1 took the last four instructions, oldest first */
    bool open;                /* a second instruction may still be pushed in `clock` */
} fifo_state;

/* The same members while code is priced. Clocks are relative to pipe.start, like all clocks of the pipe. */
typedef struct fifo {
    int64_t clock;
    int64_t pull[FIFO_DEPTH];
    bool open;
} fifo;

/* Clocks at which an instruction went through the stages before D1. For traces. */
typedef struct pipe_front {
    int64_t fetched; /* last byte in the prefetch buffers */
    int64_t f;       /* F entered (P54C: the same) */
} pipe_front;

/* Pushes `o`, whose bytes are all present at clock `bytes`; f->clock is then the clock of the push. Fills in `front`.
 * F pushes up to two instructions per clock. The second must have no prefixes, and neither may be longer than seven
 * bytes. An instruction with prefixes keeps F for several clocks and may be pushed together with its successor in the
 * last of them. There is space once D1 has taken the fourth instruction before `o`. If an instruction waits in D1 for
 * its partner (`one_waits`), it is not in `pull` yet, so that the wanted entry is pull[1]. */
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
/* Must be called when the stream continues at a predicted target: its first instruction is not pushed in the same clock
 * as the branch. */
void fifo_redirect(fifo *f);
/* Empties the FIFO, because the pipe is flushed at `clock`. */
void fifo_flush(fifo *f, int64_t clock);

#endif
