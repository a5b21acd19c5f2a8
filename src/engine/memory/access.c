/* Data accesses. Every load and store of translated code and of Unicorn's helper functions comes here, is
 * done in host memory, and is recorded (p5_access) as the processor makes it, for the timing model. The fast
 * path is a lookup in the page cache, whose entries map linear pages to host memory (page_entry); mmu_fill
 * finds the entry of any other page, or raises #PF.
 *
 * A WRAP(name) here replaces Unicorn's function `name`. `retaddr` is where the call from translated code
 * returns to. Unicorn derives EIP and the flags of the running instruction from it when a fault is raised; 0
 * means that the state is current. A function that gets it may not return. `access` is a word made by
 * access_word: size, P5_ACCESS_* and privilege. */
#include <assert.h>
#include <string.h>

#include "engine/memory/access.h"
#include "engine/memory/code.h"
#include "engine/memory/memory_internal.h"

/* Reads bytes of one page, from memory or a device. */
static void copy_in(engine *e, const page_entry *page, uint32_t linear, uint8_t *to, unsigned size)
{
    if (page->host)
        memcpy(to, page->host + (linear & ENGINE_PAGE_MASK), size);
    else
        physical_read_device(e, page->physical | (linear & ENGINE_PAGE_MASK), to, size);
}

/* Prepares a reference to a timed device, whose state depends on the clock: leaves the block so that the
 * instruction runs alone, has everything before it priced, and requests that the engine's owner looks at the
 * devices after it. Does nothing for other pages. May not return. */
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

/* Checks alignment and data breakpoints. Must follow the page faults of both pages, which come first. */
static void check_reference(engine *e, uint32_t linear, unsigned size, uint32_t flags, uintptr_t retaddr)
{
    p5_access access = {.linear = linear, .size = (uint8_t)size, .flags = (uint8_t)flags};
    guard_access_done(e, &access, retaddr);
}

/* Executes and records a load that cannot take the fast path: it misses the page cache, crosses a page end or may
 * violate its segment. Both pages are checked before anything is read. The entries are copied, because mmu_fill may
 * return the same one again. */
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
    page_entry first = *mmu_fill(e, linear, MMU_READ, user, retaddr), second = first;
    before_reference(e, &first, retaddr);
    unsigned part = ENGINE_PAGE_BYTES - (linear & ENGINE_PAGE_MASK); /* bytes up to the end of the page */
    if (part < size) {
        e->memory.fault.across = linear; /* for the page fault, if the second page has one */
        second = *mmu_fill(e, linear + part, MMU_READ, user, retaddr);
        e->memory.fault.across = 0;
    } else {
        part = size;
    }
    if (e->memory.guard.data)
        check_reference(e, linear, size, flags, retaddr);
    copy_in(e, &first, linear, bytes, part);
    if (part < size)
        copy_in(e, &second, linear + part, bytes + part, size - part);
    access_record(e, linear, first.physical | (linear & ENGINE_PAGE_MASK),
                  first.kind | ACCESS_KIND(size, flags));
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* Discards translated code in bytes of one page that are about to be overwritten. If the running block is
 * affected, it is left before the store. */
static void overwrite_code(engine *e, const page_entry *page, uint32_t linear, unsigned size,
                           uintptr_t retaddr)
{
    uint32_t physical = page->physical | (linear & ENGINE_PAGE_MASK);
    if (page->host && physical < e->memory.ram_bytes && code_lies_in(e, physical, size))
        code_overwrite(e, physical, size, retaddr);
}

/* Writes bytes of one page, to memory or a device. A store that changes no byte leaves translated code valid,
 * unless there is code that was translated from other bytes than RAM's (code_count). */
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

/* Checks both pages of a store before anything is written, and returns their entries in `pages`; both are the
 * same if the store lies in one page. Returns how many bytes lie in the first. */
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

/* Records a store, as one reference even if it crosses a page end. */
static void record_store(engine *e, uint32_t linear, uint32_t access, const page_entry *first)
{
    access_record(e, linear, first->physical | (linear & ENGINE_PAGE_MASK),
                  first->kind | (access & 0xffff) | ACCESS_KIND(0, P5_ACCESS_WRITE));
}

/* Executes and records a store that cannot take the fast path. */
void access_store_slow(engine *e, uint32_t linear, uint64_t value, uint32_t access, uintptr_t retaddr)
{
    page_entry pages[2];
    uint8_t bytes[8];
    memcpy(bytes, &value, sizeof bytes);
    unsigned size = access & 0xff, part = fill_store(e, linear, access, pages, retaddr);
    if (e->memory.guard.data)
        check_reference(e, linear, size, (access >> 8 & 0xff) | P5_ACCESS_WRITE, retaddr);
    copy_out(e, &pages[0], linear, bytes, part, retaddr);
    if (part < size)
        copy_out(e, &pages[1], linear + part, bytes + part, size - part, retaddr);
    record_store(e, linear, access, &pages[0]);
}

/* Raises the faults that a store would have, and leaves the block if the store would change its code. Stores and
 * records nothing. */
void access_check_store(uc_env *env, uint32_t linear, unsigned size, uintptr_t retaddr)
{
    engine *e = engine_of(env);
    page_entry pages[2];
    unsigned part = fill_store(e, linear, access_word(size, engine_at_user_level(env), 0), pages, retaddr);
    if (e->memory.guard.alignment) /* data breakpoints are matched by the store itself */
        check_reference(e, linear, size, P5_ACCESS_WRITE, retaddr);
    overwrite_code(e, &pages[0], linear, part, retaddr);
    if (part < size)
        overwrite_code(e, &pages[1], linear + part, size - part, retaddr);
}

