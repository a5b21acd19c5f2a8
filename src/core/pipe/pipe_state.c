/* Saves and restores the state of the pipe between stretches. The memo finds stored states by their bytes. So states
 * are normalised: clocks that no longer matter get fixed values, and others count from `now`, the clock at which EX is
 * free. */
#include <string.h>

#include "core/pipe/agi.h"
#include "core/pipe/pipe_internal.h"

void pipe_reset(pipe_state *state)
{
    memset(state, 0, sizeof *state);
    state->prefetch.redirect = true;
    state->refill_until = -1;
    state->miss_until = -1;
}

/* Shortens gaps between the front end's times, including the last one before `now`, to `far` (timing.gap_clocks). Only
 * differences matter there, and only up to what the four instructions in the FIFO can take to decode or to wait. */
static void close_gaps(int64_t *const times[], unsigned n, int64_t now, int64_t far)
{
    int64_t bound = now;
    for (unsigned done = 0; done < n; done++) {
        int64_t next = INT64_MIN; /* the latest time not yet handled */
        for (unsigned i = 0; i < n; i++)
            next = *times[i] < bound ? clock_later(next, *times[i]) : next;
        if (next == INT64_MIN)
            return;
        int64_t gap = bound - next;
        if (gap > far) {
            for (unsigned i = 0; i < n; i++)
                if (*times[i] <= next)
                    *times[i] += gap - far;
            next += gap - far;
        }
        bound = next;
    }
}

/* Length of the arrays of clocks of parts of a line, prefetch buffers and FIFO entries. */
enum { ROW = 4 };
_Static_assert(ROW == (int)PREFETCH_PARTS && ROW == (int)PREFETCH_BUFFERS && ROW == (int)FIFO_DEPTH,
               "rows are alike");

/* Converts four times by clock_relative. The loop at the end runs only if a time is beyond 16 bits, which is
 * rare. */
static inline void relative_row(int16_t *to, const int64_t *times, int64_t now)
{
    uint64_t far = 0;
    for (unsigned i = 0; i < ROW; i++) {
        const int64_t r = times[i] - now;
        to[i] = (int16_t)r;
        far |= (uint64_t)r - (uint64_t)INT16_MIN;
    }
    for (unsigned i = 0; i < ROW && far > UINT16_MAX; i++)
        to[i] = clock_relative(times[i], now);
}

/* Converts a time, for example that of a result, that matters only if it is later than now + `least`. Returns -1 if it
 * is not. */
static inline int16_t relative_ready(int64_t t, int64_t now, int64_t least)
{
    return t - now <= least ? -1 : clock_relative(t, now);
}

/* The clocks of the x87 and MMX pipes when no result is pending. */
static const struct {
    fpu_state fpu;
    mmx_state mmx;
} idle_units = {{{-1, -1, -1, -1, -1, -1, -1, -1}, -1, -1, -1, -1, -1}, {{-1, -1, -1, -1, -1, -1, -1, -1}}};

/* Restores the clocks of results of the x87 and MMX pipes. */
static void load_units(pipe *p, const pipe_state *s)
{
    const bool none = memcmp(&s->fpu, &idle_units.fpu, sizeof s->fpu) == 0 &&
                      memcmp(&s->mmx, &idle_units.mmx, sizeof s->mmx) == 0;
    if (none && p->none_awaited)
        return;
    p->none_awaited = none;
    for (unsigned i = 0; i < FPU_REGISTERS; i++) {
        p->fpu.st[i] = s->fpu.st[i];
        p->mmx.ready[i] = s->mmx.ready[i];
    }
    p->fpu.issue = s->fpu.issue;
    p->fpu.multiplier = s->fpu.multiplier;
    p->fpu.idle = s->fpu.idle;
    p->fpu.status = s->fpu.status;
    p->fpu.integer = s->fpu.integer;
}

void pipe_finish_units(pipe *p)
{
    load_units(p, &(pipe_state){.fpu = idle_units.fpu, .mmx = idle_units.mmx});
}

/* Saves the clocks of results. `entry`: the earliest clock at which the next instruction can enter EX.
 * Results that are ready then delay nothing, but stores read their source one clock earlier. */
