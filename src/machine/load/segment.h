/* Descriptors and flat segments, as loaders set them up. */
#ifndef MACHINE_LOAD_SEGMENT_H
#define MACHINE_LOAD_SEGMENT_H

#include <stdint.h>

#include "engine/engine.h"

/* Access rights as they stand in bits 8-23 of a descriptor's high dword:
 *   23 22 21 20 19..16  15 14..13 12 11..8
 *    G  D  -  A  limit   P   DPL   S  type   */
enum {
    SEGMENT_G = 1 << 23,
    SEGMENT_D = 1 << 22,
    SEGMENT_P = 1 << 15,
    SEGMENT_DPL3 = 3 << 13,
    SEGMENT_S = 1 << 12,
    SEGMENT_CODE_READ_ACCESSED = 0xb << 8,
    SEGMENT_DATA_WRITE_ACCESSED = 0x3 << 8,
    SEGMENT_TSS32 = 0x9 << 8 /* available, as LTR finds it */,
    SEGMENT_INTERRUPT_GATE32 = 0xe << 8
};

/* A flat 4 GB segment of `cpl`. */
engine_segment segment_flat(uint16_t selector, bool code, unsigned cpl);
/* The descriptor of a segment whose limit is given in bytes. */
uint64_t segment_descriptor(const engine_segment *segment);
/* A 32-bit interrupt gate. */
uint64_t segment_gate(uint16_t selector, uint32_t offset, unsigned dpl);
/* Loads flat segments: CS from `code`, the other five from `data` (selectors with RPL), for `cpl`. */
void segment_load_flat(engine *e, uint16_t code, uint16_t data, unsigned cpl);
/* x87 as after FNINIT: control word 37Fh, all registers empty. */
void segment_init_x87(engine *e);

#endif
