/* Runs instructions through the front end and D1, where pairs are formed; pipe_issue.h then takes a group from D1
 * through EX. In each function, `fast` is a constant that tells which kind of pipe it is compiled for
 * (pipe_internal.h). Clocks are relative to pipe.start. Tags such as P7 are those of docs/rules.tsv. */
#include "core/pipe/pipe.h"

#include <assert.h>

#include "core/pipe/pipe_issue.h"

/* Returns the clock in which D1 takes an instruction that it could take from clock `available` on. */
static inline int64_t pull_clock(const pipe *p, int64_t available)
{
    return clock_later(p->d1_free, available);
}

/* Returns why the pending instruction and `x` cannot issue as a pair, or PAIRED. D1 could take `x` from clock
 * `available` on, and took the pending one at `pull`; `encoding` is the result of pairing_check. */
static inline unpaired pair_dynamic(const pipe *p, bool fast, const pipe_insn *x, int64_t available,
                                    int64_t pull, unpaired encoding)
{
    const op *first = p->waiting->op;
    if (encoding != PAIRED)
        return encoding;
    if (!fast && p->control.no_pairing)
        return UNPAIRED_CONTROL; /* P9 */
    if (!fast && !p->pending.end_known && first->length > 1)
        return UNPAIRED_END_BIT; /* P7 */
    if ((x->op->flags & ISA_MMX) && !(first->flags & ISA_MMX) &&
        (p->x87_mode == MODE_X87 || p->control.fpu_trap))
        return UNPAIRED_MMX_MODE; /* M6 */
    /* P8: the partner has to arrive by the last D1 clock of the first */
    if (available > pull + pipe_d1_clocks(p, fast, first) - 1)
        return UNPAIRED_QUEUE;
    return PAIRED;
}

/* Fetches `o`, and on the P55C passes it through F and the FIFO. Returns the clock from which D1 can take it, and fills
 * in `front`. The P54C's D1 decodes from the prefetch buffers, which `release` frees once the clock in which it did so
 * is known. */
static inline int64_t decode(pipe *p, bool fast, const op *o, pipe_front *front)
{
    if (!fast && p->control.ideal & P5_IDEAL_FETCH) {
        /* D1 of a target after a misprediction is two clocks before its EX */
        const int64_t ready = clock_later(p->d1_free, p->refill_until - 2);
        *front = (pipe_front){.fetched = ready, .f = ready};
        return ready;
    }
    const int64_t bytes = prefetch_bytes(p, &p->prefetch, o);
    if (!fast && !p->timing->fifo) {
        *front = (pipe_front){.fetched = bytes, .f = bytes};
        return bytes + 1;
    }
    fifo_push(&p->fifo, o, bytes, p->waiting != NULL, front);
    prefetch_release(&p->prefetch, o, p->fifo.clock);
    return p->fifo.clock + 1;
}

/* P54C: releases the prefetch buffers, because D1 has read the instruction from them by `clock`. */
static inline void release(pipe *p, bool fast, const op *o, int64_t clock)
{
    if (fast || p->timing->fifo)
        return;
    p->decoded = clock;
    prefetch_release(&p->prefetch, o, clock);
}

/* Issues the pending instruction, if any, alone. */
void pipe_settle(pipe *p)
{
    const pipe_insn *waiting = p->waiting;
    if (!waiting)
        return;
    int64_t pull = pull_clock(p, p->pending.available);
    release(p, false, waiting->op, pull);
    p->waiting = NULL;
    p->issued_front[0] = p->pending.front;
    issue(p, false, waiting, NULL, (d1_pull){pull, p->pending.miss_until}, UNPAIRED_ALONE);
    pipe_check_branchless(p);
    pipe_close_gaps(p);
}

/* Keeps `x` in D1 as the pending instruction, which D1 could take from clock `available` on. It is not copied before
 * pipe_run ends (copy_pending). `end_known`: P54C: its end bit was set. */
