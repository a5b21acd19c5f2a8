/* The tree of stored answers, private to the memo. Its terms:
 *
 *   piece     A basic block or a part of it.
 *   path      The memo's entry for a piece that starts from one state of the pipe in one variant (bank conflicts,
 *             operand values ...). It has a tree.
 *   question  Something that the pipe looks up while it runs a piece. The result is the answer.
 *   node      A question in a tree. The answer decides which question is next.
 *   usual     Property of an answer that causes no delay: mostly a hit (memo_node.usual).
 *   streak    Questions with usual answers, up to the next branch or unusual answer.
 *   edge      The streak after an answer that is not usual, stored with that answer. The first streak is the path's.
 *   leaf      An end of the tree, with the outcome of the piece.
 *   group     The one or two instructions that issue together.
 *
 * What every piece reads is dense: one line of the host's cache (HOST_LINE) for its path and half of one for its
 * leaf, which refer to each other by 32-bit numbers. Rarely used data is stored separately. Everything is freed at
 * once. */
#ifndef CORE_REPLAY_MEMO_TREE_H
#define CORE_REPLAY_MEMO_TREE_H

#include <assert.h>

#include "core/branch/predictor_fast.h"
#include "core/profile/profiler.h"
#include "core/replay/memo.h"
#include "core/replay/memo_answer.h"
#include "core/replay/pieces.h"

/* The questions of the pipe. The last question of every piece is for its branch; for a piece without a
 * branch, nothing is asked and the answer is 0. */
typedef enum memo_kind {
    MEMO_DATA,   /* a data reference */
    MEMO_CODE,   /* the fetch of a code line */
    MEMO_END,    /* P54C: whether the end bit of an instruction is set */
    MEMO_PASSED, /* P54C: the BTB lookup for a group without a branch; usually no taken branch is predicted */
    MEMO_BRANCH  /* the prediction of the piece's branch */
} memo_kind;

typedef struct memo_node {
    uint8_t kind : 3;                     /* memo_kind */
    uint8_t in_v : 1, missed_pairing : 1; /* branch: branch_query's members */
    uint8_t misaligned : 1;               /* data: the usual answer is memory_misaligned_hit */
    union {                               /* by `kind` */
        uint8_t traits;                   /* data: TRAIT_* of data_answer.h */
        /* code: if the time of the request depends on how far PF was ahead of the decoders at the piece's beginning,
         * the number of fetches of the piece up to this one; otherwise 0 */
        uint8_t fetches;
    };
    uint16_t number; /* how many questions precede it on the way from the beginning of the path */
    /* clock of the question, relative to core.now at the piece's beginning; code: the latest such clock */
    int32_t offset;
    /* code: linear address of the fetch; end: of the instruction's last byte; passed: of the U instruction of
     * the previous group; branch: of the U instruction of its own pair. */
    uint32_t address;
    union { /* by `kind`; MEMO_END has none */
        struct {
            int32_t index;        /* of the reference in the piece, below 0 for the pending instruction */
            uint32_t instruction; /* address of the instruction that asks, for the profile */
        } data;
        struct {
            int32_t floor; /* earliest clock of the request, relative like `offset`, if `fetches` is not 0 */
            uint32_t instruction; /* as in `data` */
        } code;
        struct {            /* MEMO_BRANCH, MEMO_PASSED */
            int32_t groups; /* groups of the piece up to this one */
            /* branch: U address of the previous group. This, and `address` of MEMO_PASSED, is not valid in the first
             * group, whose previous one is in another piece. */
            uint32_t previous;
        } branch;
    };
    /* Number of the node after the usual answer: a hit that nothing delays, a known end bit, a group for which no
     * taken branch is predicted. 0: the usual answer never occurred. */
    uint32_t usual;
    /* Number of the most recent edge for other answers, or 0. The leaves after a branch are in memo_streak.leaves. */
    uint32_t edge;
    uint32_t fan; /* number of the memo_fan with all edges if there are several, or 0 */
} memo_node;
_Static_assert(HOST_LINE % sizeof(memo_node) == 0, "nodes do not cross lines");

static inline memo_node *memo_node_at(const memo *m, uint32_t number)
{
    assert(number != 0 && number < m->nodes.count);
    return (memo_node *)m->nodes.objects + number;
}

static inline uint32_t memo_node_number(const memo *m, const memo_node *node)
{
    return (uint32_t)(node - (memo_node *)m->nodes.objects);
}

/* Returns the question after the usual answer, or NULL. */
static inline memo_node *memo_after_usual(const memo *m, const memo_node *node)
{
    return node->usual != 0 ? memo_node_at(m, node->usual) : NULL;
}

