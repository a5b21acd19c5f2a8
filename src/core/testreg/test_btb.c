/* Reads and writes of branch target buffer entries by the test registers TR9 to TR11. Commands are passed on to
 * the checking core (core->exact), if there is one. */
#include "core/planted/planted.h"
#include "core/replay/memo.h"
#include "core/testreg/test_access.h"

/* TR9:  P54C  31..6 tag, 1..0 history (the two-bit state)
 *       P55C  31..8 tag, 7..6 offset, 5 valid, 4 prediction, 3..0 history */
void test_btb_write(void *context, const test_btb_entry *from)
{
    p5_core *core = context;
    btb *b = &core->predictor->btb;
    memo_settle(core);
    /* The test registers hold only a part of an entry. The rest is kept, above all the counters from which the
     * history selects one. */
    btb_raw entry = btb_get(b, from->set, from->bank, from->way);
    entry.target = from->target;
    if (btb_by_pairs(b)) {
        entry.tag = from->tag & ~63u;
        entry.state = (uint8_t)(from->tag & 3);
        entry.valid = true;
    } else {
        entry.tag = from->tag & ~255u;
        entry.offset = (uint8_t)(from->tag >> 6 & 3);
        entry.valid = (from->tag >> 5 & 1) != 0;
        entry.prediction = entry.stale_prediction = (from->tag >> 4 & 1) != 0;
        entry.history = (uint8_t)(from->tag & 15);
        entry.type = from->type & 3;
    }
    btb_put(b, from->set, from->bank, from->way, &entry);
    memory_forget_hits(core->memory);
    if (core->exact)
        test_btb_write(core->exact, from);
}

void test_btb_read(void *context, test_btb_entry *entry, bool tag_only)
{
    (void)tag_only; /* the registers themselves choose the fields that they show */
    p5_core *core = context;
    btb *b = &core->predictor->btb;
    test_issue_waiting(core);
    btb_raw found = btb_get(b, entry->set, entry->bank, entry->way);
    entry->target = found.target;
    entry->type = found.type;
    if (btb_by_pairs(b))
        entry->tag = found.tag | found.state;
    else
        entry->tag = found.tag | (uint32_t)found.offset << 6 | (uint32_t)found.valid << 5 |
                     (uint32_t)found.prediction << 4 | found.history;
}

void test_btb_flush(void *context)
{
    p5_core *core = context;
    memo_settle(core);
    predictor_flush(core->predictor);
    memory_forget_hits(core->memory);
    if (core->exact)
        test_btb_flush(core->exact);
}
