/* The record that system.c writes for each test and system_compare.c reads. */
#ifndef SYSTEM_RECORD_H
#define SYSTEM_RECORD_H

#include <stdint.h>

enum { SYSTEM_MAGIC = 0x5253f035 };
typedef struct system_record {
    uint32_t magic, index;
    uint32_t vector; /* 8: nothing after it is filled in */
    uint32_t error, eip, cs, eflags, esp, ss, eax, ecx, edx, ebx, ebp, esi, edi, ds, es, fs, gs;
    uint32_t cr2, cr0, tr, ldtr, cr4, dr6;
    uint32_t memory, low, descriptors, pages, tss, main_tss; /* sums of what was changed */
    uint32_t kind;                                           /* kind << 8 | level << 4 | 32-bit code */
    uint32_t code[8];                                        /* before the test, big-endian */
    uint32_t overwritten;                                    /* sum of it after, if that is not the same */
} system_record;

#endif
