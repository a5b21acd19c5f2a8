/* Contents of caches and TLBs that differ from RAM and page tables. RAM here is what data references see. Three other
 * contents are kept where they can differ:
 *
 *   memory      under modified cache lines, a copy of each page that the guest has stored into
 *   code lines  lines of the code cache, which fetches see
 *   pins        TLB entries that test registers have written
 *
 * The model (core/) decides when a line is written back, dropped or filled, and calls the engine_ functions here. */
#define _GNU_SOURCE /* memmem */
#include "engine/memory/memory_internal.h"

#include <assert.h>
#include <stdlib.h>

#include "base/area.h"
#include "engine/stretch/stretch.h"

/* Returns memory's copy of a page. */
static void *page_copy(engine *e, uint32_t page)
{
    return e->memory.coherence.memory + (size_t)page * ENGINE_PAGE_BYTES;
}

/* Frees everything. Afterwards no contents differ from RAM and page tables. */
void coherence_close(engine *e)
{
    coherence *c = &e->memory.coherence;
    area_close(c->memory, e->memory.ram_bytes);
    free(c->copied);
    free(c->code);
    free(c->code_page);
    *c = (coherence){0};
}

/* --- Memory --- */

/* Copies the page of `physical` to memory, unless it is there. Called before the guest's first store into it. */
void coherence_keep(engine *e, uint32_t physical)
{
    assert(physical < e->memory.ram_bytes);
    uint32_t page = physical / ENGINE_PAGE_BYTES;
    if (coherence_copied(&e->memory.coherence, page))
        return;
    memcpy(page_copy(e, page), e->memory.ram + (size_t)page * ENGINE_PAGE_BYTES, ENGINE_PAGE_BYTES);
    e->memory.coherence.copied[page] = 1;
}

/* Returns where the bytes of an INVD lie first, or NULL. They may be a part of another instruction. */
const uint8_t *coherence_find_invd(const uint8_t *bytes, size_t size)
{
    static const uint8_t invd[] = {0x0f, 0x08};
    return memmem(bytes, size, invd, sizeof invd);
}

/* Follows stores one by one (coherence_follow) if a loaded image may contain an INVD. Called before it runs. */
void engine_search_invd(engine *e, const uint8_t *bytes, size_t size)
{
    e->memory.coherence.invd |= coherence_find_invd(bytes, size) != NULL;
}

/* Returns true if stores are followed one by one, so that there must be no batches. */
bool engine_follows_stores(const engine *e)
{
    return e->memory.coherence.memory != NULL && e->memory.coherence.invd;
}

/* Begins to follow stores one by one, because the guest is about to execute INVD. */
void coherence_follow(engine *e)
{
    assert(e->memory.coherence.memory != NULL);
    e->memory.coherence.invd = true;
    stretch_no_batch(e); /* in attention(), the owner forbids batches */
    engine_request_attention(e);
}

/* Returns true if the bytes, which lie in one page, are RAM and memory has a copy of the page. */
static bool has_copy(const engine *e, uint32_t physical, uint32_t size)
{
    return e->memory.coherence.memory != NULL && physical < e->memory.ram_bytes &&
           size <= e->memory.ram_bytes - physical && e->memory.coherence.copied[physical / ENGINE_PAGE_BYTES];
}

/* Copies bytes that were written to RAM without the caches to memory, too. They may lie in several pages. */
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

/* Starts to keep memory. Returns false if host memory runs out. */
bool engine_keep_memory(engine *e)
{
    coherence *c = &e->memory.coherence;
    if (c->memory != NULL)
        return true;
    c->memory = area_open(e->memory.ram_bytes);
    c->copied = calloc(e->memory.ram_bytes / ENGINE_PAGE_BYTES, 1);
    if (c->memory == NULL || c->copied == NULL) {
        area_close(c->memory, e->memory.ram_bytes);
        free(c->copied);
        c->memory = c->copied = NULL;
        return false;
    }
    mmu_flush(e); /* so that the first store into every page is noticed */
    return true;
}

bool engine_keeps_memory(const engine *e)
{
    return e->memory.coherence.memory != NULL;
}

/* Writes bytes within a line back: memory gets RAM's contents. */
void engine_line_to_memory(engine *e, uint32_t physical, uint32_t size)
{
    coherence_written(e, physical, size);
}

/* Drops bytes within a modified line: RAM gets memory's contents. */
void engine_line_from_memory(engine *e, uint32_t physical, uint32_t size)
{
    if (!has_copy(e, physical, size) ||
        memcmp(e->memory.ram + physical, e->memory.coherence.memory + physical, size) == 0)
        return;
    engine_flush_code(e, physical, size);
    memcpy(e->memory.ram + physical, e->memory.coherence.memory + physical, size);
}

/* Reads a line from RAM, or from memory if `memory`. Returns false outside of RAM. */
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

