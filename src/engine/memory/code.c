/* Translated code: where it lies in RAM, what Unicorn fetches to translate, and the lookup of a block by where
 * control went. A WRAP(name) replaces Unicorn's function `name`, which REAL(name) calls. */
#include <assert.h>

#include "engine/memory/code.h"
#include "engine/memory/memory_internal.h"
#include "engine/stretch/stretch.h"

/* Empties the cache of blocks by EIP (memory_state.found). A place of all ones matches no EIP. */
void code_forget_found(engine *e)
{
    if (!e->memory.found_none)
        memset(e->memory.found, 0xff, sizeof e->memory.found);
    e->memory.found_none = true;
}

/* Records the address of a translated block. Returns whether 3/4 of the buffer for translated code are used. */
bool code_translated(engine *e, uintptr_t at)
{
    if (e->memory.translations == 0 || at < e->memory.translations)
        e->memory.translations = at;
    return at - e->memory.translations > ENGINE_TRANSLATIONS / 4 * 3;
}

static bool is_flat(const uc_env *env)
{
    return env->segs[ENGINE_CS].base == 0;
}

/* Lets Unicorn look up the block, and caches the result for `place` in *found. */
const void *REAL(helper_lookup_tb_ptr)(uc_env *env);
static const void *__attribute__((noinline)) find(uc_env *env, found_block *found, uint64_t place)
{
    const void *code = REAL(helper_lookup_tb_ptr)(env);
    engine *e = engine_of(env);
    /* A lower address is that of Unicorn's epilogue: the block has not been translated yet. */
    if (is_flat(env) && (uintptr_t)code > e->memory.translations) {
        *found = (found_block){place, code};
        e->memory.found_none = false;
    }
    return code;
}

/* Returns the translated code to which a return or an indirect branch leads. `place` is EIP and the mode for which
 * the code was translated. This cache avoids Unicorn's own table, where a lookup waits for two lines of the host's
 * memory, and which has only 64 entries for a page. */
const void *WRAP(helper_lookup_tb_ptr)(uc_env *env);
const void *WRAP(helper_lookup_tb_ptr)(uc_env *env)
{
    engine *e = engine_of(env);
    const uint64_t flags = env->hflags | (env->eflags & UC_BLOCK_EFLAGS), place = env->eip | flags << 32;
    found_block *found = &e->memory.found[(env->eip ^ env->eip / FOUND_BLOCKS) % FOUND_BLOCKS];
    return __builtin_expect(found->place == place && is_flat(env), 1) ? found->code : find(env, found, place);
}

/* --- Where code lies --- */

/* Returns a mask of the 64ths of their page that these bytes touch. */
static uint64_t lines_of(uint32_t physical, unsigned size)
{
    enum { LINE_BYTES = ENGINE_PAGE_BYTES / 64 };
    assert(size > 0 && (physical & ENGINE_PAGE_MASK) + size <= ENGINE_PAGE_BYTES);
    unsigned first = (physical & ENGINE_PAGE_MASK) / LINE_BYTES,
             last = ((physical & ENGINE_PAGE_MASK) + size - 1) / LINE_BYTES;
    return UINT64_MAX >> (63 - (last - first)) << first;
}

/* Returns whether translated code lies in a line that these bytes of one page touch. */
bool code_lies_in(const engine *e, uint32_t physical, unsigned size)
{
    assert(physical < e->memory.ram_bytes);
    return e->memory.code_lines[physical / ENGINE_PAGE_BYTES] & lines_of(physical, size);
}

/* Marks bytes of one page as translated code. The first mark in a page makes stores into it take mmu_fill. */
void code_protect(engine *e, uint32_t physical, unsigned size)
{
    if (physical >= e->memory.ram_bytes || size == 0)
        return;
    uint64_t *lines = &e->memory.code_lines[physical / ENGINE_PAGE_BYTES], before = *lines;
    *lines |= lines_of(physical, size);
    if (before == 0)
        mmu_notice_stores(e, physical & ~(uint32_t)ENGINE_PAGE_MASK, PAGE_CODE);
}

/* Returns whether the page of `physical` is RAM without translated code. */
bool code_none_in_page(const engine *e, uint32_t physical)
{
    return physical < e->memory.ram_bytes && !e->memory.code_lines[physical / ENGINE_PAGE_BYTES];
}

/* Discards all translated code. */
void code_forget(engine *e)
{
    code_forget_found(e);
    for (uint32_t page = 0; page < e->memory.ram_bytes / ENGINE_PAGE_BYTES; page++) {
        uint64_t start = (uint64_t)page * ENGINE_PAGE_BYTES;
        if (e->memory.code_lines[page])
            UC_INTERNAL(tb_invalidate_phys_range)(e->uc, start, start + ENGINE_PAGE_BYTES);
    }
}

