/* The waits of a group before EX, with the causes that own these clocks, and traces. */
#include "core/pipe/pipe_issue.h"

#include <string.h>

/* Until when each cause keeps a group out of EX; 0: it does not. A clock belongs to the first cause, in the order of
 * own_gap, that still holds in it. The end of a branch's refill is the pipe's refill_until. */
typedef struct entry_holds {
    int64_t fetch;           /* a miss of the code cache */
    int64_t decode;          /* D1 and D2 */
    int64_t multiply, store; /* MMX sources: a product; any result, for an instruction that reads it early */
    int64_t agi;             /* an address register */
    const op *agi_of;        /* the instruction that needs it */
} entry_holds;

/* Clocks between two groups in which EX was empty, as far as they are not yet attributed. */
typedef struct unowned {
    int64_t from, to;     /* the clocks not yet attributed: [from, to) */
    longest_wait longest; /* of those attributed so far */
} unowned;

/* Attributes those clocks that are before `until` to `cause`; returns their number. */
static inline uint64_t own_until(pipe *p, p5_stall cause, int64_t until, unowned *g)
{
    const int64_t clocks = clock_earlier(until, g->to) - g->from;
    if (clocks <= 0)
        return 0;
    pipe_spend(p, cause, (uint64_t)clocks);
    if (clocks > g->longest.clocks)
        g->longest = (longest_wait){cause, clocks};
    g->from += clocks;
    return (uint64_t)clocks;
}

/* Attributes the clocks in which EX is empty, from the end of the group before (p->now) to `to`. Starvation comes
 * before the waits in D2, because before D2 it is unknown what an instruction will wait for. Returns the longest
 * wait. */
