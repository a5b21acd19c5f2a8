#include "core/pipe.h"

#include <string.h>

#include "core/agi.h"
#include "core/pairing.h"

/* Longer than four instructions with fourteen prefixes each keep F. */
enum { FAR = 128 };

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void count(pipe *p, enum p5_event event, uint64_t n, uint64_t clocks)
{
    p->deltas->increments[event] += n;
    p->deltas->asserted[event] += clocks;
    if (p->sink)
        profile_add(p->sink, event, n, clocks);
}

/* Clocks with an owner. */
static void spend(pipe *p, p5_stall cause, uint64_t clocks)
{
    p->deltas->stalls[cause] += clocks;
    if (p->sink && clocks)
        profile_add(p->sink, P5_PROFILE_STALLS + cause, clocks, clocks);
}

/* What is counted from now on is due to `o`: matters to the profile only. */
static void blame(pipe *p, const op *o)
{
    if (p->sink)
        p->sink->who = o->address;
}

/* ---- EX ------------------------------------------------------------------------------------------------ */

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

/* The eight banks are interleaved by dword: bit n = bank n. */
static unsigned banks(const p5_access *a)
{
    unsigned first = a->linear >> 2 & 7, last = (a->linear + a->size - 1) >> 2 & 7;
    return 1u << first | 1u << last;
}

static bool banks_conflict(const p5_access *a, const p5_access *b)
{
    if ((a->flags | b->flags) & P5_ACCESS_IO)
        return false;
    return (banks(a) & banks(b)) != 0;
}

/* What memory_set_partner wants to know of the reference before. */
static unsigned partner_of(const last_access *last, const p5_access *a)
{
    bool same_kind = ((last->access->flags ^ a->flags) & P5_ACCESS_WRITE) == 0;
    return PARTNER | (same_kind ? PARTNER_SAME_KIND : 0u) | (last->missed ? PARTNER_MISSED : 0u);
}

/* Events of a reference that hit. `partner`: another one was counted in this clock. */
static void count_hit(pipe *p, const p5_access *a, bool mmx, unsigned partner)
{
    bool write = (a->flags & P5_ACCESS_WRITE) != 0;
    count(p, write ? P5_EVENT_DATA_WRITE : P5_EVENT_DATA_READ, 1, !(partner & PARTNER_SAME_KIND));
    count(p, P5_EVENT_DATA_READ_OR_WRITE, 1, !(partner & PARTNER));
    if (write)
        count(p, P5_EVENT_WRITE_HIT_TO_M_OR_E_STATE_LINES, 1,
              (partner & (PARTNER_SAME_KIND | PARTNER_MISSED)) != PARTNER_SAME_KIND);
    if (mmx)
        count(p, write ? P5_EVENT_MMX_INSTRUCTION_DATA_WRITES : P5_EVENT_MMX_INSTRUCTION_DATA_READS, 1, 1);
}

/* Makes the references of one instruction whose EX begins at `begin`; answers the clock at which it leaves
 * EX. `last` is the last reference so far of this group, on entry that of the instruction in U. */
static int64_t execute(pipe *p, const pipe_insn *x, bool in_v, int64_t begin, unsigned clocks,
                       ex_holds *holds, last_access *last)
{
    const op *o = x->op;
    reference how = {.locked = o->lock, .mmx = (o->flags & ISA_MMX) != 0, .v_pipe = in_v};
    int64_t shift = 0;
    for (unsigned j = 0; j < x->access_count; j++) {
        const p5_access *a = &x->accesses[j];
        int64_t at = begin + shift + block_access_clock(o, j, x->access_count, clocks);
        bool again = last->access && last->clock == at && !last->second && o->pattern != ACCESS_SERIAL;
        bool conflict = false;
        bool copies = o->pattern == ACCESS_REP &&
                      ((last->access ? last->access->flags : a->flags) ^ a->flags) & P5_ACCESS_WRITE;
        if (again && !copies &&
            banks_conflict(last->access,
                           a)) { /* REP CMPS reads both strings at once: measured 5 instead of 4 */
            conflict = true;
            holds->bank++;
            count(p, P5_EVENT_BANK_CONFLICTS, 1, 1);
            shift++;
            at++;
            again = false;
        }
        data_answer answer;
        how.partner = (uint8_t)(again ? partner_of(last, a) : 0);
        last->missed = false;
        if (p->resolver->data(p->resolver->context, a, p->start + (uint64_t)at, &how, &answer)) {
            count_hit(p, a, how.mmx, how.partner);
        } else {
            last->missed = !answer.hit;
            int64_t wait = (int64_t)(answer.done - p->start) - at;
            if (p->timing->errata && conflict && wait > 0) /* looked at again when the access is repeated */
                count(p, P5_EVENT_BANK_CONFLICTS, 1, 1);
            if (p->timing->errata && answer.is_misaligned && o->fst)
                count(p, P5_EVENT_MISALIGNED_DATA_MEMORY_OR_IO_REFERENCES, 1, 1);
            holds->tlb += answer.tlb;
            holds->read += answer.read;
            holds->misaligned += answer.misaligned;
            holds->write_buffer += answer.write_buffer;
            holds->write_order += answer.write_order;
            holds->locked += answer.locked;
            holds->io += answer.io;
            shift += wait;
            at += wait;
        }
        last->second = how.partner != 0;
        last->access = a;
        last->clock = at;
    }
    return begin + shift + clocks;
}

