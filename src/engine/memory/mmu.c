/* Paging, A20 and physical memory. The engine walks the page tables itself, because Unicorn 2.0.1 walks them
 * but then uses the linear address. Manual: paging with 4 KB and 4 MB pages, accessed and dirty bits,
 * page-fault error code. */
#include <string.h>

#include "engine/memory/memory_internal.h"
#include "engine/stretch/stretch.h"

static inline page_entry *mmu_code_entry(engine *e, uint32_t linear, bool user)
{
    return &e->pages[PAGE_FETCHED + user][(linear / ENGINE_PAGE_BYTES) % PAGE_ENTRIES];
}

/* A translation of one page. */
typedef struct walk_result {
    uint32_t physical; /* of the page, A20 applied */
    uint32_t flags;    /* P5_ACCESS_* */
    bool dirty;        /* writes need no further walk */
} walk_result;

static uint32_t physical_read(const engine *e, uint32_t physical)
{
    physical &= e->address_mask;
    uint32_t value = UINT32_MAX; /* nothing drives the bus */
    if (physical <= e->ram_bytes - sizeof value)
        memcpy(&value, e->ram + physical, sizeof value);
    return value;
}

/* Prices everything executed so far with the current tables. */
static void price_before_tables_change(engine *e)
{
    if (stretch_give_batch(e, e->current ? e->current->count : 0))
        engine_request_attention(e);
    engine_catch_up(e);
}

/* Prices what has happened up to a store into a page table, including the running block's part: the block is
 * left before the store, and the next block begins there. So it makes no difference in which pieces a guest
 * is run. */
static void price_before_table_store(engine *e, uintptr_t retaddr)
{
    price_before_tables_change(e);
    const engine_block *b = e->current;
    if (!b || b->count == 1 || e->record_next < engine_records(e) + b->marks[1].accesses)
        return; /* the store is in the first instruction */
    stretch_leave_before(e, retaddr);
}

/* Sets bits of a table entry and returns those that were clear. The tables may lie in a page with translated
 * code. */
static uint32_t physical_set(engine *e, uint32_t physical, uint32_t bits)
{
    physical &= e->address_mask;
    if (physical > e->ram_bytes - sizeof bits)
        return 0;
    uint32_t value;
    memcpy(&value, e->ram + physical, sizeof value);
    uint32_t clear = bits & ~value;
    if (!clear)
        return 0;
    price_before_tables_change(e);
    value |= bits;
    if (mmu_is_code(e, physical, sizeof value))
        mmu_write_code(e, physical, sizeof value, 0);
    memcpy(e->ram + physical, &value, sizeof value);
    behind_written(e, physical, sizeof value); /* a locked bus cycle */
    return clear;
}

/* Records which bits a walk has set, until the core prices the walk and asks for them
 * (engine_page_bits_set). */
static void note_set(engine *e, uint32_t linear, bool large, uint32_t directory, uint32_t entry)
{
    unsigned bits = (directory & PTE_ACCESSED ? P5_PAGE_DIRECTORY_ACCESSED : 0u) |
                    (entry & PTE_ACCESSED ? P5_PAGE_ACCESSED : 0u) | (entry & PTE_DIRTY ? P5_PAGE_DIRTY : 0u);
    if (bits)
        e->page_sets[e->next_page_set++ % PAGE_SETS] = (page_set){linear, large, (uint8_t)bits};
}

unsigned engine_page_bits_set(engine *e, uint32_t linear, bool write)
{
    unsigned bits = 0;
    for (page_set *s = e->page_sets; s < e->page_sets + PAGE_SETS; s++) {
        if (s->bits == 0 || (s->linear ^ linear) >> 22 != 0) /* usually nothing has been set */
            continue;
        unsigned wanted = P5_PAGE_DIRECTORY_ACCESSED;
        if (s->large || (s->linear ^ linear) >> 12 == 0)
            wanted |= P5_PAGE_ACCESSED | (write ? P5_PAGE_DIRTY : 0u);
        bits |= s->bits & wanted;
        s->bits &= (uint8_t)~wanted;
    }
    return bits;
}

static uint32_t page_flags(uint32_t entry)
{
    return (entry & PTE_CACHE_DISABLE ? P5_ACCESS_CACHE_DISABLE : 0u) |
           (entry & PTE_WRITE_THROUGH ? P5_ACCESS_WRITE_THROUGH : 0u);
}

