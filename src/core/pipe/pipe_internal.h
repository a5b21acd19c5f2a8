/* Interface between the files of the pipe: pipe.c runs instructions from D1 on, pipe_issue.h takes a group
 * through D2 and the waits before EX, pipe_execute.h takes it through EX with its data references,
 * pipe_count.c counts the events of a completed group, pipe_branch.c asks the predictor, and pipe_state.c
 * saves and restores the state between stretches.
 *
 * There are two kinds of pipes, and the code that every instruction runs through is compiled once for each. A
 * `fast` pipe is that of a P55C without observer, tracer, breakpoints, disabled pairing or ideal parts
 * (pipe_begin); all others are not fast. */
#ifndef CORE_PIPE_PIPE_INTERNAL_H
#define CORE_PIPE_PIPE_INTERNAL_H

#include "core/event/clock.h"
#include "core/pipe/pairing.h"
#include "core/pipe/pipe.h"

/* Counts `n` increments of an event, whose signal was on for `clocks` clocks. */
static inline void pipe_count(pipe *p, enum p5_event event, uint64_t n, uint64_t clocks)
{
    observed_count(p->deltas, p->observer, event, n, clocks);
}

/* Attributes `clocks` to a cause. */
static inline void pipe_spend(pipe *p, p5_stall cause, uint64_t clocks)
{
    observed_spend(p->deltas, p->observer, cause, clocks);
}

/* Counts as pipe_count does. `fast` is a constant, so that a fast pipe compiles without the observer. */
static inline void pipe_count_as(pipe *p, bool fast, enum p5_event event, uint64_t n, uint64_t clocks)
{
    if (fast)
        deltas_add(p->deltas, event, n, clocks);
    else
        pipe_count(p, event, n, clocks);
}

/* Attributes clocks as pipe_spend does, with `fast` as above. */
static inline void pipe_spend_as(pipe *p, bool fast, p5_stall cause, uint64_t clocks)
{
    if (fast)
        deltas_add(p->deltas, DELTA_STALLS + cause, clocks, clocks);
    else
        pipe_spend(p, cause, clocks);
}

/* Attributes what is counted from now on to `o`. Only observers use this. */
static inline void pipe_blame(pipe *p, const op *o)
{
    if (__builtin_expect(p->observer != NULL, 0))
        p->observer->instruction = o->address;
}

/* --- pipe_execute.c --- */

/* The data reference that was made last in the group, for the bank test of the next one. */
typedef struct last_access {
    const p5_access *access; /* NULL: none */
    int64_t clock;           /* its EX clock */
    bool missed;
    bool second; /* it is the second of two references in that clock */
} last_access;

/* The clocks of EX by cause. */
typedef struct ex_owners {
    uint64_t of[P5_STALL_COUNT];
} ex_owners;

/* Attributes every clock of EX to a cause: the first to the issue if the group `issues`, then those of `h` to
 * what held EX, and the rest to execution. */
ex_owners pipe_own_execution(int64_t clocks, bool issues, const ex_holds *h);

/* Counts the clocks of all causes. */
void pipe_spend_all(pipe *p, const ex_owners *owners);

/* Splits the clocks of a pair between its instructions, for the profile: the one in U gets the clocks that it
 * would have spent in EX alone, the one in V gets the rest. */
void pipe_spend_pair(pipe *p, const op *u, const op *v, const ex_owners *pair, const ex_owners *alone);

/* Returns the cause that held EX longest, and its clocks; P5_STALL_ISSUE and 0 if there is none. */
p5_stall pipe_main_hold(const ex_holds *h, uint32_t *clocks);

/* --- pipe_count.c --- */

/* An instruction of a group, and whether it has the event that is counted. */
typedef struct pair_member {
    const pipe_insn *insn; /* V: may be NULL */
    bool has;
} pair_member;

/* Counts an event that U and V can have in the same clock. The event's signal is then on for one clock
 * only. */
