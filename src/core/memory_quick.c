/* memory_data of the references that most are, which leave the hot path because they miss, or because what is
 * under way concerns them: aligned, to cacheable memory, of a page that the TLB has at hand, on a board
 * without other masters. Everything is looked at before anything is changed, so that a reference which turns
 * out to be another one can be left to memory_data.c as it was. There the rules stand with their reasons. */
#include "core/bus_cycle.h"
#include "core/memory.h"

/* Half core clocks: with more than that still to come on the bus, waits might not fit into an answer. */
enum { FAR_AHEAD = 1 << 16 };

static inline bool page_is_usual(struct memory *m, const p5_access *access, bool write)
{
    return !m->paging || memory_page_usual(&m->data_tlb, tlb_key(access->linear, false), write);
}

bool memory_hits_unexpected(struct memory *m, const p5_access *access)
{
    return memory_hits_any(m, access);
}

void memory_set_quick(struct memory *m)
{
    m->quick = !memory_frozen(m) && !m->no_data_fill && m->uses != NULL && m->hooks.bus_cycle == NULL &&
               m->model->agent.kind == AGENT_NONE;
}

/* A plain reference that may be quick. Its page is looked at last, as that is a use of the TLB. */
static inline bool may_be_quick(const struct memory *m, const p5_access *access, uint64_t asked, bool write)
{
    return m->quick && access->flags == (write ? P5_ACCESS_WRITE : 0) &&
           (access->linear & (access->size - 1u)) == 0 && m->bus.begun <= 2 * asked + FAR_AHEAD;
}

/* A miss of it is cacheable, and needs no snoop. */
static inline bool misses_plainly(const struct memory *m, uint32_t physical)
{
    return physical - m->cacheable_from < m->cacheable_bytes && code_cache_find(&m->code, physical) < 0;
}

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline void count_use(struct memory *m, unsigned kind, unsigned partner, bool waited)
{
    m->uses[kind | (waited ? 0 : partner)]++;
}

/* Clock from which the reference is not held by the line fill under way. */
static inline uint64_t filled(const struct memory *m, uint32_t physical, uint64_t asked)
{
    const line_fill *fill = &m->data_fill;
    if (fill->done <= asked)
        return asked;
    bool concerned = cache_line(physical) == fill->line ||
                     (m->same_set_waits && cache_set(physical) == cache_set(fill->line));
    return concerned ? fill->done : asked;
}

/* ---- reads ---- */

/* The line of a read that missed: it is asked for at `clock`; answers the clock at which its 8 bytes are
 * there. */
static inline __attribute__((always_inline)) uint64_t fill_line(struct memory *m, uint32_t physical,
                                                                uint64_t clock)
{
    const model_latency *latency = &m->model->latency;
    bus *b = &m->bus;
    data_cache *cache = &m->data;
    unsigned set = cache_set(physical), victim = data_cache_victim(cache, set);
    bool modified = cache->state[set][victim] == MESI_MODIFIED;
    uint32_t replaced = data_cache_address(cache, set, victim);
    bus_clock at = bus_first_free(b, clock + latency->miss_to_bus);
    board_place place = board_read(&b->board, physical, true, at.n);
    uint64_t arrived = (at.half + b->first[place] + 1) / 2; /* its own part comes first */
    uint64_t last = bus_cycle(b, at, b->line[place], true);
    if (modified)
        memory_write_back(m, replaced, last);
    data_cache_fill(cache, victim, physical, m->model->bus.write_back_lines ? MESI_EXCLUSIVE : MESI_SHARED);
    m->data_fill = (line_fill){cache_line(physical), last + latency->fill_to_array};
    return arrived + latency->bus_to_use;
}

