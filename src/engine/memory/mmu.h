/* Translations, physical memory, and which of it is translated code (mmu.c). */
#ifndef ENGINE_MEMORY_MMU_H
#define ENGINE_MEMORY_MMU_H

#include "engine/internal.h"

/* Size and flags of an access as they stand in its record. */
#define ACCESS_KIND(size, flags) ((uint32_t)(size) | (uint32_t)(flags) << 8)

#define PAGE_NO_TAG(index) (((uint32_t)(index) ^ 1) * ENGINE_PAGE_BYTES)
/* The write tag of an entry that could have its own, if stores into the page were not to be seen: bits of
 * why. */
enum { PAGE_TABLE = 2 /* tables were walked in it */, PAGE_CODE = 4 /* it holds translated code */ };
#define PAGE_SEEN_TAG(index, why) (((uint32_t)(index) ^ (why)) * ENGINE_PAGE_BYTES)
/* What makes of an entry's own tags those that it has while guard.c looks at every reference. */
enum { PAGE_GUARDED = 8 * ENGINE_PAGE_BYTES };

typedef enum mmu_access { MMU_READ, MMU_WRITE, MMU_FETCH } mmu_access;
/* The entry for an access to `linear`'s page; raises #PF if it is not allowed. `retaddr` as for Unicorn's
 * helpers. */
page_entry *mmu_fill(engine *e, uint32_t linear, mmu_access access, bool user, uintptr_t retaddr);
/* True if an access to `linear` would page-fault, with the error code. */
bool mmu_faults(engine *e, uint32_t linear, mmu_access access, bool user, uint32_t *code);
/* Host memory of `linear` as it is fetched, for the host's own use: no fault, no accessed bits. NULL if not
 * present. */
uint8_t *mmu_peek_code(engine *e, uint32_t linear, uint32_t *physical);
/* References are looked up again; with fetches, too. */
void mmu_flush(engine *e);
void mmu_flush_all(engine *e);
/* engine_guard.data has changed. */
void mmu_guard_changed(engine *e);
/* All translated code goes. */
void mmu_forget_code(engine *e);
/* `size` bytes, all in one page, are now translated code: writes to them must be seen. */
void mmu_protect_code(engine *e, uint32_t physical, unsigned size);
/* Do these bytes, all in one page of RAM, lie where translated code does? */
bool mmu_is_code(const engine *e, uint32_t physical, unsigned size);
/* Code in RAM is about to be overwritten by an instruction; may not return. */
void mmu_write_code(engine *e, uint32_t physical, unsigned size, uintptr_t retaddr);

#endif