/* What one use of a leaf adds to one event (`kind` below P5_EVENT_COUNT) or to the clocks of one stall cause
 * (DELTA_STALLS + p5_stall). A larger amount takes several deltas. */
typedef struct memo_delta {
    uint32_t kind : 8, increments : 12, asserted : 12;
} memo_delta;
enum { MEMO_DELTA_MOST = (1 << 12) - 1 };
_Static_assert(DELTA_KINDS <= UINT8_MAX, "kinds fit");

/* Value of memo_leaf.used_as: the leaf was not used since totals were last formed. */
enum { MEMO_UNUSED = UINT32_MAX };

/* A question of a streak that must be asked even if the code cache did not change: a data reference or (P54C)
 * a group that passes the BTB. */
typedef struct memo_step {
    uint32_t node;  /* its number */
    int16_t offset; /* the node's offset */
} memo_step;

/* A code line that must be present for the usual answers. */
typedef struct memo_line {
    uint32_t physical;
    uint32_t ends;   /* P54C: end bits that must be known (bit n: byte n) */
    uint32_t number; /* memo_node.number of its first fetch; UINT32_MAX: only its end bits are needed */
} memo_line;

/* Most streaks need no more code lines than this. */
enum { MEMO_FEW = PIECE_LINES };
/* Most streaks have no more steps than this. */
enum { MEMO_INLINE = 4 };
/* Number of outcomes of a branch. On the P55C an outcome is a p5_prediction (predictor_fast.h), of which
 * NOT_PREDICTED leads to no leaf; on the P54C it is predictor_pairs_number; for a piece without a predicted branch
 * it is 0. */
enum { MEMO_OUTCOMES = NOT_PREDICTED + 1 };

/* A streak of usual answers. It starts at the beginning of a piece (then it is part of a path) or after an
 * answer that was not usual (then it is an edge). It extends to the branch, or to a question that never had a usual
 * answer. Its extent is known once `end` is not NULL. */
struct memo_streak {
    /* Used off the hot path: */
    BEGINS_LINE memo_node *first; /* its first question in the tree; NULL: none was added yet */
    memo_node *end;               /* the question after it; NULL: memo_find_steps has not found it yet */
    memo_step *steps;     /* questions before `end`, except those for code lines and end bits (memo_lines) */
    data_expected *many;  /* replaces `expected` if there are more than MEMO_INLINE steps */
    int16_t first_offset; /* clock of the first reference, relative to core.now at the piece's beginning, like
                             all offsets and clocks below */
    int16_t last_offset;  /* clock of the last reference; MEMO_NEVER: there is none */
    int16_t last_code;    /* clock of the last line fetch */
    uint16_t questions_before; /* questions before the streak */
    uint8_t line_count;
    bool by_waiting; /* path: its variant includes a bank conflict with the instruction pending in D1, which
                               only memo_look_up determines; no leaf leads to it */
    uint32_t next_of_piece;     /* path: another path of the same piece, or 0 */
    union {                     /* by `is_edge` */
        const memo_state *from; /* path: the entry state */
        const uint64_t *rest;   /* edge: the words of the answer before `word`, unless `word` is all of it */
    };
    /* Used on the hot path (memo_batch.c), which reads nothing above: */
    BEGINS_LINE union {      /* by `is_edge` */
        struct piece *piece; /* path; NULL: its block was released, or it is path 0, the dummy */
        uint64_t word;       /* edge: the answer, the last word of memo_answer */
    };
    data_expected expected[MEMO_INLINE]; /* properties of each step that is a reference: memo_expected */
    /* Tags and sets of its lines in the code cache. Unused elements are CACHE_NO_TAG in CODE_NO_SET, a dummy set with
     * that tag, so they always match. If there are more lines than fit, tag[0] is MEMO_NO_LINE, which never matches. */
    uint32_t tag[MEMO_FEW];
    uint8_t set[MEMO_FEW];
    int16_t idle_offset;  /* clock of the earliest reference; none is delayed if memory is idle by then.
                             MEMO_REACH: no references */
    int16_t first_access; /* index in the piece of its first data reference (memo_node.data.index) */
    int16_t first_code;   /* clock of the first line fetch */
    uint8_t step_count;
    bool is_edge : 1;        /* it is an edge; otherwise it is part of a path */
    bool ends_in_branch : 1; /* `end` is a branch */
    bool is_over : 1;        /* nothing is asked before `end`: it has no steps and no lines */
    bool only_data : 1;      /* all steps are data references, so the fast path can be used */
    bool asks_code : 1;      /* lines are fetched on it */
    uint32_t variant;        /* path: the variant */
    /* Numbers of the leaves by the branch's outcome, if all answers up to the branch are usual; 0: it never occurred.
     * Frequent outcomes have low numbers. */
    uint32_t leaves[MEMO_OUTCOMES];
};
/* What every piece reads, with the leaves of frequent outcomes, is in one line of the host's cache. */
_Static_assert(offsetof(memo_streak, piece) == HOST_LINE, "hot");
_Static_assert(offsetof(memo_streak, leaves[4]) <= 2 * HOST_LINE, "hot");

