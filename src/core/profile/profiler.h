/* The profiler: what profile*.c know of the profile that is being made, and the bookkeeping that the memo's hot path does
 * inline. profile.h explains sites, contexts, quantities and the memo's leaves. A *stretch* is what is executed of a
 * block at a time. */
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

/* An entry of a key_table: the key (a, b) and its index. */
typedef struct key_slot {
    uint64_t a;
    uint32_t b;
    uint32_t index; /* index plus 1; 0: free */
} key_slot;

/* Open-addressing hash table from a 96-bit key to an index. */
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
    /* Data references by kind, and clocks that they waited; not yet in `counts` (memory_fold_uses). */
    uint64_t uses[REFERENCE_USES];
    counts counts;
} profile_own;

/* A context and a privilege class as one number (p5_core.used_as). */
#define PROFILE_USED_AS(context, cpl_class) ((context) << 2 | (cpl_class))

/* How a stretch ended. */
typedef struct profile_end {
    /* How it left its function: ISA_CALL (any call), ISA_RET, ISA_IRET, ISA_FAR (other far transfers, also a far RET),
     * or ISA_NOT_BRANCH (0) if it did not. */
    uint8_t leaves;
    bool returns;   /* it ended with a RET, near or far */
    uint32_t last;  /* address of its last instruction */
    uint32_t after; /* address after that instruction, if it is a call or return */
    /* Number of its function: index in profiler.functions plus 1. For code without a symbol, 0 in space 0, and
     * PROFILE_UNKNOWN | space in other spaces. */
    uint32_t function;
} profile_end;

enum { PROFILE_UNKNOWN = 0x40000000 }; /* flag in profile_end.function */

/* The upper half of a 64-bit place, whose lower half is a linear address: the number of a function
 * (profile_end.function) plus 1, because 0 marks a block that has not been recorded (profile_block.place). With
 * PROFILE_ELSEWHERE instead, a place equals that of no block. */
#define PROFILE_IN(function) (((uint64_t)(function) + 1) << 32)
#define PROFILE_ELSEWHERE    ((uint64_t)UINT32_MAX << 32)

/* What was observed since the last commit. */
typedef struct profile_sink {
    core_observer observer; /* must be first, because the callbacks cast the observer to the sink */
    ARRAY_OF(profile_delta) deltas;
    bool out_of_memory;
    int watched; /* quantity whose overflows are sampled; P5_PROFILE_NONE: none */
    /* Total of `watched`, unless profile_watches_clocks. It is up to date while every boundary is checked. */
    uint64_t watched_count;
    p5_core *core;
} profile_sink;

struct profiler {
    profile_sink sink;
    profile_options options;  /* as given, but without `functions` and `texts` */
    profile_range *functions; /* copies of the two */
    profile_text *texts;
    ARRAY_OF(uint32_t) directories; /* page directories of the spaces without a name, by number */
    uint32_t directory;             /* the one in use */
    unsigned space;                 /* space of the executed code */
    /* The memory side counts for site `asking` (index plus 1; 0: none). It counts in `own`, or in `scratch`
     * if the site has few lookups and `own` is NULL. */
    uint32_t asking;
    profile_own *own;
    unsigned own_count;              /* number of sites with a profile_own */
    ARRAY_OF(profile_own *) filled;  /* those that may have counts that are not in the totals yet */
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
    key_table entry_table; /* addresses without a symbol that far transfers entered as functions */
    /* Start of the last block that was executed for the first time. A far transfer to this address enters a function,
     * also without a symbol. */
    uint64_t fresh;
    ARRAY_OF(profile_frame) frames;
    uint32_t context; /* the current one */
    bool started;     /* an instruction was executed, or an interrupt delivered */
    /* Where control goes after the last stretch. The upper half is PROFILE_IN of the stretch's function, so that a block
     * there in the same function needs no look at the stack; or PROFILE_ELSEWHERE after a call or return. */
    uint64_t expected;
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
    uint64_t interval_clocks, interval_at; /* clocks of an interval; clock at which the current one ends */
    void (*interval_over)(p5_core *core);  /* calls profile_interval_take with up-to-date totals */
    counts scratch; /* counts of the memory side for `asking` if `own` is NULL, not yet in totals or sites */
};

static inline size_t key_hash(uint64_t a, uint32_t b)
{
    uint64_t h = (a ^ (uint64_t)b << 17) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
    return (size_t)(h ^ h >> 29);
}

bool key_grow(key_table *t);

/* Returns where the index (plus 1) of a key is stored, valid until the next call. A new entry holds 0, and the caller
 * fills it; if the caller cannot, it decrements t->used. Returns NULL, for old keys too, if memory runs out or the table
 * has PROFILE_MOST_KEYS: the profile is then refused. */
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

/* Returns the site for which profile_is_site is true, and makes it if there is none. Returns NULL if it cannot be
 * stored. */
profile_site *profile_site_of(profiler *p, uint32_t context, uint64_t address, unsigned cpl_class);
/* Adds to one quantity of a site. */
void profile_amount_add(profiler *p, profile_site *site, uint32_t quantity, uint64_t increments,
                        uint64_t asserted);
/* Calls profile_gather. Then adds what else the memory side has counted, such as events of other units, to the totals
 * but to no site. */
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
/* Returns a lower bound of the clocks until the sampling counter overflows. Returns 0 if every boundary must be checked:
 * the bound is too small to be of use, a sample is pending, or the quantity is executions or pairing, whose totals the
 * memo does not keep. */
uint64_t profile_clocks_left(p5_core *core);
/* Forming the total of the watched quantity takes as long as checking the boundaries of this many clocks. If an overflow
 * may be nearer, the boundaries are checked. */
enum { PROFILE_LOOK_CLOCKS = 64 };
/* Sets what profile_is_looking and profile_look_clock (profile.h) return, and whether the pipe reports the boundaries
 * between groups of instructions. */
void profile_set_looking(profiler *p, bool looking, uint64_t look_clock);

/* Returns the function of a block plus 1, as in PROFILE_IN; 0 if the block is not recorded. */
static inline uint32_t profile_function(const p5_block *block)
{
    return (uint32_t)(block->profile.place >> 32);
}

/* Returns the function in which execution is expected to continue after a block, likewise plus 1: that of the block, or
 * the upper half of PROFILE_ELSEWHERE. */
static inline uint32_t profile_goes_on_in(const p5_block *block)
{
    return (uint32_t)(block->profile.goes_on >> 32);
}

/* Records a stretch, all of `block`, whose context is the current one; it goes on at `next`. The lower half of
 * profile.goes_on is 0. */
static inline void profile_went_on(profiler *p, p5_block *block, uint32_t next)
{
    p->expected = next | block->profile.goes_on;
    p->block = block;
}

/* Returns whether a stretch from the start of `block` continues where the one before stopped, in the same function. */
static inline bool profile_expects(const profiler *p, const p5_block *block)
{
    return block->profile.place == p->expected;
}

/* Returns whether the current interval is over at clock `now`. */
static inline bool profile_interval_over(const profiler *p, uint64_t now)
{
    return now >= p->interval_at;
}

/* Records a stretch, all of `block`, if it simply continues in the same function where the one before
 * stopped, as most do. The privilege class is then the same, too. Returns false if profile_follow_block has to handle
 * it. */
static inline bool profile_goes_on(profiler *p, p5_block *block, uint32_t next, uint64_t now)
{
    if (!profile_expects(p, block) || profile_interval_over(p, now))
        return false;
    profile_went_on(p, block, next);
    return true;
}

#endif
