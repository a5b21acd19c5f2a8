#include "core/pipe/pipe_internal.h"

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

/* What the memory side wants to know of the reference before. One to a port is none. */
static unsigned partner_of(const last_access *last, const p5_access *a)
{
    if ((last->access->flags & P5_ACCESS_IO) != 0)
        return 0;
    bool same_kind = ((last->access->flags ^ a->flags) & P5_ACCESS_WRITE) == 0;
    return PARTNER | (same_kind ? PARTNER_SAME_KIND : 0u) | (last->missed ? PARTNER_MISSED : 0u);
}

/* Events of `n` references like `a` that hit. `partner`: another one was counted in the clock of each. */
static inline void count_hits(pipe *p, const p5_access *a, bool mmx, unsigned partner, unsigned n)
{
    bool write = (a->flags & P5_ACCESS_WRITE) != 0;
    pipe_count(p, write ? P5_EVENT_DATA_WRITE : P5_EVENT_DATA_READ, n, partner & PARTNER_SAME_KIND ? 0 : n);
    pipe_count(p, P5_EVENT_DATA_READ_OR_WRITE, n, partner & PARTNER ? 0 : n);
    if (write)
        pipe_count(p, P5_EVENT_WRITE_HIT_TO_M_OR_E_STATE_LINES, n,
                   (partner & (PARTNER_SAME_KIND | PARTNER_MISSED)) != PARTNER_SAME_KIND ? n : 0);
    if (mmx)
        pipe_count(p, write ? P5_EVENT_MMX_INSTRUCTION_DATA_WRITES : P5_EVENT_MMX_INSTRUCTION_DATA_READS, n,
                   n);
}

/* Iterations that `n` references of a REP string are. */
static inline unsigned iterations(const op *o, unsigned n)
{
    return o->rep_accesses == 2 ? n / 2 : n;
}

/* EX clock (from 0) in which reference `j` of `n` of an instruction that takes `clocks` falls. */
static inline unsigned access_clock(const op *o, unsigned j, unsigned n, unsigned clocks)
{
    const unsigned last = clocks > 0 ? clocks - 1 : 0;
    unsigned at;
    switch (o->pattern) {
    case ACCESS_TWO:
        at = j / 2;
        break;
    case ACCESS_REP: /* behind the set-up */
        at = o->clocks + iterations(o, j) * o->rep_clocks;
        break;
    default:
        at = n > 1 ? (unsigned)((uint64_t)j * last / (n - 1)) : o->access_first;
    }
    return at < last ? at : last;
}

/* Iterations of a REP string whose references, from `j` on, have their usual answers: they are made at one
 * go. Of two references an iteration reads and writes; two reads may meet in one bank. */
static unsigned refer_string(pipe *p, const pipe_insn *x, unsigned j, int64_t begin, unsigned clocks,
                             last_access *last)
{
    const op *o = x->op;
    const p5_access *a = &x->accesses[j];
    const unsigned each = o->rep_accesses, before = o->clocks + iterations(o, j) * o->rep_clocks;
    if (before + 1 >= clocks || (each == 2 && (a[0].flags ^ a[1].flags) != P5_ACCESS_WRITE))
        return 0;
    unsigned most = iterations(o, x->access_count - j), room = (clocks - 2 - before) / o->rep_clocks + 1;
    if (most > room)
        most = room;
    const uint64_t first = p->start + (uint64_t)begin + before;
    unsigned n = iterations(o, p->resolver->string(p->resolver->context, a, most * each, first,
                                                   first + (uint64_t)(most - 1) * o->rep_clocks));
    if (n == 0)
        return 0;
    count_hits(p, &a[0], false, 0, n);
    if (each == 2)
        count_hits(p, &a[1], false, PARTNER, n);
    *last = (last_access){.access = &a[n * each - 1],
                          .clock = begin + before + (int64_t)(n - 1) * o->rep_clocks,
                          .second = each == 2};
    return n;
}

/* Makes reference `j` of `n`, as pipe_refer, of which those before have added `shift`; answers what all of
 * them have. */
