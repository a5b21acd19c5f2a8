/* Linux kernels, by the 32-bit boot protocol (Documentation/x86/boot.rst). A bzImage's protected-mode part is
 * loaded to its address, a vmlinux to its physical addresses; boot_params, command line and initrd are
 * added. */
#include "machine/load/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/file.h"
#include "machine/base/notice.h"
#include "machine/board/devices.h"
#include "machine/load/bare.h"
#include "machine/load/elf.h"
#include "machine/load/first_program.h"
#include "machine/load/segment.h"
#include "machine/run/open.h"
#include "machine/run/processor.h"
#include "machine/state.h"

enum {
    /* addresses of the protocol's data, all of it below 640 KB */
    GDT_AT = 0x8000,
    PARAMS_AT = 0x10000,
    LINE_AT = 0x20000,
    LINE_ROOM = 0x1000,
    CODE_SELECTOR = 0x10,
    DATA_SELECTOR = 0x18,
    LOW_MEMORY = 0x9fc00, /* the BIOS has the last kilobyte of the 640 KB */
    HIGH_MEMORY = 1 << 20,
    LEAST_MEMORY = 4 << 20, /* bytes with which a kernel can run */
    /* offsets in boot_params ("zero page") */
    SCREEN_COLUMNS = 0x07,
    SCREEN_MODE = 0x06,
    SCREEN_LINES = 0x0e,
    SCREEN_IS_VGA = 0x0f,
    SCREEN_POINTS = 0x10,
    ALT_MEM_K = 0x1e0,
    E820_ENTRIES = 0x1e8,
    HEADER = 0x1f1,
    E820_TABLE = 0x2d0,
    /* setup header, as offsets in the file's first sectors and in boot_params */
    SETUP_SECTORS = 0x1f1,
    BOOT_FLAG = 0x1fe,
    JUMP_LENGTH = 0x201,
    MAGIC = 0x202,
    VERSION = 0x206,
    TYPE_OF_LOADER = 0x210,
    LOAD_FLAGS = 0x211,
    CODE32_START = 0x214,
    INITRD_AT = 0x218,
    INITRD_SIZE = 0x21c,
    LINE_POINTER = 0x228,
    INITRD_MOST = 0x22c,
    LINE_MOST = 0x238,
    INIT_SIZE = 0x260,
    HEADER_END = 0x268,
    /* values */
    LOADED_HIGH = 1,          /* LOAD_FLAGS: bzImage, loaded at 1 MB */
    UNKNOWN_LOADER = 0xff,    /* TYPE_OF_LOADER */
    LEAST_VERSION = 0x202,    /* of the protocol: 2.02 */
    OLD_INITRD = 0x37ffffff,  /* INITRD_MOST before protocol 2.03 */
    OLD_LINE_MOST = 255,      /* LINE_MOST before protocol 2.06 */
    VMLINUX_LINE_MOST = 2047, /* the limit of x86 kernels, COMMAND_LINE_SIZE - 1 */
    RAM = 1,                  /* types of memory in the map */
    RESERVED = 2
};

static void put_dword(uint8_t *bytes, size_t at, uint32_t value)
{
    memcpy(bytes + at, &value, sizeof value);
}

bool kernel_is_bzimage(const uint8_t *bytes, size_t size)
{
    return size >= HEADER_END && memcmp(bytes + MAGIC, "HdrS", 4) == 0 && le16_at(bytes, BOOT_FLAG) == 0xaa55;
}

/* A kernel in memory: its entry point, its end, its limits, and boot_params with its setup header. */
typedef struct kernel {
    uint32_t entry, end;        /* physical; `end` is the first address that it does not need */
    uint32_t initrd_most;       /* highest address of a byte of the initrd */
    uint32_t line_most;         /* characters of the longest command line */
    uint8_t params[PAGE_BYTES]; /* boot_params */
} kernel;

/* Loads a bzImage and copies its setup header. The setup consists of a boot sector and `sectors` more. The header ends
 * at 202h plus the distance of the jump over it, which is at 200h. */