/* The clocks of EX by owner. */
typedef struct ex_owners {
    uint64_t of[P5_STALL_COUNT];
} ex_owners;

/* Hands `clocks` to a cause, as far as `left` goes: delays of U and V may overlap, clocks do not. */
static void own(ex_owners *owners, p5_stall cause, uint64_t clocks, int64_t *left)
{
    uint64_t n = clocks < (uint64_t)*left ? clocks : (uint64_t)*left;
    owners->of[cause] += n;
    *left -= (int64_t)n;
}

/* Gives every clock of EX an owner: the first is the issue, then what held it, the rest is execution. */
static ex_owners own_execution(int64_t clocks, const ex_holds *h)
{
    ex_owners owners = {0};
    int64_t left = clocks;
    own(&owners, P5_STALL_ISSUE, 1, &left);
    own(&owners, P5_STALL_DATA_TLB, h->tlb, &left);
    own(&owners, P5_STALL_DATA_READ, h->read, &left);
    own(&owners, P5_STALL_MISALIGNED, h->misaligned, &left);
    own(&owners, P5_STALL_WRITE_BUFFER, h->write_buffer, &left);
    own(&owners, P5_STALL_WRITE_ORDER, h->write_order, &left);
    own(&owners, P5_STALL_LOCKED, h->locked, &left);
    own(&owners, P5_STALL_IO, h->io, &left);
    own(&owners, P5_STALL_BANK_CONFLICT, h->bank, &left);
    owners.of[P5_STALL_EXECUTE] += (uint64_t)left;
    return owners;
}

static void spend_all(pipe *p, const ex_owners *owners)
{
    for (unsigned cause = 0; cause < P5_STALL_COUNT; cause++)
        spend(p, (p5_stall)cause, owners->of[cause]);
}

/* The clocks of a pair, instruction by instruction, for the profile: those in which the one in U would have
 * been in EX alone are its own, the rest is due to the one in V. */
static void spend_pair(pipe *p, const op *u, const op *v, const ex_owners *pair, const ex_owners *alone)
{
    ex_owners of_u, of_v;
    for (unsigned cause = 0; cause < P5_STALL_COUNT; cause++) {
        of_u.of[cause] = alone->of[cause] < pair->of[cause] ? alone->of[cause] : pair->of[cause];
        of_v.of[cause] = pair->of[cause] - of_u.of[cause];
    }
    blame(p, v);
    spend_all(p, &of_v);
    blame(p, u);
    spend_all(p, &of_u);
}

/* ---- issue --------------------------------------------------------------------------------------------- */

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
            blame(p, h->agi_of);
        spend(p, order[i].cause, (uint64_t)(until - from));
        if (order[i].cause == P5_STALL_MMX_MULTIPLY)
            count(p, P5_EVENT_MMX_MULTIPLY_UNIT_INTERLOCK, (uint64_t)(until - from),
                  (uint64_t)(until - from));
        if (order[i].cause == P5_STALL_MMX_STORE)
            count(p, P5_EVENT_MOVD_MOVQ_STORE_STALL_DUE_TO_PREVIOUS_MMX_OPERATION, (uint64_t)(until - from),
                  (uint64_t)(until - from));
        if (until - from > *largest) {
            *largest = until - from;
            main = order[i].cause;
        }
        from = until;
    }
    return main;
}

static uint64_t later_clock(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The cause that held EX longest. */
static p5_stall main_hold(const ex_holds *h, uint32_t *clocks)
{
    const struct {
        p5_stall cause;
        uint32_t clocks;
    } all[] = {{P5_STALL_DATA_TLB, h->tlb},
               {P5_STALL_DATA_READ, h->read},
               {P5_STALL_MISALIGNED, h->misaligned},
               {P5_STALL_WRITE_BUFFER, h->write_buffer},
               {P5_STALL_WRITE_ORDER, h->write_order},
               {P5_STALL_LOCKED, h->locked},
               {P5_STALL_IO, h->io},
               {P5_STALL_BANK_CONFLICT, h->bank}};
    p5_stall cause = P5_STALL_ISSUE;
    *clocks = 0;
    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i].clocks > *clocks) {
            *clocks = all[i].clocks;
            cause = all[i].cause;
        }
    return cause;
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
              : t.kind == P5_PIPE_X87        ? later_clock(t.end, t.begin + x->clocks)
                                             : t.end;
    trace_sources(p->trace, x->op, t.sources);
    p->trace->insn(p->trace->context, &t);
}

