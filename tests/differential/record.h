/* The record that snippets.c writes for each snippet and compare.c reads. */
#ifndef DIFFERENTIAL_RECORD_H
#define DIFFERENTIAL_RECORD_H

#include <stdint.h>

/* Addresses of memory: two pages that end before an absent one, a single page, a writable page (LOW) below one that is
 * read-only, a stack, and an absent page. */
enum {
    DATA = 0x20001000,
    LAST = 0x20020000,
    LOW = 0x2000f000,
    CONSTANT = 0x20010000,
    STACK = 0x20030000,
    MISSING = 0x20035000,
    PAGE = 4096
};
/* The parts of memory that are filled before a snippet and recorded after it: address and bytes. RECORD_MEMORY is their
 * size in dwords. */
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
    uint16_t stores_x87;               /* the last instruction is FNSTENV or FNSAVE */
    uint16_t starts[RECORD_INSNS + 2]; /* where instructions begin, and the end */
    uint16_t undefined[RECORD_INSNS +
                       2];     /* flags that are undefined before each instruction, and after the last */
    uint8_t code[RECORD_CODE]; /* POPF first */
    uint32_t code_at;
    /* A snippet may run in several initial states. Each run has its own values of the following members. */
    uint32_t run; /* number of the run */
    uint32_t before[8], flags_before, x87_before[27];
    /* After it: */
    uint32_t signal, signal_code, trap, error, cr2; /* signal 0: the snippet came to its end */
    uint32_t registers[8], eip, flags, x87[27];
    uint32_t memory[RECORD_MEMORY]; /* the windows */
} record;

#endif
