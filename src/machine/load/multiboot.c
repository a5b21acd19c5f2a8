#include "machine/load/multiboot.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "machine/state.h"

enum {
    HEADER_MAGIC = 0x1badb002,
    LOADED_MAGIC = 0x2badb002,
    SEARCH_BYTES = 8192,
    HEADER_LEAST = 12,
    HEADER_WITH_ADDRESSES = 32,
    REQUIRED_KNOWN =
        0xffff & (MULTIBOOT_PAGE_ALIGN | MULTIBOOT_MEMORY_INFO), /* bits 0-15 must be understood */
    INFO_MEMORY = 1 << 0,
    INFO_COMMAND_LINE = 1 << 2,
    INFO_MODULES = 1 << 3,
    INFO_MAP = 1 << 6,
    INFO_LOADER = 1 << 9,
    LOW_MEMORY_KB = 640,
    HIGH_MEMORY = 1 << 20,
    LARGEST_MODULE = 1 << 30,
    MAP_ENTRIES = 3,
    MAP_RAM = 1,
    MAP_RESERVED = 2
};

/* Boot information, section 3.3: the fields that are filled in. */
typedef struct multiboot_info {
    uint32_t flags, mem_lower, mem_upper, boot_device, cmdline, mods_count, mods_addr, syms[4];
    uint32_t mmap_length, mmap_addr, drives_length, drives_addr, config_table, boot_loader_name;
} multiboot_info;

typedef struct multiboot_module {
    uint32_t start, end, string, reserved;
} multiboot_module;

typedef struct multiboot_map {
    uint32_t size; /* size of the members that follow */
    uint64_t base, length;
    uint32_t type;
} __attribute__((packed)) multiboot_map;

bool multiboot_find(const uint8_t *bytes, size_t size, multiboot_header *header, size_t *offset)
{
    size_t limit = size < SEARCH_BYTES ? size : SEARCH_BYTES;
    for (size_t at = 0; at + HEADER_LEAST <= limit; at += 4) {
        memset(header, 0, sizeof *header);
        memcpy(header, bytes + at, HEADER_LEAST);
        if (header->magic != HEADER_MAGIC || header->magic + header->flags + header->checksum != 0)
            continue;
        if ((header->flags & MULTIBOOT_ADDRESSES) != 0) {
            if (at + HEADER_WITH_ADDRESSES > limit)
                return false;
            memcpy(header, bytes + at, HEADER_WITH_ADDRESSES);
        }
        *offset = at;
        return true;
    }
    return false;
}

/* Memory for the modules and the boot information, from the kernel's end upwards. */
typedef struct multiboot_room {
    p5_machine *machine;
    const char *path;
    uint32_t next;
} multiboot_room;

static p5_status multiboot_put(multiboot_room *room, const void *bytes, size_t size, uint32_t alignment,
                               uint32_t *at, p5_error *error)
{
    uint64_t start = ((uint64_t)room->next + alignment - 1) / alignment * alignment;
    if (start > UINT32_MAX)
        return error_set(error, P5_ERR_FORMAT, "the modules do not fit into memory");
    *at = (uint32_t)start;
    p5_status status = bare_place(room->machine, *at, bytes, size, size, error);
    room->next = (uint32_t)(start + size);
    return status;
}

static p5_status multiboot_put_text(multiboot_room *room, const char *text, uint32_t *at, p5_error *error)
{
    return multiboot_put(room, text, strlen(text) + 1, 1, at, error);
}

/* Places a module, which is "FILE" or "FILE ARGUMENTS": the file name ends at the first blank. The module's
 * string is all of this without the file's directory, because the kernel must not depend on where the host
 * has the file. */