static inline void pipe_count_in_pair(pipe *p, bool fast, enum p5_event event, pair_member u, pair_member v)
{
    if (fast || !p->observer) {
        deltas_add(p->deltas, event, (uint64_t)u.has + v.has, u.has | v.has);
        return;
    }
    if (u.has) {
        pipe_blame(p, u.insn->op);
        pipe_count(p, event, 1, 1);
    }
    if (v.has) {
        pipe_blame(p, v.insn->op);
        pipe_count(p, event, 1, !u.has);
    }
}

/* Counts the breakpoints that a group matches; `v` may be NULL. */
void pipe_match(pipe *p, const pipe_insn *u, const pipe_insn *v);
/* Counts the further events of a group that uses more than the integer pipes; `v` may be NULL. */
void pipe_count_others(pipe *p, const pipe_insn *u, const pipe_insn *v);

/* Counts the events of a group that leaves EX; `v` may be NULL. `integer`: it uses only the integer pipes. */
static inline __attribute__((always_inline)) void pipe_count_group(pipe *p, bool fast, const pipe_insn *u,
                                                                   const pipe_insn *v, bool integer)
{
    if (!fast && p->breakpoints != NULL)
        pipe_match(p, u, v);
    const bool has_v = v != NULL;
    p->instructions += (unsigned)u->complete + has_v;
    pipe_count_in_pair(p, fast, P5_EVENT_INSTRUCTIONS_EXECUTED, (pair_member){u, u->complete},
                       (pair_member){v, has_v});
    if (v) {
        if (!fast)
            pipe_blame(p, v->op);
        pipe_count_as(p, fast, P5_EVENT_INSTRUCTIONS_EXECUTED_V_PIPE, 1, 1);
        if (u->access_count && v->access_count)
            pipe_count_as(p, fast, P5_EVENT_MEMORY_ACCESSES_IN_BOTH_PIPES, 1, 1);
    }
    if (!integer)
        pipe_count_others(p, u, v);
}

/* Reports to the observer, which must exist, what events do not show: executions, pipes and pairing; and then the
 * boundary after the group. `v` may be NULL; `why` is the reason for that, or PAIRED. */
void pipe_report_group(pipe *p, const pipe_insn *u, const pipe_insn *v, unpaired why);

/* --- pipe_state.c --- */

/* Returns whether states omit how far PF is ahead. */
static inline bool pipe_ahead_is_left_out(const pipe *p)
{
    return prefetch_leads(p->timing) && !p->prefetch.redirect;
}

/* Returns whether a gap in the front end's clocks may be longer than timing.gap_clocks. */
static inline bool pipe_reaches_far(const pipe *p)
{
    const int64_t far = p->now - (int64_t)p->timing->gap_clocks;
    return (!pipe_ahead_is_left_out(p) && p->prefetch.ahead.clock < far) |
           (p->timing->fifo && p->fifo.clock < far) | (p->d1_free < far) | (p->d2_free < far) |
           (p->waiting && p->pending.available < far);
}

/* Normalises the clocks of the front end, and shortens their gaps to timing.gap_clocks. */
void pipe_normalise(pipe *p);

/* Shortens the gaps of the front end's clocks. Must be called after each instruction, so that the outcome does not
 * depend on where stretches end. */
static inline void pipe_close_gaps(pipe *p)
{
    if (__builtin_expect(pipe_reaches_far(p), 0))
        pipe_normalise(p);
}

/* --- pipe_branch.c --- */

/* Discards everything before EX; the first fetch of the new stream is at `clock`. */
void pipe_flush(pipe *p, int64_t clock);

/* P54C: asks the BTB with the address of the U instruction before the group. The entry found there describes this
 * group; if the group has no branch and the entry predicts taken, the wrong stream has been fetched and the pipe is
 * flushed. Returns whether this happened. */
bool pipe_check_branchless_p54c(pipe *p);
/* Must be called after a group without a branch. Calls pipe_check_branchless_p54c on a P54C, and returns false on a
 * P55C. */
static inline bool pipe_check_branchless(pipe *p)
{
    return p->timing->btb_by_pairs && p->resolver->passed && pipe_check_branchless_p54c(p);
}

/* Counts and resolves a branch or far transfer that has left EX. */
void pipe_branch(pipe *p, const pipe_insn *x, bool in_v);

#endif
