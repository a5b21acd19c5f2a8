/* The fast path of data accesses: a lookup in the page cache (page_entry), the access in host memory, its
 * record (p5_access). `retaddr` is where the call from translated code returns to, from which Unicorn finds
 * the running instruction when a fault is raised; 0: the state's EIP and flags are current. A function that
 * gets it may not return. `user` is the privilege: true for CPL 3. */
#ifndef ENGINE_MEMORY_ACCESS_H
#define ENGINE_MEMORY_ACCESS_H

#include <string.h>

#include "engine/memory/mmu.h"
#include "engine/stretch/stretch.h"

/* The mode of translated code that makes a reference decides which references that hit the page cache may still
 * violate their segment (access_inside). In protected mode, none may: while limits have to be checked, no
 * reference hits (PAGE_GUARDED).
 *
 * ACCESS_REAL means real and V86 mode. There a reference with a 16-bit address can violate a segment of 64 KB
 * only by crossing its end, which lies at a multiple of 16. A part of an operand, or a reference with a 32-bit
 * address, can violate it in other ways: ACCESS_ANY, which also serves when the mode is not known. */
enum { PARAGRAPH = 16 }; /* bytes */
typedef enum access_mode { ACCESS_ANY, ACCESS_PROTECTED, ACCESS_REAL, ACCESS_MODES } access_mode;
/* Accesses of instructions, for generated code to call. Indexes: mode, privilege (0 supervisor, 1 user) and
 * size (as power of two; + 4: sign-extended). */
typedef uint64_t access_load(uc_env *env, uint64_t address);
typedef void access_store(uc_env *env, uint64_t address, uint64_t value);
extern access_load *const access_loads[ACCESS_MODES][2][8];
extern access_store *const access_stores[ACCESS_MODES][2][4];
/* Stores a word only if that changes it (ARPL); generated code calls this. */
void access_store_changed(uc_env *env, uint64_t address, uint64_t value);
/* Raises the faults of a store without storing. Generated code calls one of them, by size as power of two. */
typedef void access_check(uc_env *env, uint64_t address);
extern access_check *const access_checks[3];
/* Access memory for microcode, and record that as P5_ACCESS_SYSTEM. access_load_system has the privilege of the
 * supervisor. Without `retaddr`, the state's EIP must be current. */
uint32_t access_load_system(engine *e, uint32_t linear, unsigned size, uintptr_t retaddr);
uint32_t access_load_as(engine *e, uint32_t linear, unsigned size, bool user);
void access_store_system(engine *e, uint32_t linear, unsigned size, uint32_t value, bool user);
/* Sets the bits `set` and clears the bits `clear` in the upper dword of the descriptor at `address` by a locked
 * read-modify-write. Returns the new dword. */
uint32_t access_update_descriptor(engine *e, uint32_t address, uint32_t set, uint32_t clear,
                                  uintptr_t retaddr);
/* Raises #PF unless microcode may make this reference. Records nothing. The state's EIP must be current. */
void access_check_system(engine *e, uint32_t linear, unsigned size, mmu_access access);

/* Records a reference without a check for space: for references that are counted when their block is
 * translated (stream_translated.references), and for callers that have checked. `kind` is an ACCESS_KIND. */
static inline void access_put(engine *e, uint32_t linear, uint32_t physical, uint32_t kind)
{
    p5_access *to = stretch_add_record(e);
    to->linear = linear;
    to->physical = physical;
    /* Size, flags and padding are stored as one word because the core reads them as one; a load that combines
     * several pending stores would have to wait for them. */
    _Static_assert(offsetof(p5_access, flags) == offsetof(p5_access, size) + 1, "one word");
    memcpy(&to->size, &kind, sizeof kind);
}

/* Records a reference. If there is no space, the run ends with a failure. */
static inline void access_record(engine *e, uint32_t linear, uint32_t physical, uint32_t kind)
{
    if (stretch_has_space(e))
        access_put(e, linear, physical, kind);
    else
        stretch_full(e);
}

/* Returns true if an access `offset` bytes after an entry's tag lies in the entry's page. For an address before
 * the tag, `offset` has wrapped around and is too large. */
static inline bool access_hits(uint32_t offset, unsigned size)
{
    return offset <= ENGINE_PAGE_BYTES - size;
}

/* Packs size (bits 0-7), P5_ACCESS_* (8-15) and privilege (16) of an access into one word, so that the slow
 * functions have few parameters. */
static inline uint32_t access_word(unsigned size, bool user, uint32_t flags)
{
    return ACCESS_KIND(size, flags) | (uint32_t)user << 16;
}
/* Execute and record accesses that cannot take the fast path (access.c). `access` is an access_word. A load returns
 * its bytes zero-extended. */
uint64_t access_load_slow(engine *e, uint32_t linear, uint32_t access, uintptr_t retaddr);
void access_store_slow(engine *e, uint32_t linear, uint64_t value, uint32_t access, uintptr_t retaddr);

/* Loads and stores of Unicorn's helper functions, with the current privilege: w, l and q are 2, 4 and 8 bytes. */
uint32_t WRAP(cpu_lduw_data_ra)(uc_env *env, uint64_t address, uintptr_t retaddr);
uint32_t WRAP(cpu_ldl_data_ra)(uc_env *env, uint64_t address, uintptr_t retaddr);
uint64_t WRAP(cpu_ldq_data_ra)(uc_env *env, uint64_t address, uintptr_t retaddr);
void WRAP(cpu_stw_data_ra)(uc_env *env, uint64_t address, uint32_t value, uintptr_t retaddr);
void WRAP(cpu_stl_data_ra)(uc_env *env, uint64_t address, uint32_t value, uintptr_t retaddr);
void WRAP(cpu_stq_data_ra)(uc_env *env, uint64_t address, uint64_t value, uintptr_t retaddr);
/* Raises the faults of a store without storing, before the first of several stores of an instruction. */
void access_check_store(uc_env *env, uint32_t linear, unsigned size, uintptr_t retaddr);