/* Translates with a TLB entry that a test register wrote. It is used as it is. */
static bool walk_pin(engine *e, p5_translation *pin, uint32_t linear, bool write, bool user,
                     walk_result *result, uint32_t *code)
{
    uint32_t cr0 = (uint32_t)e->env->cr[0];
    bool writable = pin->code || pin->writable || (!user && !(cr0 & CR0_WP));
    if ((user && pin->supervisor) || (write && !writable)) {
        *code |= PF_PRESENT;
        return false;
    }
    uint32_t inside = pin->large ? 0x3ff000u : 0;
    pin->dirty |= write;
    *result = (walk_result){((pin->physical & ~inside) | (linear & inside)) & e->address_mask,
                            (cr0 & CR0_CD || pin->cache_disable ? P5_ACCESS_CACHE_DISABLE : 0u) |
                                (pin->write_through ? P5_ACCESS_WRITE_THROUGH : 0u) |
                                (pin->large ? P5_ACCESS_LARGE_PAGE : 0u),
                            writable && pin->dirty};
    return true;
}

/* Walks the tables for an access. Returns true with *result, or false with the page-fault error code in
 * *code. Updates accessed and dirty bits if `set`. */
static bool walk(engine *e, uint32_t linear, mmu_access access, bool user, bool set, walk_result *result,
                 uint32_t *code)
{
    uint32_t cr0 = (uint32_t)e->env->cr[0];
    uint32_t cached = cr0 & CR0_CD ? P5_ACCESS_CACHE_DISABLE : 0;
    if (!(cr0 & CR0_PG)) {
        *result = (walk_result){linear & ~(uint32_t)ENGINE_PAGE_MASK & e->address_mask, cached, true};
        return true;
    }
    bool write = access == MMU_WRITE;
    *code = (write ? PF_WRITE : 0u) | (user ? PF_USER : 0u);
    p5_translation *pin = e->behind.pin_count != 0 ? behind_pin(e, access == MMU_FETCH, linear) : NULL;
    if (pin != NULL)
        return walk_pin(e, pin, linear, write, user, result, code);
    uint32_t directory_address = ((uint32_t)e->env->cr[3] & ~(uint32_t)ENGINE_PAGE_MASK) + (linear >> 22) * 4;
    uint32_t directory = physical_read(e, directory_address);
    if (!(directory & PTE_PRESENT))
        return false;
    bool large = directory & PTE_LARGE && e->env->cr[4] & CR4_PSE;
    uint32_t entry_address = directory_address, entry = directory, rights = directory;
    if (!large) {
        entry_address = (directory & ~(uint32_t)ENGINE_PAGE_MASK) + (linear >> 12 & 1023) * 4;
        entry = physical_read(e, entry_address);
        if (!(entry & PTE_PRESENT))
            return false;
        rights &= entry;
    } else if (entry & PTE_LARGE_RESERVED) {
        *code |= PF_PRESENT | PF_RESERVED;
        return false;
    }
    /* A supervisor write to a read-only page is only stopped by CR0.WP. */
    bool allowed =
        !(user && !(rights & PTE_USER)) && !(write && !(rights & PTE_WRITE) && (user || cr0 & CR0_WP));
    if (!allowed) {
        *code |= PF_PRESENT;
        return false;
    }
    if (set) {
        uint32_t directory_set = large ? 0 : physical_set(e, directory_address, PTE_ACCESSED);
        uint32_t entry_set = physical_set(e, entry_address, PTE_ACCESSED | (write ? PTE_DIRTY : 0u));
        note_set(e, linear, large, directory_set, entry_set);
    }
    uint32_t page =
        large ? (entry & 0xffc00000u) | (linear & 0x3ff000u) : entry & ~(uint32_t)ENGINE_PAGE_MASK;
    bool writable = rights & PTE_WRITE || (!user && !(cr0 & CR0_WP));
    *result = (walk_result){page & e->address_mask,
                            cached | page_flags(entry) | (large ? P5_ACCESS_LARGE_PAGE : 0u),
                            writable && (write || entry & PTE_DIRTY)};
    return true;
}

/* --- Windows --- */

