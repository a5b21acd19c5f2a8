/* What the core's TLBs, caches and branch target buffer contain, for display. */
#include "core/core.h"
#include "core/internal.h"

unsigned core_translations(const p5_core *core, bool code, p5_translation entries[CORE_TRANSLATIONS])
{
    _Static_assert((int)CORE_TRANSLATIONS == (int)TLB_ENTRIES, "a TLB's entries");
    /* false: without the P54C's separate TLB for data pages of 4 MB */
    const tlb *t = code ? memory_code_tlb(core->memory) : memory_data_tlb(core->memory, false);
    const unsigned count = tlb_size(t);
    for (unsigned i = 0; i < count; i++) {
        const tlb_entry e = tlb_get(t, i);
        entries[i] = (p5_translation){.size = sizeof(p5_translation),
                                      .linear = e.linear,
                                      .physical = e.physical,
                                      .valid = e.valid,
                                      .code = code,
                                      .large = e.large,
                                      .supervisor = (e.attributes & TLB_SUPERVISOR) != 0,
                                      .writable = (e.attributes & TLB_WRITABLE) != 0,
                                      .dirty = e.dirty,
                                      .cache_disable = (e.attributes & TLB_CACHE_DISABLE) != 0,
                                      .write_through = (e.attributes & TLB_WRITE_THROUGH) != 0};
    }
    return count;
}

core_lines core_count_lines(const p5_core *core)
{
    const memory *m = core->memory;
    core_lines lines = {.code_lines = CACHE_SETS * memory_model(m)->code_cache.ways};
    unsigned *by_state[] = {[MESI_MODIFIED] = &lines.modified,
                            [MESI_EXCLUSIVE] = &lines.exclusive,
                            [MESI_SHARED] = &lines.shared,
                            [MESI_INVALID] = &lines.invalid};
    for (unsigned set = 0; set < CACHE_SETS; set++) {
        for (unsigned way = 0; way < memory_model(m)->data_cache.ways; way++)
            ++*by_state[memory_line_state(m, set, way)];
        for (unsigned way = 0; way < CACHE_WAYS; way++) /* ways that the model lacks have no tag */
            lines.code += memory_tags(m, true, set)[way] != CACHE_NO_TAG;
    }
    return lines;
}

unsigned core_btb(const p5_core *core, core_btb_entry entries[CORE_BTB_SETS * CORE_BTB_WAYS])
{
    _Static_assert((int)CORE_BTB_SETS == (int)BTB_SETS && (int)CORE_BTB_WAYS == (int)BTB_WAYS,
                   "the BTB's size");
    const btb *b = &core->predictor->btb;
    bool pairs = btb_by_pairs(b);
    unsigned count = 0;
    for (unsigned n = 0; n < BTB_ENTRIES; n++) {
        unsigned set = n / BTB_WAYS, way = n % BTB_WAYS;
        const btb_raw raw = btb_raw_of(b, n), *e = &raw;
        /* the P54C predicts as if an entry in state 0 were absent */
        if (!e->valid || (pairs && e->state == 0))
            continue;
        /* the low bits of the key that led to this set: of the pair's address (P54C), or of the address of the
         * branch's last byte, bits 7-4 of which select the set and bits 3-2 the bank (P55C) */
        uint32_t low = pairs ? set : (set >> 2) << 4 | (set & 3) << 2 | e->offset;
        entries[count++] =
            (core_btb_entry){.set = set,
                             .way = way,
                             .key = e->tag | low,
                             .target = e->target,
                             .taken = pairs ? e->state >= 2 : e->type != BTB_JCC || e->prediction,
                             .detail = pairs ? e->state : e->history,
                             .type = e->type}; /* P55C only */
    }
    return count;
}
