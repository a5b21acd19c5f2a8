/* The test registers TR1-TR12 (manual 26.2, 26.3): the registers themselves, and the operations that writing
 * a command register starts on caches, TLBs and branch target buffer. */
#ifndef PMU_TEST_REGISTERS_H
#define PMU_TEST_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/testreg/test_access.h"
#include "p5scope/pmu.h"

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
    void (*parity)(void *context, uint32_t tr1); /* TR1 has been written */
    /* The line that a data read has brought in since *fill, which is advanced; false: none. */
    bool (*filled)(void *context, uint64_t *fill, uint32_t data[TEST_LINE_WORDS]);
} test_ops;

typedef struct test_registers {
    uint32_t value[P5_MSR_TR12 + 1]; /* by MSR number */
    uint32_t fill_buffer[TEST_LINE_WORDS];
    uint64_t filled; /* the line fill of a data read that it held last (test_ops.filled) */
    uint8_t end_bits[TEST_LINE_WORDS];
    test_ops ops;
} test_registers;

/* `r` is the register's row of p5_registers(family). */
uint32_t test_register_read(const test_registers *t, const p5_register *r);
void test_register_write(test_registers *t, const p5_register *r, unsigned family, uint32_t value);
/* A parity error was found: TR1.PES. Answers whether the processor shuts down (TR1.NS = 0). */
bool test_registers_parity_error(test_registers *t);
/* TR12's bits as control inputs of the core. */
void test_registers_control(const test_registers *t, p5_control *control);

#endif
