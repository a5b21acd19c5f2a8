/* Memory in snapshots: RAM, cached translations, and what caches and TLBs hold that differs from RAM and page
 * tables. Nothing that can be observed depends on translated code, which is translated again. */
#include <stdlib.h>

#include "base/array.h"
#include "base/area.h"
#include "engine/memory/memory_internal.h"

/* ---- fields of the engine ------------------------------------------------------------------------------ */

static const snapshot_table page_set_state = {
    SNAPSHOT(page_set, "page_set", FIELD_ANY(linear), FIELD_FLAG(large),
             FIELD_BITS(P5_PAGE_DIRECTORY_ACCESSED | P5_PAGE_ACCESSED | P5_PAGE_DIRTY, bits))};

static void check_memory(const void *row, snapshot *s)
{
    const memory_state *m = row;
    if (m->address_mask != UINT32_MAX && m->address_mask != ~(1u << 20))
        snapshot_refuse(s, "engine.address_mask: %Xh has more than A20 off", m->address_mask);
}

const snapshot_table memory_saved = {
    SNAPSHOT(memory_state, NULL, FIELD_RANGE(~(1u << 20), UINT32_MAX, address_mask),
             FIELD_TABLE(&page_set_state, page_sets), FIELD_MOST(PAGE_SETS - 1, next_page_set),
             FIELD_MOST(RESUME_AFTER_THIS, resume), FIELD_ANY(resume_at), FIELD_FLAG(guard.shadow),
             FIELD_BITS(0xe00f, guard.hits)),
    .partial = true, .check = check_memory};

/* ---- translations -------------------------------------------------------------------------------------- */

static const snapshot_field page_fields[] = {
    SNAPSHOT_FIELDS(page_entry, FIELD_BITS(~(uint32_t)ENGINE_PAGE_MASK, read_tag, write_tag, physical),
                    FIELD_BITS(ACCESS_KIND(0, UINT8_MAX), kind), FIELD_DERIVED(host))};
const snapshot_table memory_pages = {SNAPSHOT_TABLE(page_entry, "translation", page_fields)};
const snapshot_table memory_fetched = {SNAPSHOT_TABLE(page_entry, "fetched", page_fields), .since = 1};

/* Accesses that come to entry `index` may lie in the page of `tag`. */
static bool is_found(uint32_t tag, unsigned index)
{
    return tag / ENGINE_PAGE_BYTES % PAGE_ENTRIES == index % PAGE_ENTRIES;
}

/* An entry of RAM whose tags let no access out of it: what is written, if anything, is the page that is read.
 */
static bool stays_in_ram(const engine *e, const page_entry *page, unsigned index)
{
    return page->physical < e->memory.ram_bytes && physical_window(e, page->physical) == NULL &&
           (page->write_tag == page->read_tag || !is_found(page->write_tag, index));
}

/* Translations that are held although the page tables may have changed since. Host addresses are made anew;
 * what is no RAM is looked up again. */
