/* The record that snippets.c writes for each snippet and compare.c reads. */
#ifndef DIFFERENTIAL_RECORD_H
#define DIFFERENTIAL_RECORD_H

#include <stdint.h>

/* Memory: two pages with nothing after them, one page alone, one that can be written below one that can not,
 * a stack. */
enum {
    DATA = 0x20001000,
    LAST = 0x20020000,
    LOW = 0x2000f000,
    CONSTANT = 0x20010000,
    STACK = 0x20030000,
    MISSING = 0x20035000,
    PAGE = 4096
};
/* What is filled before a snippet and written after it: where, and how many bytes. */
enum { RECORD_WINDOWS = 6, RECORD_MEMORY = 336 };
static const struct {
    uint32_t at, size;
} windows[RECORD_WINDOWS] = {
    {DATA, 256},           {DATA + PAGE - 128, 256}, {DATA + 2 * PAGE - 128, 128}, {LAST + PAGE - 128, 128},
    {LOW + PAGE - 64, 64}, {STACK + PAGE - 512, 512}};

enum { RECORD_INSNS = 24, RECORD_CODE = 352 };
typedef struct record {
    uint32_t index;       /* number of the snippet */
    uint16_t count, size; /* instructions, bytes */
    uint16_t uses_x87;
    uint16_t stores_x87;                  /* the last one is FNSTENV or FNSAVE */
    uint16_t starts[RECORD_INSNS + 2];    /* where instructions begin, and the end */
    uint16_t undefined[RECORD_INSNS + 2]; /* flags that are undefined before each, and after the last */
    uint8_t code[RECORD_CODE];            /* POPF first */
    uint32_t code_at;
    /* From here on each of the states that it begins in has its own. */
    uint32_t run; /* which it is */
    uint32_t before[8], flags_before, x87_before[27];
    /* After it: */
    uint32_t signal, signal_code, trap, error, cr2; /* signal 0: went through */
    uint32_t registers[8], eip, flags, x87[27];
    uint32_t memory[RECORD_MEMORY]; /* the windows */
} record;

#endif
