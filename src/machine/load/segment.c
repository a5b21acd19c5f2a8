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

void segment_init_x87(engine *e)
{
    uint8_t image[108] = {0};
    image[0] = 0x7f; /* control word 037Fh */
    image[1] = 0x03;
    memset(&image[8], 0xff, 2); /* tag word: all empty */
    engine_set_x87(e, image);
}
