/* Between the files of the pipe: pipe.c runs instructions from D1 on, pipe_issue.h takes a group through D2
 * and the waits in front of EX, pipe_execute.h through EX with its data references, pipe_count.c counts what
 * a completed group brings, pipe_branch.c asks the predictor, pipe_state.c hands a stretch's end to the
 * next.
 *
 * Pipes are of two kinds, for which what every instruction goes through is compiled apart: `plain` are those
 * of the P55C as long as nobody watches them or holds pairing back (pipe_begin), all others not. */
#ifndef CORE_PIPE_PIPE_INTERNAL_H
#define CORE_PIPE_PIPE_INTERNAL_H

#include "core/event/clock.h"
#include "core/pipe/pairing.h"
#include "core/pipe/pipe.h"

static inline void pipe_count(pipe *p, enum p5_event event, uint64_t n, uint64_t clocks)
{
    observed_count(p->deltas, p->observer, event, n, clocks);
}

/* Clocks with an owner. */
static inline void pipe_spend(pipe *p, p5_stall cause, uint64_t clocks)
{
    observed_spend(p->deltas, p->observer, cause, clocks);
}

/* ... by a pipe of a kind. */
static inline void pipe_count_as(pipe *p, bool plain, enum p5_event event, uint64_t n, uint64_t clocks)
{
    if (plain)
        deltas_add(p->deltas, event, n, clocks);
    else
        pipe_count(p, event, n, clocks);
}

static inline void pipe_spend_as(pipe *p, bool plain, p5_stall cause, uint64_t clocks)
{
    if (plain)
        deltas_add(p->deltas, DELTA_STALLS + cause, clocks, clocks);
    else
        pipe_spend(p, cause, clocks);
}

/* What is counted from now on is due to `o`: matters to observers only. */
static inline void pipe_blame(pipe *p, const op *o)
{
    if (__builtin_expect(p->observer != NULL, 0))
        p->observer->who = o->address;
}

/* --- pipe_execute.c --- */

/* The data reference that the instruction in U made last, for the bank test of the one in V. */
typedef struct last_access {
    const p5_access *access; /* NULL: none */
    int64_t clock;           /* its EX clock */
    bool missed;
    bool second; /* of two in that clock */
} last_access;

/* The clocks of EX by owner. */
typedef struct ex_owners {
    uint64_t of[P5_STALL_COUNT];
} ex_owners;

/* Gives every clock of EX an owner: the first is the issue if the group `issues`, then what held it, the rest
 * is execution. */
ex_owners pipe_own_execution(int64_t clocks, bool issues, const ex_holds *h);

void pipe_spend_all(pipe *p, const ex_owners *owners);

/* The clocks of a pair, instruction by instruction, for the profile: those in which the one in U would have
 * been in EX alone are its own, the rest is due to the one in V. */
void pipe_spend_pair(pipe *p, const op *u, const op *v, const ex_owners *pair, const ex_owners *alone);

/* The cause that held EX longest. */
p5_stall pipe_main_hold(const ex_holds *h, uint32_t *clocks);

/* --- pipe_count.c --- */

/* An event that U and V can have in one clock: the signal is on for one. */
static inline void pipe_count_in_pair(pipe *p, bool plain, enum p5_event event, const pipe_insn *u,
                                      bool has_u, const pipe_insn *v, bool has_v)
{
    if (plain || !p->observer) {
        deltas_add(p->deltas, event, (uint64_t)has_u + has_v, has_u | has_v);
        return;
    }
    if (has_u) {
        pipe_blame(p, u->op);
        pipe_count(p, event, 1, 1);
    }
    if (has_v) {
        pipe_blame(p, v->op);
        pipe_count(p, event, 1, !has_u);
    }
}

/* Breakpoints that a group meets; `v` may be NULL. */
void pipe_match(pipe *p, const pipe_insn *u, const pipe_insn *v);
/* Events of a group that needs more than the integer pipes. */
void pipe_count_others(pipe *p, const pipe_insn *u, const pipe_insn *v);

/* Events of a group that leaves EX; `v` may be NULL. `integer`: it needs nothing but the integer pipes. */
static inline __attribute__((always_inline)) void pipe_count_group(pipe *p, bool plain, const pipe_insn *u,
                                                                   const pipe_insn *v, bool integer)
{
    if (!plain && p->breakpoints != NULL)
        pipe_match(p, u, v);
    const bool has_v = v != NULL;
    p->instructions += (unsigned)u->complete + has_v;
    pipe_count_in_pair(p, plain, P5_EVENT_INSTRUCTIONS_EXECUTED, u, u->complete, v, has_v);
    if (v) {
        if (!plain)
            pipe_blame(p, v->op);
        pipe_count_as(p, plain, P5_EVENT_INSTRUCTIONS_EXECUTED_V_PIPE, 1, 1);
        if (u->access_count && v->access_count)
            pipe_count_as(p, plain, P5_EVENT_MEMORY_ACCESSES_IN_BOTH_PIPES, 1, 1);
    }
    if (!integer)
        pipe_count_others(p, u, v);
}

/* What the profile wants to know beyond events: executions, the pipes, pairing. */
void pipe_tell_group(pipe *p, const pipe_insn *u, const pipe_insn *v, unpaired why);

/* --- pipe_branch.c --- */

/* Everything in front of EX is lost; the first fetch of the new stream is at `clock`. */
void pipe_flush(pipe *p, int64_t clock);

/* P54C: the BTB is asked with the address of every U instruction. An entry there speaks of the next group; if
 * that has no branch and the entry says taken, the wrong stream has been fetched. Answers whether that was
 * so. */
bool pipe_ask_passed(pipe *p);
static inline bool pipe_went_by(pipe *p)
{
    return p->timing->btb_by_pairs && p->resolver->passed && pipe_ask_passed(p);
}

/* A branch or far transfer that has left EX. */
void pipe_branch(pipe *p, const pipe_insn *x, bool in_v);

#endif
