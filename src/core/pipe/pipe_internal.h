/* Between the files of the pipe: pipe.c runs instructions from D1 on, pipe_issue.c takes a group through D2
 * and the waits in front of EX, pipe_execute.c through EX with its data references, pipe_count.c counts what
 * a completed group brings, pipe_branch.c asks the predictor, pipe_state.c hands a stretch's end to the
 * next. */
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

/* What is counted from now on is due to `o`: matters to observers only. */
static inline void pipe_blame(pipe *p, const op *o)
{
    if (__builtin_expect(p->observer != NULL, 0))
        p->observer->who = o->address;
}

/* --- pipe_execute.c --- */

/* What held EX, clock by clock, while a group was in it. */
typedef struct ex_holds {
    uint32_t tlb, read, misaligned, write_buffer, write_order, locked, io, bank;
} ex_holds;

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

/* Makes the references of one instruction whose EX begins at `begin`; answers how many clocks later than
 * without them it leaves EX. `last` is the last reference so far of this group, on entry that of the
 * instruction in U. */
int64_t pipe_refer(pipe *p, const pipe_insn *x, bool in_v, int64_t begin, unsigned clocks, ex_holds *holds,
                   last_access *last);

/* ... answers the clock at which it leaves EX. */
static inline int64_t pipe_execute(pipe *p, const pipe_insn *x, bool in_v, int64_t begin, unsigned clocks,
                                   ex_holds *holds, last_access *last)
{
    int64_t end = begin + clocks;
    return x->access_count == 0 ? end : end + pipe_refer(p, x, in_v, begin, clocks, holds, last);
}

/* Gives every clock of EX an owner: the first is the issue, then what held it, the rest is execution. */
ex_owners pipe_own_execution(int64_t clocks, const ex_holds *h);

void pipe_spend_all(pipe *p, const ex_owners *owners);

/* Both in one for a group that is not split between its instructions. */
static inline void pipe_spend_execution(pipe *p, int64_t clocks, const ex_holds *h)
{
    if (h->tlb | h->read | h->misaligned | h->write_buffer | h->write_order | h->locked | h->io | h->bank) {
        const ex_owners owners = pipe_own_execution(clocks, h);
        pipe_spend_all(p, &owners);
    } else if (clocks > 0) {
        pipe_spend(p, P5_STALL_ISSUE, 1);
        pipe_spend(p, P5_STALL_EXECUTE, (uint64_t)clocks - 1);
    }
}

/* The clocks of a pair, instruction by instruction, for the profile: those in which the one in U would have
 * been in EX alone are its own, the rest is due to the one in V. */
void pipe_spend_pair(pipe *p, const op *u, const op *v, const ex_owners *pair, const ex_owners *alone);

/* The cause that held EX longest. */
p5_stall pipe_main_hold(const ex_holds *h, uint32_t *clocks);

/* --- pipe_count.c --- */

/* An event that U and V can have in one clock: the signal is on for one. */
static inline void pipe_count_in_pair(pipe *p, enum p5_event event, const pipe_insn *u, bool has_u,
                                      const pipe_insn *v, bool has_v)
{
    if (!p->observer && has_u & has_v) {
        pipe_count(p, event, 2, 1);
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
static inline void pipe_count_group(pipe *p, const pipe_insn *u, const pipe_insn *v, bool integer)
{
    if (__builtin_expect(p->breakpoints != NULL, 0))
        pipe_match(p, u, v);
    pipe_count_in_pair(p, P5_EVENT_INSTRUCTIONS_EXECUTED, u, u->complete, v, v != NULL);
    p->instructions += u->complete;
    if (v) {
        p->instructions++;
        pipe_blame(p, v->op);
        pipe_count(p, P5_EVENT_INSTRUCTIONS_EXECUTED_V_PIPE, 1, 1);
        if (u->access_count && v->access_count)
            pipe_count(p, P5_EVENT_MEMORY_ACCESSES_IN_BOTH_PIPES, 1, 1);
    }
    if (!integer)
        pipe_count_others(p, u, v);
}

/* What the profile wants to know beyond events: executions, the pipes, pairing. */
void pipe_tell_group(pipe *p, const pipe_insn *u, const pipe_insn *v, unpaired why);

/* --- pipe_issue.c --- */

/* Sends `u` and `v` side by side from D1 at `pull` through EX; */
void pipe_issue_pair(pipe *p, const pipe_insn *u, const pipe_insn *v, int64_t pull, int64_t miss_until);
/* ... `u` alone, because of `why`. */
void pipe_issue_alone(pipe *p, const pipe_insn *u, int64_t pull, int64_t miss_until, unpaired why);

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
