/* The state of memory: translations, RAM, what of it is translated code, what caches hold that differs, and
 * the checks of references. mmu.h, code.h, coherence.h and guard.h have the functions for it. */
#ifndef ENGINE_MEMORY_STATE_H
#define ENGINE_MEMORY_STATE_H

#include "core/pipe/breakpoints.h"
#include "engine/engine.h"

enum { ENGINE_PAGE_BYTES = 4096, ENGINE_PAGE_MASK = 4095 };

/* --- Translations (mmu.c) --- */

/* The page cache has four sides of PAGE_ENTRIES entries each: data references of supervisor and user, fetches of
 * supervisor and user. The page of a linear address is looked up in the entry with its page number modulo
 * PAGE_ENTRIES. Fetches have entries of their own, as the processor has a TLB for them, so that no data
 * reference makes a fetch walk again: the number of fetches depends on how blocks are cut. */
enum {
    PAGE_ENTRIES = 512,
    PAGE_FETCHED = 2, /* first side for fetches */
    PAGE_SIDES = 4,
    PAGE_REFERENCES = PAGE_FETCHED * PAGE_ENTRIES, /* entries for data references */
    PAGE_ALL = PAGE_SIDES * PAGE_ENTRIES
};
/* An entry of the page cache: linear page -> host memory and what an access record needs. A tag is the linear
 * address of the page, or that of a page which is looked up in another entry (PAGE_NO_TAG, PAGE_NOTICED_TAG,
 * PAGE_GUARDED), so that no access looked up in this entry hits it. */
typedef struct page_entry {
    uint32_t read_tag; /* of reads, or of fetches */
    /* Of writes. It is the page's address only with the dirty bit set and neither translated code nor page tables
     * in the page. */
    uint32_t write_tag;
    uint32_t physical;          /* address of the page */
    uint32_t kind;              /* ACCESS_KIND (mmu.h) of size 0 and the page's P5_ACCESS_* */
    _Alignas(16) uint8_t *host; /* of the page's first byte; NULL where there is no memory */
} page_entry;
/* Accessed and dirty bits that a walk has set and that the timing model has not asked for yet
 * (engine_page_bits_set). */
enum { PAGE_SETS = 16 };
typedef struct page_set {
    uint32_t linear; /* address of the access */
    bool large;      /* it is in a 4 MB page */
    uint8_t bits;    /* P5_PAGE_*; 0: unused */
} page_set;

/* --- Translated code (code.c) --- */

/* An entry of the cache of translated blocks by EIP and flags, which returns and indirect branches look up. */
enum { FOUND_BLOCKS = 2048 };
typedef struct found_block {
    /* EIP in bits 0-31, with a CS base of 0; mode of the code (hflags, EFLAGS) above. All ones: the entry is
     * empty. */
    uint64_t place;
    const void *code; /* host code of the block */
} found_block;

/* Bytes that are translated instead of those in memory. */
typedef struct code_substitute {
    uint32_t linear;
    unsigned size; /* 0: none */
    uint8_t bytes[16];
} code_substitute;

/* --- Contents of caches and TLBs that differ from RAM and page tables (coherence.c) --- */

enum { COHERENCE_SETS = 128, COHERENCE_WAYS = 8, COHERENCE_PINS = 128 };

/* A line of the code cache whose bytes differ from RAM. */
typedef struct code_line {
    bool used;
    uint32_t line; /* physical address */
    uint8_t bytes[P5_LINE_BYTES];
} code_line;

/* RAM is what data references see. The other contents, where they can differ:
 *
 *   memory      what memory holds under modified lines, by page, from the guest's first store into a page on
 *   code lines  what fetches see
 *   pins        TLB entries that test registers have written and that differ from the page tables; they have
 *               nothing to do with the package's pins
 *
 * The fast path needs no check for them: a page that has not been copied to `memory` has no write tag, so the
 * first store into it takes mmu_fill. Code lines and pins are looked up when code is translated and when
 * tables are walked. */
