/* Snoops. Internal snoops keep a line from being valid in both caches (241428, 6.5.3); external snoops answer
 * inquire cycles of other bus masters. */
#include "core/memory/memory_rules.h"

/* Writes back the modified line in this way, whose state stays as it is. Returns the clock at which it is in
 * memory. */
uint64_t memory_write_back(struct memory *m, unsigned set, unsigned way, uint64_t asked)
{
    return memory_write_back_at(m, set, way, bus_start(&m->bus, asked, true), true);
}

/* Makes each shared line exclusive whose write-through has ended by `clock`. */
void memory_make_exclusive(struct memory *m, uint64_t clock)
{
    uint32_t line;
    while (write_buffer_upgrade(&m->writes, clock, &line))
        data_cache_make_exclusive(&m->data, line);
}

/* Does an internal snoop before a page-table entry is read or updated, a code line is fetched, or a locked reference
 * goes to the bus. A modified line is written back. The line is then removed if `invalidate`; otherwise a modified
 * line becomes shared, and an E line stays E. */
void snoop_data_cache(struct memory *m, uint32_t physical, bool invalidate, uint64_t asked)
{
    int way = data_cache_find(&m->data, physical);
    if (way < 0)
        return;
    unsigned set = cache_set(physical);
    bool modified = m->data.state[set][way] == MESI_MODIFIED;
    if (modified)
        memory_write_back(m, set, (unsigned)way, asked);
    if (invalidate)
        data_cache_set_state(&m->data, set, (unsigned)way, MESI_INVALID);
    else if (modified)
        data_cache_set_state(&m->data, set, (unsigned)way, MESI_SHARED);
}

/* Snoops both caches because another master reads a line or, if `invalidate`, writes it. Sets `*done` to the clock at
 * which a write-back has ended, or to `clock`. */
snoop_result snoop_line(struct memory *m, uint32_t physical, bool invalidate, uint64_t clock, uint64_t *done)
{
    *done = clock;
    snoop_result result = SNOOP_MISS;
    if (memory_has_code(m, physical)) {
        result = SNOOP_HIT;
        if (invalidate)
            code_cache_drop(&m->code, physical);
    }
    int way = data_cache_find(&m->data, physical);
    if (way < 0)
        return result;
    unsigned set = cache_set(physical);
    result = SNOOP_HIT;
    if (m->data.state[set][way] == MESI_MODIFIED) {
        result = SNOOP_HIT_MODIFIED;
        *done = memory_write_back(m, set, (unsigned)way, clock);
    }
    data_cache_set_state(&m->data, set, (unsigned)way, invalidate ? MESI_INVALID : MESI_SHARED);
    return result;
}

/* Snoops both caches for an inquire cycle (snoop_line), and counts it as an external snoop. */
snoop_result memory_inquire(struct memory *m, uint32_t physical, bool invalidate, uint64_t clock,
                            uint64_t *done)
{
    memory_upgrade_lines(m, clock);
    memory_count(m, P5_EVENT_EXTERNAL_SNOOPS);
    if (data_cache_find(&m->data, physical) >= 0)
        memory_count(m, P5_EVENT_EXTERNAL_DATA_CACHE_SNOOP_HITS);
    return snoop_line(m, physical, invalidate, clock, done);
}
