/* Reads and writes of caches and TLBs by the test registers. Each command is also given to the second core that checks
 * this one (core->exact), if there is one. What a test register writes may differ from memory or page tables; planted.c
 * records that. The core's owner keeps the contents of lines. */
#include "core/testreg/test_access.h"

#include <assert.h>
#include <string.h>

#include "core/replay/memo.h"
#include "core/planted/planted.h"

void test_issue_waiting(p5_core *core)
{
    memo_settle(core);
    if (core->exact)
        memo_settle(core->exact);
}

/* Completes what was fed before, because WRMSR is serialising: the instruction that waits in D1 for a partner issues
 * alone, and all buffered writes end, which makes shared lines exclusive. */
static void settle(p5_core *core)
{
    memo_settle(core);
    memory_upgrade_lines(core->memory, memory_drained(core->memory, core->now));
}

/* Must be called after a command has changed a structure: what the fast path knows of hits is out of date. */
static void changed(p5_core *core)
{
    memory_forget_hits(core->memory);
}

/* ---- caches -------------------------------------------------------------------------------------------- */

/* Returns the way of a line. The register can select more ways than the cache has. */
static unsigned way_of(const p5_core *core, const test_cache_line *line)
{
    const p5_model *model = memory_model(core->memory);
    return line->way & ((line->data_cache ? model->data_cache.ways : model->code_cache.ways) - 1);
}

/* Gets the line at physical address `line` as data references see it or, with `in_memory`, as memory holds it. Returns
 * false if there is no memory at that address, or the owner has no callback that reads it. */
static bool see_line(const p5_core *core, uint32_t line, bool in_memory, uint8_t bytes[P5_LINE_BYTES])
{
    const p5_core_hooks *hooks = memory_hooks(core->memory);
    return hooks->read_line != NULL && hooks->read_line(hooks->context, line, in_memory, bytes);
}

bool test_last_fill(void *context, uint64_t *end, uint32_t data[TEST_LINE_WORDS])
{
    p5_core *core = context;
    test_issue_waiting(core);
    const line_fill last = memory_last_data_fill(core->memory);
    uint8_t bytes[P5_LINE_BYTES];
    if (last.done == *end || last.done == 0 || !see_line(core, last.line, false, bytes))
        return false;
    *end = last.done;
    memcpy(data, bytes, sizeof bytes);
    return true;
}

/* Returns what a write of `line` puts into the array. */
static planted_raw raw_of(const test_cache_line *line)
{
    planted_raw raw = {.known = true, .tag = line->tag << 12};
    memcpy(raw.bytes, line->data, sizeof raw.bytes);
    for (unsigned i = 0; i < TEST_LINE_WORDS; i++)
        raw.ends |= (uint32_t)(line->end_bits[i] & 15) << 4 * i;
    raw.no_ends = raw.ends == 0;
    return raw;
}

/* Saves the contents of the code cache's copy of `line`, because a data line is about to be written for it. From then on,
 * data references see other contents than the code cache has. */
static void keep_code(p5_core *core, uint32_t line)
{
    unsigned set = cache_set(line);
    const code_cache *code = memory_code_cache(core->memory);
    int way = code_cache_find(code, line);
    if (way < 0)
        return;
    planted_raw *raw = &core->planted->raw[1][set][way];
    uint8_t bytes[P5_LINE_BYTES];
    if (planted_has_line(core, true, set, (unsigned)way) || !see_line(core, line, false, bytes))
        return;
    *raw = (planted_raw){
        .known = true, .tag = cache_tag(line), .ends = code_cache_known_ends(code, set, (unsigned)way)};
    memcpy(raw->bytes, bytes, sizeof bytes);
    planted_add_line(core, true, set, (unsigned)way);
}

/* Writes a line of the data cache. Its contents become those that the processor sees. */
static void write_data_line(p5_core *core, unsigned set, unsigned way, const test_cache_line *line,
                            const planted_raw *raw)
{
    const p5_core_hooks *hooks = memory_hooks(core->memory);
    uint32_t address = raw->tag + set * (uint32_t)CACHE_LINE;
    mesi state = (mesi)(line->valid & 3);
    if (state != MESI_INVALID)
        keep_code(core, address);
    data_cache_put(memory_data_cache(core->memory), set, way, (cache_entry){raw->tag, state, line->lru});
    parity_write_data_line(&core->planted->parity, set, way);
    if (state == MESI_INVALID || hooks->write_line == NULL)
        return;
    hooks->write_line(hooks->context, address, raw->bytes);
    uint8_t held[P5_LINE_BYTES];
    if (state != MESI_MODIFIED && see_line(core, address, true, held) &&
        memcmp(held, raw->bytes, sizeof held) != 0)
        planted_add_line(core, false, set, way);
}