static const engine_window *window_at(const engine *e, uint32_t physical)
{
    for (const engine_window *w = e->windows; w < e->windows + ENGINE_WINDOWS; w++)
        if (physical - w->first < w->bytes)
            return w;
    return NULL;
}

bool mmu_is_window(const engine *e, uint32_t physical)
{
    return window_at(e, physical) != NULL;
}

void mmu_read_device(engine *e, uint32_t physical, uint8_t *to, unsigned size)
{
    bool there = window_at(e, physical) != NULL;
    for (unsigned i = 0; i < size; i++) /* without a window nothing drives the bus */
        to[i] = there ? e->callbacks.memory_read(e->callbacks.context, physical + i) : 0xff;
}

void mmu_write_device(engine *e, uint32_t physical, const uint8_t *from, unsigned size)
{
    if (window_at(e, physical) == NULL)
        return; /* lost on the open bus */
    for (unsigned i = 0; i < size; i++)
        e->callbacks.memory_write(e->callbacks.context, physical + i, from[i]);
}

void engine_set_window(engine *e, unsigned number, const engine_window *window)
{
    engine_window *w = &e->windows[number];
    bool same = w->first == window->first && w->bytes == window->bytes;
    if (same && w->host == window->host)
        return;
    *w = *window;
    if (same) /* no code is translated there */
        mmu_flush(e);
    else
        engine_flush_translations(e);
}

/* Returns why stores through this entry come to mmu_fill although its page is writable: PAGE_TABLE,
 * PAGE_CODE. */
static unsigned seen_for(const page_entry *held, uint32_t index)
{
    uint32_t why = held->write_tag / ENGINE_PAGE_BYTES ^ index;
    return held->write_tag != held->read_tag && !(why & ~(uint32_t)(PAGE_TABLE | PAGE_CODE)) ? why : 0;
}

/* Makes stores into this page come to mmu_fill from now on. */
static void see_stores(engine *e, uint32_t physical, unsigned why)
{
    for (unsigned i = 0; i < 2 * PAGE_ENTRIES; i++) {
        unsigned index = i % PAGE_ENTRIES;
        page_entry *held = &e->pages[i / PAGE_ENTRIES][index];
        unsigned before = seen_for(held, index);
        if (held->physical == physical && (before || held->write_tag == held->read_tag))
            held->write_tag = PAGE_SEEN_TAG(index, before | why);
    }
}

static void note_table(engine *e, uint32_t entry)
{
    uint32_t page = entry & ~(uint32_t)ENGINE_PAGE_MASK;
    if (entry == 0 || page >= e->ram_bytes || e->table_pages[page / ENGINE_PAGE_BYTES])
        return;
    e->table_pages[page / ENGINE_PAGE_BYTES] = 1;
    see_stores(e, page, PAGE_TABLE);
}

/* Makes stores into the page tables of `linear` be noticed from now on. The core walks these tables, too,
 * when it prices what is executed with this translation, and must find them as they are now. */
static void note_tables(engine *e, uint32_t linear)
{
    uint32_t directory_entry, table_entry;
    if (!((uint32_t)e->env->cr[0] & CR0_PG))
        return;
    engine_walk(e, linear, &directory_entry, &table_entry);
    note_table(e, directory_entry);
    note_table(e, table_entry);
}

/* Forgets the page tables after all translations, including those of code, were dropped. */
static void forget_tables(engine *e)
{
    price_before_tables_change(e);
    memset(e->table_pages, 0, e->ram_bytes / ENGINE_PAGE_BYTES);
}

/* Drops an entry of the fetch cache. Its page must be looked up again, so Unicorn has to forget which blocks
 * lie there. */
void REAL(tlb_flush_page)(uc_cpu *cpu, uint64_t address);
static void drop_fetched(engine *e, unsigned index, page_entry *held)
{
    uint32_t kept = ~(uint32_t)(PAGE_GUARDED | ENGINE_PAGE_MASK);
    translations_gone(e);
    REAL(tlb_flush_page)(engine_cpu(e), (held->read_tag & kept) | (index * ENGINE_PAGE_BYTES & PAGE_GUARDED));
    held->read_tag = held->write_tag = PAGE_NO_TAG(index);
}

