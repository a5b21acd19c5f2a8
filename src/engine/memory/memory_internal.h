/* What the files of this folder share. */
#ifndef ENGINE_MEMORY_MEMORY_INTERNAL_H
#define ENGINE_MEMORY_MEMORY_INTERNAL_H

#include "engine/memory/behind.h"
#include "engine/memory/guard.h"
#include "engine/memory/mmu.h"

/* --- mmu.c --- */

/* The write tag of an entry whose page is writable but whose stores must be noticed. The bits give the
 * reasons. */
enum { PAGE_TABLE = 2 /* tables were walked in it */, PAGE_CODE = 4 /* it holds translated code */ };
#define PAGE_SEEN_TAG(index, why) (((uint32_t)(index) ^ (why)) * ENGINE_PAGE_BYTES)

/* Returns the entry for an access to `linear`'s page; raises #PF if the access is not allowed. `retaddr` as
 * for Unicorn's helpers. */
page_entry *mmu_fill(engine *e, uint32_t linear, mmu_access access, bool user, uintptr_t retaddr);
/* Read and write bytes of one page outside of RAM, or in a window without memory of its own. */
void mmu_read_device(engine *e, uint32_t physical, uint8_t *to, unsigned size);
void mmu_write_device(engine *e, uint32_t physical, const uint8_t *from, unsigned size);
/* Handles a change of engine_guard.data. */
void mmu_guard_changed(engine *e);
/* Returns true if translated code lies in these bytes, all in one page of RAM. */
bool mmu_is_code(const engine *e, uint32_t physical, unsigned size);
/* Discards translated code in RAM that an instruction is about to overwrite. May not return. */
void mmu_write_code(engine *e, uint32_t physical, unsigned size, uintptr_t retaddr);

/* --- guard.c --- */

/* Check an access: guard_access checks the segment before the access; guard_access_done checks alignment and
 * breakpoints after the page faults. */
void guard_access(engine *e, uint32_t linear, unsigned size, bool write, uintptr_t retaddr);
void guard_access_done(engine *e, const p5_access *access, uintptr_t retaddr);
/* Checks a store of ARPL, which must not go through CS. */
void guard_changes(engine *e, uintptr_t retaddr);
/* Checks the code limit when no page is found for the instruction's byte at `linear`, because the limit comes
 * first. */
void guard_fetch(engine *e, uint32_t linear);

/* --- behind.c --- */

/* Makes the separate copy of a page of RAM before the guest stores into it. */
void behind_keep(engine *e, uint32_t physical);
/* Updates the copy after the processor or the host has written to memory without the caches. */
void behind_written(engine *e, uint32_t physical, uint32_t size);
/* Returns the byte that is fetched from `physical` where RAM holds `byte`. */
uint8_t behind_code_byte(const engine *e, uint32_t physical, uint8_t byte);
/* Returns the pinned entry that translates `linear`, or NULL. */
p5_translation *behind_pin(engine *e, bool code, uint32_t linear);

#endif
