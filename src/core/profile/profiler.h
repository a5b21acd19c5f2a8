/* The members of a profile, for profile*.c, and the bookkeeping that replay's hot path does inline. */
#ifndef CORE_PROFILE_PROFILER_H
#define CORE_PROFILE_PROFILER_H

#include "core/internal.h"
#include "core/memory/memory_system.h"
#include "core/profile/profile.h"

enum {
    PROFILE_RECENT = 256,     /* entries of profiler.recent */
    PROFILE_OFTEN = 16,       /* a site with so many lookups gets a profile_own */
    PROFILE_MOST_OFTEN = 8192 /* number of sites that can get one */
};

/* Open-addressing hash table from a 96-bit key to an index. */
typedef struct key_slot {
    uint64_t a;
    uint32_t b;
    uint32_t index; /* index plus 1; 0: free */
} key_slot;

typedef struct key_table {
    key_slot *slots;
    size_t size, used;
    bool full; /* a key was refused because there are PROFILE_MOST_KEYS */
} key_table;

/* Uses of a leaf of the memo in a context. */
typedef struct profile_cell {
    memo_detail *detail; /* of the leaf */
    uint32_t context;
    uint64_t uses[P5_CPL_CLASSES];
} profile_cell;

/* A frame of the shadow call stack. */
typedef struct profile_frame {
    uint64_t return_address; /* PROFILE_AT */
    uint32_t context;        /* of the caller */
    bool interrupt;          /* control came here without a call */
} profile_frame;

/* Counts of the memory side for a site with many lookups. */
typedef struct profile_own {
    uint32_t site;       /* index plus 1; 0: no site */
    bool filled;         /* it is in profiler.filled */
    uint64_t bus_clocks; /* of bus cycles that the site began */
    /* References and their waits that are not yet in `counts` (memory_fold_uses). */
    uint64_t uses[REFERENCE_USES];
    counts counts;
} profile_own;

/* A context and a privilege class as one number (p5_core.used_as). */
#define PROFILE_USED_AS(context, cpl_class) ((context) << 2 | (cpl_class))

/* How a stretch ended. */
typedef struct profile_end {
    uint8_t leaves; /* kind of call or return that ended it (isa_branch); ISA_NOT_BRANCH (0): none */
    bool returns;   /* it ended with a RET, near or far */
    uint32_t last;  /* address of its last instruction */
    uint32_t after; /* address after that instruction, if it is a call or return */
    /* Number of its function, from 1. If no symbol covers it: 0 in space 0, PROFILE_UNKNOWN | space in others. */
    uint32_t function;
} profile_end;

enum { PROFILE_UNKNOWN = 0x40000000 }; /* flag in profile_end.function */

/* A function (profile_end.function) in the upper half of 64 bits, whose lower half is an address. The upper half is
 * the function plus 1, because 0 marks a block that has not been recorded (profile_block.place).
 * PROFILE_ELSEWHERE stands for no function. */
#define PROFILE_IN(function) (((uint64_t)(function) + 1) << 32)
#define PROFILE_ELSEWHERE    ((uint64_t)UINT32_MAX << 32)

/* What was observed since the last commit. */
typedef struct profile_sink {
    core_observer observer; /* must be first, because the callbacks cast the observer to the sink */
    ARRAY_OF(profile_delta) deltas;
    bool out_of_memory;
    int watched; /* quantity whose overflows are sampled, P5_PROFILE_CLOCKS or P5_PROFILE_NONE */
    /* Its total, if it is no kind of clocks; up to date while every boundary is checked. */
    uint64_t watched_count;
    p5_core *core;
} profile_sink;

struct profiler {
    profile_sink sink;
    profile_options options; /* as given, except functions and texts, which are copied: */
    profile_range *functions;
    profile_text *texts;
    ARRAY_OF(uint32_t) directories; /* page directories of the spaces without a name, by number */
    uint32_t directory;             /* the one in use */
    unsigned space;                 /* space of the executed code */
    /* The memory side counts for site `asking` (index plus 1; 0: none). It counts in `own`, or in `scratch`
     * if the site has few lookups and `own` is NULL. */
    uint32_t asking;
    profile_own *own;
    unsigned own_count;              /* of sites with a profile_own */
    ARRAY_OF(profile_own *) filled;  /* those whose counts may not be part of the totals yet */
    uint32_t recent[PROFILE_RECENT]; /* index plus 1 of recently found sites, by address */
    ARRAY_OF(profile_site) sites;
    key_table site_table;
    uint32_t last_site;   /* index plus 1 of the site found last */
    memo_detail *details; /* list of the details of all leaves */
    uint32_t detail_count;
    ARRAY_OF(profile_cell) cells;
    key_table cell_table; /* by detail and context */
    ARRAY_OF(profile_code) code;
    key_table code_table;                                          /* by address */
    bool out_of_memory;                                            /* something is missing in the profile */
    uint64_t data_misses[PROFILE_SETS], code_misses[PROFILE_SETS]; /* by set of the cache */
    /* The shadow call stack. */
    ARRAY_OF(profile_context) contexts;
    ARRAY_OF(profile_edge) edges;
    key_table edge_table;
    key_table entry_table; /* far transfers that entered code without symbols */
    /* Start of the last block that was executed for the first time. A far transfer there enters a function if no symbol
     * covers it. */
    uint64_t fresh;
    ARRAY_OF(profile_frame) frames;
    uint32_t context;   /* the current one */
    bool started;       /* an instruction was executed, or an interrupt delivered */
    uint64_t expected;  /* where control goes after the last stretch, with PROFILE_IN of its function in the
                           upper half if it is expected there, else PROFILE_ELSEWHERE */
    p5_block *block;    /* block at whose end the last stretch ended; NULL: use `end` */
    profile_end end;    /* end of the last stretch, if `block` is NULL */
    uint32_t edge;      /* index plus 1 of the call counted last; 0: none was stored */
    unsigned cpl_class; /* of the last stretch */
    /* Samples and intervals. */
    bool looking;        /* profile_is_looking */
    uint64_t look_clock; /* profile_look_clock */
    ARRAY_OF(profile_sample) samples;
    uint64_t overflows;
    uint64_t armed_at; /* total at which the counter was last preset */
    uint64_t due;      /* clock of the interrupt request after an overflow; 0: none pending */
    bool open_sample;  /* the last sample gets its context when the next instruction is known */
    ARRAY_OF(profile_interval) intervals;
    ARRAY_OF(profile_marker) markers;
    uint64_t interval_clocks, interval_at; /* distance of intervals; clock at which the current one ends */
    void (*interval_over)(p5_core *core);  /* calls profile_interval_take with up-to-date totals */
    counts scratch; /* counts of the memory side for `asking` if `own` is NULL, not yet in totals or sites */
};

