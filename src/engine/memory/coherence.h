/* Contents of caches and TLBs that differ from RAM and page tables (coherence.c). */
#ifndef ENGINE_MEMORY_COHERENCE_H
#define ENGINE_MEMORY_COHERENCE_H

#include "engine/internal.h"

/* Frees what the other functions have allocated. */
void coherence_close(engine *e);
/* Returns true unless page number `page` of RAM has to be copied before a store into it. */
static inline bool coherence_copied(const coherence *c, uint32_t page)
{
    return c->memory == NULL || c->copied[page];
}
/* Returns true if an INVD has been found, so that a block has one store at most. */
static inline bool coherence_invd(const engine *e)
{
    return e->memory.coherence.invd;
}
/* Returns true if finding an INVD would make a difference: memory is kept, and no INVD was found yet. */
static inline bool coherence_may_follow(const engine *e)
{
    return e->memory.coherence.memory != NULL && !e->memory.coherence.invd;
}
/* Follows stores one by one: from now on there are no batches, and a block has one store. Otherwise
 * coherence.c learns of a line's way to memory when its batch is priced, after the whole batch was executed.
 * If a later store of the batch changed the same line, which was filled meanwhile, memory would receive the
 * later value from RAM. Only INVD can reveal that, so this is called when a guest is about to execute one. */
void coherence_follow(engine *e);
/* Returns where the bytes 0F 08 of an INVD lie first; NULL if nowhere. They may be a part of another
 * instruction. */
const uint8_t *coherence_find_invd(const uint8_t *bytes, size_t size);
/* Returns the page of `physical` as it is fetched: `from`, which is the page in RAM, or a copy that contains the
 * code lines. The result is valid until the next call. */
const uint8_t *coherence_code_page(engine *e, uint32_t physical, const uint8_t *from);

#endif
