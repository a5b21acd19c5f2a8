/* The hot path of data accesses: a look into the page cache, the access in host memory, its record. */
#ifndef ENGINE_ACCESS_H
#define ENGINE_ACCESS_H

#include <string.h>

#include "engine/internal.h"

static inline void access_record(engine *e, uint32_t linear, uint32_t physical, unsigned size, uint32_t flags)
{
    p5_access *to = e->record_next++;
    to->linear = linear;
    to->physical = physical;
    /* Size, flags and nothing as one word: so the core looks at them, and a host that had to put a load
     * together from stores under way would wait for them. */
    uint32_t kind = size | flags << 8;
    _Static_assert(offsetof(p5_access, flags) == offsetof(p5_access, size) + 1, "one word");
    memcpy(&to->size, &kind, sizeof kind);
}

/* True if the access, `offset` bytes behind an entry's tag, lies in the entry's page. */
static inline bool access_hits(uint32_t offset, unsigned size)
{
    return offset <= ENGINE_PAGE_BYTES - size;
}

/* Size, flags and privilege of an access in one word, so that the slow functions have few parameters. */
static inline uint32_t access_word(unsigned size, bool user, uint32_t flags)
{
    return size | flags << 8 | (uint32_t)user << 16;
}
/* What misses the page cache or crosses a page end (access.c). */
uint64_t access_load_slow(engine *e, uint32_t linear, uint32_t access, uintptr_t retaddr);
void access_store_slow(engine *e, uint32_t linear, uint64_t value, uint32_t access, uintptr_t retaddr);
/* The reference of a store that an exception keeps from storing: it may fault and is recorded; memory stays.
 */
void access_store_nothing(engine *e, uint32_t linear, uint32_t access, uintptr_t retaddr);

/* Where the bytes of a load are, which is recorded: in the guest's memory, or in `kept` if it is not quick.
 */
static inline const uint8_t *access_load_place(uc_env *env, uint64_t address, unsigned size, bool user,
                                               uint32_t flags, uintptr_t retaddr, uint64_t *kept)
{
    engine *e = engine_of(env);
    uint32_t linear = (uint32_t)address;
    const page_entry *page = mmu_entry(e, linear, user);
    uint32_t offset = linear - page->read_tag;
    if (__builtin_expect(!access_hits(offset, size), 0)) {
        *kept = access_load_slow(e, linear, access_word(size, user, flags), retaddr);
        return (const uint8_t *)kept;
    }
    access_record(e, linear, page->physical + offset, size, page->flags | flags);
    return page->host + offset;
}

static inline uint64_t access_load_quick(uc_env *env, uint64_t address, unsigned size, bool user,
                                         uint32_t flags, uintptr_t retaddr)
{
    uint64_t kept, value = 0;
    memcpy(&value, access_load_place(env, address, size, user, flags, retaddr, &kept), size);
    return value;
}

/* Where the bytes of a store that is quick go, which is recorded then; NULL if it is not. */
static inline uint8_t *access_store_place(uc_env *env, uint64_t address, unsigned size, bool user)
{
    engine *e = engine_of(env);
    uint32_t linear = (uint32_t)address;
    const page_entry *page = mmu_entry(e, linear, user);
    uint32_t offset = linear - page->write_tag;
    if (__builtin_expect(!access_hits(offset, size), 0))
        return NULL;
    access_record(e, linear, page->physical + offset, size, page->flags | P5_ACCESS_WRITE);
    return page->host + offset;
}

static inline void access_store_quick(uc_env *env, uint64_t address, uint64_t value, unsigned size, bool user,
                                      uint32_t flags, uintptr_t retaddr)
{
    engine *e = engine_of(env);
    uint32_t linear = (uint32_t)address;
    const page_entry *page = mmu_entry(e, linear, user);
    uint32_t offset = linear - page->write_tag;
    if (__builtin_expect(!access_hits(offset, size), 0)) {
        access_store_slow(e, linear, value, access_word(size, user, flags), retaddr);
        return;
    }
    access_record(e, linear, page->physical + offset, size, page->flags | flags | P5_ACCESS_WRITE);
    memcpy(page->host + offset, &value, size);
}

static inline bool access_at_user_level(const uc_env *env)
{
    return (env->hflags & UC_HF_CPL) == 3;
}

#endif