static p5_status multiboot_put_module(multiboot_room *room, const char *text, multiboot_module *module,
                                      p5_error *error)
{
    size_t length = strcspn(text, " "), size;
    char *path = strndup(text, length);
    uint8_t *bytes = NULL;
    if (path == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a module");
    p5_status status = file_read(path, LARGEST_MODULE, false, &bytes, &size, error);
    if (status == P5_OK)
        status = multiboot_put(room, bytes, size, PAGE_BYTES, &module->start, error);
    module->end = module->start + (uint32_t)size;
    if (status != P5_OK)
        error_at(error, path, 0, 0);
    const char *slash = strrchr(path, '/');
    if (status == P5_OK)
        status =
            multiboot_put_text(room, text + (slash != NULL ? slash + 1 - path : 0), &module->string, error);
    free(bytes);
    free(path);
    return status;
}

static p5_status multiboot_put_modules(multiboot_room *room, multiboot_info *info, p5_error *error)
{
    const p5_machine_options *options = &room->machine->options;
    size_t count = options->module_count;
    multiboot_module *modules = calloc(count + 1, sizeof *modules);
    p5_status status = modules != NULL ? P5_OK : error_set(error, P5_ERR_MEMORY, "no memory for modules");
    for (size_t i = 0; i < count && status == P5_OK; i++)
        status = multiboot_put_module(room, options->modules[i], &modules[i], error);
    info->mods_count = (uint32_t)count;
    if (status == P5_OK && count != 0)
        status = multiboot_put(room, modules, count * sizeof *modules, 16, &info->mods_addr, error);
    free(modules);
    return status;
}

static p5_status multiboot_put_map(multiboot_room *room, multiboot_info *info, p5_error *error)
{
    uint32_t memory = room->machine->options.memory_bytes;
    const uint32_t entry = sizeof(multiboot_map) - sizeof(uint32_t);
    const multiboot_map map[MAP_ENTRIES] = {
        {entry, 0, LOW_MEMORY_KB * 1024, MAP_RAM},
        {entry, 0xf0000, 0x10000, MAP_RESERVED},
        {entry, HIGH_MEMORY, memory > HIGH_MEMORY ? memory - HIGH_MEMORY : 0, MAP_RAM}};
    info->mmap_length = sizeof map;
    return multiboot_put(room, map, sizeof map, 16, &info->mmap_addr, error);
}

static p5_status multiboot_check(const multiboot_header *header, p5_error *error)
{
    if ((header->flags & MULTIBOOT_VIDEO) != 0) {
        error_set(error, P5_ERR_FORMAT, "this Multiboot image wants a video mode; the board has no screen");
        error_hint(error, "build it without bit 2 of the header's flags");
        return P5_ERR_FORMAT;
    }
    if ((header->flags & 0xffff & ~(uint32_t)REQUIRED_KNOWN) != 0)
        return error_set(error, P5_ERR_FORMAT,
                         "this Multiboot image requires features %04Xh that do not exist",
                         header->flags & 0xffff & ~(uint32_t)REQUIRED_KNOWN);
    return P5_OK;
}

p5_status multiboot_start(p5_machine *machine, const multiboot_header *header, const char *path,
                          uint32_t entry, uint32_t end, p5_error *error)
{
    multiboot_room room = {machine, path, end > HIGH_MEMORY ? end : HIGH_MEMORY};
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    const char *line = machine->options.command_line != NULL ? machine->options.command_line : name;
    uint32_t upper =
        machine->options.memory_bytes > HIGH_MEMORY ? machine->options.memory_bytes - HIGH_MEMORY : 0;
    multiboot_info info = {.flags = INFO_MEMORY | INFO_COMMAND_LINE | INFO_MODULES | INFO_MAP | INFO_LOADER,
                           .mem_lower = LOW_MEMORY_KB,
                           .mem_upper = upper >> 10};
    uint32_t info_address = 0;
    p5_status status = multiboot_check(header, error);
    if (status == P5_OK)
        status = multiboot_put_modules(&room, &info, error);
    if (status == P5_OK)
        status = multiboot_put_text(&room, line, &info.cmdline, error);
    if (status == P5_OK)
        status = multiboot_put_text(&room, "p5scope", &info.boot_loader_name, error);
    if (status == P5_OK)
        status = multiboot_put_map(&room, &info, error);
    if (status == P5_OK)
        status = multiboot_put(&room, &info, sizeof info, 16, &info_address, error);
    if (status != P5_OK)
        return status;
    bare_start(machine, entry);
    engine_set(machine->engine, ENGINE_EAX, LOADED_MAGIC);
    engine_set(machine->engine, ENGINE_EBX, info_address);
    return P5_OK;
}
