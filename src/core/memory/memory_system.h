/* The memory side of one core: its caches, TLBs, write buffers and bus, and the clocks at which pending
 * requests complete. For the files of this folder, the test registers (raw entries) and the inlined fast
 * path; the pipe uses memory.h.
 *
 *   memory_data.c     data references       memory_count.c  their events        walk.c   page walks
 *   data_answer.h     their results         snoop.c         internal and external snoops
 *   reference_kind.h  their kinds of event  memory_system.c lifetime, control, draining
 *   memory_code.c     code fetches */
#ifndef CORE_MEMORY_MEMORY_SYSTEM_H
#define CORE_MEMORY_MEMORY_SYSTEM_H

#include "core/memory/agent.h"
#include "core/bus/bus.h"
#include "core/memory/code_cache.h"
#include "core/event/counts.h"
#include "core/event/observer.h"
#include "core/memory/data_cache.h"
#include "core/memory/reference_kind.h"
#include "core/model/model.h"
#include "core/memory/tlb.h"
#include "core/memory/write_buffer.h"

/* A pending line fill. `done`: the clock from which the line can be used from the array. */
typedef struct line_fill {
    uint32_t line;
    uint64_t done;
} line_fill;

/* Uses of each kind of reference, which memory_data.c counts and memory_fold turns into events, followed by
 * the core clocks that references waited. */
enum { WAITED_FOR_READ = REFERENCE_KINDS, WAITED_FOR_BUFFER, REFERENCE_USES };

/* Recent results of the owner's page_bits_set, for memo_check.c. */
enum { PAGE_BITS_LOG = 64 };
typedef struct page_bits_entry {
    uint32_t linear;
    unsigned bits;
    bool write;
} page_bits_entry;
typedef struct page_bits_log {
    page_bits_entry bits[PAGE_BITS_LOG];
    unsigned count;
} page_bits_log;

struct memory {
    /* The fast path: see memory_fast.h. */
    data_cache data;
    tlb data_tlb;
    uint64_t read_idle, write_idle; /* clocks from which nothing pending could delay any hit of that kind */
    bool paging;
    bool separate_large; /* 4 MB pages have a TLB of their own */
    bool code_tlb_splits;
    uint32_t fill_mask; /* address bits to compare with the line being filled: those of the line or, if a fill
                           delays all hits of its set, of the set */
    code_cache code;
    tlb code_tlb;
    line_fill data_fill, code_fill;
    uint64_t code_parts[4]; /* clocks at which the 8-byte parts of code_fill can be decoded */
    agent agent;

    /* Everything else. */
    tlb data_tlb_large;
    write_buffer writes;
    uint64_t locked_read; /* clock at which the last locked reference's data had arrived */
    uint64_t ewbe_at;     /* clock from which EWBE# is active again */
    uint64_t ewbe_clocks; /* clocks from the end of a write until EWBE# is active */
    bus bus;
    const p5_model *model;
    p5_core_hooks hooks; /* keeps_memory is never NULL; without to_memory it is false */
    counts *totals;
    uint64_t *uses; /* uses of each kind that are not yet in the totals; NULL: all references are counted in
                       the totals immediately */
    uint64_t own_uses[P5_CPL_CLASSES][REFERENCE_USES];
    bool special; /* no data reference is ordinary: the cache is frozen, or there is an observer or another
                     bus master */
    bool totals_replaced; /* the profile has set `totals` */
    unsigned class;
    data_answer long_answer;         /* the last result that did not fit into a word */
    bool no_data_fill, no_code_fill; /* CD or TR12 inhibit */
    bool cache_disable, not_write_through;
    bool loses_mmx_writes;    /* erratum 75: event 2Eh of counter 1 does not count non-cacheable writes of MMX
                                instructions */
    core_observer *observer;  /* or NULL */
    array_observer *arrays;   /* or NULL; otherwise no data reference is ordinary */
    page_bits_log *page_bits; /* what the owner's page_bits_set returned, for the checking core; or NULL */
};

/* Returns whether the data cache is frozen: its replacement bits do not change, and hits need special
 * treatment. */
static inline bool memory_frozen(const struct memory *m)
{
    return m->cache_disable;
}