/* A number that no element of a code cache's `tag` has, unlike CACHE_NO_TAG. */
#define MEMO_NO_LINE 2u

/* Returns whether `tag` and `set` describe all lines of the streak. */
static inline bool memo_has_few(const memo_streak *streak)
{
    return streak->tag[0] != MEMO_NO_LINE;
}

/* A clock before all questions of a streak. */
enum { MEMO_NEVER = INT16_MIN };

/* The clocks of a streak's questions are within this distance of core.now at the piece's beginning. */
enum { MEMO_REACH = INT16_MAX };

/* Returns the lines, which are stored after the steps. */
static inline memo_line *memo_lines(const memo_streak *streak)
{
    assert(streak->end != NULL); /* its extent is known */
    return (memo_line *)(streak->steps + streak->step_count);
}
_Static_assert(_Alignof(memo_line) <= _Alignof(memo_step), "they share a table");

/* Returns the expected properties of the steps, one element for each. */
static inline const data_expected *memo_expected(const memo_streak *streak)
{
    return __builtin_expect(streak->step_count > MEMO_INLINE, 0) ? streak->many : streak->expected;
}

/* Returns the question of step `n`, or `end` after the last step. */
static inline memo_node *memo_question(const memo *m, const memo_streak *streak, unsigned n)
{
    assert(n <= streak->step_count);
    return n == streak->step_count ? streak->end : memo_node_at(m, streak->steps[n].node);
}

/* Returns the usual answer to a reference. */
static inline uint64_t memo_usual(const struct memory *m, const memo_node *node)
{
    assert(node->kind == MEMO_DATA);
    return __builtin_expect(node->misaligned, 0) ? memory_misaligned_hit(m) : DATA_USUAL;
}

/* Returns the answer that an edge follows. */
static inline memo_answer memo_edge_answer(const memo_streak *edge)
{
    assert(edge->is_edge);
    const uint64_t *rest = edge->rest;
    return rest ? (memo_answer){{rest[0], rest[1], rest[2], edge->word}}
                : (memo_answer){{0, 0, 0, edge->word}};
}

/* Returns whether an edge is that of `answer`. */
static inline bool memo_edge_is(const memo_streak *edge, const memo_answer *answer)
{
    assert(edge->is_edge);
    const uint64_t *rest = edge->rest, *word = answer->word;
    if (edge->word != word[3])
        return false;
    return (word[3] & MEMO_ONE_WORD) != 0 ||
           ((rest[0] ^ word[0]) | (rest[1] ^ word[1]) | (rest[2] ^ word[2])) == 0;
}

/* A piece with one entry state and variant. */
struct memo_path {
    memo_streak streak;
    /* Steps and lines of `streak`, if they fit here. */
    BEGINS_LINE memo_step steps[HOST_LINE / sizeof(memo_step)];
};

/* Prefetches both lines of a streak into the host's cache. The first is read if an answer is not usual. */
static inline void memo_prefetch(const memo_streak *streak)
{
    __builtin_prefetch(streak);
    __builtin_prefetch(&streak->piece);
}

static inline memo_streak *memo_edge_at(const memo *m, uint32_t number)
{
    assert(number < m->edges.count); /* 0: a dummy, which is only prefetched */
    return (memo_streak *)m->edges.objects + number;
}

static inline uint32_t memo_edge_number(const memo *m, const memo_streak *edge)
{
    return (uint32_t)(edge - (memo_streak *)m->edges.objects);
}

static inline memo_path *memo_path_at(const memo *m, uint32_t number)
{
    assert(number < m->paths.count);
    return (memo_path *)m->paths.objects + number;
}

static inline uint32_t memo_path_number(const memo *m, const memo_path *path)
{
    return (uint32_t)(path - (memo_path *)m->paths.objects);
}

/* Answers to one question with the numbers of their edges, as many as fit into a line of the host's cache. A
 * reference that waits for the bus has dozens of answers. Compression programs take 0.96 of the time that a linked
 * list of edges took. */
enum { MEMO_FAN = 5 };
typedef struct memo_fan {
    BEGINS_LINE uint64_t word[MEMO_FAN]; /* memo_streak.word of each edge */
    uint32_t edge[MEMO_FAN];             /* 0: this and the following elements are free */
    uint32_t next;                       /* another fan, which is full, or 0 */
} memo_fan;
_Static_assert(sizeof(memo_fan) == HOST_LINE, "one line");

