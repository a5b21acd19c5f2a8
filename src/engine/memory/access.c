/* Data accesses. Every load and store of translated code and of Unicorn's helper functions comes here, is
 * done in host memory, and is recorded as the processor makes it. The fast path is a lookup in the page
 * cache; mmu.c does the rest. */
#include <assert.h>
#include <string.h>

#include "engine/memory/access.h"
#include "engine/memory/code.h"
#include "engine/memory/memory_internal.h"

/* Unicorn has the MMU indices 0 to 2; the user's is 1. */
enum { MMU_INDEX_USER = 1 };

static void copy_in(engine *e, const page_entry *page, uint32_t linear, uint8_t *to, unsigned size)
{
    if (page->host)
        memcpy(to, page->host + (linear & ENGINE_PAGE_MASK), size);
    else
        physical_read_device(e, page->physical | (linear & ENGINE_PAGE_MASK), to, size);
}

/* Brings the owner up to the instruction of a reference to a timed device, and makes it look at the devices
 * again after the instruction. May not return. */
static void before_reference(engine *e, const page_entry *page, uintptr_t retaddr)
{
    const engine_window *window = page->host ? NULL : physical_window(e, page->physical);
    if (window == NULL || !window->timed)
        return;
    guard_run_alone(e, retaddr);
    walk_price_before(e);
    engine_request_attention(e);
    stretch_no_batch(e);
}

/* Does guard.c's checks that follow the page checks. */
static void look(engine *e, uint32_t linear, unsigned size, uint32_t flags, uintptr_t retaddr)
{
    p5_access access = {.linear = linear, .size = (uint8_t)size, .flags = (uint8_t)flags};
    guard_access_done(e, &access, retaddr);
}

/* Does a load that misses the page cache or crosses a page end. Both pages are checked before anything is
 * read. */
