/* What the files of this folder share. In all of it, `retaddr` is where the call from translated code returns to;
 * Unicorn derives the running instruction from it when a fault is raised. 0: the state's EIP is current. `user` is
 * the privilege: true for CPL 3. "Pricing" is the computation of clocks by the timing model. */
#ifndef ENGINE_MEMORY_MEMORY_INTERNAL_H
#define ENGINE_MEMORY_MEMORY_INTERNAL_H

#include "engine/memory/coherence.h"
#include "engine/memory/guard.h"
#include "engine/memory/mmu.h"

/* --- mmu.c --- */

/* Reasons why stores into a writable page must be noticed (by mmu_fill), and the write tag that its entry has
 * then: the address of a page that is looked up in another entry. The numbers also stand in the tag; 1 is
 * PAGE_NO_TAG's. */
enum { PAGE_TABLE = 2 /* page tables were walked in it */, PAGE_CODE = 4 /* it holds translated code */ };
#define PAGE_NOTICED_TAG(index, why) (((uint32_t)(index) ^ (why)) * ENGINE_PAGE_BYTES)

/* Returns the entry for an access to the page of `linear`, valid until the next call; raises #PF if the access is not
 * allowed. For a write, may leave the running block before it. May not return. */
page_entry *mmu_fill(engine *e, uint32_t linear, mmu_access access, bool user, uintptr_t retaddr);
/* Changes all tags after a change of engine_guard.data. */
void mmu_guard_changed(engine *e);
/* Returns the entry in which fetches from `linear` are looked up, whether it holds that page or not. */
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
/* Inverts PAGE_GUARDED in the tags of an entry that holds a page. */
static inline void mmu_invert_guarded(page_entry *held)
{
    held->write_tag ^= held->write_tag == held->read_tag ? PAGE_GUARDED : 0u;
    held->read_tag ^= PAGE_GUARDED;
}
/* Makes stores into this page of RAM take mmu_fill from now on. `why`: PAGE_TABLE or PAGE_CODE. */
void mmu_notice_stores(engine *e, uint32_t physical, unsigned why);

/* --- walk.c --- */

/* A translation of one page. */
typedef struct walk_result {
    uint32_t physical; /* of the page, A20 applied */
    uint32_t flags;    /* P5_ACCESS_* that the page adds to the records of its references */
    bool dirty;        /* writes need no further walk: they are allowed, and the dirty bit is set */
    uint32_t code;     /* error code of the page fault, if there is one */
} walk_result;
/* Translates `linear` for an access. Returns true, or false if it page-faults; then only result->code is valid.
 * `set`: sets the accessed and dirty bits in the page tables. */
bool walk(engine *e, uint32_t linear, mmu_access access, bool user, bool set, walk_result *result);
/* Prices everything executed before the running block, with the current page tables. */
void walk_price_before(engine *e);
/* Prices everything up to a store into a page table, including the running block's part. May not return. */
void walk_before_table_store(engine *e, uintptr_t retaddr);
/* Makes stores into the page tables of `linear` be noticed from now on. */
void walk_follow_tables(engine *e, uint32_t linear);
/* Ends that for all page tables. Called after all translations, including those of code, were dropped. */
void walk_forget_tables(engine *e);

/* --- physical.c --- */

/* Returns the window of a device (engine_window) that contains the page, or NULL. */
const engine_window *physical_window(const engine *e, uint32_t physical);
/* Read and write bytes of one page outside of RAM, or in a window without memory of its own. */
void physical_read_device(engine *e, uint32_t physical, uint8_t *to, unsigned size);
void physical_write_device(engine *e, uint32_t physical, const uint8_t *from, unsigned size);

/* --- guard.c --- */

enum { GUARD_BLOCK_BYTES = BLOCK_INSNS * ISA_LONGEST }; /* the most bytes that a block can have */

/* Check a data access, if that is necessary: guard_access checks the segment before the page is looked up;
 * guard_access_done checks alignment and data breakpoints after the page faults. Faults do not return. */
void guard_access(engine *e, uint32_t linear, unsigned size, bool write, uintptr_t retaddr);
void guard_access_done(engine *e, const p5_access *access, uintptr_t retaddr);
/* Decides whether the blocks that start from now on have a single instruction (UC_HF_STEP). */
void guard_set_step_flag(engine *e);
/* Raises #GP if the store of the running ARPL goes through CS. */
void guard_arpl_store(engine *e, uintptr_t retaddr);
/* Raises #GP if the byte at `linear`, whose fetch would page-fault, lies beyond the limit of CS, because the limit
 * comes first. */
void guard_fetch(engine *e, uint32_t linear);

/* --- code_limit.c --- */

/* Raises #GP if the running block has ended with a near branch to offset `to` and that lies beyond the limit of
 * CS. */
void guard_branch_target(engine *e, uint32_t to);
/* Checks a block that is about to start against the limit of CS: raises #GP if its first instruction exceeds it. Near
 * the limit, has instructions executed one at a time. May not return. */
void guard_code_limit(engine *e, const engine_block *b);

/* --- alone.c --- */

/* Leaves the running block before an instruction that refers to a timed device, and makes it a block of its own.
 * Returns if it is one already. */
void guard_run_alone(engine *e, uintptr_t retaddr);

/* --- coherence.c --- */

/* Makes the separate copy of the page of RAM at `physical` before the guest stores into it first. */
void coherence_keep(engine *e, uint32_t physical);
/* Updates the copy after the processor or the host has written to memory without the caches. */
void coherence_written(engine *e, uint32_t physical, uint32_t size);
/* Returns the byte that is fetched from `physical` where RAM holds `byte`. */
uint8_t coherence_code_byte(const engine *e, uint32_t physical, uint8_t byte);
/* Returns the pinned entry of the code TLB (`code`) or the data TLB that translates `linear`, or NULL. */
p5_translation *coherence_pin(engine *e, bool code, uint32_t linear);

#endif
