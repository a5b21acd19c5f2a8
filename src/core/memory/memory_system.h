/* The memory side of one core: its caches, TLBs, write buffers and bus, and the clocks at which pending requests
 * complete. Clocks are numbers of the core's clock. This header is for the files of this folder, for the test
 * registers, which access single entries, and for the inlined fast path. The pipe uses memory.h.
 *
 *   memory_system.c   opening, closing, control bits, waiting for pending writes
 *   memory_data.c     data references
 *   data_answer.h     results of data references
 *   reference_kind.h  kinds of data references, by the events that they cause
 *   memory_count.c    events of data references
 *   memory_code.c     code fetches
 *   walk.c            page walks
 *   snoop.c           internal and external snoops
 *   agent.c           another bus master of the board
 *
 * The *slow path* is memory_ask and memory_code, which handle everything; the *fast path* is memory_fast.h. The
 * *owner* is what has opened the core, such as the machine; its callbacks are p5_core_hooks
 * (include/p5scope/core.h). */
#ifndef CORE_MEMORY_MEMORY_SYSTEM_H
#define CORE_MEMORY_MEMORY_SYSTEM_H

#include "core/bus/bus.h"
#include "core/event/counts.h"
#include "core/event/observer.h"
#include "core/memory/agent.h"
#include "core/memory/code_cache.h"
#include "core/memory/data_cache.h"
#include "core/memory/reference_kind.h"
#include "core/memory/tlb.h"
#include "core/memory/write_buffer.h"
#include "core/model/model.h"

/* The last line fill. It is pending until clock `done`; from then on the cache's array supplies the line. */
typedef struct line_fill {
    uint32_t line; /* its physical address; 1: there was none yet */
    uint64_t done;
} line_fill;

/* Indices into `uses`. The first REFERENCE_KINDS entries are the number of references of each kind, which
 * memory_data.c counts and memory_fold turns into events. The other two are sums of core clocks: those for which
 * references waited for data to be read, and those for which they waited for a free write buffer. */
enum { WAITED_FOR_READ = REFERENCE_KINDS, WAITED_FOR_BUFFER, REFERENCE_USES };

/* Results of the owner's page_bits_set that are not 0. The owner returns each bit only once, so the second core that
 * repeats the work of this one (memo_check.c) takes the results from this log, which is emptied after each stretch. If
 * the log is full, further results are lost. */
enum { PAGE_BITS_LOG = 64 };
typedef struct page_bits_entry {
    uint32_t linear; /* argument of page_bits_set */
    unsigned bits;   /* its result: P5_PAGE_DIRECTORY_ACCESSED ... */
    bool write;      /* argument of page_bits_set */
} page_bits_entry;
typedef struct page_bits_log {
    page_bits_entry bits[PAGE_BITS_LOG];
    unsigned count; /* entries in use */
} page_bits_log;

struct memory {
    /* What the fast path reads: */
    data_cache data;
    tlb data_tlb;
    /* Clocks from which nothing pending can delay a read or write that hits: */
    uint64_t read_idle, write_idle;
    bool paging;          /* CR0.PG */
    bool separate_large;  /* 4 MB pages have a TLB of their own */
    bool code_tlb_splits; /* the code TLB holds a 4 MB page as entries of 4 KB */
    /* A line fill delays the hits whose addresses agree with it in these bits: the hits of its line or, on some models,
     * of its set. */
    uint32_t fill_mask;
    uint32_t cacheable_ram[2]; /* sizes of two ranges, from addresses 0 and 1 MB: memory_is_cacheable_ram */
    code_cache code;
    tlb code_tlb;
    line_fill data_fill, code_fill;
    uint64_t code_parts[4]; /* clocks at which the 8-byte parts of code_fill can be decoded */
    agent agent;

