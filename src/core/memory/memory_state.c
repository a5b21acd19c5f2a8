/* The memory side in snapshots. What the model, the control inputs and the other structures say is not in
 * them. */
#include "core/memory/memory.h"
#include "core/memory/memory_system.h"

/* A fill's line is 1 while there was none yet: no line's address. */
static const snapshot_field line_fill_fields[] = {
    FIELD_BITS(line_fill, line, 0xffffffe1u),
    FIELD_TIME(line_fill, done),
};
static const snapshot_table line_fill_state = {SNAPSHOT_TABLE(line_fill, "line_fill", line_fill_fields)};

static const snapshot_field memory_fields[] = {
    FIELD_TABLE(memory, data, &data_cache_state),
    FIELD_TABLE(memory, data_tlb, &tlb_state),
    FIELD_DERIVED(memory, read_quiet),
    FIELD_DERIVED(memory, write_quiet),
    FIELD_DERIVED(memory, paging),
    FIELD_DERIVED(memory, separate_large),
    FIELD_DERIVED(memory, code_tlb_splits),
    FIELD_DERIVED(memory, fill_mask),
    FIELD_TABLE(memory, code, &code_cache_state),
    FIELD_TABLE(memory, code_tlb, &tlb_state),
    FIELD_TABLE(memory, data_fill, &line_fill_state),
    FIELD_TABLE(memory, code_fill, &line_fill_state),
    FIELD_TIME(memory, code_parts, [0]),
    FIELD_TABLE(memory, agent, &agent_state),
    FIELD_TABLE(memory, data_tlb_large, &tlb_state),
    FIELD_TABLE(memory, writes, &write_buffer_state),
    FIELD_TIME(memory, locked_read),
    FIELD_TIME(memory, ewbe_at),
    FIELD_DERIVED(memory, ewbe_clocks),
    FIELD_DERIVED(memory, bus),
    FIELD_DERIVED(memory, model),
    FIELD_DERIVED(memory, hooks),
    FIELD_DERIVED(memory, totals),
    FIELD_DERIVED(memory, uses),
    FIELD_DERIVED(memory, own_uses),
    FIELD_DERIVED(memory, special),
    FIELD_DERIVED(memory, counts_apart),
    FIELD_DERIVED(memory, class),
    FIELD_DERIVED(memory, long_answer),
    FIELD_DERIVED(memory, no_data_fill),
    FIELD_DERIVED(memory, no_code_fill),
    FIELD_DERIVED(memory, cache_disable),
    FIELD_DERIVED(memory, not_write_through),
    FIELD_DERIVED(memory, loses_mmx_writes),
    FIELD_DERIVED(memory, told),
};

const snapshot_table memory_state = {SNAPSHOT_TABLE(memory, "memory", memory_fields)};

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
