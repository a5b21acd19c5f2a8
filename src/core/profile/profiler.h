/* What a profile consists of, for the files profile*.c; and what replay's hot path books into it, inline. */
#ifndef CORE_PROFILE_PROFILER_H
#define CORE_PROFILE_PROFILER_H

#include "core/internal.h"
#include "core/memory/memory_system.h"
#include "core/profile/profile.h"

enum { PROFILE_NEAR = 256, PROFILE_OFTEN = 16, PROFILE_MOST_OFTEN = 8192 };

/* Open-addressing table from a key of 96 bits to an index. */
typedef struct key_slot {
    uint64_t a;
    uint32_t b;
    uint32_t index; /* plus 1; 0 = free */
} key_slot;

typedef struct key_table {
    key_slot *slots;
    size_t size, used;
} key_table;

/* Uses of a leaf in a context. */
typedef struct profile_cell {
    memo_detail *detail;
    uint32_t context;
    uint64_t uses[P5_CPL_CLASSES];
} profile_cell;

typedef struct profile_frame {
    uint64_t return_address;
    uint32_t context; /* of the caller */
    bool interrupt;   /* control came here without a call */
} profile_frame;

/* What the memory side counts for a site that asks often. */
typedef struct profile_own {
    uint64_t place;      /* PROFILE_PLACE of the site while this may hold something, else PROFILE_NO_PLACE */
    uint32_t site;       /* index plus 1; 0: of no site */
    uint32_t number;     /* among all, from 1 */
    uint64_t bus_clocks; /* of cycles that it began */
    uint64_t uses[REFERENCE_USES];
    counts counts;
} profile_own;

/* Where something is executed: contexts begin with 1. */
#define PROFILE_PLACE(context, cpl_class) ((uint64_t)(context) << 2 | (cpl_class))
#define PROFILE_NO_PLACE                  UINT64_MAX

/* How a stretch ended. */
typedef struct profile_end {
    uint8_t leaves;    /* the call or return that it ended with (isa_branch); 0 = none */
    uint32_t last;     /* address of its last instruction */
    uint32_t behind;   /* ... and of what stands behind it, if it is one of those */
    uint32_t function; /* number of its function; 0, or PROFILE_UNKNOWN and its space: not known */
} profile_end;

enum { PROFILE_UNKNOWN = 0x40000000 };

/* Above an address in 64 bits. A block that no stretch has been noted of has 0 there. */
#define PROFILE_IN(function) (((uint64_t)(function) + 1) << 32)
#define PROFILE_ELSEWHERE    ((uint64_t)UINT32_MAX << 32)

/* What has been told since the last commit. */
typedef struct profile_sink {
    core_observer observer; /* the first member: the observer's functions find the sink by it */
    ARRAY_OF(profile_delta) deltas;
    bool out_of_memory;
    int watched; /* quantity that overflows are taken of, P5_PROFILE_CLOCKS or P5_PROFILE_NONE */
    uint64_t watched_count;
    p5_core *core;
} profile_sink;

struct profiler {
    profile_sink sink;
    profile_options options;
    profile_range *functions;
    profile_text *texts;
    ARRAY_OF(uint32_t) directories; /* of the spaces without a name, by number */
    uint32_t directory;             /* in use */
    unsigned space;                 /* of what is executed */
    /* The memory side counts for `asking` (index of the site plus 1; 0 = nobody): in `own` or, if it is one
     * that has asked a few times only and this is NULL, in `scratch`. */
    uint32_t asking;
    profile_own *own;
    uint64_t place;                 /* of what is executed, if there is `own`; else 0 */
    profile_own nobody;             /* the first of */
    ARRAY_OF(profile_own *) owns;   /* ... all, by number */
    ARRAY_OF(profile_own *) filled; /* those whose counts may not be among the totals */
    uint32_t near[PROFILE_NEAR];    /* index plus 1 of sites found lately, by address */
    ARRAY_OF(profile_site) sites;
    key_table site_table;
    uint32_t last_site; /* index plus 1 of the site found last */
    memo_detail *details;
    uint32_t detail_count;
    ARRAY_OF(profile_cell) cells;
    key_table cell_table;
    ARRAY_OF(profile_code) code;
    key_table code_table;
    bool out_of_memory;
    uint64_t data_misses[PROFILE_SETS], code_misses[PROFILE_SETS];
    /* The shadow call stack. */
    ARRAY_OF(profile_context) contexts;
    ARRAY_OF(profile_edge) edges;
    key_table edge_table;
    key_table entry_table; /* where far transfers have entered code without symbols */
    uint64_t fresh;        /* where the last block begins that was executed for the first time */
    ARRAY_OF(profile_frame) frames;
    uint32_t context;   /* the current one */
    bool started;       /* something has been executed */
    uint64_t expected;  /* where control goes after the last stretch, and (above) PROFILE_IN its function, if
                           it is expected there; else PROFILE_ELSEWHERE */
    p5_block *block;    /* whose end is that of the last stretch; NULL: */
    profile_end end;    /* ... it is written here */
    uint32_t edge;      /* index plus 1 of the call counted last; 0: it has no place */
    unsigned cpl_class; /* of the last stretch */
    /* Samples and intervals. */
    bool looking;        /* profile_is_looking */
    uint64_t look_clock; /* profile_look_clock */
    ARRAY_OF(profile_sample) samples;
    uint64_t overflows;
    uint64_t armed_at; /* total at which the counter was preset last */
    uint64_t due;      /* clock of the interrupt request after an overflow; 0 = none yet */
    bool open_sample;  /* the context of the last sample is that of the instruction that comes next */
    ARRAY_OF(profile_interval) intervals;
    ARRAY_OF(profile_marker) markers;
    uint64_t interval_clocks, interval_at;
    void (*interval_over)(p5_core *core); /* profile_interval_take, with totals that are up to date */
    counts scratch;
};

