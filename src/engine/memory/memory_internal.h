/* What the files that make references and look after them share. */
#ifndef ENGINE_MEMORY_MEMORY_INTERNAL_H
#define ENGINE_MEMORY_MEMORY_INTERNAL_H

#include "engine/memory/behind.h"
#include "engine/memory/guard.h"
#include "engine/memory/mmu.h"

/* --- mmu.c --- */

/* The write tag of an entry that could have its own, if stores into the page were not to be seen: bits of
 * why. */
enum { PAGE_TABLE = 2 /* tables were walked in it */, PAGE_CODE = 4 /* it holds translated code */ };
#define PAGE_SEEN_TAG(index, why) (((uint32_t)(index) ^ (why)) * ENGINE_PAGE_BYTES)

/* The entry for an access to `linear`'s page; raises #PF if it is not allowed. `retaddr` as for Unicorn's
 * helpers. */
page_entry *mmu_fill(engine *e, uint32_t linear, mmu_access access, bool user, uintptr_t retaddr);
/* Bytes of one page, outside RAM or in a window without memory of its own. */
void mmu_read_device(engine *e, uint32_t physical, uint8_t *to, unsigned size);
void mmu_write_device(engine *e, uint32_t physical, const uint8_t *from, unsigned size);
/* engine_guard.data has changed. */
void mmu_guard_changed(engine *e);
/* Do these bytes, all in one page of RAM, lie where translated code does? */
bool mmu_is_code(const engine *e, uint32_t physical, unsigned size);
/* Code in RAM is about to be overwritten by an instruction; may not return. */
void mmu_write_code(engine *e, uint32_t physical, unsigned size, uintptr_t retaddr);

/* --- guard.c --- */

/* Before an access is made: segment. Behind its page faults: alignment and breakpoints. */
void guard_access(engine *e, uint32_t linear, unsigned size, bool write, uintptr_t retaddr);
void guard_access_done(engine *e, const p5_access *access, uintptr_t retaddr);
/* ARPL is about to store: not through CS. */
void guard_changes(engine *e, uintptr_t retaddr);
/* No page is found for the instruction's byte at `linear`: the limit goes before that. */
void guard_fetch(engine *e, uint32_t linear);

/* --- behind.c --- */

/* The guest is about to store into this page of RAM. */
void behind_keep(engine *e, uint32_t physical);
/* The processor or the host has written to memory past the caches. */
void behind_written(engine *e, uint32_t physical, uint32_t size);
/* The byte that is fetched from `physical` where RAM holds `byte`. */
uint8_t behind_code_byte(const engine *e, uint32_t physical, uint8_t byte);
/* The pinned entry that translates `linear`, or NULL. */
p5_translation *behind_pin(engine *e, bool code, uint32_t linear);

#endif
