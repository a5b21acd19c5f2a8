/* What the processor's caches and TLBs hold apart from memory and page tables (behind.c). RAM is what data
 * references see. Beside it, where they can differ:
 *
 *   memory      what stands behind modified lines, by page, from the guest's first store into a page on
 *   code lines  what fetches take instead of RAM
 *   pins        TLB entries that test registers have put there, and that translate otherwise than the page
 *               tables; nothing to do with the package's pins
 *
 * The hot path knows nothing of it: a page of which memory has no copy yet has no write tag, so that the
 * first store into it comes by mmu_fill; code lines and these entries are looked at when code is translated
 * and when tables are walked. */
#ifndef ENGINE_BEHIND_H
#define ENGINE_BEHIND_H

#include <stdbool.h>
#include <stdint.h>

#include "p5scope/core.h"

enum { BEHIND_SETS = 128, BEHIND_WAYS = 8, BEHIND_PINS = 128 };

typedef struct behind_line {
    bool used;
    uint32_t line;
    uint8_t bytes[P5_LINE_BYTES];
} behind_line;

typedef struct behind {
    uint8_t *memory;                  /* as large as RAM; NULL: not kept */
    uint8_t *kept;                    /* one byte per page: `memory` has it */
    bool invd;                        /* stores are followed: behind_follow */
    behind_line (*code)[BEHIND_WAYS]; /* [BEHIND_SETS], by bits 11-5 of the address; NULL: never used */
    unsigned code_count;
    uint8_t *code_page; /* a page as it is fetched: behind_code_page */
    p5_translation pins[BEHIND_PINS];
    unsigned pin_count;
} behind;

/* True if memory need not be asked before a store into this page. */
static inline bool behind_kept(const behind *b, uint32_t page)
{
    return b->memory == NULL || b->kept[page];
}
static inline bool behind_may_follow(const behind *b)
{
    return b->memory != NULL && !b->invd;
}

#endif
