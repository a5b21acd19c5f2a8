/* The memory side of one core: its caches, TLBs, write buffers and bus, and the times at which what is under
 * way will be done. For the files of the memory side, the test registers (raw entries) and the inlined hot
 * path; the pipe uses memory.h.
 *
 *   memory_data.c     data references      memory_count.c  their events        walk.c   page walks
 *   data_answer.h     ... their answers    snoop.c         internal and external snoops
 *   reference_kind.h  ... what they count  memory_system.c life, control, draining
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

/* A line fill under way. `done`: the line can be used from the array. */
typedef struct line_fill {
    uint32_t line;
    uint64_t done;
} line_fill;

/* Uses of each kind of reference, which memory_data.c counts and memory_fold turns into events; behind them,
 * core clocks that references have waited. */
enum { WAITED_FOR_READ = REFERENCE_KINDS, WAITED_FOR_BUFFER, REFERENCE_USES };

/* What the owner's page_bits_set has answered lately, for memo_check.c. */
enum { MEMORY_TOLD = 64 };
typedef struct memory_told_bits {
    uint32_t linear;
    unsigned bits;
    bool write;
} memory_told_bits;
typedef struct memory_told {
    memory_told_bits bits[MEMORY_TOLD];
    unsigned count;
} memory_told;

struct memory {
    /* Hot path: see memory_fast.h. */
    data_cache data;
    tlb data_tlb;
    uint64_t read_quiet,
        write_quiet; /* from these clocks on nothing is under way that could delay any hit of that kind */
    bool paging;
    bool separate_large; /* 4 MB pages have a TLB of their own */
    bool code_tlb_splits;
    uint32_t fill_mask; /* bits of addresses that are those of the line being filled: those of its line or,
                           where a fill holds up all hits of its set, of its set */
    code_cache code;
    tlb code_tlb;
    line_fill data_fill, code_fill;
    uint64_t code_parts[4]; /* when its 8-byte parts can be decoded */
    agent agent;

    /* Everything else. */
    tlb data_tlb_large;
    write_buffer writes;
    uint64_t locked_read; /* clock at which the data of the last locked reference was there */
    uint64_t ewbe_at;     /* clock from which EWBE# is active again */
    uint64_t ewbe_clocks; /* from the end of a write to then */
    bus bus;
    const p5_model *model;
    p5_core_hooks hooks; /* keeps_memory: never NULL; without to_memory it says no */
    counts *totals;
    uint64_t *uses; /* of each kind, not yet in the totals; NULL: all references are there at once */
    uint64_t own_uses[P5_CPL_CLASSES][REFERENCE_USES];
    bool special; /* no data reference is plain: the cache is held still, somebody shares the bus or looks
                     on */
    bool totals_given; /* the profile says where to count */
    unsigned class;
    data_answer long_answer;         /* the last one that did not fit into a word */
    bool no_data_fill, no_code_fill; /* CD or TR12 inhibit */
    bool cache_disable, not_write_through;
    bool loses_mmx_writes;   /* erratum 75: event 2Eh of counter 1 does not see non-cacheable writes of MMX
                                instructions */
    core_observer *observer; /* NULL: nobody watches */
    array_observer *arrays;  /* likewise; else no data reference is plain */
    memory_told *told;       /* what the owner has said, for who wants to know; or NULL */
};

/* True while replacement bits of the data cache stand still and hits are not the usual ones. */
static inline bool memory_frozen(const struct memory *m)
{
    return m->cache_disable;
}

/* A line of code is still on its way to the cache at `clock`. */
static inline bool memory_code_filling(const struct memory *m, uint32_t line, uint64_t clock)
{
    return m->code_fill.done > clock && m->code_fill.line == line;
}

/* The TLB of data pages of that size: 4 MB pages may have their own. */
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

/* ---- between the files of the memory side ---- */

/* Walks the page tables for a TLB miss known at `asked`; answers the clock at which the reference looks up
 * again. */
uint64_t walk_data(struct memory *m, uint32_t key, uint32_t physical, uint8_t attributes, bool write,
                   uint64_t asked);
uint64_t walk_code(struct memory *m, uint32_t key, uint32_t physical, uint64_t asked);
/* First write through an entry whose dirty bit is clear. */
uint64_t walk_set_dirty(struct memory *m, unsigned entry, bool large, uint64_t asked);

/* Internal snoop before a page-table entry is read or a code line is fetched: a modified data line goes to
 * the bus first. A code fetch (or an update of the entry) leaves no copy behind. */
void snoop_data_cache(struct memory *m, uint32_t physical, bool invalidate, uint64_t asked);
/* A fetch of `physical` hits. */
static inline bool memory_has_code(const struct memory *m, uint32_t physical)
{
    return code_cache_find(&m->code, physical) >= 0;
}
/* A data reference that goes to the bus leaves no copy of the line in the code cache. */
static inline void snoop_code_cache(struct memory *m, uint32_t physical)
{
    if (__builtin_expect(memory_has_code(m, physical), 0))
        code_cache_drop(&m->code, physical);
}