/* Writes a line of the code cache, which may then differ from what data references see. */
static void write_code_line(p5_core *core, unsigned set, unsigned way, const test_cache_line *line,
                            const planted_raw *raw)
{
    uint32_t address = raw->tag + set * (uint32_t)CACHE_LINE;
    bool valid = (line->valid & 1) != 0;
    /* raw->ends is as TR2 shows it: all bits of a new line are set. code_cache_put converts it, because the code cache
     * stores only the ends that were decoded. */
    code_cache_put(memory_code_cache(core->memory), set, way,
                   (code_entry){raw->tag, valid, line->lru, raw->ends});
    parity_write_code_line(&core->planted->parity, set, way);
    if (!valid)
        return;
    uint8_t seen[P5_LINE_BYTES];
    bool in_data = data_cache_find(memory_data_cache(core->memory), address) >= 0;
    if (see_line(core, address, false, seen) && (in_data || memcmp(seen, raw->bytes, sizeof seen) != 0))
        planted_add_line(core, true, set, way);
}

void test_cache_write(void *context, const test_cache_line *line)
{
    p5_core *core = context;
    unsigned set = line->set, way = way_of(core, line);
    assert(set < CACHE_SETS);
    settle(core);
    planted_drop_line(core, !line->data_cache, set, way);
    planted_raw *raw = &core->planted->raw[!line->data_cache][set][way];
    *raw = raw_of(line);
    if (line->data_cache)
        write_data_line(core, set, way, line, raw);
    else
        write_code_line(core, set, way, line, raw);
    changed(core);
    planted_update(core);
    if (core->exact)
        test_cache_write(core->exact, line);
}

/* Returns whether another way of the set holds the same line. The owner keeps contents only once for both, so each is
 * read back as it was written. */
static bool is_double(const uint32_t tag[CACHE_WAYS], unsigned way)
{
    for (unsigned other = 0; other < CACHE_WAYS; other++)
        if (other != way && tag[other] == tag[way])
            return true;
    return false;
}

/* Sets tag and contents of `line` to what was written into the place of an invalid line. */
static void give_raw(test_cache_line *line, const planted_raw *raw)
{
    line->tag = raw->tag >> 12;
    memcpy(line->data, raw->bytes, sizeof line->data);
}

/* Sets the contents of `line`, which is valid and has its tag and set, to what data references see there. Uses what was
 * written into its place (`raw`) instead if only the array has the contents (`own`), or if the owner cannot read them.
 */
static void give_contents(const p5_core *core, test_cache_line *line, const planted_raw *raw, bool own)
{
    uint8_t bytes[P5_LINE_BYTES];
    bool written = raw->known && raw->tag >> 12 == line->tag;
    uint32_t address = (line->tag << 12) + line->set * (uint32_t)CACHE_LINE;
    if (written && own)
        memcpy(line->data, raw->bytes, sizeof line->data);
    else if (see_line(core, address, false, bytes))
        memcpy(line->data, bytes, sizeof line->data);
    else if (written)
        memcpy(line->data, raw->bytes, sizeof line->data);
}

/* Reads a line of the data cache. Reads by test registers check parity and count as uses for replacement. */
static void read_data_line(p5_core *core, test_cache_line *line, unsigned set, unsigned way)
{
    struct memory *m = core->memory;
    parity *p = &core->planted->parity;
    const planted_raw *raw = &core->planted->raw[0][set][way];
    cache_entry entry = data_cache_get(memory_data_cache(m), set, way);
    line->valid = (uint8_t)entry.state;
    line->lru = entry.lru;
    line->tag = entry.tag >> 12;
    if (entry.state != MESI_INVALID)
        give_contents(core, line, raw, is_double(memory_tags(m, false, set), way));
    else if (raw->known)
        give_raw(line, raw);
    parity_read_data_tag(p, set, way);
    parity_read_data(p, set, way, 15u << 4 * line->word);
    if (!memory_frozen(m)) /* with CR0.CD = 1, a read does not change the LRU bits */
        data_cache_used(memory_data_cache(m), set, way);
}

/* Returns the end bits of a valid line of the code cache as TR2 shows them. `raw` is what was written to its place. */
static uint32_t ends_of(const code_cache *cache, unsigned set, unsigned way, const planted_raw *raw)
{
    const code_entry entry = code_cache_get(cache, set, way);
    const bool none = raw->known && raw->no_ends && raw->tag == entry.tag;
    return none && code_cache_known_ends(cache, set, way) == 0 ? 0 : entry.ends;
}

