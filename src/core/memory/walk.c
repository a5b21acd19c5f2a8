/* Page walks: hardware reads of the directory and the table entry as single bus reads, which neither hit nor
 * fill the caches, and the locked updates of their accessed and dirty bits (241428, 5.1 CACHE#, 6.4.3). The owner of
 * the core (p5_core_hooks) knows the page tables; this file prices the bus cycles. Addresses of entries are
 * physical; `asked` is the core clock of a request. */
#include "core/memory/memory_rules.h"

/* Prices setting a bit of the page-table entry at `entry` with a locked read and a locked write. No copy of the entry
 * stays in the caches. Returns the clock at which the write has ended. */
static uint64_t update_entry(struct memory *m, uint32_t entry, uint64_t asked)
{
    snoop_data_cache(m, entry, true, asked);
    snoop_code_cache(m, entry);
    memory_count(m, P5_EVENT_WRITES_TO_NONCACHEABLE_MEMORY);
    uint64_t read = memory_locked_read(m, asked + m->model->latency.miss_to_bus);
    memory_cycle(m, entry, 4, P5_CYCLE_MEMORY | P5_CYCLE_DATA | P5_CYCLE_LOCKED);
    memory_cycle(m, entry, 4, P5_CYCLE_MEMORY | P5_CYCLE_DATA | P5_CYCLE_LOCKED | P5_CYCLE_WRITE);
    return bus_locked_write(&m->bus, read + m->model->latency.miss_to_bus);
}

/* Prices reading the page-table entry at `entry`, after a modified copy was written back. Returns the clock at which
 * it has arrived. */
static uint64_t read_entry(struct memory *m, uint32_t entry, uint64_t asked)
{
    snoop_data_cache(m, entry, false, asked);
    memory_count(m, P5_EVENT_NONCACHEABLE_MEMORY_READS);
    memory_cycle(m, entry, 4, P5_CYCLE_MEMORY | P5_CYCLE_DATA);
    return bus_read_single(&m->bus, asked, entry);
}

/* Returns which bits (P5_PAGE_*) of the entries for `linear` were clear and are set for this reference. The owner
 * reports each bit only once, so the result is recorded for a second core that checks this one. */
static unsigned bits_set(struct memory *m, uint32_t linear, bool write)
{
    unsigned bits = m->hooks.page_bits_set(m->hooks.context, linear, write);
    page_bits_log *page_bits = m->page_bits;
    if (page_bits != NULL && bits != 0 && page_bits->count < PAGE_BITS_LOG)
        page_bits->bits[page_bits->count++] = (page_bits_entry){linear, bits, write};
    return bits;
}

/* Prices the bus cycles of a walk to the entries at `directory` and, unless it is 0, `table`. The bits `set`
 * (P5_PAGE_*) are set in them. Returns the clock at which the walk has ended. */
static uint64_t walk_entries(struct memory *m, uint32_t directory, uint32_t table, unsigned set,
                             uint64_t asked)
{
    const model_latency *latency = &m->model->latency;
    uint64_t clock = read_entry(m, directory, asked + latency->walk_start);
    if ((set & P5_PAGE_DIRECTORY_ACCESSED) != 0)
        clock = update_entry(m, directory, clock);
    if (table != 0)
        clock = read_entry(m, table, clock + latency->walk_between);
    if ((set & (P5_PAGE_ACCESSED | P5_PAGE_DIRTY)) != 0)
        clock = update_entry(m, table != 0 ? table : directory, clock);
    return clock + latency->walk_end;
}

/* Prices the walk for a reference at `linear`. Returns the clock at which it has ended: `asked` if the owner walks no
 * pages. `*large`: there is no table entry, so the page has 4 MB. */
static uint64_t walk(struct memory *m, uint32_t linear, bool write, uint64_t asked, bool *large)
{
    uint32_t directory, table;
    *large = false;
    if (m->hooks.walk == NULL)
        return asked;
    m->hooks.walk(m->hooks.context, linear, &directory, &table);
    *large = table == 0;
    const unsigned set = m->hooks.page_bits_set != NULL ? bits_set(m, linear, write) : 0;
    return walk_entries(m, directory, table, set, asked);
}

/* Prices a reference that ends in a page fault: its TLB miss (two in silicon, erratum 44), a walk that sets no bits and
 * fills no entry, and for a fetch (`code`) its read.
 * Returns the clock at which the fault is known; `asked` if a TLB entry translates the page. */
