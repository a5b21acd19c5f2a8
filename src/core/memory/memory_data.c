/* Data references: translation, look-up, line fill, writes (241428, 2, 3 and 6). One reference becomes one or
 * two bus parts of up to 8 bytes, and one look-up per line. */
#include "core/memory/memory.h"
#include "core/memory/memory_rules.h"

/* The way of a plain reference through this file is compiled as a whole, for reads and writes apart: see
 * plain(). */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* What belongs to one reference while it is under way. `clock` is the time that has come. */
typedef struct reference {
    struct memory *m;
    data_answer *answer;
    uint64_t clock;
    bool write, mmx, misaligned;
    unsigned locked; /* LOCK_* */
    bool cacheable, write_through;
    bool missed; /* a look-up of it missed */
    unsigned missed_parts;
} reference;

/* Up to 8 bytes that one bus cycle can move. */
typedef struct part {
    uint32_t linear, physical;
    uint32_t size;
} part;

static void count_twice(reference *r, enum p5_event event, enum p5_event mmx_event, unsigned n)
{
    counts_add(r->m->totals, event, r->m->class, n, n);
    if (r->mmx)
        counts_add(r->m->totals, mmx_event, r->m->class, n, n);
}

/* ---- stalls: time passes, its owner and its event ---- */

static inline void stall_read_event(struct memory *m, bool mmx, uint64_t clocks)
{
    memory_clocks(m, P5_EVENT_WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION, clocks);
    if (mmx)
        memory_clocks(m, P5_EVENT_PIPELINE_STALL_FOR_MMX_INSTRUCTION_DATA_MEMORY_READS, clocks);
}

ALWAYS_INLINE void wait_until(reference *r, uint64_t until, uint16_t *owner)
{
    if (until <= r->clock)
        return;
    uint64_t sum = *owner + (until - r->clock);
    *owner = sum < UINT16_MAX ? (uint16_t)sum : UINT16_MAX;
    r->clock = until;
}

ALWAYS_INLINE void wait_for_read(reference *r, uint64_t until)
{
    if (until > r->clock)
        stall_read_event(r->m, r->mmx, until - r->clock);
    wait_until(r, until, &r->answer->read);
}

/* Event 19h: a new bus access needs a buffer, or the bus, while the write buffers are full. */
ALWAYS_INLINE void wait_for_buffer(reference *r, uint64_t until)
{
    if (until > r->clock) {
        memory_clocks(r->m, P5_EVENT_WRITE_BUFFER_FULL_STALL_DURATION, until - r->clock);
        if (r->mmx)
            memory_clocks(r->m, P5_EVENT_FULL_WRITE_BUFFER_STALL_DURATION_WHILE_EXECUTING_MMX_INSTRUCTIONS,
                          until - r->clock);
    }
    wait_until(r, until, &r->answer->write_buffer);
}

ALWAYS_INLINE void wait_for_order(reference *r)
{
    struct memory *m = r->m;
    uint64_t counted = memory_order_counts(m, r->clock);
    if (counted > 0) {
        memory_clocks(m, P5_EVENT_STALL_ON_WRITE_TO_AN_E_OR_M_STATE_LINE, counted);
        if (r->mmx)
            memory_clocks(m, P5_EVENT_STALL_ON_MMX_INSTRUCTION_WRITE_TO_E_OR_M_STATE_LINE, counted);
    }
    wait_until(r, memory_writes_done(m), &r->answer->write_order);
}

/* ---- translation ---- */

/* What came of looking a page up. */
typedef struct page_answer {
    uint64_t until; /* clock at which the reference goes on */
    bool missed;
} page_answer;