/* Reads a line of the code cache. */
static void read_code_line(p5_core *core, test_cache_line *line, unsigned set, unsigned way)
{
    enum { FIRST_HALF = 3, SECOND_HALF = 12 }; /* parity bits ID0-ID1, ID2-ID3 */
    code_cache *cache = memory_code_cache(core->memory);
    parity *p = &core->planted->parity;
    const planted_raw *raw = &core->planted->raw[1][set][way];
    code_entry entry = code_cache_get(cache, set, way);
    uint32_t ends = entry.ends;
    line->valid = entry.valid;
    line->lru = entry.lru;
    line->tag = entry.tag >> 12;
    if (entry.valid) {
        give_contents(core, line, raw, planted_has_line(core, true, set, way));
        ends = ends_of(cache, set, way, raw);
    } else if (raw->known) {
        give_raw(line, raw);
        ends = raw->ends;
    }
    for (unsigned i = 0; i < TEST_LINE_WORDS; i++)
        line->end_bits[i] = (uint8_t)(ends >> 4 * i & 15);
    parity_read_code_tag(p, set, way);
    parity_read_code(p, set, way, line->word < TEST_LINE_WORDS / 2 ? FIRST_HALF : SECOND_HALF);
    code_cache_used(cache, set, way); /* also with CR0.CD = 1 */
}

void test_cache_read(void *context, test_cache_line *line)
{
    p5_core *core = context;
    if (core->exact) { /* a read is a use */
        test_cache_line other = *line;
        test_cache_read(core->exact, &other);
    }
    unsigned set = line->set, way = way_of(core, line);
    assert(set < CACHE_SETS);
    settle(core);
    if (line->data_cache)
        read_data_line(core, line, set, way);
    else
        read_code_line(core, line, set, way);
}

/* Saves what a place contains, which remains in the array when the line becomes invalid. */
static void remember(p5_core *core, bool data, unsigned set, unsigned way)
{
    struct memory *m = core->memory;
    planted_raw *raw = &core->planted->raw[!data][set][way];
    const uint32_t *tags = memory_tags(m, !data, set), tag = tags[way];
    if (tag == CACHE_NO_TAG)
        return;
    test_cache_line line = {.data_cache = data, .set = (uint8_t)set, .way = (uint8_t)way, .tag = tag >> 12};
    bool own = data ? is_double(tags, way) : planted_has_line(core, true, set, way);
    give_contents(core, &line, raw, own);
    uint32_t ends = data ? 0 : ends_of(memory_code_cache(m), set, way, raw);
    *raw = (planted_raw){.known = true, .tag = tag, .ends = ends};
    memcpy(raw->bytes, line.data, sizeof raw->bytes);
}

void test_before_flush(p5_core *core)
{
    for (unsigned set = 0; set < CACHE_SETS; set++)
        for (unsigned way = 0; way < CACHE_WAYS; way++) {
            remember(core, true, set, way);
            remember(core, false, set, way);
        }
}

/* Invalidates a line of the data cache, after writing it back if it is modified. */
static void flush_line(p5_core *core, unsigned set, unsigned way)
{
    struct memory *m = core->memory;
    remember(core, true, set, way);
    if (memory_line_state(m, set, way) == MESI_MODIFIED) {
        price_last_asks(core); /* profile: the write-back belongs to the last instruction */
        price_wait_for_bus(core, memory_write_back(m, set, way, core->now), P5_STALL_SERIALISE);
    }
    planted_drop_line(core, false, set, way);
    data_cache_set_state(memory_data_cache(m), set, way, MESI_INVALID);
}

void test_cache_flush(void *context, bool data, bool one_line, unsigned set, unsigned way)
{
    p5_core *core = context;
    struct memory *m = core->memory;
    assert(set < CACHE_SETS && (data || !one_line));
    settle(core);
    if (one_line) {
        flush_line(core, set, way & (memory_model(m)->data_cache.ways - 1));
    } else {
        for (unsigned s = 0; s < CACHE_SETS; s++)
            for (unsigned w = 0; w < CACHE_WAYS; w++) {
                remember(core, data, s, w);
                planted_drop_line(core, !data, s, w);
                if (data)
                    data_cache_set_state(memory_data_cache(m), s, w, MESI_INVALID);
            }
        if (data)
            data_cache_invalidate(memory_data_cache(m));
        else
            code_cache_invalidate(memory_code_cache(m));
    }
    changed(core);
    planted_flushed(core);
    if (core->exact)
        test_cache_flush(core->exact, data, one_line, set, way);
}

/* ---- TLBs ---------------------------------------------------------------------------------------------- */

/* PS only affects the data TLB: for the code TLB it is ignored (manual, 26.2.1.2). */
static bool is_large(const test_tlb_entry *entry)
{
    return entry->data_tlb && entry->large_page;
}

/* Returns the TLB that a write of `entry` goes to. */
static tlb *tlb_of(struct memory *m, const test_tlb_entry *entry)
{
    return entry->data_tlb ? memory_data_tlb(m, is_large(entry)) : memory_code_tlb(m);
}

