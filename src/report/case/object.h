/* An i386 object file of the assembler, laid out in memory and relocated. */
#ifndef REPORT_CASE_OBJECT_H
#define REPORT_CASE_OBJECT_H

#include <stddef.h>
#include <stdint.h>

#include "p5scope/status.h"

/* A placed program: code, initialised data and zeroed memory, each on a page of its own. */
typedef struct case_object {
    uint8_t *text;
    size_t text_size;
    uint8_t *data;
    size_t data_size;
    size_t bss_size;
    uint32_t text_address, data_address, bss_address;
} case_object;

/* Lays out the relocatable object in `file` with its code at `text_address` and `tail` bytes appended to the
 * code. */
p5_status case_object_place(const uint8_t *file, size_t size, uint32_t text_address, const uint8_t *tail,
                            size_t tail_size, case_object *out, p5_error *error);
void case_object_free(case_object *object);

#endif
