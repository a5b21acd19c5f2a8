#include "core/pipe/pipe.h"

#include "core/pipe/pipe_internal.h"

static int64_t pull_clock(const pipe *p, int64_t available)
{
    return clock_later(p->d1_free, available);
}

/* Why the pending instruction and `x` cannot share a clock, or PAIRED. */
static unpaired pair_dynamic(const pipe *p, const pipe_insn *x, int64_t available, int64_t pull,
                             unpaired encoding)
{
    const op *first = p->pending.insn.op;
    if (encoding != PAIRED)
        return encoding;
    if (p->control.no_pairing)
        return UNPAIRED_CONTROL; /* P9 */
    if (!p->pending.end_known && first->length > 1)
        return UNPAIRED_END_BIT; /* P7 */
    if ((x->op->flags & ISA_MMX) && !(first->flags & ISA_MMX) &&
        (p->x87_mode == MODE_X87 || p->control.fpu_trap))
        return UNPAIRED_MMX_MODE; /* M6 */
    /* P8: the partner has to be there in the last D1 clock of the first */
    if (available > pull + first->d1_clocks - 1)
        return UNPAIRED_QUEUE;
    return PAIRED;
}

/* The clock from which D1 can take `o`. The P54C's D1 decodes from the prefetch buffers, which are released
 * when it is known when it did. */
static inline int64_t decode(pipe *p, const op *o)
{
    const int64_t bytes = prefetch_bytes(p, &p->prefetch, o->address, o->length);
    if (!p->timing->fifo) {
        p->front.fetched = bytes;
        return bytes + 1;
    }
    fifo_push(&p->fifo, o, bytes, p->has_pending, &p->front);
    prefetch_release(&p->prefetch, o->address, o->length, p->fifo.clock);
    return p->fifo.clock + 1;
}

/* P54C: D1 has read the instruction out of the prefetch buffers. */
static inline void release(pipe *p, const op *o, int64_t clock)
{
    if (p->timing->fifo)
        return;
    p->decoded = clock;
    prefetch_release(&p->prefetch, o->address, o->length, clock);
}

void pipe_settle(pipe *p)
{
    if (!p->has_pending)
        return;
    int64_t pull = pull_clock(p, p->pending.available);
    release(p, p->pending.insn.op, pull);
    p->has_pending = false;
    p->issued_front[0] = p->pending.front;
    pipe_issue_alone(p, &p->pending.insn, pull, p->pending.miss_until, UNPAIRED_ALONE);
    pipe_went_by(p);
}

/* `x` stays in D1. What it points to is copied when the stretch ends (pipe_end). */
static inline void hold(pipe *p, const pipe_insn *x, int64_t available, bool end_known)
{
    pipe_pending *pending = &p->pending;
    pending->insn = *x;
    pending->available = available;
    pending->front = p->front;
    pending->miss_until = p->miss_until;
    pending->end_known = end_known;
    pending->next_unpaired = x->op->next_unpaired;
    p->has_pending = true;
}

static inline bool may_wait(const pipe *p, const pipe_insn *x)
{
    return x->op->first && !p->control.no_pairing && x->complete && x->access_count <= 2;
}

/* Instructions behind which the pipe does not just go on, though they are no branches. */
static void restart(pipe *p, const pipe_insn *x)
{
    if (x->op->flags & ISA_SERIALISING)
        pipe_flush(p, p->now - p->timing->depth); /* their clocks include the refill */
    /* Event 12h has what serialises, VERR, VERW and some segment descriptor loads, event 15h the last alone;
     * erratum 44: all that load a segment, and VERR and VERW. Which loads is not said; those that read a
     * descriptor are taken. */
    bool serialises = x->op->flags & ISA_SERIALISING, loads = x->op->loads_segment && x->descriptor;
    if (serialises || loads || x->op->branch_like)
        pipe_count(p, P5_EVENT_BRANCHES, 1, 1);
    if (p->timing->errata ? loads || x->op->branch_like : loads && !serialises)
        pipe_count(p, P5_EVENT_PIPELINE_FLUSHES, 1, 1);
}