/* Returns the TLB_* attributes of `entry`. */
static uint8_t attributes_of(const test_tlb_entry *entry)
{
    return (uint8_t)((entry->supervisor ? TLB_SUPERVISOR : 0) | (entry->writeable ? TLB_WRITABLE : 0) |
                     (entry->cache_disable ? TLB_CACHE_DISABLE : 0) |
                     (entry->write_through ? TLB_WRITE_THROUGH : 0));
}

void test_tlb_write(void *context, const test_tlb_entry *entry)
{
    p5_core *core = context;
    struct memory *m = core->memory;
    memo_settle(core);
    tlb *t = tlb_of(m, entry);
    bool large = is_large(entry), dirty = entry->data_tlb && entry->dirty;
    uint32_t key = tlb_key(entry->linear, large);
    unsigned at;
    if (entry->hit) {
        at = tlb_place(t, key, entry->entry);
        const tlb_entry raw = {.linear = key & 0xfffff000u,
                               .physical = entry->physical,
                               .valid = entry->valid,
                               .large = large,
                               .dirty = dirty,
                               .attributes = attributes_of(entry),
                               .lru = tlb_ways(t) == 4 ? entry->lru : tlb_get(t, at).lru};
        tlb_put(t, entry->entry, &raw);
    } else {
        at = tlb_fill(t, key, entry->physical, attributes_of(entry), dirty);
        if (!entry->valid)
            tlb_drop(t, at);
    }
    parity_write_tlb(&core->planted->parity, planted_tlb_number(m, t), at);
    if (entry->valid)
        planted_add_page(core, planted_tlb_number(m, t), at, !entry->data_tlb);
    changed(core);
    planted_drop_gone(core);
    planted_update(core);
    if (core->exact)
        test_tlb_write(core->exact, entry);
}

/* Finds the entry for entry->linear, and sets `*t` to its TLB. Returns its index, or TLB_NO_ENTRY for a miss. 4 MB pages come
 * first: if both match, the processor reports PS = 1 (table 26-13). The code TLB has such pages too, on the P55C, but
 * only after page walks. */
static unsigned find_entry(struct memory *m, const test_tlb_entry *entry, tlb **t)
{
    uint32_t small = tlb_key(entry->linear, false), large = tlb_key(entry->linear, true);
    *t = entry->data_tlb ? memory_data_tlb(m, true) : memory_code_tlb(m);
    const unsigned at = tlb_find(*t, large);
    if (at != TLB_NO_ENTRY)
        return at;
    *t = entry->data_tlb ? memory_data_tlb(m, false) : memory_code_tlb(m);
    return tlb_find(*t, small);
}

bool test_tlb_read(void *context, test_tlb_entry *entry)
{
    p5_core *core = context;
    struct memory *m = core->memory;
    tlb *t;
    if (core->exact) {
        test_tlb_entry other = *entry;
        test_tlb_read(core->exact, &other);
    }
    memo_settle(core);
    const unsigned at = find_entry(m, entry, &t);
    if (at == TLB_NO_ENTRY)
        return false;
    tlb_entry found = tlb_get(t, at);
    entry->valid = true;
    entry->physical = found.physical;
    entry->dirty = found.dirty;
    entry->large_page = found.large;
    entry->supervisor = (found.attributes & TLB_SUPERVISOR) != 0;
    entry->writeable = (found.attributes & TLB_WRITABLE) != 0;
    entry->cache_disable = (found.attributes & TLB_CACHE_DISABLE) != 0;
    entry->write_through = (found.attributes & TLB_WRITE_THROUGH) != 0;
    entry->lru = (uint8_t)(found.lru & 7); /* before this read, which is a use */
    entry->entry = (uint8_t)(at & (tlb_ways(t) - 1));
    tlb_used(t, at);
    parity_read_tlb(&core->planted->parity, planted_tlb_number(m, t), at);
    return true;
}

/* ---- parity -------------------------------------------------------------------------------------------- */

void test_parity(void *context, uint32_t tr1)
{
    p5_core *core = context;
    parity *p = &core->planted->parity;
    memo_settle(core);
    bool microcode = (tr1 & ~p->reversed & PARITY_MC) != 0; /* MC changes from 0 to 1 */
    p->reversed = tr1 & (PARITY_ARRAYS | PARITY_MC);
    parity_forget_if_gone(p, core->memory);
    planted_update(core);
    if (core->exact)
        test_parity(core->exact, tr1);
    if (microcode && p->error != NULL)
        p->error(p->context, PARITY_MC);
}

void test_on_parity_error(void *context, void (*error)(void *context, uint32_t array), void *error_context)
{
    p5_core *core = context;
    core->planted->parity.error = error;
    core->planted->parity.context = error_context;
}
