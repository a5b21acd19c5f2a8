/* Data references: translation, cache lookup, line fill, writes (241428, 2, 3 and 6). A reference consists of
 * one or two parts of up to 8 bytes, one bus cycle each, and takes one lookup per line.
 * memory_reference.h has the steps and the struct `reference`. An *ordinary* reference is one without special
 * properties: not locked, not to a port, not made by an MMX instruction or by microcode, not to a page of 4 MB or with
 * PCD or PWT, and not in a mode that memory_set_special lists.
 *
 * On the slow path, all references except those to ports go through make(). It is compiled several times with constant
 * properties, so that its state stays in registers: for ordinary reads and writes, aligned or misaligned, and for the
 * general case. */
#include "core/memory/memory.h"
#include "core/memory/memory_reference.h"

/* ---- locked references ---- */

/* A locked reference always goes to the bus. A modified copy is written back first, and the line ends invalid
 * (241428, 6). A written value that does not depend on the read waits in the bus unit and follows the read
 * without passing through EX: XCHG measures one or two bus clocks less than LOCK ADD on every P54C board. */
static void locked_reference(reference *r, const part *parts, unsigned count)
{
    struct memory *m = r->m;
    const model_latency *latency = &m->model->latency;
    for (unsigned i = count; i-- > 0;) {
        wait_for_fill(r, parts[i].physical);
        observed_tags(watcher_of(r), false, cache_set(parts[i].physical));
        snoop_data_cache(m, parts[i].physical, true, r->clock);
        snoop_code_cache(m, parts[i].physical);
        bool ready = r->write && r->locked == LOCK_EXCHANGE;
        uint64_t asked = ready ? m->locked_read : r->clock + latency->miss_to_bus, end;
        if (r->write) {
            end = bus_locked_write(&m->bus, asked);
            memory_is_written(m, parts[i].physical, parts[i].size);
            if (!is_cacheable(r))
                memory_count(m, P5_EVENT_WRITES_TO_NONCACHEABLE_MEMORY);
        } else {
            end = memory_locked_read(m, asked);
        }
        memory_cycle(m, parts[i].physical, parts[i].size,
                     P5_CYCLE_MEMORY | P5_CYCLE_DATA | P5_CYCLE_LOCKED | (r->write ? P5_CYCLE_WRITE : 0u));
        wait_until(r, end + latency->bus_to_use, &r->waited_locked);
    }
    m->locked_read = r->clock;
    r->owned = false;
    r->missed_parts = 1; /* it counts as one miss */
}

/* ---- results and events ---- */

/* Makes space in the bus log, which is rarely necessary, and returns `answer`. */
static uint64_t __attribute__((noinline)) log_turned(struct memory *m, uint64_t answer)
{
    bus_log_make_space(&m->bus.log);
    return answer;
}

/* Stores a result that does not fit into a word, for memory_answered. */
static uint64_t __attribute__((noinline)) answer_long(struct memory *m, data_answer answer)
{
    m->long_answer = answer;
    return DATA_LONG;
}

/* Returns the clocks as a field of data_answer, at most UINT16_MAX. */
static inline uint16_t clocks16(uint64_t clocks)
{
    return clocks < UINT16_MAX ? (uint16_t)clocks : UINT16_MAX;
}

/* Returns the result of a reference that was requested at `asked` and has ended: a word, or DATA_LONG. */
ALWAYS_INLINE uint64_t answer_of(const reference *r, uint64_t asked)
{
    const bool hit = r->missed_parts == 0;
    if (__builtin_expect((r->clock - asked) >> DATA_CLOCK_BITS == 0 && r->locked == LOCK_NONE, 1))
        return data_in_word(&r->waited, hit, r->misaligned);
    return answer_long(r->m, (data_answer){.done = r->clock,
                                           .tlb = clocks16(r->waited.tlb),
                                           .read = clocks16(r->waited.read),
                                           .misaligned = clocks16(r->waited.misaligned),
                                           .write_buffer = clocks16(r->waited.write_buffer),
                                           .write_order = clocks16(r->waited.write_order),
                                           .locked = clocks16(r->waited_locked),
                                           .hit = hit,
                                           .is_misaligned = r->misaligned});
}

