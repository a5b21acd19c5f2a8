#define _GNU_SOURCE /* memmem */
#include "engine/memory/memory_internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/room.h"

static void *page_copy(engine *e, uint32_t page)
{
    return e->behind.memory + (size_t)page * ENGINE_PAGE_BYTES;
}

void behind_close(engine *e)
{
    behind *b = &e->behind;
    room_close(b->memory, e->ram_bytes);
    free(b->kept);
    free(b->code);
    free(b->code_page);
    *b = (behind){0};
}

/* --- Memory --- */

void behind_keep(engine *e, uint32_t physical)
{
    uint32_t page = physical / ENGINE_PAGE_BYTES;
    if (behind_kept(&e->behind, page))
        return;
    memcpy(page_copy(e, page), e->ram + (size_t)page * ENGINE_PAGE_BYTES, ENGINE_PAGE_BYTES);
    e->behind.kept[page] = 1;
}

const uint8_t *behind_find_invd(const uint8_t *bytes, size_t size)
{
    static const uint8_t invd[] = {0x0f, 0x08};
    return memmem(bytes, size, invd, sizeof invd);
}

void engine_search_invd(engine *e, const uint8_t *bytes, size_t size)
{
    e->behind.invd |= behind_find_invd(bytes, size) != NULL;
}

bool engine_follows_stores(const engine *e)
{
    return e->behind.memory != NULL && e->behind.invd;
}

void behind_follow(engine *e)
{
    e->behind.invd = true;
    engine_no_batch(e); /* the owner ends batches */
    engine_request_attention(e);
}

/* Returns true if the bytes lie in one page of RAM for which memory has a separate copy. */
static bool kept_range(const engine *e, uint32_t physical, uint32_t size)
{
    return e->behind.memory != NULL && physical < e->ram_bytes && size <= e->ram_bytes - physical &&
           e->behind.kept[physical / ENGINE_PAGE_BYTES];
}

void behind_written(engine *e, uint32_t physical, uint32_t size)
{
    while (size > 0) {
        uint32_t part = ENGINE_PAGE_BYTES - physical % ENGINE_PAGE_BYTES;
        if (part > size)
            part = size;
        if (kept_range(e, physical, part))
            memcpy(e->behind.memory + physical, e->ram + physical, part);
        physical += part;
        size -= part;
    }
}

bool engine_keep_memory(engine *e)
{
    behind *b = &e->behind;
    if (b->memory != NULL)
        return true;
    b->memory = room_open(e->ram_bytes);
    b->kept = calloc(e->ram_bytes / ENGINE_PAGE_BYTES, 1);
    if (b->memory == NULL || b->kept == NULL) {
        room_close(b->memory, e->ram_bytes);
        free(b->kept);
        b->memory = b->kept = NULL;
        return false;
    }
    mmu_flush(e); /* so that the first store into every page is noticed */
    return true;
}

bool engine_keeps_memory(const engine *e)
{
    return e->behind.memory != NULL;
}

void engine_line_to_memory(engine *e, uint32_t physical, uint32_t size)
{
    if (kept_range(e, physical, size))
        memcpy(e->behind.memory + physical, e->ram + physical, size);
}

void engine_line_from_memory(engine *e, uint32_t physical, uint32_t size)
{
    if (!kept_range(e, physical, size) || memcmp(e->ram + physical, e->behind.memory + physical, size) == 0)
        return;
    engine_flush_code(e, physical, size);
    memcpy(e->ram + physical, e->behind.memory + physical, size);
}

bool engine_read_line(const engine *e, uint32_t physical, bool memory, uint8_t bytes[P5_LINE_BYTES])
{
    if (physical >= e->ram_bytes) {
        memset(bytes, 0xff, P5_LINE_BYTES); /* nothing drives the bus */
        return false;
    }
    bool other = memory && kept_range(e, physical, P5_LINE_BYTES);
    memcpy(bytes, (other ? e->behind.memory : e->ram) + physical, P5_LINE_BYTES);
    return true;
}

