/* F and the instruction FIFO of the P55C; on the P54C the prefetch buffers feed D1 directly. */
#ifndef CORE_PIPE_FIFO_H
#define CORE_PIPE_FIFO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/pipe/block.h"

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

struct pipe;

/* The clock from which D1 can take the next instruction. */
int64_t fifo_decode(struct pipe *p, const op *o);
/* D1 took an instruction. */
static inline void fifo_pull(fifo *f, int64_t clock)
{
    for (unsigned i = 0; i + 1 < FIFO_DEPTH; i++)
        f->pull[i] = f->pull[i + 1];
    f->pull[FIFO_DEPTH - 1] = clock;
}
/* The stream goes on at a predicted target. */
void fifo_redirect(fifo *f);
/* Emptied by a flush at `clock`. */
void fifo_flush(fifo *f, int64_t clock);

#endif
