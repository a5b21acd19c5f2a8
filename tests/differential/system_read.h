/* Reads the records of system.c. */
#ifndef SYSTEM_READ_H
#define SYSTEM_READ_H

#include <stdbool.h>
#include <stdio.h>

#include "system_record.h"

/* The next record, after whatever else the emulator writes. */
static inline bool system_next(FILE *file, system_record *r)
{
    uint32_t word = 0;
    for (int byte; (byte = fgetc(file)) != EOF;) {
        word = word >> 8 | (uint32_t)byte << 24;
        if (word == SYSTEM_MAGIC) {
            r->magic = word;
            return fread(&r->index, sizeof *r - sizeof r->magic, 1, file) == 1;
        }
    }
    return false;
}

#endif