static longest_wait own_gap(pipe *p, int64_t to, const entry_holds *h)
{
    unowned g = {p->now, to, {.cause = P5_STALL_ISSUE}};
    own_until(p, P5_STALL_BRANCH, clock_earlier(p->refill_until, h->decode), &g);
    own_until(p, P5_STALL_CODE_FETCH, clock_earlier(h->fetch, h->decode), &g);
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

/* Switches the registers between MMX and x87 use, which takes a microcode assist before the first instruction
 * of the other kind. Returns its clocks. */
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

/* Erratum 76: a multiply that needs the product of one before a taken branch counts the clocks of its wait,
 * although the refill after the branch hides them. */
static void count_hidden_interlock(pipe *p, const op *o)
{
    if (o->unit != ISA_MMX_MUL)
        return;
    const uint64_t clocks = (uint64_t)(mmx_sources_ready(&p->mmx, o, p->now) - p->now);
    pipe_count(p, P5_EVENT_MMX_MULTIPLY_UNIT_INTERLOCK, clocks, clocks);
}

void pipe_count_hidden(pipe *p, const op *u, const op *v)
{
    count_hidden_interlock(p, u);
    if (v)
        count_hidden_interlock(p, v);
    p->refill_taken = false;
}

/* Counts the address generation interlock of a group that needs an address register which the group before wrote.
 * Returns the clock until which it waits. */
static int64_t wait_for_address(pipe *p, const op *u, const op *v, entry_holds *holds)
{
    unsigned agi = agi_count(p->agi_gpr, u, v), agi_u = agi_count(p->agi_gpr, u, NULL);
    holds->agi = p->now + AGI_CLOCKS;
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

/* Returns the clock, `clock` or later, until which `o` waits for its MMX sources. */
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

/* Returns the clock, `clock` or later, at which D2 may let the group go to EX: addresses and MMX sources are
 * ready. */
static int64_t operands_ready(pipe *p, const op *u, const op *v, int64_t clock, entry_holds *holds)
{
    int64_t ready = clock;
    if (p->control.ideal & P5_IDEAL_RESULTS)
        return ready;
    if (clock == p->now && agi_count(p->agi_gpr, u, v) != 0)
        ready = wait_for_address(p, u, v, holds);
    if (!u->integer)
        ready = clock_later(ready, wait_for_mmx(p, u, clock, holds));
    if (v && !v->integer)
        ready = clock_later(ready, wait_for_mmx(p, v, clock, holds));
    return ready;
}

int64_t pipe_wait(pipe *p, const op *u, const op *v, int64_t d2, int64_t miss_until, longest_wait *longest)
{
    entry_holds gap = {.fetch = miss_until, .decode = d2 + 1};
    const int64_t ex = operands_ready(p, u, v, clock_later(d2 + 1, p->now), &gap);
    if (ex > p->now)
        *longest = own_gap(p, ex, &gap);
    pipe_blame(p, u);
    return ex;
}

/* Charges clocks for which the group waits to a cause, which may be the longest one so far. */
static void spend_wait(pipe *p, p5_stall cause, int64_t clocks, longest_wait *longest)
{
    pipe_spend(p, cause, (uint64_t)clocks);
    if (clocks > longest->clocks)
        *longest = (longest_wait){cause, clocks};
}

int64_t pipe_units_ready(pipe *p, const op *u, const op *v, int64_t clock, longest_wait *longest)
{
    if ((u->flags & ISA_SERIALISING) && p->resolver->drained) {
        const int64_t from = clock;
        clock = (int64_t)(p->resolver->drained(p->resolver->context, p->start + (uint64_t)clock) - p->start);
        spend_wait(p, P5_STALL_SERIALISE, clock - from, longest);
    }
    if (p->control.ideal & P5_IDEAL_RESULTS)
        fpu_complete_results(&p->fpu, clock);
    int64_t unfrozen = fpu_ready(&p->fpu, u, clock);
    if (v)
        unfrozen = clock_later(unfrozen, fpu_ready(&p->fpu, v, clock));
    if (unfrozen > clock) {
        const uint64_t clocks = (uint64_t)(unfrozen - clock);
        spend_wait(p, P5_STALL_FPU, unfrozen - clock, longest);
        pipe_count(p, P5_EVENT_FLOATING_POINT_STALLS_DURATION, clocks, clocks);
    }
    int64_t switches = switch_mode(p, u);
    if (v)
        switches += switch_mode(p, v);
    if (switches)
        spend_wait(p, P5_STALL_MMX_FP_SWITCH, switches, longest);
    return unfrozen + switches;
}

/* Returns `clocks`, or UINT16_MAX if that is less. */
static uint16_t at_most_16_bits(int64_t clocks)
{
    return (uint16_t)(clocks < UINT16_MAX ? clocks : UINT16_MAX);
}

/* Reports one instruction of a group; `stages` holds what both have in common. */
static void trace_insn(pipe *p, const pipe_insn *x, unsigned in_v, const p5_trace_insn *stages)
{
    p5_trace_insn t = *stages;
    const pipe_front *front = &p->issued_front[in_v];
    t.address = x->op->address;
    t.pipe = (uint8_t)in_v;
    t.read_misses = p->trace->misses[in_v][0];
    t.write_misses = p->trace->misses[in_v][1];
    t.clocks = (uint16_t)x->clocks;
    t.kind = (uint8_t)trace_kind(x->op);
    t.pf = p->start + (uint64_t)front->fetched;
    t.f = p->timing->fifo ? p->start + (uint64_t)front->f : 0;
    /* x87 and MMX results are ready when their own clocks are over, others at the end of EX */
    t.ready = t.kind == P5_PIPE_MMX_MULTIPLY ? t.end + MMX_MULTIPLY_EXTRA
              : t.kind == P5_PIPE_X87 ? (uint64_t)clock_later((int64_t)t.end, (int64_t)t.begin + x->clocks)
                                      : t.end;
    trace_sources(p->trace, x->op, t.sources);
    p->trace->insn(p->trace->context, &t);
}

void pipe_trace_group(pipe *p, const pipe_insn *u, const pipe_insn *v, p5_trace_insn *stages, unpaired why,
                      const longest_wait *longest)
{
    uint32_t hold_clocks;
    stages->hold = (uint8_t)pipe_main_hold(&p->held, &hold_clocks);
    stages->hold_clocks = at_most_16_bits(hold_clocks);
    stages->unpaired = (uint8_t)why;
    stages->stall = (uint8_t)longest->cause;
    stages->stall_clocks = at_most_16_bits(longest->clocks);
    trace_insn(p, u, 0, stages);
    if (v)
        trace_insn(p, v, 1, stages);
    memset(p->trace->misses, 0, sizeof p->trace->misses);
}