static inline __attribute__((always_inline)) int64_t refer(pipe *p, const pipe_insn *x, unsigned j,
                                                           unsigned n, bool in_v, int64_t begin,
                                                           int64_t shift, unsigned clocks, ex_holds *holds,
                                                           last_access *last)
{
    const op *o = x->op;
    const p5_access *a = &x->accesses[j];
    const bool mmx = (o->flags & ISA_MMX) != 0;
    const unsigned how = (in_v ? HOW_V_PIPE : 0u) | (mmx ? HOW_MMX : 0u) | o->lock * (unsigned)HOW_LOCK;
    unsigned partner = 0;
    int64_t at = begin + shift + access_clock(o, j, n, clocks);
    bool conflict = false;
    if (last->access && last->clock == at && !last->second && o->pattern != ACCESS_SERIAL) {
        /* REP CMPS reads both strings at once: measured 5 instead of 4 */
        const bool copies = o->pattern == ACCESS_REP && (last->access->flags ^ a->flags) & P5_ACCESS_WRITE;
        conflict = !copies && banks_conflict(last->access, a);
        if (!conflict)
            partner = partner_of(last, a);
    }
    if (conflict) {
        holds->bank++;
        pipe_count(p, P5_EVENT_BANK_CONFLICTS, 1, 1);
        shift++;
        at++;
    }
    data_answer answer;
    last->missed = false;
    if (p->resolver->data(p->resolver->context, a, p->start + (uint64_t)at, how | partner, &answer)) {
        count_hits(p, a, mmx, partner, 1);
    } else {
        last->missed = !answer.hit;
        int64_t wait = (int64_t)(answer.done - p->start) - at;
        if (p->timing->errata && conflict && wait > 0) /* looked at again when the access is repeated */
            pipe_count(p, P5_EVENT_BANK_CONFLICTS, 1, 1);
        if (p->timing->errata && answer.is_misaligned && o->fst)
            pipe_count(p, P5_EVENT_MISALIGNED_DATA_MEMORY_OR_IO_REFERENCES, 1, 1);
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
    last->second = partner != 0;
    last->access = a;
    last->clock = at;
    return shift;
}

int64_t pipe_refer(pipe *p, const pipe_insn *x, bool in_v, int64_t begin, unsigned clocks, ex_holds *holds,
                   last_access *last)
{
    const unsigned n = x->access_count, each = x->op->rep_accesses;
    if (n == 1)
        return refer(p, x, 0, 1, in_v, begin, 0, clocks, holds, last);
    const bool string = x->op->pattern == ACCESS_REP && p->resolver->string != NULL;
    int64_t shift = 0;
    for (unsigned j = 0; j < n; j++) {
        /* behind one that missed the next seldom hits */
        if (string && !last->missed && (j & (each - 1)) == 0)
            j += refer_string(p, x, j, begin + shift, clocks, last) * each;
        if (j < n)
            shift = refer(p, x, j, n, in_v, begin, shift, clocks, holds, last);
    }
    return shift;
}

/* Hands `clocks` to a cause, as far as `left` goes: delays of U and V may overlap, clocks do not. */
static inline void own(uint64_t *owners, p5_stall cause, uint64_t clocks, int64_t *left)
{
    uint64_t n = clocks < (uint64_t)*left ? clocks : (uint64_t)*left;
    owners[cause] += n;
    *left -= (int64_t)n;
}

ex_owners pipe_own_execution(int64_t clocks, const ex_holds *h)
{
    ex_owners owners = {0};
    int64_t left = clocks;
    own(owners.of, P5_STALL_ISSUE, 1, &left);
    own(owners.of, P5_STALL_DATA_TLB, h->tlb, &left);
    own(owners.of, P5_STALL_DATA_READ, h->read, &left);
    own(owners.of, P5_STALL_MISALIGNED, h->misaligned, &left);
    own(owners.of, P5_STALL_WRITE_BUFFER, h->write_buffer, &left);
    own(owners.of, P5_STALL_WRITE_ORDER, h->write_order, &left);
    own(owners.of, P5_STALL_LOCKED, h->locked, &left);
    own(owners.of, P5_STALL_IO, h->io, &left);
    own(owners.of, P5_STALL_BANK_CONFLICT, h->bank, &left);
    owners.of[P5_STALL_EXECUTE] += (uint64_t)left;
    return owners;
}

void pipe_spend_all(pipe *p, const ex_owners *owners)
{
    for (unsigned cause = 0; cause < P5_STALL_COUNT; cause++)
        if (owners->of[cause] != 0)
            pipe_spend(p, (p5_stall)cause, owners->of[cause]);
}

void pipe_spend_pair(pipe *p, const op *u, const op *v, const ex_owners *pair, const ex_owners *alone)
{
    ex_owners of_u, of_v;
    for (unsigned cause = 0; cause < P5_STALL_COUNT; cause++) {
        of_u.of[cause] = alone->of[cause] < pair->of[cause] ? alone->of[cause] : pair->of[cause];
        of_v.of[cause] = pair->of[cause] - of_u.of[cause];
    }
    pipe_blame(p, v);
    pipe_spend_all(p, &of_v);
    pipe_blame(p, u);
    pipe_spend_all(p, &of_u);
}

p5_stall pipe_main_hold(const ex_holds *h, uint32_t *clocks)
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