/* --- Loads and stores of translated code. The low bits of `index` are the MMU index --- */

#define LOAD(name, type, size)                                                                               \
    type WRAP(name)(uc_env * env, uint64_t address, uint32_t index, uintptr_t retaddr)                       \
    {                                                                                                        \
        return (type)access_load_quick(env, address, size, ACCESS_BY(index & UC_MMU_INDEX_USER), retaddr);   \
    }
#define STORE(name, type, size)                                                                              \
    void WRAP(name)(uc_env * env, uint64_t address, type value, uint32_t index, uintptr_t retaddr)           \
    {                                                                                                        \
        access_store_quick(env, address, value, size, ACCESS_BY(index &UC_MMU_INDEX_USER), retaddr);         \
    }
/* Loads return 64 bits, because translated code uses the whole register, zero-extended. */
LOAD(helper_ret_ldub_mmu, uint64_t, 1)
LOAD(helper_le_lduw_mmu, uint64_t, 2)
LOAD(helper_le_ldul_mmu, uint64_t, 4)
LOAD(helper_le_ldq_mmu, uint64_t, 8)
STORE(helper_ret_stb_mmu, uint8_t, 1)
STORE(helper_le_stw_mmu, uint16_t, 2)
STORE(helper_le_stl_mmu, uint32_t, 4)
STORE(helper_le_stq_mmu, uint64_t, 8)

/* The functions that code generated by emit.c calls: one for each mode (access_mode), privilege, size and
 * sign, so that these are constants in the fast path. */
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

/* In the order of access_loads. A qword has no sign to extend, so it stands in both halves. */
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

/* Stores a word unless memory holds it already (ARPL). If its page is not present, the store faults. */
void access_store_changed(uc_env *env, uint64_t address, uint64_t value)
{
    engine *e = engine_of(env);
    uint8_t now[2];
    if (engine_read_linear(e, (uint32_t)address, now, sizeof now) &&
        (now[0] | (unsigned)now[1] << 8) == (value & 0xffff))
        return;
    guard_arpl_store(e, ACCESS_RETURN); /* #GP for a store through CS */
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

/* --- Data references of the C functions by which Unicorn executes complex instructions --- */

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

/* Returns whether the bytes at `linear` lie within the limit of a descriptor table. */
static bool in_table(const uc_segment *table, uint32_t linear, unsigned size)
{
    uint32_t offset = linear - (uint32_t)table->base;
    return offset <= table->limit && table->limit - offset >= size - 1;
}

/* Joins the last two recorded reads into one if the last, of `size` bytes at `linear`, is the second half of a
 * table entry: the processor reads a descriptor as one 8-byte reference and a real-mode vector as one of 4
 * bytes, but Unicorn reads them in halves. Also records that the running block has read a descriptor. */
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

/* Loads for microcode. `user`: with the rights of CPL 3. */
static uint32_t load_system(uc_env *env, uint32_t linear, unsigned size, bool user, uintptr_t retaddr)
{
    uint32_t value =
        (uint32_t)access_load_quick(env, linear, size, ACCESS_BY(user) | P5_ACCESS_SYSTEM, retaddr);
    join_halves(engine_of(env), linear, size);
    return value;
}

/* Loads for microcode as supervisor. */
uint32_t access_load_system(engine *e, uint32_t linear, unsigned size, uintptr_t retaddr)
{
    return load_system(e->env, linear, size, false, retaddr);
}

/* Loads for microcode with the privilege `user`. The state must be current. */
uint32_t access_load_as(engine *e, uint32_t linear, unsigned size, bool user)
{
    return load_system(e->env, linear, size, user, 0);
}

/* Stores for microcode with the privilege `user`. The state must be current. */
void access_store_system(engine *e, uint32_t linear, unsigned size, uint32_t value, bool user)
{
    access_store_quick(e->env, linear, value, size, ACCESS_BY(user) | P5_ACCESS_SYSTEM, 0);
}

/* Sets and clears bits in the upper dword of the descriptor at `address`. Returns the new dword. */
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

/* Raises #PF unless the supervisor may make this reference. The state must be current. */
void access_check_system(engine *e, uint32_t linear, unsigned size, mmu_access access)
{
    mmu_fill(e, linear, access, false, 0);
    if ((linear & ENGINE_PAGE_MASK) + size > ENGINE_PAGE_BYTES)
        mmu_fill(e, linear + size - 1, access, false, 0);
}

/* References of the microcode that the engine leaves to Unicorn. */
#define LOAD_SYSTEM(name, size)                                                                              \
    uint32_t WRAP(name)(uc_env * env, uint64_t address, int index, uintptr_t retaddr)                        \
    {                                                                                                        \
        return load_system(env, (uint32_t)address, size, index == UC_MMU_INDEX_USER, retaddr);               \
    }
#define STORE_SYSTEM(name, size)                                                                             \
    void WRAP(name)(uc_env * env, uint64_t address, uint32_t value, int index, uintptr_t retaddr)            \
    {                                                                                                        \
        access_store_quick(env, address, value, size,                                                        \
                           ACCESS_BY(index == UC_MMU_INDEX_USER) | P5_ACCESS_SYSTEM, retaddr);               \
    }
LOAD_SYSTEM(cpu_ldub_mmuidx_ra, 1)
LOAD_SYSTEM(cpu_lduw_mmuidx_ra, 2)
LOAD_SYSTEM(cpu_ldl_mmuidx_ra, 4)
STORE_SYSTEM(cpu_stb_mmuidx_ra, 1)
STORE_SYSTEM(cpu_stw_mmuidx_ra, 2)
STORE_SYSTEM(cpu_stl_mmuidx_ra, 4)
