/* The page cache: which host memory the linear pages of data references and fetches lie in (page_entry in state.h). As in
 * the processor's TLBs, a translation may remain in use after the page tables have changed, until it is flushed.
 * "References" are those to data.
 *
 * An access hits if the tag of its entry is the address of its page. mmu_fill serves all others. Tags that do not hit:
 *
 *   PAGE_NO_TAG       no page is held, there is no host memory, or (write tag) a write needs a walk of the page tables
 *   PAGE_NOTICED_TAG  write tag of a page whose stores must be noticed: it holds page tables or translated code
 *
 * While guard.c checks every reference, the bit PAGE_GUARDED of the page's address is inverted in the tags, so that no
 * reference hits. Fetches are compared without the bit (mmu_is_held). */
#include <assert.h>

#include "engine/memory/code.h"
#include "engine/memory/memory_internal.h"

/* Returns why stores through this entry must be noticed by mmu_fill although its page is writable: a set of PAGE_TABLE
 * and PAGE_CODE, taken from the write tag; 0: they need not, or the page is not writable. */
static unsigned noticed_for(const page_entry *held, uint32_t index)
{
    uint32_t why = held->write_tag / ENGINE_PAGE_BYTES ^ index;
    return held->write_tag != held->read_tag && !(why & ~(uint32_t)(PAGE_TABLE | PAGE_CODE)) ? why : 0;
}

/* Returns the first entry from number `at` on that may hold a page; PAGE_ALL if there is none. */
static unsigned next_filled(const engine *e, unsigned at)
{
    for (unsigned word = at / 64; word < PAGE_ALL / 64; word++) {
        uint64_t left = e->memory.pages_filled[word];
        left &= word == at / 64 ? UINT64_MAX << at % 64 : UINT64_MAX;
        if (left)
            return 64 * word + (unsigned)__builtin_ctzll(left);
    }
    return PAGE_ALL;
}

/* Makes stores into this page of RAM take mmu_fill from now on, for the reason `why`. */
void mmu_notice_stores(engine *e, uint32_t physical, unsigned why)
{
    for (unsigned i = next_filled(e, 0); i < PAGE_REFERENCES; i = next_filled(e, i + 1)) {
        unsigned index = i % PAGE_ENTRIES;
        page_entry *held = &e->memory.pages[i / PAGE_ENTRIES][index];
        unsigned before = noticed_for(held, index);
        if (held->physical == physical && (before || held->write_tag == held->read_tag))
            held->write_tag = PAGE_NOTICED_TAG(index, before | why);
    }
}

void REAL(tlb_flush_page)(uc_cpu *cpu, uint64_t address);
/* Drops the entry `held`, number `index` of one side of the fetch cache. Its page must be looked up again, so Unicorn
 * has to forget which blocks lie there. Takes the bit PAGE_GUARDED of the page's address from the index, because it may
 * be inverted in the tag. */
static void drop_fetched(engine *e, unsigned index, page_entry *held)
{
    assert(held->read_tag != PAGE_NO_TAG(index));
    uint32_t kept = ~(uint32_t)(PAGE_GUARDED | ENGINE_PAGE_MASK);
    code_forget_found(e);
    REAL(tlb_flush_page)(engine_cpu(e), (held->read_tag & kept) | (index * ENGINE_PAGE_BYTES & PAGE_GUARDED));
    held->read_tag = held->write_tag = PAGE_NO_TAG(index);
}

/* Returns the entry for an access to the page of `linear`, which is valid until the next call. Walks the page tables unless
 * the access is possible with the entry that is held. The access may miss again the next time. Raises #PF, or #GP for
 * a fetch beyond the limit of CS, and then does not return. May also leave the running block before a store into a page
 * table. */
