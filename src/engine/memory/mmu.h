/* Translations, physical memory, and which part of it is translated code (mmu.c). */
#ifndef ENGINE_MEMORY_MMU_H
#define ENGINE_MEMORY_MMU_H

#include "engine/internal.h"

/* Size and flags of an access as in its record. */
#define ACCESS_KIND(size, flags) ((uint32_t)(size) | (uint32_t)(flags) << 8)

#define PAGE_NO_TAG(index) (((uint32_t)(index) ^ 1) * ENGINE_PAGE_BYTES)
/* Changes an entry's own tags to those that it has while guard.c checks every reference, and back. */
enum { PAGE_GUARDED = 8 * ENGINE_PAGE_BYTES };

typedef enum mmu_access { MMU_READ, MMU_WRITE, MMU_FETCH } mmu_access;
/* Returns true, with the error code, if an access to `linear` would page-fault. */
bool mmu_faults(engine *e, uint32_t linear, mmu_access access, bool user, uint32_t *code);
/* Returns host memory for fetches from `linear`, for the host's own use, without faults or accessed bits.
 * Returns NULL if the page is not present. */
uint8_t *mmu_peek_code(engine *e, uint32_t linear, uint32_t *physical);
/* Returns true if the page belongs to a window (engine_set_window); then it is not RAM. */
bool mmu_is_window(const engine *e, uint32_t physical);
/* Drop the cached translations of references; mmu_flush_all drops those of fetches, too. */
void mmu_flush(engine *e);
void mmu_flush_all(engine *e);
/* Discards all translated code. */
void mmu_forget_code(engine *e);
/* Marks `size` bytes, all in one page, as translated code, so that writes to them are noticed. */
void mmu_protect_code(engine *e, uint32_t physical, unsigned size);

#endif
