/* Walks the guest's page tables. The engine does this itself, because Unicorn 2.0.1 walks them but then accesses
 * memory at the linear address. Manual: paging with 4 KB and 4 MB pages, accessed and dirty bits, page-fault error
 * code.
 *
 * The timing model (core/) walks the tables again, later, for the TLB misses of what was executed: "pricing" is the
 * computation of clocks by the model. It must find the tables as they were, so everything executed is priced before
 * a table changes. */
#include "engine/memory/code.h"
#include "engine/memory/memory_internal.h"
#include "engine/stretch/stretch.h"

/* Reads an entry of a page table. */
static uint32_t physical_read(const engine *e, uint32_t physical)
{
    physical &= e->memory.address_mask;
    uint32_t value = UINT32_MAX; /* nothing drives the bus */
    if (physical <= e->memory.ram_bytes - sizeof value)
        memcpy(&value, e->memory.ram + physical, sizeof value);
    return value;
}

/* Has everything priced that was executed before the running block: delivers the batch of finished blocks, and waits
 * until the engine's owner has processed it. */
void walk_price_before(engine *e)
{
    if (stretch_give_batch(e, stretch_block(e) ? stretch_block(e)->count : 0))
        engine_request_attention(e);
    engine_catch_up(e);
}

/* Prices everything up to a store into a page table, including the part of the running block before the store: the
 * block is left there, and a new block begins with the store. The counts therefore do not depend on how the
 * guest's code is divided into blocks. Does not return if it leaves the block. `retaddr` is where the store's call
 * returns to in translated code. */
void walk_before_table_store(engine *e, uintptr_t retaddr)
{
    walk_price_before(e);
    const engine_block *b = stretch_block(e);
    if (!b || b->count == 1 || stretch_recorded(e) < b->marks[1].accesses)
        return; /* the store is in the first instruction */
    stretch_leave_before(e, retaddr, false);
}

/* Sets bits of the page-table entry at `physical` and returns those that were clear. Before a change, prices what was
 * executed, and discards translated code at this address. */
static uint32_t set_entry_bits(engine *e, uint32_t physical, uint32_t bits)
{
    physical &= e->memory.address_mask;
    if (physical > e->memory.ram_bytes - sizeof bits)
        return 0;
    uint32_t value;
    memcpy(&value, e->memory.ram + physical, sizeof value);
    uint32_t clear = bits & ~value;
    if (!clear)
        return 0;
    walk_price_before(e);
    value |= bits;
    if (code_lies_in(e, physical, sizeof value))
        code_overwrite(e, physical, sizeof value, 0);
    memcpy(e->memory.ram + physical, &value, sizeof value);
    coherence_written(e, physical, sizeof value); /* a locked bus cycle */
    return clear;
}

/* Records which bits a walk has set in the directory entry and in the last entry (the page's; for a large page, the
 * directory's), so that the core can get them when it prices the walk (engine_page_bits_set). The oldest of PAGE_SETS
 * records is overwritten. */
static void record_set(engine *e, uint32_t linear, bool large, uint32_t directory, uint32_t entry)
{
    unsigned bits = (directory & PTE_ACCESSED ? P5_PAGE_DIRECTORY_ACCESSED : 0u) |
                    (entry & PTE_ACCESSED ? P5_PAGE_ACCESSED : 0u) | (entry & PTE_DIRTY ? P5_PAGE_DIRTY : 0u);
    if (!bits)
        return;
    assert(e->memory.next_page_set < PAGE_SETS);
    e->memory.page_sets[e->memory.next_page_set] = (page_set){linear, large, (uint8_t)bits};
    e->memory.next_page_set = (e->memory.next_page_set + 1) % PAGE_SETS;
}

/* Returns the bits (P5_PAGE_*) that walks have set for the access at `linear`, and removes them from the records. */
unsigned engine_page_bits_set(engine *e, uint32_t linear, bool write)
{
    unsigned bits = 0;
    for (page_set *s = e->memory.page_sets; s < e->memory.page_sets + PAGE_SETS; s++) {
        if (s->bits == 0 || (s->linear ^ linear) >> 22 != 0) /* no bits, or another directory entry */
            continue;
        unsigned wanted = P5_PAGE_DIRECTORY_ACCESSED;
        if (s->large || (s->linear ^ linear) >> 12 == 0)
            wanted |= P5_PAGE_ACCESSED | (write ? P5_PAGE_DIRTY : 0u);
        bits |= s->bits & wanted;
        s->bits &= (uint8_t)~wanted;
    }
    return bits;
}

