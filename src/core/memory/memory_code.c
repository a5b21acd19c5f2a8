/* Code fetches: code TLB, code cache, line fill with the wanted 8 bytes first (241428, 2 and 6). memory.h describes
 * the functions for other folders. The functions observed_* (event/observer.h) report to an observer of the arrays,
 * if there is one. */
#include "core/memory/memory.h"

#include <assert.h>

/* Returns the code TLB's entry for `linear`, or TLB_NO_ENTRY. A fetch does not say whether its page is large, so both keys
 * are tried. */
static unsigned find_page(struct memory *m, uint32_t linear)
{
    unsigned entry = tlb_find(&m->code_tlb, tlb_key(linear, false));
    if (entry == TLB_NO_ENTRY && !m->code_tlb_splits)
        entry = tlb_find(&m->code_tlb, tlb_key(linear, true));
    return entry;
}

/* Uses the code TLB's entry for `linear`, after a walk if there is none, which sets answer->tlb_miss. Returns the
 * clock at which the translation is known. `*cacheable`: the entry's PCD bit is clear, or there is no paging. */
static uint64_t translate(struct memory *m, uint32_t linear, uint32_t physical, uint64_t asked,
                          code_answer *answer, bool *cacheable)
{
    *cacheable = true;
    if (!m->paging)
        return asked;
    unsigned entry = find_page(m, linear);
    if (entry != TLB_NO_ENTRY) {
        tlb_used(&m->code_tlb, entry);
        observed_entry(m->arrays, &m->code_tlb, entry, false);
    } else {
        answer->tlb_miss = true;
        memory_count(m, P5_EVENT_CODE_TLB_MISS);
        asked = walk_code(m, tlb_key(linear, false), physical, asked);
        entry = find_page(m, linear);
        assert(entry != TLB_NO_ENTRY);
    }
    *cacheable = (m->code_tlb.row[entry].attributes & TLB_CACHE_DISABLE) == 0;
    return asked;
}

/* Fetches non-cacheable code 8 bytes at a time, from the wanted part to the end of the line. Events 0Ch, 0Dh and 0Eh
 * count each part (manual, 26.4.6), but the caller has counted the first read and TLB miss. The parts before the wanted
 * one are not fetched, and PF does not use them. */
static void fetch_uncached(struct memory *m, uint32_t physical, uint64_t clock, code_answer *answer)
{
    unsigned first = (physical >> 3) & 3;
    uint64_t arrived = clock + m->model->latency.miss_to_bus;
    for (unsigned part = first; part < 4; part++) {
        if (part > first) {
            memory_count(m, P5_EVENT_CODE_READ);
            if (answer->tlb_miss)
                memory_count(m, P5_EVENT_CODE_TLB_MISS);
        }
        memory_count(m, P5_EVENT_CODE_CACHE_MISS);
        memory_count(m, P5_EVENT_NONCACHEABLE_MEMORY_READS);
        arrived = bus_read_single(&m->bus, arrived, cache_line(physical) + 8 * part);
        memory_cycle(m, cache_line(physical) + 8 * part, 8, P5_CYCLE_MEMORY);
        answer->ready[part] = arrived + m->model->latency.bus_to_use;
    }
    for (unsigned part = 0; part < first; part++)
        answer->ready[part] = answer->ready[first];
}

/* Makes a code fetch, and counts its events (memory_code). */
static void fetch_line(struct memory *m, uint32_t linear, uint32_t physical, uint64_t asked,
                       code_answer *answer)
{
    const model_latency *latency = &m->model->latency;
    const uint32_t line = cache_line(physical);
    const unsigned set = cache_set(physical);
    *answer = (code_answer){.hit = true};
    memory_let_agent(m, asked);
    memory_count(m, P5_EVENT_CODE_READ);
    bool cacheable;
    uint64_t clock = translate(m, linear, physical, asked, answer, &cacheable);

    int way = code_cache_find(&m->code, physical);
    observed_tags(m->arrays, true, set);
    if (way >= 0) {
        code_cache_used(&m->code, set, (unsigned)way);
        observed_bytes(m->arrays, true, set, (unsigned)way, UINT32_MAX, false);
        const bool filling = memory_code_filling(m, line, clock);
        for (unsigned part = 0; part < 4; part++)
            answer->ready[part] = filling && m->code_parts[part] > clock ? m->code_parts[part] : clock;
        return;
    }
    answer->hit = false;
    /* Only one code miss is served at a time. */
    if (clock < m->code_fill.done)
        clock = m->code_fill.done;
    snoop_data_cache(m, physical, true, clock);
    if (!cacheable || m->no_code_fill || model_uncacheable(m->model, line)) {
        fetch_uncached(m, physical, clock, answer);
        return;
    }
    memory_count(m, P5_EVENT_CODE_CACHE_MISS);
    bus_line fill = bus_read_line(&m->bus, clock + latency->miss_to_bus, physical);
    memory_cycle(m, physical, CACHE_LINE, P5_CYCLE_MEMORY);
    for (unsigned part = 0; part < 4; part++)
        answer->ready[part] = m->code_parts[part] = fill.part[part] + latency->bus_to_use;
    m->code_fill = (line_fill){line, fill.last + latency->fill_to_array};
    observed_filled(m->arrays, true, set, code_cache_fill(&m->code, physical));
}

/* Makes a code fetch on the slow path, counts its events, and reports them to the observers. */
void memory_code(struct memory *m, uint32_t linear, uint32_t physical, uint64_t asked, code_answer *answer)
{
    core_observer *o = m->observer;
    if (o)
        o->asks(o); /* before the lookup, so that its events are attributed to the right instruction */
    fetch_line(m, linear, physical, asked, answer);
    observed_over(m->arrays, false);
    if (o && !answer->hit)
        o->missed(o, physical, true);
}

/* Returns the physical address of `linear`, where an instruction continues in the next page; `contiguous` if the owner
 * does not translate. */
uint32_t memory_next_code_page(const struct memory *m, uint32_t linear, uint32_t contiguous)
{
    return m->hooks.translate != NULL ? m->hooks.translate(m->hooks.context, linear) : contiguous;
}

/* P54C: marks instruction ends as decoded, and returns which of them were marked already. */
uint32_t memory_end_bits(struct memory *m, uint32_t physical, uint32_t end_mask)
{
    return code_cache_mark_ends(&m->code, physical, end_mask);
}
