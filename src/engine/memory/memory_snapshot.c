/* Memory in snapshots: RAM, the page cache (mmu.c), and what the caches and TLBs hold that differs from RAM and page
 * tables. Unicorn's translated code is not saved, because the code is translated again without a difference that could
 * be observed.
 *
 * A snapshot_table (base/snapshot.h) describes the members of a structure and their permitted values. The transfer_
 * functions serve both directions: they save, or, if s->loading, load into an engine that was just opened. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/area.h"
#include "engine/memory/memory_internal.h"

/* ---- fields of the engine ------------------------------------------------------------------------------ */

static const snapshot_table page_set_state = {
    SNAPSHOT(page_set, "page_set", FIELD_ANY(linear), FIELD_FLAG(large),
             FIELD_BITS(P5_PAGE_DIRECTORY_ACCESSED | P5_PAGE_ACCESSED | P5_PAGE_DIRTY, bits))};

/* Refuses an address mask that turns off another address line than A20. */
static void check_memory(const void *row, snapshot *s)
{
    const memory_state *m = row;
    if (m->address_mask != UINT32_MAX && m->address_mask != ~(1u << 20))
        snapshot_refuse(s, "engine.address_mask: %Xh turns off more than A20", m->address_mask);
}

const snapshot_table memory_saved = {
    SNAPSHOT(memory_state, NULL, FIELD_RANGE(~(1u << 20), UINT32_MAX, address_mask),
             FIELD_TABLE(&page_set_state, page_sets), FIELD_MOST(PAGE_SETS - 1, next_page_set),
             FIELD_MOST(RESUME_AFTER_THIS, resume), FIELD_ANY(resume_at), FIELD_FLAG(guard.shadow),
             FIELD_BITS(0xe00f, guard.hits)), /* B0-B3, BD, BS, BT of DR6 */
    .partial = true, .check = check_memory};

/* ---- the page cache ------------------------------------------------------------------------------------ */

static const snapshot_field page_fields[] = {
    SNAPSHOT_FIELDS(page_entry, FIELD_BITS(~(uint32_t)ENGINE_PAGE_MASK, read_tag, write_tag, physical),
                    FIELD_BITS(ACCESS_KIND(0, UINT8_MAX), kind), FIELD_DERIVED(host))};
const snapshot_table memory_pages = {SNAPSHOT_TABLE(page_entry, "translation", page_fields)};
const snapshot_table memory_fetched = {SNAPSHOT_TABLE(page_entry, "fetched", page_fields), .since = 1};

/* Returns whether the page of `tag` is looked up in entry `index`, so that an access may hit. */
static bool is_found(uint32_t tag, unsigned index)
{
    return tag / ENGINE_PAGE_BYTES % PAGE_ENTRIES == index % PAGE_ENTRIES;
}

/* Returns whether a loaded entry is safe to use: its page is RAM, and writes either hit this page, as reads do, or do not
 * hit. */
static bool stays_in_ram(const engine *e, const page_entry *held, unsigned index)
{
    return held->physical < e->memory.ram_bytes && physical_window(e, held->physical) == NULL &&
           (held->write_tag == held->read_tag || !is_found(held->write_tag, index));
}

/* Transfers the page cache, because its translations remain in use even if the page tables have changed since. Host
 * addresses are not saved but computed. Loaded entries outside of RAM are emptied, so that the page is looked up again.
 * The tags of the others get PAGE_GUARDED if this engine's guard.data is set, whether the saved engine's was or not. */
static void transfer_pages(engine *e, snapshot *s)
{
    page_entry *all = &e->memory.pages[0][0];
    snapshot_states(s, &memory_pages, all, PAGE_REFERENCES);
    snapshot_states(s, &memory_fetched, all + PAGE_REFERENCES, PAGE_ALL - PAGE_REFERENCES);
    for (unsigned i = 0; s->loading && i < PAGE_ALL; i++) {
        page_entry *held = &all[i];
        bool ram = s->status == P5_OK && stays_in_ram(e, held, i);
        held->host = ram ? e->memory.ram + held->physical : NULL;
        if (!ram)
            held->read_tag = held->write_tag = PAGE_NO_TAG(i % PAGE_ENTRIES);
        else if (is_found(e->memory.guard.data ? held->read_tag : held->read_tag ^ PAGE_GUARDED, i))
            mmu_invert_guarded(held);
    }
    if (s->loading) /* any entry may be in use */
        memset(e->memory.pages_filled, 0xff, sizeof e->memory.pages_filled);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

/* An element of a list of pages in the snapshot, as a structure, which tables need. */
typedef struct page_number {
    uint32_t page; /* physical address / ENGINE_PAGE_BYTES */
} page_number;
const snapshot_table memory_numbers = {
    SNAPSHOT(page_number, "page", FIELD_MOST(UINT32_MAX / ENGINE_PAGE_BYTES, page))};

typedef struct page_numbers {
    ARRAY_OF(page_number) pages;
} page_numbers;

/* Lists the pages of `from`, which is as large as RAM, that differ from `base` (NULL: from zeros). Only lists those for
 * which `wanted` is not 0 (NULL: all). Returns false if host memory runs out. */
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
        if (!ARRAY_ADD(&list->pages, (page_number){page}))
            return false;
    }
    return true;
}