/* Index (plus 1) that stands under a key; a new place holds 0 and is the caller's to fill. NULL: out of
 * memory. */
static inline uint32_t *key_find(key_table *t, uint64_t a, uint32_t b);
bool key_grow(key_table *t);

static inline size_t key_hash(uint64_t a, uint32_t b)
{
    uint64_t h = (a ^ (uint64_t)b << 17) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return (size_t)(h ^ h >> 29);
}

static inline uint32_t *key_find(key_table *t, uint64_t a, uint32_t b)
{
    if (2 * t->used >= t->size && !key_grow(t))
        return NULL;
    size_t mask = t->size - 1;
    for (size_t at = key_hash(a, b) & mask;; at = (at + 1) & mask) {
        key_slot *slot = &t->slots[at];
        if (slot->index == 0) {
            t->used++;
            slot->a = a;
            slot->b = b;
            return &slot->index;
        }
        if (slot->a == a && slot->b == b)
            return &slot->index;
    }
}

void profile_set_context(p5_core *core, uint32_t context);
void profile_interval_take(p5_core *core, const p5_counts *totals);
/* Clocks of some kind are watched: they pass one by one, and how many there were is known at any time. Of
 * others sink.watched_count says it, which is kept while every boundary is looked at. */
bool profile_watches_clocks(const p5_core *core);
/* The counter that samples are taken by is preset for the first time. */
void profile_arm(p5_core *core);
/* Clocks that pass at least until it overflows; 0: too few, or a sample is due. Executions and pairing, which
 * the memo does not know in sum, may always be about to. */
uint64_t profile_clocks_left(p5_core *core);
/* It takes as long to sum up what is watched as to look at the boundaries of so many clocks. */
enum { PROFILE_WORTH = 64 };
void profile_set_looking(profiler *p, bool looking, uint64_t look_clock);

/* The function that a block is in, and the one that what comes behind it is expected in: the same, or none.
 */
static inline uint32_t profile_function(const p5_block *block)
{
    return (uint32_t)(block->place >> 32);
}

static inline uint32_t profile_goes_on_in(const p5_block *block)
{
    return (uint32_t)(block->goes_on >> 32);
}

/* All of `block` was executed, and simply went on where the stretch before stopped. */
static inline void profile_went_on(profiler *p, p5_block *block, uint32_t next)
{
    p->expected = next | block->goes_on;
    p->block = block;
}

/* A stretch of `block` goes on where the one before stopped, in the same function; the interval is over. */
static inline bool profile_expects(const profiler *p, const p5_block *block)
{
    return block->place == p->expected;
}
static inline bool profile_interval_over(const profiler *p, uint64_t now)
{
    return now >= p->interval_at;
}

/* Notes a stretch, all of `block`, that simply goes on where the one before stopped, in the same function:
 * most do. False: profile_follow has more to do. */
static inline bool profile_goes_on(profiler *p, p5_block *block, uint32_t next, uint64_t now)
{
    if (!profile_expects(p, block) || profile_interval_over(p, now))
        return false;
    profile_went_on(p, block, next);
    return true;
}

#endif
