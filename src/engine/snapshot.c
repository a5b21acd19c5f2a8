/* The engine's state in snapshots: the processor as Unicorn keeps it, physical memory, and what stands beside
 * both. Translated code is not among it; nothing that can be seen depends on it. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "engine/internal.h"

/* ---- registers ----------------------------------------------------------------------------------------- */

/* Everything from the general registers to the x87's, with the flags as they are left by the last
 * instruction. The one pointer among it is not the processor's. */
static void transfer_processor(engine *e, snapshot *s)
{
    enum { STATE_BYTES = offsetof(uc_env, owner) };
    uc_env *env = e->env;
    uint8_t *image = malloc(STATE_BYTES);
    if (image == NULL) {
        s->status = error_set(s->error, P5_ERR_MEMORY, "out of memory");
        return;
    }
    memcpy(image, env, STATE_BYTES);
    snapshot_piece(s, "processor", image, STATE_BYTES);
    if (s->loading && s->status == P5_OK) {
        memcpy(env, image, STATE_BYTES);
        env->hflags &= ~(uint32_t)UC_HF_STEP; /* guard.c sets it when it is to step */
    }
    free(image);
    snapshot_piece(s, "debug", env->dr, sizeof env->dr);
    snapshot_piece(s, "a20", &e->address_mask, sizeof e->address_mask);
}

/* What decides what happens at the boundary where the engine stands. */
static void transfer_boundary(engine *e, snapshot *s)
{
    snapshot_piece(s, "injected", &e->injected, sizeof e->injected);
    snapshot_piece(s, "injected.vector", &e->injected_vector, sizeof e->injected_vector);
    e->injected_kind = (p5_transfer)snapshot_number(s, "injected.kind", e->injected_kind, P5_TRANSFER_NMI);
    snapshot_piece(s, "x87.ignored", &e->x87.ignored, sizeof e->x87.ignored);
    snapshot_piece(s, "external", &e->external, sizeof e->external);
    snapshot_piece(s, "nmi_blocked", &e->nmi_blocked, sizeof e->nmi_blocked);
    snapshot_piece(s, "resume", &e->resume, sizeof e->resume);
    snapshot_piece(s, "math_error.ignored", &e->x87.ignored, sizeof e->x87.ignored);
    snapshot_piece(s, "resume_at", &e->resume_at, sizeof e->resume_at);
    snapshot_piece(s, "guard.shadow", &e->guard.shadow, sizeof e->guard.shadow);
    snapshot_piece(s, "guard.hits", &e->guard.hits, sizeof e->guard.hits);
    snapshot_piece(s, "page_sets", e->page_sets, sizeof e->page_sets);
    snapshot_piece(s, "next_page_set", &e->next_page_set, sizeof e->next_page_set);
    snapshot_piece(s, "later", &e->later_count, sizeof e->later_count);
}

/* ---- translations -------------------------------------------------------------------------------------- */

/* Accesses that come to entry `index` may lie in the page of `tag`. */
static bool is_found(uint32_t tag, unsigned index)
{
    return tag / ENGINE_PAGE_BYTES % PAGE_ENTRIES == index % PAGE_ENTRIES;
}

/* An entry of RAM whose tags let no access out of it: what is written, if anything, is the page that is read.
 */
static bool stays_in_ram(const engine *e, const page_entry *page, unsigned index)
{
    return page->physical < e->ram_bytes &&
           ((page->physical | page->read_tag | page->write_tag) & ENGINE_PAGE_MASK) == 0 &&
           (page->write_tag == page->read_tag || !is_found(page->write_tag, index));
}

/* Pages that were walked for them. */
static void transfer_table_pages(engine *e, snapshot *s)
{
    uint32_t page = 0, end = e->ram_bytes / ENGINE_PAGE_BYTES;
    do {
        while (!s->loading && page < end && !e->table_pages[page])
            page++;
        page = (uint32_t)snapshot_number(s, "table", page, end);
        if (page < end && s->status == P5_OK)
            e->table_pages[page++] = 1;
        else
            return;
    } while (true);
}

/* Translations that are held although the page tables may have changed since. Host addresses are made anew.
 */
