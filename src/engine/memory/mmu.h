/* Translations, physical memory, and which of it is translated code (mmu.c). */
#ifndef ENGINE_MEMORY_MMU_H
#define ENGINE_MEMORY_MMU_H

#include "engine/internal.h"

/* Size and flags of an access as they stand in its record. */
#define ACCESS_KIND(size, flags) ((uint32_t)(size) | (uint32_t)(flags) << 8)

#define PAGE_NO_TAG(index) (((uint32_t)(index) ^ 1) * ENGINE_PAGE_BYTES)
/* What makes of an entry's own tags those that it has while guard.c looks at every reference. */
enum { PAGE_GUARDED = 8 * ENGINE_PAGE_BYTES };

typedef enum mmu_access { MMU_READ, MMU_WRITE, MMU_FETCH } mmu_access;
/* True if an access to `linear` would page-fault, with the error code. */
bool mmu_faults(engine *e, uint32_t linear, mmu_access access, bool user, uint32_t *code);
/* Host memory of `linear` as it is fetched, for the host's own use: no fault, no accessed bits. NULL if not
 * present. */
uint8_t *mmu_peek_code(engine *e, uint32_t linear, uint32_t *physical);
/* engine_set_window: the page is no RAM, whatever RAM there is. */
bool mmu_is_window(const engine *e, uint32_t physical);
/* References are looked up again; with fetches, too. */
void mmu_flush(engine *e);
void mmu_flush_all(engine *e);
/* All translated code goes. */
void mmu_forget_code(engine *e);
/* `size` bytes, all in one page, are now translated code: writes to them must be seen. */
void mmu_protect_code(engine *e, uint32_t physical, unsigned size);

#endif