static void store_units(const pipe *p, pipe_state *s, int64_t entry)
{
    if (p->none_awaited) {
        s->fpu = idle_units.fpu;
        s->mmx = idle_units.mmx;
        return;
    }
    const int64_t now = p->now;
    for (unsigned i = 0; i < FPU_REGISTERS; i++) {
        s->fpu.st[i] = relative_ready(p->fpu.st[i], now, entry - 1);
        s->mmx.ready[i] = relative_ready(p->mmx.ready[i], now, entry - 1);
    }
    s->fpu.issue = relative_ready(p->fpu.issue, now, entry);
    s->fpu.multiplier = relative_ready(p->fpu.multiplier, now, entry);
    s->fpu.idle = relative_ready(p->fpu.idle, now, entry);
    s->fpu.status = relative_ready(p->fpu.status, now, entry);
    s->fpu.integer = relative_ready(p->fpu.integer, now, entry);
}

void pipe_load(pipe *p, const pipe_state *s, const timing *t)
{
    p->timing = t;
    p->now = 0;
    p->d1_free = s->d1_free;
    p->d2_free = s->d2_free;
    p->prefetch.ahead.clock = s->prefetch.clock;
    p->prefetch.ahead.used = s->prefetch.used;
    p->prefetch.redirect = s->prefetch.redirect;
    for (unsigned i = 0; i < PREFETCH_PARTS; i++) {
        p->prefetch.part[i] = s->prefetch.part[i];
        p->prefetch.line[i] = s->prefetch.line[i];
        p->prefetch.ahead.freed[i] = s->prefetch.freed[i];
        p->fifo.pull[i] = s->fifo.pull[i];
    }
    p->fifo.clock = s->fifo.clock;
    p->fifo.open = s->fifo.open;
    load_units(p, s);
    p->refill_until = s->refill_until;
    p->miss_until = s->miss_until;
    p->agi_gpr = s->agi_gpr;
    p->x87_mode = s->x87_mode;
    p->end_bit_missed = s->end_bit_missed;
    p->refill_taken = s->refill_taken;
    p->is_loaded = true;
}

void pipe_begin(pipe *p, uint64_t start, uint32_t address, const pipe_resolver *resolver, pipe_deltas *deltas)
{
    p->resolver = resolver;
    p->deltas = deltas;
    p->begun = p->now;
    p->start = start - (uint64_t)p->now;
    prefetch_begin(&p->prefetch, prefetch_leads(p->timing));
    p->prefetch.block = p->prefetch.redirect ? PREFETCH_NO_BLOCK : (address - 1) / PREFETCH_BLOCK;
    p->next = address;
    p->is_loaded = false;
    p->groups = 0;
    p->instructions = 0;
    p->fast = p->timing->fifo && !p->timing->btb_by_pairs && !p->observer && !p->trace && !p->breakpoints &&
              !(p->control.no_pairing | p->control.single_step) && p->control.ideal == 0;
}

/* Makes `*t` at least `least`. */
static inline void raise(int64_t *t, int64_t least)
{
    *t = *t < least ? least : *t;
}

/* In the following functions, `base` is the clock after which later bytes are decoded at the earliest. */

/* Normalises the clocks of the current prefetch block's parts, except those that the instructions from address `next`
 * on use. */
static void normalise_parts(prefetch *f, uint32_t next, int64_t base)
{
    const uint32_t block = (next - 1) / PREFETCH_BLOCK;
    const bool within = next % PREFETCH_BLOCK != 0; /* it begins in `block` */
    const int64_t past = base - 1;
    /* a redirected stream fetches all it needs again, and the next even block its whole line */
    const unsigned part = f->redirect || !within ? PREFETCH_PARTS : next / 8 % PREFETCH_PARTS,
                   part_end = block % 2 * 2 + 2, line = f->redirect || block % 2 != 0 ? PREFETCH_PARTS : 2;
    for (unsigned i = 0; i < PREFETCH_PARTS; i++) {
        f->part[i] = i >= part && i < part_end ? clock_later(f->part[i], past) : past;
        f->line[i] = i >= line ? clock_later(f->line[i], past) : past;
    }
}

/* Normalises what later fetches may wait for. The next block is fetched once there is space for it, and a
 * redirection comes at `base` or later. `needed`: the next instruction itself determines how long the current
 * block is needed, so the stored clock does not matter. */
