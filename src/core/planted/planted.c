/* Records the planted state, and checks it while it exists (planted.h). The owner of the core, which holds memory and
 * page tables, is notified through p5_core_hooks. */
#include "core/planted/planted.h"

#include <assert.h>
#include <stdlib.h>

#include "core/internal.h"

/* ---- lines --------------------------------------------------------------------------------------------- */

/* Returns the physical address of a line. */
static uint32_t address_of(const planted_line *line)
{
    return line->tag + line->set * (uint32_t)CACHE_LINE;
}

/* Returns the index of the record of this place, or -1. */
static int find_line(const planted *w, bool code, unsigned set, unsigned way)
{
    for (unsigned i = 0; i < w->line_count; i++)
        if (w->lines[i].code == code && w->lines[i].set == set && w->lines[i].way == way)
            return (int)i;
    return -1;
}

bool planted_has_line(const p5_core *core, bool code, unsigned set, unsigned way)
{
    return find_line(core->planted, code, set, way) >= 0;
}

/* Removes record `i`; the last one takes its place. */
static void remove_line(planted *w, unsigned i)
{
    w->lines[i] = w->lines[--w->line_count];
}

/* Finds the record of the line at physical address `line`. Returns false if there is none. */
static bool find_planted(const planted *w, bool code, uint32_t line, planted_line *found)
{
    for (unsigned i = 0; i < w->line_count; i++)
        if (w->lines[i].code == code && address_of(&w->lines[i]) == line) {
            *found = w->lines[i];
            return true;
        }
    return false;
}

/* Sets the bytes that a fetch of this line returns: those of a planted code line. Without one they are those that data
 * references see, except that fetches do not see a planted data line but memory. */
static void set_fetch(p5_core *core, uint32_t line)
{
    planted *w = core->planted;
    const p5_core_hooks *hooks = memory_hooks(core->memory);
    planted_line at;
    uint8_t bytes[P5_LINE_BYTES];
    if (hooks->code_line == NULL)
        return;
    w->refetch = true;
    if (find_planted(w, true, line, &at)) {
        hooks->code_line(hooks->context, line, w->raw[1][at.set][at.way].bytes);
    } else if (find_planted(w, false, line, &at) && hooks->read_line != NULL) {
        hooks->read_line(hooks->context, line, true, bytes);
        hooks->code_line(hooks->context, line, bytes);
    } else {
        hooks->code_line(hooks->context, line, NULL);
    }
}

void planted_add_line(p5_core *core, bool code, unsigned set, unsigned way)
{
    planted *w = core->planted;
    int old = find_line(w, code, set, way);
    planted_line *line = &w->lines[old >= 0 ? (unsigned)old : w->line_count++];
    *line = (planted_line){code, (uint8_t)set, (uint8_t)way, memory_tags(core->memory, code, set)[way]};
    set_fetch(core, address_of(line));
    planted_update(core);
}

/* Notifies the owner that data references to the line at `line` see again what memory holds. */
static void see_memory(const p5_core *core, uint32_t line)
{
    const p5_core_hooks *hooks = memory_hooks(core->memory);
    if (hooks->from_memory != NULL)
        hooks->from_memory(hooks->context, line, CACHE_LINE);
}

void planted_drop_line(p5_core *core, bool code, unsigned set, unsigned way)
{
    planted *w = core->planted;
    uint32_t tag = memory_tags(core->memory, code, set)[way];
    int i = find_line(w, code, set, way);
    if (i >= 0)
        remove_line(w, (unsigned)i);
    if (tag == CACHE_NO_TAG)
        return;
    if (!code && (i >= 0 || memory_line_state(core->memory, set, way) == MESI_MODIFIED))
        see_memory(core, tag + set * (uint32_t)CACHE_LINE);
    if (i >= 0)
        set_fetch(core, tag + set * (uint32_t)CACHE_LINE);
}

/* Returns whether a planted line is still in its place. A planted data line that was modified is an ordinary
 * line: memory receives it when it is written back. */
static bool still_planted(const struct memory *m, const planted_line *line)
{
    return memory_tags(m, line->code, line->set)[line->way] == line->tag &&
           (line->code || memory_line_state(m, line->set, line->way) != MESI_MODIFIED);
}

/* Removes the records of lines that are no longer planted, and notifies the owner. */
static void drop_gone_lines(p5_core *core)
{
    planted *w = core->planted;
    for (unsigned i = 0; i < w->line_count;) {
        planted_line line = w->lines[i];
        if (still_planted(core->memory, &line)) {
            i++;
            continue;
        }
        remove_line(w, i);
        if (!line.code && memory_tags(core->memory, false, line.set)[line.way] != line.tag)
            see_memory(core, address_of(&line)); /* changes nothing after a write-back: they are equal */
        set_fetch(core, address_of(&line));
    }
}