/* Writes a line to RAM, but not to memory, as a test register does. */
void engine_write_line(engine *e, uint32_t physical, const uint8_t bytes[P5_LINE_BYTES])
{
    if (physical >= e->memory.ram_bytes)
        return;
    coherence_keep(e, physical);
    engine_flush_code(e, physical, P5_LINE_BYTES);
    memcpy(e->memory.ram + physical, bytes, P5_LINE_BYTES);
}

/* --- Code lines --- */

/* Returns the set of `code` in which a line is looked up. */
static unsigned set_of(uint32_t physical)
{
    return physical / P5_LINE_BYTES % COHERENCE_SETS;
}

/* Returns the entry of the line at physical address `line`; NULL if fetches see RAM there. */
static code_line *find_code(const engine *e, uint32_t line)
{
    const coherence *c = &e->memory.coherence;
    if (c->code_count == 0)
        return NULL;
    code_line *set = c->code[set_of(line)];
    for (unsigned way = 0; way < COHERENCE_WAYS; way++)
        if (set[way].used && set[way].line == line)
            return &set[way];
    return NULL;
}

/* Returns an unused entry for a line. Allocates the entries first. Returns NULL if host memory runs out. */
static code_line *free_code(engine *e, uint32_t line)
{
    coherence *c = &e->memory.coherence;
    if (c->code == NULL)
        c->code = calloc(COHERENCE_SETS, sizeof *c->code);
    if (c->code_page == NULL)
        c->code_page = malloc(ENGINE_PAGE_BYTES);
    if (c->code == NULL || c->code_page == NULL)
        return NULL;
    code_line *set = c->code[set_of(line)];
    for (unsigned way = 0; way < COHERENCE_WAYS; way++)
        if (!set[way].used)
            return &set[way];
    return NULL; /* cannot happen: the caches hold no more lines of a set */
}

/* Makes fetches see `bytes` in this line; NULL: RAM again. Returns false if host memory runs out. */
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

/* Returns the page of `physical` as it is fetched: `from`, its bytes in RAM, or a copy with the code lines. */
const uint8_t *coherence_code_page(engine *e, uint32_t physical, const uint8_t *from)
{
    coherence *c = &e->memory.coherence;
    uint32_t page = physical & ~(uint32_t)ENGINE_PAGE_MASK;
    bool copied = false;
    if (c->code_count == 0)
        return from;
    for (uint32_t line = page; line - page < ENGINE_PAGE_BYTES; line += P5_LINE_BYTES) {
        const code_line *other = find_code(e, line);
        if (other == NULL)
            continue;
        if (!copied)
            memcpy(c->code_page, from, ENGINE_PAGE_BYTES);
        copied = true;
        memcpy(c->code_page + (line - page), other->bytes, sizeof other->bytes);
    }
    return copied ? c->code_page : from;
}

/* Returns the byte that is fetched from `physical`, where RAM holds `byte`. */
uint8_t coherence_code_byte(const engine *e, uint32_t physical, uint8_t byte)
{
    const code_line *line = find_code(e, physical & ~(uint32_t)(P5_LINE_BYTES - 1));
    return line != NULL ? line->bytes[physical % P5_LINE_BYTES] : byte;
}

/* --- Pinned TLB entries --- */

/* Returns a mask of the bits of a linear address that select the page of the entry. */
static uint32_t page_mask(const p5_translation *t)
{
    return t->large ? 0xffc00000u : 0xfffff000u;
}

/* Returns the pinned entry of the code TLB (`code`) or the data TLB that translates `linear`, or NULL. */
p5_translation *coherence_pin(engine *e, bool code, uint32_t linear)
{
    coherence *c = &e->memory.coherence;
    for (unsigned i = 0; i < c->pin_count; i++) {
        p5_translation *t = &c->pins[i];
        if (t->code == code && ((t->linear ^ linear) & page_mask(t)) == 0)
            return t;
    }
    return NULL;
}

/* Adds a pinned entry, replaces the one of the same page and TLB, or removes that (not `valid`). An entry beyond
 * COHERENCE_PINS is ignored. */
void engine_set_translation(engine *e, const p5_translation *translation)
{
    coherence *c = &e->memory.coherence;
    assert(c->pin_count <= COHERENCE_PINS);
    unsigned i = 0;
    while (i < c->pin_count &&
           (c->pins[i].code != translation->code || c->pins[i].large != translation->large ||
            ((c->pins[i].linear ^ translation->linear) & page_mask(translation)) != 0))
        i++;
    if (translation->valid && i < COHERENCE_PINS) {
        c->pins[i] = *translation;
        c->pin_count += i == c->pin_count;
    } else if (i < c->pin_count) {
        c->pins[i] = c->pins[--c->pin_count];
    }
    engine_flush_translations(e);
}
