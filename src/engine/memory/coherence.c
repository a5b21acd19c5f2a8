#define _GNU_SOURCE /* memmem */
#include "engine/memory/memory_internal.h"

#include <assert.h>
#include <stdlib.h>

#include "base/area.h"
#include "engine/stretch/stretch.h"

static void *page_copy(engine *e, uint32_t page)
{
    return e->memory.coherence.memory + (size_t)page * ENGINE_PAGE_BYTES;
}

void coherence_close(engine *e)
{
    coherence *b = &e->memory.coherence;
    area_close(b->memory, e->memory.ram_bytes);
    free(b->copied);
    free(b->code);
    free(b->code_page);
    *b = (coherence){0};
}

/* --- Memory --- */

void coherence_keep(engine *e, uint32_t physical)
{
    assert(physical < e->memory.ram_bytes);
    uint32_t page = physical / ENGINE_PAGE_BYTES;
    if (coherence_copied(&e->memory.coherence, page))
        return;
    memcpy(page_copy(e, page), e->memory.ram + (size_t)page * ENGINE_PAGE_BYTES, ENGINE_PAGE_BYTES);
    e->memory.coherence.copied[page] = 1;
}

const uint8_t *coherence_find_invd(const uint8_t *bytes, size_t size)
{
    static const uint8_t invd[] = {0x0f, 0x08};
    return memmem(bytes, size, invd, sizeof invd);
}

void engine_search_invd(engine *e, const uint8_t *bytes, size_t size)
{
    e->memory.coherence.invd |= coherence_find_invd(bytes, size) != NULL;
}

bool engine_follows_stores(const engine *e)
{
    return e->memory.coherence.memory != NULL && e->memory.coherence.invd;
}

void coherence_follow(engine *e)
{
    assert(e->memory.coherence.memory != NULL);
    e->memory.coherence.invd = true;
    stretch_no_batch(e); /* the owner ends batches */
    engine_request_attention(e);
}

/* Returns true if the bytes lie in one page of RAM for which memory has a separate copy. */
static bool has_copy(const engine *e, uint32_t physical, uint32_t size)
{
    return e->memory.coherence.memory != NULL && physical < e->memory.ram_bytes &&
           size <= e->memory.ram_bytes - physical && e->memory.coherence.copied[physical / ENGINE_PAGE_BYTES];
}

void coherence_written(engine *e, uint32_t physical, uint32_t size)
{
    while (size > 0) {
        uint32_t part = ENGINE_PAGE_BYTES - physical % ENGINE_PAGE_BYTES;
        if (part > size)
            part = size;
        if (has_copy(e, physical, part))
            memcpy(e->memory.coherence.memory + physical, e->memory.ram + physical, part);
        physical += part;
        size -= part;
    }
}

bool engine_keep_memory(engine *e)
{
    coherence *b = &e->memory.coherence;
    if (b->memory != NULL)
        return true;
    b->memory = area_open(e->memory.ram_bytes);
    b->copied = calloc(e->memory.ram_bytes / ENGINE_PAGE_BYTES, 1);
    if (b->memory == NULL || b->copied == NULL) {
        area_close(b->memory, e->memory.ram_bytes);
        free(b->copied);
        b->memory = b->copied = NULL;
        return false;
    }
    mmu_flush(e); /* so that the first store into every page is noticed */
    return true;
}

bool engine_keeps_memory(const engine *e)
{
    return e->memory.coherence.memory != NULL;
}

void engine_line_to_memory(engine *e, uint32_t physical, uint32_t size)
{
    if (has_copy(e, physical, size))
        memcpy(e->memory.coherence.memory + physical, e->memory.ram + physical, size);
}

void engine_line_from_memory(engine *e, uint32_t physical, uint32_t size)
{
    if (!has_copy(e, physical, size) ||
        memcmp(e->memory.ram + physical, e->memory.coherence.memory + physical, size) == 0)
        return;
    engine_flush_code(e, physical, size);
    memcpy(e->memory.ram + physical, e->memory.coherence.memory + physical, size);
}

bool engine_read_line(const engine *e, uint32_t physical, bool memory, uint8_t bytes[P5_LINE_BYTES])
{
    if (physical >= e->memory.ram_bytes) {
        memset(bytes, 0xff, P5_LINE_BYTES); /* nothing drives the bus */
        return false;
    }
    bool other = memory && has_copy(e, physical, P5_LINE_BYTES);
    memcpy(bytes, (other ? e->memory.coherence.memory : e->memory.ram) + physical, P5_LINE_BYTES);
    return true;
}

