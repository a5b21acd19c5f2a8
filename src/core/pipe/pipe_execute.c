/* EX: waits of data references, references of REP strings, and the causes that own the clocks of EX. */
#include "core/pipe/pipe_execute.h"

#include <assert.h>

/* Does pipe_add_hold for a result that does not fit into a word. */
static int64_t __attribute__((noinline)) add_long(ex_holds *held, uint64_t asked, const data_answer *answer)
{
    assert(answer->done >= asked);
    held->tlb += answer->tlb;
    held->read += answer->read;
    held->misaligned += answer->misaligned;
    held->write_buffer += answer->write_buffer;
    held->write_order += answer->write_order;
    held->locked += answer->locked;
    held->io += answer->io;
    return (int64_t)(answer->done - asked);
}

int64_t pipe_add_hold(ex_holds *held, uint64_t asked, uint64_t word, const data_answer *answer)
{
    if (__builtin_expect(word == DATA_LONG, 0))
        return add_long(held, asked, answer);
    const uint32_t read = data_word_clocks(word, 0), buffer = data_word_clocks(word, 1);
    const uint32_t order = data_word_clocks(word, 2), page = data_word_clocks(word, 3);
    const uint32_t misaligned = data_word_misaligned_clocks(word);
    held->read += read;
    held->write_buffer += buffer;
    held->write_order += order;
    held->tlb += page;
    held->misaligned += misaligned;
    return read + buffer + order + page + misaligned;
}

int64_t pipe_record_wait(pipe *p, const op *o, uint64_t asked, uint64_t word, const data_answer *answer,
                         bool conflict)
{
    const int64_t wait = pipe_add_hold(&p->held, asked, word, answer);
    p->is_held = true;
    if (p->timing->errata && conflict && wait > 0) /* the repeated access meets the conflict again */
        pipe_count(p, P5_EVENT_BANK_CONFLICTS, 1, 1);
    if (p->timing->errata && o->fst && data_is_misaligned(word, answer))
        pipe_count(p, P5_EVENT_MISALIGNED_DATA_MEMORY_OR_IO_REFERENCES, 1, 1);
    return wait;
}

/* Makes the references of as many iterations of a REP string as have clocks of their own within `clocks`, and returns
 * the number of these references; 0 if they have to be made one by one. EX begins at `begin`. `*shift`: the clocks
 * that all of them waited. An iteration with two references must read and write, because two reads may use the same
 * bank. */
static unsigned refer_string(pipe *p, const pipe_insn *x, int64_t begin, unsigned clocks, int64_t *shift)
{
    const op *o = x->op;
    const p5_access *a = x->accesses;
    const unsigned each = o->rep_accesses, all = iterations(o, x->access_count);
    if (all == 0 || o->clocks + 1u >= clocks || (o->flags & ISA_IO) ||
        (each == 2 && (a[0].flags ^ a[1].flags) != P5_ACCESS_WRITE))
        return 0;
    /* Iteration i is made in clock o->clocks + i * rep_clocks, which must be before the last clock (access_clock). */
    const unsigned fitting = (clocks - 2 - o->clocks) / o->rep_clocks + 1;
    pipe_string s = {.accesses = a,
                     .each = each,
                     .iterations = all < fitting ? all : fitting,
                     .step = o->rep_clocks,
                     .asked = p->start + (uint64_t)begin + o->clocks,
                     .held = p->held};
    if (!p->resolver->string(p->resolver->context, &s))
        return 0;
    count_hits(p, false, &a[0], 0, s.hits[0]);
    if (each == 2)
        count_hits(p, false, &a[1], PARTNER, s.hits[1]);
    p->held = s.held;
    p->is_held |= s.waited != 0;
    *shift = s.waited;
    return s.iterations * each;
}

int64_t pipe_refer(pipe *p, const in_ex *x, last_access *last)
{
    const bool string = x->insn->op->pattern == ACCESS_REP && p->resolver->string != NULL;
    int64_t shift = 0;
    unsigned j = string ? refer_string(p, x->insn, x->begin, x->clocks, &shift) : 0;
    for (; j < x->insn->access_count; j++)
        shift = refer(p, false, x, j, shift, last);
    return shift;
}

/* Attributes `clocks`, but at most `*left`, to a cause, and reduces `*left`. Delays of U and V may overlap, but clocks
 * are attributed once. */
static inline void own(uint64_t *owners, p5_stall cause, uint64_t clocks, int64_t *left)
{
    assert(*left >= 0);
    uint64_t n = clocks < (uint64_t)*left ? clocks : (uint64_t)*left;
    owners[cause] += n;
    *left -= (int64_t)n;
}

ex_owners pipe_own_execution(int64_t clocks, bool issues, const ex_holds *h)
{
    assert(clocks >= 0);
    ex_owners owners = {0};
    int64_t left = clocks;
    own(owners.of, P5_STALL_ISSUE, issues, &left);
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