page_entry *mmu_fill(engine *e, uint32_t linear, mmu_access access, bool user, uintptr_t retaddr)
{
    walk_result result;
    uint32_t index = linear / ENGINE_PAGE_BYTES % PAGE_ENTRIES;
    uint32_t tag = (linear & ~(uint32_t)ENGINE_PAGE_MASK) ^ (e->memory.guard.data ? PAGE_GUARDED : 0u);
    uint32_t none = PAGE_NO_TAG(index);
    unsigned side = user + (access == MMU_FETCH ? PAGE_FETCHED : 0u);
    page_entry *held = &e->memory.pages[side][index];
    /* The page is held if the access is checked, crosses the page's end, is a store that must be noticed, or is the first
     * store to a page that is not dirty. Only the last needs a walk. */
    if (held->read_tag == tag) {
        unsigned why = noticed_for(held, index);
        /* Stores need not be noticed any more if no translated code is left in the page. */
        if (why & PAGE_CODE && !e->memory.code_lines[held->physical / ENGINE_PAGE_BYTES]) {
            why &= ~(unsigned)PAGE_CODE;
            held->write_tag = why ? PAGE_NOTICED_TAG(index, why) : tag;
        }
        if (access == MMU_WRITE && why & PAGE_TABLE)
            walk_before_table_store(e, retaddr);
        if (access != MMU_WRITE || why || held->write_tag == tag)
            return held;
    }
    if (!walk(e, linear, access, user, true, &result)) {
        if (access == MMU_FETCH)
            guard_fetch(e, linear);
        e->env->cr[2] = linear;
        e->memory.fault.fetch = access == MMU_FETCH;
        UC_INTERNAL(raise_exception_err_ra)(e->env, VECTOR_PF, (int)result.code, retaddr);
    }
    /* While test registers have written TLB entries of their own (pins), nothing is cached. */
    page_entry *entry = e->memory.coherence.pin_count != 0 ? &e->memory.uncached : held;
    if (access == MMU_FETCH && entry == held && held->read_tag != none)
        drop_fetched(e, index, held);
    e->memory.pages_filled[(side * PAGE_ENTRIES + index) / 64] |= 1ull << index % 64;
    const engine_window *window = physical_window(e, result.physical);
    bool ram = result.physical < e->memory.ram_bytes && window == NULL;
    uint32_t page = result.physical / ENGINE_PAGE_BYTES;
    walk_follow_tables(e, linear);
    if (ram && access == MMU_WRITE) {
        coherence_keep(e, result.physical);
        if (e->memory.table_pages[page])
            walk_before_table_store(e, retaddr);
    }
    bool writable = ram && result.dirty && coherence_copied(&e->memory.coherence, page);
    unsigned why = 0;
    if (writable)
        why = (e->memory.code_lines[page] ? PAGE_CODE : 0u) | (e->memory.table_pages[page] ? PAGE_TABLE : 0u);
    uint8_t *host = ram ? e->memory.ram + result.physical : NULL;
    if (window != NULL && window->host != NULL && access != MMU_FETCH) {
        host = window->host + (result.physical - window->first);
        writable = result.dirty;
    }
    assert(!writable || host != NULL);
    assert(why == 0 || ram);
    uint32_t write_tag = !writable ? none : why ? PAGE_NOTICED_TAG(index, why) : tag;
    *entry = (page_entry){.read_tag = host != NULL ? tag : none,
                          .write_tag = write_tag,
                          .physical = result.physical,
                          .kind = ACCESS_KIND(0, result.flags),
                          .host = host};
    return entry;
}

/* Returns true, with the error code, if an access would page-fault. Raises nothing and sets no accessed bits. */
bool mmu_faults(engine *e, uint32_t linear, mmu_access access, bool user, uint32_t *code)
{
    walk_result result;
    if (walk(e, linear, access, user, false, &result))
        return false;
    *code = result.code;
    return true;
}

/* Returns where the guest's data at `physical` lies in host memory; the open bus outside of RAM and of windows with
 * memory. */
uint8_t *mmu_place(engine *e, uint32_t physical)
{
    const engine_window *window = physical_window(e, physical);
    if (window != NULL && window->host != NULL)
        return window->host + (physical - window->first);
    return physical < e->memory.ram_bytes ? e->memory.ram + physical
                                          : e->memory.open_bus + (physical & ENGINE_PAGE_MASK);
}

/* Translates for the host as supervisor. Returns the place in host memory; NULL if the page is not present. Fetches from a
 * window get the open bus, as in mmu_fill. */
static uint8_t *peek(engine *e, uint32_t linear, mmu_access access, uint32_t *physical)
{
    walk_result result;
    if (!walk(e, linear, access, false, false, &result))
        return NULL;
    *physical = result.physical | (linear & ENGINE_PAGE_MASK);
    if (access == MMU_FETCH && physical_window(e, *physical) != NULL)
        return e->memory.open_bus + (linear & ENGINE_PAGE_MASK);
    return mmu_place(e, *physical);
}

/* Returns where the guest's data at `linear` lies in host memory, and its physical address; NULL if the page is not
 * present. */
uint8_t *mmu_peek(engine *e, uint32_t linear, uint32_t *physical)
{
    return peek(e, linear, MMU_READ, physical);
}

/* Returns where the guest's code at `linear` lies in host memory, and its physical address; NULL if the page is not
 * present. */
uint8_t *mmu_peek_code(engine *e, uint32_t linear, uint32_t *physical)
{
    /* Code is fetched through the cached translation, even if the tables have changed since. */
    const page_entry *held = mmu_code_entry(e, linear, engine_at_user_level(e->env));
    if (mmu_is_held(held, linear)) {
        *physical = held->physical | (linear & ENGINE_PAGE_MASK);
        return held->host + (linear & ENGINE_PAGE_MASK);
    }
    return peek(e, linear, MMU_FETCH, physical);
}

/* Empties the first `count` entries: PAGE_REFERENCES or PAGE_ALL. */
static void flush(engine *e, unsigned count)
{
    assert(count == PAGE_REFERENCES || count == PAGE_ALL);
    for (unsigned i = next_filled(e, 0); i < count; i = next_filled(e, i + 1)) {
        page_entry *held = &e->memory.pages[i / PAGE_ENTRIES][i % PAGE_ENTRIES];
        held->read_tag = held->write_tag = PAGE_NO_TAG(i % PAGE_ENTRIES);
    }
    memset(e->memory.pages_filled, 0, count / 8); /* a bit each */
}