void engine_write_line(engine *e, uint32_t physical, const uint8_t bytes[P5_LINE_BYTES])
{
    if (physical >= e->ram_bytes)
        return;
    behind_keep(e, physical);
    engine_flush_code(e, physical, P5_LINE_BYTES);
    memcpy(e->ram + physical, bytes, P5_LINE_BYTES);
}

/* --- Code lines --- */

static unsigned set_of(uint32_t physical)
{
    return physical / P5_LINE_BYTES % BEHIND_SETS;
}

static behind_line *find_code(const engine *e, uint32_t line)
{
    const behind *b = &e->behind;
    if (b->code_count == 0)
        return NULL;
    behind_line *set = b->code[set_of(line)];
    for (unsigned way = 0; way < BEHIND_WAYS; way++)
        if (set[way].used && set[way].line == line)
            return &set[way];
    return NULL;
}

static behind_line *free_code(engine *e, uint32_t line)
{
    behind *b = &e->behind;
    if (b->code == NULL)
        b->code = calloc(BEHIND_SETS, sizeof *b->code);
    if (b->code_page == NULL)
        b->code_page = malloc(ENGINE_PAGE_BYTES);
    if (b->code == NULL || b->code_page == NULL)
        return NULL;
    behind_line *set = b->code[set_of(line)];
    for (unsigned way = 0; way < BEHIND_WAYS; way++)
        if (!set[way].used)
            return &set[way];
    return NULL; /* cannot happen: the caches hold no more lines of a set */
}

bool engine_set_code_line(engine *e, uint32_t physical, const uint8_t *bytes)
{
    behind_line *line = find_code(e, physical);
    if (bytes == NULL && line == NULL)
        return true;
    if (line == NULL) {
        line = free_code(e, physical);
        if (line == NULL)
            return false;
        e->behind.code_count++;
    }
    engine_flush_code(e, physical, P5_LINE_BYTES);
    if (bytes == NULL) {
        line->used = false;
        e->behind.code_count--;
        return true;
    }
    line->used = true;
    line->line = physical;
    memcpy(line->bytes, bytes, sizeof line->bytes);
    return true;
}

const uint8_t *behind_code_page(engine *e, uint32_t physical, const uint8_t *from)
{
    behind *b = &e->behind;
    uint32_t page = physical & ~(uint32_t)ENGINE_PAGE_MASK;
    bool copied = false;
    if (b->code_count == 0)
        return from;
    for (uint32_t line = page; line - page < ENGINE_PAGE_BYTES; line += P5_LINE_BYTES) {
        const behind_line *other = find_code(e, line);
        if (other == NULL)
            continue;
        if (!copied)
            memcpy(b->code_page, from, ENGINE_PAGE_BYTES);
        copied = true;
        memcpy(b->code_page + (line - page), other->bytes, sizeof other->bytes);
    }
    return copied ? b->code_page : from;
}

uint8_t behind_code_byte(const engine *e, uint32_t physical, uint8_t byte)
{
    const behind_line *line = find_code(e, physical & ~(uint32_t)(P5_LINE_BYTES - 1));
    return line != NULL ? line->bytes[physical % P5_LINE_BYTES] : byte;
}

/* --- Pins --- */

static uint32_t page_mask(const p5_translation *t)
{
    return t->large ? 0xffc00000u : 0xfffff000u;
}

p5_translation *behind_pin(engine *e, bool code, uint32_t linear)
{
    behind *b = &e->behind;
    for (unsigned i = 0; i < b->pin_count; i++) {
        p5_translation *t = &b->pins[i];
        if (t->code == code && ((t->linear ^ linear) & page_mask(t)) == 0)
            return t;
    }
    return NULL;
}

void engine_set_translation(engine *e, const p5_translation *translation)
{
    behind *b = &e->behind;
    unsigned i = 0;
    while (i < b->pin_count &&
           (b->pins[i].code != translation->code || b->pins[i].large != translation->large ||
            ((b->pins[i].linear ^ translation->linear) & page_mask(translation)) != 0))
        i++;
    if (translation->valid && i < BEHIND_PINS) {
        b->pins[i] = *translation;
        b->pin_count += i == b->pin_count;
    } else if (i < b->pin_count) {
        b->pins[i] = b->pins[--b->pin_count];
    }
    engine_flush_translations(e);
}
