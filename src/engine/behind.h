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

struct engine;

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

void behind_close(struct engine *e);
/* The guest is about to store into this page of RAM. */
void behind_keep(struct engine *e, uint32_t physical);
/* True if memory need not be asked before a store into this page. */
static inline bool behind_kept(const behind *b, uint32_t page)
{
    return b->memory == NULL || b->kept[page];
}
/* A store that goes to memory is told to behind.c when its batch is priced, all of which has been executed
 * by then; memory would get what a later store of the batch, into the line meanwhile filled, has left in
 * RAM. Only INVD can show that. So once a guest comes near one there are no batches, and blocks have one
 * store each: stores are followed one by one. */
void behind_follow(struct engine *e);
/* The bytes of an INVD, where they stand first; NULL: they do not. */
const uint8_t *behind_find_invd(const uint8_t *bytes, size_t size);
static inline bool behind_may_follow(const behind *b)
{
    return b->memory != NULL && !b->invd;
}
/* The processor or the host has written to memory past the caches. */
void behind_written(struct engine *e, uint32_t physical, uint32_t size);
/* Page `page` as it is fetched: the RAM at `from`, or a copy with the code lines in it, good until the next
 * call. */
const uint8_t *behind_code_page(struct engine *e, uint32_t physical, const uint8_t *from);
/* The byte that is fetched from `physical` where RAM holds `byte`. */
uint8_t behind_code_byte(const struct engine *e, uint32_t physical, uint8_t byte);
/* The pinned entry that translates `linear`, or NULL. */
p5_translation *behind_pin(struct engine *e, bool code, uint32_t linear);

#endif
