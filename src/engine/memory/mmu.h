/* Translations of linear addresses (mmu.c, walk.c), and physical memory (physical.c). */
#ifndef ENGINE_MEMORY_MMU_H
#define ENGINE_MEMORY_MMU_H

#include "engine/internal.h"

bool physical_open(engine *e);
void physical_close(engine *e);
/* memory_snapshot.c. Saves or loads RAM, the page cache and what caches hold that differs from RAM; the table
 * describes the rest. */
void physical_transfer(engine *e, snapshot *s);
extern const snapshot_table memory_saved;
extern const snapshot_table memory_numbers, memory_copied, memory_code_lines, memory_coherence, memory_pages,
    memory_fetched;

/* Size and flags of an access as in its record. */
#define ACCESS_KIND(size, flags) ((uint32_t)(size) | (uint32_t)(flags) << 8)

#define PAGE_NO_TAG(index) (((uint32_t)(index) ^ 1) * ENGINE_PAGE_BYTES)
/* Changes an entry's own tags to those that it has while guard.c checks every reference, and back. */
enum { PAGE_GUARDED = 8 * ENGINE_PAGE_BYTES };

typedef enum mmu_access { MMU_READ, MMU_WRITE, MMU_FETCH } mmu_access;
/* Returns true, with the error code, if an access to `linear` would page-fault. */
bool mmu_faults(engine *e, uint32_t linear, mmu_access access, bool user, uint32_t *code);
/* Returns host memory for `linear` for the host's own use, without faults or accessed bits. Returns NULL if
 * the page is not present, and the open bus outside of RAM. */
uint8_t *mmu_peek(engine *e, uint32_t linear, uint32_t *physical);
/* Returns host memory for fetches from `linear`, for the host's own use, without faults or accessed bits.
 * Returns NULL if the page is not present. */
uint8_t *mmu_peek_code(engine *e, uint32_t linear, uint32_t *physical);
/* Executes MOV CR, and drops the translations that it changes. */
void mmu_write_control(engine *e, unsigned number, uint32_t value);
/* Drop the cached translations of references; mmu_flush_all drops those of fetches, too. */
void mmu_flush(engine *e);
void mmu_flush_all(engine *e);
/* Returns and forgets what mmu_fill and guard.c have left about the fault that they have raised. */
memory_fault mmu_take_fault(engine *e);

#endif