/* ---- TLB entries --------------------------------------------------------------------------------------- */

/* Returns a TLB by its number, PARITY_*_TLB. */
static const tlb *tlb_of(const p5_core *core, unsigned which)
{
    return which == PARITY_CODE_TLB ? memory_code_tlb(core->memory)
                                    : memory_data_tlb(core->memory, which == PARITY_LARGE_TLB);
}

unsigned planted_tlb_number(struct memory *m, const tlb *t)
{
    return t == memory_code_tlb(m)          ? PARITY_CODE_TLB
           : t == memory_data_tlb(m, false) ? PARITY_DATA_TLB
                                            : PARITY_LARGE_TLB;
}

/* Returns what an entry holds now: its tlb_key, 0 if it is invalid. */
static uint32_t key_of(const p5_core *core, unsigned which, unsigned entry)
{
    return tlb_key_at(tlb_of(core, which), entry);
}

/* Notifies the owner that a planted entry translates (`valid`), or is gone. */
static void notify_page(const p5_core *core, const planted_page *page, bool valid)
{
    const p5_core_hooks *hooks = memory_hooks(core->memory);
    if (hooks->translation == NULL)
        return;
    tlb_entry e = tlb_get(tlb_of(core, page->in), page->entry);
    p5_translation translation = {.size = sizeof translation,
                                  .linear = page->key & 0xfffff000u,
                                  .physical = e.physical,
                                  .valid = valid,
                                  .code = page->code,
                                  .large = (page->key & TLB_LARGE) != 0,
                                  .supervisor = (e.attributes & TLB_SUPERVISOR) != 0,
                                  .writable = (e.attributes & TLB_WRITABLE) != 0,
                                  .dirty = e.dirty,
                                  .cache_disable = (e.attributes & TLB_CACHE_DISABLE) != 0,
                                  .write_through = (e.attributes & TLB_WRITE_THROUGH) != 0};
    hooks->translation(hooks->context, &translation);
}

/* Removes the records of TLB entries that were replaced or flushed, and notifies the owner. */
static void drop_gone_pages(p5_core *core)
{
    planted *w = core->planted;
    for (unsigned i = 0; i < w->pin_count;) {
        planted_page *page = &w->pins[i];
        if (key_of(core, page->in, page->entry) == page->key) {
            i++;
            continue;
        }
        notify_page(core, page, false);
        *page = w->pins[--w->pin_count];
        w->refetch = true;
    }
}

void planted_add_page(p5_core *core, unsigned in, unsigned entry, bool code)
{
    planted *w = core->planted;
    drop_gone_pages(core); /* among them the one that the entry held before */
    unsigned i = 0;
    while (i < w->pin_count && (w->pins[i].in != in || w->pins[i].entry != entry))
        i++;
    assert(i < PLANTED_PAGES);
    w->pins[i] = (planted_page){in, entry, key_of(core, in, entry), code};
    if (i == w->pin_count)
        w->pin_count++;
    w->refetch = true;
    notify_page(core, &w->pins[i], true);
    planted_update(core);
}

/* ---- observer of the memory side ----------------------------------------------------------------------- */

/* Returns whether CR0 has CD = NW = 1: caches are not filled, and write hits do not go to memory. */
static bool cache_as_memory(const p5_core *core)
{
    return core->control.cache_disable && core->control.not_write_through;
}

/* The next functions are the callbacks of array_observer. */
static void observe_tags(array_observer *o, bool code, unsigned set)
{
    planted *w = (planted *)o;
    const uint32_t *tag = memory_tags(w->core->memory, code, set);
    for (unsigned way = 0; way < CACHE_WAYS; way++)
        if (tag[way] != CACHE_NO_TAG)
            (code ? parity_read_code_tag : parity_read_data_tag)(&w->parity, set, way);
}

static void observe_bytes(array_observer *o, bool code, unsigned set, unsigned way, uint32_t bytes,
                          bool written)
{
    enum { ALL_PARTS = 15 }; /* ID0 to ID3 */
    planted *w = (planted *)o;
    p5_core *core = w->core;
    if (code) {
        parity_read_code(&w->parity, set, way, ALL_PARTS);
    } else if (!written) {
        parity_read_data(&w->parity, set, way, bytes);
    } else {
        parity_write_data(&w->parity, set, way, bytes);
        if (memory_line_state(core->memory, set, way) == MESI_SHARED && cache_as_memory(core))
            planted_add_line(core, false, set, way); /* not written through */
    }
}