static page_answer __attribute__((noinline))
look_up_page(struct memory *m, const p5_access *access, part at, bool mmx, uint64_t clock)
{
    bool large = (access->flags & P5_ACCESS_LARGE_PAGE) != 0, write = (access->flags & P5_ACCESS_WRITE) != 0;
    tlb *t = memory_tlb_of(m, access);
    uint32_t key = tlb_key(at.linear, large);
    int entry = tlb_find(t, key);
    page_answer answer = {clock, entry < 0};
    if (entry < 0) {
        memory_count(m, P5_EVENT_DATA_TLB_MISS);
        uint8_t attributes =
            (uint8_t)(((access->flags & P5_ACCESS_CACHE_DISABLE) != 0 ? TLB_CACHE_DISABLE : 0) |
                      ((access->flags & P5_ACCESS_WRITE_THROUGH) != 0 ? TLB_WRITE_THROUGH : 0));
        answer.until = walk_data(m, key, at.physical, attributes, write, clock);
    } else {
        tlb_used(t, (unsigned)entry);
        if (write && t->row[entry].key.of[1] == 0)
            answer.until = walk_set_dirty(m, (unsigned)entry, large, clock);
    }
    if (answer.until > clock) {
        stall_read_event(m, mmx, answer.until - clock);
        memory_clocks(m, P5_EVENT_DATA_CACHE_TLB_MISS_STALL_DURATION, answer.until - clock);
    }
    return answer;
}

ALWAYS_INLINE void translate(reference *r, const p5_access *access, const part *at)
{
    struct memory *m = r->m;
    bool large = (access->flags & P5_ACCESS_LARGE_PAGE) != 0;
    uint32_t key = tlb_key(at->linear, large);
    tlb *t = memory_tlb_of(m, access);
    if (memory_page_usual(t, key, r->write))
        return;
    page_answer answer = look_up_page(m, access, *at, r->mmx, r->clock);
    r->answer->tlb_miss |= answer.missed;
    wait_until(r, answer.until, &r->answer->tlb);
}

/* ---- look-up ---- */

ALWAYS_INLINE void wait_for_fill(reference *r, uint32_t physical)
{
    wait_for_read(r, memory_filled(r->m, physical, r->clock));
}

ALWAYS_INLINE int look_up(reference *r, uint32_t physical)
{
    wait_for_fill(r, physical);
    memory_upgrade_lines(r->m, r->clock);
    int way = data_cache_find(&r->m->data, physical);
    if (way >= 0 && !memory_frozen(r->m))
        data_cache_used(&r->m->data, cache_set(physical), (unsigned)way);
    return way;
}

ALWAYS_INLINE void fill_line(reference *r, const part *parts, unsigned count)
{
    struct memory *m = r->m;
    const model_latency *latency = &m->model->latency;
    bool exclusive = m->model->bus.write_back_lines && !r->write_through;
    bus_clock begins = bus_start(&m->bus, r->clock + latency->miss_to_bus, true);
    bus_line line = memory_take_line(m, begins, parts[0].physical, exclusive, true, true);
    uint64_t arrived = 0;
    for (unsigned i = 0; i < count; i++) {
        uint64_t at = line.part[(parts[i].physical >> 3) & 3] + latency->bus_to_use;
        if (at > arrived)
            arrived = at;
    }
    wait_for_read(r, arrived);
}

/* The parts of a read that lie in one line. */
ALWAYS_INLINE void read_line(reference *r, const part *parts, unsigned count)
{
    struct memory *m = r->m;
    if (look_up(r, parts[0].physical) >= 0)
        return;
    r->missed = true;
    r->missed_parts++;
    snoop_code_cache(m, parts[0].physical);
    if (write_buffer_full(&m->writes, r->clock))
        wait_for_buffer(r, write_buffer_first_free(&m->writes));
    if (r->cacheable) {
        fill_line(r, parts, count);
        return;
    }
    uint64_t arrived = r->clock + m->model->latency.miss_to_bus;
    for (unsigned i = count; i-- > 0;) { /* the high part first */
        memory_count(m, P5_EVENT_NONCACHEABLE_MEMORY_READS);
        arrived = bus_read_single(&m->bus, arrived, parts[i].physical);
        memory_cycle(m, parts[i].physical, parts[i].size, P5_CYCLE_MEMORY | P5_CYCLE_DATA);
    }
    wait_for_read(r, arrived + m->model->latency.bus_to_use);
}

/* ---- writes ---- */

