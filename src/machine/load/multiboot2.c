/* Multiboot 2: the header in the image and the boot information in memory consist of tags. Section numbers refer
 * to the specification, version 2.0. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "machine/load/multiboot_internal.h"
#include "machine/state.h"

enum {
    HEADER_MAGIC = 0xe85250d6,
    SEARCH_BYTES = 32768,
    ALIGNMENT = 8,    /* of tags */
    FIXED_BYTES = 16, /* magic, architecture, length, checksum */
    ARCHITECTURE_I386 = 0,
    TAG_OPTIONAL = 1 << 0,
    FROM_BEGINNING = -1 /* load_address: the file is loaded from its first byte */
};

/* Tags of the header, 3.1.3 to 3.1.13. */
enum {
    HEADER_END = 0,
    HEADER_REQUEST = 1,
    HEADER_ADDRESSES = 2,
    HEADER_ENTRY = 3,
    HEADER_CONSOLE = 4,
    HEADER_SCREEN = 5,
    HEADER_MODULE_ALIGN = 6,
    HEADER_EFI_ENTRY_I386 = 8,
    HEADER_EFI_ENTRY_AMD64 = 9,
    HEADER_RELOCATABLE = 10
};

/* Tags of the boot information, 3.6. */
enum {
    INFO_END = 0,
    INFO_COMMAND_LINE = 1,
    INFO_LOADER = 2,
    INFO_MODULE = 3,
    INFO_MEMORY = 4,
    INFO_MAP = 6,
    INFO_SCREEN = 8
};

/* The beginning of a tag in the header. */
typedef struct header_tag {
    uint16_t type, flags;
    uint32_t size; /* of the whole tag in bytes */
} header_tag;

/* Reads the tag at *at, returns the offset of its contents in *body, and moves *at to the next tag. Returns false
 * if there is none or it exceeds the header. */
static bool header_next(const multiboot_header *header, const uint8_t *bytes, size_t *at, header_tag *tag,
                        size_t *body)
{
    size_t end = header->offset + header->bytes;
    if (*at + sizeof *tag > end)
        return false;
    memcpy(tag, bytes + *at, sizeof *tag);
    if (tag->type == HEADER_END || tag->size < sizeof *tag || tag->size > end - *at)
        return false;
    *body = *at + sizeof *tag;
    *at += round_up(tag->size, ALIGNMENT);
    return true;
}

/* Reads the tags that decide how the image is loaded. */
static void header_read(multiboot_header *header, const uint8_t *bytes)
{
    header_tag tag;
    size_t body;
    for (size_t at = header->offset + FIXED_BYTES; header_next(header, bytes, &at, &tag, &body);) {
        if (tag.type == HEADER_ADDRESSES && tag.size >= sizeof tag + 16) {
            header->has_addresses = true;
            header->header_address = le32_at(bytes, body);
            header->load_address = le32_at(bytes, body + 4);
            header->load_end = le32_at(bytes, body + 8);
            header->bss_end = le32_at(bytes, body + 12);
            if (header->load_address == (uint32_t)FROM_BEGINNING)
                header->load_address = header->header_address - (uint32_t)header->offset;
        } else if (tag.type == HEADER_ENTRY && tag.size >= sizeof tag + 4) {
            header->has_entry = true;
            header->entry = le32_at(bytes, body);
        } else if (tag.type == HEADER_SCREEN && tag.size >= sizeof tag + 12) {
            header->wants_graphics = le32_at(bytes, body + 8) != 0; /* depth; 0 is text */
        }
    }
}

bool multiboot2_find(const uint8_t *bytes, size_t size, multiboot_header *header)
{
    size_t limit = size < SEARCH_BYTES ? size : SEARCH_BYTES;
    for (size_t at = 0; at + FIXED_BYTES <= limit; at += ALIGNMENT) {
        uint32_t magic = le32_at(bytes, at), architecture = le32_at(bytes, at + 4);
        uint32_t length = le32_at(bytes, at + 8), checksum = le32_at(bytes, at + 12);
        if (magic != HEADER_MAGIC || magic + architecture + length + checksum != 0 ||
            architecture != ARCHITECTURE_I386 || length < FIXED_BYTES || length > limit - at)
            continue;
        *header = (multiboot_header){.version = 2, .offset = at, .bytes = length};
        header_read(header, bytes);
        return true;
    }
    return false;
}

/* Returns true if the boot information can contain tags of this type. */
static bool info_known(uint32_t type)
{
    return type == INFO_COMMAND_LINE || type == INFO_LOADER || type == INFO_MODULE || type == INFO_MEMORY ||
           type == INFO_MAP || type == INFO_SCREEN;
}

/* Returns true if the loader supports a tag, which it must unless the tag is optional. Of the EFI tags it supports
 * only the entry points, which have no effect on a machine without EFI. */
static bool header_known(uint16_t type)
{
    return (type >= HEADER_REQUEST && type <= HEADER_MODULE_ALIGN) || type == HEADER_EFI_ENTRY_I386 ||
           type == HEADER_EFI_ENTRY_AMD64 || type == HEADER_RELOCATABLE;
}

