#include <string.h>

#include "core/pipe/pipe_internal.h"

/* Longer than four instructions with fourteen prefixes each keep F, and than one instruction that does not
 * end its block keeps EX (FNSAVE with misses): event 27h counts from when D1 was free, and must not depend on
 * where blocks end. */
enum { FAR = 1024 };

void pipe_reset(pipe_state *state)
{
    memset(state, 0, sizeof *state);
    state->prefetch.redirect = true;
    state->refill_until = -1;
    state->miss_until = -1;
}

/* Times of the front end, relative to `now`. Only differences matter there, and none that is larger than what
 * the four instructions in the FIFO can take to decode or to wait: gaps beyond FAR, up to the one before
 * `now`, are shortened to FAR. */
static void close_gaps(int64_t *const times[], unsigned n, int64_t now)
{
    int64_t bound = now;
    for (unsigned done = 0; done < n;) {
        int64_t next = INT64_MIN; /* the latest time not yet looked at */
        for (unsigned i = 0; i < n; i++)
            if (*times[i]<bound && * times[i]> next)
                next = *times[i];
        if (next == INT64_MIN)
            return;
        int64_t gap = bound - next;
        if (gap > FAR) {
            for (unsigned i = 0; i < n; i++)
                if (*times[i] <= next)
                    *times[i] += gap - FAR;
            next += gap - FAR;
        }
        bound = next;
        done++;
    }
}

static int16_t relative(int64_t t, int64_t now)
{
    int64_t r = t - now;
    return (int16_t)(r < INT16_MIN ? INT16_MIN : r > INT16_MAX ? INT16_MAX : r);
}

/* Times that cannot matter before `now`, e.g. of results. */
static int16_t relative_ready(int64_t t, int64_t now)
{
    return (int16_t)(t <= now - 1 ? -1 : t - now > INT16_MAX ? INT16_MAX : t - now);
}

void pipe_begin(pipe *p, const timing *t, const pipe_state *s, uint64_t start, uint32_t address,
                const pipe_resolver *resolver, pipe_deltas *deltas)
{
    p->timing = t;
    p->resolver = resolver;
    p->deltas = deltas;
    p->start = start;
    p->now = 0;
    p->d1_free = s->d1_free;
    p->d2_free = s->d2_free;
    p->prefetch.clock = s->prefetch.clock;
    p->prefetch.used = s->prefetch.used;
    p->prefetch.redirect = s->prefetch.redirect;
    p->prefetch.block = (address - 1) / PREFETCH_BLOCK;
    for (unsigned i = 0; i < PREFETCH_PARTS; i++) {
        p->prefetch.part[i] = s->prefetch.part[i];
        p->prefetch.line[i] = s->prefetch.line[i];
        p->prefetch.freed[i] = s->prefetch.freed[i];
        p->fifo.pull[i] = s->fifo.pull[i];
    }
    p->fifo.clock = s->fifo.clock;
    p->fifo.open = s->fifo.open;
    for (unsigned i = 0; i < FPU_REGISTERS; i++) {
        p->fpu.st[i] = s->fpu.st[i];
        p->mmx.ready[i] = s->mmx.ready[i];
    }
    p->fpu.issue = s->fpu.issue;
    p->fpu.multiplier = s->fpu.multiplier;
    p->fpu.idle = s->fpu.idle;
    p->fpu.status = s->fpu.status;
    p->fpu.integer = s->fpu.integer;
    p->refill_until = s->refill_until;
    p->miss_until = s->miss_until;
    p->agi_gpr = s->agi_gpr;
    p->x87_mode = s->x87_mode;
    p->end_bit_missed = s->end_bit_missed;
    p->refill_taken = s->refill_taken;
    p->groups = 0;
    p->instructions = 0;
    p->group_branch = 0;
}

static void raise(int64_t *t, int64_t least)
{
    *t = *t < least ? least : *t;
}