static inline void set_pending(pipe *p, const pipe_insn *x, int64_t available, const pipe_front *front,
                               bool end_known)
{
    pipe_pending *pending = &p->pending;
    p->waiting = x;
    pending->available = available;
    pending->front = *front;
    pending->miss_until = p->miss_until;
    pending->end_known = end_known;
}

/* Returns whether `x` waits in D1 for a partner, because it can be the first of a pair. */
static inline bool may_wait(const pipe *p, bool fast, const pipe_insn *x)
{
    const bool first =
        x->op->first || (!fast && p->control.ideal & P5_IDEAL_PAIRS && pairing_ideal_first(x->op));
    return first && (fast || !p->control.no_pairing) && x->complete && x->access_count <= 2;
}

/* Counts events 12h and 15h of an instruction that restarts the pipe although it is no branch, and flushes the pipe if
 * it serialises. */
static void restart(pipe *p, const pipe_insn *x)
{
    if (x->op->flags & ISA_SERIALISING)
        pipe_flush(p, p->now - p->timing->depth); /* their clocks include the refill */
    /* Event 12h counts serialising instructions, VERR, VERW and some segment descriptor loads, event 15h the
     * loads only. With erratum 44, event 15h counts all that load a segment, and VERR and VERW. The manual
     * does not say which loads; the model counts those that read a descriptor. */
    bool serialises = x->op->flags & ISA_SERIALISING, loads = x->op->loads_segment && x->descriptor;
    if (serialises || loads || x->op->branch_like)
        pipe_count(p, P5_EVENT_BRANCHES, 1, 1);
    if (p->timing->errata ? loads || x->op->branch_like : loads && !serialises)
        pipe_count(p, P5_EVENT_PIPELINE_FLUSHES, 1, 1);
}

/* Does what follows after the group whose last instruction is `x` has left EX: resolves a branch, or restarts the
 * pipe. */
static inline void finish(pipe *p, bool fast, const pipe_insn *x, bool in_v)
{
    if (!fast)
        pipe_blame(p, x->op);
    if (x->op->branch != ISA_NOT_BRANCH) {
        pipe_branch(p, x, in_v);
        return;
    }
    if (!fast)
        pipe_check_branchless(p);
    if (!x->op->integer)
        restart(p, x);
}

/* Runs instruction `x`. If one is pending in D1, it issues now, together with `x` if they pair. Otherwise `x` becomes
 * the pending one, or issues alone. */
static inline __attribute__((always_inline)) void step(pipe *p, bool fast, const pipe_insn *x)
{
    const pipe_pending *pending = &p->pending;
    const pipe_insn *const first = p->waiting;
    int64_t pull = 0;
    if (first) {
        pull = pull_clock(p, pending->available);
        release(p, fast, first->op, pull);
    }
    if (!fast)
        pipe_blame(p, x->op);
    p->next = x->next;
    pipe_front front;
    int64_t available = decode(p, fast, x->op, &front);
    const bool end_known =
        fast || !p->timing->end_bits || p->resolver->end_known(p->resolver->context, x->op);
    p->end_bit_missed = false;
    if (first) {
        unpaired encoding = (unpaired)first->op->next_unpaired;
        if (encoding == UNPAIRED_ALONE)
            encoding = pairing_check(first->op, x->op);
        if (!fast && p->control.ideal & P5_IDEAL_PAIRS)
            encoding = pairing_check_ideal(first->op, x->op);
        const unpaired why = pair_dynamic(p, fast, x, available, pull, encoding);
        p->waiting = NULL;
        if (!fast)
            p->issued_front[0] = pending->front;
        if (why == PAIRED) {
            if (!fast)
                p->issued_front[1] = front;
            release(p, fast, x->op,
                    pull + pipe_d1_clocks(p, fast, first->op) - 1); /* in the last D1 clock of the first */
            issue(p, fast, first, x, (d1_pull){pull, pending->miss_until}, PAIRED);
            finish(p, fast, x, true);
            return;
        }
        p->end_bit_missed = why == UNPAIRED_END_BIT;
        if ((fast || p->timing->fifo) && available > pull)
            pipe_count_as(p, fast, P5_EVENT_D1_STARVATION_AND_ONLY_ONE_INSTRUCTION_IN_FIFO, 1, 1);
        issue(p, fast, first, NULL, (d1_pull){pull, pending->miss_until}, why);
        if (!fast) {
            const bool flushed = pipe_check_branchless(p);
            pipe_blame(p, x->op);
            if (flushed)
                available = decode(p, fast, x->op, &front); /* its prefetched bytes are lost */
        }
    }
    if (may_wait(p, fast, x)) {
        set_pending(p, x, available, &front, end_known);
        return;
    }
    pull = pull_clock(p, available);
    release(p, fast, x->op, pull);
    if (!fast)
        p->issued_front[0] = front;
    issue(p, fast, x, NULL, (d1_pull){pull, p->miss_until},
          !fast && p->control.no_pairing ? UNPAIRED_CONTROL : UNPAIRED_CLASS_U);
    finish(p, fast, x, false);
}