/* Returns the attributes of a page-table entry, as P5_ACCESS_*. */
static uint32_t page_flags(uint32_t entry)
{
    return (entry & PTE_CACHE_DISABLE ? P5_ACCESS_CACHE_DISABLE : 0u) |
           (entry & PTE_WRITE_THROUGH ? P5_ACCESS_WRITE_THROUGH : 0u);
}

/* Translates with `pin`, a TLB entry that a test register has written. Its rights and attributes apply, whatever the
 * page tables say. Returns the same as `walk`, which has set result->code to PF_WRITE and PF_USER. */
static bool walk_pin(engine *e, p5_translation *pin, uint32_t linear, bool write, bool user,
                     walk_result *result)
{
    uint32_t cr0 = (uint32_t)e->env->cr[0];
    bool writable = pin->code || pin->writable || (!user && !(cr0 & CR0_WP));
    if ((user && pin->supervisor) || (write && !writable)) {
        result->code |= PF_PRESENT;
        return false;
    }
    uint32_t inside = pin->large ? 0x3ff000u : 0; /* address bits 21-12 within a large page */
    pin->dirty |= write;
    *result =
        (walk_result){.physical = ((pin->physical & ~inside) | (linear & inside)) & e->memory.address_mask,
                      .flags = (cr0 & CR0_CD || pin->cache_disable ? P5_ACCESS_CACHE_DISABLE : 0u) |
                               (pin->write_through ? P5_ACCESS_WRITE_THROUGH : 0u) |
                               (pin->large ? P5_ACCESS_LARGE_PAGE : 0u),
                      .dirty = writable && pin->dirty};
    return true;
}

/* Translates `linear` for an access; `user` means CPL 3. Returns true and sets *result, or returns false and sets
 * only result->code, the error code of the page fault, which it does not raise. If `set`, updates the accessed and
 * dirty bits of the page tables. */
bool walk(engine *e, uint32_t linear, mmu_access access, bool user, bool set, walk_result *result)
{
    uint32_t cr0 = (uint32_t)e->env->cr[0];
    uint32_t cached = cr0 & CR0_CD ? P5_ACCESS_CACHE_DISABLE : 0;
    if (!(cr0 & CR0_PG)) {
        *result = (walk_result){.physical = linear & ~(uint32_t)ENGINE_PAGE_MASK & e->memory.address_mask,
                                .flags = cached,
                                .dirty = true};
        return true;
    }
    bool write = access == MMU_WRITE;
    result->code = (write ? PF_WRITE : 0u) | (user ? PF_USER : 0u);
    p5_translation *pin =
        e->memory.coherence.pin_count != 0 ? coherence_pin(e, access == MMU_FETCH, linear) : NULL;
    if (pin != NULL)
        return walk_pin(e, pin, linear, write, user, result);
    uint32_t directory_address = ((uint32_t)e->env->cr[3] & ~(uint32_t)ENGINE_PAGE_MASK) + (linear >> 22) * 4;
    uint32_t directory = physical_read(e, directory_address);
    if (!(directory & PTE_PRESENT))
        return false;
    bool large = directory & PTE_LARGE && e->env->cr[4] & CR4_PSE;
    /* For a large page, the directory's entry is the page's. `rights` has the bits that are set in both entries. */
    uint32_t entry_address = directory_address, entry = directory, rights = directory;
    if (!large) {
        entry_address = (directory & ~(uint32_t)ENGINE_PAGE_MASK) + (linear >> 12 & 1023) * 4;
        entry = physical_read(e, entry_address);
        if (!(entry & PTE_PRESENT))
            return false;
        rights &= entry;
    } else if (entry & PTE_LARGE_RESERVED) {
        result->code |= PF_PRESENT | PF_RESERVED;
        return false;
    }
    /* A supervisor may write to a read-only page unless CR0.WP is set. */
    bool allowed =
        !(user && !(rights & PTE_USER)) && !(write && !(rights & PTE_WRITE) && (user || cr0 & CR0_WP));
    if (!allowed) {
        result->code |= PF_PRESENT;
        return false;
    }
    if (set) {
        uint32_t directory_set = large ? 0 : set_entry_bits(e, directory_address, PTE_ACCESSED);
        uint32_t entry_set = set_entry_bits(e, entry_address, PTE_ACCESSED | (write ? PTE_DIRTY : 0u));
        record_set(e, linear, large, directory_set, entry_set);
    }
    uint32_t page =
        large ? (entry & 0xffc00000u) | (linear & 0x3ff000u) : entry & ~(uint32_t)ENGINE_PAGE_MASK;
    bool writable = rights & PTE_WRITE || (!user && !(cr0 & CR0_WP));
    *result = (walk_result){.physical = page & e->memory.address_mask,
                            .flags = cached | page_flags(entry) | (large ? P5_ACCESS_LARGE_PAGE : 0u),
                            .dirty = writable && (write || entry & PTE_DIRTY)};
    return true;
}