/* Refuses a loaded list whose numbers do not ascend or exceed RAM. */
static void check_pages(const engine *e, const page_numbers *list, snapshot *s)
{
    uint32_t end = e->memory.ram_bytes / ENGINE_PAGE_BYTES;
    for (size_t i = 0; i < list->pages.count; i++)
        if (list->pages.items[i].page >= end ||
            (i > 0 && list->pages.items[i].page <= list->pages.items[i - 1].page))
            snapshot_refuse(s, "page.page[%zu]: %u does not ascend, or is not 0..%u", i,
                            list->pages.items[i].page, end - 1);
}

/* Transfers the list of pages in which page tables were walked (memory_state.table_pages). */
static void transfer_table_pages(engine *e, snapshot *s)
{
    page_numbers list = {0};
    uint32_t end = e->memory.ram_bytes / ENGINE_PAGE_BYTES;
    for (uint32_t page = 0; !s->loading && page < end; page++)
        if (e->memory.table_pages[page] && !ARRAY_ADD(&list.pages, (page_number){page}))
            snapshot_no_memory(s);
    snapshot_list(s, &memory_numbers, &list.pages.items, &list.pages.count, &list.pages.capacity, end);
    if (s->loading && s->status == P5_OK)
        check_pages(e, &list, s);
    for (size_t i = 0; s->loading && s->status == P5_OK && i < list.pages.count; i++)
        e->memory.table_pages[list.pages.items[i].page] = 1;
    free(list.pages.items);
}

/* Transfers pages of `memory`, which is RAM or its copy: a list of the numbers of those that list_pages finds with
 * `base` and `wanted`, then their contents. When loading, other pages keep their contents. */
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

/* An element of coherence.copied, as a structure, which tables need. */
typedef struct kept_page {
    uint8_t kept; /* 1: memory has a copy of the page */
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

/* Transfers the lines of the code cache that differ from RAM, as a list. */
static void transfer_code_lines(engine *e, snapshot *s)
{
    coherence *c = &e->memory.coherence;
    enum { LINES = COHERENCE_SETS * COHERENCE_WAYS };
    ARRAY_OF(code_line) list = {0};
    for (unsigned i = 0; !s->loading && c->code_count > 0 && i < LINES; i++)
        if (c->code[i / COHERENCE_WAYS][i % COHERENCE_WAYS].used &&
            !ARRAY_ADD(&list, c->code[i / COHERENCE_WAYS][i % COHERENCE_WAYS]))
            snapshot_no_memory(s);
    snapshot_list(s, &memory_code_lines, &list.items, &list.count, &list.capacity, LINES);
    for (size_t i = 0; s->loading && s->status == P5_OK && i < list.count; i++)
        if (!engine_set_code_line(e, list.items[i].line, list.items[i].bytes))
            snapshot_refuse(s, "code_line.line[%zu]: a set of the code cache has fewer ways", i);
    free(list.items);
}

/* Transfers what differs from RAM and page tables: memory under modified lines, code lines, pinned entries. */
static void transfer_coherence(engine *e, snapshot *s)
{
    coherence *c = &e->memory.coherence;
    /* Names in snapshots say "behind" for memory under modified cache lines. */
    bool kept = snapshot_number(s, "behind_memory", c->memory != NULL, 1) != 0;
    if (s->loading && kept && s->status == P5_OK && !engine_keep_memory(e))
        snapshot_no_memory(s);
    if (kept && s->status == P5_OK) {
        uint32_t pages = e->memory.ram_bytes / ENGINE_PAGE_BYTES;
        snapshot_states(s, &memory_copied, c->copied, pages);
        /* The snapshot has only those copied pages that differ from RAM. */
        for (uint32_t page = 0; s->loading && page < pages; page++) {
            size_t at = (size_t)page * ENGINE_PAGE_BYTES;
            if (c->copied[page])
                memcpy(c->memory + at, e->memory.ram + at, ENGINE_PAGE_BYTES);
        }
        transfer_ram(e, s, c->memory, e->memory.ram, c->copied);
    }
    transfer_code_lines(e, s);
    snapshot_state(s, &memory_coherence, c);
}

/* Transfers everything of memory but memory_saved, which the caller has transferred. RAM comes first, because the others
 * refer to it. */
void physical_transfer(engine *e, snapshot *s)
{
    transfer_ram(e, s, e->memory.ram, NULL, NULL);
    transfer_coherence(e, s);
    transfer_pages(e, s);
    transfer_table_pages(e, s);
}