/* Copies the pending instruction, because it may wait longer than its block and its references exist. */
static void copy_pending(pipe *p)
{
    assert(p->waiting != NULL);
    pipe_pending *pending = &p->pending;
    pipe_insn *insn = &pending->insn;
    if (p->waiting == insn)
        return;
    *insn = *p->waiting;
    assert(insn->access_count <= sizeof pending->accesses / sizeof *pending->accesses);
    assert(insn->op->first || p->control.ideal != 0);
    pending->operation = *insn->op;
    pending->next_unpaired = pending->operation.next_unpaired;
    for (unsigned i = 0; i < insn->access_count; i++)
        pending->accesses[i] = insn->accesses[i];
    insn->op = &pending->operation;
    insn->accesses = pending->accesses;
    p->waiting = insn;
}

/* Does what pipe_run does, for a pipe that is not fast. It is out of line because normal runs do not need it. */
static void __attribute__((noinline)) run_any(pipe *p, const pipe_insn *insns, unsigned count)
{
    for (const pipe_insn *x = insns; x < insns + count; x++) {
        step(p, false, x);
        pipe_close_gaps(p);
    }
}

void pipe_run(pipe *p, const pipe_insn *insns, unsigned count)
{
    if (__builtin_expect(p->fast, 1))
        for (const pipe_insn *x = insns; x < insns + count; x++) {
            step(p, true, x);
            pipe_close_gaps(p);
        }
    else
        run_any(p, insns, count);
    if (p->waiting)
        copy_pending(p);
}

/* Prices the microcode of a delivery as one instruction. Nothing younger is in the pipe, and its references are made
 * one after the other. */
void pipe_deliver(pipe *p, const p5_access *accesses, uint32_t access_count, unsigned clocks, p5_stall cause)
{
    assert(p->waiting == NULL);
    assert(!p->is_held);
    static const op microcode = {.pair = ISA_NP, .unit = ISA_MICROCODE, .pattern = ACCESS_SERIAL};
    pipe_insn x = {.op = &microcode, .accesses = accesses, .access_count = access_count, .clocks = clocks};
    last_access last = {0};
    int64_t end = pipe_execute(p, false, (in_ex){&x, false, p->now, clocks}, &last);
    assert(end >= p->now + clocks);
    /* A delivery issues no instruction: its own clocks belong to `cause`, the others to what held EX. */
    ex_owners owners = pipe_own_execution(end - p->now, false, &p->held);
    p->held = (ex_holds){0};
    p->is_held = false;
    owners.of[P5_STALL_EXECUTE] -= clocks;
    owners.of[cause] += clocks;
    pipe_spend_all(p, &owners);
    p->now = end;
    pipe_flush(p, p->now - p->timing->depth);
    p->agi_gpr = 0;
}
