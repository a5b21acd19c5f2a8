/* Bare-metal guests: their entry state, and copying of images into RAM (bare.h). */
#include "machine/load/bare.h"

#include <string.h>

#include "base/error.h"
#include "machine/load/guest.h"
#include "machine/run/contents.h"
#include "machine/load/segment.h"
#include "machine/run/processor.h"

enum { BARE_SMALL_IMAGE = 64 << 10 }; /* bytes */

const guest_kind bare_guest = {.name = "bare"};

void bare_enter(p5_machine *machine, uint32_t entry)
{
    engine *e = machine->engine;
    uint32_t gdt_address = machine->options.memory_bytes - PAGE_BYTES;
    const engine_segment flat[] = {segment_flat(BARE_CODE, true, 0), segment_flat(BARE_DATA, false, 0)};
    engine_set(e, ENGINE_CR0, CR0_PE | CR0_ET | CR0_NE);
    engine_set(e, ENGINE_CR4, 0);
    segment_table(e, engine_ram(e, gdt_address, PAGE_BYTES), gdt_address, 3, flat, 2);
    engine_set_table(e, true, 0, 0); /* no IDT */
    segment_load_flat(e, BARE_CODE, BARE_DATA, 0);
    segment_start(e, entry, gdt_address, EFLAGS_FIXED);
    processor_set_control(machine);
    machine->guest = &bare_guest;
}

void bare_start(p5_machine *machine, uint32_t entry)
{
    bare_enter(machine, entry);
    /* If host memory runs out, INVD discards nothing. */
    contents_keep_memory(machine);
}

p5_status bare_place(p5_machine *machine, uint32_t address, const uint8_t *bytes, size_t size,
                     size_t memory_size, p5_error *error)
{
    uint32_t top = machine->options.memory_bytes - PAGE_BYTES; /* below the GDT's page */
    if (address > top || memory_size > top - address || size > memory_size)
        return error_set(error, P5_ERR_RANGE, "%zu bytes at %Xh do not fit into %u MB of memory", memory_size,
                         address, machine->options.memory_bytes >> 20);
    if (memory_size == 0)
        return P5_OK;
    uint8_t *ram = engine_ram(machine->engine, address, (uint32_t)memory_size);
    memcpy(ram, bytes, size);
    memset(ram + size, 0, memory_size - size);
    /* A guest with INVD needs every store followed, which is slow. A large image contains its two bytes by chance. */
    if (size <= BARE_SMALL_IMAGE)
        engine_search_invd(machine->engine, bytes, size);
    return P5_OK;
}

/* Places all segments. The entry point may be a linear address, which is converted to a physical one. */
p5_status bare_place_elf(p5_machine *machine, const elf_image *image, uint32_t *entry, uint32_t *end,
                         p5_error *error)
{
    *end = 0;
    *entry = image->entry;
    for (unsigned i = 0; i < image->segment_count; i++) {
        const elf_segment *s = &image->segments[i];
        for (const elf_segment *other = image->segments; other < s; other++)
            if (s->physical < other->physical + other->memory_size &&
                other->physical < s->physical + s->memory_size)
                return error_set(error, P5_ERR_FORMAT,
                                 "the segments at physical addresses %Xh and %Xh overlap", other->physical,
                                 s->physical);
        p5_status status =
            bare_place(machine, s->physical, image->bytes + s->offset, s->file_size, s->memory_size, error);
        if (status != P5_OK)
            return status;
        *end = s->physical + s->memory_size > *end ? s->physical + s->memory_size : *end;
        if (image->entry - s->linear < s->memory_size)
            *entry = s->physical + (image->entry - s->linear);
    }
    return P5_OK;
}
