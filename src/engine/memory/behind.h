/* Cached data and TLB entries that differ from memory and page tables (behind.c; the data are in
 * engine/behind.h). */
#ifndef ENGINE_MEMORY_BEHIND_H
#define ENGINE_MEMORY_BEHIND_H

#include "engine/internal.h"

void behind_close(engine *e);
/* Makes stores be followed one by one: from now on there are no batches, and a block has one store. Otherwise
 * behind.c learns of a store to memory when its batch is priced, after the whole batch was executed. If a
 * later store of the batch changed the same line, which was filled meanwhile, memory would receive the later
 * value from RAM. Only INVD can reveal that, so this is called when a guest is about to execute one. */
void behind_follow(engine *e);
/* Returns the first INVD instruction's bytes; NULL if there is none. */
const uint8_t *behind_find_invd(const uint8_t *bytes, size_t size);
/* Returns the page at `physical` as it is fetched: `from`, which is RAM, or a copy that contains the code
 * lines. The result is valid until the next call. */
const uint8_t *behind_code_page(engine *e, uint32_t physical, const uint8_t *from);

#endif