    /* Everything else. */
    tlb data_tlb_large;
    write_buffer writes;
    uint64_t locked_read; /* clock at which the data of the last locked read arrive, for XCHG's write */
    uint64_t ewbe_at;     /* clock from which EWBE# is active again after the last write */
    uint64_t ewbe_clocks; /* clocks from the end of a write until EWBE# is active */
    bus bus;
    const p5_model *model;
    p5_core_hooks hooks; /* of the owner; keeps_memory is never NULL; without to_memory, it points to false */
    counts *totals;      /* where events are counted */
    /* REFERENCE_USES numbers that are not yet in the totals: an element of own_uses, or of the profile. NULL:
     * everything is counted in the totals immediately. */
    uint64_t *uses;
    uint64_t own_uses[P5_CPL_CLASSES][REFERENCE_USES];
    bool special; /* all data references are special, none is ordinary (memory_data.c): memory_set_special */
    bool totals_replaced;            /* the profile has set `totals` */
    unsigned class;                  /* privilege class for which events are counted: P5_CPL_* */
    data_answer long_answer;         /* the last result that did not fit into a word (DATA_LONG) */
    bool no_data_fill, no_code_fill; /* misses fill no line, because of CR0.CD or the inhibit bits of TR12 */
    bool cache_disable, not_write_through; /* CR0.CD and CR0.NW */
    bool loses_mmx_writes;    /* erratum 75: event 2Eh of counter 1 does not count non-cacheable writes of MMX
                                instructions */
    core_observer *observer;  /* or NULL */
    array_observer *arrays;   /* or NULL */
    page_bits_log *page_bits; /* where results of page_bits_set are also stored, or NULL */
};

enum { MEMORY_UPPER = 1 << 20 };
/* Returns whether an address is known to be cacheable and not in video memory, which two comparisons decide for
 * almost all misses. Such addresses are those below the first uncacheable one, and those from MEMORY_UPPER to the first
 * uncacheable one after that. */
static inline bool memory_is_cacheable_ram(const struct memory *m, uint32_t physical)
{
    return physical < m->cacheable_ram[0] || physical - MEMORY_UPPER < m->cacheable_ram[1];
}

/* Returns whether the data cache is frozen by CR0.CD: hits do not change its replacement bits, and they take the
 * slow path. */
static inline bool memory_frozen(const struct memory *m)
{
    return m->cache_disable;
}

/* Returns whether a line of code is still being filled at `clock`. */
static inline bool memory_code_filling(const struct memory *m, uint32_t line, uint64_t clock)
{
    return m->code_fill.done > clock && m->code_fill.line == line;
}

/* Returns the TLB for data pages of 4 MB (`large`) or of 4 KB, which may be the same one. */
static inline tlb *memory_data_tlb(struct memory *m, bool large)
{
    return large && m->separate_large ? &m->data_tlb_large : &m->data_tlb;
}

/* Adds one occurrence of an event, asserted for one clock. */
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

/* Prices a page walk for a TLB miss that is detected at clock `asked`, and fills the TLB entry. `key` is the tlb_key
 * of the page; for code, always that of a 4 KB page. `physical` is what the entry translates it to. `attributes`:
 * TLB_* that are known already. Returns the clock at which the reference repeats its lookup. */
uint64_t walk_data(struct memory *m, uint32_t key, uint32_t physical, uint8_t attributes, bool write,
                   uint64_t asked);
uint64_t walk_code(struct memory *m, uint32_t key, uint32_t physical, uint64_t asked);
/* Prices the first write through entry number `entry` of memory_data_tlb(m, large), whose dirty bit is clear, and sets
 * that bit. Returns the clock at which the bit is also set in the page table: `asked` if it was set
 * there before. */
uint64_t walk_set_dirty(struct memory *m, unsigned entry, bool large, uint64_t asked);

/* Snoops the data cache before a bus cycle that does not use it: a page-table entry is read or updated, a code line is
 * fetched, or a reference is locked. A modified line is written back by a cycle requested at `asked`. The line is then
 * removed if `invalidate` (all but reads of page-table entries); otherwise a modified line becomes shared. */
void snoop_data_cache(struct memory *m, uint32_t physical, bool invalidate, uint64_t asked);
/* Returns whether the code cache holds the line of `physical`. */
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

/* Writes back the modified line in this way, whose state stays as it is. Returns the clock at which it is in
 * memory. */
uint64_t memory_write_back(struct memory *m, unsigned set, unsigned way, uint64_t asked);
/* Calls the owner's to_memory, if it keeps memory, because a bus cycle has written these bytes. */
static inline void memory_is_written(struct memory *m, uint32_t physical, uint32_t size)
{
    if (__builtin_expect(*m->hooks.keeps_memory, 0))
        m->hooks.to_memory(m->hooks.context, physical, size);
}
/* Counts the bytes of a bus cycle of the processor and calls the owner's hook. Must be called for every cycle, but
 * does not schedule it (bus.h). `type`: P5_CYCLE_*. */
