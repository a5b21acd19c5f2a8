/* Freestanding ELF programs and Multiboot images: segments at their physical addresses, entered at CPL 0. Also detects
 * what kind of guest a file is. Section numbers refer to the Multiboot specifications. */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/file.h"
#include "machine/load/bare.h"
#include "machine/load/data_area.h"
#include "machine/disk/el_torito.h"
#include "machine/load/elf.h"
#include "machine/load/kernel.h"
#include "machine/load/multiboot.h"
#include "machine/load/mz.h"
#include "machine/run/open.h"

p5_status p5_machine_load_elf(p5_machine *machine, const char *path, p5_error *error)
{
    elf_image image;
    uint32_t entry, end;
    p5_status status = elf_open(path, &image, error);
    if (status != P5_OK)
        return status;
    status = machine_open_engine(machine, BARE_DEFAULT_MEMORY, BARE_LEAST_MEMORY, error);
    if (status == P5_OK)
        status = bare_place_elf(machine, &image, &entry, &end, error);
    if (status == P5_OK)
        bare_start(machine, entry);
    else
        error_at(error, path, 0, 0);
    elf_close(&image);
    return status;
}

/* Opens the engine for a Multiboot kernel and fills the BIOS data area, which the kernel's segments may
 * overwrite. */
static p5_status multiboot_open(p5_machine *machine, p5_error *error)
{
    p5_status status = machine_open_engine(machine, BARE_DEFAULT_MEMORY, BARE_LEAST_MEMORY, error);
    if (status == P5_OK)
        data_area_fill(machine);
    return status;
}

/* Loads an ELF kernel by its program headers. */
static p5_status multiboot_load_elf(p5_machine *machine, const char *path, const multiboot_header *header,
                                    p5_error *error)
{
    elf_image image;
    uint32_t entry, end;
    p5_status status = elf_open(path, &image, error);
    if (status != P5_OK)
        return status;
    status = multiboot_open(machine, error);
    if (status == P5_OK)
        status = bare_place_elf(machine, &image, &entry, &end, error);
    if (status == P5_OK)
        status =
            multiboot_start(machine, header, path, header->has_entry ? header->entry : entry, end, error);
    elf_close(&image);
    return status;
}

/* Loads an image by the addresses of its header (version 1: 3.1.3, version 2: 3.1.5). The part of the
 * file between the load address and the header is loaded, too. */
static p5_status multiboot_load_flat(p5_machine *machine, const char *path, const multiboot_header *h,
                                     const uint8_t *bytes, size_t size, p5_error *error)
{
    if (!h->has_addresses || (h->version == 2 && !h->has_entry))
        return error_set(error, P5_ERR_FORMAT, "this Multiboot image is not an ELF file and has no %s",
                         h->has_addresses ? "entry address" : "load address");
    uint64_t before = (uint64_t)h->header_address - h->load_address;
    if (h->header_address < h->load_address || before > h->offset)
        return error_set(error, P5_ERR_FORMAT, "the load address %Xh contradicts the header address %Xh",
                         h->load_address, h->header_address);
    size_t first = h->offset - (size_t)before; /* offset of the first byte that is loaded */
    uint64_t wanted = h->load_end != 0 ? (uint64_t)h->load_end - h->load_address : size - first;
    if (h->load_end != 0 && (h->load_end < h->load_address || wanted > size - first))
        return error_set(error, P5_ERR_FORMAT, "the file is truncated: %zu bytes of %llu", size - first,
                         (unsigned long long)wanted);
    uint64_t memory = h->bss_end > h->load_address + wanted ? (uint64_t)h->bss_end - h->load_address : wanted;
    if (h->entry < h->load_address || h->entry - h->load_address >= memory)
        return error_set(error, P5_ERR_FORMAT, "the entry point %Xh is outside the image", h->entry);
    p5_status status = multiboot_open(machine, error);
    if (status == P5_OK)
        status = bare_place(machine, h->load_address, bytes + first, (size_t)wanted, (size_t)memory, error);
    if (status == P5_OK)
        status = multiboot_start(machine, h, path, h->entry, h->load_address + (uint32_t)memory, error);
    return status;
}

