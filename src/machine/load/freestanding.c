/* Freestanding ELF programs and Multiboot images: segments at their physical addresses, entered at CPL 0. */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/file.h"
#include "machine/load/bare.h"
#include "machine/load/elf.h"
#include "machine/load/kernel.h"
#include "machine/load/multiboot.h"
#include "machine/load/mz.h"
#include "machine/run/open.h"

static p5_status freestanding_place(p5_machine *machine, const elf_image *image, uint32_t *entry,
                                    uint32_t *end, p5_error *error)
{
    p5_status status = machine_open_engine(machine, BARE_DEFAULT_MEMORY, BARE_LEAST_MEMORY, error);
    return status == P5_OK ? bare_place_elf(machine, image, entry, end, error) : status;
}

p5_status p5_machine_load_elf(p5_machine *machine, const char *path, p5_error *error)
{
    elf_image image;
    uint32_t entry, end;
    p5_status status = elf_open(path, &image, error);
    if (status != P5_OK)
        return status;
    status = freestanding_place(machine, &image, &entry, &end, error);
    if (status == P5_OK)
        bare_start(machine, entry);
    else
        error_at(error, path, 0, 0);
    elf_close(&image);
    return status;
}

static p5_status freestanding_multiboot_elf(p5_machine *machine, const char *path, p5_error *error)
{
    elf_image image;
    multiboot_header header;
    size_t offset;
    uint32_t entry, end;
    p5_status status = elf_open(path, &image, error);
    if (status != P5_OK)
        return status;
    if (!multiboot_find(image.bytes, image.size, &header, &offset))
        status = error_set(error, P5_ERR_FORMAT, "there is no Multiboot header in the first 8192 bytes");
    if (status == P5_OK)
        status = freestanding_place(machine, &image, &entry, &end, error);
    if (status == P5_OK)
        status = multiboot_start(machine, &header, path, entry, end, error);
    elf_close(&image);
    return error_in(error, status, path);
}

/* Loads an image that has addresses in its header (specification, 3.1.3). The part of the file between the
 * load address and the header is loaded, too. */
static p5_status freestanding_multiboot_flat(p5_machine *machine, const char *path, const uint8_t *bytes,
                                             size_t size, p5_error *error)
{
    multiboot_header h;
    size_t offset;
    if (!multiboot_find(bytes, size, &h, &offset))
        return error_set(error, P5_ERR_FORMAT, "there is no Multiboot header in the first 8192 bytes");
    if ((h.flags & MULTIBOOT_ADDRESSES) == 0)
        return error_set(error, P5_ERR_FORMAT, "this Multiboot image is no ELF file and has no load address");
    uint64_t before = (uint64_t)h.header_address - h.load_address;
    if (h.header_address < h.load_address || before > offset)
        return error_set(error, P5_ERR_FORMAT, "the load address %Xh does not go with the header's %Xh",
                         h.load_address, h.header_address);
    size_t first = offset - (size_t)before;
    uint64_t wanted = h.load_end != 0 ? (uint64_t)h.load_end - h.load_address : size - first;
    if (h.load_end != 0 && (h.load_end < h.load_address || wanted > size - first))
        return error_set(error, P5_ERR_FORMAT, "the file is truncated: %zu bytes of %llu", size - first,
                         (unsigned long long)wanted);
    uint64_t memory = h.bss_end > h.load_address + wanted ? (uint64_t)h.bss_end - h.load_address : wanted;
    if (h.entry < h.load_address || h.entry - h.load_address >= memory)
        return error_set(error, P5_ERR_FORMAT, "the entry point %Xh is outside the image", h.entry);
    p5_status status = machine_open_engine(machine, BARE_DEFAULT_MEMORY, BARE_LEAST_MEMORY, error);
    if (status == P5_OK)
        status = bare_place(machine, h.load_address, bytes + first, (size_t)wanted, (size_t)memory, error);
    if (status == P5_OK)
        status = multiboot_start(machine, &h, path, h.entry, h.load_address + (uint32_t)memory, error);
    return status;
}

p5_status p5_machine_load_multiboot(p5_machine *machine, const char *path, p5_error *error)
{
    uint8_t *bytes;
    size_t size;
    p5_status status = file_read(path, 1u << 30, false, &bytes, &size, error);
    if (status != P5_OK)
        return status;
    if (size >= 4 && memcmp(bytes, "\177ELF", 4) == 0) {
        free(bytes);
        return freestanding_multiboot_elf(machine, path, error);
    }
    status = freestanding_multiboot_flat(machine, path, bytes, size, error);
    free(bytes);
    return error_in(error, status, path);
}

/* Returns true for .com and .exe: DOS executes a file with either name, and checks both for MZ. */
static bool named_as_program(const char *path)
{
    size_t length = strlen(path);
    const char *ending = path + length - 4;
    return length > 4 && (strcasecmp(ending, ".com") == 0 || strcasecmp(ending, ".exe") == 0);
}

/* Recognises a vmlinux: it is linked high, loaded low, and contains Linux's banner. */
static bool is_vmlinux(const char *path)
{
    static const char banner[] = "Linux version ";
    elf_image image;
    p5_error error = {0};
    if (elf_open(path, &image, &error) != P5_OK)
        return false;
    bool found = image.segments[0].physical != image.segments[0].linear &&
                 memmem(image.bytes, image.size, banner, sizeof banner - 1) != NULL;
    elf_close(&image);
    return found;
}

p5_status p5_machine_image_kind(const char *path, p5_image_kind *kind, p5_error *error)
{
    enum { LARGEST = 1 << 30, SIGNATURE = 510 };
    uint8_t *bytes;
    size_t size, offset;
    multiboot_header header;
    *kind = P5_IMAGE_UNKNOWN;
    p5_status status = file_read(path, LARGEST, false, &bytes, &size, error);
    if (status != P5_OK)
        return status;
    if (multiboot_find(bytes, size, &header, &offset))
        *kind = P5_IMAGE_MULTIBOOT;
    else if (size >= 4 && memcmp(bytes, "\177ELF", 4) == 0)
        *kind = is_vmlinux(path) ? P5_IMAGE_KERNEL : P5_IMAGE_ELF;
    else if (kernel_is_bzimage(bytes, size))
        *kind = P5_IMAGE_KERNEL;
    else if (mz_is_signed(bytes, size) || named_as_program(path))
        *kind = P5_IMAGE_DOS;
    else if (size >= 512 && bytes[SIGNATURE] == 0x55 && bytes[SIGNATURE + 1] == 0xaa)
        *kind = P5_IMAGE_DISK;
    free(bytes);
    return P5_OK;
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
