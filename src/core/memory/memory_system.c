/* The memory side as a whole: lifetime, control inputs, flushes and draining. memory.h describes the functions for
 * other folders. observed_over (event/observer.h) tells an observer of the arrays, if there is one, that entries
 * may have been evicted or flushed. */
#include "core/memory/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* CPUID signature of the first stepping that counts the non-cacheable writes of MMX instructions in event 2Eh
 * (specification update 242480, erratum 75). */
enum { SIGNATURE_XA3 = 0x544 };

/* RESET: everything is invalid. (INIT would keep the caches.) */
static void memory_reset(struct memory *m)
{
    const p5_model *model = m->model;
    data_cache_init(&m->data, model->data_cache.ways);
    code_cache_init(&m->code, model->code_cache.ways);
    tlb_init(&m->data_tlb, model->data_tlb.sets, model->data_tlb.ways, false);
    tlb_init(&m->code_tlb, model->code_tlb.sets, model->code_tlb.ways, false);
    if (m->separate_large)
        tlb_init(&m->data_tlb_large, model->data_tlb.large_sets, model->data_tlb.large_ways, true);
    write_buffer_init(&m->writes, model->write_buffers, model->write_buffer_per_pipe);
    bus_reset(&m->bus);
    m->data_fill = m->code_fill = (line_fill){1, 0}; /* no line: not a multiple of 32 */
    m->ewbe_at = 0;
    m->ewbe_clocks = (uint64_t)model->bus.ewbe * model->half_ratio / 2; /* bus clocks to core clocks */
    agent_reset(m);
    memory_set_idle(m);
}

/* Returns how many addresses from `first` up to `end` come before the first uncacheable one. */
static uint32_t count_cacheable(const p5_model *model, uint32_t first, uint32_t end)
{
    for (unsigned i = 0; i < model->uncacheable_count; i++) {
        const model_region *region = &model->uncacheable[i];
        if (region->last >= first && region->first < end)
            end = region->first > first ? region->first : first;
    }
    return end - first;
}

/* Makes the memory side of a core, in the state after RESET. NULL: memory is out. */
struct memory *memory_open(const p5_model *model, const p5_core_hooks *hooks, counts *totals)
{
    static const bool always = true, never = false;
    struct memory *m = calloc(1, sizeof *m);
    if (m == NULL)
        return NULL;
    m->model = model;
    m->totals = totals;
    m->uses = m->own_uses[P5_CPL_KERNEL]; /* as `class`, which is 0 */
    if (hooks != NULL)
        m->hooks = *hooks;
    if (m->hooks.keeps_memory == NULL)
        m->hooks.keeps_memory = &always;
    if (m->hooks.to_memory == NULL)
        m->hooks.keeps_memory = &never;
    m->separate_large = model->data_tlb.large_sets != 0;
    m->code_tlb_splits = model->code_tlb.split_large;
    m->fill_mask = model->data_cache.same_set_waits ? (CACHE_SETS - 1u) * CACHE_LINE : ~(CACHE_LINE - 1u);
    _Static_assert(P5_VIDEO_WINDOW + P5_VIDEO_WINDOW_BYTES <= MEMORY_UPPER &&
                       MODEL_IO_APIC >= P5_VIDEO_LINEAR,
                   "bus_is_video and model_apic begin where these end");
    m->cacheable_ram[0] = count_cacheable(model, 0, P5_VIDEO_WINDOW);
    m->cacheable_ram[1] = count_cacheable(model, MEMORY_UPPER, P5_VIDEO_LINEAR);
    m->loses_mmx_writes = model->errata && model->signature < SIGNATURE_XA3;
    if (!bus_init(&m->bus, model, totals)) {
        memory_close(m);
        return NULL;
    }
    memory_reset(m);
    memory_set_special(m);
    return m;
}

/* For the profile: counts events in `totals`, and references by kind in `uses` (may be NULL), from now on. */
void memory_set_totals(struct memory *m, counts *totals, uint64_t *uses)
{
    memory_fold(m);
    m->totals = m->bus.totals = totals;
    m->uses = uses;
    m->totals_replaced = true;
    memory_set_special(m);
}

/* Set the observers, or remove them (NULL). */
void memory_observe(struct memory *m, core_observer *o)
{
    m->observer = o;
}

void memory_observe_arrays(struct memory *m, array_observer *o)
{
    m->arrays = o;
    memory_set_special(m);
}

/* Returns the core clocks of the bus cycles begun since its last call. */
uint64_t memory_bus_taken(struct memory *m)
{
    uint64_t taken = m->bus.own - m->bus.taken;
    m->bus.taken = m->bus.own;
    return taken;
}

void memory_close(struct memory *m)
{
    if (m == NULL)
        return;
    bus_free(&m->bus);
    free(m);
}

/* Sets the privilege class for which events are counted. */
void memory_set_class(struct memory *m, unsigned cpl_class)
{
    m->class = m->bus.class = cpl_class;
    if (!m->totals_replaced) /* otherwise the profile sets `uses` itself */
        m->uses = m->own_uses[cpl_class];
}