/* Counts waits for data and buffers; other stalls are counted where they arise. The additional clocks of a
 * misaligned read belong to event 1Ah, of which silicon counts one too few unless the TLB missed (errata 44
 * and 76). Event 19h: a new bus access needs a buffer, or the bus, while the write buffers are full. */
ALWAYS_INLINE void count_waits(const reference *r)
{
    struct memory *m = r->m;
    uint64_t read = r->waited.read + r->waited.tlb, buffer = r->waited.write_buffer;
    if (r->misaligned && !r->write && r->waited.misaligned > 0)
        read += r->waited.misaligned - (m->model->errata && !r->tlb_missed);
    if (r->ordinary) {
        m->uses[WAITED_FOR_READ] += read;
        m->uses[WAITED_FOR_BUFFER] += buffer;
        return;
    }
    memory_clocks(m, P5_EVENT_WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION, read);
    memory_clocks(m, P5_EVENT_WRITE_BUFFER_FULL_STALL_DURATION, buffer);
    if (is_mmx(r)) {
        memory_clocks(m, P5_EVENT_PIPELINE_STALL_FOR_MMX_INSTRUCTION_DATA_MEMORY_READS, read);
        memory_clocks(m, P5_EVENT_FULL_WRITE_BUFFER_STALL_DURATION_WHILE_EXECUTING_MMX_INSTRUCTIONS, buffer);
    }
}

/* Returns the number of misses to count. Silicon counts two for a misaligned reference that missed (errata 44
 * and 76), the manual one for each lookup that missed. */
static inline unsigned misses_of(const reference *r)
{
    return r->misaligned && r->missed_parts > 0 && r->m->model->errata ? 2 : r->missed_parts;
}

/* Counts the events of the lookups. Most kinds are only tallied in `uses`, and become events when totals are
 * read. A reference that waited since `asked` does not share its clock with a partner. Each half of a
 * misaligned reference counts as a reference. */
ALWAYS_INLINE void count_look_ups(const reference *r, uint64_t asked)
{
    struct memory *m = r->m;
    const bool alone = r->clock != asked;
    const unsigned kind = (r->write ? KIND_WRITE : 0u) | (is_mmx(r) ? KIND_MMX : 0u) |
                          (r->missed_parts > 0 ? KIND_MISSED : 0u) | (r->owned ? KIND_TO_E_OR_M : 0u);
    const unsigned partner = alone ? 0 : r->traits & TRAIT_PARTNER, misses = misses_of(r);
    if (!(r->ordinary || m->uses != NULL) || (r->misaligned && !alone))
        memory_count_kind(m->totals, m->class, kind | partner, r->misaligned ? 2 : 1, misses, 1);
    else if (r->misaligned)
        m->uses[kind | KIND_MISALIGNED | (misses == 2 ? KIND_MISSED_TWICE : 0u)]++;
    else
        m->uses[kind | partner]++;
}

/* ---- the complete reference ---- */

/* Splits a reference at the 8-byte boundary that it crosses, if any. Returns the number of parts. */
static inline unsigned split(const reference *r, part parts[2])
{
    const p5_access *access = r->access;
    parts[0] = (part){access->linear, access->physical, access->size};
    uint32_t left = 8 - (access->linear & 7);
    if (r->aligned || access->size <= left)
        return 1;
    parts[0].size = left;
    parts[1] = (part){access->linear + left, memory_physical(r->m, access, left), access->size - left};
    return 2;
}

/* Does what is due before a reference: turns of another bus master, and lines whose write-through has ended become
 * exclusive. Ordinary references need neither here: there is no other master, and look_up checks the lines. */
ALWAYS_INLINE void begin(const reference *r)
{
    if (r->ordinary)
        return;
    if (r->locked == LOCK_NONE || !r->write) /* HOLD and PBREQ# wait for the end of a locked sequence */
        memory_let_agent(r->m, r->clock);
    memory_upgrade_lines(r->m, r->clock);
}

/* Completes a reference that was requested at `asked`: counts its events and returns its result. An ordinary reference
 * that hit has started no bus cycle, so read_idle and write_idle stay valid. */