ALWAYS_INLINE void buffered_write(reference *r, const part *at, bool upgrade)
{
    struct memory *m = r->m;
    unsigned entry = write_buffer_next(&m->writes, m->v_pipe);
    wait_for_buffer(r, m->writes.free_at[entry]);
    memory_upgrade_lines(m, r->clock); /* before the entry forgets its line */
    uint64_t end = bus_write(&m->bus, r->clock + m->model->latency.miss_to_bus);
    memory_buffered(m, entry, end, at->physical, upgrade);
    if (!r->cacheable && !(r->mmx && m->loses_mmx_writes))
        memory_count(m, P5_EVENT_WRITES_TO_NONCACHEABLE_MEMORY);
    memory_is_written(m, at->physical, at->size);
    memory_cycle(m, at->physical, at->size, P5_CYCLE_MEMORY | P5_CYCLE_DATA | P5_CYCLE_WRITE);
}

/* The parts of a write that lie in one line. */
ALWAYS_INLINE void write_line(reference *r, const part *parts, unsigned count)
{
    struct memory *m = r->m;
    int way = look_up(r, parts[0].physical);
    unsigned set = cache_set(parts[0].physical);
    if (way >= 0 && memory_owns(&m->data, set, (unsigned)way)) {
        wait_for_order(r);
        m->data.state[set][way] = MESI_MODIFIED;
        return;
    }
    if (way < 0) {
        r->missed = true;
        r->missed_parts++;
    } else {
        r->answer->exclusive_or_modified = false;
        if (m->cache_disable && m->not_write_through)
            return; /* CD = NW = 1: hits are not written through */
    }
    snoop_code_cache(m, parts[0].physical);
    bool upgrade = way >= 0 && !r->write_through && m->model->bus.write_back_lines && !m->cache_disable;
    for (unsigned i = count; i-- > 0;)
        buffered_write(r, &parts[i], upgrade);
}

/* ---- locked and I/O ---- */

/* A locked reference always goes to the bus: a modified copy first, then the read or write itself; the line
 * ends invalid (241428, 6). A write whose value does not depend on the read stands ready in the bus unit
 * and follows it without the way through EX: XCHG measures one or two bus clocks less than LOCK ADD on every
 * P54C board. */
static void locked_reference(reference *r, const part *parts, unsigned count)
{
    struct memory *m = r->m;
    const model_latency *latency = &m->model->latency;
    for (unsigned i = count; i-- > 0;) {
        wait_for_fill(r, parts[i].physical);
        snoop_data_cache(m, parts[i].physical, true, r->clock);
        snoop_code_cache(m, parts[i].physical);
        bool ready = r->write && r->locked == LOCK_EXCHANGE;
        uint64_t asked = ready ? m->locked_read : r->clock + latency->miss_to_bus, end;
        if (r->write) {
            end = bus_locked_write(&m->bus, asked);
            memory_is_written(m, parts[i].physical, parts[i].size);
            if (!r->cacheable)
                memory_count(m, P5_EVENT_WRITES_TO_NONCACHEABLE_MEMORY);
        } else {
            memory_count(m, P5_EVENT_LOCKED_BUS_CYCLE);
            memory_count(m, P5_EVENT_NONCACHEABLE_MEMORY_READS);
            end = bus_locked_read(&m->bus, asked);
        }
        memory_cycle(m, parts[i].physical, parts[i].size,
                     P5_CYCLE_MEMORY | P5_CYCLE_DATA | P5_CYCLE_LOCKED | (r->write ? P5_CYCLE_WRITE : 0u));
        wait_until(r, end + latency->bus_to_use, &r->answer->locked);
    }
    m->locked_read = r->clock;
    r->missed = true;
    r->missed_parts = 1;
}

/* I/O waits for all buffered writes and is not buffered itself; crossing a dword takes two cycles. Silicon
 * counts port reads as non-cacheable memory reads (erratum 44). */
static void io_reference(reference *r, const p5_access *access)
{
    struct memory *m = r->m;
    const model_latency *latency = &m->model->latency;
    wait_until(r, memory_writes_done(m), &r->answer->io);
    uint32_t port = access->physical, left = access->size;
    for (unsigned cycles = r->misaligned ? 2 : 1; cycles > 0; cycles--) {
        uint32_t size = cycles == 2 ? 4 - (port & 3) : left;
        memory_count(m, P5_EVENT_IO_READ_OR_WRITE_CYCLE);
        if (r->write)
            memory_count(m, P5_EVENT_WRITES_TO_NONCACHEABLE_MEMORY);
        else if (m->model->errata)
            memory_count(m, P5_EVENT_NONCACHEABLE_MEMORY_READS);
        uint64_t end = bus_io(&m->bus, r->clock + latency->miss_to_bus, r->write);
        wait_until(r, end + latency->bus_to_use, &r->answer->io);
        memory_cycle(m, port, size, P5_CYCLE_DATA | (r->write ? P5_CYCLE_WRITE : 0u));
        port += size;
        left -= size;
    }
}

