/* What the caches and TLBs hold apart from memory and page tables is kept and asked (behind.c; the data are
 * in engine/behind.h). */
#ifndef ENGINE_MEMORY_BEHIND_H
#define ENGINE_MEMORY_BEHIND_H

#include "engine/internal.h"

void behind_close(engine *e);
/* A store that goes to memory is told to behind.c when its batch is priced, all of which has been executed
 * by then; memory would get what a later store of the batch, into the line meanwhile filled, has left in
 * RAM. Only INVD can show that. So once a guest comes near one there are no batches, and blocks have one
 * store each: stores are followed one by one. */
void behind_follow(engine *e);
/* The bytes of an INVD, where they stand first; NULL: they do not. */
const uint8_t *behind_find_invd(const uint8_t *bytes, size_t size);
/* Page `page` as it is fetched: the RAM at `from`, or a copy with the code lines in it, good until the next
 * call. */
const uint8_t *behind_code_page(engine *e, uint32_t physical, const uint8_t *from);

#endif
