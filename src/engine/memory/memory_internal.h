/* What the files of this folder share. */
#ifndef ENGINE_MEMORY_MEMORY_INTERNAL_H
#define ENGINE_MEMORY_MEMORY_INTERNAL_H

#include "engine/memory/coherence.h"
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
/* Handles a change of engine_guard.data. */
void mmu_guard_changed(engine *e);
/* Returns the entry for fetches from `linear`. */
static inline page_entry *mmu_code_entry(engine *e, uint32_t linear, bool user)
{
    return &e->memory.pages[PAGE_FETCHED + user][(linear / ENGINE_PAGE_BYTES) % PAGE_ENTRIES];
}
/* Returns whether the entry is for the page of `linear`. Compares without PAGE_GUARDED, because guard.c does
 * not check fetches. */
static inline bool mmu_is_held(const page_entry *held, uint32_t linear)
{
    return ((held->read_tag ^ linear) & ~(uint32_t)(PAGE_GUARDED | ENGINE_PAGE_MASK)) == 0;
}
/* Makes stores into this page of RAM take mmu_fill from now on. */
void mmu_see_stores(engine *e, uint32_t physical, unsigned why);

/* --- walk.c --- */

/* A translation of one page. */
typedef struct walk_result {
    uint32_t physical; /* of the page, A20 applied */
    uint32_t flags;    /* P5_ACCESS_* */
    bool dirty;        /* writes need no further walk */
    uint32_t code;     /* error code of the page fault, if there is one */
} walk_result;
bool walk(engine *e, uint32_t linear, mmu_access access, bool user, bool set, walk_result *result);
/* Prices everything executed before the running block, with the current page tables. */
void walk_price_before(engine *e);
/* Prices everything up to a store into a page table, including the running block's part. May not return. */
void walk_before_table_store(engine *e, uintptr_t retaddr);
/* Makes stores into the page tables of `linear` be noticed from now on. */
void walk_follow_tables(engine *e, uint32_t linear);
/* Forgets the page tables after all translations, including those of code, were dropped. */
void walk_forget_tables(engine *e);

/* --- physical.c --- */

/* Returns the window that contains the page, or NULL. */
const engine_window *physical_window(const engine *e, uint32_t physical);
/* Read and write bytes of one page outside of RAM, or in a window without memory of its own. */
void physical_read_device(engine *e, uint32_t physical, uint8_t *to, unsigned size);
void physical_write_device(engine *e, uint32_t physical, const uint8_t *from, unsigned size);

/* --- guard.c --- */

/* Check an access: guard_access checks the segment before the access; guard_access_done checks alignment and
 * breakpoints after the page faults. */
void guard_access(engine *e, uint32_t linear, unsigned size, bool write, uintptr_t retaddr);
void guard_access_done(engine *e, const p5_access *access, uintptr_t retaddr);
/* Distinguishes the following blocks as ones of a single instruction, or not. */
void guard_set_step_flag(engine *e);
/* Checks a store of ARPL, which must not go through CS. */
void guard_changes(engine *e, uintptr_t retaddr);
/* Checks the code limit when no page is found for the instruction's byte at `linear`, because the limit comes
 * first. */
void guard_fetch(engine *e, uint32_t linear);

/* --- alone.c --- */

/* Leaves the running block before an instruction that refers to a timed device, unless it is alone in its
 * block, and makes it so. May not return. */
void guard_run_alone(engine *e, uintptr_t retaddr);

/* --- coherence.c --- */

/* Makes the separate copy of a page of RAM before the guest stores into it. */
void coherence_keep(engine *e, uint32_t physical);
/* Updates the copy after the processor or the host has written to memory without the caches. */
void coherence_written(engine *e, uint32_t physical, uint32_t size);
/* Returns the byte that is fetched from `physical` where RAM holds `byte`. */
uint8_t coherence_code_byte(const engine *e, uint32_t physical, uint8_t byte);
/* Returns the pinned entry that translates `linear`, or NULL. */
p5_translation *coherence_pin(engine *e, bool code, uint32_t linear);

#endif