/* Events 23h-26h. */
static void count_matches(pipe *p, unsigned matches)
{
    for (unsigned n = 0; matches >> n != 0; n++)
        if (matches >> n & 1)
            count(p, (enum p5_event)(P5_EVENT_BREAKPOINT_MATCH_ON_DR0_REGISTER + n), 1, 1);
}

/* Erratum 44: silicon does not see a code breakpoint while a trap is pending (single step, or a data
 * breakpoint of the instruction before) or RF is set, and sees that of the instruction behind MOV or POP SS
 * twice, as the boundary between them is passed over. */
static void match_breakpoints(pipe *p, const pipe_insn *x, bool in_v)
{
    bool errata = p->timing->errata, missed = errata && (p->match_missed || p->control.single_step);
    bool twice = errata && p->match_twice;
    p->match_missed = p->match_twice = false;
    if (x->complete && !missed) {
        unsigned matches = breakpoints_code(p->breakpoints, x->op->address, in_v);
        count_matches(p, matches);
        if (twice)
            count_matches(p, matches);
    }
    for (uint32_t i = 0; i < x->access_count; i++) {
        unsigned matches = breakpoints_access(p->breakpoints, &x->accesses[i]);
        count_matches(p, matches);
        p->match_missed |= (matches & breakpoints_enabled(p->breakpoints)) != 0;
    }
    p->match_twice = x->op->loads_ss;
}

/* Events that every completed instruction brings. */
static void count_insn(pipe *p, const pipe_insn *x, bool in_v)
{
    const op *o = x->op;
    p->instructions++;
    if (x->segment_loads)
        count(p, P5_EVENT_ANY_SEGMENT_REGISTER_LOADED, x->segment_loads, x->segment_loads);
    if (x->flops)
        count(p, P5_EVENT_FLOPS, x->flops, x->flops);
    if (o->flags & ISA_MMX) {
        enum p5_event pipe_event =
            in_v ? P5_EVENT_MMX_INSTRUCTIONS_EXECUTED_V_PIPE : P5_EVENT_MMX_INSTRUCTIONS_EXECUTED_U_PIPE;
        count(p, pipe_event, 1, 1);
        if (o->write_mm == 0 && o->read_mm == 0 && !o->memory)
            count(p, P5_EVENT_EMMS_INSTRUCTIONS_EXECUTED, 1, 1);
    }
}

/* An event that U and V can have in one clock: the signal is on for one. */
static void count_in_pair(pipe *p, enum p5_event event, const pipe_insn *u, bool has_u, const pipe_insn *v,
                          bool has_v)
{
    if (has_u) {
        blame(p, u->op);
        count(p, event, 1, 1);
    }
    if (has_v) {
        blame(p, v->op);
        count(p, event, 1, !has_u);
    }
}

static void count_group(pipe *p, const pipe_insn *u, const pipe_insn *v)
{
    if (p->breakpoints) {
        match_breakpoints(p, u, false);
        if (v)
            match_breakpoints(p, v, true);
    }
    if (u->complete) {
        count_in_pair(p, P5_EVENT_INSTRUCTIONS_EXECUTED, u, true, v, v != NULL);
        blame(p, u->op);
        count_insn(p, u, false);
    }
    if (v) {
        blame(p, v->op);
        count(p, P5_EVENT_INSTRUCTIONS_EXECUTED_V_PIPE, 1, 1);
        count_insn(p, v, true);
        if (u->access_count && v->access_count)
            count(p, P5_EVENT_MEMORY_ACCESSES_IN_BOTH_PIPES, 1, 1);
    }
    count_in_pair(p, P5_EVENT_SATURATING_MMX_INSTRUCTIONS_EXECUTED, u, (u->op->flags & ISA_SATURATING) != 0,
                  v, v && (v->op->flags & ISA_SATURATING));
    count_in_pair(p, P5_EVENT_SATURATIONS_PERFORMED, u, u->saturated, v, v && v->saturated);
}

/* What the profile wants to know beyond events: executions, the pipes, pairing. */
static void profile_group(pipe *p, const pipe_insn *u, const pipe_insn *v, unpaired why)
{
    blame(p, u->op);
    if (u->complete) {
        profile_add(p->sink, P5_PROFILE_EXECUTIONS, 1, 1);
        profile_add(p->sink, P5_PROFILE_UNPAIRED + (uint32_t)why, 1, 1);
    }
    if (v) {
        blame(p, v->op);
        profile_add(p->sink, P5_PROFILE_EXECUTIONS, 1, 1);
        profile_add(p->sink, P5_PROFILE_IN_V, 1, 1);
    }
    if (p->sink->watched != P5_PROFILE_NONE)
        profile_boundary(p->sink->core, p->start + (uint64_t)p->now, v ? v->next : u->next);
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
    count(p, P5_EVENT_TRANSITIONS_BETWEEN_MMX_AND_FP_INSTRUCTIONS, 1, 1);
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
            ready = later(ready, p->mmx.ready[i]);
    count(p, P5_EVENT_MMX_MULTIPLY_UNIT_INTERLOCK, (uint64_t)(ready - p->now), (uint64_t)(ready - p->now));
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
            count(p, P5_EVENT_PIPELINE_AGI_STALLS, 1, 1);
        if (agi > agi_u) {
            blame(p, v);
            count(p, P5_EVENT_PIPELINE_AGI_STALLS, 1, !agi_u);
            blame(p, u);
        }
    }
    const op *const pair[2] = {u, v};
    for (unsigned i = 0; i < 2 && pair[i]; i++) {
        if (!(pair[i]->flags & ISA_MMX))
            continue;
        int64_t multiply;
        int64_t mmx = mmx_ready(&p->mmx, pair[i], clock, &multiply);
        holds->multiply = later(holds->multiply, multiply);
        holds->store = later(holds->store, mmx);
        ready = later(ready, mmx);
    }
    return ready;
}

