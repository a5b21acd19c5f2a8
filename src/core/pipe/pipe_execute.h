/* EX with its data references; compiled for each kind of pipe (`fast` is a constant: pipe_internal.h). */
#ifndef CORE_PIPE_PIPE_EXECUTE_H
#define CORE_PIPE_PIPE_EXECUTE_H

#include "core/memory/banks.h"
#include "core/memory/reference_kind.h"
#include "core/pipe/pipe_internal.h"

/* Returns what the lookup of `a` needs about the reference `last` in the same clock: PARTNER_* of data_answer.h. A
 * reference to a port does not count as one. */
static inline unsigned partner_of(const last_access *last, const p5_access *a)
{
    if ((last->access->flags & P5_ACCESS_IO) != 0)
        return 0;
    bool same_kind = ((last->access->flags ^ a->flags) & P5_ACCESS_WRITE) == 0;
    return PARTNER | (same_kind ? PARTNER_SAME_KIND : 0u) | (last->missed ? PARTNER_MISSED : 0u);
}

/* Context of count_of_hit: the pipe that counts. */
typedef struct counting_pipe {
    pipe *p;
    bool fast;
} counting_pipe;

/* Counts an event for reference_events, which calls this for each event of a hit. */
static inline void count_of_hit(void *to, enum p5_event event, uint64_t n, uint64_t clocks)
{
    const counting_pipe *c = to;
    pipe_count_as(c->p, c->fast, event, n, clocks);
}

/* Counts the events of `n` references like `a` that hit and were looked up with `traits`. Counts nothing if `n` is 0, so
 * that a profile has no amounts of 0. */
static inline void count_hits(pipe *p, bool fast, const p5_access *a, unsigned traits, unsigned n)
{
    counting_pipe to = {p, fast};
    if (n > 0)
        reference_events(reference_hit(a, traits), n, 1, count_of_hit, &to);
}

/* Returns how many iterations of a REP string make `n` references. */
static inline unsigned iterations(const op *o, unsigned n)
{
    return o->rep_accesses == 2 ? n / 2 : n;
}

/* Returns the EX clock (from 0) of reference `j` of `n` of an instruction that takes `clocks`. */
static inline unsigned access_clock(const op *o, unsigned j, unsigned n, unsigned clocks)
{
    const unsigned last = clocks > 0 ? clocks - 1 : 0;
    unsigned at;
    switch (o->pattern) {
    case ACCESS_TWO:
        at = j / 2;
        break;
    case ACCESS_REP: /* after the set-up */
        at = o->clocks + iterations(o, j) * o->rep_clocks;
        break;
    default:
        at = n > 1 ? (unsigned)((uint64_t)j * last / (n - 1)) : o->single_access_clock;
    }
    return at < last ? at : last;
}

/* Records in p->held what a reference of `o` that was requested at `asked` (absolute) waits for. Its result is `word`,
 * which is not DATA_USUAL, and `answer` if that is DATA_LONG. `conflict`: it has waited for a bank before. Returns how
 * long it waits. */
int64_t pipe_record_wait(pipe *p, const op *o, uint64_t asked, uint64_t word, const data_answer *answer,
                         bool conflict);

/* An instruction in EX: its pipe, the clock at which its EX begins, and the clocks that it takes without delays. */
typedef struct in_ex {
    const pipe_insn *insn;
    bool in_v;
    int64_t begin;
    unsigned clocks;
} in_ex;

/* Makes reference `j` of an instruction. The references before have delayed it by `shift`. Returns the delay by
 * all of them so far. `last`: the reference before it in the group. */
static inline __attribute__((always_inline)) int64_t refer(pipe *p, bool fast, const in_ex *x, unsigned j,
                                                           int64_t shift, last_access *last)
{
    const op *o = x->insn->op;
    const p5_access *a = &x->insn->accesses[j];
    const unsigned traits = (x->in_v ? TRAIT_V_PIPE : 0u) | o->traits;
    unsigned partner = 0;
    int64_t at = x->begin + shift + access_clock(o, j, x->insn->access_count, x->clocks);
    bool conflict = false;
    if (last->access && last->clock == at && !last->second && o->pattern != ACCESS_SERIAL) {
        /* REP CMPS reads both strings at once: 5 clocks were measured instead of 4 */
        const bool copies = o->pattern == ACCESS_REP && (last->access->flags ^ a->flags) & P5_ACCESS_WRITE;
        const bool port = (last->access->flags | a->flags) & P5_ACCESS_IO;
        const bool ideal = !fast && p->control.ideal & P5_IDEAL_HITS;
        conflict = !copies && !port && !ideal && banks_meet(last->access, a);
        if (!conflict)
            partner = partner_of(last, a);
    }
    if (__builtin_expect(conflict, 0)) {
        p->held.bank += BANK_CLOCKS;
        p->is_held = true;
        pipe_count_as(p, fast, P5_EVENT_BANK_CONFLICTS, 1, 1);
        shift += BANK_CLOCKS;
        at += BANK_CLOCKS;
    }
    const uint64_t asked = p->start + (uint64_t)at;
    data_answer answer;
    const uint64_t word = p->resolver->data(p->resolver->context, a, asked, traits | partner, &answer);
    last->missed = false;
    if (word == DATA_USUAL) {
        count_hits(p, fast, a, traits | partner, 1);
    } else {
        last->missed = !data_hit(word, &answer);
        if (!fast && p->trace != NULL && last->missed)
            p->trace->misses[x->in_v][(a->flags & P5_ACCESS_WRITE) != 0]++;
        const int64_t wait = pipe_record_wait(p, o, asked, word, &answer, conflict);
        shift += wait;
        at += wait;
    }
    last->second = partner != 0;
    last->access = a;
    last->clock = at;
    return shift;
}

/* Makes the references of one instruction. Returns by how many clocks they delay its end. `last` is the last
 * reference so far of the group; on entry that of the instruction in U. */
int64_t pipe_refer(pipe *p, const in_ex *x, last_access *last);

/* Executes one instruction and returns the clock at which it leaves EX. */
static inline __attribute__((always_inline)) int64_t pipe_execute(pipe *p, bool fast, in_ex x,
                                                                  last_access *last)
{
    const int64_t end = x.begin + x.clocks;
    if (x.insn->access_count == 0)
        return end;
    if (fast && x.insn->access_count == 1)
        return end + refer(p, fast, &x, 0, 0, last);
    last_access before = *last; /* a copy, so that `last` itself stays in registers */
    const int64_t shift = pipe_refer(p, &x, &before);
    *last = before;
    return end + shift;
}

#endif