void engine_write_line(engine *e, uint32_t physical, const uint8_t bytes[P5_LINE_BYTES])
{
    if (physical >= e->memory.ram_bytes)
        return;
    coherence_keep(e, physical);
    engine_flush_code(e, physical, P5_LINE_BYTES);
    memcpy(e->memory.ram + physical, bytes, P5_LINE_BYTES);
}

/* --- Code lines --- */

static unsigned set_of(uint32_t physical)
{
    return physical / P5_LINE_BYTES % COHERENCE_SETS;
}

static code_line *find_code(const engine *e, uint32_t line)
{
    const coherence *b = &e->memory.coherence;
    if (b->code_count == 0)
        return NULL;
    code_line *set = b->code[set_of(line)];
    for (unsigned way = 0; way < COHERENCE_WAYS; way++)
        if (set[way].used && set[way].line == line)
            return &set[way];
    return NULL;
}

static code_line *free_code(engine *e, uint32_t line)
{
    coherence *b = &e->memory.coherence;
    if (b->code == NULL)
        b->code = calloc(COHERENCE_SETS, sizeof *b->code);
    if (b->code_page == NULL)
        b->code_page = malloc(ENGINE_PAGE_BYTES);
    if (b->code == NULL || b->code_page == NULL)
        return NULL;
    code_line *set = b->code[set_of(line)];
    for (unsigned way = 0; way < COHERENCE_WAYS; way++)
        if (!set[way].used)
            return &set[way];
    return NULL; /* cannot happen: the caches hold no more lines of a set */
}

bool engine_set_code_line(engine *e, uint32_t physical, const uint8_t *bytes)
{
    assert(physical % P5_LINE_BYTES == 0);
    code_line *line = find_code(e, physical);
    if (bytes == NULL && line == NULL)
        return true;
    if (line == NULL) {
        line = free_code(e, physical);
        if (line == NULL)
            return false;
        e->memory.coherence.code_count++;
    }
    engine_flush_code(e, physical, P5_LINE_BYTES);
    if (bytes == NULL) {
        assert(line->used && e->memory.coherence.code_count > 0);
        line->used = false;
        e->memory.coherence.code_count--;
        return true;
    }
    line->used = true;
    line->line = physical;
    memcpy(line->bytes, bytes, sizeof line->bytes);
    return true;
}

const uint8_t *coherence_code_page(engine *e, uint32_t physical, const uint8_t *from)
{
    coherence *b = &e->memory.coherence;
    uint32_t page = physical & ~(uint32_t)ENGINE_PAGE_MASK;
    bool copied = false;
    if (b->code_count == 0)
        return from;
    for (uint32_t line = page; line - page < ENGINE_PAGE_BYTES; line += P5_LINE_BYTES) {
        const code_line *other = find_code(e, line);
        if (other == NULL)
            continue;
        if (!copied)
            memcpy(b->code_page, from, ENGINE_PAGE_BYTES);
        copied = true;
        memcpy(b->code_page + (line - page), other->bytes, sizeof other->bytes);
    }
    return copied ? b->code_page : from;
}

uint8_t coherence_code_byte(const engine *e, uint32_t physical, uint8_t byte)
{
    const code_line *line = find_code(e, physical & ~(uint32_t)(P5_LINE_BYTES - 1));
    return line != NULL ? line->bytes[physical % P5_LINE_BYTES] : byte;
}

/* --- Pinned TLB entries --- */

static uint32_t page_mask(const p5_translation *t)
{
    return t->large ? 0xffc00000u : 0xfffff000u;
}

p5_translation *coherence_pin(engine *e, bool code, uint32_t linear)
{
    coherence *b = &e->memory.coherence;
    for (unsigned i = 0; i < b->pin_count; i++) {
        p5_translation *t = &b->pins[i];
        if (t->code == code && ((t->linear ^ linear) & page_mask(t)) == 0)
            return t;
    }
    return NULL;
}

void engine_set_translation(engine *e, const p5_translation *translation)
{
    coherence *b = &e->memory.coherence;
    assert(b->pin_count <= COHERENCE_PINS);
    unsigned i = 0;
    while (i < b->pin_count &&
           (b->pins[i].code != translation->code || b->pins[i].large != translation->large ||
            ((b->pins[i].linear ^ translation->linear) & page_mask(translation)) != 0))
        i++;
    if (translation->valid && i < COHERENCE_PINS) {
        b->pins[i] = *translation;
        b->pin_count += i == b->pin_count;
    } else if (i < b->pin_count) {
        b->pins[i] = b->pins[--b->pin_count];
    }
    engine_flush_translations(e);
}