ALWAYS_INLINE uint64_t end(const reference *r, uint64_t asked)
{
    struct memory *m = r->m;
    const bool hit = r->missed_parts == 0 && r->owned == r->write;
    if (!r->ordinary || !hit)
        memory_set_idle(m);
    if (r->clock == asked && hit && !r->misaligned)
        return DATA_USUAL;
    count_waits(r);
    count_look_ups(r, asked);
    const uint64_t answer = answer_of(r, asked);
    return r->ordinary && !hit && __builtin_expect(bus_log_full(&m->bus.log), 0) ? log_turned(m, answer)
                                                                                 : answer;
}

/* Makes a reference from beginning to end, and returns its result. r->clock is the clock of the request. */
ALWAYS_INLINE uint64_t make(reference *r)
{
    struct memory *m = r->m;
    const uint64_t asked = r->clock;
    begin(r);
    part parts[2];
    const unsigned count = split(r, parts);
    const bool two_lines = count == 2 && !memory_within_line(r->access);
    if (m->paging) {
        translate(r, parts[0]);
        if (two_lines && memory_begins_page(parts[1].linear))
            translate(r, parts[1]);
    }
    if (r->misaligned)
        wait_misaligned(r);
    if (r->locked != LOCK_NONE) {
        locked_reference(r, parts, count);
        return end(r, asked);
    }
    for (unsigned line = two_lines ? 2 : 1; line-- > 0;) { /* the high part first */
        if (r->write)
            write_line(r, &parts[line], two_lines ? 1 : count);
        else
            read_line(r, &parts[line], two_lines ? 1 : count);
    }
    if (r->aligned && r->missed_parts != 0) { /* constants for the compiler */
        r->missed_parts = 1;
        r->owned = false;
        return end(r, asked);
    }
    return end(r, asked);
}

/* Makes an ordinary reference of which `write` and `misaligned` are constants. The four functions after it are the
 * compiled variants. */
ALWAYS_INLINE uint64_t make_ordinary(struct memory *m, const p5_access *access, uint64_t asked,
                                     unsigned traits, bool write, bool misaligned)
{
    reference r = {.m = m,
                   .access = access,
                   .clock = asked,
                   .traits = traits,
                   .ordinary = true,
                   .aligned = !misaligned,
                   .misaligned = misaligned,
                   .write = write,
                   .owned = write};
    return make(&r);
}

static uint64_t __attribute__((noinline))
ordinary_read(struct memory *m, const p5_access *access, uint64_t asked, unsigned traits)
{
    return make_ordinary(m, access, asked, traits, false, false);
}

static uint64_t __attribute__((noinline))
ordinary_write(struct memory *m, const p5_access *access, uint64_t asked, unsigned traits)
{
    return make_ordinary(m, access, asked, traits, true, false);
}

static uint64_t __attribute__((noinline))
misaligned_read(struct memory *m, const p5_access *access, uint64_t asked, unsigned traits)
{
    return make_ordinary(m, access, asked, traits, false, true);
}

static uint64_t __attribute__((noinline))
misaligned_write(struct memory *m, const p5_access *access, uint64_t asked, unsigned traits)
{
    return make_ordinary(m, access, asked, traits, true, true);
}

/* Makes a port reference. I/O waits for all buffered writes and is not buffered itself. A reference that crosses a
 * dword takes two cycles. Silicon counts port reads as non-cacheable memory reads (erratum 44). */
static uint64_t __attribute__((noinline))
io_reference(struct memory *m, const p5_access *access, uint64_t asked)
{
    const model_latency *latency = &m->model->latency;
    const bool write = (access->flags & P5_ACCESS_WRITE) != 0, misaligned = memory_misaligned(access);
    memory_let_agent(m, asked);
    memory_upgrade_lines(m, asked);
    if (misaligned)
        memory_count(m, P5_EVENT_MISALIGNED_DATA_MEMORY_OR_IO_REFERENCES);
    uint64_t clock = memory_later(memory_writes_done(m), asked);
    uint32_t port = access->physical, left = access->size;
    for (unsigned cycles = misaligned ? 2 : 1; cycles > 0; cycles--) {
        uint32_t size = cycles == 2 ? 4 - (port & 3) : left;
        memory_count(m, P5_EVENT_IO_READ_OR_WRITE_CYCLE);
        if (write)
            memory_count(m, P5_EVENT_WRITES_TO_NONCACHEABLE_MEMORY);
        else if (m->model->errata)
            memory_count(m, P5_EVENT_NONCACHEABLE_MEMORY_READS);
        uint64_t end = bus_io(&m->bus, clock + latency->miss_to_bus, write);
        clock = memory_later(end + latency->bus_to_use, clock);
        memory_cycle(m, port, size, P5_CYCLE_DATA | (write ? P5_CYCLE_WRITE : 0u));
        port += size;
        left -= size;
    }
    memory_set_idle(m);
    /* A port has no cache line, so it counts as a hit. */
    return answer_long(
        m, (data_answer){
               .done = clock, .io = clocks16(clock - asked), .hit = true, .is_misaligned = misaligned});
}