page_entry *mmu_fill(engine *e, uint32_t linear, mmu_access access, bool user, uintptr_t retaddr)
{
    walk_result result;
    uint32_t code, index = linear / ENGINE_PAGE_BYTES % PAGE_ENTRIES;
    uint32_t tag = (linear & ~(uint32_t)ENGINE_PAGE_MASK) ^ (e->guard.data ? PAGE_GUARDED : 0u);
    uint32_t none = PAGE_NO_TAG(index);
    unsigned side = user + (access == MMU_FETCH ? PAGE_FETCHED : 0u);
    page_entry *held = &e->pages[side][index];
    if (held->read_tag == tag) {
        unsigned why = seen_for(held, index);
        if (why & PAGE_CODE && !e->code_lines[held->physical / ENGINE_PAGE_BYTES]) {
            why &= ~(unsigned)PAGE_CODE;
            held->write_tag = why ? PAGE_SEEN_TAG(index, why) : tag;
        }
        if (access == MMU_WRITE && why & PAGE_TABLE)
            price_before_table_store(e, retaddr);
        if (access != MMU_WRITE || why || held->write_tag == tag)
            return held;
    }
    if (!walk(e, linear, access, user, true, &result, &code)) {
        if (access == MMU_FETCH)
            guard_fetch(e, linear);
        e->env->cr[2] = linear;
        e->fetch_fault = access == MMU_FETCH;
        UC_INTERNAL(raise_exception_err_ra)(e->env, VECTOR_PF, (int)code, retaddr);
    }
    /* While entries are pinned, fetches and data references may translate differently, so nothing is
     * cached. */
    page_entry *entry = e->behind.pin_count != 0 ? &e->uncached : held;
    if (access == MMU_FETCH && entry == held && held->read_tag != none)
        drop_fetched(e, index, held);
    e->pages_filled[(side * PAGE_ENTRIES + index) / 64] |= 1ull << index % 64;
    const engine_window *window = window_at(e, result.physical);
    bool ram = result.physical < e->ram_bytes && window == NULL;
    uint32_t page = result.physical / ENGINE_PAGE_BYTES;
    note_tables(e, linear);
    if (ram && access == MMU_WRITE) {
        behind_keep(e, result.physical);
        if (e->table_pages[page])
            price_before_table_store(e, retaddr);
    }
    bool writable = ram && result.dirty && behind_kept(&e->behind, page);
    unsigned why = 0;
    if (writable)
        why = (e->code_lines[page] ? PAGE_CODE : 0u) | (e->table_pages[page] ? PAGE_TABLE : 0u);
    uint8_t *host = ram ? e->ram + result.physical : NULL;
    if (window != NULL && window->host != NULL && access != MMU_FETCH) {
        host = window->host + (result.physical - window->first);
        writable = result.dirty;
    }
    uint32_t write_tag = !writable ? none : why ? PAGE_SEEN_TAG(index, why) : tag;
    *entry = (page_entry){.read_tag = host != NULL ? tag : none,
                          .write_tag = write_tag,
                          .physical = result.physical,
                          .kind = ACCESS_KIND(0, result.flags),
                          .host = host};
    return entry;
}

bool mmu_faults(engine *e, uint32_t linear, mmu_access access, bool user, uint32_t *code)
{
    walk_result result;
    uint32_t found;
    if (walk(e, linear, access, user, false, &result, &found))
        return false;
    *code = found;
    return true;
}

static uint8_t *peek(engine *e, uint32_t linear, mmu_access access, uint32_t *physical)
{
    walk_result result;
    uint32_t code;
    if (!walk(e, linear, access, false, false, &result, &code))
        return NULL;
    *physical = result.physical | (linear & ENGINE_PAGE_MASK);
    const engine_window *window = access != MMU_FETCH ? window_at(e, result.physical) : NULL;
    if (window != NULL && window->host != NULL)
        return window->host + (*physical - window->first);
    return (result.physical < e->ram_bytes ? e->ram + result.physical : e->open_bus) +
           (linear & ENGINE_PAGE_MASK);
}

/* Returns host memory for `linear` for the host's own use, without faults or accessed bits. Returns NULL if
 * the page is not present, and the open bus outside of RAM. */
static uint8_t *mmu_peek(engine *e, uint32_t linear, uint32_t *physical)
{
    return peek(e, linear, MMU_READ, physical);
}