/* Drops the translations of data references. */
void mmu_flush(engine *e)
{
    flush(e, PAGE_REFERENCES);
}

/* Drops the translations of data references and fetches. Unicorn must forget, too, which blocks lie in which pages, so only
 * tlb_flush calls this when code may have been translated. */
void mmu_flush_all(engine *e)
{
    flush(e, PAGE_ALL);
}

/* Drops the translations that INVLPG of `linear` must drop: those for fetches from this page, which may have many entries
 * if it is a 4 MB page. Drops all translations of references, because that is simpler. */
static void flush_page(engine *e, uint32_t linear)
{
    mmu_flush(e);
    for (unsigned i = next_filled(e, PAGE_REFERENCES); i < PAGE_ALL; i = next_filled(e, i + 1)) {
        unsigned index = i % PAGE_ENTRIES;
        page_entry *held = &e->memory.pages[i / PAGE_ENTRIES][index];
        bool large = held->kind & ACCESS_KIND(0, P5_ACCESS_LARGE_PAGE);
        if (held->read_tag != PAGE_NO_TAG(index) &&
            (mmu_is_held(held, linear) || (large && (held->read_tag ^ linear) >> 22 == 0)))
            drop_fetched(e, index, held);
    }
}

/* Must be called when engine_guard.data has changed. Inverts PAGE_GUARDED in the tags of all entries, so that
 * references to pages that are held miss, or hit again. */
void mmu_guard_changed(engine *e)
{
    for (unsigned i = next_filled(e, 0); i < PAGE_ALL; i = next_filled(e, i + 1)) {
        page_entry *held = &e->memory.pages[i / PAGE_ENTRIES][i % PAGE_ENTRIES];
        if (held->read_tag != PAGE_NO_TAG(i % PAGE_ENTRIES))
            mmu_invert_guarded(held);
    }
}

/* --- Replacements of Unicorn's memory management: WRAP(name) is called instead of `name`, which is REAL(name) --- */

/* Drops all translations. Called for MOV to CR3 and changes of CR0 and CR4, also while Unicorn opens (no engine
 * yet). */
void REAL(tlb_flush)(uc_cpu *cpu);
void WRAP(tlb_flush)(uc_cpu *cpu)
{
    engine *e = engine_of(uc_env_of(cpu));
    if (e && e->memory.keeps_translations)
        return;
    REAL(tlb_flush)(cpu); /* also forgets which block lies at which linear address */
    if (e) {
        code_forget_found(e);
        mmu_flush_all(e);
        walk_forget_tables(e);
    }
}

/* Executes MOV to control register `number`. Drops the translations of references, which Unicorn does not do for CR0.CD, and
 * of fetches if Unicorn calls tlb_flush. Without paging, translations do not depend on CR0.PE, which boot loaders and
 * DOS extenders switch around each BIOS call. Keeping them then saves 3 of 8 us of host time for a switch and back. */
void REAL(helper_write_crN)(uc_env *env, int number, uint64_t value);
void mmu_write_control(engine *e, unsigned number, uint32_t value)
{
    const uint32_t translating = CR0_PG | CR0_CD | CR0_NW | CR0_WP;
    uint32_t changed = value ^ (uint32_t)e->env->cr[0];
    e->memory.keeps_translations = number == 0 && (changed & translating) == 0 && (value & CR0_PG) == 0;
    REAL(helper_write_crN)(e->env, (int)number, value);
    if (!e->memory.keeps_translations)
        mmu_flush(e);
    e->memory.keeps_translations = false;
}

/* Executes INVLPG. */
void WRAP(tlb_flush_page)(uc_cpu *cpu, uint64_t address)
{
    engine *e = engine_of(uc_env_of(cpu));
    REAL(tlb_flush_page)(cpu, address);
    if (e) {
        code_forget_found(e);
        flush_page(e, (uint32_t)address);
    }
}

/* Returns and clears what was recorded about the reference that faulted. */
memory_fault mmu_take_fault(engine *e)
{
    const memory_fault fault = e->memory.fault;
    e->memory.fault = (memory_fault){0};
    return fault;
}

/* --- engine.h --- */

/* Translates for the host, without setting accessed bits. Returns false for a page that is not present. */
bool engine_translate(engine *e, uint32_t linear, uint32_t *physical)
{
    return mmu_peek(e, linear, physical) != NULL;
}

/* Drops all translations after the host has changed page tables. */
void engine_flush_translations(engine *e)
{
    WRAP(tlb_flush)(engine_cpu(e));
}

/* Enables address line A20 or forces it to 0, and drops all translations if that is a change. */
void engine_set_a20(engine *e, bool enabled)
{
    uint32_t mask = enabled ? UINT32_MAX : ~(1u << 20);
    if (mask == e->memory.address_mask)
        return;
    e->memory.address_mask = mask;
    engine_flush_translations(e);
}