/* Returns whether a line of code is still being filled at `clock`. */
static inline bool memory_code_filling(const struct memory *m, uint32_t line, uint64_t clock)
{
    return m->code_fill.done > clock && m->code_fill.line == line;
}

/* Returns the TLB for data pages of that size: 4 MB pages may have their own. */
static inline tlb *memory_data_tlb(struct memory *m, bool large)
{
    return large && m->separate_large ? &m->data_tlb_large : &m->data_tlb;
}

/* Adds one occurrence of an event. */
static inline void memory_count(struct memory *m, enum p5_event event)
{
    counts_add(m->totals, event, m->class, 1, 1);
}

/* Adds clocks of a duration event. */
static inline void memory_clocks(struct memory *m, enum p5_event event, uint64_t clocks)
{
    counts_add(m->totals, event, m->class, clocks, clocks);
}

/* ---- functions shared by the files of this folder ---- */

/* Walks the page tables for a TLB miss known at `asked`. Returns the clock at which the reference repeats its
 * lookup. */
uint64_t walk_data(struct memory *m, uint32_t key, uint32_t physical, uint8_t attributes, bool write,
                   uint64_t asked);
uint64_t walk_code(struct memory *m, uint32_t key, uint32_t physical, uint64_t asked);
/* Prices the first write through an entry whose dirty bit is clear. */
uint64_t walk_set_dirty(struct memory *m, unsigned entry, bool large, uint64_t asked);

/* Snoops the data cache before a page-table entry is read or a code line is fetched: a modified line is
 * written back first. `invalidate` (code fetches, updates of the entry): no copy remains. */
void snoop_data_cache(struct memory *m, uint32_t physical, bool invalidate, uint64_t asked);
/* Returns whether a fetch of `physical` hits. */
static inline bool memory_has_code(const struct memory *m, uint32_t physical)
{
    return code_cache_find(&m->code, physical) >= 0;
}
/* Removes the line from the code cache, because a data reference to it goes to the bus. */
static inline void snoop_code_cache(struct memory *m, uint32_t physical)
{
    if (__builtin_expect(memory_has_code(m, physical), 0))
        code_cache_drop(&m->code, physical);
}

/* Writes the modified line in this way back. Returns the clock at which it is in memory. */
uint64_t memory_write_back(struct memory *m, unsigned set, unsigned way, uint64_t asked);
/* Tells the owner, if necessary, that a bus cycle has written these bytes, so memory now holds the
 * processor's values. */
static inline void memory_is_written(struct memory *m, uint32_t physical, uint32_t size)
{
    if (__builtin_expect(*m->hooks.keeps_memory, 0))
        m->hooks.to_memory(m->hooks.context, physical, size);
}
/* Called for every bus cycle of the processor: counts its bytes and calls the owner's hook. `type` is
 * P5_CYCLE_*. */
static inline void memory_cycle(struct memory *m, uint32_t physical, uint32_t size, unsigned type)
{
    m->bus.bytes[(type & P5_CYCLE_WRITE) != 0][m->class] += size;
    if (__builtin_expect(m->hooks.bus_cycle != NULL, 0))
        m->hooks.bus_cycle(m->hooks.context, physical, size, type);
}
/* Makes shared lines exclusive whose write-through has ended by `clock`. */
void memory_make_exclusive(struct memory *m, uint64_t clock);
static inline void memory_upgrade_lines(struct memory *m, uint64_t clock)
{
    if (__builtin_expect(clock >= m->writes.upgrade_at, 0))
        memory_make_exclusive(m, clock);
}

/* Returns the clock from which older writes do not delay a write to an E or M line (strong ordering). */
static inline uint64_t memory_writes_done(const struct memory *m)
{
    return m->writes.drained > m->ewbe_at ? m->writes.drained : m->ewbe_at;
}

/* Recomputes read_idle and write_idle. */
static inline void memory_set_idle(struct memory *m)
{
    uint64_t writes_done = memory_writes_done(m);
    m->read_idle = memory_frozen(m) ? UINT64_MAX : m->data_fill.done;
    m->write_idle = m->read_idle > writes_done ? m->read_idle : writes_done;
}