/* Compares without PAGE_GUARDED, because guard.c does not check fetches. */
static bool is_held(const page_entry *held, uint32_t linear)
{
    return ((held->read_tag ^ linear) & ~(uint32_t)(PAGE_GUARDED | ENGINE_PAGE_MASK)) == 0;
}

uint8_t *mmu_peek_code(engine *e, uint32_t linear, uint32_t *physical)
{
    /* Code is fetched through the cached translation, even if the tables have changed since. */
    const page_entry *held = mmu_code_entry(e, linear, engine_at_user_level(e->env));
    if (is_held(held, linear)) {
        *physical = held->physical | (linear & ENGINE_PAGE_MASK);
        return held->host + (linear & ENGINE_PAGE_MASK);
    }
    return peek(e, linear, MMU_FETCH, physical);
}

/* Returns the first entry from number `at` on that may hold a page; PAGE_ALL if there is none. */
static unsigned next_filled(const engine *e, unsigned at)
{
    for (unsigned word = at / 64; word < PAGE_ALL / 64; word++) {
        uint64_t left = e->pages_filled[word];
        left &= word == at / 64 ? UINT64_MAX << at % 64 : UINT64_MAX;
        if (left)
            return 64 * word + (unsigned)__builtin_ctzll(left);
    }
    return PAGE_ALL;
}

static void flush(engine *e, unsigned entries)
{
    for (unsigned i = next_filled(e, 0); i < entries; i = next_filled(e, i + 1)) {
        page_entry *held = &e->pages[i / PAGE_ENTRIES][i % PAGE_ENTRIES];
        held->read_tag = held->write_tag = PAGE_NO_TAG(i % PAGE_ENTRIES);
    }
    memset(e->pages_filled, 0, entries / 8);
}

void mmu_flush(engine *e)
{
    flush(e, PAGE_REFERENCES);
}

void mmu_flush_all(engine *e)
{
    flush(e, PAGE_ALL);
}

/* Implements INVLPG. It drops all translations for references, and those for fetches from this page, which
 * may have many entries if it is a 4 MB page. */
static void mmu_flush_page(engine *e, uint32_t linear)
{
    mmu_flush(e);
    for (unsigned i = next_filled(e, PAGE_REFERENCES); i < PAGE_ALL; i = next_filled(e, i + 1)) {
        unsigned index = i % PAGE_ENTRIES;
        page_entry *held = &e->pages[i / PAGE_ENTRIES][index];
        bool large = held->kind & ACCESS_KIND(0, P5_ACCESS_LARGE_PAGE);
        if (held->read_tag != PAGE_NO_TAG(index) &&
            (is_held(held, linear) || (large && (held->read_tag ^ linear) >> 22 == 0)))
            drop_fetched(e, index, held);
    }
}

void mmu_guard_changed(engine *e)
{
    for (unsigned i = next_filled(e, 0); i < PAGE_ALL; i = next_filled(e, i + 1)) {
        page_entry *held = &e->pages[i / PAGE_ENTRIES][i % PAGE_ENTRIES];
        if (held->read_tag == PAGE_NO_TAG(i % PAGE_ENTRIES))
            continue;
        held->write_tag ^= held->write_tag == held->read_tag ? PAGE_GUARDED : 0u;
        held->read_tag ^= PAGE_GUARDED;
    }
}

/* Returns a mask of the 64ths of their page that these bytes touch. */
static uint64_t lines_of(uint32_t physical, unsigned size)
{
    enum { LINE_BYTES = ENGINE_PAGE_BYTES / 64 };
    unsigned first = (physical & ENGINE_PAGE_MASK) / LINE_BYTES,
             last = ((physical & ENGINE_PAGE_MASK) + size - 1) / LINE_BYTES;
    return UINT64_MAX >> (63 - (last - first)) << first;
}

bool mmu_is_code(const engine *e, uint32_t physical, unsigned size)
{
    return e->code_lines[physical / ENGINE_PAGE_BYTES] & lines_of(physical, size);
}

void mmu_protect_code(engine *e, uint32_t physical, unsigned size)
{
    if (physical >= e->ram_bytes || size == 0)
        return;
    uint64_t *lines = &e->code_lines[physical / ENGINE_PAGE_BYTES], before = *lines;
    *lines |= lines_of(physical, size);
    if (before == 0)
        see_stores(e, physical & ~(uint32_t)ENGINE_PAGE_MASK, PAGE_CODE);
}

