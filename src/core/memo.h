/* Data of the memo, which stores what the pipe did with a piece of code from a given state, so that it is
 * worked out only once. replay/README.md explains the idea and the files. The memo belongs to replay and no
 * folder below replay uses it. It is declared here because p5_core holds it by value, which saves the hot path a
 * load.
 *
 *   piece     a basic block or a part of it (memo_block.h)
 *   path      the entry for a piece that starts from one pipe state, in one variant (by mode, bank conflicts ...)
 *   question  a lookup that the pipe makes: code line, data reference, branch. The result is its answer. The
 *             questions of a path form a tree of nodes, because an answer decides what is asked next
 *   usual     said of an answer: a hit that waits for nothing
 *   streak    the questions from the beginning of a path, or from an edge, as long as answers are usual
 *   edge      what follows an answer that is not usual. A fan lists the edges of a node that has several
 *   leaf      the end of the tree: clocks, counts and the next state. It counts its uses
 *   outcome   the prediction of the piece's branch and its direction, as a number, which selects the leaf */
#ifndef CORE_MEMO_H
#define CORE_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "core/memo_block.h"
#include "core/pipe/pipe.h"

enum { WAITING_ACCESSES = 2 }; /* memory references of the instruction that is pending in D1 */

/* An interned state of the pipe: equal states are one object. */
typedef struct memo_state {
    pipe_state state;
    const pipe_pending *waiting; /* the instruction that is pending in D1, without its references; or NULL */
} memo_state;

typedef struct memo_path memo_path;
typedef struct memo_leaf memo_leaf;
typedef struct memo_streak memo_streak;
typedef struct memo_record memo_record;

/* An answer as far as the pipe can distinguish it from others, with clocks relative to the question (memo_learn.c). */
typedef struct memo_answer {
    uint64_t word[4];
} memo_answer;

/* A growing hash table. The hash is stored in the slot, so a search reads only the objects that it finds. */
typedef struct memo_slot {
    uint32_t hash, number; /* number of the object in its pool; 0: free slot */
} memo_slot;

typedef struct memo_table {
    memo_slot *slots;
    uint32_t mask, count; /* number of slots - 1; slots in use */
} memo_table;

/* Contiguous objects of one kind, identified by their numbers; 0 means none. They never move: address space
 * is reserved for as many as the budget allows, and the host supplies the pages that are used. */
typedef struct memo_pool {
    char *objects;
    uint32_t size, count, most; /* bytes of an object; number of objects; capacity in objects */
} memo_pool;

/* The lead of PF over the decoders after a use of `leaf`, when `instructions` had been priced. States do not contain
 * it; memo_resume.c computes it. */
typedef struct memo_lead {
    uint32_t leaf;
    uint64_t instructions;
    prefetch_ahead ahead;
} memo_lead;

/* Decides whether looking up paths pays. If most pieces are executed for the first time, the exact path takes
 * half of the time, so lookups pause for a while. */
typedef struct memo_pause {
    uint64_t since;   /* instruction count at which the current period begins; in the future: lookups pause
                         until then */
    uint64_t misses;  /* pieces in this period that were not found, or not with the answers that occurred */
    unsigned in_vain; /* consecutive periods in which lookups did not pay */
} memo_pause;

typedef struct memo {
    bool held;              /* only the exact path may be used, which memo_hold decides */
    uint32_t generation;    /* how often everything was dropped */
    memo_table state_table; /* interned pipe states */
    memo_table path_table;  /* paths by piece, state and variant */
    memo_pool states, paths, nodes, edges, fans, leaves;
    memo_pool results;   /* of the leaves, under the same numbers */
    uint32_t last;       /* the leaf that led to the core's state and holds it; or 0 */
    memo_state *current; /* if `last` is 0: the interned form of the core's state, or NULL */
    uint32_t dirty;      /* list of the leaves used since totals were last formed */
    arena arena;         /* objects of variable size */
    size_t budget;       /* bytes; above it everything is dropped and learned again */
    memo_pause pause;
    pipe_deltas *scratch; /* counts of the piece that is being learned; all 0 at other times */
    /* The piece that is being priced: */
    const memo_streak **taken_edges; /* edges of the answers that were not usual, in order */
    unsigned taken_edge_count;
    memo_answer new_answer; /* the last answer, if it never occurred before (`has_new_answer`) */
    bool has_new_answer;
    uint32_t answered_count; /* questions answered before the tree ended, after which the pipe runs */
    /* A run of the pipe that learns: it gets the answers so far again, then asks the structures. */
    unsigned next_taken_edge; /* index of the next of `taken_edges` to be repeated */
    uint32_t asked;           /* questions so far */
    int32_t data_asked;   /* data references so far; those of the pending instruction count from below 0 */
    memo_record *records; /* all questions of the run with their answers */
    unsigned record_capacity; /* capacity of `records` and `taken_edges` */
    unsigned outcome;         /* number of the branch's outcome: memo_streak.leaves */
    /* Copies of the pending instruction's references, then of the stretch's, where the two are not contiguous. */
    p5_access *joined;
    unsigned joined_capacity;
    pipe_resolver resolver; /* repeats and records answers */
    memo_lead last_lead;    /* the last lead that was computed */
} memo;

/* The end of a piece, which every use reads: as small as possible. memo_result holds the rest. */
struct memo_leaf {
    uint32_t next_path; /* number of the path that followed last time; 0: none */
    /* Number of the last path that followed without a call of the profile, because control went on in the same
     * function (memo_batch.c); 0: none. */
    uint32_t unreported_path;
    /* The core's `used_as` (profile context and privilege class) at the last use. MEMO_UNUSED: no use since totals
     * were last formed. */
    uint32_t used_as;
    uint32_t clocks;              /* by which the piece advances the core's `now` */
    uint32_t uses;                /* uses under `used_as` since then */
    uint32_t before;              /* the leaf used before this one, last time; 0: the pipe ran before */
    uint8_t instructions, groups; /* that entered EX in the piece */
    uint8_t waits; /* 0, or 1 + the memory references of the instruction that is pending at the end */
    uint8_t unused[5];
};
_Static_assert(HOST_LINE % sizeof(memo_leaf) == 0, "leaves do not cross lines");
_Static_assert(PIECE_MOST + 1 <= UINT8_MAX, "their instructions and groups fit");

/* The part of a leaf that is not needed at every use. */
typedef struct memo_result {
    uint32_t to;                   /* number of the state after the piece */
    uint32_t next_dirty;           /* next leaf in the list memo.dirty; 0: the last */
    uint64_t uses[P5_CPL_CLASSES]; /* uses since totals were last formed that leaf->uses does not contain */
    prefetch_move move;            /* how the piece's fetches change the lead of PF */
    int32_t waiting_f, waiting_fetched; /* pending.front of the pending instruction, relative to the end;
                                           waiting_fetched: INT32_MIN means the clock of the last fetch */
    uint32_t last_u, previous_u;        /* as in `pipe`; previous_u is valid if there was more than one
                                           group */
    uint32_t delta_count;
    struct memo_delta *deltas;  /* what one use counts, by event and stall cause */
    struct memo_detail *detail; /* the same by instruction, for the profile; NULL: made without one */
} memo_result;

#endif