/* ---- the whole ---- */

static inline unsigned kind_of(const reference *r, unsigned partner)
{
    return partner | (r->write ? KIND_WRITE : 0u) | (r->mmx ? KIND_MMX : 0u) |
           (r->missed ? KIND_MISSED : 0u) | (r->answer->exclusive_or_modified ? KIND_TO_E_OR_M : 0u);
}

/* Each half of a misaligned reference counts as a reference; silicon counts two misses for a misaligned one
 * that missed (errata 44 and 76), the manual one per line. */
static void count_misaligned(reference *r, unsigned partner)
{
    unsigned misses = r->missed ? r->missed_parts : 0;
    if (r->missed && r->m->model->errata)
        misses = 2;
    memory_count_kind(r->m->totals, r->m->class, kind_of(r, partner), 2, misses, 1);
}

/* The additional clocks of a misaligned reference. Of a read they belong to event 1Ah, of which silicon
 * counts one too few unless the TLB missed (errata 44 and 76). */
static void misaligned_clocks(reference *r)
{
    uint32_t clocks = r->m->model->latency.misaligned;
    count_twice(r, P5_EVENT_MISALIGNED_DATA_MEMORY_OR_IO_REFERENCES,
                P5_EVENT_MISALIGNED_DATA_MEMORY_REFERENCE_ON_MMX_INSTRUCTIONS, 1);
    if (!r->write && clocks > 0)
        stall_read_event(r->m, r->mmx, clocks - (r->m->model->errata && !r->answer->tlb_miss ? 1 : 0));
    wait_until(r, r->clock + clocks, &r->answer->misaligned);
}

/* Splits a reference at the 8-byte boundary that it crosses, if any; answers the number of parts. */
static unsigned split(const struct memory *m, const p5_access *access, part parts[2])
{
    parts[0] = (part){access->linear, access->physical, access->size};
    uint32_t left = 8 - (access->linear & 7);
    if (access->size <= left)
        return 1;
    parts[0].size = left;
    uint32_t linear = access->linear + left;
    uint32_t physical = access->physical + left;
    if ((linear & 0xfff) == 0 && m->hooks.translate != NULL)
        physical = m->hooks.translate(m->hooks.context, linear);
    parts[1] = (part){linear, physical, access->size - left};
    return 2;
}

static void __attribute__((noinline)) line(reference *r, const part *parts, unsigned count)
{
    if (r->write)
        write_line(r, parts, count);
    else
        read_line(r, parts, count);
}

static void special(reference *r, const p5_access *access)
{
    struct memory *m = r->m;
    part parts[2];
    unsigned count = split(m, access, parts);
    bool two_lines = count == 2 && cache_line(parts[0].linear) != cache_line(parts[1].linear);
    if (m->paging) {
        translate(r, access, &parts[0]);
        if (two_lines && (parts[1].linear & 0xfff) == 0)
            translate(r, access, &parts[1]);
    }
    if (r->misaligned)
        misaligned_clocks(r);
    if (r->locked != LOCK_NONE) {
        locked_reference(r, parts, count);
    } else if (two_lines) { /* the high part first */
        line(r, &parts[1], 1);
        line(r, &parts[0], 1);
    } else {
        line(r, parts, count);
    }
}

/* Events of the look-ups; those of most kinds are counted when somebody looks. */
ALWAYS_INLINE void count_reference(reference *r, unsigned partner, uint64_t asked, bool is_plain)
{
    struct memory *m = r->m;
    if (r->clock != asked)
        partner = 0; /* one that waited is alone in its clock */
    if (!is_plain && r->misaligned)
        count_misaligned(r, partner);
    else if (__builtin_expect(m->uses == NULL, 0))
        memory_count_kind(m->totals, m->class, kind_of(r, partner), 1, r->missed, 1);
    else
        m->uses[kind_of(r, partner)]++;
}