void mmu_forget_code(engine *e)
{
    translations_gone(e);
    for (uint32_t page = 0; page < e->ram_bytes / ENGINE_PAGE_BYTES; page++) {
        uint64_t start = (uint64_t)page * ENGINE_PAGE_BYTES;
        if (e->code_lines[page])
            UC_INTERNAL(tb_invalidate_phys_range)(e->uc, start, start + ENGINE_PAGE_BYTES);
    }
}

void mmu_write_code(engine *e, uint32_t physical, unsigned size, uintptr_t retaddr)
{
    engine_catch_up(e);
    translations_gone(e);
    void *pages = UC_INTERNAL(page_collection_lock)(e->uc, physical, physical + size);
    UC_INTERNAL(tb_invalidate_phys_page_fast)(e->uc, pages, physical, (int)size, retaddr);
    UC_INTERNAL(page_collection_unlock)(pages);
}

/* --- Replacements of Unicorn's memory management --- */

void REAL(tlb_flush)(uc_cpu *cpu);
void WRAP(tlb_flush)(uc_cpu *cpu)
{
    engine *e = engine_of(uc_env_of(cpu));
    REAL(tlb_flush)(cpu); /* also forgets which block lies at which linear address */
    if (e) {
        translations_gone(e);
        mmu_flush_all(e);
        forget_tables(e);
    }
}

void WRAP(tlb_flush_page)(uc_cpu *cpu, uint64_t address)
{
    engine *e = engine_of(uc_env_of(cpu));
    REAL(tlb_flush_page)(cpu, address);
    if (e) {
        translations_gone(e);
        mmu_flush_page(e, (uint32_t)address);
    }
}

/* Returns the RAM address under which Unicorn files translated code, which is the physical address. -1 means
 * that a block is not filed. */
uint64_t WRAP(get_page_addr_code)(uc_env *env, uint64_t address)
{
    engine *e = engine_of(env);
    uint32_t linear = (uint32_t)address;
    bool user = engine_at_user_level(env);
    page_entry *entry = mmu_code_entry(e, linear, user);
    if (!is_held(entry, linear))
        entry = mmu_fill(e, linear, MMU_FETCH, user, 0);
    return entry->host ? entry->physical | (linear & ENGINE_PAGE_MASK) : UINT64_MAX;
}

static uint32_t load_code(uc_env *env, uint32_t linear, unsigned size)
{
    engine *e = engine_of(env);
    bool user = engine_at_user_level(env);
    uint32_t value = 0;
    for (unsigned i = 0; i < size; i++) {
        uint32_t at = linear + i;
        if (at - e->substitute_at < e->substitute_size) {
            value |= (uint32_t)e->substitute[at - e->substitute_at] << (8 * i);
            continue;
        }
        page_entry *entry = mmu_code_entry(e, at, user);
        if (!is_held(entry, at))
            entry = mmu_fill(e, at, MMU_FETCH, user, 0);
        uint32_t offset = at & ENGINE_PAGE_MASK;
        uint8_t byte = entry->host ? entry->host[offset] : 0xff;
        if (e->behind.code_count != 0)
            byte = behind_code_byte(e, entry->physical | offset, byte);
        value |= (uint32_t)byte << (8 * i);
    }
    return value;
}

uint32_t WRAP(cpu_ldub_code)(uc_env *env, uint64_t address)
{
    return load_code(env, (uint32_t)address, 1);
}

uint32_t WRAP(cpu_lduw_code)(uc_env *env, uint64_t address)
{
    return load_code(env, (uint32_t)address, 2);
}

uint32_t WRAP(cpu_ldl_code)(uc_env *env, uint64_t address)
{
    return load_code(env, (uint32_t)address, 4);
}

/* Called for the first block of a page. There is nothing to do, because describe.c has recorded where the
 * code lies. */
void WRAP(tlb_protect_code)(uc_engine *uc, uint64_t ram_address)
{
    (void)uc, (void)ram_address;
}

void WRAP(tlb_unprotect_code)(uc_engine *uc, uint64_t ram_address)
{
    engine *e = engine_of(uc_env_of(uc_cpu_of_handle(uc)));
    if (ram_address < e->ram_bytes)
        e->code_lines[ram_address / ENGINE_PAGE_BYTES] = 0;
}