static p5_status kernel_place_bzimage(p5_machine *machine, const uint8_t *bytes, size_t size, kernel *k,
                                      p5_error *error)
{
    uint32_t sectors = bytes[SETUP_SECTORS] != 0 ? bytes[SETUP_SECTORS] : 4;
    size_t at = (sectors + 1) * 512, header = 0x202u + bytes[JUMP_LENGTH];
    uint32_t version = le16_at(bytes, VERSION);
    if (version < LEAST_VERSION || (bytes[LOAD_FLAGS] & LOADED_HIGH) == 0)
        return error_set(
            error, P5_ERR_FORMAT, "this kernel has boot protocol %u.%02u%s; a bzImage with 2.02 is required",
            version >> 8, version & 255, (bytes[LOAD_FLAGS] & LOADED_HIGH) == 0 ? " and is a zImage" : "");
    if (at >= size)
        return error_set(error, P5_ERR_FORMAT, "the file is truncated: %zu bytes; its setup alone has %zu",
                         size, at);
    uint32_t start = le32_at(bytes, CODE32_START);
    if (start < HIGH_MEMORY) {
        error_set(error, P5_ERR_FORMAT, "the kernel's load address %Xh is below 1 MB", start);
        error_hint(error,
                   "boot a kernel that begins in real mode (lkrn) from a disk image with SYSLINUX or GRUB");
        return P5_ERR_FORMAT;
    }
    /* Bytes that it needs to decompress itself. */
    uint32_t run = version >= 0x20a ? le32_at(bytes, INIT_SIZE) : 0;
    p5_status status = bare_place(machine, start, bytes + at, size - at, size - at, error);
    if (status != P5_OK)
        return status;
    if (run > machine->options.memory_bytes - start)
        return error_set(error, P5_ERR_FORMAT,
                         "the kernel needs %u MB of memory from %Xh on, but the machine has %u MB (--mem)",
                         run >> 20, start, machine->options.memory_bytes >> 20);
    memcpy(k->params + HEADER, bytes + HEADER, (header < HEADER_END ? header : HEADER_END) - HEADER);
    k->entry = start;
    k->end = start + (run > size - at ? run : (uint32_t)(size - at));
    k->initrd_most = version >= 0x203 ? le32_at(bytes, INITRD_MOST) : (uint32_t)OLD_INITRD;
    k->line_most = version >= 0x206 ? le32_at(bytes, LINE_MOST) : (uint32_t)OLD_LINE_MOST;
    return P5_OK;
}

/* Loads a vmlinux. It has no setup header, so the fields that the kernel reads are made here. */
static p5_status kernel_place_elf(p5_machine *machine, const elf_image *image, kernel *k, p5_error *error)
{
    p5_status status = bare_place_elf(machine, image, &k->entry, &k->end, error);
    if (status != P5_OK)
        return status;
    memcpy(k->params + MAGIC, "HdrS", 4);
    k->params[VERSION] = 0x0c; /* 2.12 */
    k->params[VERSION + 1] = 0x02;
    k->params[BOOT_FLAG] = 0x55;
    k->params[BOOT_FLAG + 1] = 0xaa;
    k->params[LOAD_FLAGS] = LOADED_HIGH;
    k->initrd_most = OLD_INITRD;
    k->line_most = VMLINUX_LINE_MOST;
    return P5_OK;
}

/* Writes the memory map that a BIOS would return (INT 15h, E820h). */
static void kernel_memory_map(const p5_machine *machine, kernel *k)
{
    uint32_t memory = machine->options.memory_bytes;
    const struct {
        uint32_t base, length, type;
    } map[] = {{0, LOW_MEMORY, RAM},
               {LOW_MEMORY, 0x100000 - LOW_MEMORY, RESERVED},
               {HIGH_MEMORY, memory > HIGH_MEMORY ? memory - HIGH_MEMORY : 0, RAM}};
    for (unsigned i = 0; i < 3; i++) { /* 64-bit base and length, then the type */
        put_dword(k->params, E820_TABLE + 20 * i, map[i].base);
        put_dword(k->params, E820_TABLE + 20 * i + 8, map[i].length);
        put_dword(k->params, E820_TABLE + 20 * i + 16, map[i].type);
    }
    k->params[E820_ENTRIES] = 3;
    put_dword(k->params, ALT_MEM_K, map[2].length >> 10);
}

/* Describes the screen: text mode 3 of a VGA. */
static void kernel_screen(kernel *k)
{
    k->params[SCREEN_MODE] = 3;
    k->params[SCREEN_COLUMNS] = 80;
    k->params[SCREEN_LINES] = 25;
    k->params[SCREEN_IS_VGA] = 1;
    k->params[SCREEN_POINTS] = 16;
}

/* Places the initrd as high as kernel and memory allow, at the start of a page. */
static p5_status kernel_place_initrd(p5_machine *machine, kernel *k, const uint8_t *bytes, size_t size,
                                     p5_error *error)
{
    uint64_t top = machine->options.memory_bytes - PAGE_BYTES;
    if (k->initrd_most < top)
        top = (uint64_t)k->initrd_most + 1;
    if (size > top || (top - size) / PAGE_BYTES * PAGE_BYTES < k->end)
        return error_set(
            error, P5_ERR_FORMAT,
            "an initrd of %zu KB does not fit after the kernel, which ends at %Xh, into %u MB (--mem)",
            size >> 10, k->end, machine->options.memory_bytes >> 20);
    uint32_t at = (uint32_t)((top - size) / PAGE_BYTES * PAGE_BYTES);
    put_dword(k->params, INITRD_AT, at);
    put_dword(k->params, INITRD_SIZE, (uint32_t)size);
    return bare_place(machine, at, bytes, size, size, error);
}

