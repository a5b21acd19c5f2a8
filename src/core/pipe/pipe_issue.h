/* Takes a group of one or two instructions from D1 through EX; compiled for each kind of pipe
 * (pipe_internal.h). */
#ifndef CORE_PIPE_PIPE_ISSUE_H
#define CORE_PIPE_PIPE_ISSUE_H

#include "core/pipe/agi.h"
#include "core/pipe/pipe_execute.h"

/* The cause that a group waited for longest, and how long. */
typedef struct longest_wait {
    p5_stall cause;
    int64_t clocks;
} longest_wait;

/* Erratum 76: counts the clocks (event 38h) that MMX multiplies at the target of a mispredicted taken branch seem to
 * wait for a product. Called if p->refill_taken, which it clears. `v` may be NULL, here and below. */
void pipe_count_hidden(pipe *p, const op *u, const op *v);
/* Returns the clock at which a group that entered D2 at `d2` can enter EX, considering its addresses and MMX
 * sources. Attributes the clocks in which EX was empty to causes; those before `miss_until` may belong to a miss of the
 * code cache. Sets `*longest` if there are any. */
int64_t pipe_wait(pipe *p, const op *u, const op *v, int64_t d2, int64_t miss_until, longest_wait *longest);
/* Returns the clock until which a group that could enter EX at `clock` has to wait for writes on their way to memory
 * (serialising instructions), for the x87 pipe, and for a switch between MMX and x87. Attributes these clocks, and
 * updates `*longest` if one of these causes a longer wait. */
int64_t pipe_units_ready(pipe *p, const op *u, const op *v, int64_t clock, longest_wait *longest);
/* Reports a group to the tracer; `stages` has its clocks. */
void pipe_trace_group(pipe *p, const pipe_insn *u, const pipe_insn *v, p5_trace_insn *stages, unpaired why,
                      const longest_wait *longest);

/* Attributes the clocks of EX of a group that is not split between its instructions. */
static inline void pipe_spend_execution(pipe *p, bool fast, int64_t clocks)
{
    if (__builtin_expect(p->is_held, 0)) {
        const ex_owners owners = pipe_own_execution(clocks, true, &p->held);
        pipe_spend_all(p, &owners);
    } else if (clocks > 0) {
        pipe_spend_as(p, fast, P5_STALL_ISSUE, 1);
        if (clocks > 1)
            pipe_spend_as(p, fast, P5_STALL_EXECUTE, (uint64_t)clocks - 1);
    }
}

/* Attributes the `clocks` of EX of a pair, for the profile. The instruction in U would have taken `clocks_u`
 * by itself; `alone` is what held EX for it. */
static inline void spend_pair(pipe *p, const op *u, const op *v, int64_t clocks, int64_t clocks_u,
                              const ex_holds *alone)
{
    const ex_owners of_u = pipe_own_execution(clocks_u, true, alone);
    const ex_owners of_both = pipe_own_execution(clocks, true, &p->held);
    pipe_spend_pair(p, u, v, &of_both, &of_u);
}

/* Returns how many clocks `o` is in D1. */
static inline int64_t pipe_d1_clocks(const pipe *p, bool fast, const op *o)
{
    return !fast && p->control.ideal & P5_IDEAL_FETCH ? 1 : o->d1_clocks;
}

/* The clock at which D1 takes a group, and the one until which a miss of the code cache has delayed it. */
typedef struct d1_pull {
    int64_t clock, miss_until;
} d1_pull;

/* Takes `u`, and `v` beside it unless that is NULL, from D1 through EX. `why`: the reason why they are no pair,
 * or PAIRED. */
