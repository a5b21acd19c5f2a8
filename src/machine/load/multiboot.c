/* Multiboot, version 1, and what both versions share. Section numbers refer to the specification, version 0.6.96. */
#include "machine/load/multiboot.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/error.h"
#include "base/file.h"
#include "machine/base/notice.h"
#include "machine/load/multiboot_internal.h"
#include "machine/state.h"

enum {
    HEADER_MAGIC = 0x1badb002,
    LOADED_MAGIC = 0x2badb002, /* value of EAX at the entry */
    SEARCH_BYTES = 8192,       /* the header lies in these first bytes of the file */
    /* Bytes of a header, by its flags. */
    HEADER_LEAST = 12,
    HEADER_WITH_ADDRESSES = 32,
    HEADER_WITH_VIDEO = 48,
    FLAG_PAGE_ALIGN = 1 << 0,
    FLAG_MEMORY_INFO = 1 << 1,
    FLAG_VIDEO = 1 << 2,
    FLAG_ADDRESSES = 1 << 16,
    REQUIRED_KNOWN = FLAG_PAGE_ALIGN | FLAG_MEMORY_INFO | FLAG_VIDEO,
    REQUIRED = 0xffff, /* bits 0-15 must be understood */
    /* Bits of multiboot_info.flags: which members are valid. */
    INFO_MEMORY = 1 << 0,
    INFO_COMMAND_LINE = 1 << 2,
    INFO_MODULES = 1 << 3,
    INFO_MAP = 1 << 6,
    INFO_LOADER = 1 << 9,
    INFO_SCREEN = 1 << 12,
    MAP_RAM = 1,
    MAP_RESERVED = 2
};

/* The header in the image. Its flags say which fields are valid. */
typedef struct multiboot_fields {
    uint32_t magic, flags, checksum;
    uint32_t header_address, load_address, load_end, bss_end, entry;
    uint32_t video_mode_type, video_width, video_height, video_depth;
} multiboot_fields;

/* Boot information, section 3.3. */
typedef struct multiboot_info {
    uint32_t flags, mem_lower, mem_upper, boot_device, cmdline, mods_count, mods_addr, syms[4];
    uint32_t mmap_length, mmap_addr, drives_length, drives_addr, config_table, boot_loader_name;
    uint32_t apm_table, vbe[4];
    uint32_t screen_address, screen_address_high;
    uint32_t screen_pitch, screen_width, screen_height;
    uint8_t screen_depth, screen_type, screen_colours[6];
} multiboot_info;

/* An element of the list of modules. */
typedef struct multiboot_listed {
    uint32_t start, end, string, reserved;
} multiboot_listed;

/* An entry of the map: the size of what follows, then base, length and type. */
enum { MAP_ENTRY_BYTES = 24, MAP_AREA_BYTES = 20 };

/* Finds a header of version 1, at a multiple of 4 bytes. */
static bool multiboot1_find(const uint8_t *bytes, size_t size, multiboot_header *header)
{
    size_t limit = size < SEARCH_BYTES ? size : SEARCH_BYTES;
    for (size_t at = 0; at + HEADER_LEAST <= limit; at += 4) {
        multiboot_fields fields = {0};
        memcpy(&fields, bytes + at, HEADER_LEAST);
        if (fields.magic != HEADER_MAGIC || fields.magic + fields.flags + fields.checksum != 0)
            continue;
        size_t length = (fields.flags & FLAG_VIDEO) != 0       ? HEADER_WITH_VIDEO
                        : (fields.flags & FLAG_ADDRESSES) != 0 ? HEADER_WITH_ADDRESSES
                                                               : HEADER_LEAST;
        if (at + length > limit)
            return false;
        memcpy(&fields, bytes + at, length);
        *header = (multiboot_header){.version = 1,
                                     .offset = at,
                                     .bytes = length,
                                     .has_addresses = (fields.flags & FLAG_ADDRESSES) != 0,
                                     .header_address = fields.header_address,
                                     .load_address = fields.load_address,
                                     .load_end = fields.load_end,
                                     .bss_end = fields.bss_end,
                                     .entry = fields.entry,
                                     .wants_graphics =
                                         (fields.flags & FLAG_VIDEO) != 0 && fields.video_mode_type == 0,
                                     .flags = fields.flags};
        return true;
    }
    return false;
}

