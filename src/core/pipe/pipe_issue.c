#include "core/pipe/agi.h"
#include "core/pipe/pipe_internal.h"

/* Until when each cause keeps a group out of EX. A clock belongs to the first of them that still holds in it.
 */
typedef struct entry_holds {
    int64_t branch, fetch, multiply, store, agi, decode;
    const op *agi_of; /* whose address it is */
} entry_holds;

static p5_stall own_gap(pipe *p, int64_t from, int64_t to, const entry_holds *h, int64_t *largest)
{
    /* In front of D2 nobody knows what an instruction will wait for: starvation comes before the waits in D2.
     */
    const struct {
        p5_stall cause;
        int64_t until;
    } order[] = {
        {P5_STALL_BRANCH, h->branch},         {P5_STALL_CODE_FETCH, h->fetch}, {P5_STALL_DECODE, h->decode},
        {P5_STALL_MMX_MULTIPLY, h->multiply}, {P5_STALL_MMX_STORE, h->store},  {P5_STALL_AGI, h->agi},
    };
    p5_stall main = P5_STALL_ISSUE;
    *largest = 0;
    for (unsigned i = 0; i < sizeof order / sizeof order[0] && from < to; i++) {
        int64_t until = order[i].until < to ? order[i].until : to;
        if (until <= from)
            continue;
        if (order[i].cause == P5_STALL_AGI)
            pipe_blame(p, h->agi_of);
        pipe_spend(p, order[i].cause, (uint64_t)(until - from));
        if (order[i].cause == P5_STALL_MMX_MULTIPLY)
            pipe_count(p, P5_EVENT_MMX_MULTIPLY_UNIT_INTERLOCK, (uint64_t)(until - from),
                       (uint64_t)(until - from));
        if (order[i].cause == P5_STALL_MMX_STORE)
            pipe_count(p, P5_EVENT_MOVD_MOVQ_STORE_STALL_DUE_TO_PREVIOUS_MMX_OPERATION,
                       (uint64_t)(until - from), (uint64_t)(until - from));
        if (until - from > *largest) {
            *largest = until - from;
            main = order[i].cause;
        }
        from = until;
    }
    return main;
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

/* Clock at which D2 may let the group go to EX, `clock` or later: addresses and MMX sources. */
static int64_t operands_ready(pipe *p, const op *u, const op *v, int64_t clock, entry_holds *holds)
{
    unsigned agi = clock == p->now ? agi_count(p->agi_gpr, u, v) : 0;
    int64_t ready = clock;
    if (agi) {
        unsigned agi_u = agi_count(p->agi_gpr, u, NULL);
        ready = clock + 1;
        holds->agi = ready;
        holds->agi_of = agi_u ? u : v;
        if (agi_u)
            pipe_count(p, P5_EVENT_PIPELINE_AGI_STALLS, 1, 1);
        if (agi > agi_u) {
            pipe_blame(p, v);
            pipe_count(p, P5_EVENT_PIPELINE_AGI_STALLS, 1, !agi_u);
            pipe_blame(p, u);
        }
    }
    const op *const pair[2] = {u, v};
    for (unsigned i = 0; i < 2 && pair[i]; i++) {
        if (!(pair[i]->flags & ISA_MMX))
            continue;
        int64_t multiply;
        int64_t mmx = mmx_ready(&p->mmx, pair[i], clock, &multiply);
        holds->multiply = clock_later(holds->multiply, multiply);
        holds->store = clock_later(holds->store, mmx);
        ready = clock_later(ready, mmx);
    }
    return ready;
}

void pipe_issue(pipe *p, const pipe_insn *u, const pipe_insn *v, int64_t pull, int64_t miss_until,
                unpaired why)
{
    const op *ou = u->op, *ov = v ? v->op : NULL;
    pipe_blame(p, ou);
    if (p->timing->fifo && pull > p->d1_free) /* D1 could have taken something */
        pipe_count(p, P5_EVENT_D1_STARVATION_AND_FIFO_IS_EMPTY, (uint64_t)(pull - p->d1_free),
                   (uint64_t)(pull - p->d1_free));
    int64_t d2 = clock_later(pull + ou->d1_clocks, p->d2_free);
    entry_holds gap = {.branch = p->refill_until, .fetch = miss_until, .decode = d2 + 1};
    gap.branch = gap.branch < d2 + 1 ? gap.branch : d2 + 1;
    gap.fetch = gap.fetch < d2 + 1 ? gap.fetch : d2 + 1;
    int64_t enter = clock_later(d2 + 1, p->now);
    if (p->refill_taken) {
        count_hidden_interlock(p, ou);
        if (ov)
            count_hidden_interlock(p, ov);
    }
    p->refill_taken = false;
    int64_t ex = operands_ready(p, ou, ov, enter, &gap);
    int64_t largest;
    p5_stall cause = own_gap(p, p->now, ex, &gap, &largest);
    pipe_blame(p, ou);

    int64_t begin = ex;
    if ((ou->flags & ISA_SERIALISING) && p->resolver->drained) {
        begin = (int64_t)(p->resolver->drained(p->resolver->context, p->start + (uint64_t)begin) - p->start);
        pipe_spend(p, P5_STALL_SERIALISE, (uint64_t)(begin - ex));
    }
    int64_t unfrozen = fpu_ready(&p->fpu, ou, begin);
    if (ov)
        unfrozen = clock_later(unfrozen, fpu_ready(&p->fpu, ov, begin));
    if (unfrozen > begin) {
        pipe_spend(p, P5_STALL_FPU, (uint64_t)(unfrozen - begin));
        pipe_count(p, P5_EVENT_FLOATING_POINT_STALLS_DURATION, (uint64_t)(unfrozen - begin),
                   (uint64_t)(unfrozen - begin));
        if (unfrozen - begin > largest) {
            largest = unfrozen - begin;
            cause = P5_STALL_FPU;
        }
        begin = unfrozen;
    }
    int64_t lump = switch_mode(p, ou);
    if (ov)
        lump += switch_mode(p, ov);
    if (lump) {
        pipe_spend(p, P5_STALL_MMX_FP_SWITCH, (uint64_t)lump);
        begin += lump;
    }

    ex_holds held = {0};
    last_access last = {0};
    unsigned clocks_u = (ou->flags & ISA_X87) ? fpu_occupancy(ou, u->clocks) : u->clocks;
    int64_t end_u = pipe_execute(p, u, false, begin, clocks_u, &held, &last);
    int64_t end = end_u, end_v = end_u;
    if (v) {
        /* V's first EX clock is the one of U's last data reference: references stay in order, what U does
         * after its last one is shared. */
        int64_t begin_v = last.access ? clock_later(begin, last.clock) : begin;
        const ex_owners alone = p->observer ? pipe_own_execution(end_u - begin, &held) : (ex_owners){0};
        pipe_blame(p, ov);
        end_v = pipe_execute(p, v, true, begin_v, v->clocks, &held, &last);
        end = clock_later(end_u, end_v);
        if (p->observer) {
            const ex_owners owners = pipe_own_execution(end - begin, &held);
            pipe_spend_pair(p, ou, ov, &owners, &alone);
        } else {
            pipe_spend_execution(p, end - begin, &held);
        }
    } else {
        pipe_spend_execution(p, end - begin, &held);
    }
    p->deltas->clocks += (uint64_t)(end - p->now);
    pipe_count_group(p, u, v);

    fpu_issue(&p->fpu, ou, begin, end, u->clocks, u->unsafe_x87);
    if (ov && ov->fp == ISA_FP_XCH)
        fpu_exchange_pair(&p->fpu, ov, begin, u->unsafe_x87);
    mmx_issue(&p->mmx, ou, end);
    if (ov)
        mmx_issue(&p->mmx, ov, end);
    /* a result of an earlier EX clock than the last reaches D2 in time */
    p->agi_gpr = end_u == end ? ou->agi_gpr : 0;
    if (ov && end_v == end)
        p->agi_gpr |= ov->agi_gpr;

    if (p->trace) {
        uint32_t hold_clocks;
        p5_stall hold = pipe_main_hold(&held, &hold_clocks);
        p5_trace_insn stages = {.hold = (uint8_t)hold,
                                .hold_clocks =
                                    (uint16_t)(hold_clocks < UINT16_MAX ? hold_clocks : UINT16_MAX),
                                .begin = p->start + (uint64_t)begin,
                                .d1 = p->start + (uint64_t)pull,
                                .d2 = p->start + (uint64_t)d2,
                                .ex = p->start + (uint64_t)ex,
                                .end = p->start + (uint64_t)end,
                                .unpaired = (uint8_t)why,
                                .stall = (uint8_t)cause,
                                .stall_clocks = (uint16_t)(largest < UINT16_MAX ? largest : UINT16_MAX)};
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
    if (p->observer)
        pipe_tell_group(p, u, v, why);
}