/* Sets paging and the bits that disable caches. */
void memory_set_control(struct memory *m, const p5_control *control)
{
    m->paging = control->paging;
    m->cache_disable = control->cache_disable;
    m->not_write_through = control->not_write_through;
    m->no_data_fill = control->cache_disable || control->data_cache_inhibit;
    m->no_code_fill = control->cache_disable || control->code_cache_inhibit;
    memory_set_special(m);
    memory_forget_hits(m);
}

/* MOV CR3: flushes all TLBs. The data cache's `mru` depends on them. */
void memory_load_cr3(struct memory *m)
{
    tlb_flush(&m->data_tlb);
    tlb_flush(&m->data_tlb_large);
    tlb_flush(&m->code_tlb);
    data_cache_forget(&m->data);
    observed_over(m->arrays, true);
}

/* INVLPG: drops the page of `linear` from all TLBs. */
void memory_invlpg(struct memory *m, uint32_t linear)
{
    tlb_invalidate(&m->data_tlb, linear);
    if (m->separate_large)
        tlb_invalidate(&m->data_tlb_large, linear);
    tlb_invalidate(&m->code_tlb, linear);
    data_cache_forget(&m->data);
    observed_over(m->arrays, true);
}

/* Writes the modified lines back one after the other, once all buffered writes have ended. Both caches are empty
 * afterwards. Returns the clock at which the last write-back has ended. */
uint64_t memory_wbinvd(struct memory *m, uint64_t asked)
{
    memory_let_agent(m, asked);
    uint64_t clock = memory_drained(m, asked);
    for (unsigned set = 0; set < CACHE_SETS; set++)
        for (unsigned way = 0; way < CACHE_WAYS; way++)
            if (m->data.state[set][way] == MESI_MODIFIED)
                clock = memory_write_back(m, set, way, clock);
    memory_invd(m, clock);
    return clock;
}

/* Tells the owner to restore from memory what is only in modified lines, which are about to be dropped. For WBINVD
 * this changes nothing, because memory has the same by then. */
static void lose_modified(struct memory *m)
{
    if (m->hooks.from_memory == NULL)
        return;
    for (unsigned set = 0; set < CACHE_SETS; set++)
        for (unsigned way = 0; way < CACHE_WAYS; way++)
            if (m->data.state[set][way] == MESI_MODIFIED)
                m->hooks.from_memory(m->hooks.context, data_cache_address(&m->data, set, way), CACHE_LINE);
}

/* Empties both caches without write-backs, which takes no bus cycle. */
uint64_t memory_invd(struct memory *m, uint64_t asked)
{
    lose_modified(m);
    data_cache_invalidate(&m->data);
    code_cache_invalidate(&m->code);
    write_buffer_keep_shared(&m->writes); /* no line is left that could become exclusive */
    observed_over(m->arrays, true);
    return asked;
}

/* Returns the clock, from `asked` on, at which all buffered writes are in memory and EWBE# is active. */
uint64_t memory_drained(struct memory *m, uint64_t asked)
{
    return memory_later(memory_writes_done(m), asked);
}

/* Return how many clocks after `now` all pending requests are completed, and a new bus cycle can begin. */
uint64_t memory_backlog(const struct memory *m, uint64_t now)
{
    assert(!memory_frozen(m)); /* read_idle and write_idle are clocks */
    uint64_t done = memory_later(memory_later(m->write_idle, m->read_idle), m->code_fill.done);
    for (unsigned i = 0; i < 4; i++)
        done = memory_later(done, m->code_parts[i]);
    return memory_later(done, now) - now;
}

uint64_t memory_bus_backlog(const struct memory *m, uint64_t now)
{
    return memory_later(bus_next_free(&m->bus, now), now) - now;
}

/* Takes a write buffer for a branch trace message. Returns the clock at which one is free; `*end`: the clock at which
 * the special cycle has ended. Such a cycle leaves no write pending on the board, so EWBE# stays as it is. */
uint64_t memory_branch_message(struct memory *m, uint64_t asked, uint64_t *end)
{
    unsigned entry = write_buffer_next(&m->writes, false);
    const uint64_t taken = memory_later(m->writes.free_at[entry], asked);
    memory_upgrade_lines(m, taken);
    *end = bus_write(&m->bus, taken + m->model->latency.miss_to_bus);
    write_buffer_take(&m->writes, entry, *end, 0, false);
    memory_set_idle(m);
    return taken;
}

/* Lets time pass up to `clock` without a request, so that another bus master takes its turns. */
void memory_pass(struct memory *m, uint64_t clock)
{
    memory_let_agent(m, clock);
    observed_over(m->arrays, false);
}

/* Sets the receiver of uses of the bus. */
void memory_on_bus(struct memory *m, void (*tell)(void *context, const p5_bus_use *uses, size_t count),
                   void *context)
{
    bus_on_use(&m->bus, tell, context);
}

/* Passes the uses so far to the receiver. */
void memory_report_bus(struct memory *m)
{
    bus_report(&m->bus);
}

/* Counts the bus duration events up to `clock`, and makes the lines exclusive whose write-through has ended. */
void memory_advance(struct memory *m, uint64_t clock)
{
    bus_advance(&m->bus, clock);
    memory_upgrade_lines(m, clock);
}