uint64_t memory_quick_read(struct memory *m, const p5_access *access, uint64_t asked, unsigned partner)
{
    uint32_t physical = access->physical;
    if (!may_be_quick(m, access, asked, false))
        return QUICK_NOT;
    uint64_t clock = filled(m, physical, asked), buffer = 0, waited = clock - asked;
    if (clock >= m->writes.upgrade_at)
        return QUICK_NOT;
    int way = data_cache_find(&m->data, physical);
    if (way >= 0) {
        if (!page_is_usual(m, access, false))
            return QUICK_NOT;
        data_cache_used(&m->data, cache_set(physical), (unsigned)way);
        if (waited == 0)
            return QUICK_USUAL;
        m->uses[0]++;
    } else {
        if (!misses_plainly(m, physical) || !page_is_usual(m, access, false))
            return QUICK_NOT;
        uint64_t free = write_buffer_first_free(&m->writes);
        if (free > clock) {
            buffer = free - clock;
            clock = free;
            memory_clocks(m, P5_EVENT_WRITE_BUFFER_FULL_STALL_DURATION, buffer);
        }
        uint64_t arrived = later(fill_line(m, physical, clock), clock);
        waited += arrived - clock;
        count_use(m, KIND_MISSED, partner, waited + buffer != 0);
        m->read_quiet = m->data_fill.done;
        m->write_quiet = later(m->data_fill.done, memory_writes_done(m));
    }
    memory_clocks(m, P5_EVENT_WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION, waited);
    return memory_quick_pack(waited, buffer, 0, way >= 0);
}

/* ---- writes ---- */

/* A write to an E or M line; it may have to wait for older ones. */
static inline __attribute__((always_inline)) uint64_t write_hit(struct memory *m, const p5_access *access,
                                                                unsigned way, uint64_t asked, uint64_t clock,
                                                                unsigned partner)
{
    unsigned set = cache_set(access->physical);
    uint64_t done = later(memory_writes_done(m), clock), ordered = done - clock;
    if (m->data.state[set][way] == MESI_SHARED || !page_is_usual(m, access, true))
        return QUICK_NOT;
    data_cache_written(&m->data, set, way);
    if (done == asked)
        return QUICK_USUAL;
    if (ordered != 0) {
        uint64_t from = m->model->errata ? later(m->writes.drained, clock) : clock;
        if (from < done)
            memory_clocks(m, P5_EVENT_STALL_ON_WRITE_TO_AN_E_OR_M_STATE_LINE, done - from);
    }
    if (clock != asked)
        memory_clocks(m, P5_EVENT_WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION, clock - asked);
    count_use(m, KIND_WRITE | KIND_TO_E_OR_M, partner, true);
    return memory_quick_pack(clock - asked, 0, ordered, true);
}

uint64_t memory_quick_write(struct memory *m, const p5_access *access, uint64_t asked, unsigned partner,
                            bool v_pipe)
{
    uint32_t physical = access->physical;
    if (!may_be_quick(m, access, asked, true))
        return QUICK_NOT;
    uint64_t clock = filled(m, physical, asked);
    unsigned entry = write_buffer_next(&m->writes, v_pipe);
    uint64_t taken = later(m->writes.free_at[entry], clock);
    if (taken >= m->writes.upgrade_at)
        return QUICK_NOT;
    int way = data_cache_find(&m->data, physical);
    if (way >= 0)
        return write_hit(m, access, (unsigned)way, asked, clock, partner);
    if (clock != asked || !misses_plainly(m, physical) || !page_is_usual(m, access, true))
        return QUICK_NOT;
    uint64_t end = bus_cycle(&m->bus, bus_first_free(&m->bus, taken + m->model->latency.miss_to_bus),
                             m->bus.write, true);
    write_buffer_take(&m->writes, entry, end, 0, false);
    m->ewbe_at = end + m->ewbe_clocks;
    memory_is_written(m, physical, access->size);
    uint64_t buffer = taken - asked;
    if (buffer != 0)
        memory_clocks(m, P5_EVENT_WRITE_BUFFER_FULL_STALL_DURATION, buffer);
    count_use(m, KIND_WRITE | KIND_MISSED, partner, buffer != 0);
    m->write_quiet = later(m->read_quiet, m->ewbe_at);
    return memory_quick_pack(0, buffer, 0, false);
}
