#include "core/pipe/agi.h"
#include "core/pipe/pipe_internal.h"

/* Until when each cause keeps a group out of EX. A clock belongs to the first of them that still holds in it.
 */
typedef struct entry_holds {
    int64_t fetch, decode, multiply, store, agi; /* branch: the pipe's refill_until */
    const op *agi_of;                            /* whose address it is */
} entry_holds;

/* The cause that a group waited for longest, and how long. */
typedef struct longest_wait {
    p5_stall cause;
    int64_t clocks;
} longest_wait;

static inline int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Clocks between the group before and the next in which nothing was in EX, as far as they have an owner. */
typedef struct unowned {
    int64_t from, to; /* those that have none yet */
    longest_wait longest;
} unowned;

/* Gives those before `until` to `cause`; answers how many. */
static inline uint64_t own_until(pipe *p, p5_stall cause, int64_t until, unowned *g)
{
    const int64_t clocks = earlier(until, g->to) - g->from;
    if (clocks <= 0)
        return 0;
    pipe_spend(p, cause, (uint64_t)clocks);
    if (clocks > g->longest.clocks)
        g->longest = (longest_wait){cause, clocks};
    g->from += clocks;
    return (uint64_t)clocks;
}

/* Gives an owner to the clocks between the group before and `to`. In front of D2 nobody knows what an
 * instruction will wait for: starvation comes before the waits in D2. */
static longest_wait own_gap(pipe *p, int64_t to, const entry_holds *h)
{
    unowned g = {p->now, to, {.cause = P5_STALL_ISSUE}};
    own_until(p, P5_STALL_BRANCH, earlier(p->refill_until, h->decode), &g);
    own_until(p, P5_STALL_CODE_FETCH, earlier(h->fetch, h->decode), &g);
    own_until(p, P5_STALL_DECODE, h->decode, &g);
    if (g.from == g.to)
        return g.longest;
    const uint64_t multiply = own_until(p, P5_STALL_MMX_MULTIPLY, h->multiply, &g);
    if (multiply != 0)
        pipe_count(p, P5_EVENT_MMX_MULTIPLY_UNIT_INTERLOCK, multiply, multiply);
    const uint64_t store = own_until(p, P5_STALL_MMX_STORE, h->store, &g);
    if (store != 0)
        pipe_count(p, P5_EVENT_MOVD_MOVQ_STORE_STALL_DUE_TO_PREVIOUS_MMX_OPERATION, store, store);
    if (h->agi > g.from)
        pipe_blame(p, h->agi_of);
    own_until(p, P5_STALL_AGI, h->agi, &g);
    return g.longest;
}

/* The switch between MMX and x87 use of the registers: a microcode assist in front of the first instruction
 * of the other kind. */
static int64_t switch_mode(pipe *p, const op *o)
{
    uint8_t mode = (o->flags & ISA_MMX) ? MODE_MMX : (o->flags & ISA_X87) ? MODE_X87 : p->x87_mode;
    if (mode == p->x87_mode)
        return 0;
    bool change = p->x87_mode != MODE_NONE;
    p->x87_mode = mode;
    if (!change)
        return 0;
    pipe_count(p, P5_EVENT_TRANSITIONS_BETWEEN_MMX_AND_FP_INSTRUCTIONS, 1, 1);
    return mode == MODE_MMX ? p->timing->mmx_after_x87 : p->timing->x87_after_mmx;
}

/* Erratum 76: a multiply that needs the product of one before a taken branch counts the clocks that it would
 * have to wait although the refill behind the branch hides them. */
static void count_hidden_interlock(pipe *p, const op *o)
{
    int64_t ready = p->now;
    if (o->unit != ISA_MMX_MUL)
        return;
    for (unsigned i = 0, mask = o->read_mm; mask; i++, mask >>= 1)
        if (mask & 1)
            ready = clock_later(ready, p->mmx.ready[i]);
    pipe_count(p, P5_EVENT_MMX_MULTIPLY_UNIT_INTERLOCK, (uint64_t)(ready - p->now),
               (uint64_t)(ready - p->now));
}

/* One of the group has to wait until D2 can have a register of its address; answers until when. */
static int64_t wait_for_address(pipe *p, const op *u, const op *v, entry_holds *holds)
{
    unsigned agi = agi_count(p->agi_gpr, u, v), agi_u = agi_count(p->agi_gpr, u, NULL);
    holds->agi = p->now + 1;
    holds->agi_of = agi_u ? u : v;
    if (agi_u)
        pipe_count(p, P5_EVENT_PIPELINE_AGI_STALLS, 1, 1);
    if (agi > agi_u) {
        pipe_blame(p, v);
        pipe_count(p, P5_EVENT_PIPELINE_AGI_STALLS, 1, !agi_u);
        pipe_blame(p, u);
    }
    return holds->agi;
}