/* Brings times that cannot matter any more to one value, so that equal situations look equal. */
static void normalise(pipe *p)
{
    prefetch *f = &p->prefetch;
    int64_t decoded =
        p->timing->fifo ? p->fifo.clock : p->d1_free; /* bytes that came before this are as good as any */
    for (unsigned i = 0; i < PREFETCH_PARTS; i++) {
        if (f->redirect) /* a redirected stream refetches what it needs */
            f->part[i] = f->line[i] = decoded - 1;
        raise(&f->part[i], decoded - 1);
        raise(&f->line[i], decoded - 1);
        raise(&f->freed[i], f->clock);
    }
    for (unsigned i = 0; i < FIFO_DEPTH; i++)
        raise(&p->fifo.pull[i], p->fifo.clock);
    if (p->now - f->clock <= FAR && p->now - p->fifo.clock <= FAR && p->now - p->d1_free <= FAR &&
        p->now - p->d2_free <= FAR && !(p->has_pending && p->now - p->pending.available > FAR))
        return;
    enum { OTHERS = 5 };
    int64_t *times[OTHERS + 3 * PREFETCH_PARTS + FIFO_DEPTH];
    unsigned n = 0;
    times[n++] = &f->clock;
    times[n++] = &p->fifo.clock;
    times[n++] = &p->d1_free;
    times[n++] = &p->d2_free;
    if (p->has_pending)
        times[n++] = &p->pending.available;
    for (unsigned i = 0; i < PREFETCH_PARTS; i++) {
        times[n++] = &f->part[i];
        times[n++] = &f->line[i];
        times[n++] = &f->freed[i];
    }
    for (unsigned i = 0; i < FIFO_DEPTH; i++)
        times[n++] = &p->fifo.pull[i];
    close_gaps(times, n, p->now);
}

int64_t pipe_end(pipe *p, pipe_state *s)
{
    int64_t now = p->now;
    if (!p->timing->fifo) {
        p->fifo.clock = p->d1_free;
        p->fifo.open = false;
        for (unsigned i = 0; i < FIFO_DEPTH; i++)
            p->fifo.pull[i] = p->d1_free;
    }
    normalise(p);
    memset(s, 0, sizeof *s);
    s->d1_free = relative(p->d1_free, now);
    s->d2_free = relative(p->d2_free, now);
    s->prefetch.clock = relative(p->prefetch.clock, now);
    s->prefetch.used = p->prefetch.used;
    s->prefetch.redirect = p->prefetch.redirect;
    for (unsigned i = 0; i < PREFETCH_PARTS; i++) {
        s->prefetch.part[i] = relative(p->prefetch.part[i], now);
        s->prefetch.line[i] = relative(p->prefetch.line[i], now);
        s->prefetch.freed[i] = relative(p->prefetch.freed[i], now);
    }
    s->fifo.clock = relative(p->fifo.clock, now);
    s->fifo.open = p->fifo.open;
    for (unsigned i = 0; i < FIFO_DEPTH; i++)
        s->fifo.pull[i] = relative(p->fifo.pull[i], now);
    for (unsigned i = 0; i < FPU_REGISTERS; i++) {
        s->fpu.st[i] = relative_ready(p->fpu.st[i], now);
        s->mmx.ready[i] = relative_ready(p->mmx.ready[i], now);
    }
    s->fpu.issue = relative_ready(p->fpu.issue, now);
    s->fpu.multiplier = relative_ready(p->fpu.multiplier, now);
    s->fpu.idle = relative_ready(p->fpu.idle, now);
    s->fpu.status = relative_ready(p->fpu.status, now);
    s->fpu.integer = relative_ready(p->fpu.integer, now);
    s->refill_until = relative_ready(p->refill_until, now);
    s->miss_until = relative_ready(p->miss_until, now);
    s->agi_gpr = p->agi_gpr;
    s->x87_mode = p->x87_mode;
    s->end_bit_missed = p->end_bit_missed;
    s->refill_taken = p->refill_taken;
    if (p->has_pending) {
        p->pending.available -= now;
        p->pending.miss_until -= now;
        p->pending.front.fetched -= now;
        p->pending.front.f -= now;
    }
    p->start += (uint64_t)now;
    p->now = 0;
    return now;
}

int64_t pipe_next_entry(const pipe_state *s, const timing *t)
{
    /* an instruction that needs no block beyond those at hand, or the first of the new stream */
    int64_t bytes = s->prefetch.clock + (s->prefetch.redirect ? 1 : 0);
    int64_t available = bytes + 1;
    if (t->fifo)
        available =
            clock_later(clock_later(available, s->fifo.clock + (s->fifo.open ? 0 : 1)), s->fifo.pull[0]) + 1;
    int64_t d2 = clock_later(clock_later(s->d1_free, available) + 1, s->d2_free);
    return clock_later(d2 + 1, 0);
}