static inline memo_fan *memo_fan_at(const memo *m, uint32_t number)
{
    assert(number != 0 && number < m->fans.count);
    return (memo_fan *)m->fans.objects + number;
}

/* Saves the references of the instruction that is pending at the end of a piece, which are the last ones before
 * `end`. The leaf is that of the piece. */
static inline void memo_keep_waiting(p5_core *core, const memo_leaf *leaf, const p5_access *end)
{
    assert(leaf->waits > 0 && leaf->waits <= 1 + WAITING_ACCESSES);
    for (unsigned i = 0, n = leaf->waits - 1u; i < n; i++)
        core->pipe.pending.accesses[i] = end[(int)i - (int)n];
}

/* Returns the address of the U instruction of the last group. */
static inline uint32_t memo_last_u(const p5_core *core)
{
    const memo *m = &core->memo;
    return m->last ? memo_result_at(m, m->last)->last_u : core->pipe.last_u;
}

/* Makes the hot path's check of a streak's lines fail, because they are unknown or more than it can check. */
static inline void memo_set_no_lines(memo_streak *streak)
{
    streak->tag[0] = MEMO_NO_LINE;
    streak->set[0] = CODE_NO_SET;
}

/* Returns the first path of a piece, or 0 if its paths were dropped. */
static inline uint32_t memo_paths(const memo *m, const piece *p)
{
    return p->generation == m->generation ? p->paths : 0;
}

/* Must be called when something about a piece is missing: a path, or an answer. Returns true the first time since
 * the piece was last learned; the caller then does not learn it. Most such code does not run again (it runs once,
 * or is overwritten, or there is too much of it), and learning takes several times as long as the exact path, so a
 * piece is learned the second time. */
static inline bool memo_learn_later(memo *m, piece *p)
{
    assert(p->memo);
    m->pause.misses++;
    return p->missed = !p->missed;
}

/* Records the instruction at `instruction` as the source of the following memory requests, for the profile. */
static inline void memo_asks_for(p5_core *core, uint32_t instruction)
{
    if (core->pipe.observer)
        core->pipe.observer->instruction = instruction;
}
/* Fetches the code line at `linear` and `physical`, requested at clock `asked`. Returns true for the usual answer, of
 * which nothing is counted yet, or fills `answer` and returns false. */
static inline bool memo_fetch(p5_core *core, uint32_t linear, uint32_t physical, uint64_t asked,
                              code_answer *answer)
{
    if (memory_code_usual(core->memory, linear, physical, asked))
        return true;
    memory_code(core->memory, linear, physical, asked, answer);
    return false;
}

/* ---- memo.c ---- */
/* Returns the memo's copy of the pipe's state, which is the same object for equal states. `pipe` must be valid. NULL:
 * memory is out. */
memo_state *memo_intern(p5_core *core);
/* Returns the path of this piece, state and variant, and makes it if necessary. NULL: memory is out, or the piece
 * takes the exact path this time (memo_learn_later). */
memo_path *memo_find_path(p5_core *core, piece *p, const memo_state *from, uint32_t variant);
/* Drops all paths, trees and states, after adding the counts of the leaves' uses to the totals. Makes `pipe` valid. */
void memo_drop_all(p5_core *core);
/* Returns the bytes in use. */
size_t memo_bytes(const memo *m);
/* Returns the edge of an answer, or NULL if there is none. */
memo_streak *memo_find_edge(const memo *m, const memo_node *node, const memo_answer *answer);
/* Makes an edge for an answer that has none, and makes it the node's most recent edge. Returns NULL if memory is
 * out. */
memo_streak *memo_new_edge(memo *m, memo_node *node, const memo_answer *answer);
/* Returns a copy of `node`, or NULL if memory is out. */
memo_node *memo_new_node(memo *m, const memo_node *node);
/* Returns a new leaf, or NULL if memory is out. */
memo_leaf *memo_new_leaf(memo *m);

/* ---- memo_streak.c ---- */
/* Extends a streak of `path`, its own or that of an edge of its tree, as far as usual answers are
 * known now. `accesses`: the references of the execution that was learned. */
void memo_find_steps(p5_core *core, memo_streak *streak, memo_path *path, const p5_access *accesses);

/* ---- memo_learn.c ---- */
/* Sets the callbacks with which the pipe runs while the memo learns. */
void memo_learn_open(p5_core *core);
/* Prices `r`, a run of one piece, where the tree of `path` ends after `m->answered_count` questions; `m->taken_edges`
 * holds the edges of those whose answers were not usual. Runs the pipe with these answers, asks caches, TLBs and
 * predictor for the rest, and adds the run to the tree, unless that is postponed (memo_learn_later). */
void memo_learn(p5_core *core, const p5_retired *r, memo_path *path);

#endif