typedef struct coherence {
    uint8_t *memory; /* as large as RAM; NULL: not kept */
    uint8_t *copied; /* one byte per page: `memory` has it */
    bool invd;       /* the guest may execute INVD, so stores are followed one by one: coherence_follow */
    code_line (*code)[COHERENCE_WAYS]; /* [COHERENCE_SETS], by bits 11-5 of the address; NULL: never used */
    unsigned code_count;               /* used entries of `code` */
    uint8_t *code_page;                /* a page as it is fetched: coherence_code_page; NULL: never used */
    p5_translation pins[COHERENCE_PINS];
    unsigned pin_count; /* the first ones of `pins` are valid */
} coherence;

/* --- Checks that Unicorn does not make (guard.c) --- */

/* A segment is *flat* if no access through it can fault: writable data, or readable code, with a limit of 4 GB. A
 * boundary is where a block starts. */
typedef struct engine_guard {
    bool hooks;         /* all blocks are translated to call stream_block_checked when they start */
    bool mode_hooks[2]; /* [0]: those of protected mode are; [1]: those of real and V86 mode are */
    bool stepping;      /* engine_step_mode: every instruction is a block */
    bool blocks;        /* a block's start has something to check */
    bool data;          /* every data access has to be checked and takes mmu_fill (PAGE_GUARDED) */
    bool code;          /* CS has a limit below 4 GB */
    bool segments;      /* a data or stack segment is not flat, and not real_limits */
    /* Real or V86 mode, and only an offset above FFFFh can violate a segment: access_mode. */
    bool real_limits;
    bool extra_now;   /* a block has used FS or GS, which is not flat; until segments are loaded again */
    bool alignment;   /* misaligned accesses raise #AC: CR0.AM, EFLAGS.AC, CPL 3 */
    bool breakpoints; /* DR7 enables one */
    bool limit_step;  /* every instruction is a block, because CS ends soon */
    uint8_t alone;    /* boundaries until the end of an instruction that runs alone (guard_run_alone) */
    bool shadow;      /* the previous instruction was MOV SS or POP SS */
    uint8_t extra;    /* GUARD_FS, GUARD_GS: this one is not flat */
    uint32_t hits;    /* bits of DR6 for the trap after the running instruction; 0: no trap */
    breakpoints comparators; /* DR0-DR3, as DR7 defines them */
} engine_guard;

/* What the handler of a fault has to know about the reference that caused it. */
typedef struct memory_fault {
    bool fetch;      /* it came from fetching the next instruction, not from the running block */
    bool debug;      /* #DB is a fault, not a trap */
    uint32_t across; /* where a load begins whose second page was being looked up; else 0 */
} memory_fault;

typedef struct memory_state {
    page_entry pages[PAGE_SIDES][PAGE_ENTRIES];
    uint64_t pages_filled[PAGE_ALL / 64]; /* a bit for each of `pages`: it may hold a page */
    found_block found[FOUND_BLOCKS];      /* by a hash of EIP */
    bool found_none;                      /* all of them are empty */
    uintptr_t translations;               /* the lowest address of a translated block so far; 0: none */

    uint8_t *ram;          /* physical memory from address 0 on */
    uint32_t ram_bytes;    /* a multiple of the page size */
    uint32_t address_mask; /* of physical addresses: A20 */
    uint64_t *code_lines;  /* by page of RAM: which 64ths of it hold translated code */
    /* By page of RAM: 1 if page tables were walked in it since translations were flushed. */
    uint8_t *table_pages;
    uint8_t open_bus[ENGINE_PAGE_BYTES]; /* what is read where nothing drives the bus: all ones */
    engine_window windows[ENGINE_WINDOWS];
    page_entry uncached; /* the result of mmu_fill while there are pins */
    page_set page_sets[PAGE_SETS];
    unsigned next_page_set; /* index of the next one to be overwritten */

    coherence coherence;
    uint8_t resume;     /* EFLAGS.RF: RESUME_* (guard.h); 0: clear */
    uint32_t resume_at; /* linear address of the instruction without code breakpoints, if RF is set */
    engine_guard guard;
    memory_fault fault;
    code_substitute substitute;
    bool keeps_translations; /* the running write to CR0 changes none: mmu_write_control */
} memory_state;

#endif
