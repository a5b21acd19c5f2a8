/* The test registers TR1-TR12 (manual 26.2, 26.3): the registers themselves, and the operations that writing
 * a command register starts on caches, TLBs and branch target buffer. */
#ifndef PMU_TEST_REGISTERS_H
#define PMU_TEST_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "p5scope/pmu.h"

enum { TEST_LINE_WORDS = 8 };

/* A line of the code or data cache, as TR2-TR5 show it. */
typedef struct test_cache_line {
    bool data_cache;
    uint8_t way;
    uint8_t set;
    uint32_t tag;  /* physical address bits 31-12 */
    uint8_t lru;   /* of the set: one bit (P54C) or three */
    uint8_t valid; /* data: 0 I, 1 S, 2 E, 3 M; code: bit 0 */
    uint32_t data[TEST_LINE_WORDS];
    uint8_t end_bits[TEST_LINE_WORDS]; /* P54C code cache: 4 bits for each word */
} test_cache_line;

/* A TLB entry, as TR6 and TR7 show it. */
typedef struct test_tlb_entry {
    bool data_tlb;
    uint32_t linear;   /* bits 31-12 of the address, in place */
    uint32_t physical; /* likewise */
    bool valid, dirty, user, writeable, large_page, cache_disable, write_through;
    uint8_t lru;   /* P54C */
    uint8_t entry; /* P54C: way; P55C: entry */
} test_tlb_entry;

/* A BTB entry, as TR9-TR11 show it. */
typedef struct test_btb_entry {
    uint8_t set, way, bank; /* bank: P55C */
    uint32_t tag;           /* TR9 with history, prediction, valid and offset: the family's layout */
    uint32_t target;
    uint8_t type; /* P55C */
} test_btb_entry;

/* The structures that the operations act on. Any function may be NULL: then the operation leaves the
 * registers alone. */
typedef struct test_ops {
    void *context;
    void (*cache_write)(void *context, const test_cache_line *line);
    void (*cache_read)(void *context,
                       test_cache_line *line); /* fills in what stands at data_cache, set, way */
    /* Whole code cache; whole data cache without write-back; or one line of the data cache, written back if
     * modified. */
    void (*cache_flush)(void *context, bool data_cache, bool one_line, unsigned set, unsigned way);
    void (*tlb_write)(void *context, const test_tlb_entry *entry);
    bool (*tlb_read)(void *context, test_tlb_entry *entry); /* looks entry->linear up; false: miss */
    void (*btb_write)(void *context, const test_btb_entry *entry);
    void (*btb_read)(void *context, test_btb_entry *entry, bool tag_only);
    void (*btb_flush)(void *context);
} test_ops;

typedef struct test_registers {
    uint32_t value[P5_MSR_TR12 + 1]; /* by MSR number */
    uint32_t fill_buffer[TEST_LINE_WORDS];
    uint8_t end_bits[TEST_LINE_WORDS];
    test_ops ops;
} test_registers;

/* `r` is the register's row of p5_registers(family). */
uint32_t test_register_read(const test_registers *t, const p5_register *r);
void test_register_write(test_registers *t, const p5_register *r, unsigned family, uint32_t value);
/* TR12's bits as control inputs of the core. */
void test_registers_control(const test_registers *t, p5_control *control);

#endif