/* Sends the modified line in this place to the bus; answers when it is there. */
uint64_t memory_write_back(struct memory *m, unsigned set, unsigned way, uint64_t asked);
/* A bus cycle has written these bytes: memory holds what the processor sees there. */
static inline void memory_is_written(struct memory *m, uint32_t physical, uint32_t size)
{
    if (__builtin_expect(*m->hooks.keeps_memory, 0))
        m->hooks.to_memory(m->hooks.context, physical, size);
}
/* What every bus cycle of the processor comes through: its bytes are counted, and the owner looks at it.
 * `type` is P5_CYCLE_*. */
static inline void memory_cycle(struct memory *m, uint32_t physical, uint32_t size, unsigned type)
{
    m->bus.bytes[(type & P5_CYCLE_WRITE) != 0][m->class] += size;
    if (__builtin_expect(m->hooks.bus_cycle != NULL, 0))
        m->hooks.bus_cycle(m->hooks.context, physical, size, type);
}
/* Shared lines whose write-through has ended by `clock` become exclusive. */
void memory_make_exclusive(struct memory *m, uint64_t clock);
static inline void memory_upgrade_lines(struct memory *m, uint64_t clock)
{
    if (__builtin_expect(clock >= m->writes.upgrade_at, 0))
        memory_make_exclusive(m, clock);
}

/* Clock from which a write to an E or M line is not held by older writes (strong ordering). */
static inline uint64_t memory_writes_done(const struct memory *m)
{
    return m->writes.drained > m->ewbe_at ? m->writes.drained : m->ewbe_at;
}

/* Recomputes read_quiet and write_quiet. */
static inline void memory_set_quiet(struct memory *m)
{
    uint64_t writes_done = memory_writes_done(m);
    m->read_quiet = memory_frozen(m) ? UINT64_MAX : m->data_fill.done;
    m->write_quiet = m->read_quiet > writes_done ? m->read_quiet : writes_done;
}

/* Recomputes `special`: after a change of control inputs or of who looks on. */
void memory_set_special(struct memory *m);

/* Events 0-5, 28h, 29h and their MMX-only versions of `uses` references of one kind, each of which counts as
 * `halves` references with `misses` misses. A signal that the partner has on already is on for no further
 * clock. */
void memory_count_kind(counts *totals, unsigned class, unsigned kind, unsigned halves, unsigned misses,
                       uint64_t uses);
/* Adds what was counted by kind and what was waited, and empties it. */
void memory_fold_uses(uint64_t uses[REFERENCE_USES], counts *totals, unsigned class);

/* ---- for who looks into it, writes its arrays by their own functions, or knows its owner ---- */

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
/* The tags of a set; CACHE_NO_TAG where there is no line. */
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
/* The last answer that was DATA_LONG. */
static inline const data_answer *memory_long_answer(const struct memory *m)
{
    return &m->long_answer;
}
/* What the owner's page_bits_set answers is kept there, too. */
static inline void memory_keep_told(struct memory *m, memory_told *told)
{
    m->told = told;
}
/* Core clocks in which the bus was in use up to `clock`. */
static inline bus_use memory_bus_used(const struct memory *m, uint64_t clock)
{
    return bus_used(&m->bus, clock);
}
static inline uint64_t memory_bus_bytes(const struct memory *m, bool write, unsigned class)
{
    return m->bus.bytes[write][class];
}

/* Somebody has written into the arrays: of no hit is known that it changes nothing. */
static inline void memory_forget_hits(struct memory *m)
{
    data_cache_forget(&m->data);
    code_cache_forget(&m->code);
    m->code_tlb.last = 0;
    memory_set_quiet(m);
}

/* Another bus master may act. */
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
/* What the caches do when another master reads or (`invalidate`) writes a line; `*done` as below. */
snoop_result snoop_line(struct memory *m, uint32_t physical, bool invalidate, uint64_t clock, uint64_t *done);
/* An inquire cycle (EADS#) of another bus master, sampled at `clock`; `invalidate` is the INV pin. `*done`:
 * clock at which a write-back that it caused has ended, or `clock`. */
snoop_result memory_inquire(struct memory *m, uint32_t physical, bool invalidate, uint64_t clock,
                            uint64_t *done);
/* Another master owns the bus for `bus_clocks` from `clock` on (HOLD/HLDA, AHOLD, BOFF#); answers when it is
 * free. */
uint64_t memory_foreign_bus(struct memory *m, uint64_t clock, uint32_t bus_clocks);
/* Lets the board's agent do what is due at `clock`, the time of a request. */
static inline void memory_let_agent(struct memory *m, uint64_t clock)
{
    if (__builtin_expect(m->agent.due <= clock, 0))
        agent_run(m, clock);
}

#endif