static void normalise_fetches(prefetch_ahead *a, bool redirect, int64_t base, unsigned fetch_blocks,
                              bool needed)
{
    if (redirect) {
        a->used = 0;
    } else {
        if (a->used >= fetch_blocks && a->clock + 1 < base) {
            a->clock++;
            a->used = 0;
        }
        if (a->freed[0] > a->clock && a->freed[0] < base) {
            a->clock = a->freed[0];
            a->used = 0;
        }
    }
    if (needed)
        a->freed[PREFETCH_BUFFERS - 1] = a->clock;
    for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
        raise(&a->freed[i], a->clock);
}

/* Normalises the FIFO. At most two instructions per clock are pushed from now on, and the next one waits for
 * pull[first]: 1 if an instruction is pending in D1, otherwise 0. */
static void normalise_fifo(fifo *f, const prefetch *fetched, unsigned first)
{
    if (fetched->redirect && !f->open)
        raise(&f->clock, fetched->ahead.clock + 1);
    for (unsigned i = 0; i < first; i++)
        f->pull[i] = f->clock;
    for (unsigned i = first; i < FIFO_DEPTH; i++)
        raise(&f->pull[i], f->clock + (i - first + 1 + !f->open) / 2);
}

void pipe_normalise(pipe *p)
{
    if (p->is_loaded) /* it was restored from a normalised state */
        return;
    prefetch *f = &p->prefetch;
    const bool left_out = pipe_ahead_is_left_out(p);
    if (p->timing->fifo)
        normalise_fifo(&p->fifo, f, p->waiting ? 1 : 0);
    else
        for (unsigned i = 0; i < FIFO_DEPTH; i++)
            p->fifo.pull[i] = p->fifo.clock = p->d1_free;
    const int64_t base = p->timing->fifo ? p->fifo.clock : p->d1_free;
    normalise_parts(f, p->next, base);
    if (!left_out)
        normalise_fetches(&f->ahead, f->redirect, base, p->timing->fetch_blocks,
                          (p->waiting && !p->timing->fifo) || p->next % PREFETCH_BLOCK != 0);
    raise(&p->d2_free, p->d1_free + 1);
    if (p->waiting)
        raise(&p->pending.available, p->d1_free);
    if (!pipe_reaches_far(p))
        return;
    enum { OTHERS = 5 };
    int64_t *times[OTHERS + 3 * PREFETCH_PARTS + FIFO_DEPTH];
    unsigned n = 0;
    if (!left_out)
        times[n++] = &f->ahead.clock;
    times[n++] = &p->fifo.clock;
    times[n++] = &p->d1_free;
    times[n++] = &p->d2_free;
    if (p->waiting)
        times[n++] = &p->pending.available;
    for (unsigned i = 0; i < PREFETCH_PARTS; i++) {
        times[n++] = &f->part[i];
        times[n++] = &f->line[i];
        if (!left_out)
            times[n++] = &f->ahead.freed[i];
    }
    for (unsigned i = 0; i < FIFO_DEPTH; i++)
        times[n++] = &p->fifo.pull[i];
    close_gaps(times, n, p->now, p->timing->gap_clocks);
}

/* Returns the earliest clock in which D1 takes the next instruction, if that needs no block after the current
 * one or is the first of a new stream. */
static int64_t next_pull(const pipe_state *s, const timing *t)
{
    int64_t bytes = s->prefetch.clock + (s->prefetch.redirect ? 1 : 0);
    int64_t available = bytes + 1;
    if (t->fifo)
        available =
            clock_later(clock_later(available, s->fifo.clock + (s->fifo.open ? 0 : 1)), s->fifo.pull[0]) + 1;
    return clock_later(s->d1_free, available);
}

