/* The test registers' access to caches, TLBs and branch target buffer (manual, 26.2.1): the effect of their
 * commands on the structures. src/pmu/test_registers.c implements the registers themselves. */
#ifndef CORE_TESTREG_TEST_ACCESS_H
#define CORE_TESTREG_TEST_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "p5scope/core.h"

enum { TEST_LINE_WORDS = 8 };

/* A line of the code or data cache, as TR2-TR5 show it. */
typedef struct test_cache_line {
    bool data_cache;
    uint8_t way;
    uint8_t set;   /* 0-127 */
    uint8_t word;  /* number (0-7) of the four bytes to read: a read checks their parity only */
    uint32_t tag;  /* physical address bits 31-12 */
    uint8_t lru;   /* replacement bits of the set: one (P54C) or three (P55C) */
    uint8_t valid; /* data: 0 I, 1 S, 2 E, 3 M; code: bit 0 */
    uint32_t data[TEST_LINE_WORDS];
    /* P54C code cache: bit n: byte n of the word is an instruction's last. */
    uint8_t end_bits[TEST_LINE_WORDS];
} test_cache_line;

/* A TLB entry, as TR6 and TR7 show it. */
typedef struct test_tlb_entry {
    bool data_tlb;
    uint32_t linear;   /* bits 31-12 of the address, in place */
    uint32_t physical; /* likewise */
    bool valid, dirty, supervisor, writeable, large_page, cache_disable, write_through;
    bool hit;      /* TR7.H; if clear at a write, the LRU bits choose the entry */
    uint8_t lru;   /* P54C: replacement bits of the set */
    uint8_t entry; /* P54C: way; P55C: number of the entry */
} test_tlb_entry;

/* A BTB entry, as TR9-TR11 show it. */
typedef struct test_btb_entry {
    uint8_t set, way, bank; /* bank: P55C */
    uint32_t tag;           /* TR9 with history, prediction, valid and offset, in the family's layout */
    uint32_t target;
    uint8_t type; /* P55C: branch type */
} test_btb_entry;

/* `core` is a p5_core. A command takes effect after everything that was fed before it has been priced. */
/* Writes a line to the place given by data_cache, set and way. */
void test_cache_write(void *core, const test_cache_line *line);
/* Fills in the contents of the place given by data_cache, set and way. */
void test_cache_read(void *core, test_cache_line *line);
/* With `one_line`, flushes the data cache's line at set, way, and writes it back if it is modified. Otherwise flushes the
 * whole data cache (`data`) or code cache, without write-back (table 26-8). */
void test_cache_flush(void *core, bool data, bool one_line, unsigned set, unsigned way);
/* Lets the instruction that waits in D1 for a partner issue alone, also in the second core that checks `core`. */
void test_issue_waiting(p5_core *core);
/* Must be called before INVD or WBINVD empties the caches. Saves the contents of both, which testability reads of the
 * invalid lines return (manual, 26.2.1.1: "whatever was in that entry in that set is read"). */
void test_before_flush(p5_core *core);
/* Copies the line that was filled by the last data read that missed. `*end` is the core clock in which the fill ended
 * that the caller already has, 0 for none; it becomes that of the copied one. Returns false, and changes nothing, if
 * there is no later fill, or the owner has no callback that reads memory. */
bool test_last_fill(void *core, uint64_t *end, uint32_t data[TEST_LINE_WORDS]);
/* Writes an entry: with `hit`, the one that `linear` and `entry` select, otherwise the one that is replaced next. */
void test_tlb_write(void *core, const test_tlb_entry *entry);
/* Looks up entry->linear. Returns false for a miss. */
bool test_tlb_read(void *core, test_tlb_entry *entry);
/* Write and read the BTB entry given by set, way and bank. `tag_only` has no effect: a read always gets tag, target and
 * type. */
void test_btb_write(void *core, const test_btb_entry *entry);
void test_btb_read(void *core, test_btb_entry *entry, bool tag_only);
/* Invalidates all entries. */
void test_btb_flush(void *core);
/* Sets TR1's bits 2 to 13. A microcode error is forced when MC changes from 0 to 1. */
void test_parity(void *core, uint32_t tr1);
/* Sets the receiver of parity errors of the core `context`; `array` is the bit of TR1. */
void test_on_parity_error(void *context, void (*error)(void *context, uint32_t array), void *error_context);

#endif