/* Makes a reference that is not ordinary. */
static uint64_t __attribute__((noinline))
make_special(struct memory *m, const p5_access *access, uint64_t asked, unsigned traits)
{
    if ((access->flags & P5_ACCESS_IO) != 0)
        return io_reference(m, access, asked);
    reference r = {.m = m, .access = access, .clock = asked, .traits = traits};
    r.write = (access->flags & P5_ACCESS_WRITE) != 0;
    r.owned = r.write;
    r.misaligned = memory_misaligned(access);
    r.locked = (access->flags & P5_ACCESS_LOCKED) != 0 ? LOCK_MODIFY : traits / TRAIT_LOCK;
    const uint64_t word = make(&r);
    observed_over(m->arrays, false);
    return word;
}

/* Makes any data reference (memory_ask), without a report to the observer of requests. */
ALWAYS_INLINE uint64_t ask(struct memory *m, const p5_access *access, uint64_t asked, unsigned traits)
{
    const unsigned special = (access->flags & ~(unsigned)P5_ACCESS_WRITE) |
                             (traits & ~(unsigned)(TRAIT_PARTNER | TRAIT_V_PIPE)) | m->special;
    const bool write = (access->flags & P5_ACCESS_WRITE) != 0;
    if (__builtin_expect(special != 0, 0))
        return make_special(m, access, asked, traits);
    if (__builtin_expect(!memory_on_boundary(access) && memory_misaligned(access), 0))
        return write ? misaligned_write(m, access, asked, traits) : misaligned_read(m, access, asked, traits);
    return write ? ordinary_write(m, access, asked, traits) : ordinary_read(m, access, asked, traits);
}

/* Makes any data reference and reports to the observer: `asks` before the reference, so that its events are attributed
 * to the right instruction, and `missed` after a miss. */
static uint64_t __attribute__((noinline))
ask_observed(struct memory *m, const p5_access *access, uint64_t asked, unsigned traits)
{
    core_observer *o = m->observer;
    o->asks(o);
    const uint64_t word = ask(m, access, asked, traits);
    if (!memory_answered_hit(m, word))
        o->missed(o, access->physical, false);
    return word;
}

/* Makes any data reference. Returns a word (data_answer.h), for DATA_USUAL without having counted events. */
uint64_t memory_ask(struct memory *m, const p5_access *access, uint64_t asked, unsigned traits)
{
    if (__builtin_expect(m->observer != NULL, 0))
        return ask_observed(m, access, asked, traits);
    return ask(m, access, asked, traits);
}

/* Unpacks the result of the last memory_ask, which returned `word`. */
void memory_answered(const struct memory *m, uint64_t word, uint64_t asked, data_answer *answer)
{
    if (word == DATA_LONG)
        *answer = m->long_answer;
    else if (word == DATA_USUAL)
        *answer = (data_answer){.done = asked, .hit = true};
    else
        data_out_of_word(word, asked, answer);
}

/* Makes any data reference and counts all its events. */
void memory_data(struct memory *m, const p5_access *access, uint64_t asked, unsigned traits,
                 data_answer *answer)
{
    const uint64_t word = memory_ask(m, access, asked, traits);
    if (word == DATA_USUAL)
        memory_count_kind(m->totals, m->class, reference_hit(access, traits), 1, 0, 1);
    memory_answered(m, word, asked, answer);
}