/* Rejects an image with a required tag, or required boot information, that is not supported. */
p5_status multiboot2_check(const multiboot_header *header, const uint8_t *bytes, p5_error *error)
{
    header_tag tag;
    size_t body;
    for (size_t at = header->offset + FIXED_BYTES; header_next(header, bytes, &at, &tag, &body);) {
        if ((tag.flags & TAG_OPTIONAL) != 0)
            continue;
        if (!header_known(tag.type))
            return error_set(
                error, P5_ERR_FORMAT,
                "this Multiboot 2 image requires the feature of header tag %u, which is not supported",
                (unsigned)tag.type);
        for (size_t i = 0; tag.type == HEADER_REQUEST && i + 4 <= tag.size - sizeof tag; i += 4)
            if (!info_known(le32_at(bytes, body + i)))
                return error_set(
                    error, P5_ERR_FORMAT,
                    "this Multiboot 2 image requires boot information of type %u, which is not supported",
                    le32_at(bytes, body + i));
    }
    return P5_OK;
}

/* --- boot information --- */

/* The boot information that is being made. It has room for all its tags. */
typedef struct info_block {
    uint8_t *bytes;
    size_t used; /* bytes; a multiple of ALIGNMENT */
} info_block;

/* Adds a tag of two parts, the second of which may be empty. */
static void info_add(info_block *info, uint32_t type, const void *first, size_t first_bytes,
                     const void *second, size_t second_bytes)
{
    const uint32_t head[2] = {type, (uint32_t)(sizeof head + first_bytes + second_bytes)};
    memcpy(info->bytes + info->used, head, sizeof head);
    memcpy(info->bytes + info->used + sizeof head, first, first_bytes);
    if (second_bytes != 0)
        memcpy(info->bytes + info->used + sizeof head + first_bytes, second, second_bytes);
    info->used += round_up(head[1], ALIGNMENT);
}

static void info_add_map(info_block *info, const p5_machine *machine)
{
    enum { ENTRY_BYTES = 24 };
    const uint32_t head[] = {ENTRY_BYTES, 0}; /* version 0 */
    multiboot_area areas[MULTIBOOT_MAP_ENTRIES];
    uint8_t entries[MULTIBOOT_MAP_ENTRIES][ENTRY_BYTES] = {0};
    multiboot_map(machine, areas);
    for (unsigned i = 0; i < MULTIBOOT_MAP_ENTRIES; i++)
        memcpy(entries[i], &areas[i], 20); /* base, length and type */
    info_add(info, INFO_MAP, head, sizeof head, entries, sizeof entries);
}

static void info_add_screen(info_block *info)
{
    const struct {
        uint64_t address;
        uint32_t pitch, width, height;
        uint8_t depth, type;
        uint16_t reserved;
    } screen = {.address = MULTIBOOT_SCREEN,
                .pitch = 2 * MULTIBOOT_SCREEN_COLUMNS,
                .width = MULTIBOOT_SCREEN_COLUMNS,
                .height = MULTIBOOT_SCREEN_ROWS,
                .depth = 16,
                .type = MULTIBOOT_SCREEN_TEXT};
    info_add(info, INFO_SCREEN, &screen, sizeof screen, NULL, 0);
}

p5_status multiboot2_inform(multiboot_space *space, uint32_t *at, p5_error *error)
{
    enum {
        FIXED_SPACE = 512,
        MODULE_ROOM = 32
    }; /* bytes of all fixed tags, and of a module's tag without its text */
    p5_machine *machine = space->machine;
    size_t count = machine->options.module_count, most = FIXED_SPACE + strlen(space->line);
    multiboot_module *modules;
    p5_status status = multiboot_load_modules(space, &modules, error);
    for (size_t i = 0; i < count && status == P5_OK; i++)
        most += MODULE_ROOM + strlen(modules[i].text);
    /* The tags follow the total size and a reserved word. */
    info_block info = {.bytes = status == P5_OK ? calloc(1, most) : NULL, .used = 8};
    if (info.bytes == NULL) {
        free(modules);
        return status != P5_OK ? status : error_set(error, P5_ERR_MEMORY, "no memory for boot information");
    }
    const uint32_t memory[] = {MULTIBOOT_LOW_MEMORY_KB, multiboot_upper_kb(machine)};
    info_add(&info, INFO_COMMAND_LINE, space->line, strlen(space->line) + 1, NULL, 0);
    info_add(&info, INFO_LOADER, "p5scope", sizeof "p5scope", NULL, 0);
    for (size_t i = 0; i < count; i++)
        info_add(&info, INFO_MODULE, (const uint32_t[]){modules[i].start, modules[i].end}, 8, modules[i].text,
                 strlen(modules[i].text) + 1);
    info_add(&info, INFO_MEMORY, memory, sizeof memory, NULL, 0);
    info_add_map(&info, machine);
    info_add_screen(&info);
    info_add(&info, INFO_END, "", 0, NULL, 0);
    memcpy(info.bytes, &(uint32_t){(uint32_t)info.used}, 4);
    status = multiboot_put(space, info.bytes, info.used, ALIGNMENT, at, error);
    free(info.bytes);
    free(modules);
    return status;
}
