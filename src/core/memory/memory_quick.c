/* memory_data of the references that most are, which leave the hot path because they miss, or because what is
 * under way concerns them: aligned, to cacheable memory, of a page that the TLB has at hand, on a board
 * without other masters. Everything is looked at before anything is changed, so that a reference which turns
 * out to be another one can be left to memory_data.c as it was. There the rules stand with their reasons. */
#include "core/memory/memory.h"
#include "core/memory/memory_rules.h"

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
static inline bool may_be_quick(const struct memory *m, const p5_access *access, bool write)
{
    return m->quick && access->flags == (write ? P5_ACCESS_WRITE : 0) && memory_on_boundary(access);
}

/* A miss of it is cacheable, and needs no snoop. */
static inline bool misses_plainly(const struct memory *m, uint32_t physical)
{
    return physical - m->cacheable_from < m->cacheable_bytes && code_cache_find(&m->code, physical) < 0;
}

static inline void count_use(struct memory *m, unsigned kind, unsigned partner, bool waited)
{
    m->uses[kind | (waited ? 0 : partner)]++;
}

/* `answer`, behind what is seldom to be done after a cycle of the bus. */
static uint64_t __attribute__((noinline)) turn_log(struct memory *m, uint64_t answer)
{
    bus_log_turn(&m->bus.log);
    return answer;
}

static inline uint64_t log_kept(struct memory *m, uint64_t answer)
{
    return __builtin_expect(bus_log_full(&m->bus.log), 0) ? turn_log(m, answer) : answer;
}

/* ---- reads ---- */

/* The line of a read that missed: it is asked for at `clock`; answers the clock at which its 8 bytes are
 * there. */
static inline uint64_t fill_line(struct memory *m, uint32_t physical, uint64_t clock)
{
    const model_latency *latency = &m->model->latency;
    bus_clock at = bus_start(&m->bus, clock + latency->miss_to_bus, false);
    bus_line line = memory_take_line(m, at, physical, m->model->bus.write_back_lines, false, false);
    return line.part[(physical >> 3) & 3] + latency->bus_to_use;
}

/* A read that misses and may look for its line at `clock`. */
static inline uint64_t read_miss(struct memory *m, uint32_t physical, uint64_t asked, uint64_t clock,
                                 unsigned partner)
{
    uint64_t waited = clock - asked, buffer = 0, free = write_buffer_first_free(&m->writes);
    if (free > clock) {
        buffer = free - clock;
        clock = free;
        m->uses[WAITED_FOR_BUFFER] += buffer;
    }
    uint64_t arrived = memory_later(fill_line(m, physical, clock), clock);
    waited += arrived - clock;
    count_use(m, KIND_MISSED, partner, waited + buffer != 0);
    m->read_quiet = m->data_fill.done;
    m->write_quiet = memory_later(m->data_fill.done, memory_writes_done(m));
    m->uses[WAITED_FOR_READ] += waited;
    return log_kept(m, memory_quick_pack(waited, buffer, 0, false));
}

/* A hit that has `waited` for a line fill. */
static uint64_t __attribute__((noinline))
read_hit(struct memory *m, const p5_access *access, unsigned way, uint64_t waited)
{
    if (!page_is_usual(m, access, false))
        return QUICK_NOT;
    data_cache_used(&m->data, cache_set(access->physical), way);
    if (waited == 0)
        return QUICK_USUAL;
    m->uses[0]++;
    m->uses[WAITED_FOR_READ] += waited;
    return memory_quick_pack(waited, 0, 0, true);
}

uint64_t memory_quick_read(struct memory *m, const p5_access *access, uint64_t asked, unsigned partner)
{
    uint32_t physical = access->physical;
    if (!may_be_quick(m, access, false))
        return QUICK_NOT;
    uint64_t clock = memory_filled(m, physical, asked);
    if (clock >= m->writes.upgrade_at || m->bus.begun > 2 * asked + FAR_AHEAD)
        return QUICK_NOT;
    int way = data_cache_find(&m->data, physical);
    if (way >= 0)
        return read_hit(m, access, (unsigned)way, clock - asked);
    if (!misses_plainly(m, physical) || !page_is_usual(m, access, false))
        return QUICK_NOT;
    return read_miss(m, physical, asked, clock, partner);
}

/* ---- writes ---- */

/* A write to an E or M line; it may have to wait for older ones. */
static uint64_t __attribute__((noinline)) write_hit(struct memory *m, const p5_access *access, unsigned way,
                                                    uint64_t asked, uint64_t clock, unsigned partner)
{
    unsigned set = cache_set(access->physical);
    uint64_t done = memory_later(memory_writes_done(m), clock), ordered = done - clock;
    if (!memory_owns(&m->data, set, way) || !page_is_usual(m, access, true))
        return QUICK_NOT;
    data_cache_written(&m->data, set, way);
    if (done == asked)
        return QUICK_USUAL;
    if (ordered != 0) {
        memory_clocks(m, P5_EVENT_STALL_ON_WRITE_TO_AN_E_OR_M_STATE_LINE, memory_order_counts(m, clock));
    }
    m->uses[WAITED_FOR_READ] += clock - asked;
    count_use(m, KIND_WRITE | KIND_TO_E_OR_M, partner, true);
    return memory_quick_pack(clock - asked, 0, ordered, true);
}

uint64_t memory_quick_write(struct memory *m, const p5_access *access, uint64_t asked, unsigned partner,
                            bool v_pipe)
{
    uint32_t physical = access->physical;
    if (!may_be_quick(m, access, true))
        return QUICK_NOT;
    uint64_t clock = memory_filled(m, physical, asked);
    unsigned entry = write_buffer_next(&m->writes, v_pipe);
    uint64_t taken = memory_later(m->writes.free_at[entry], clock), buffer = taken - asked;
    if (taken >= m->writes.upgrade_at || buffer > FAR_AHEAD)
        return QUICK_NOT;
    int way = data_cache_find(&m->data, physical);
    if (way >= 0)
        return write_hit(m, access, (unsigned)way, asked, clock, partner);
    if (clock != asked || !misses_plainly(m, physical) || !page_is_usual(m, access, true))
        return QUICK_NOT;
    uint64_t end = bus_cycle_logged(&m->bus, bus_start(&m->bus, taken + m->model->latency.miss_to_bus, false),
                                    m->bus.write, false);
    memory_buffered(m, entry, end, physical, false);
    m->uses[WAITED_FOR_BUFFER] += buffer;
    count_use(m, KIND_WRITE | KIND_MISSED, partner, buffer != 0);
    m->write_quiet = memory_later(m->read_quiet, m->ewbe_at);
    memory_is_written(m, physical, access->size);
    memory_cycle(m, physical, access->size, P5_CYCLE_MEMORY | P5_CYCLE_DATA | P5_CYCLE_WRITE);
    return log_kept(m, memory_quick_pack(0, buffer, 0, false));
}