static void transfer_pages(engine *e, snapshot *s)
{
    page_entry *all = &e->memory.pages[0][0];
    snapshot_states(s, &memory_pages, all, PAGE_REFERENCES);
    snapshot_states(s, &memory_fetched, all + PAGE_REFERENCES, PAGE_ALL - PAGE_REFERENCES);
    for (unsigned i = 0; s->loading && i < PAGE_ALL; i++) {
        bool ram = s->status == P5_OK && stays_in_ram(e, &all[i], i);
        if (!ram)
            all[i].read_tag = all[i].write_tag = PAGE_NO_TAG(i % PAGE_ENTRIES);
        uint32_t own = all[i].read_tag ^ (is_found(all[i].read_tag, i) ? 0u : PAGE_GUARDED);
        uint32_t tag = own ^ (e->memory.guard.data ? PAGE_GUARDED : 0u); /* as guard_update goes on from */
        if (is_found(own, i)) {
            all[i].write_tag = all[i].write_tag == all[i].read_tag ? tag : all[i].write_tag;
            all[i].read_tag = tag;
        }
        all[i].host = ram ? e->memory.ram + all[i].physical : NULL;
    }
    if (s->loading)
        memset(e->memory.pages_filled, 0xff, sizeof e->memory.pages_filled);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

typedef struct page_number {
    uint32_t page;
} page_number;
const snapshot_table memory_numbers = {
    SNAPSHOT(page_number, "page", FIELD_MOST(UINT32_MAX / ENGINE_PAGE_BYTES, page))};

typedef struct page_numbers {
    ARRAY_OF(page_number) pages;
} page_numbers;

/* The pages that differ from `base` (NULL: from zeros), of those that are `wanted` (NULL: of all). */
static bool list_pages(const engine *e, const uint8_t *from, const uint8_t *base, const uint8_t *wanted,
                       page_numbers *list)
{
    for (uint32_t page = 0; page < e->memory.ram_bytes / ENGINE_PAGE_BYTES; page++) {
        size_t at = (size_t)page * ENGINE_PAGE_BYTES;
        if (wanted != NULL && !wanted[page])
            continue;
        if (base != NULL ? memcmp(from + at, base + at, ENGINE_PAGE_BYTES) == 0
                         : area_is_zero(from + at, ENGINE_PAGE_BYTES))
            continue;
        if (!ARRAY_ROOM(&list->pages))
            return false;
        list->pages.items[list->pages.count++].page = page;
    }
    return true;
}

static void check_pages(const engine *e, const page_numbers *list, snapshot *s)
{
    uint32_t end = e->memory.ram_bytes / ENGINE_PAGE_BYTES;
    for (size_t i = 0; i < list->pages.count; i++)
        if (list->pages.items[i].page >= end ||
            (i > 0 && list->pages.items[i].page <= list->pages.items[i - 1].page))
            snapshot_refuse(s, "page.page[%zu]: %u does not ascend, or is not 0..%u", i,
                            list->pages.items[i].page, end - 1);
}

/* Pages that were walked for translations. */
static void transfer_table_pages(engine *e, snapshot *s)
{
    page_numbers list = {0};
    uint32_t end = e->memory.ram_bytes / ENGINE_PAGE_BYTES;
    for (uint32_t page = 0; !s->loading && page < end; page++)
        if (e->memory.table_pages[page]) {
            if (!ARRAY_ROOM(&list.pages)) {
                snapshot_no_memory(s);
                break;
            }
            list.pages.items[list.pages.count++].page = page;
        }
    snapshot_list(s, &memory_numbers, &list.pages.items, &list.pages.count, &list.pages.capacity, end);
    if (s->loading && s->status == P5_OK)
        check_pages(e, &list, s);
    for (size_t i = 0; s->loading && s->status == P5_OK && i < list.pages.count; i++)
        e->memory.table_pages[list.pages.items[i].page] = 1;
    free(list.pages.items);
}

/* Their numbers, then what stands in them. */
static void transfer_ram(engine *e, snapshot *s, uint8_t *memory, const uint8_t *base, const uint8_t *wanted)
{
    page_numbers list = {0};
    if (!s->loading && !list_pages(e, memory, base, wanted, &list))
        snapshot_no_memory(s);
    snapshot_list(s, &memory_numbers, &list.pages.items, &list.pages.count, &list.pages.capacity,
                  e->memory.ram_bytes / ENGINE_PAGE_BYTES);
    if (s->loading && s->status == P5_OK)
        check_pages(e, &list, s);
    for (size_t i = 0; i < list.pages.count && s->status == P5_OK; i++)
        snapshot_raw(s, "page_bytes", memory + (size_t)list.pages.items[i].page * ENGINE_PAGE_BYTES,
                     ENGINE_PAGE_BYTES);
    free(list.pages.items);
}

/* ---- contents of caches and TLBs -------------------------------------------------------------------------- */

typedef struct kept_page {
    uint8_t kept;
} kept_page;
const snapshot_table memory_copied = {SNAPSHOT(kept_page, "behind_kept", FIELD_MOST(1, kept))};

const snapshot_table memory_code_lines = {SNAPSHOT(code_line, "code_line", FIELD_DERIVED(used),
                                                   FIELD_BITS(~(uint32_t)(P5_LINE_BYTES - 1), line),
                                                   FIELD_ANY_OF([0], bytes))};

static const snapshot_table pin_state = {
    SNAPSHOT(p5_translation, "pin", FIELD_BITS(~(uint32_t)ENGINE_PAGE_MASK, linear, physical),
             FIELD_FLAG(valid, code, large, supervisor, writable, dirty, cache_disable, write_through))};

const snapshot_table memory_coherence = {SNAPSHOT(coherence, "behind", FIELD_FLAG(invd),
                                                  FIELD_TABLE(&pin_state, pins),
                                                  FIELD_MOST(COHERENCE_PINS, pin_count)),
                                         .partial = true};

static void transfer_code_lines(engine *e, snapshot *s)
{
    coherence *b = &e->memory.coherence;
    enum { LINES = COHERENCE_SETS * COHERENCE_WAYS };
    ARRAY_OF(code_line) list = {0};
    for (unsigned i = 0; !s->loading && b->code_count > 0 && i < LINES; i++)
        if (b->code[i / COHERENCE_WAYS][i % COHERENCE_WAYS].used) {
            if (ARRAY_ROOM(&list))
                list.items[list.count++] = b->code[i / COHERENCE_WAYS][i % COHERENCE_WAYS];
            else
                snapshot_no_memory(s);
        }
    snapshot_list(s, &memory_code_lines, &list.items, &list.count, &list.capacity, LINES);
    for (size_t i = 0; s->loading && s->status == P5_OK && i < list.count; i++)
        if (!engine_set_code_line(e, list.items[i].line, list.items[i].bytes))
            snapshot_refuse(s, "code_line.line[%zu]: the code cache does not have so many in a set", i);
    free(list.items);
}

/* Transfers what differs from RAM and page tables: memory under modified lines, code lines, pinned entries. */
static void transfer_coherence(engine *e, snapshot *s)
{
    coherence *b = &e->memory.coherence;
    bool kept = snapshot_number(s, "behind_memory", b->memory != NULL, 1) != 0;
    if (s->loading && kept && s->status == P5_OK && !engine_keep_memory(e))
        snapshot_no_memory(s);
    if (kept && s->status == P5_OK) {
        uint32_t pages = e->memory.ram_bytes / ENGINE_PAGE_BYTES;
        snapshot_states(s, &memory_copied, b->copied, pages);
        for (uint32_t page = 0; s->loading && page < pages; page++) {
            size_t at = (size_t)page * ENGINE_PAGE_BYTES;
            if (b->copied[page])
                memcpy(b->memory + at, e->memory.ram + at, ENGINE_PAGE_BYTES);
        }
        transfer_ram(e, s, b->memory, e->memory.ram, b->copied);
    }
    transfer_code_lines(e, s);
    snapshot_state(s, &memory_coherence, b);
}

void physical_transfer(engine *e, snapshot *s)
{
    transfer_ram(e, s, e->memory.ram, NULL, NULL);
    transfer_coherence(e, s);
    transfer_pages(e, s);
    transfer_table_pages(e, s);
}