static void transfer_pages(engine *e, snapshot *s)
{
    page_entry *image = malloc(sizeof e->pages);
    if (image == NULL) {
        s->status = error_set(s->error, P5_ERR_MEMORY, "out of memory");
        return;
    }
    memcpy(image, e->pages, sizeof e->pages);
    for (unsigned i = 0; i < 2 * PAGE_ENTRIES; i++) {
        image[i].host = NULL;
        image[i].to_host = 0;
    }
    snapshot_piece(s, "pages", image, sizeof e->pages);
    for (unsigned i = 0; s->loading && i < 2 * PAGE_ENTRIES; i++) {
        bool ram = stays_in_ram(e, &image[i], i);
        if (!ram)
            image[i].read_tag = image[i].write_tag = PAGE_NO_TAG(i % PAGE_ENTRIES);
        image[i].host = ram ? e->ram + image[i].physical : NULL;
        image[i].to_host = (uintptr_t)image[i].host - image[i].read_tag;
    }
    if (s->loading && s->status == P5_OK)
        memcpy(e->pages, image, sizeof e->pages);
    free(image);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static bool is_zero(const uint8_t *page)
{
    return page[0] == 0 && memcmp(page, page + 1, ENGINE_PAGE_BYTES - 1) == 0;
}

/* Pages that differ from `base` (NULL: from zeros), each behind its number. */
static void save_pages(const engine *e, snapshot *s, const uint8_t *from, const uint8_t *base,
                       const uint8_t *wanted)
{
    uint32_t end = e->ram_bytes / ENGINE_PAGE_BYTES;
    for (uint32_t page = 0; page < end && s->status == P5_OK; page++) {
        size_t at = (size_t)page * ENGINE_PAGE_BYTES;
        if (wanted != NULL && !wanted[page])
            continue;
        if (base != NULL ? memcmp(from + at, base + at, ENGINE_PAGE_BYTES) == 0 : is_zero(from + at))
            continue;
        snapshot_number(s, "page", page, end);
        snapshot_piece(s, "bytes", (void *)(uintptr_t)(from + at), ENGINE_PAGE_BYTES);
    }
    snapshot_number(s, "page", end, end);
}

static void load_pages(const engine *e, snapshot *s, uint8_t *to)
{
    uint32_t end = e->ram_bytes / ENGINE_PAGE_BYTES;
    while (s->status == P5_OK) {
        uint32_t page = (uint32_t)snapshot_number(s, "page", 0, end);
        if (s->status != P5_OK || page == end)
            return;
        snapshot_piece(s, "bytes", to + (size_t)page * ENGINE_PAGE_BYTES, ENGINE_PAGE_BYTES);
    }
}

static void transfer_code_lines(engine *e, snapshot *s)
{
    behind *b = &e->behind;
    enum { LINES = BEHIND_SETS * BEHIND_WAYS };
    unsigned count = (unsigned)snapshot_number(s, "behind.lines", b->code_count, LINES);
    for (unsigned i = 0, found = 0; found < count && i < LINES && s->status == P5_OK; i++) {
        behind_line line = {0};
        if (!s->loading)
            line = b->code[i / BEHIND_WAYS][i % BEHIND_WAYS];
        if (!s->loading && !line.used)
            continue;
        found++;
        snapshot_piece(s, "behind.line", &line, sizeof line);
        if (s->loading && s->status == P5_OK && !engine_set_code_line(e, line.line, line.bytes))
            snapshot_refuse(s, "part behind.line of the snapshot does not fit the code cache");
    }
}

/* Memory behind modified lines, the code lines and the pinned entries: behind.h. */
static void transfer_behind(engine *e, snapshot *s)
{
    behind *b = &e->behind;
    bool kept = snapshot_number(s, "behind", b->memory != NULL, 1) != 0;
    if (s->loading && kept && s->status == P5_OK && !engine_keep_memory(e))
        s->status = error_set(s->error, P5_ERR_MEMORY, "out of memory");
    if (kept && s->status == P5_OK) {
        uint32_t pages = e->ram_bytes / ENGINE_PAGE_BYTES;
        snapshot_piece(s, "behind.kept", b->kept, pages);
        for (uint32_t page = 0; s->loading && page < pages; page++) {
            size_t at = (size_t)page * ENGINE_PAGE_BYTES;
            if (b->kept[page])
                memcpy(b->memory + at, e->ram + at, ENGINE_PAGE_BYTES);
        }
        if (s->loading)
            load_pages(e, s, b->memory);
        else
            save_pages(e, s, b->memory, e->ram, b->kept);
    }
    snapshot_piece(s, "behind.invd", &b->invd, sizeof b->invd);
    transfer_code_lines(e, s);
    p5_translation pins[BEHIND_PINS];
    memcpy(pins, b->pins, sizeof pins);
    unsigned count = (unsigned)snapshot_number(s, "behind.pin_count", b->pin_count, BEHIND_PINS);
    snapshot_piece(s, "behind.pins", pins, sizeof pins);
    if (s->loading && s->status == P5_OK) {
        memcpy(b->pins, pins, sizeof pins);
        b->pin_count = count;
    }
}

void engine_transfer(engine *e, snapshot *s)
{
    transfer_processor(e, s);
    if (s->loading && s->status == P5_OK) {
        engine_flush_translations(e);
        guard_debug_written(e);
    }
    transfer_boundary(e, s); /* guard_debug_written forgets RF */
    if (s->loading)
        load_pages(e, s, e->ram);
    else
        save_pages(e, s, e->ram, NULL, NULL);
    transfer_behind(e, s);
    transfer_pages(e, s);
    transfer_table_pages(e, s);
}