bool multiboot_find(const uint8_t *bytes, size_t size, multiboot_header *header)
{
    return multiboot1_find(bytes, size, header) || multiboot2_find(bytes, size, header);
}

p5_status multiboot_check(const multiboot_header *header, const uint8_t *bytes, p5_error *error)
{
    if (header->version == 2)
        return multiboot2_check(header, bytes, error);
    uint32_t unknown = header->flags & REQUIRED & ~(uint32_t)REQUIRED_KNOWN;
    if (unknown == 0)
        return P5_OK;
    return error_set(error, P5_ERR_FORMAT, "this Multiboot image requires features %04Xh that do not exist",
                     unknown);
}

/* --- data for a kernel in both versions --- */

p5_status multiboot_put(multiboot_space *space, const void *bytes, size_t size, uint32_t alignment,
                        uint32_t *at, p5_error *error)
{
    uint64_t start = round_up(space->next, alignment);
    if (start > UINT32_MAX)
        return error_set(error, P5_ERR_RANGE, "the modules do not fit into memory");
    *at = (uint32_t)start;
    p5_status status = bare_place(space->machine, *at, bytes, size, size, error);
    space->next = (uint32_t)(start + size);
    return status;
}

static p5_status multiboot_put_text(multiboot_space *space, const char *text, uint32_t *at, p5_error *error)
{
    return multiboot_put(space, text, strlen(text) + 1, 1, at, error);
}

size_t p5_module_file_length(const char *text)
{
    char *path = strdup(text);
    size_t first = strcspn(text, " "), length = strlen(text);
    while (path != NULL && length > first && access(path, F_OK) != 0) {
        do
            path[--length] = '\0';
        while (length > first && text[length] != ' ');
    }
    free(path);
    return path != NULL ? length : first;
}

/* Loads a module, which is "FILE" or "FILE ARGUMENTS". The module's string is all of this without the file's directory,
 * because the kernel must not depend on where the host has the file. */