/* A reference that may take the fast path: it lies in a page of the page cache. */
typedef struct access_place {
    const page_entry *page;  /* the entry that was looked up */
    uint32_t linear, offset; /* address of the first byte; the same in the page */
    unsigned size;           /* bytes */
    uint8_t *host;           /* where the bytes lie in host memory */
} access_place;

/* Looks up a reference in the page cache without recording it. Returns true for a hit. */
static inline bool access_find(const engine *e, uint64_t address, unsigned size, bool user, bool write,
                               access_place *at)
{
    at->linear = (uint32_t)address;
    /* This is pages[user][linear / ENGINE_PAGE_BYTES % PAGE_ENTRIES], for which compilers use two shifts. */
    enum { ENTRY = sizeof(page_entry), LAST = (PAGE_ENTRIES - 1) * ENTRY };
    at->page = (const void *)((const char *)e->memory.pages[user] +
                              (at->linear / (ENGINE_PAGE_BYTES / ENTRY) & LAST));
    at->offset = at->linear - (write ? at->page->write_tag : at->page->read_tag);
    at->size = size;
    at->host = at->page->host + at->offset; /* valid for a hit */
    return access_hits(at->offset, size);
}

/* Records a reference that access_find has found. The low byte of `flags` is P5_ACCESS_*. */
static inline void access_found(engine *e, const access_place *at, uint32_t flags)
{
    access_put(e, at->linear, at->page->physical + at->offset,
               at->page->kind | ACCESS_KIND(at->size, flags & 0xff));
}

/* As `retaddr`, ACCESS_RETURN means the return address of the function that contains ACCESS_BACK_TO, into which
 * the quick functions are inlined. It is determined only when needed. */
#define ACCESS_RETURN UINTPTR_MAX
#define ACCESS_BACK_TO(retaddr)                                                                              \
    ((retaddr) == ACCESS_RETURN ? (uintptr_t)__builtin_return_address(0) : (retaddr))

/* `flags` of the quick functions has P5_ACCESS_* in its low byte. The bits above it are the following, and the
 * access_mode. */
#define ACCESS_COUNTED        0x100u /* the record is known to fit */
#define ACCESS_USER           0x200u /* the access has user privilege */
#define ACCESS_BY(user)       ((user) ? ACCESS_USER : 0u)
#define ACCESS_MODE(mode)     ((uint32_t)(mode)*0x1000u)
#define ACCESS_MODE_OF(flags) ((access_mode)((flags) / 0x1000u))

/* Returns false if the reference may violate its segment although it hits the page cache. In ACCESS_REAL, it may
 * if it crosses a multiple of 16; in ACCESS_ANY, whenever limits of 64 KB apply. References of microcode have no
 * limit. */
static inline bool access_inside(const engine *e, uint32_t linear, unsigned size, uint32_t flags)
{
    switch (ACCESS_MODE_OF(flags)) {
    case ACCESS_PROTECTED:
        return true;
    case ACCESS_REAL:
        return linear % PARAGRAPH <= PARAGRAPH - size;
    default:
        return !e->memory.guard.real_limits || flags & P5_ACCESS_SYSTEM;
    }
}

/* Loads and records a reference, and returns its bytes zero-extended. */
static inline __attribute__((always_inline)) uint64_t
access_load_quick(uc_env *env, uint64_t address, unsigned size, uint32_t flags, uintptr_t retaddr)
{
    engine *e = engine_of(env);
    const bool user = flags & ACCESS_USER;
    access_place at;
    if (__builtin_expect(!access_find(e, address, size, user, false, &at), 0) ||
        __builtin_expect(!access_inside(e, (uint32_t)address, size, flags), 0) ||
        (!(flags & ACCESS_COUNTED) && !stretch_has_space(e)))
        return access_load_slow(e, (uint32_t)address, access_word(size, user, flags & 0xff),
                                ACCESS_BACK_TO(retaddr));
    access_found(e, &at, flags);
    uint64_t value = 0;
    memcpy(&value, at.host, size);
    return value;
}

/* Stores the low `size` bytes of `value`, and records the reference. */
static inline __attribute__((always_inline)) void access_store_quick(uc_env *env, uint64_t address,
                                                                     uint64_t value, unsigned size,
                                                                     uint32_t flags, uintptr_t retaddr)
{
    engine *e = engine_of(env);
    const bool user = flags & ACCESS_USER;
    access_place at;
    if (__builtin_expect(!access_find(e, address, size, user, true, &at), 0) ||
        __builtin_expect(!access_inside(e, (uint32_t)address, size, flags), 0) ||
        (!(flags & ACCESS_COUNTED) && !stretch_has_space(e))) {
        access_store_slow(e, (uint32_t)address, value, access_word(size, user, flags & 0xff),
                          ACCESS_BACK_TO(retaddr));
        return;
    }
    access_found(e, &at, flags | P5_ACCESS_WRITE);
    memcpy(at.host, &value, size);
}

#endif