/* Makes the initrd of --init, or reads that of --initrd, and places it. There may be none. */
static p5_status kernel_find_initrd(p5_machine *machine, kernel *k, const p5_load_options *with,
                                    p5_error *error)
{
    uint8_t *bytes = NULL;
    size_t size;
    cpio archive = {0};
    p5_status status = P5_OK;
    if (with->init != NULL) {
        status = first_program_archive(&archive, with->init, &machine->options, error);
        if (status == P5_OK)
            status = kernel_place_initrd(machine, k, archive.bytes.items, archive.bytes.count, error);
        cpio_free(&archive);
    } else if (with->initrd != NULL) {
        status = file_read(with->initrd, BARE_LARGEST_FILE, false, &bytes, &size, error);
        if (status == P5_OK)
            status = kernel_place_initrd(machine, k, bytes, size, error);
        free(bytes);
        return error_in(error, status, with->initrd);
    }
    return status;
}

/* Enters the kernel in flat protected mode with the selectors of the protocol; ESI = boot_params. */
static void kernel_enter(p5_machine *machine, const kernel *k)
{
    engine *e = machine->engine;
    bare_enter(machine, k->entry);
    const engine_segment flat[] = {segment_flat(CODE_SELECTOR, true, 0),
                                   segment_flat(DATA_SELECTOR, false, 0)};
    memcpy(engine_ram(e, PARAMS_AT, PAGE_BYTES), k->params, PAGE_BYTES);
    segment_table(e, engine_ram(e, GDT_AT, PAGE_BYTES), GDT_AT, 4, flat, 2);
    segment_load_flat(e, CODE_SELECTOR, DATA_SELECTOR, 0);
    engine_set(e, ENGINE_ESP, GDT_AT);
    engine_set(e, ENGINE_ESI, PARAMS_AT);
    processor_set_control(machine);
}

/* Opens the engine and loads the kernel of either kind. Fills in *k. */
static p5_status kernel_place(p5_machine *machine, const char *path, kernel *k, p5_error *error)
{
    uint8_t *bytes;
    size_t size;
    elf_image image;
    p5_status status = file_read(path, BARE_LARGEST_FILE, false, &bytes, &size, error);
    if (status != P5_OK)
        return status;
    bool bzimage = kernel_is_bzimage(bytes, size), elf = elf_has_magic(bytes, size);
    if (!bzimage && !elf) {
        error_set(error, P5_ERR_FORMAT, "the file is not a Linux kernel: neither a bzImage nor an ELF file");
        error_hint(error, "give a Multiboot kernel or a disk image as GUEST, without --kernel");
        status = P5_ERR_FORMAT;
    } else {
        status = machine_open_engine(machine, BARE_DEFAULT_MEMORY, LEAST_MEMORY, error);
    }
    if (status == P5_OK && bzimage)
        status = kernel_place_bzimage(machine, bytes, size, k, error);
    free(bytes);
    if (status == P5_OK && elf) {
        status = elf_open(path, &image, error);
        if (status == P5_OK) {
            status = kernel_place_elf(machine, &image, k, error);
            elf_close(&image);
        }
    }
    return error_in(error, status, path);
}

p5_status p5_machine_load_kernel(p5_machine *machine, const char *path, const p5_load_options *with,
                                 p5_error *error)
{
    const char *line = with->append != NULL ? with->append : "console=ttyS0,115200";
    kernel *k = calloc(1, sizeof *k);
    if (k == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a kernel");
    p5_status status = kernel_place(machine, path, k, error);
    if (status == P5_OK && (strlen(line) > k->line_most || strlen(line) >= LINE_ROOM))
        status =
            error_set(error, P5_ERR_RANGE, "this kernel's command line is limited to %u characters, not %zu",
                      k->line_most, strlen(line));
    if (status == P5_OK)
        status = kernel_find_initrd(machine, k, with, error);
    if (status == P5_OK) {
        strcpy((char *)engine_ram(machine->engine, LINE_AT, LINE_ROOM), line);
        put_dword(k->params, LINE_POINTER, LINE_AT);
        k->params[TYPE_OF_LOADER] = UNKNOWN_LOADER;
        kernel_memory_map(machine, k);
        kernel_screen(k);
        kernel_enter(machine, k);
        /* A kernel without a serial console has its console on the screen, and reads the keyboard. */
        if (strstr(line, "console=ttyS") == NULL)
            devices_input_to_keyboard(machine->devices);
        if (strstr(line, "console=") == NULL)
            notice(&machine->notices,
                   "the kernel writes to the screen, which --screen shows; with "
                   "console=ttyS0,115200 on its command line, Linux writes to standard output");
    }
    free(k);
    return status;
}
