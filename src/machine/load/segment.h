/* Descriptors and flat segments for loaders. */
#ifndef MACHINE_LOAD_SEGMENT_H
#define MACHINE_LOAD_SEGMENT_H

#include <stdint.h>

#include "engine/engine.h"
#include "isa/processor.h"

/* Access rights: bits 8-23 of a descriptor's high dword (isa/processor.h). */
enum {
    SEGMENT_CODE = DESCRIPTOR_P | DESCRIPTOR_S | DESCRIPTOR_CODE | DESCRIPTOR_READABLE | DESCRIPTOR_ACCESSED,
    SEGMENT_DATA = DESCRIPTOR_P | DESCRIPTOR_S | DESCRIPTOR_WRITABLE | DESCRIPTOR_ACCESSED,
    SEGMENT_TSS = DESCRIPTOR_P | SYSTEM_TSS32 << 8 /* available, as LTR requires */
};

/* Returns a flat 4 GB segment for `cpl`. */
engine_segment segment_flat(uint16_t selector, bool code, unsigned cpl);
/* Makes a GDT with `entries` entries in `memory`, which is at `linear`, and loads GDTR with it. Each of the `count`
 * segments goes to the entry of its selector. */
void segment_table(engine *e, uint8_t *memory, uint32_t linear, unsigned entries,
                   const engine_segment *segments, unsigned count);
/* Returns the descriptor of a segment whose limit is in bytes. */
uint64_t segment_descriptor(const engine_segment *segment);
/* Returns a 32-bit interrupt gate. */
uint64_t segment_gate(uint16_t selector, uint32_t offset, unsigned dpl);
/* Loads flat segments for `cpl`: CS from `code`, the other five from `data` (selectors with RPL). */
void segment_load_flat(engine *e, uint16_t code, uint16_t data, unsigned cpl);
/* Sets all registers but segment and control registers for an entry: EAX to EDI are 0 except ESP, and the x87 is as
 * after FNINIT. */
void segment_start(engine *e, uint32_t eip, uint32_t esp, uint32_t eflags);
/* Sets the x87 to its state after FNINIT: control word 37Fh, all registers empty. */
void segment_init_x87(engine *e);

#endif