/* Makes a reference within a line if it hits the cache without a bus cycle and its page hits the TLB. Returns
 * false without a change otherwise. `large`: the reference is to a large page, which the data cache's `mru`
 * never records. */
ALWAYS_INLINE bool use_line(struct memory *m, const p5_access *access, bool large, bool write)
{
    data_cache *cache = &m->data;
    const unsigned set = cache_set(access->physical);
    const int way = memory_hit(m, access->physical, write);
    tlb *t = memory_data_tlb(m, large);
    const uint32_t key = tlb_key(access->linear, large);
    if (way < 0 || (m->paging && !memory_page_usual(t, key, write)))
        return false;
    if (write)
        data_cache_written(cache, set, (unsigned)way);
    const unsigned entry = m->paging ? memory_hinted(t, key) : TLB_NO_ENTRY;
    if (large)
        data_cache_used(cache, set, (unsigned)way);
    else
        data_cache_used_at(cache, set, (unsigned)way, memory_place(access, CACHE_PLACE), entry,
                           !m->paging || t->row[entry].key.of[1] == key);
    return true;
}

/* Makes a reference within a line if it hits the cache without a bus cycle and its page hits the TLB. Returns false
 * without a change otherwise. */
bool __attribute__((noinline)) memory_uses_line(struct memory *m, const p5_access *access)
{
    return use_line(m, access, (access->flags & P5_ACCESS_LARGE_PAGE) != 0,
                    (access->flags & P5_ACCESS_WRITE) != 0);
}

/* Makes a misaligned hit within a line and counts its events. Returns false without a change if the reference is
 * not such a hit. */
bool memory_hits_misaligned(struct memory *m, const p5_access *access)
{
    const bool write = (access->flags & P5_ACCESS_WRITE) != 0;
    if ((access->flags & ~(unsigned)P5_ACCESS_WRITE) != 0 || m->special || !memory_misaligned(access) ||
        !memory_within_line(access) || !use_line(m, access, false, write))
        return false;
    /* It is requested at clock 0, because only the duration matters here. */
    reference r = {
        .m = m, .access = access, .ordinary = true, .misaligned = true, .write = write, .owned = write};
    wait_misaligned(&r);
    count_waits(&r);
    count_look_ups(&r, 0);
    return true;
}

/* Makes a reference that is not as `expected`, if it hits. Returns false without a change if it does not. */
static bool __attribute__((noinline))
hits_otherwise(struct memory *m, const p5_access *access, const data_expected *expected)
{
    return expected->kind == 0 && expected->misaligned ? memory_hits_misaligned(m, access)
                                                       : memory_hits_any(m, access);
}

/* Makes a reference if it hits. Returns false without a change if it does not. It is inlined into
 * memory_follow_on: x87 and MMX kernels, which alternate between two lines of a set, take 0.94 and 0.96 of the
 * host instructions. */
ALWAYS_INLINE bool hits_unexpected(struct memory *m, const p5_access *access, const data_expected *expected)
{
    if (__builtin_expect(!memory_as_expected(access, expected), 0))
        return hits_otherwise(m, access, expected);
    return use_line(m, access, false, expected->write); /* as expected, so the page is not large */
}

/* Does what hits_unexpected does, for callers in other files. */
bool __attribute__((noinline))
memory_hits_unexpected(struct memory *m, const p5_access *access, const data_expected *expected)
{
    return hits_unexpected(m, access, expected);
}

/* Makes references as long as they hit. The first is one for which memory_hits_mru returned false. Returns the element
 * of `expected` for the first that does not hit, or `end`. */
const data_expected *memory_follow_on(struct memory *m, const p5_access *access,
                                      const data_expected *expected, const data_expected *end)
{
    while (hits_unexpected(m, access, expected))
        do {
            access++;
            if (++expected == end)
                return end;
        } while (memory_hits_mru(m, access, expected, &m->data_tlb.order));
    return expected;
}

/* Recomputes `special`: whether no data reference on the slow path is ordinary. */
void memory_set_special(struct memory *m)
{
    m->special = memory_frozen(m) || m->no_data_fill || m->uses == NULL || m->hooks.bus_cycle != NULL ||
                 m->arrays != NULL || memory_has_agent(m);
}
