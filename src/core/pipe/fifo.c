/* Redirections and flushes of the P55C's instruction FIFO. */
#include "core/pipe/fifo.h"

void fifo_redirect(fifo *f)
{
    f->open = false;
}

void fifo_flush(fifo *f, int64_t clock)
{
    f->clock = clock;
    f->open = false;
    for (unsigned i = 0; i < FIFO_DEPTH; i++)
        f->pull[i] = clock;
}
