/* What snippets.c writes of each snippet and compare.c reads. */
#ifndef DIFFERENTIAL_RECORD_H
#define DIFFERENTIAL_RECORD_H

#include <stdint.h>

enum { RECORD_WINDOWS = 6, RECORD_INSNS = 6, RECORD_CODE = 128 };
typedef struct record {
    uint32_t index, run;                  /* number of the snippet, and which of its states */
    uint8_t count, size, uses_x87;        /* instructions, bytes */
    uint8_t stores_x87;                   /* the last one is FNSTENV or FNSAVE */
    uint8_t starts[RECORD_INSNS + 2];     /* where instructions begin, and the end */
    uint16_t undefined[RECORD_INSNS + 2]; /* flags that are undefined in front of each, and behind the last */
    uint8_t code[RECORD_CODE];            /* POPF first */
    uint32_t code_at;
    uint32_t before[8], flags_before, x87_before[27];
    /* Behind it: */
    uint32_t signal, signal_code, trap, error, cr2; /* signal 0: went through */
    uint32_t registers[8], eip, flags, x87[27];
    uint32_t memory[RECORD_WINDOWS]; /* sums */
} record;

#endif
