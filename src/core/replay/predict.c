/* Prediction ahead of pricing: what every branch of the P55C was told, in the order of execution.
 *
 * Its entry in the BTB is found by the branch's own address (241428, 2.2), and what is learned depends on the
 * branches executed and the instructions between them, not on clocks or pairing. So nothing that the pipe
 * does comes into it, and it can be found out before, for many stretches, by another thread than that of the
 * pipe. On the P54C a branch is looked up by the pair before it: the pipe asks (predictor_pairs.h). */
#include <string.h>

#include "core/core.h"
#include "core/internal.h"
#include "core/branch/predictor_fast.h"

static branch_query query_of(const p5_block *block, uint32_t next, bool taken, uint64_t since_last)
{
    return (branch_query){.address = block->ran->address,
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
    ran->jcc_place = ran->other_place = BRANCH_NOWHERE;
    ran->absent = entry == NULL ? b->changes[ran->set] : 0;
    if (predictor_is_own(b, entry, query)) {
        ran->entry = entry;
        *(query->kind == ISA_JCC ? &ran->jcc_place : &ran->other_place) = btb_place(entry);
    }
    return prediction;
}

/* There is no entry, as the set has not changed since one was looked for in vain; not taken, nothing is
 * learned or used. */
static inline bool is_absent(const btb *b, const branch_run *ran, bool taken)
{
    return !taken && ran->absent == b->changes[ran->set];
}

/* It is no conditional branch with an entry of its own. */
static inline unsigned predict_other(predictor *p, const p5_block *block, uint32_t next)
{
    if (!block->near)
        return NOT_PREDICTED;
    branch_run *ran = block->ran;
    uint64_t since_last = p->now - ran->instructions;
    ran->instructions = p->now;
    bool taken = block_taken(block, next), overflow;
    if (is_absent(&p->btb, ran, taken))
        return PREDICTED_NOTHING;
    const branch_query query = query_of(block, next, taken, since_last);
    if (btb_place(ran->entry) != ran->other_place)
        return search(p, ran, &query);
    ran->entry->used = p->now;
    return predictor_own(p, &query, ran->entry, &overflow);
}

/* The branch of `block`, if it ends in one, which went to `next`, `now` instructions up to it. */
static inline __attribute__((always_inline)) p5_prediction predict(predictor *p, const p5_block *block,
                                                                   uint32_t next, uint64_t now)
{
    branch_run *ran = block->ran;
    btb_entry *entry = ran->entry;
    if (__builtin_expect(btb_place(entry) == ran->jcc_place, 1)) {
        uint64_t since_last = now - ran->instructions;
        ran->instructions = entry->used = now;
        if (entry->steady && next == entry->target)
            return OWN_PREDICTED_TAKEN | OWN_TAKEN;
        return (p5_prediction)predictor_own_jcc(p, entry, next != block->fall_through, next, false,
                                                since_last);
    }
    p->now = now;
    return (p5_prediction)predict_other(p, block, next);
}

p5_prediction core_predict(p5_core *core, const p5_retired *r)
{
    predictor *p = core->predictor;
    const p5_block *block = r->block;
    if (core->timing.btb_by_pairs || r->count == 0)
        return NOT_PREDICTED;
    p->now += (uint64_t)r->count - r->interrupted;
    return r->first + r->count == block->count ? predict(p, block, r->next, p->now) : NOT_PREDICTED;
}

void core_predict_blocks(p5_core *core, const p5_retired_block *blocks, size_t count,
                         p5_prediction *predictions)
{
    predictor *p = core->predictor;
    if (core->timing.btb_by_pairs) {
        memset(predictions, NOT_PREDICTED, count * sizeof *predictions);
        return;
    }
    for (const p5_retired_block *b = blocks, *end = b + count; b < end; b++)
        __builtin_prefetch(b->block->ran); /* before its turn: with much code it is in no cache of the host */
    uint64_t now = p->now;
    for (const p5_retired_block *b = blocks, *end = b + count; b < end; b++) {
        const p5_block *block = b->block;
        now += block->count;
        *predictions++ = predict(p, block, b->next, now);
    }
    p->now = now;
}