uint64_t access_load_slow(engine *e, uint32_t linear, uint32_t access, uintptr_t retaddr)
{
    unsigned size = access & 0xff;
    uint32_t flags = access >> 8 & 0xff;
    bool user = access >> 16;
    assert(size == 1 || size == 2 || size == 4 || size == 8);
    uint64_t value = 0;
    uint8_t bytes[8] = {0};
    if (!(flags & P5_ACCESS_SYSTEM))
        guard_access(e, linear, size, false, retaddr);
    page_entry first = *mmu_fill(e, linear, MMU_READ, user, retaddr);
    before_reference(e, &first, retaddr);
    unsigned part = ENGINE_PAGE_BYTES - (linear & ENGINE_PAGE_MASK);
    if (e->memory.guard.data)
        look(e, linear, size, flags, retaddr);
    if (part < size) {
        e->memory.fault.across = linear; /* for refine_page_fault, if the second page faults */
        page_entry second = *mmu_fill(e, linear + part, MMU_READ, user, retaddr);
        e->memory.fault.across = 0;
        copy_in(e, &first, linear, bytes, part);
        copy_in(e, &second, linear + part, bytes + part, size - part);
    } else {
        copy_in(e, &first, linear, bytes, size);
    }
    access_record(e, linear, first.physical | (linear & ENGINE_PAGE_MASK),
                  first.kind | ACCESS_KIND(size, flags));
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* Discards translated code that is about to be overwritten. If the running block is affected, it is left
 * before the store. */
static void overwrite_code(engine *e, const page_entry *page, uint32_t linear, unsigned size,
                           uintptr_t retaddr)
{
    uint32_t physical = page->physical | (linear & ENGINE_PAGE_MASK);
    if (page->host && physical < e->memory.ram_bytes && code_lies_in(e, physical, size))
        code_overwrite(e, physical, size, retaddr);
}

static void copy_out(engine *e, const page_entry *page, uint32_t linear, const uint8_t *from, unsigned size,
                     uintptr_t retaddr)
{
    assert((linear & ENGINE_PAGE_MASK) + size <= ENGINE_PAGE_BYTES);
    if (!page->host) {
        physical_write_device(e, page->physical | (linear & ENGINE_PAGE_MASK), from, size);
        return;
    }
    uint8_t *to = page->host + (linear & ENGINE_PAGE_MASK);
    if (e->memory.coherence.code_count != 0 || memcmp(to, from, size) != 0)
        overwrite_code(e, page, linear, size, retaddr);
    memcpy(to, from, size);
}

/* Checks both pages of a store before anything is written. Returns how many bytes lie in the first. */
static unsigned fill_store(engine *e, uint32_t linear, uint32_t access, page_entry pages[2],
                           uintptr_t retaddr)
{
    unsigned size = access & 0xff, part = ENGINE_PAGE_BYTES - (linear & ENGINE_PAGE_MASK);
    uint32_t flags = access >> 8 & 0xff;
    bool user = access >> 16;
    if (!(flags & P5_ACCESS_SYSTEM))
        guard_access(e, linear, size, true, retaddr);
    pages[0] = pages[1] = *mmu_fill(e, linear, MMU_WRITE, user, retaddr);
    before_reference(e, &pages[0], retaddr);
    if (part < size)
        pages[1] = *mmu_fill(e, linear + part, MMU_WRITE, user, retaddr);
    return part < size ? part : size;
}

static void record_store(engine *e, uint32_t linear, uint32_t access, const page_entry *first)
{
    access_record(e, linear, first->physical | (linear & ENGINE_PAGE_MASK),
                  first->kind | (access & 0xffff) | ACCESS_KIND(0, P5_ACCESS_WRITE));
}

void access_store_slow(engine *e, uint32_t linear, uint64_t value, uint32_t access, uintptr_t retaddr)
{
    page_entry pages[2];
    uint8_t bytes[8];
    memcpy(bytes, &value, sizeof bytes);
    unsigned size = access & 0xff, part = fill_store(e, linear, access, pages, retaddr);
    if (e->memory.guard.data)
        look(e, linear, size, (access >> 8 & 0xff) | P5_ACCESS_WRITE, retaddr);
    copy_out(e, &pages[0], linear, bytes, part, retaddr);
    if (part < size)
        copy_out(e, &pages[1], linear + part, bytes + part, size - part, retaddr);
    record_store(e, linear, access, &pages[0]);
}

void access_check_store(uc_env *env, uint32_t linear, unsigned size, uintptr_t retaddr)
{
    engine *e = engine_of(env);
    page_entry pages[2];
    unsigned part = fill_store(e, linear, access_word(size, engine_at_user_level(env), 0), pages, retaddr);
    if (e->memory.guard.alignment)
        look(e, linear, size, P5_ACCESS_WRITE, retaddr);
    overwrite_code(e, &pages[0], linear, part, retaddr);
    if (part < size)
        overwrite_code(e, &pages[1], linear + part, size - part, retaddr);
}

/* --- Loads and stores of translated code --- */

#define LOAD(name, type, size)                                                                               \
    type WRAP(name)(uc_env * env, uint64_t address, uint32_t index, uintptr_t retaddr)                       \
    {                                                                                                        \
        return (type)access_load_quick(env, address, size, ACCESS_BY(index & MMU_INDEX_USER), retaddr);      \
    }
#define STORE(name, type, size)                                                                              \
    void WRAP(name)(uc_env * env, uint64_t address, type value, uint32_t index, uintptr_t retaddr)           \
    {                                                                                                        \
        access_store_quick(env, address, value, size, ACCESS_BY(index &MMU_INDEX_USER), retaddr);            \
    }
/* The calling code uses the whole register, zero-extended. */
LOAD(helper_ret_ldub_mmu, uint64_t, 1)
LOAD(helper_le_lduw_mmu, uint64_t, 2)
LOAD(helper_le_ldul_mmu, uint64_t, 4)
LOAD(helper_le_ldq_mmu, uint64_t, 8)
STORE(helper_ret_stb_mmu, uint8_t, 1)
STORE(helper_le_stw_mmu, uint16_t, 2)
STORE(helper_le_stl_mmu, uint32_t, 4)
STORE(helper_le_stq_mmu, uint64_t, 8)

/* The functions that emit.c calls, by mode, privilege, and size and sign in emit.c's numbering. */
#define EMITTED_LOAD(name, size, user, mode)                                                                 \
    static uint64_t name(uc_env *env, uint64_t address)                                                      \
    {                                                                                                        \
        return access_load_quick(env, address, size, ACCESS_BY(user) | ACCESS_COUNTED | ACCESS_MODE(mode),   \
                                 ACCESS_RETURN);                                                             \
    }
#define EMITTED_SIGNED_LOAD(name, size, user, mode)                                                          \
    static uint64_t name(uc_env *env, uint64_t address)                                                      \
    {                                                                                                        \
        return (uint64_t)(int##size##_t)access_load_quick(                                                   \
            env, address, size / 8, ACCESS_BY(user) | ACCESS_COUNTED | ACCESS_MODE(mode), ACCESS_RETURN);    \
    }
#define EMITTED_STORE(name, size, user, mode)                                                                \
    static void name(uc_env *env, uint64_t address, uint64_t value)                                          \
    {                                                                                                        \
        access_store_quick(env, address, value, size, ACCESS_BY(user) | ACCESS_COUNTED | ACCESS_MODE(mode),  \
                           ACCESS_RETURN);                                                                   \
    }
#define EMITTED_FOR(suffix, user, mode)                                                                      \
    EMITTED_LOAD(load_byte_##suffix, 1, user, mode)                                                          \
    EMITTED_LOAD(load_word_##suffix, 2, user, mode)                                                          \
    EMITTED_LOAD(load_dword_##suffix, 4, user, mode)                                                         \
    EMITTED_LOAD(load_qword_##suffix, 8, user, mode)                                                         \
    EMITTED_SIGNED_LOAD(load_signed_byte_##suffix, 8, user, mode)                                            \
    EMITTED_SIGNED_LOAD(load_signed_word_##suffix, 16, user, mode)                                           \
    EMITTED_SIGNED_LOAD(load_signed_dword_##suffix, 32, user, mode)                                          \
    EMITTED_STORE(store_byte_##suffix, 1, user, mode)                                                        \
    EMITTED_STORE(store_word_##suffix, 2, user, mode)                                                        \
    EMITTED_STORE(store_dword_##suffix, 4, user, mode)                                                       \
    EMITTED_STORE(store_qword_##suffix, 8, user, mode)
EMITTED_FOR(any_supervisor, false, ACCESS_ANY)
EMITTED_FOR(any_user, true, ACCESS_ANY)
EMITTED_FOR(supervisor, false, ACCESS_PROTECTED)
EMITTED_FOR(user, true, ACCESS_PROTECTED)
EMITTED_FOR(real, false, ACCESS_REAL)
EMITTED_FOR(v86, true, ACCESS_REAL)

#define LOADS(suffix)                                                                                        \
    {                                                                                                        \
        load_byte_##suffix, load_word_##suffix, load_dword_##suffix, load_qword_##suffix,                    \
            load_signed_byte_##suffix, load_signed_word_##suffix, load_signed_dword_##suffix,                \
            load_qword_##suffix                                                                              \
    }
#define STORES(suffix)                                                                                       \
    {                                                                                                        \
        store_byte_##suffix, store_word_##suffix, store_dword_##suffix, store_qword_##suffix                 \
    }
access_load *const access_loads[ACCESS_MODES][2][8] = {
    [ACCESS_ANY] = {LOADS(any_supervisor), LOADS(any_user)},
    [ACCESS_PROTECTED] = {LOADS(supervisor), LOADS(user)},
    [ACCESS_REAL] = {LOADS(real), LOADS(v86)},
};
access_store *const access_stores[ACCESS_MODES][2][4] = {
    [ACCESS_ANY] = {STORES(any_supervisor), STORES(any_user)},
    [ACCESS_PROTECTED] = {STORES(supervisor), STORES(user)},
    [ACCESS_REAL] = {STORES(real), STORES(v86)},
};

void access_store_changed(uc_env *env, uint64_t address, uint64_t value)
{
    engine *e = engine_of(env);
    uint8_t now[2];
    if (engine_read_linear(e, (uint32_t)address, now, sizeof now) &&
        (now[0] | (unsigned)now[1] << 8) == (value & 0xffff))
        return;
    guard_changes(e, ACCESS_RETURN);
    access_store_quick(env, address, value, 2, ACCESS_BY(engine_at_user_level(env)), ACCESS_RETURN);
}

#define CHECK(name, size)                                                                                    \
    static void name(uc_env *env, uint64_t address)                                                          \
    {                                                                                                        \
        access_check_store(env, (uint32_t)address, size, (uintptr_t)__builtin_return_address(0));            \
    }
CHECK(check_byte, 1)
CHECK(check_word, 2)
CHECK(check_dword, 4)
access_check *const access_checks[3] = {check_byte, check_word, check_dword};

/* --- Loads and stores of helper functions on behalf of an instruction --- */

#define LOAD_DATA(name, type, size)                                                                          \
    type WRAP(name)(uc_env * env, uint64_t address, uintptr_t retaddr)                                       \
    {                                                                                                        \
        return (type)access_load_quick(env, address, size, ACCESS_BY(engine_at_user_level(env)), retaddr);   \
    }
#define STORE_DATA(name, type, size)                                                                         \
    void WRAP(name)(uc_env * env, uint64_t address, type value, uintptr_t retaddr)                           \
    {                                                                                                        \
        access_store_quick(env, address, value, size, ACCESS_BY(engine_at_user_level(env)), retaddr);        \
    }
LOAD_DATA(cpu_ldub_data_ra, uint32_t, 1)
LOAD_DATA(cpu_lduw_data_ra, uint32_t, 2)
LOAD_DATA(cpu_ldl_data_ra, uint32_t, 4)
LOAD_DATA(cpu_ldq_data_ra, uint64_t, 8)
STORE_DATA(cpu_stb_data_ra, uint32_t, 1)
STORE_DATA(cpu_stw_data_ra, uint32_t, 2)
STORE_DATA(cpu_stl_data_ra, uint32_t, 4)
STORE_DATA(cpu_stq_data_ra, uint64_t, 8)

int WRAP(cpu_ldsw_data_ra)(uc_env *env, uint64_t address, uintptr_t retaddr)
{
    return (int16_t)access_load_quick(env, address, 2, ACCESS_BY(engine_at_user_level(env)), retaddr);
}

/* --- Loads and stores of microcode: descriptors, IDT, TSS, stacks of far transfers --- */

static bool in_table(const uc_segment *table, uint32_t linear, unsigned size)
{
    uint32_t offset = linear - (uint32_t)table->base;
    return offset <= table->limit && table->limit - offset >= size - 1;
}

/* Joins two references into one: the processor reads a descriptor as one 8-byte reference and a real-mode
 * vector as one of 4 bytes, but Unicorn reads them in halves. */
static void join_halves(engine *e, uint32_t linear, unsigned size)
{
    const uc_env *env = e->env;
    bool vector = in_table(&env->idt, linear, size);
    bool descriptor =
        env->hflags & UC_HF_PE && (in_table(&env->gdt, linear, size) || in_table(&env->ldt, linear, size));
    if (!vector && !descriptor)
        return;
    unsigned whole = env->hflags & UC_HF_PE ? 8 : 4;
    if (descriptor)
        stretch_descriptor_read(e);
    if (size != whole / 2 || stretch_recorded(e) < 2)
        return;
    p5_access *second = stretch_last_record(e), *first = second - 1;
    if (first->linear + first->size == second->linear && first->size == size &&
        first->flags == second->flags && first->flags & P5_ACCESS_SYSTEM &&
        !(first->flags & P5_ACCESS_WRITE)) {
        first->size = (uint8_t)whole;
        stretch_drop_record(e);
    }
}

static uint32_t load_system(uc_env *env, uint32_t linear, unsigned size, bool user, uintptr_t retaddr)
{
    uint32_t value =
        (uint32_t)access_load_quick(env, linear, size, ACCESS_BY(user) | P5_ACCESS_SYSTEM, retaddr);
    join_halves(engine_of(env), linear, size);
    return value;
}

uint32_t access_load_system(engine *e, uint32_t linear, unsigned size, uintptr_t retaddr)
{
    return load_system(e->env, linear, size, false, retaddr);
}

uint32_t access_load_as(engine *e, uint32_t linear, unsigned size, bool user)
{
    return load_system(e->env, linear, size, user, 0);
}

void access_store_system(engine *e, uint32_t linear, unsigned size, uint32_t value, bool user)
{
    access_store_quick(e->env, linear, value, size, ACCESS_BY(user) | P5_ACCESS_SYSTEM, 0);
}

uint32_t access_update_descriptor(engine *e, uint32_t address, uint32_t set, uint32_t clear,
                                  uintptr_t retaddr)
{
    assert((set & clear) == 0);
    enum { HALF = 4, LOCKED = P5_ACCESS_SYSTEM | P5_ACCESS_LOCKED };
    uint32_t high = (uint32_t)access_load_quick(e->env, address + HALF, HALF, LOCKED, retaddr);
    high = (high & ~clear) | set;
    access_store_quick(e->env, address + HALF, high, HALF, LOCKED, retaddr);
    return high;
}

void access_check_system(engine *e, uint32_t linear, unsigned size, mmu_access access)
{
    mmu_fill(e, linear, access, false, 0);
    if ((linear & ENGINE_PAGE_MASK) + size > ENGINE_PAGE_BYTES)
        mmu_fill(e, linear + size - 1, access, false, 0);
}

#define LOAD_SYSTEM(name, size)                                                                              \
    uint32_t WRAP(name)(uc_env * env, uint64_t address, int index, uintptr_t retaddr)                        \
    {                                                                                                        \
        return load_system(env, (uint32_t)address, size, index == MMU_INDEX_USER, retaddr);                  \
    }
#define STORE_SYSTEM(name, size)                                                                             \
    void WRAP(name)(uc_env * env, uint64_t address, uint32_t value, int index, uintptr_t retaddr)            \
    {                                                                                                        \
        access_store_quick(env, address, value, size, ACCESS_BY(index == MMU_INDEX_USER) | P5_ACCESS_SYSTEM, \
                           retaddr);                                                                         \
    }
LOAD_SYSTEM(cpu_ldub_mmuidx_ra, 1)
LOAD_SYSTEM(cpu_lduw_mmuidx_ra, 2)
LOAD_SYSTEM(cpu_ldl_mmuidx_ra, 4)
STORE_SYSTEM(cpu_stb_mmuidx_ra, 1)
STORE_SYSTEM(cpu_stw_mmuidx_ra, 2)
STORE_SYSTEM(cpu_stl_mmuidx_ra, 4)
