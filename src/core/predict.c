/* Prediction ahead of pricing: what every branch of the P55C was told, in the order of execution.
 *
 * Its entry in the BTB is found by the branch's own address (241428, 2.2), and what is learned depends on the
 * branches executed and the instructions between them, not on clocks or pairing. So nothing that the pipe
 * does comes into it, and it can be found out before, for many stretches, by another thread than that of the
 * pipe. On the P54C a branch is looked up by the pair before it: the pipe asks (predictor_pairs.h). */
#include <string.h>

#include "core/core_internal.h"
#include "core/predictor_fast.h"

static branch_query query_of(const p5_block *block, uint32_t next, bool taken, uint64_t since_last)
{
    return (branch_query){.address = block->branch_address,
                          .last_byte = block->fall_through - 1,
                          .target = next,
                          .fall_through = block->fall_through,
                          .kind = block->branch_kind,
                          .taken = taken,
                          .since_last = since_last};
}

/* The branch's own entry is not where it was. */
static unsigned __attribute__((noinline)) search(predictor *p, branch_run *ran, const branch_query *query)
{
    btb *b = &p->btb;
    bool overflow;
    unsigned prediction = predictor_near(p, query, &overflow);
    btb_entry *entry = btb_find(b, query->last_byte);
    ran->set = (uint8_t)btb_set(b, query->last_byte);
    ran->place = BRANCH_NOWHERE;
    ran->absent = entry == NULL ? b->changes[ran->set] : 0;
    if (predictor_is_own(b, entry, query)) {
        ran->entry = entry;
        ran->place = btb_place(entry);
        ran->used = b->used[entry - b->entry[ran->set]];
        ran->is_jcc = query->kind == ISA_JCC;
    }
    return prediction;
}

/* There is no entry, as the set has not changed since one was looked for in vain; not taken, nothing is
 * learned or used. */
static inline bool is_absent(const btb *b, const branch_run *ran, bool taken)
{
    return !taken && ran->absent == b->changes[ran->set];
}

/* The branch of `block`, which went to `next`, `executed` instructions up to it. */
static inline __attribute__((always_inline)) unsigned predict_near(predictor *p, const p5_block *block,
                                                                   uint32_t next, uint64_t executed)
{
    branch_run *ran = block->ran;
    uint64_t since_last = executed - ran->instructions;
    ran->instructions = executed;
    bool own = btb_place(ran->entry) == ran->place;
    if (__builtin_expect(own, 1)) {
        btb_used_as(&p->btb, ran->set, ran->used);
        if (__builtin_expect(ran->is_jcc, 1))
            return predictor_own_jcc(p, ran->entry, next != block->fall_through, next, false, since_last);
    }
    bool taken = block_taken(block, next), overflow;
    if (!own && is_absent(&p->btb, ran, taken))
        return PREDICTED_NOTHING;
    const branch_query query = query_of(block, next, taken, since_last);
    return own ? predictor_own(p, &query, ran->entry, &overflow) : search(p, ran, &query);
}

p5_prediction p5_core_predict(p5_core *core, const p5_retired *r)
{
    predictor *p = core->predictor;
    const p5_block *block = r->block;
    if (core->timing.btb_by_pairs || r->count == 0)
        return NOT_PREDICTED;
    p->executed += (uint64_t)r->count - r->interrupted;
    if (r->first + r->count != block->count || !block->near)
        return NOT_PREDICTED;
    return (p5_prediction)predict_near(p, block, r->next, p->executed);
}

void p5_core_predict_blocks(p5_core *core, const p5_retired_block *blocks, size_t count,
                            p5_prediction *predictions)
{
    predictor *p = core->predictor;
    if (core->timing.btb_by_pairs) {
        memset(predictions, NOT_PREDICTED, count * sizeof *predictions);
        return;
    }
    uint64_t executed = p->executed;
    for (const p5_retired_block *b = blocks, *end = b + count; b < end; b++) {
        const p5_block *block = b->block;
        executed += block->count;
        *predictions++ =
            block->near ? (p5_prediction)predict_near(p, block, b->next, executed) : NOT_PREDICTED;
    }
    p->executed = executed;
}