/* --- engine.h --- */

bool engine_translate(engine *e, uint32_t linear, uint32_t *physical)
{
    return mmu_peek(e, linear, physical) != NULL;
}

void engine_walk(engine *e, uint32_t linear, uint32_t *directory_entry, uint32_t *table_entry)
{
    *directory_entry =
        (((uint32_t)e->env->cr[3] & ~(uint32_t)ENGINE_PAGE_MASK) + (linear >> 22) * 4) & e->address_mask;
    uint32_t directory = physical_read(e, *directory_entry);
    bool large = directory & PTE_LARGE && e->env->cr[4] & CR4_PSE;
    *table_entry =
        large || (directory & 1) == 0
            ? 0
            : ((directory & ~(uint32_t)ENGINE_PAGE_MASK) + (linear >> 12 & 1023) * 4) & e->address_mask;
}

void engine_ram_written(engine *e, uint32_t physical, uint32_t size)
{
    engine_flush_code(e, physical, size);
    behind_written(e, physical, size);
}

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

void engine_flush_translations(engine *e)
{
    WRAP(tlb_flush)(engine_cpu(e));
}

uint8_t *engine_ram(engine *e, uint32_t physical, uint32_t size)
{
    return physical < e->ram_bytes && size <= e->ram_bytes - physical ? e->ram + physical : NULL;
}

void engine_flush_code(engine *e, uint32_t physical, uint32_t size)
{
    if (!size || physical >= e->ram_bytes)
        return;
    uint32_t last = size - 1 < e->ram_bytes - 1 - physical ? physical + size - 1 : e->ram_bytes - 1;
    for (uint32_t page = physical / ENGINE_PAGE_BYTES; page <= last / ENGINE_PAGE_BYTES; page++) {
        if (e->code_lines[page]) {
            translations_gone(e);
            UC_INTERNAL(tb_invalidate_phys_range)(e->uc, physical, (uint64_t)last + 1);
            return;
        }
    }
}

/* Reads bytes of one page. `there` points to them if they are in memory. */
static void read_part(engine *e, uint32_t physical, const uint8_t *there, uint8_t *to, size_t size)
{
    const engine_window *window = window_at(e, physical);
    if (window != NULL && window->host == NULL)
        mmu_read_device(e, physical, to, (unsigned)size);
    else
        memcpy(to, there, size);
}

static void write_part(engine *e, uint32_t physical, uint8_t *there, const uint8_t *from, size_t size)
{
    const engine_window *window = window_at(e, physical);
    if (window != NULL && window->host == NULL) {
        mmu_write_device(e, physical, from, (unsigned)size);
    } else if (window != NULL) {
        memcpy(there, from, size);
    } else if (engine_ram(e, physical, (uint32_t)size) != NULL) { /* else lost on the open bus */
        engine_flush_code(e, physical, (uint32_t)size);
        memcpy(there, from, size);
        behind_written(e, physical, (uint32_t)size);
    }
}

/* Copies page by page. Either `to` or `from` is NULL. */
static bool move_linear(engine *e, uint32_t linear, uint8_t *to, const uint8_t *from, size_t size)
{
    for (size_t done = 0, part; done < size; done += part) {
        uint32_t at = linear + (uint32_t)done, physical;
        part = ENGINE_PAGE_BYTES - (at & ENGINE_PAGE_MASK);
        if (part > size - done)
            part = size - done;
        uint8_t *there = mmu_peek(e, at, &physical);
        if (!there)
            return false;
        if (to != NULL)
            read_part(e, physical, there, to + done, part);
        else
            write_part(e, physical, there, from + done, part);
    }
    return true;
}

bool engine_read_linear(engine *e, uint32_t linear, void *data, size_t size)
{
    return move_linear(e, linear, data, NULL, size);
}

bool engine_write_linear(engine *e, uint32_t linear, const void *data, size_t size)
{
    return move_linear(e, linear, NULL, data, size);
}

void engine_set_a20(engine *e, bool enabled)
{
    uint32_t mask = enabled ? UINT32_MAX : ~(1u << 20);
    if (mask == e->address_mask)
        return;
    e->address_mask = mask;
    engine_flush_translations(e);
}