static void observe_fill(array_observer *o, bool code, unsigned set, unsigned way)
{
    (code ? parity_write_code_line : parity_write_data_line)(&((planted *)o)->parity, set, way);
}

static void observe_entry(array_observer *o, const tlb *t, unsigned entry, bool filled)
{
    planted *w = (planted *)o;
    (filled ? parity_write_tlb : parity_read_tlb)(&w->parity, planted_tlb_number(w->core->memory, t), entry);
}

static void observe_end(array_observer *o, bool flushed)
{
    p5_core *core = ((planted *)o)->core;
    if (flushed)
        planted_flushed(core);
    else
        planted_drop_gone(core);
}

/* ---- the planted state as a whole ---------------------------------------------------------------------- */

void planted_drop_gone(p5_core *core)
{
    planted *w = core->planted;
    if (!w->on)
        return;
    drop_gone_lines(core);
    drop_gone_pages(core);
    if (w->line_count == 0 && w->pin_count == 0)
        planted_update(core);
}

planted *planted_open(p5_core *core)
{
    planted *w = calloc(1, sizeof *w);
    if (w == NULL)
        return NULL;
    w->observer = (array_observer){.tags = observe_tags,
                                   .bytes = observe_bytes,
                                   .filled = observe_fill,
                                   .entry = observe_entry,
                                   .over = observe_end};
    w->core = core;
    return w;
}

void planted_flushed(p5_core *core)
{
    if (!core->planted->on)
        return;
    planted_drop_gone(core);
    parity_forget_if_gone(&core->planted->parity, core->memory);
    planted_update(core);
}

void planted_update(p5_core *core)
{
    planted *w = core->planted;
    w->on = w->line_count != 0 || w->pin_count != 0 || parity_on(&w->parity) || cache_as_memory(core);
    core->exact_memory = core->memo_off || w->on;
    memory_observe_arrays(core->memory, w->on ? &w->observer : NULL);
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

static const snapshot_table line_state = {
    SNAPSHOT(planted_line, "planted_line", FIELD_FLAG(code), FIELD_MOST(CACHE_SETS - 1, set),
             FIELD_MOST(CACHE_WAYS - 1, way), FIELD_BITS(0xfffff000u, tag))};

static const snapshot_table page_state = {SNAPSHOT(
    planted_page, "planted_page", FIELD_MOST(PARITY_TLBS - 1, in), FIELD_MOST(TLB_ENTRIES - 1, entry),
    FIELD_BITS(0xfffff000u | TLB_VALID | TLB_LARGE, key), FIELD_FLAG(code))};

static const snapshot_table raw_state = {SNAPSHOT(planted_raw, "planted_raw", FIELD_FLAG(known, no_ends),
                                                  FIELD_ANY(tag, ends), FIELD_ANY_OF([0], bytes))};

/* Refuses a snapshot that records a place twice, because the arrays could overflow, or an entry that its TLB does not
 * have. */
static void check_planted(const void *row, snapshot *s)
{
    const planted *w = row;
    bool line_seen[2][CACHE_SETS][CACHE_WAYS] = {{{false}}}, page_seen[PARITY_TLBS][TLB_ENTRIES] = {{false}};
    for (unsigned i = 0; i < w->line_count; i++) {
        const planted_line *line = &w->lines[i];
        bool *seen = &line_seen[line->code][line->set][line->way];
        if (*seen)
            snapshot_refuse(s, "watch.lines: line %u is recorded twice", i);
        *seen = true;
    }
    for (unsigned i = 0; i < w->pin_count; i++) {
        const planted_page *page = &w->pins[i];
        bool *seen = &page_seen[page->in][page->entry];
        if (*seen || page->entry >= tlb_size(tlb_of(w->core, page->in)))
            snapshot_refuse(s, "watch.pins: entry %u does not exist, or is recorded twice", page->entry);
        *seen = true;
    }
}

/* FIELD_DERIVED names members that are not saved. */
const snapshot_table planted_state = {
    /* "watch" is its name in snapshots */
    SNAPSHOT(planted, "watch", FIELD_DERIVED(observer, core, on), FIELD_FLAG(refetch),
             FIELD_MOST(PLANTED_LINES, line_count), FIELD_MOST(PLANTED_PAGES, pin_count),
             FIELD_TABLE(&line_state, lines), FIELD_TABLE(&page_state, pins), FIELD_TABLE(&raw_state, raw),
             FIELD_TABLE(&parity_state, parity)),
    .check = check_planted};
