#include "core/pipe/fifo.h"

#include "core/event/clock.h"
#include "core/pipe/pipe.h"

/* There is room for the next instruction once D1 has taken the fourth before it. With one waiting in D1 for
 * its partner, that is one entry further back in the list of those taken. */
static int64_t space(const pipe *p)
{
    return p->fifo.pull[p->has_pending ? 1 : 0];
}

/* P55C. F pushes up to two instructions a clock, the second of a clock without prefixes, neither longer than
 * seven bytes; an instruction with prefixes keeps F for several clocks and may be pushed together with its
 * follower in the last of them. */
static int64_t decode_fifo(pipe *p, const op *o)
{
    fifo *f = &p->fifo;
    int64_t bytes = prefetch_bytes(p, &p->prefetch, o->address, o->length);
    int64_t room = space(p);
    if (f->open && o->push_second && bytes < f->clock && room <= f->clock) {
        f->open = false;
        p->front = (pipe_front){bytes, f->clock};
    } else {
        int64_t begin = clock_later(f->clock, bytes) + 1;
        f->clock = clock_later(begin + o->f_clocks - 1, room);
        f->open = o->push_two;
        p->front = (pipe_front){bytes, begin};
    }
    prefetch_release(&p->prefetch, o->address, o->length, f->clock);
    return f->clock + 1;
}

/* P54C: D1 decodes from the prefetch buffers; pipe.c releases them when it knows the clock in which D1 did.
 */
static int64_t decode_direct(pipe *p, const op *o)
{
    p->front.fetched = prefetch_bytes(p, &p->prefetch, o->address, o->length);
    return p->front.fetched + 1;
}

int64_t fifo_decode(pipe *p, const op *o)
{
    return p->timing->fifo ? decode_fifo(p, o) : decode_direct(p, o);
}

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