/* ... for its MMX sources. */
static int64_t wait_for_mmx(pipe *p, const op *o, int64_t clock, entry_holds *holds)
{
    if (!(o->flags & ISA_MMX))
        return clock;
    int64_t multiply;
    int64_t ready = mmx_ready(&p->mmx, o, clock, &multiply);
    holds->multiply = clock_later(holds->multiply, multiply);
    holds->store = clock_later(holds->store, ready);
    return ready;
}

/* Clock at which D2 may let the group go to EX, `clock` or later: addresses and MMX sources. */
static inline int64_t operands_ready(pipe *p, const op *u, const op *v, int64_t clock, entry_holds *holds)
{
    int64_t ready = clock;
    if (clock == p->now && agi_count(p->agi_gpr, u, v) != 0)
        ready = wait_for_address(p, u, v, holds);
    if (!u->integer)
        ready = clock_later(ready, wait_for_mmx(p, u, clock, holds));
    if (v && !v->integer)
        ready = clock_later(ready, wait_for_mmx(p, v, clock, holds));
    return ready;
}

/* What keeps a group in front of EX at `clock` that could enter it: writes on their way to memory, and what
 * the x87 pipe works at. Answers until when. */
static inline int64_t units_ready(pipe *p, const op *u, const op *v, int64_t clock, longest_wait *longest)
{
    if ((u->flags & ISA_SERIALISING) && p->resolver->drained) {
        const int64_t from = clock;
        clock = (int64_t)(p->resolver->drained(p->resolver->context, p->start + (uint64_t)clock) - p->start);
        pipe_spend(p, P5_STALL_SERIALISE, (uint64_t)(clock - from));
    }
    int64_t unfrozen = fpu_ready(&p->fpu, u, clock);
    if (v)
        unfrozen = clock_later(unfrozen, fpu_ready(&p->fpu, v, clock));
    if (unfrozen > clock) {
        const uint64_t clocks = (uint64_t)(unfrozen - clock);
        pipe_spend(p, P5_STALL_FPU, clocks);
        pipe_count(p, P5_EVENT_FLOATING_POINT_STALLS_DURATION, clocks, clocks);
        if (unfrozen - clock > longest->clocks)
            *longest = (longest_wait){P5_STALL_FPU, unfrozen - clock};
    }
    int64_t lump = switch_mode(p, u);
    if (v)
        lump += switch_mode(p, v);
    if (lump)
        pipe_spend(p, P5_STALL_MMX_FP_SWITCH, (uint64_t)lump);
    return unfrozen + lump;
}

static uint16_t at_most_16_bits(int64_t clocks)
{
    return (uint16_t)(clocks < UINT16_MAX ? clocks : UINT16_MAX);
}

static void trace_insn(pipe *p, const pipe_insn *x, unsigned in_v, const p5_trace_insn *stages)
{
    p5_trace_insn t = *stages;
    const pipe_front *front = &p->issued_front[in_v];
    t.address = x->op->address;
    t.pipe = (uint8_t)in_v;
    t.clocks = (uint16_t)x->clocks;
    t.kind = (uint8_t)trace_kind(x->op);
    t.pf = p->start + (uint64_t)front->fetched;
    t.f = p->timing->fifo ? p->start + (uint64_t)front->f : 0;
    /* x87 and MMX results come when their own clocks are over, others with the end of EX */
    t.ready = t.kind == P5_PIPE_MMX_MULTIPLY ? t.end + 2
              : t.kind == P5_PIPE_X87 ? (uint64_t)clock_later((int64_t)t.end, (int64_t)t.begin + x->clocks)
                                      : t.end;
    trace_sources(p->trace, x->op, t.sources);
    p->trace->insn(p->trace->context, &t);
}

/* The clocks of EX of a group whose instruction in U would have been in it until `end_u` by itself. `alone`:
 * what held EX until then. */
static inline void spend_execution(pipe *p, const op *u, const op *v, int64_t begin, int64_t end_u,
                                   int64_t end, const ex_holds *alone, const ex_holds *held)
{
    if (__builtin_expect(p->observer != NULL, 0) && v) {
        const ex_owners of_u = pipe_own_execution(end_u - begin, alone);
        const ex_owners of_both = pipe_own_execution(end - begin, held);
        pipe_spend_pair(p, u, v, &of_both, &of_u);
    } else {
        pipe_spend_execution(p, end - begin, held);
    }
}

