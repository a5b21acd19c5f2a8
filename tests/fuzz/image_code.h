/* Makes machine code for image.c: single bytes and instructions, and the instructions of a record of the input. */
#ifndef FUZZ_IMAGE_CODE_H
#define FUZZ_IMAGE_CODE_H

#include <stdbool.h>

#include "image.h"

typedef struct code {
    uint8_t *bytes; /* of the image */
    uint32_t at, end;
    bool code32;
} code;

void code_put(code *c, const void *bytes, uint32_t size);
void code_byte(code *c, unsigned value);
void code_word(code *c, uint32_t value);
void code_dword(code *c, uint32_t value);
/* MOV reg,imm and PUSH imm of 32 bits, in 16-bit code, too. */
void code_mov(code *c, unsigned reg, uint32_t value);
void code_push(code *c, uint32_t value);

/* The image's parts, as offsets. */
enum {
    AT_START = 0,
    AT_POINTERS = 0x600, /* eight operands of LGDT and LIDT; the first two are the right ones */
    AT_COUNTER = 0x680,
    AT_ENTRIES = 0x700, /* addresses of the stubs, for the dispatcher */
    AT_DISPATCH = 0x800,
    AT_HANDLERS = 0x880,
    HANDLERS = 12,
    HANDLER_BYTES = 0x20,
    AT_STUBS = 0xa00, /* code that enters a snippet */
    STUB_BYTES = 0xa0,
    AT_VECTORS = 0x1400, /* of a real-mode image */
    AT_GDT = 0x2000,
    GDT_ENTRIES = 64,
    AT_LDT = 0x2200,
    AT_IDT = 0x2400,
    AT_TSS = 0x3000, /* the first with an I/O bitmap */
    TSS_BYTES = 0x400,
    AT_DIRECTORY = 0x4000,
    AT_TABLE = 0x5000,
    AT_TABLE2 = 0x6000,
    AT_SNIPPETS = 0x7000,
    SNIPPET_ROOM = 0x110,
    AT_DATA = 0x9000, /* three pages */
    AT_STACK = 0xd000,
    AT_USER_STACK = 0xd400
};
/* Selectors: level n's code and data are at SELECTOR_CODE + 16 n, in code of 32 bits, then of 16. */
enum {
    SELECTOR_CODE = 0x08,
    SELECTOR_DATA = 0x10,
    SELECTOR_CODE16 = 0x48,
    SELECTOR_TSS = 0x88, /* three of 32 bits, one of 16 */
    SELECTOR_LDT = 0xa8,
    SELECTOR_REST = 0xb0 /* the first of arbitrary gates and segments */
};

/* Takes five bytes of the input and returns a value: often a limit of some range, or next to one. */
uint32_t code_value(fuzz_input *input);
/* Takes five bytes of the input and returns a linear address, mostly in a part of the image. */
uint32_t code_address(fuzz_input *input);
/* Appends the instructions of a record if there is room for them. `again` is the target of loops. */
void code_record(code *c, fuzz_input record, uint32_t again);

#endif