/* Follows stores into the page of the table entry at physical address `entry`; 0 means that there is none. */
static void follow_table(engine *e, uint32_t entry)
{
    uint32_t page = entry & ~(uint32_t)ENGINE_PAGE_MASK;
    if (entry == 0 || page >= e->memory.ram_bytes || e->memory.table_pages[page / ENGINE_PAGE_BYTES])
        return;
    e->memory.table_pages[page / ENGINE_PAGE_BYTES] = 1;
    mmu_notice_stores(e, page, PAGE_TABLE);
}

/* Makes the guest's stores into the page tables of `linear` call walk_before_table_store from now on. The core walks
 * these tables, too, when it later prices what is executed with this translation, and it must find the present
 * entries. */
void walk_follow_tables(engine *e, uint32_t linear)
{
    uint32_t directory_entry, table_entry;
    if (!((uint32_t)e->env->cr[0] & CR0_PG))
        return;
    engine_walk(e, linear, &directory_entry, &table_entry);
    follow_table(e, directory_entry);
    follow_table(e, table_entry);
}

/* Ends the effect of all calls of walk_follow_tables. Called after all translations, including those of code, were
 * dropped: what is executed from now on walks the tables again. */
void walk_forget_tables(engine *e)
{
    walk_price_before(e);
    memset(e->memory.table_pages, 0, e->memory.ram_bytes / ENGINE_PAGE_BYTES);
}

/* --- engine.h --- */

/* Returns the physical addresses of the entries that translate `linear`; *table_entry is 0 for a large page, and if
 * the table is not present. */
void engine_walk(engine *e, uint32_t linear, uint32_t *directory_entry, uint32_t *table_entry)
{
    *directory_entry = (((uint32_t)e->env->cr[3] & ~(uint32_t)ENGINE_PAGE_MASK) + (linear >> 22) * 4) &
                       e->memory.address_mask;
    uint32_t directory = physical_read(e, *directory_entry);
    bool large = directory & PTE_LARGE && e->env->cr[4] & CR4_PSE;
    *table_entry = large || (directory & PTE_PRESENT) == 0
                       ? 0
                       : ((directory & ~(uint32_t)ENGINE_PAGE_MASK) + (linear >> 12 & 1023) * 4) &
                             e->memory.address_mask;
}

/* Returns rights and attributes (P5_PAGE_*) of the page of `linear`. */
unsigned engine_page_rights(engine *e, uint32_t linear)
{
    if (!((uint32_t)e->env->cr[0] & CR0_PG))
        return P5_PAGE_WRITABLE;
    uint32_t directory_address, entry_address;
    engine_walk(e, linear, &directory_address, &entry_address);
    uint32_t directory = physical_read(e, directory_address), rights = directory, entry = directory;
    if (entry_address != 0) {
        entry = physical_read(e, entry_address);
        rights &= entry;
    }
    return (rights & PTE_WRITE ? P5_PAGE_WRITABLE : 0u) | (rights & PTE_USER ? 0u : P5_PAGE_SUPERVISOR) |
           (entry & PTE_CACHE_DISABLE ? P5_PAGE_CACHE_DISABLE : 0u) |
           (entry & PTE_WRITE_THROUGH ? P5_PAGE_WRITE_THROUGH : 0u);
}
