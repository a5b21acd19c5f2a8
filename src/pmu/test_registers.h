/* The test registers TR1-TR12 (manual 26.2, 26.3): the registers themselves, and the operations on caches, TLBs,
 * branch target buffer and parity that a write to a command register starts. */
#ifndef PMU_TEST_REGISTERS_H
#define PMU_TEST_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/testreg/test_access.h"
#include "p5tool/pmu.h"

/* The operations on the core's structures (core/testreg/test_access.h has the structs). Any function may be NULL; its
 * operation then does nothing, and a command register only takes the value written. */
typedef struct test_ops {
    void *context; /* first argument of each function */
    void (*cache_write)(void *context, const test_cache_line *line);
    /* Fills in the contents at data_cache, set, way. */
    void (*cache_read)(void *context, test_cache_line *line);
    /* With `one_line`, flushes the data cache's line at set, way, and writes it back if it is modified. Otherwise
     * flushes a whole cache, without write-back. */
    void (*cache_flush)(void *context, bool data_cache, bool one_line, unsigned set, unsigned way);
    void (*tlb_write)(void *context, const test_tlb_entry *entry);
    bool (*tlb_read)(void *context, test_tlb_entry *entry); /* looks entry->linear up; false: miss */
    void (*btb_write)(void *context, const test_btb_entry *entry);
    /* Fills in the contents at set, way, bank; with `tag_only` only the tag is needed. */
    void (*btb_read)(void *context, test_btb_entry *entry, bool tag_only);
    void (*btb_flush)(void *context);
    void (*parity)(void *context, uint32_t tr1); /* called after a write to TR1 */
    /* Copies the line that was filled by the last data read that missed. `*end` is the core clock in which the fill
     * ended that the caller already has, 0 for none; it becomes that of the copied one. Returns false, and changes
     * nothing, if there is no later fill. */
    bool (*last_fill)(void *context, uint64_t *end, uint32_t data[TEST_LINE_WORDS]);
} test_ops;

typedef struct test_registers {
    uint32_t value[P5_MSR_TR12 + 1]; /* by MSR number */
    /* The line that a cache write stores. A write to TR3 puts four bytes into it, and each line fill by a data read
     * replaces all of it (manual, 26.2.1). The fill is copied when the buffer is next used. */
    uint32_t fill_buffer[TEST_LINE_WORDS];
    uint64_t filled;                   /* core clock in which the last fill that was copied ended; 0: none */
    uint8_t end_bits[TEST_LINE_WORDS]; /* written by TR2, for each four bytes of the line */
    test_ops ops;
} test_registers;

/* Read and write a test register. A write to a command register (TR1, TR5, TR6, TR11) also performs its operation.
 * `r` is the register's row of p5_registers(family); bits that it lacks read as 0 and are not written. `family` is
 * P5_FAMILY_P54C or P5_FAMILY_P55C. */
uint32_t test_register_read(const test_registers *t, const p5_register *r);
void test_register_write(test_registers *t, const p5_register *r, unsigned family, uint32_t value);
/* Records a parity error in TR1.PES. Returns whether the processor shuts down (TR1.NS = 0). */
bool test_registers_parity_error(test_registers *t);
/* Sets those members of `control` that TR12 determines. */
void test_registers_control(const test_registers *t, p5_control *control);

#endif