void pipe_store(pipe *p, pipe_state *s)
{
    const int64_t now = p->now;
    if (!p->timing->fifo)
        p->fifo.open = false;
    pipe_normalise(p);
    s->d1_free = clock_relative(p->d1_free, now);
    s->d2_free = clock_relative(p->d2_free, now);
    s->prefetch.clock = clock_relative(p->prefetch.ahead.clock, now);
    s->prefetch.used = p->prefetch.ahead.used;
    s->prefetch.redirect = p->prefetch.redirect;
    relative_row(s->prefetch.part, p->prefetch.part, now);
    relative_row(s->prefetch.line, p->prefetch.line, now);
    relative_row(s->prefetch.freed, p->prefetch.ahead.freed, now);
    s->fifo.clock = clock_relative(p->fifo.clock, now);
    s->fifo.open = p->fifo.open;
    relative_row(s->fifo.pull, p->fifo.pull, now);
    const int64_t pull = p->waiting ? p->pending.available - now : next_pull(s, p->timing);
    if (s->d2_free <= pull)
        s->d2_free = clock_relative(pull + 1, 0);
    const int64_t entry =
        p->refill_taken ? 0 : clock_later(s->d2_free + 1, 0); /* erratum 76 counts from now */
    store_units(p, s, entry);
    s->refill_until = relative_ready(p->refill_until, now, 0);
    s->miss_until = relative_ready(p->miss_until, now, 0);
    s->agi_gpr = entry >= AGI_CLOCKS ? 0 : p->agi_gpr;
    s->x87_mode = p->x87_mode;
    s->end_bit_missed = p->end_bit_missed;
    s->refill_taken = p->refill_taken;
}

/* Makes the clocks of a pending instruction relative to `now`. */
static void relative_pending(pipe_pending *pending, int64_t now)
{
    pending->available -= now;
    pending->miss_until = relative_ready(pending->miss_until, now, 0);
    pending->front.fetched -= now;
    pending->front.f -= now;
}

void pipe_store_pending(const pipe *p, pipe_pending *stored)
{
    const pipe_pending *pending = &p->pending;
    const pipe_insn *insn = &pending->insn;
    memset(stored, 0, sizeof *stored);
    memcpy(&stored->operation, &pending->operation, sizeof stored->operation);
    stored->insn.access_count = insn->access_count;
    stored->insn.clocks = insn->clocks;
    stored->insn.next = insn->next;
    stored->insn.taken = insn->taken;
    stored->insn.unsafe_x87 = insn->unsafe_x87;
    stored->insn.saturated = insn->saturated;
    stored->insn.complete = insn->complete;
    stored->insn.flops = insn->flops;
    stored->insn.segment_loads = insn->segment_loads;
    stored->insn.descriptor = insn->descriptor;
    stored->available = pending->available;
    stored->miss_until = pending->miss_until;
    stored->next_unpaired = pending->next_unpaired;
    stored->end_known = pending->end_known;
    relative_pending(stored, p->now);
}

void pipe_load_pending(pipe *p, const pipe_pending *stored)
{
    pipe_pending *pending = &p->pending;
    p->waiting = stored ? &pending->insn : NULL;
    if (!stored)
        return;
    p5_access accesses[2]; /* `stored` has none */
    memcpy(accesses, pending->accesses, sizeof accesses);
    *pending = *stored;
    memcpy(pending->accesses, accesses, sizeof accesses);
    pending->insn.op = &pending->operation;
    pending->insn.accesses = pending->accesses;
}

void pipe_set_ahead(pipe *p, const prefetch_ahead *ahead)
{
    if (!pipe_ahead_is_left_out(p))
        return;
    p->prefetch.ahead = *ahead;
    p->prefetch.ahead.clock += p->now;
    for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
        p->prefetch.ahead.freed[i] += p->now;
}

void pipe_forget_ahead(pipe_state *s, const timing *t)
{
    prefetch_state *f = &s->prefetch;
    if (!prefetch_leads(t) || f->redirect)
        return;
    /* a fetch more than PREFETCH_SLACK clocks before the last push has the same effect as one then */
    const int64_t clock = f->clock + (f->used != 0) - 1, least = s->fifo.clock - PREFETCH_SLACK;
    f->clock = clock_relative(clock_later(clock, least), 0);
    f->used = 1;
    for (unsigned i = 0; i < PREFETCH_BUFFERS; i++)
        f->freed[i] = f->clock;
}

void pipe_rebase(pipe *p, pipe_state *state)
{
    pipe_store(p, state);
    relative_pending(&p->pending, p->now);
    const prefetch_ahead ahead = pipe_ahead(p);
    pipe_load(p, state, p->timing);
    pipe_set_ahead(p, &ahead);
}

int64_t pipe_end(pipe *p)
{
    p->deltas->clocks += (uint64_t)(p->now - p->begun);
    return p->now - p->begun;
}

int64_t pipe_next_entry(const pipe_state *s, const timing *t)
{
    return clock_later(clock_later(next_pull(s, t) + 1, s->d2_free) + 1, 0);
}