/* Version 2 uses the addresses in the header, if present, even for an ELF file (3.1.5). */
p5_status p5_machine_load_multiboot(p5_machine *machine, const char *path, p5_error *error)
{
    uint8_t *bytes;
    size_t size;
    multiboot_header header;
    p5_status status = file_read(path, BARE_LARGEST_FILE, false, &bytes, &size, error);
    if (status != P5_OK)
        return status;
    if (!multiboot_find(bytes, size, &header))
        status = error_set(
            error, P5_ERR_FORMAT,
            "there is no Multiboot header in the first 8 KB, nor one of Multiboot 2 in the first 32 KB");
    else
        status = multiboot_check(&header, bytes, error);
    if (status == P5_OK && elf_has_magic(bytes, size) && !(header.version == 2 && header.has_addresses))
        status = multiboot_load_elf(machine, path, &header, error);
    else if (status == P5_OK)
        status = multiboot_load_flat(machine, path, &header, bytes, size, error);
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

/* The context of read_whole. */
typedef struct whole_file {
    const uint8_t *bytes;
    size_t size;
} whole_file;

/* The callback by which el_torito_find reads. */
static bool read_whole(const void *context, uint64_t offset, void *bytes, size_t size)
{
    const whole_file *file = context;
    if (offset > file->size || size > file->size - offset)
        return false;
    memcpy(bytes, file->bytes + offset, size);
    return true;
}

/* Returns whether the file is a CD image with a boot record (El Torito). */
static bool is_bootable_cd(const uint8_t *bytes, size_t size)
{
    el_torito_entry entry;
    return el_torito_find(read_whole, &(whole_file){bytes, size}, &entry);
}

/* Distinguishes a Linux program from a freestanding one. P5_ERR_FORMAT for a file that is not ELF. */
static p5_status detect_elf(const char *path, p5_guest_kind *kind, p5_error *error)
{
    elf_image image;
    p5_status status = elf_open(path, &image, error);
    if (status != P5_OK)
        return status;
    *kind = image.linux_program ? P5_GUEST_LINUX : P5_GUEST_ELF;
    elf_close(&image);
    return P5_OK;
}

p5_status p5_guest_detect(const char *path, p5_guest_kind *kind, p5_error *error)
{
    enum { SIGNATURE = 510 }; /* offset of the boot signature */
    uint8_t *bytes;
    size_t size;
    multiboot_header header;
    *kind = P5_GUEST_DETECT;
    if (path == NULL)
        return error_null(error, "path");
    p5_status status = file_read(path, BARE_LARGEST_FILE, false, &bytes, &size, error);
    if (status != P5_OK)
        return status;
    bool bootable = size > SIGNATURE + 1 && bytes[SIGNATURE] == 0x55 && bytes[SIGNATURE + 1] == 0xaa;
    bool elf = elf_has_magic(bytes, size), bzimage = kernel_is_bzimage(bytes, size);
    bool multiboot = multiboot_find(bytes, size, &header);
    /* A disk may have a Multiboot kernel in its next sectors. A bzImage has a signature, too. */
    if (multiboot && (elf || bzimage || !bootable))
        *kind = P5_GUEST_MULTIBOOT;
    else if (bzimage || (elf && is_vmlinux(path)))
        *kind = P5_GUEST_KERNEL;
    else if (!elf && (mz_has_magic(bytes, size) || named_as_program(path)))
        *kind = P5_GUEST_DOS;
    else if (!elf && (bootable || is_bootable_cd(bytes, size)))
        *kind = P5_GUEST_DISK;
    free(bytes);
    return *kind != P5_GUEST_DETECT ? P5_OK : detect_elf(path, kind, error);
}