/* Returns where the index (plus 1) of a key is stored, valid until the next call. A new entry holds 0, and the caller
 * fills it; if the caller cannot, it decrements t->used. Returns NULL if memory runs out. */
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

/* Returns whether a site is that of the instruction at `address` (PROFILE_AT) in a context at a privilege class. */
static inline bool profile_is_site(const profile_site *site, uint32_t context, uint64_t address,
                                   unsigned cpl_class)
{
    return site->address == address && site->context == context && site->cpl_class == cpl_class;
}
/* Returns the site of the instruction at `address` (PROFILE_AT) in a context at a privilege class, or NULL if memory
 * runs out. Its key puts the context, 16 bits, above the address, which has 8 bits of space and 32 of linear address. */
profile_site *profile_site_of(profiler *p, uint32_t context, uint64_t address, unsigned cpl_class);
/* Adds to one quantity of a site. */
void profile_amount_add(profiler *p, profile_site *site, uint32_t quantity, uint64_t increments,
                        uint64_t asserted);
/* Calls profile_gather. Then adds what else the memory side has counted, such as events of other units, to the totals
 * but to no site. (profile_memory.c) */
void profile_gather_rest(p5_core *core);
/* Adds the clocks of bus cycles to the amounts of the sites that began the cycles. */
void profile_book_bus(profiler *p);
/* Makes `context` the current one, and calls profile_options.moved. */
void profile_set_context(p5_core *core, uint32_t context);
/* Records the totals as an interval that ends now, and begins the next one. */
void profile_interval_take(p5_core *core, const p5_counts *totals);
/* Returns whether the samples watch a kind of clocks. Clocks pass one by one, and their number is known at
 * any time. Other quantities are counted in sink.watched_count while every boundary is checked. */
bool profile_watches_clocks(const p5_core *core);
/* Presets the sampling counter for the first time. */
void profile_arm(p5_core *core);
/* Returns a lower bound of the clocks until the sampling counter overflows; 0 if there are too few, or a
 * sample is pending. It is always 0 for executions and pairing, whose totals the memo does not keep. */
uint64_t profile_clocks_left(p5_core *core);
/* Summing up what is watched takes as long as checking the boundaries of this many clocks. */
enum { PROFILE_LOOK_CLOCKS = 64 };
/* Sets what profile_is_looking and profile_look_clock return, and whether the pipe reports boundaries. */
void profile_set_looking(profiler *p, bool looking, uint64_t look_clock);

/* Return functions plus 1, as in PROFILE_IN. The first is the function of a block (0: not recorded). The second is the
 * function in which execution is expected to continue after the block: the same one, or that of PROFILE_ELSEWHERE. */
static inline uint32_t profile_function(const p5_block *block)
{
    return (uint32_t)(block->profile.place >> 32);
}

static inline uint32_t profile_goes_on_in(const p5_block *block)
{
    return (uint32_t)(block->profile.goes_on >> 32);
}

/* Records that all of `block` was executed and simply continued where the stretch before stopped. */
static inline void profile_went_on(profiler *p, p5_block *block, uint32_t next)
{
    p->expected = next | block->profile.goes_on;
    p->block = block;
}

/* Return whether a stretch of `block` continues where the one before stopped, in the same function, and
 * whether the interval is over. */
static inline bool profile_expects(const profiler *p, const p5_block *block)
{
    return block->profile.place == p->expected;
}
static inline bool profile_interval_over(const profiler *p, uint64_t now)
{
    return now >= p->interval_at;
}

/* Records a stretch, all of `block`, if it simply continues in the same function where the one before
 * stopped, as most do. Returns false if profile_follow has to handle it. */
static inline bool profile_goes_on(profiler *p, p5_block *block, uint32_t next, uint64_t now)
{
    if (!profile_expects(p, block) || profile_interval_over(p, now))
        return false;
    profile_went_on(p, block, next);
    return true;
}

#endif