/* Sends `u`, with `v` beside it unless NULL, from D1 at `pull` through EX. `why` is the reason why there is
 * no `v`. */
static void issue(pipe *p, const pipe_insn *u, const pipe_insn *v, int64_t pull, int64_t miss_until,
                  unpaired why)
{
    const op *ou = u->op, *ov = v ? v->op : NULL;
    blame(p, ou);
    if (p->timing->fifo && pull > p->d1_free) /* D1 could have taken something */
        count(p, P5_EVENT_D1_STARVATION_AND_FIFO_IS_EMPTY, (uint64_t)(pull - p->d1_free),
              (uint64_t)(pull - p->d1_free));
    int64_t d2 = later(pull + ou->d1_clocks, p->d2_free);
    entry_holds gap = {.branch = p->refill_until, .fetch = miss_until, .decode = d2 + 1};
    gap.branch = gap.branch < d2 + 1 ? gap.branch : d2 + 1;
    gap.fetch = gap.fetch < d2 + 1 ? gap.fetch : d2 + 1;
    int64_t enter = later(d2 + 1, p->now);
    if (p->refill_taken) {
        count_hidden_interlock(p, ou);
        if (ov)
            count_hidden_interlock(p, ov);
    }
    p->refill_taken = false;
    int64_t ex = operands_ready(p, ou, ov, enter, &gap);
    int64_t largest;
    p5_stall cause = own_gap(p, p->now, ex, &gap, &largest);
    blame(p, ou);

    int64_t begin = ex;
    if ((ou->flags & ISA_SERIALISING) && p->resolver->drained) {
        begin = (int64_t)(p->resolver->drained(p->resolver->context, p->start + (uint64_t)begin) - p->start);
        spend(p, P5_STALL_SERIALISE, (uint64_t)(begin - ex));
    }
    int64_t unfrozen = fpu_ready(&p->fpu, ou, begin);
    if (ov)
        unfrozen = later(unfrozen, fpu_ready(&p->fpu, ov, begin));
    if (unfrozen > begin) {
        spend(p, P5_STALL_FPU, (uint64_t)(unfrozen - begin));
        count(p, P5_EVENT_FLOATING_POINT_STALLS_DURATION, (uint64_t)(unfrozen - begin),
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
        spend(p, P5_STALL_MMX_FP_SWITCH, (uint64_t)lump);
        begin += lump;
    }

    ex_holds held = {0};
    last_access last = {0};
    unsigned clocks_u = (ou->flags & ISA_X87) ? fpu_occupancy(ou, u->clocks) : u->clocks;
    int64_t end_u = execute(p, u, false, begin, clocks_u, &held, &last);
    int64_t end = end_u, end_v = end_u;
    if (v) {
        /* V's first EX clock is the one of U's last data reference: references stay in order, what U does
         * after its last one is shared. */
        int64_t begin_v = last.access ? later(begin, last.clock) : begin;
        const ex_owners alone = p->sink ? own_execution(end_u - begin, &held) : (ex_owners){0};
        blame(p, ov);
        end_v = execute(p, v, true, begin_v, v->clocks, &held, &last);
        end = later(end_u, end_v);
        const ex_owners owners = own_execution(end - begin, &held);
        if (p->sink)
            spend_pair(p, ou, ov, &owners, &alone);
        else
            spend_all(p, &owners);
    } else {
        const ex_owners owners = own_execution(end - begin, &held);
        spend_all(p, &owners);
    }
    p->deltas->clocks += (uint64_t)(end - p->now);
    count_group(p, u, v);

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
        p5_stall hold = main_hold(&held, &hold_clocks);
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
    p->previous_u = p->last_u;
    p->last_u = ou->address;
    p->groups++;
    if (p->sink)
        profile_group(p, u, v, why);
}

/* ---- D1 ------------------------------------------------------------------------------------------------ */

static int64_t pull_clock(const pipe *p, int64_t available)
{
    return later(p->d1_free, available);
}

/* Why the pending instruction and `x` cannot share a clock, or PAIRED. */
static unpaired pair_dynamic(const pipe *p, const pipe_insn *x, int64_t available, int64_t pull,
                             unpaired encoding)
{
    const pipe_pending *pending = &p->pending;
    if (encoding != PAIRED)
        return encoding;
    if (p->control.no_pairing)
        return UNPAIRED_CONTROL;
    if (!pending->end_known && pending->operation.length > 1)
        return UNPAIRED_END_BIT; /* P7 */
    if ((x->op->flags & ISA_MMX) && !(pending->operation.flags & ISA_MMX) &&
        (p->x87_mode == MODE_X87 || p->control.fpu_trap))
        return UNPAIRED_MMX_MODE; /* M6 */
    /* the partner has to be there in the last D1 clock of the first */
    if (available > pull + pending->operation.d1_clocks - 1)
        return UNPAIRED_QUEUE;
    return PAIRED;
}

/* Everything in front of EX is lost; the first fetch of the new stream is at `clock`. */
static void flush(pipe *p, int64_t clock)
{
    prefetch_flush(&p->prefetch, clock);
    fifo_flush(&p->fifo, clock);
    p->d1_free = clock;
    p->d2_free = clock;
}

/* P54C: the BTB is asked with the address of every U instruction. An entry there speaks of the next group; if
 * that has no branch and the entry says taken, the wrong stream has been fetched. Answers whether that was
 * so. */
static bool went_by(pipe *p)
{
    if (!p->timing->end_bits || !p->resolver->passed ||
        !p->resolver->passed(p->resolver->context, p->previous_u))
        return false;
    count(p, P5_EVENT_PIPELINE_FLUSHES, 1, 1);
    flush(p, p->now);
    p->refill_until = p->now + p->timing->depth;
    return true;
}

/* P54C: D1 has read the instruction out of the prefetch buffers. */
static void release(pipe *p, const op *o, int64_t clock)
{
    p->decoded = clock;
    if (!p->timing->fifo)
        prefetch_release(&p->prefetch, o->address, o->length, clock);
}

void pipe_settle(pipe *p)
{
    if (!p->has_pending)
        return;
    release(p, &p->pending.operation, pull_clock(p, p->pending.available));
    p->has_pending = false;
    p->issued_front[0] = p->pending.front;
    issue(p, &p->pending.insn, NULL, pull_clock(p, p->pending.available), p->pending.miss_until,
          UNPAIRED_ALONE);
    went_by(p);
}

static void hold(pipe *p, const pipe_insn *x, int64_t available, bool end_known)
{
    pipe_pending *pending = &p->pending;
    pending->operation = *x->op;
    pending->insn = *x;
    pending->insn.op = &pending->operation;
    for (unsigned i = 0; i < x->access_count && i < 2; i++)
        pending->accesses[i] = x->accesses[i];
    pending->insn.accesses = pending->accesses;
    pending->available = available;
    pending->front = p->front;
    pending->miss_until = p->miss_until;
    pending->end_known = end_known;
    pending->next_unpaired = x->op->next_unpaired;
    p->has_pending = true;
}

/* ---- branches ------------------------------------------------------------------------------------------ */

static void count_return(pipe *p, const branch_answer *a)
{
    count(p, P5_EVENT_RETURNS, 1, 1);
    if (a->return_predicted)
        count(p, P5_EVENT_PREDICTED_RETURNS, 1, 1);
    if (!a->return_predicted || !a->return_right)
        count(p, P5_EVENT_MISPREDICTED_OR_UNPREDICTED_RETURNS, 1, 1);
}

static uint16_t saturate16(uint64_t n)
{
    return n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
}

/* Near branches ask the predictor. A wrong answer is known at the end of EX, for a conditional branch in V
 * one clock later, in WB. */
static void resolve(pipe *p, const pipe_insn *x, bool in_v)
{
    const op *o = x->op;
    branch_query query = {
        .address = o->address,
        .last_byte = o->address + o->length - 1,
        .pair = p->last_u,
        .previous_pair = p->previous_u,
        .target = x->next,
        .fall_through = o->address + o->length,
        .kind = o->branch,
        .taken = x->taken,
        .in_v = in_v,
        .unpaired_chance = p->end_bit_missed,
        .loop_pairs = (uint8_t)(p->branch_pairs + p->groups < 255 ? p->branch_pairs + p->groups : 255),
        .since_last = saturate16(p->branch_since + p->instructions)};
    branch_answer answer = {0};
    p->resolver->branch(p->resolver->context, &query, &answer);
    if (answer.hit)
        count(p, P5_EVENT_BTB_HITS, 1, 1);
    if (answer.hit || x->taken)
        count(p, P5_EVENT_TAKEN_BRANCH_OR_BTB_HIT, 1, 1);
    if (answer.false_entry)
        count(p, P5_EVENT_BTB_FALSE_ENTRIES, 1, 1);
    if (answer.predicted_taken && !x->taken)
        count(p, P5_EVENT_BTB_MISS_PREDICTION_ON_NOT_TAKEN_BRANCH, 1, 1);
    if (o->branch == ISA_RET)
        count_return(p, &answer);
    if (answer.right) {
        if (x->taken) {
            prefetch_redirect(&p->prefetch, p->timing->fifo ? p->fifo.clock : p->decoded);
            fifo_redirect(&p->fifo);
        }
        return;
    }
    bool in_wb = in_v && o->branch == ISA_JCC;
    count(p, P5_EVENT_PIPELINE_FLUSHES, 1, 1);
    count(p, P5_EVENT_PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS, 1, 1);
    if (in_wb)
        count(p, P5_EVENT_PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS_RESOLVED_IN_WB_STAGE, 1, 1);
    bool direct = o->branch == ISA_JMP || o->branch == ISA_CALL;
    int64_t resolved = p->now + in_wb - (direct ? p->timing->direct_early : 0);
    flush(p, resolved);
    p->refill_until = resolved + p->timing->depth;
    p->refill_taken = x->taken && p->timing->errata && mmx_product_awaited(&p->mmx, p->now);
}

static void branch(pipe *p, const pipe_insn *x, bool in_v)
{
    const op *o = x->op;
    p->group_branch = p->groups;
    count(p, P5_EVENT_BRANCHES, 1, 1);
    if (x->taken)
        count(p, P5_EVENT_TAKEN_BRANCHES, 1, 1);
    if (o->branch == ISA_FAR || o->branch == ISA_INT || o->branch == ISA_IRET) {
        if (o->far_return) { /* executed, and not predicted */
            count(p, P5_EVENT_RETURNS, 1, 1);
            count(p, P5_EVENT_MISPREDICTED_OR_UNPREDICTED_RETURNS, 1, 1);
        }
        if (x->taken) /* event 14h is an OR: taken is enough */
            count(p, P5_EVENT_TAKEN_BRANCH_OR_BTB_HIT, 1, 1);
        if (x->taken) /* never predicted; their clocks include the refill */
            flush(p, p->now - p->timing->depth);
        return;
    }
    resolve(p, x, in_v);
}

/* ---- the run ------------------------------------------------------------------------------------------- */

static bool may_wait(const pipe *p, const pipe_insn *x)
{
    return x->op->first && !p->control.no_pairing && x->complete && x->access_count <= 2;
}

/* What follows the issue of `x`, the youngest instruction of its group. */
static void finish(pipe *p, const pipe_insn *x, bool in_v)
{
    blame(p, x->op);
    if (x->op->branch != ISA_NOT_BRANCH) {
        branch(p, x, in_v);
        return;
    }
    went_by(p);
    if (x->op->flags & ISA_SERIALISING) {
        count(p, P5_EVENT_BRANCHES, 1, 1); /* event 12h lists them; their clocks include the refill */
        flush(p, p->now - p->timing->depth);
    } else if (x->op->branch_like) {
        count(p, P5_EVENT_BRANCHES, 1, 1);
    }
    /* Erratum 44: VERR and some segment loads count though nothing is flushed. Which loads is not said; those
     * that read a descriptor are taken. */
    if (p->timing->errata && (x->op->branch_like || (x->op->loads_segment && x->descriptor)))
        count(p, P5_EVENT_PIPELINE_FLUSHES, 1, 1);
}

void pipe_step(pipe *p, const pipe_insn *x)
{
    if (p->has_pending)
        release(p, &p->pending.operation, pull_clock(p, p->pending.available));
    blame(p, x->op);
    int64_t available = fifo_decode(p, x->op);
    bool end_known = !p->timing->end_bits || p->resolver->end_known(p->resolver->context, x->op);
    if (p->has_pending) {
        const pipe_insn *first = &p->pending.insn;
        int64_t pull = pull_clock(p, p->pending.available);
        unpaired encoding = (unpaired)p->pending.next_unpaired;
        if (encoding == UNPAIRED_ALONE)
            encoding = pairing_check(first->op, x->op);
        unpaired why = pair_dynamic(p, x, available, pull, encoding);
        p->has_pending = false;
        p->issued_front[0] = p->pending.front;
        p->issued_front[1] = p->front;
        if (why == PAIRED) {
            p->end_bit_missed = false;
            release(p, x->op, pull + first->op->d1_clocks - 1); /* in the last D1 clock of the first */
            issue(p, first, x, pull, p->pending.miss_until, PAIRED);
            finish(p, x, true);
            return;
        }
        p->end_bit_missed = why == UNPAIRED_END_BIT;
        if (p->timing->fifo && available > pull)
            count(p, P5_EVENT_D1_STARVATION_AND_ONLY_ONE_INSTRUCTION_IN_FIFO, 1, 1);
        issue(p, first, NULL, pull, p->pending.miss_until, why);
        bool flushed = went_by(p);
        blame(p, x->op);
        if (flushed)
            available = fifo_decode(p, x->op); /* what was there of it is lost */
    } else {
        p->end_bit_missed = false;
    }
    if (may_wait(p, x)) {
        hold(p, x, available, end_known);
        return;
    }
    release(p, x->op, pull_clock(p, available));
    p->issued_front[0] = p->front;
    issue(p, x, NULL, pull_clock(p, available), p->miss_until,
          p->control.no_pairing ? UNPAIRED_CONTROL : UNPAIRED_CLASS_U);
    finish(p, x, false);
}

int64_t pipe_next_entry(const pipe_state *s, const timing *t)
{
    /* an instruction that needs no block beyond those at hand, or the first of the new stream */
    int64_t bytes = s->prefetch.clock + (s->prefetch.redirect ? 1 : 0);
    int64_t available = bytes + 1;
    if (t->fifo)
        available = later(later(available, s->fifo.clock + (s->fifo.open ? 0 : 1)), s->fifo.pull[0]) + 1;
    int64_t d2 = later(later(s->d1_free, available) + 1, s->d2_free);
    return later(d2 + 1, 0);
}

/* What the microcode of a delivery does: nothing younger than it is in the pipe, its references come one
 * after the other. */
void pipe_deliver(pipe *p, const p5_access *accesses, uint32_t access_count, unsigned clocks, p5_stall cause)
{
    static const op microcode = {.pair = ISA_NP, .unit = ISA_MICROCODE, .pattern = ACCESS_SERIAL};
    pipe_insn x = {.op = &microcode, .accesses = accesses, .access_count = access_count, .clocks = clocks};
    ex_holds held = {0};
    last_access last = {0};
    int64_t end = execute(p, &x, false, p->now, clocks, &held, &last);
    p->deltas->clocks += (uint64_t)(end - p->now);
    ex_owners owners = own_execution(end - p->now, &held);
    uint64_t own_clocks = clocks;
    owners.of[P5_STALL_ISSUE] -= clocks > 0;
    owners.of[P5_STALL_EXECUTE] -= own_clocks - (clocks > 0);
    owners.of[cause] += own_clocks;
    spend_all(p, &owners);
    p->now = end;
    flush(p, p->now - p->timing->depth);
    p->agi_gpr = 0;
}

/* ---- state --------------------------------------------------------------------------------------------- */

void pipe_reset(pipe_state *state)
{
    memset(state, 0, sizeof *state);
    state->prefetch.redirect = true;
    state->refill_until = -1;
    state->miss_until = -1;
}

/* Times of the front end, relative to `now`. Only differences matter there, and none that is larger than what
 * the four instructions in the FIFO can take to decode: gaps beyond FAR, up to the one before `now`, are
 * shortened to FAR. */
static void close_gaps(int64_t *const times[], unsigned n, int64_t now)
{
    int64_t bound = now;
    for (unsigned done = 0; done < n;) {
        int64_t next = INT64_MIN; /* the latest time not yet looked at */
        for (unsigned i = 0; i < n; i++)
            if (*times[i]<bound && * times[i]> next)
                next = *times[i];
        if (next == INT64_MIN)
            return;
        int64_t gap = bound - next;
        if (gap > FAR) {
            for (unsigned i = 0; i < n; i++)
                if (*times[i] <= next)
                    *times[i] += gap - FAR;
            next += gap - FAR;
        }
        bound = next;
        done++;
    }
}

static int16_t relative(int64_t t, int64_t now)
{
    int64_t r = t - now;
    return (int16_t)(r < INT16_MIN ? INT16_MIN : r > INT16_MAX ? INT16_MAX : r);
}

/* Times that cannot matter before `now`, e.g. of results. */
static int16_t relative_ready(int64_t t, int64_t now)
{
    return (int16_t)(t <= now - 1 ? -1 : t - now > INT16_MAX ? INT16_MAX : t - now);
}

void pipe_begin(pipe *p, const timing *t, const pipe_state *s, uint64_t start, uint32_t address,
                const pipe_resolver *resolver, pipe_deltas *deltas)
{
    p->timing = t;
    p->resolver = resolver;
    p->deltas = deltas;
    p->start = start;
    p->now = 0;
    p->d1_free = s->d1_free;
    p->d2_free = s->d2_free;
    p->prefetch.clock = s->prefetch.clock;
    p->prefetch.used = s->prefetch.used;
    p->prefetch.redirect = s->prefetch.redirect;
    p->prefetch.block = (address - 1) / PREFETCH_BLOCK;
    for (unsigned i = 0; i < PREFETCH_PARTS; i++) {
        p->prefetch.part[i] = s->prefetch.part[i];
        p->prefetch.line[i] = s->prefetch.line[i];
        p->prefetch.freed[i] = s->prefetch.freed[i];
        p->fifo.pull[i] = s->fifo.pull[i];
    }
    p->fifo.clock = s->fifo.clock;
    p->fifo.open = s->fifo.open;
    for (unsigned i = 0; i < FPU_REGISTERS; i++) {
        p->fpu.st[i] = s->fpu.st[i];
        p->mmx.ready[i] = s->mmx.ready[i];
    }
    p->fpu.issue = s->fpu.issue;
    p->fpu.multiplier = s->fpu.multiplier;
    p->fpu.idle = s->fpu.idle;
    p->fpu.status = s->fpu.status;
    p->fpu.integer = s->fpu.integer;
    p->refill_until = s->refill_until;
    p->miss_until = s->miss_until;
    p->agi_gpr = s->agi_gpr;
    p->x87_mode = s->x87_mode;
    p->end_bit_missed = s->end_bit_missed;
    p->refill_taken = s->refill_taken;
    p->groups = 0;
    p->instructions = 0;
    p->group_branch = 0;
}

static void raise(int64_t *t, int64_t least)
{
    *t = *t < least ? least : *t;
}

/* Brings times that cannot matter any more to one value, so that equal situations look equal. */
static void normalise(pipe *p)
{
    prefetch *f = &p->prefetch;
    int64_t decoded =
        p->timing->fifo ? p->fifo.clock : p->d1_free; /* bytes that came before this are as good as any */
    for (unsigned i = 0; i < PREFETCH_PARTS; i++) {
        if (f->redirect) /* a redirected stream refetches what it needs */
            f->part[i] = f->line[i] = decoded - 1;
        raise(&f->part[i], decoded - 1);
        raise(&f->line[i], decoded - 1);
        raise(&f->freed[i], f->clock);
    }
    for (unsigned i = 0; i < FIFO_DEPTH; i++)
        raise(&p->fifo.pull[i], p->fifo.clock);
    if (p->now - f->clock <= FAR && p->now - p->fifo.clock <= FAR && p->now - p->d1_free <= FAR &&
        p->now - p->d2_free <= FAR && !(p->has_pending && p->now - p->pending.available > FAR))
        return;
    enum { OTHERS = 5 };
    int64_t *times[OTHERS + 3 * PREFETCH_PARTS + FIFO_DEPTH];
    unsigned n = 0;
    times[n++] = &f->clock;
    times[n++] = &p->fifo.clock;
    times[n++] = &p->d1_free;
    times[n++] = &p->d2_free;
    if (p->has_pending)
        times[n++] = &p->pending.available;
    for (unsigned i = 0; i < PREFETCH_PARTS; i++) {
        times[n++] = &f->part[i];
        times[n++] = &f->line[i];
        times[n++] = &f->freed[i];
    }
    for (unsigned i = 0; i < FIFO_DEPTH; i++)
        times[n++] = &p->fifo.pull[i];
    close_gaps(times, n, p->now);
}

int64_t pipe_end(pipe *p, pipe_state *s)
{
    int64_t now = p->now;
    if (!p->timing->fifo) {
        p->fifo.clock = p->d1_free;
        p->fifo.open = false;
        for (unsigned i = 0; i < FIFO_DEPTH; i++)
            p->fifo.pull[i] = p->d1_free;
    }
    normalise(p);
    memset(s, 0, sizeof *s);
    s->d1_free = relative(p->d1_free, now);
    s->d2_free = relative(p->d2_free, now);
    s->prefetch.clock = relative(p->prefetch.clock, now);
    s->prefetch.used = p->prefetch.used;
    s->prefetch.redirect = p->prefetch.redirect;
    for (unsigned i = 0; i < PREFETCH_PARTS; i++) {
        s->prefetch.part[i] = relative(p->prefetch.part[i], now);
        s->prefetch.line[i] = relative(p->prefetch.line[i], now);
        s->prefetch.freed[i] = relative(p->prefetch.freed[i], now);
    }
    s->fifo.clock = relative(p->fifo.clock, now);
    s->fifo.open = p->fifo.open;
    for (unsigned i = 0; i < FIFO_DEPTH; i++)
        s->fifo.pull[i] = relative(p->fifo.pull[i], now);
    for (unsigned i = 0; i < FPU_REGISTERS; i++) {
        s->fpu.st[i] = relative_ready(p->fpu.st[i], now);
        s->mmx.ready[i] = relative_ready(p->mmx.ready[i], now);
    }
    s->fpu.issue = relative_ready(p->fpu.issue, now);
    s->fpu.multiplier = relative_ready(p->fpu.multiplier, now);
    s->fpu.idle = relative_ready(p->fpu.idle, now);
    s->fpu.status = relative_ready(p->fpu.status, now);
    s->fpu.integer = relative_ready(p->fpu.integer, now);
    s->refill_until = relative_ready(p->refill_until, now);
    s->miss_until = relative_ready(p->miss_until, now);
    s->agi_gpr = p->agi_gpr;
    s->x87_mode = p->x87_mode;
    s->end_bit_missed = p->end_bit_missed;
    s->refill_taken = p->refill_taken;
    if (p->has_pending) {
        p->pending.available -= now;
        p->pending.miss_until -= now;
        p->pending.front.fetched -= now;
        p->pending.front.f -= now;
    }
    p->start += (uint64_t)now;
    p->now = 0;
    return now;
}