/* The reference from beginning to end. */
ALWAYS_INLINE void make(reference *r, const p5_access *access, bool is_plain)
{
    struct memory *m = r->m;
    data_answer *answer = r->answer;
    uint64_t asked = r->clock;
    unsigned partner = m->partner;
    m->partner = 0;
    if (r->locked == LOCK_NONE || !r->write) /* HOLD and PBREQ# wait for the end of a locked sequence */
        memory_let_agent(m, asked);
    memory_upgrade_lines(m, asked);
    r->write_through = (access->flags & P5_ACCESS_WRITE_THROUGH) != 0;
    r->cacheable = (access->flags & P5_ACCESS_CACHE_DISABLE) == 0 && !m->no_data_fill &&
                   !memory_uncacheable(m, access->physical);
    answer->cacheable = r->cacheable;
    answer->is_misaligned = r->misaligned;
    answer->exclusive_or_modified = r->write && r->locked == LOCK_NONE;
    if (is_plain) {
        const part whole = {access->linear, access->physical, access->size};
        if (m->paging)
            translate(r, access, &whole);
        if (r->write)
            write_line(r, &whole, 1);
        else
            read_line(r, &whole, 1);
    } else {
        special(r, access);
    }
    answer->hit = !r->missed;
    if (r->missed)
        answer->exclusive_or_modified = false;
    answer->done = r->clock;
    count_reference(r, partner, asked, is_plain);
    memory_set_quiet(m);
}

/* Most references: one part, one line, nothing special. Compiled for reads and writes apart, with all that
 * they call, so that everything about the reference stands in registers; its answer is stored by words since
 * it is read by words. */
static inline __attribute__((always_inline)) void
plain(struct memory *m, const p5_access *access, uint64_t asked, bool write, bool mmx, data_answer *answer)
{
    data_answer a = {0};
    reference r = {.m = m, .answer = &a, .clock = asked, .write = write, .mmx = mmx};
    make(&r, access, true);
    answer->done = a.done;
    answer->word1 = a.tlb | (uint64_t)a.read << 16 | (uint64_t)a.write_buffer << 48;
    answer->word2 = a.write_order | (uint64_t)a.hit << 48;
    answer->exclusive_or_modified = a.exclusive_or_modified;
    answer->tlb_miss = a.tlb_miss;
    answer->cacheable = a.cacheable;
}

static void __attribute__((noinline))
plain_read(struct memory *m, const p5_access *access, uint64_t asked, bool mmx, data_answer *answer)
{
    plain(m, access, asked, false, mmx, answer);
}

static void __attribute__((noinline))
plain_write(struct memory *m, const p5_access *access, uint64_t asked, bool mmx, data_answer *answer)
{
    plain(m, access, asked, true, mmx, answer);
}

static void __attribute__((noinline)) unusual(struct memory *m, const p5_access *access, uint64_t asked,
                                              unsigned locked, bool mmx, data_answer *answer)
{
    *answer = (data_answer){0};
    reference r = {.m = m, .answer = answer, .clock = asked, .locked = locked, .mmx = mmx};
    r.write = (access->flags & P5_ACCESS_WRITE) != 0;
    r.misaligned = memory_misaligned(access);
    if ((access->flags & P5_ACCESS_IO) == 0) {
        make(&r, access, false);
        return;
    }
    answer->is_misaligned = r.misaligned;
    m->partner = 0;
    memory_let_agent(m, asked);
    memory_upgrade_lines(m, asked);
    if (r.misaligned)
        memory_count(m, P5_EVENT_MISALIGNED_DATA_MEMORY_OR_IO_REFERENCES);
    io_reference(&r, access);
    answer->done = r.clock;
    memory_set_quiet(m);
}

void memory_data(struct memory *m, const p5_access *access, uint64_t asked, unsigned locked, bool mmx,
                 data_answer *answer)
{
    if (__builtin_expect(!memory_on_boundary(access) || (locked | (access->flags & ACCESS_ON_BUS)) != 0, 0))
        unusual(m, access, asked, access->flags & P5_ACCESS_LOCKED ? LOCK_MODIFY : locked, mmx, answer);
    else if ((access->flags & P5_ACCESS_WRITE) != 0)
        plain_write(m, access, asked, mmx, answer);
    else
        plain_read(m, access, asked, mmx, answer);
}