/* Discards the translated code in these bytes of one page, which a store of the guest is about to change. If
 * `retaddr` lies in that code, Unicorn leaves it before the store. Before that, the owner processes what was
 * executed, because it may still read the old bytes. */
void code_overwrite(engine *e, uint32_t physical, unsigned size, uintptr_t retaddr)
{
    assert(code_lies_in(e, physical, size));
    engine_catch_up(e);
    code_forget_found(e);
    void *pages = UC_INTERNAL(page_collection_lock)(e->uc, physical, physical + size);
    UC_INTERNAL(tb_invalidate_phys_page_fast)(e->uc, pages, physical, (int)size, retaddr);
    UC_INTERNAL(page_collection_unlock)(pages);
}

/* Discards the translated code in these bytes, if there is any. They may lie in several pages and beyond RAM. */
void engine_flush_code(engine *e, uint32_t physical, uint32_t size)
{
    if (!size || physical >= e->memory.ram_bytes)
        return;
    uint32_t last =
        size - 1 < e->memory.ram_bytes - 1 - physical ? physical + size - 1 : e->memory.ram_bytes - 1;
    for (uint32_t at = physical, end; at <= last; at = end + 1) {
        end = (at | ENGINE_PAGE_MASK) < last ? at | ENGINE_PAGE_MASK : last;
        if (code_lies_in(e, at, end - at + 1)) {
            code_forget_found(e);
            UC_INTERNAL(tb_invalidate_phys_range)(e->uc, physical, (uint64_t)last + 1);
            return;
        }
    }
}

/* --- What Unicorn fetches --- */

/* Replaces the bytes at `linear` that Unicorn fetches to translate, until the next call, by those that the caller puts
 * into the buffer that is returned. With 0 bytes, Unicorn fetches from memory again. */
uint8_t *code_substitute_bytes(engine *e, uint32_t linear, unsigned size)
{
    assert(size <= sizeof e->memory.substitute.bytes);
    e->memory.substitute.linear = linear;
    e->memory.substitute.size = size;
    return e->memory.substitute.bytes;
}

/* Returns the address under which Unicorn stores the translated block in its tables, which is the physical address.
 * -1, for code outside of RAM, means that the block is not stored, but translated again each time. */
uint64_t WRAP(get_page_addr_code)(uc_env *env, uint64_t address)
{
    engine *e = engine_of(env);
    uint32_t linear = (uint32_t)address;
    bool user = engine_at_user_level(env);
    page_entry *entry = mmu_code_entry(e, linear, user);
    if (!mmu_is_held(entry, linear))
        entry = mmu_fill(e, linear, MMU_FETCH, user, 0);
    return entry->host ? entry->physical | (linear & ENGINE_PAGE_MASK) : UINT64_MAX;
}

/* Returns `size` bytes of code as the processor fetches them: substituted ones, those of the code cache, or RAM.
 * Raises the faults of a fetch. */
static uint32_t load_code(uc_env *env, uint32_t linear, unsigned size)
{
    engine *e = engine_of(env);
    bool user = engine_at_user_level(env);
    uint32_t value = 0;
    for (unsigned i = 0; i < size; i++) {
        uint32_t at = linear + i;
        if (at - e->memory.substitute.linear < e->memory.substitute.size) {
            value |= (uint32_t)e->memory.substitute.bytes[at - e->memory.substitute.linear] << (8 * i);
            continue;
        }
        page_entry *entry = mmu_code_entry(e, at, user);
        if (!mmu_is_held(entry, at))
            entry = mmu_fill(e, at, MMU_FETCH, user, 0);
        uint32_t offset = at & ENGINE_PAGE_MASK;
        uint8_t byte = entry->host ? entry->host[offset] : 0xff; /* the open bus */
        if (e->memory.coherence.code_count != 0)
            byte = coherence_code_byte(e, entry->physical | offset, byte);
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

/* Unicorn calls this for the first block of a page. There is nothing to do, because code_protect records where
 * the code lies. */
void WRAP(tlb_protect_code)(uc_engine *uc, uint64_t ram_address)
{
    (void)uc, (void)ram_address;
}

/* Unicorn calls this when it has discarded the last block of a page. */
void WRAP(tlb_unprotect_code)(uc_engine *uc, uint64_t ram_address)
{
    engine *e = engine_of(uc_env_of(uc_cpu_of_handle(uc)));
    if (ram_address < e->memory.ram_bytes)
        e->memory.code_lines[ram_address / ENGINE_PAGE_BYTES] = 0;
}
