/* Descriptors in the processor's format (SDM volume 3, segmentation), and segment registers for loaders. */
#include "machine/load/segment.h"

#include <string.h>

engine_segment segment_flat(uint16_t selector, bool code, unsigned cpl)
{
    return (engine_segment){.selector = selector,
                            .limit = UINT32_MAX,
                            .flags = (uint32_t)(DESCRIPTOR_G | DESCRIPTOR_B | 0xf << 16) | cpl << 13 |
                                     (uint32_t)(code ? SEGMENT_CODE : SEGMENT_DATA)};
}

uint64_t segment_descriptor(const engine_segment *segment)
{
    uint32_t limit = (segment->flags & DESCRIPTOR_G) != 0 ? segment->limit >> 12 : segment->limit;
    uint32_t low = segment->base << 16 | (limit & 0xffff);
    uint32_t high = (segment->base & 0xff000000u) | (segment->flags & 0x00f0ff00u) | (limit & 0xf0000) |
                    (segment->base >> 16 & 0xff);
    return (uint64_t)high << 32 | low;
}

void segment_table(engine *e, uint8_t *memory, uint32_t linear, unsigned entries,
                   const engine_segment *segments, unsigned count)
{
    memset(memory, 0, 8 * entries);
    for (unsigned i = 0; i < count; i++) {
        uint64_t descriptor = segment_descriptor(&segments[i]);
        memcpy(memory + segments[i].selector / 8 * 8, &descriptor, sizeof descriptor);
    }
    engine_set_table(e, false, linear, (uint16_t)(8 * entries - 1));
}

uint64_t segment_gate(uint16_t selector, uint32_t offset, unsigned dpl)
{
    uint32_t low = (uint32_t)selector << 16 | (offset & 0xffff);
    uint32_t high =
        (offset & 0xffff0000u) | DESCRIPTOR_P | dpl << 13 | (SYSTEM_INTERRUPT_GATE16 | SYSTEM_32BIT) << 8;
    return (uint64_t)high << 32 | low;
}

void segment_load_flat(engine *e, uint16_t code, uint16_t data, unsigned cpl)
{
    static const engine_segment_name others[] = {ENGINE_SS, ENGINE_DS, ENGINE_ES, ENGINE_FS, ENGINE_GS};
    engine_segment cs = segment_flat(code, true, cpl);
    engine_segment ds = segment_flat(data, false, cpl);
    engine_set_segment(e, ENGINE_CS, &cs);
    for (unsigned i = 0; i < sizeof others / sizeof others[0]; i++)
        engine_set_segment(e, others[i], &ds);
}

void segment_start(engine *e, uint32_t eip, uint32_t esp, uint32_t eflags)
{
    for (engine_register r = ENGINE_EAX; r <= ENGINE_EDI; r++)
        engine_set(e, r, 0);
    engine_set(e, ENGINE_ESP, esp);
    engine_set(e, ENGINE_EFLAGS, eflags);
    engine_set(e, ENGINE_EIP, eip);
    segment_init_x87(e);
}

void segment_init_x87(engine *e)
{
    uint8_t image[108] = {0};
    image[0] = 0x7f; /* control word 037Fh */
    image[1] = 0x03;
    memset(&image[8], 0xff, 2); /* tag word: all registers empty */
    engine_set_x87(e, image);
}