static inline __attribute__((always_inline)) void issue(pipe *p, bool fast, const pipe_insn *u,
                                                        const pipe_insn *v, d1_pull from, unpaired why)
{
    const int64_t pull = from.clock;
    const op *const ou = u->op, *const ov = v ? v->op : NULL;
    if (!fast)
        pipe_blame(p, ou);
    if ((fast || p->timing->fifo) && pull > p->d1_free) /* D1 was free to take an instruction */
        pipe_count_as(p, fast, P5_EVENT_D1_STARVATION_AND_FIFO_IS_EMPTY, (uint64_t)(pull - p->d1_free),
                      (uint64_t)(pull - p->d1_free));
    const int64_t d2 = clock_later(pull + pipe_d1_clocks(p, fast, ou), p->d2_free);
    if (__builtin_expect(p->refill_taken, 0))
        pipe_count_hidden(p, ou, ov);
    const bool integer = ou->integer && (!ov || ov->integer);
    longest_wait longest = {.cause = P5_STALL_ISSUE};
    int64_t ex = p->now;
    if (d2 >= ex || !integer || agi_count(p->agi_gpr, ou, ov) != 0)
        ex = pipe_wait(p, ou, ov, d2, from.miss_until, &longest);
    int64_t begin = ex;
    if (!integer || p->fpu.integer > ex)
        begin = pipe_units_ready(p, ou, ov, ex, &longest);

    last_access last = {0};
    const unsigned clocks_u = !integer && (ou->flags & ISA_X87) ? fpu_occupancy(ou, u->clocks) : u->clocks;
    const int64_t end_u = pipe_execute(p, fast, (in_ex){u, false, begin, clocks_u}, &last);
    const ex_holds nothing = {0}, alone = fast ? nothing : p->held;
    int64_t end_v = end_u;
    if (v) {
        /* V's first EX clock is the one of U's last data reference, because references stay in order. V
         * shares the clocks that U spends after it. */
        const int64_t begin_v = last.access ? clock_later(begin, last.clock) : begin;
        if (!fast)
            pipe_blame(p, ov);
        end_v = pipe_execute(p, fast, (in_ex){v, true, begin_v, v->clocks}, &last);
    }
    const int64_t end = clock_later(end_u, end_v);
    if (!fast && p->observer != NULL && ov)
        spend_pair(p, ou, ov, end - begin, end_u - begin, &alone);
    else
        pipe_spend_execution(p, fast, end - begin);
    pipe_count_group(p, fast, u, v, integer);

    if (!integer) {
        p->none_awaited = false;
        fpu_issue(&p->fpu, ou, begin, end, u->clocks, u->unsafe_x87);
        mmx_issue(&p->mmx, ou, end);
        if (ov && ov->fp == ISA_FP_XCH)
            fpu_exchange_pair(&p->fpu, ov, begin, u->unsafe_x87);
        if (ov)
            mmx_issue(&p->mmx, ov, end);
    }
    /* A result from an EX clock before the last reaches D2 in time. */
    p->agi_gpr = end_u == end ? ou->agi_gpr : 0;
    if (ov && end_v == end)
        p->agi_gpr |= ov->agi_gpr;

    if (!fast && p->trace != NULL) {
        p5_trace_insn stages = {.size = sizeof stages,
                                .begin = p->start + (uint64_t)begin,
                                .d1 = p->start + (uint64_t)pull,
                                .d2 = p->start + (uint64_t)d2,
                                .ex = p->start + (uint64_t)ex,
                                .end = p->start + (uint64_t)end};
        pipe_trace_group(p, u, v, &stages, why, &longest);
    }
    if (__builtin_expect(p->is_held, 0)) {
        p->held = (ex_holds){0};
        p->is_held = false;
    }
    fifo_pull(&p->fifo, v ? 2 : 1, pull);
    p->d1_free = d2;
    p->d2_free = ex;
    p->now = end;
    if (!fast && p->timing->btb_by_pairs)
        p->previous_u = p->last_u;
    p->last_u = ou->address;
    p->groups++;
    if (!fast && p->observer != NULL)
        pipe_report_group(p, u, v, why);
}

#endif
