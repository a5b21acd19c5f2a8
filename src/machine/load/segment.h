/* Descriptors and flat segments, as loaders set them up. */
#ifndef MACHINE_LOAD_SEGMENT_H
#define MACHINE_LOAD_SEGMENT_H

#include <stdint.h>

#include "engine/engine.h"
#include "isa/processor.h"

/* Access rights that loaders give: bits 8-23 of a descriptor's high dword (isa/processor.h). */
enum {
    SEGMENT_CODE = DESCRIPTOR_P | DESCRIPTOR_S | DESCRIPTOR_CODE | DESCRIPTOR_READABLE | DESCRIPTOR_ACCESSED,
    SEGMENT_DATA = DESCRIPTOR_P | DESCRIPTOR_S | DESCRIPTOR_WRITABLE | DESCRIPTOR_ACCESSED,
    SEGMENT_TSS = DESCRIPTOR_P | SYSTEM_TSS32 << 8 /* available, as LTR finds it */
};

/* A flat 4 GB segment of `cpl`. */
engine_segment segment_flat(uint16_t selector, bool code, unsigned cpl);
/* Makes a GDT of so many entries in `memory`, which is at `linear`, of these segments by their selectors. */
void segment_table(engine *e, uint8_t *memory, uint32_t linear, unsigned entries,
                   const engine_segment *segments, unsigned count);
/* The descriptor of a segment whose limit is given in bytes. */
uint64_t segment_descriptor(const engine_segment *segment);
/* A 32-bit interrupt gate. */
uint64_t segment_gate(uint16_t selector, uint32_t offset, unsigned dpl);
/* Loads flat segments: CS from `code`, the other five from `data` (selectors with RPL), for `cpl`. */
void segment_load_flat(engine *e, uint16_t code, uint16_t data, unsigned cpl);
/* All other registers as at an entry: EAX to EDI 0 but for ESP, x87 as below. */
void segment_start(engine *e, uint32_t eip, uint32_t esp, uint32_t eflags);
/* x87 as after FNINIT: control word 37Fh, all registers empty. */
void segment_init_x87(engine *e);

#endif