/* What follows the issue of `x`, the youngest instruction of its group. */
static inline void finish(pipe *p, const pipe_insn *x, bool in_v)
{
    pipe_blame(p, x->op);
    if (x->op->branch != ISA_NOT_BRANCH) {
        pipe_branch(p, x, in_v);
        return;
    }
    pipe_went_by(p);
    if (!x->op->integer)
        restart(p, x);
}

void pipe_step(pipe *p, const pipe_insn *x)
{
    pipe_pending *pending = &p->pending;
    int64_t pull = 0;
    if (p->has_pending) {
        pull = pull_clock(p, pending->available);
        release(p, pending->insn.op, pull);
    }
    pipe_blame(p, x->op);
    p->next = x->next;
    int64_t available = decode(p, x->op);
    bool end_known = !p->timing->end_bits || p->resolver->end_known(p->resolver->context, x->op);
    if (p->has_pending) {
        const pipe_insn *first = &pending->insn;
        unpaired encoding = (unpaired)pending->next_unpaired;
        if (encoding == UNPAIRED_ALONE)
            encoding = pairing_check(first->op, x->op);
        unpaired why = pair_dynamic(p, x, available, pull, encoding);
        p->has_pending = false;
        p->issued_front[0] = pending->front;
        if (why == PAIRED) {
            p->issued_front[1] = p->front;
            p->end_bit_missed = false;
            release(p, x->op, pull + first->op->d1_clocks - 1); /* in the last D1 clock of the first */
            pipe_issue_pair(p, first, x, pull, pending->miss_until);
            finish(p, x, true);
            return;
        }
        p->end_bit_missed = why == UNPAIRED_END_BIT;
        if (p->timing->fifo && available > pull)
            pipe_count(p, P5_EVENT_D1_STARVATION_AND_ONLY_ONE_INSTRUCTION_IN_FIFO, 1, 1);
        pipe_issue_alone(p, first, pull, pending->miss_until, why);
        bool flushed = pipe_went_by(p);
        pipe_blame(p, x->op);
        if (flushed)
            available = decode(p, x->op); /* what was there of it is lost */
    } else {
        p->end_bit_missed = false;
    }
    if (may_wait(p, x)) {
        hold(p, x, available, end_known);
        return;
    }
    pull = pull_clock(p, available);
    release(p, x->op, pull);
    p->issued_front[0] = p->front;
    pipe_issue_alone(p, x, pull, p->miss_until, p->control.no_pairing ? UNPAIRED_CONTROL : UNPAIRED_CLASS_U);
    finish(p, x, false);
}

/* What the microcode of a delivery does: nothing younger than it is in the pipe, its references come one
 * after the other. */
void pipe_deliver(pipe *p, const p5_access *accesses, uint32_t access_count, unsigned clocks, p5_stall cause)
{
    static const op microcode = {.pair = ISA_NP, .unit = ISA_MICROCODE, .pattern = ACCESS_SERIAL};
    pipe_insn x = {.op = &microcode, .accesses = accesses, .access_count = access_count, .clocks = clocks};
    ex_holds held = {0};
    last_access last = {0};
    int64_t end = pipe_execute(p, &x, false, p->now, clocks, &held, &last);
    p->deltas->clocks += (uint64_t)(end - p->now);
    ex_owners owners = pipe_own_execution(end - p->now, &held);
    uint64_t own_clocks = clocks;
    owners.of[P5_STALL_ISSUE] -= clocks > 0;
    owners.of[P5_STALL_EXECUTE] -= own_clocks - (clocks > 0);
    owners.of[cause] += own_clocks;
    pipe_spend_all(p, &owners);
    p->now = end;
    pipe_flush(p, p->now - p->timing->depth);
    p->agi_gpr = 0;
}
