/* Translations of linear addresses (mmu.c, walk.c), and physical memory (physical.c). */
#ifndef ENGINE_MEMORY_MMU_H
#define ENGINE_MEMORY_MMU_H

#include "engine/internal.h"

/* Allocates and frees RAM. physical_open returns false if host memory runs out. */
bool physical_open(engine *e);
void physical_close(engine *e);
/* Saves or loads RAM, the page cache and what caches hold that differs from RAM (memory_snapshot.c). */
void physical_transfer(engine *e, snapshot *s);
/* Describes the other members of memory_state in snapshots; the tables after it describe what physical_transfer
 * does. */
extern const snapshot_table memory_saved;
extern const snapshot_table memory_numbers, memory_copied, memory_code_lines, memory_coherence, memory_pages,
    memory_fetched;

/* Size (bits 0-7) and P5_ACCESS_* (8-15) of an access, as they lie in its record (p5_access). */
#define ACCESS_KIND(size, flags) ((uint32_t)(size) | (uint32_t)(flags) << 8)

/* The tag of entry `index` that nothing hits: the address of a page that is looked up in another entry. */
#define PAGE_NO_TAG(index) (((uint32_t)(index) ^ 1) * ENGINE_PAGE_BYTES)
/* The bit that differs between the address of an entry's page and its tags while guard.c checks every data reference
 * (engine_guard.data). With it inverted, the tag is the address of a page that is looked up in another entry. */
enum { PAGE_GUARDED = 8 * ENGINE_PAGE_BYTES };

typedef enum mmu_access { MMU_READ, MMU_WRITE, MMU_FETCH } mmu_access;
/* Returns true, with the error code of the page fault, if an access to `linear` would have one. `user`: at CPL 3. */
bool mmu_faults(engine *e, uint32_t linear, mmu_access access, bool user, uint32_t *code);
/* Returns host memory for the data at physical address `physical`: RAM, or the memory of a window. Elsewhere, returns
 * bytes of the open bus, all ones, which must not be written. The bytes up to the end of the page follow. */
uint8_t *mmu_place(engine *e, uint32_t physical);
/* Returns host memory for `linear` for the host's own use, without faults or accessed bits, and the physical
 * address in *physical. Returns NULL if the page is not present. Outside of RAM and of windows with memory,
 * returns bytes of the open bus, all ones, which must not be written. The bytes up to the end of the page follow. */
uint8_t *mmu_peek(engine *e, uint32_t linear, uint32_t *physical);
/* Returns the same for fetches from `linear`. */
uint8_t *mmu_peek_code(engine *e, uint32_t linear, uint32_t *physical);
/* Executes MOV to CR`number`, and drops the translations that it changes. */
void mmu_write_control(engine *e, unsigned number, uint32_t value);
/* Drop the cached translations of references; mmu_flush_all drops those of fetches, too. */
void mmu_flush(engine *e);
void mmu_flush_all(engine *e);
/* Returns and clears what mmu_fill and guard.c have recorded about the last fault that they raised. */
memory_fault mmu_take_fault(engine *e);

#endif