uint64_t memory_fault(struct memory *m, uint32_t linear, bool code, uint64_t asked)
{
    tlb *t = code ? &m->code_tlb : &m->data_tlb, *large = code ? t : memory_data_tlb(m, true);
    if (m->hooks.walk == NULL || tlb_find(t, tlb_key(linear, false)) != TLB_NO_ENTRY ||
        tlb_find(large, tlb_key(linear, true)) != TLB_NO_ENTRY)
        return asked;
    uint32_t directory, table;
    m->hooks.walk(m->hooks.context, linear, &directory, &table);
    enum p5_event miss = code ? P5_EVENT_CODE_TLB_MISS : P5_EVENT_DATA_TLB_MISS;
    if (code)
        memory_count(m, P5_EVENT_CODE_READ);
    for (unsigned n = m->model->errata ? 2 : 1; n > 0; n--)
        memory_count(m, miss);
    const uint64_t clock = walk_entries(m, directory, table, 0, asked);
    if (!code) {
        memory_clocks(m, P5_EVENT_WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION, clock - asked);
        memory_clocks(m, P5_EVENT_DATA_CACHE_TLB_MISS_STALL_DURATION, clock - asked);
    }
    return clock;
}

/* Returns rights and attributes of a new entry. Pricing only uses PCD, of code pages. */
static uint8_t attributes_of(const struct memory *m, uint32_t linear)
{
    unsigned bits = m->hooks.page_rights != NULL ? m->hooks.page_rights(m->hooks.context, linear) : 0;
    return (uint8_t)(((bits & P5_PAGE_WRITABLE) != 0 ? TLB_WRITABLE : 0) |
                     ((bits & P5_PAGE_SUPERVISOR) != 0 ? TLB_SUPERVISOR : 0) |
                     ((bits & P5_PAGE_CACHE_DISABLE) != 0 ? TLB_CACHE_DISABLE : 0) |
                     ((bits & P5_PAGE_WRITE_THROUGH) != 0 ? TLB_WRITE_THROUGH : 0));
}

/* Prices the walk after a miss of the data TLB, and fills the entry. Returns the clock at which it has ended. */
uint64_t walk_data(struct memory *m, uint32_t key, uint32_t physical, uint8_t attributes, bool write,
                   uint64_t asked)
{
    bool large;
    const uint64_t clock = walk(m, key & 0xfffff000u, write, asked, &large);
    tlb *t = memory_data_tlb(m, (key & TLB_LARGE) != 0);
    const unsigned entry =
        tlb_fill(t, key, physical, (uint8_t)(attributes | attributes_of(m, key & 0xfffff000u)), write);
    if (t == &m->data_tlb)
        data_cache_forget_page(&m->data, entry);
    observed_entry(m->arrays, t, entry, true);
    return clock;
}

/* Prices the walk after a miss of the code TLB, and fills the entry. Returns the clock at which the walk has ended.
 * `key` is that of a 4 KB page. If the walk finds a 4 MB page, the entry is for all of it,
 * unless the code TLB only has entries of 4 KB. */
uint64_t walk_code(struct memory *m, uint32_t key, uint32_t physical, uint64_t asked)
{
    bool large;
    const uint64_t clock = walk(m, key & 0xfffff000u, false, asked, &large);
    const unsigned entry = tlb_fill(&m->code_tlb, large && !m->code_tlb_splits ? tlb_key(key, true) : key,
                                    physical, attributes_of(m, key & 0xfffff000u), false);
    observed_entry(m->arrays, &m->code_tlb, entry, true);
    return clock;
}

/* Sets the dirty bit of a TLB entry for the first write through it, and prices setting that of the page table if it
 * was clear there. Returns the clock at which that has ended, or `asked`. */
uint64_t walk_set_dirty(struct memory *m, unsigned entry, bool large, uint64_t asked)
{
    tlb *t = memory_data_tlb(m, large);
    tlb_set_dirty(t, entry);
    uint32_t linear = t->row[entry].key.of[0] & 0xfffff000u;
    if (m->hooks.walk == NULL || m->hooks.page_bits_set == NULL ||
        (bits_set(m, linear, true) & P5_PAGE_DIRTY) == 0)
        return asked;
    uint32_t directory, table;
    m->hooks.walk(m->hooks.context, linear, &directory, &table);
    return update_entry(m, table != 0 ? table : directory, asked);
}
