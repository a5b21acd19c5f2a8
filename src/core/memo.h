/* The memo's data: what the pipe did with a piece of code from one state is remembered and not worked out
 * again. The idea, the files and the words are in replay/README.md. p5_core holds it by value, which spares
 * the hot path a load; hence it stands here, but it is replay's, and no room below it names it. */
#ifndef CORE_MEMO_H
#define CORE_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "core/pipe/pipe.h"

enum { WAITING_ACCESSES = 2 }; /* of an instruction that waits for its partner */

/* A state of the pipe. */
typedef struct memo_state {
    pipe_state state;
    const pipe_pending *waiting; /* the instruction that waits for its partner, but for its references; or
                                    NULL */
} memo_state;

typedef struct memo_path memo_path;
typedef struct memo_leaf memo_leaf;
typedef struct memo_streak memo_streak;
typedef struct memo_record memo_record;

/* An answer that the pipe can tell from others, in relative clocks: see memo_learn.c. */
typedef struct memo_answer {
    uint64_t word[4];
} memo_answer;

/* A hash table that grows: what is looked up stands in the slots, so that a search reads no more than it
 * finds. */
typedef struct memo_slot {
    uint32_t hash, number; /* of the object in its pool; 0: free */
} memo_slot;

typedef struct memo_table {
    memo_slot *slots;
    uint32_t mask, count; /* slots - 1, of which are in use */
} memo_table;

/* Objects of one kind one behind the other, which are known by their numbers; 0 is none. They stay where they
 * are: the room is that for as many as the budget allows, and the host gives what is used. */
typedef struct memo_pool {
    char *objects;
    uint32_t size, count, most; /* bytes of each; objects; room */
} memo_pool;

/* How far PF was ahead behind a use of `leaf`, at which so many instructions had been priced. */
typedef struct memo_lead {
    uint32_t leaf;
    uint64_t instructions;
    prefetch_ahead ahead;
} memo_lead;

/* Whether it is worth while to look for paths: where most of what comes was never there before, the exact
 * path takes half of the time. Then it is tried again later. */
typedef struct memo_worth {
    uint64_t since;   /* instructions, from which on it is found out */
    uint64_t unknown; /* pieces since, of which something was not known */
    unsigned in_vain; /* times in a row that it was not worth while */
} memo_worth;

typedef struct memo {
    bool held;               /* control inputs know what remembered answers do not: memo_is_held */
    bool large;              /* it does not fit the host's nearer caches */
    uint32_t generation;     /* how often everything was forgotten */
    memo_table state_table;  /* interned pipe states */
    memo_table path_table;   /* by piece, state and variant, */
    memo_table family_table; /* ... and the first one with variants of each piece and state */
    memo_pool states, paths, nodes, edges, fans, leaves;
    memo_pool results;   /* of the leaves, by the same numbers */
    uint32_t last;       /* the leaf that led to the core's state, and holds it; or 0 */
    memo_state *current; /* without `last`: the interned form of the core's state, or NULL */
    uint32_t dirty;      /* leaves reached since totals were last formed */
    arena arena;         /* what is of any size */
    size_t budget;       /* above it everything is dropped and built anew */
    memo_worth worth;
    pipe_deltas *scratch; /* deltas of the piece that a leaf is made from; 0 between */
    /* Of the stretch that is being priced: */
    const memo_streak **given; /* answers that were not the usual ones, in order, */
    unsigned given_count;
    memo_answer unknown; /* ... and the last, if it never came before: */
    bool has_unknown;
    uint32_t known; /* questions that were answered before the pipe is run; set when the tree ends */
    /* While the pipe runs: */
    unsigned next_given;
    uint32_t asked;       /* questions so far */
    int32_t data_asked;   /* ... for data references, those of what waited below 0 */
    memo_record *records; /* all of them */
    unsigned record_room; /* of `records` and `given` */
    unsigned told;        /* number of the branch's answer: memo_streak.told */
    p5_access *joined;    /* of what waits, and of a stretch that does not stand behind it */
    unsigned joined_room;
    const p5_access *accesses;
    pipe_resolver resolver;
    memo_lead noted; /* the last that was worked out */
} memo;

/* The end of a piece: what is looked at every time, as little as there can be of it, ... */
struct memo_leaf {
    uint32_t next_path; /* the path that was taken last from here, ... */
    union {
        uint32_t plain_path; /* with a profile: the last one of which it needs not be told (memo_batch.c) */
        uint32_t after;      /* without: the path behind that of next_path, last time */
    };
    uint32_t used_as; /* the core's when it was used last, or MEMO_UNUSED since totals were formed last */
    uint32_t clocks;
    uint32_t uses;   /* as that */
    uint32_t before; /* the leaf used before, last time; 0: then the pipe was run */
    uint32_t to;     /* the state */
    uint8_t instructions, groups;
    uint8_t waits; /* an instruction waits for its partner: 1 and how many references it makes */
};
_Static_assert(HOST_LINE % sizeof(memo_leaf) == 0, "leaves do not cross lines");
_Static_assert(PIECE_MOST + 1 <= UINT8_MAX, "their instructions and groups fit");

/* ... and the rest. */
typedef struct memo_result {
    uint64_t uses[P5_CPL_CLASSES];      /* before those of the leaf */
    prefetch_move move;                 /* what the fetches of the piece come to */
    int32_t waiting_f, waiting_fetched; /* pending.front of what waits, relative to the end; the second no
                                           earlier than the last fetch, or INT32_MIN: at that */
    uint32_t last_u, previous_u;        /* as in `pipe`; the second if there was more than one group */
    uint32_t next_dirty;
    uint32_t delta_count;
    struct memo_delta *deltas;
    struct memo_detail *detail; /* NULL: it was made without a profile */
} memo_result;

#endif