/* Both of pipe_internal.h; `v` is NULL in a group of one. */
static inline __attribute__((always_inline)) void issue(pipe *p, const pipe_insn *u, const pipe_insn *v,
                                                        int64_t pull, int64_t miss_until, unpaired why)
{
    const op *const ou = u->op, *const ov = v ? v->op : NULL;
    pipe_blame(p, ou);
    if (p->timing->fifo && pull > p->d1_free) /* D1 could have taken something */
        pipe_count(p, P5_EVENT_D1_STARVATION_AND_FIFO_IS_EMPTY, (uint64_t)(pull - p->d1_free),
                   (uint64_t)(pull - p->d1_free));
    const int64_t d2 = clock_later(pull + ou->d1_clocks, p->d2_free);
    if (p->refill_taken) {
        count_hidden_interlock(p, ou);
        if (ov)
            count_hidden_interlock(p, ov);
    }
    p->refill_taken = false;
    entry_holds gap = {.fetch = miss_until, .decode = d2 + 1};
    longest_wait longest = {.cause = P5_STALL_ISSUE};
    const int64_t ex = operands_ready(p, ou, ov, clock_later(d2 + 1, p->now), &gap);
    if (ex > p->now)
        longest = own_gap(p, ex, &gap);
    pipe_blame(p, ou);
    const bool integer = ou->integer && (!ov || ov->integer);
    int64_t begin = ex;
    if (!integer || p->fpu.integer > ex)
        begin = units_ready(p, ou, ov, ex, &longest);

    ex_holds held = {0};
    last_access last = {0};
    const unsigned clocks_u = (ou->flags & ISA_X87) ? fpu_occupancy(ou, u->clocks) : u->clocks;
    const int64_t end_u = pipe_execute(p, u, false, begin, clocks_u, &held, &last);
    const ex_holds alone = held;
    int64_t end_v = end_u;
    if (v) {
        /* V's first EX clock is the one of U's last data reference: references stay in order, what U does
         * after its last one is shared. */
        const int64_t begin_v = last.access ? clock_later(begin, last.clock) : begin;
        pipe_blame(p, ov);
        end_v = pipe_execute(p, v, true, begin_v, v->clocks, &held, &last);
    }
    const int64_t end = clock_later(end_u, end_v);
    spend_execution(p, ou, ov, begin, end_u, end, &alone, &held);
    p->deltas->clocks += (uint64_t)(end - p->now);
    pipe_count_group(p, u, v, integer);

    if (!integer) {
        p->none_awaited = false;
        fpu_issue(&p->fpu, ou, begin, end, u->clocks, u->unsafe_x87);
        mmx_issue(&p->mmx, ou, end);
        if (ov && ov->fp == ISA_FP_XCH)
            fpu_exchange_pair(&p->fpu, ov, begin, u->unsafe_x87);
        if (ov)
            mmx_issue(&p->mmx, ov, end);
    }
    /* a result of an earlier EX clock than the last reaches D2 in time */
    p->agi_gpr = end_u == end ? ou->agi_gpr : 0;
    if (ov && end_v == end)
        p->agi_gpr |= ov->agi_gpr;

    if (__builtin_expect(p->trace != NULL, 0)) {
        uint32_t hold_clocks;
        p5_stall hold = pipe_main_hold(&held, &hold_clocks);
        p5_trace_insn stages = {.hold = (uint8_t)hold,
                                .hold_clocks = at_most_16_bits(hold_clocks),
                                .begin = p->start + (uint64_t)begin,
                                .d1 = p->start + (uint64_t)pull,
                                .d2 = p->start + (uint64_t)d2,
                                .ex = p->start + (uint64_t)ex,
                                .end = p->start + (uint64_t)end,
                                .unpaired = (uint8_t)why,
                                .stall = (uint8_t)longest.cause,
                                .stall_clocks = at_most_16_bits(longest.clocks)};
        trace_insn(p, u, 0, &stages);
        if (v)
            trace_insn(p, v, 1, &stages);
    }
    fifo_pull(&p->fifo, pull);
    if (v)
        fifo_pull(&p->fifo, pull);
    p->d1_free = d2;
    p->d2_free = ex;
    p->now = end;
    if (p->timing->btb_by_pairs)
        p->previous_u = p->last_u;
    p->last_u = ou->address;
    p->groups++;
    if (__builtin_expect(p->observer != NULL, 0))
        pipe_tell_group(p, u, v, why);
}

void pipe_issue_pair(pipe *p, const pipe_insn *u, const pipe_insn *v, int64_t pull, int64_t miss_until)
{
    issue(p, u, v, pull, miss_until, PAIRED);
}

void pipe_issue_alone(pipe *p, const pipe_insn *u, int64_t pull, int64_t miss_until, unpaired why)
{
    issue(p, u, NULL, pull, miss_until, why);
}