/* Recomputes `special`, after control inputs or observers have changed. */
void memory_set_special(struct memory *m);

/* Counts events 0-5, 28h, 29h and their MMX-only versions for `uses` references of one kind, each of which
 * counts as `halves` references with `misses` misses. A signal that the partner has asserted already is
 * asserted for no further clock. */
void memory_count_kind(counts *totals, unsigned class, unsigned kind, unsigned halves, unsigned misses,
                       uint64_t uses);
/* Moves references counted by kind, and clocks waited, into the totals. */
void memory_fold_uses(uint64_t uses[REFERENCE_USES], counts *totals, unsigned class);

/* ---- for readers of its state, writers of its arrays, and users of its owner's hooks ---- */

static inline const p5_model *memory_model(const struct memory *m)
{
    return m->model;
}
static inline const p5_core_hooks *memory_hooks(const struct memory *m)
{
    return &m->hooks;
}
static inline data_cache *memory_data_cache(struct memory *m)
{
    return &m->data;
}
static inline code_cache *memory_code_cache(struct memory *m)
{
    return &m->code;
}
static inline tlb *memory_code_tlb(struct memory *m)
{
    return &m->code_tlb;
}
/* Returns the tags of a set; CACHE_NO_TAG in invalid ways. */
static inline const uint32_t *memory_tags(const struct memory *m, bool code, unsigned set)
{
    return code ? m->code.tag[set] : m->data.tag[set];
}
static inline mesi memory_line_state(const struct memory *m, unsigned set, unsigned way)
{
    return (mesi)m->data.state[set][way];
}
static inline line_fill memory_last_fill(const struct memory *m)
{
    return m->data_fill;
}
/* Returns the last result that was DATA_LONG. */
static inline const data_answer *memory_long_answer(const struct memory *m)
{
    return &m->long_answer;
}
/* Also stores the results of the owner's page_bits_set in `page_bits`. */
static inline void memory_log_page_bits(struct memory *m, page_bits_log *page_bits)
{
    m->page_bits = page_bits;
}
/* Returns the core clocks in which the bus was in use up to `clock`. */
static inline bus_use memory_bus_used(const struct memory *m, uint64_t clock)
{
    return bus_used(&m->bus, clock);
}
static inline uint64_t memory_bus_bytes(const struct memory *m, bool write, unsigned class)
{
    return m->bus.bytes[write][class];
}

/* Must be called after the arrays were written: no hit is known to change nothing any more. */
static inline void memory_forget_hits(struct memory *m)
{
    data_cache_forget(&m->data);
    code_cache_forget(&m->code);
    m->code_tlb.last = 0;
    memory_set_idle(m);
}

/* Returns whether there is another bus master. */
static inline bool memory_has_agent(const struct memory *m)
{
    return m->model->agent.kind != AGENT_NONE;
}

/* ---- external agents ---- */

typedef enum snoop_result {
    SNOOP_MISS,
    SNOOP_HIT /* HIT# */,
    SNOOP_HIT_MODIFIED /* HIT#, HITM#: written back */
} snoop_result;
/* Snoops the caches because another master reads or (`invalidate`) writes a line. `*done`: as for
 * memory_inquire. */
snoop_result snoop_line(struct memory *m, uint32_t physical, bool invalidate, uint64_t clock, uint64_t *done);
/* Prices an inquire cycle (EADS#) of another bus master, sampled at `clock`; `invalidate` is the INV pin.
 * `*done`: the clock at which the resulting write-back has ended, or `clock`. */
snoop_result memory_inquire(struct memory *m, uint32_t physical, bool invalidate, uint64_t clock,
                            uint64_t *done);
/* Gives the bus to another master for `bus_clocks` from `clock` on (HOLD/HLDA, AHOLD, BOFF#). Returns the
 * clock at which it is free. */
uint64_t memory_foreign_bus(struct memory *m, uint64_t clock, uint32_t bus_clocks);
/* Lets the board's agent take its turns that are due at `clock`, the time of a request. */
static inline void memory_let_agent(struct memory *m, uint64_t clock)
{
    if (__builtin_expect(m->agent.due <= clock, 0))
        agent_run(m, clock);
}

#endif
