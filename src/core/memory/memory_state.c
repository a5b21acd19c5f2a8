/* Snapshots of the memory side. A table (base/snapshot.h) names each member and its permitted values. FIELD_DERIVED
 * members are not saved: they follow from the model, the control inputs and the other structures. */
#include "core/memory/memory.h"
#include "core/memory/memory_system.h"

/* The line is a multiple of 32, or 1 before the first fill: hence the mask. */
static const snapshot_table line_fill_state = {
    SNAPSHOT(line_fill, "line_fill", FIELD_BITS(0xffffffe1u, line), FIELD_TIME(done))};

const snapshot_table memory_state = {SNAPSHOT(
    memory, "memory", FIELD_TABLE(&data_cache_state, data), FIELD_TABLE(&tlb_state, data_tlb),
    FIELD_DERIVED(read_idle, write_idle, paging, separate_large, code_tlb_splits, fill_mask, cacheable_ram),
    FIELD_TABLE(&code_cache_state, code), FIELD_TABLE(&tlb_state, code_tlb),
    FIELD_TABLE(&line_fill_state, data_fill, code_fill), FIELD_TIME_OF([0], code_parts),
    FIELD_TABLE(&agent_state, agent), FIELD_TABLE(&tlb_state, data_tlb_large),
    FIELD_TABLE(&write_buffer_state, writes), FIELD_TIME(locked_read, ewbe_at),
    FIELD_DERIVED(ewbe_clocks, bus, model, hooks, totals, uses, own_uses, special, totals_replaced, class,
                  long_answer, no_data_fill, no_code_fill, cache_disable, not_write_through, loses_mmx_writes,
                  observer, arrays, page_bits))};

/* Saves or loads the memory side. Before saving, counts and LRU bits are brought into the saved form; after loading,
 * what is derived from saved members is computed. */
void memory_transfer(memory *m, snapshot *s)
{
    if (!s->loading) {
        memory_fold(m);
        tlb_store(&m->data_tlb);
        tlb_store(&m->data_tlb_large);
        tlb_store(&m->code_tlb);
    }
    snapshot_state(s, &memory_state, m);
    bus_transfer(&m->bus, s);
    if (!s->loading || s->status != P5_OK)
        return;
    data_cache_forget(&m->data);
    code_cache_forget(&m->code);
    tlb_restore(&m->data_tlb);
    tlb_restore(&m->data_tlb_large);
    tlb_restore(&m->code_tlb);
    agent_restore(m);
}
