/* Freestanding ELF programs: segments at their physical addresses, entered at CPL 0. */
#include "base/error.h"
#include "machine/bare.h"
#include "machine/elf.h"

/* The entry point as a physical address: kernels are often linked high and loaded low. */
static uint32_t freestanding_entry(const elf_image *image)
{
    for (unsigned i = 0; i < image->segment_count; i++) {
        const elf_segment *s = &image->segments[i];
        if (image->entry >= s->linear && image->entry - s->linear < s->memory_size)
            return s->physical + (image->entry - s->linear);
    }
    return image->entry;
}

p5_status p5_machine_load_elf(p5_machine *machine, const char *path, p5_error *error)
{
    elf_image image;
    p5_status status = elf_open(path, &image, error);
    if (status != P5_OK)
        return status;
    status = machine_open_engine(machine, BARE_DEFAULT_MEMORY, BARE_LEAST_MEMORY, error);
    for (unsigned i = 0; i < image.segment_count && status == P5_OK; i++) {
        const elf_segment *s = &image.segments[i];
        status =
            bare_place(machine, s->physical, image.bytes + s->offset, s->file_size, s->memory_size, error);
    }
    if (status == P5_OK)
        bare_start(machine, freestanding_entry(&image));
    else
        error_at(error, path, 0, 0);
    elf_close(&image);
    return status;
}

p5_status p5_machine_probe(const char *path, bool *linux_program, p5_error *error)
{
    elf_image image;
    p5_status status = elf_open(path, &image, error);
    if (status != P5_OK)
        return status;
    *linux_program = image.linux_program;
    elf_close(&image);
    return P5_OK;
}
