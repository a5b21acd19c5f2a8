/* The fast path of data accesses: a lookup in the page cache, the access in host memory, its record. */
#ifndef ENGINE_MEMORY_ACCESS_H
#define ENGINE_MEMORY_ACCESS_H

#include <string.h>

#include "engine/memory/mmu.h"
#include "engine/stretch/stretch.h"

/* The mode of translated code that makes a reference. ACCESS_REAL means real and V86 mode. There a reference
 * with a 16-bit address can violate a segment of 64 KB only by crossing its end, which lies at a multiple of
 * 16. A part of an operand, or a reference with a 32-bit address, can violate it in other ways:
 * ACCESS_ANY. */
enum { PARAGRAPH = 16 };
typedef enum access_mode { ACCESS_ANY, ACCESS_PROTECTED, ACCESS_REAL, ACCESS_MODES } access_mode;
/* Accesses of instructions, by mode, privilege (0 supervisor, 1 user) and size (as power of two, + 4 with
 * sign). */
typedef uint64_t access_load(uc_env *env, uint64_t address);
typedef void access_store(uc_env *env, uint64_t address, uint64_t value);
extern access_load *const access_loads[ACCESS_MODES][2][8];
extern access_store *const access_stores[ACCESS_MODES][2][4];
/* Functions that generated code calls: a store of a word that is only made if it changes the word (ARPL); and
 * the faults of a store without the store, by size. */
void access_store_changed(uc_env *env, uint64_t address, uint64_t value);
typedef void access_check(uc_env *env, uint64_t address);
extern access_check *const access_checks[3];
/* Accesses by microcode, recorded as P5_ACCESS_SYSTEM. */
uint32_t access_load_system(engine *e, uint32_t linear, unsigned size, uintptr_t retaddr);
uint32_t access_load_as(engine *e, uint32_t linear, unsigned size, bool user);
void access_store_system(engine *e, uint32_t linear, unsigned size, uint32_t value, bool user);
/* Sets and clears bits in the upper half of the descriptor at `address` by a locked read-modify-write.
 * Returns the new half. */
uint32_t access_update_descriptor(engine *e, uint32_t address, uint32_t set, uint32_t clear,
                                  uintptr_t retaddr);
/* Raises #PF unless microcode may make this reference. */
void access_check_system(engine *e, uint32_t linear, unsigned size, mmu_access access);

/* Records a reference without a check for space: for references that are counted when their block is
 * translated (stream_translated.references), and for callers that have checked. */
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

static inline void access_record(engine *e, uint32_t linear, uint32_t physical, uint32_t kind)
{
    if (stretch_has_space(e))
        access_put(e, linear, physical, kind);
    else
        stretch_full(e);
}

/* Returns true if an access `offset` bytes after an entry's tag lies in the entry's page. */
static inline bool access_hits(uint32_t offset, unsigned size)
{
    return offset <= ENGINE_PAGE_BYTES - size;
}

/* Packs kind and privilege of an access into one word, so that the slow functions have few parameters. */
static inline uint32_t access_word(unsigned size, bool user, uint32_t flags)
{
    return ACCESS_KIND(size, flags) | (uint32_t)user << 16;
}
/* Do accesses that miss the page cache or cross a page end (access.c). A load returns `size` bytes,
 * zero-extended. */
uint64_t access_load_slow(engine *e, uint32_t linear, uint32_t access, uintptr_t retaddr);
void access_store_slow(engine *e, uint32_t linear, uint64_t value, uint32_t access, uintptr_t retaddr);

/* Loads and stores of Unicorn's helper functions. */
uint32_t WRAP(cpu_lduw_data_ra)(uc_env *env, uint64_t address, uintptr_t retaddr);
uint32_t WRAP(cpu_ldl_data_ra)(uc_env *env, uint64_t address, uintptr_t retaddr);
uint64_t WRAP(cpu_ldq_data_ra)(uc_env *env, uint64_t address, uintptr_t retaddr);
void WRAP(cpu_stw_data_ra)(uc_env *env, uint64_t address, uint32_t value, uintptr_t retaddr);
void WRAP(cpu_stl_data_ra)(uc_env *env, uint64_t address, uint32_t value, uintptr_t retaddr);
void WRAP(cpu_stq_data_ra)(uc_env *env, uint64_t address, uint64_t value, uintptr_t retaddr);
/* Raises the faults of a store, before the first of several stores of an instruction. */
void access_check_store(uc_env *env, uint32_t linear, unsigned size, uintptr_t retaddr);

/* A reference that may take the fast path: it lies in a page of the page cache. */
typedef struct access_place {
    const page_entry *page;
    uint32_t linear, offset;
    unsigned size;
    uint8_t *host;
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

static inline void access_found(engine *e, const access_place *at, uint32_t flags)
{
    access_put(e, at->linear, at->page->physical + at->offset,
               at->page->kind | ACCESS_KIND(at->size, flags & 0xff));
}

/* `retaddr` is the place in the translated code to which the call returns. ACCESS_RETURN means the return
 * address of the function that contains the macro, which is determined only when needed. */
#define ACCESS_RETURN UINTPTR_MAX
#define ACCESS_BACK_TO(retaddr)                                                                              \
    ((retaddr) == ACCESS_RETURN ? (uintptr_t)__builtin_return_address(0) : (retaddr))

/* Bits of `flags`: the record is known to fit; the access has user privilege; an access_mode. */
#define ACCESS_COUNTED        0x100u
#define ACCESS_USER           0x200u
#define ACCESS_BY(user)       ((user) ? ACCESS_USER : 0u)
#define ACCESS_MODE(mode)     ((uint32_t)(mode)*0x1000u)
#define ACCESS_MODE_OF(flags) ((access_mode)((flags) / 0x1000u))

/* Returns false if the reference may violate its segment although it hits the page cache. */
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