static inline void memory_cycle(struct memory *m, uint32_t physical, uint32_t size, unsigned type)
{
    m->bus.bytes[(type & P5_CYCLE_WRITE) != 0][m->class] += size;
    if (__builtin_expect(m->hooks.bus_cycle != NULL, 0))
        m->hooks.bus_cycle(m->hooks.context, physical, size, type);
}
/* Makes each shared line exclusive whose write-through to memory has ended by `clock`. memory_upgrade_lines does
 * the same, with a quick check for the usual case that there is none. */
void memory_make_exclusive(struct memory *m, uint64_t clock);
static inline void memory_upgrade_lines(struct memory *m, uint64_t clock)
{
    if (__builtin_expect(clock >= m->writes.upgrade_at, 0))
        memory_make_exclusive(m, clock);
}

/* Returns the clock from which older writes do not delay a write to an E or M line (strong ordering): all have
 * ended on the bus, and EWBE# is active. */
static inline uint64_t memory_writes_done(const struct memory *m)
{
    return m->writes.drained > m->ewbe_at ? m->writes.drained : m->ewbe_at;
}

/* Recomputes read_idle and write_idle, after a request or a change of cache_disable. */
static inline void memory_set_idle(struct memory *m)
{
    uint64_t writes_done = memory_writes_done(m);
    m->read_idle = memory_frozen(m) ? UINT64_MAX : m->data_fill.done;
    m->write_idle = m->read_idle > writes_done ? m->read_idle : writes_done;
}

/* Recomputes `special`. Must be called after control inputs or observers have changed. Its reasons are a frozen cache,
 * misses that fill no line, totals without `uses`, a hook or observer that must see every reference (bus_cycle,
 * `arrays`), and another bus master. */
void memory_set_special(struct memory *m);

/* Counts the events of `uses` references of one kind (KIND_* and TRAIT_PARTNER): reads, writes, both together, their
 * misses, hits of writes to E and M lines, and what only counts those of MMX instructions. Each reference counts as
 * `halves` references (2 if misaligned) with `misses` misses. If its partner in the same clock (data_answer.h) has
 * signalled an event already, the event is counted but adds no asserted clock. */
void memory_count_kind(counts *totals, unsigned class, unsigned kind, unsigned halves, unsigned misses,
                       uint64_t uses);
/* Adds the events of references counted by kind, and the clocks waited, to the totals of a privilege class, and
 * clears `uses`. */
void memory_fold_uses(uint64_t uses[REFERENCE_USES], counts *totals, unsigned class);

/* ---- access to the state, for other folders ---- */

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
static inline line_fill memory_last_data_fill(const struct memory *m)
{
    return m->data_fill;
}
/* Returns the last result that was DATA_LONG. */
static inline const data_answer *memory_long_answer(const struct memory *m)
{
    return &m->long_answer;
}
/* Stores a copy of each result of the owner's page_bits_set in `page_bits` from now on. */
static inline void memory_log_page_bits(struct memory *m, page_bits_log *page_bits)
{
    m->page_bits = page_bits;
}
/* Returns for how many core clocks the bus was in use up to `clock`. */
static inline bus_use memory_bus_used(const struct memory *m, uint64_t clock)
{
    return bus_used(&m->bus, clock);
}
static inline uint64_t memory_bus_bytes(const struct memory *m, bool write, unsigned class)
{
    return m->bus.bytes[write][class];
}

/* Makes the next hits update the replacement state of caches and TLBs again. Must be called after the arrays or the
 * control inputs were changed, because the fast path skips the update for what it knows to be the most recently used
 * line of its set, with its data TLB entry, or entry of the code TLB. Also calls memory_set_idle. */
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
/* Snoops both caches because another master reads a line or, if `invalidate`, writes it. A modified line is written
 * back. Then the line is removed if `invalidate`, otherwise shared. Sets `*done` to the clock at which the write-back
 * has ended, or to `clock` if there is none. Counts no snoop. */
snoop_result snoop_line(struct memory *m, uint32_t physical, bool invalidate, uint64_t clock, uint64_t *done);
/* Prices and counts an inquire cycle (EADS#) of another bus master, sampled at `clock`; `invalidate` is the INV
 * pin. Sets `*done` as snoop_line does. */
snoop_result memory_inquire(struct memory *m, uint32_t physical, bool invalidate, uint64_t clock,
                            uint64_t *done);
/* Lets the board's other bus master take all turns that are due at `clock`. Must be called before a request at
 * that clock is priced. */
static inline void memory_let_agent(struct memory *m, uint64_t clock)
{
    if (__builtin_expect(m->agent.due <= clock, 0))
        agent_run(m, clock);
}

#endif