static p5_status multiboot_load_module(multiboot_space *space, const char *text, multiboot_module *module,
                                       p5_error *error)
{
    size_t length = p5_module_file_length(text), size;
    char *path = strndup(text, length);
    uint8_t *bytes = NULL;
    if (path == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a module");
    p5_status status = file_read(path, BARE_LARGEST_FILE, false, &bytes, &size, error);
    if (status == P5_OK)
        status = multiboot_put(space, bytes, size, PAGE_BYTES, &module->start, error);
    module->end = module->start + (uint32_t)size;
    if (status != P5_OK)
        error_at(error, path, 0, 0);
    const char *slash = strrchr(path, '/');
    module->text = text + (slash != NULL ? slash + 1 - path : 0);
    free(bytes);
    free(path);
    return status;
}

p5_status multiboot_load_modules(multiboot_space *space, multiboot_module **modules, p5_error *error)
{
    const p5_machine_options *options = &space->machine->options;
    *modules = calloc(options->module_count + 1, sizeof **modules);
    p5_status status = *modules != NULL ? P5_OK : error_set(error, P5_ERR_MEMORY, "no memory for modules");
    for (size_t i = 0; i < options->module_count && status == P5_OK; i++)
        status = multiboot_load_module(space, options->modules[i], &(*modules)[i], error);
    return status;
}

uint32_t multiboot_upper_kb(const p5_machine *machine)
{
    uint32_t memory = machine->options.memory_bytes;
    return memory > MULTIBOOT_HIGH_MEMORY ? (memory - MULTIBOOT_HIGH_MEMORY) >> 10 : 0;
}

/* Fills in the memory map: base memory, the BIOS, memory above 1 MB. */
void multiboot_map(const p5_machine *machine, multiboot_area map[MULTIBOOT_MAP_ENTRIES])
{
    uint32_t memory = machine->options.memory_bytes;
    map[0] = (multiboot_area){0, MULTIBOOT_LOW_MEMORY_KB * 1024, MAP_RAM};
    map[1] = (multiboot_area){0xf0000, 0x10000, MAP_RESERVED};
    map[2] = (multiboot_area){MULTIBOOT_HIGH_MEMORY,
                              memory > MULTIBOOT_HIGH_MEMORY ? memory - MULTIBOOT_HIGH_MEMORY : 0, MAP_RAM};
}

/* --- boot information of version 1 --- */

static p5_status multiboot_put_modules(multiboot_space *space, multiboot_info *info, p5_error *error)
{
    size_t count = space->machine->options.module_count;
    multiboot_module *modules;
    multiboot_listed *list = calloc(count + 1, sizeof *list);
    p5_status status = multiboot_load_modules(space, &modules, error);
    if (list == NULL && status == P5_OK)
        status = error_set(error, P5_ERR_MEMORY, "no memory for modules");
    for (size_t i = 0; i < count && status == P5_OK; i++) {
        list[i] = (multiboot_listed){.start = modules[i].start, .end = modules[i].end};
        status = multiboot_put_text(space, modules[i].text, &list[i].string, error);
    }
    info->mods_count = (uint32_t)count;
    if (status == P5_OK && count != 0)
        status = multiboot_put(space, list, count * sizeof *list, 16, &info->mods_addr, error);
    free(modules);
    free(list);
    return status;
}

static p5_status multiboot_put_map(multiboot_space *space, multiboot_info *info, p5_error *error)
{
    multiboot_area areas[MULTIBOOT_MAP_ENTRIES];
    uint8_t map[MULTIBOOT_MAP_ENTRIES][MAP_ENTRY_BYTES];
    multiboot_map(space->machine, areas);
    for (unsigned i = 0; i < MULTIBOOT_MAP_ENTRIES; i++) {
        memcpy(map[i], &(uint32_t){MAP_AREA_BYTES}, 4);
        memcpy(map[i] + 4, &areas[i], MAP_AREA_BYTES);
    }
    info->mmap_length = sizeof map;
    return multiboot_put(space, map, sizeof map, 16, &info->mmap_addr, error);
}

/* Puts modules and boot information into memory; *at is the address of the latter. */
static p5_status multiboot1_inform(multiboot_space *space, uint32_t *at, p5_error *error)
{
    multiboot_info info = {.flags = INFO_MEMORY | INFO_COMMAND_LINE | INFO_MODULES | INFO_MAP | INFO_LOADER |
                                    INFO_SCREEN,
                           .mem_lower = MULTIBOOT_LOW_MEMORY_KB,
                           .mem_upper = multiboot_upper_kb(space->machine),
                           .screen_address = MULTIBOOT_SCREEN,
                           .screen_pitch = 2 * MULTIBOOT_SCREEN_COLUMNS,
                           .screen_width = MULTIBOOT_SCREEN_COLUMNS,
                           .screen_height = MULTIBOOT_SCREEN_ROWS,
                           .screen_depth = 16,
                           .screen_type = MULTIBOOT_SCREEN_TEXT};
    p5_status status = multiboot_put_modules(space, &info, error);
    if (status == P5_OK)
        status = multiboot_put_text(space, space->line, &info.cmdline, error);
    if (status == P5_OK)
        status = multiboot_put_text(space, "p5scope", &info.boot_loader_name, error);
    if (status == P5_OK)
        status = multiboot_put_map(space, &info, error);
    return status == P5_OK ? multiboot_put(space, &info, sizeof info, 16, at, error) : status;
}

p5_status multiboot_start(p5_machine *machine, const multiboot_header *header, const char *path,
                          uint32_t entry, uint32_t end, p5_error *error)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    multiboot_space space = {.machine = machine,
                             .line =
                                 machine->options.command_line != NULL ? machine->options.command_line : name,
                             .next = end > MULTIBOOT_HIGH_MEMORY ? end : MULTIBOOT_HIGH_MEMORY};
    uint32_t at = 0;
    p5_status status =
        header->version == 2 ? multiboot2_inform(&space, &at, error) : multiboot1_inform(&space, &at, error);
    if (status != P5_OK)
        return status;
    if (header->wants_graphics)
        notice_once(&machine->notices, NOTICE_OTHER, 0xb1b00u, /* a number that no other notice has */
                    "the kernel's Multiboot header asks for a graphics mode; it gets text mode, 80 x 25");
    bare_start(machine, entry);
    engine_set(machine->engine, ENGINE_EAX, header->version == 2 ? MULTIBOOT2_LOADED_MAGIC : LOADED_MAGIC);
    engine_set(machine->engine, ENGINE_EBX, at);
    return P5_OK;
}
