/* The tree of remembered answers, for the files of the memo. What every piece reads is dense: one line of the
 * host's cache of its path, another of its leaf, which know each other by numbers of 32 bits. What is
 * looked at less often lies apart. All of it dies at once. */
#ifndef CORE_REPLAY_MEMO_TREE_H
#define CORE_REPLAY_MEMO_TREE_H

#include "core/profile/profile.h"
#include "core/branch/predictor_fast.h"
#include "core/profile/profiler.h"
#include "core/replay/memo.h"

/* The questions of the pipe. The last one of every piece is for a branch; of a piece without one nothing is
 * asked, and the answer is 0. */
typedef enum memo_kind { MEMO_DATA, MEMO_CODE, MEMO_END, MEMO_PASSED, MEMO_BRANCH } memo_kind;

typedef struct memo_node {
    uint8_t kind : 3;             /* memo_kind */
    uint8_t in_v : 1, chance : 1; /* branch: branch_query's in_v and unpaired_chance */
    uint8_t misaligned : 1;       /* data: the usual answer is memory_misaligned_hit */
    uint8_t how; /* data: as in data_answer.h; code: fetches of the piece up to this one, if how far PF was
                    ahead before says when it is asked, or 0 */
    uint16_t number; /* questions before it, whatever the answers were */
    union {
        int32_t index; /* data: which reference of the piece, below 0 of what waited in front of it; branch
                          and passed: groups so far */
        int32_t floor; /* code, with `how`: not asked before this clock, like `offset` */
    };
    int32_t offset; /* clock at which it is asked, relative to the block's first; code: not later */
    /* code: linear address of the fetch; end: of the instruction's last byte; passed: of the U instruction of
     * the group before; branch: of its own pair's. */
    uint32_t address;
    union {
        uint32_t who;      /* data, code: address of the instruction that asks, for who watches */
        uint32_t previous; /* branch: U address of the group before; neither counts in the first group */
    };
    uint32_t usual; /* behind the usual answer: hit, nothing in the way; end bit known; rightly passed */
    uint32_t edge;  /* behind the others, the one used last; what is behind a branch: memo_streak.told */
    uint32_t fan;   /* ... and all of them, if they are more; or 0 */
} memo_node;
_Static_assert(HOST_LINE % sizeof(memo_node) == 0, "nodes do not cross lines");

static inline memo_node *memo_node_at(const memo *m, uint32_t number)
{
    return (memo_node *)m->nodes.objects + number;
}

static inline uint32_t memo_node_number(const memo *m, const memo_node *node)
{
    return (uint32_t)(node - (memo_node *)m->nodes.objects);
}

/* The question behind the usual answer, or NULL. */
static inline memo_node *memo_behind_usual(const memo *m, const memo_node *node)
{
    return node->usual != 0 ? memo_node_at(m, node->usual) : NULL;
}

/* What one use adds to one event (`kind` below P5_EVENT_COUNT) or to one owner of clocks. It is mostly small;
 * what is not takes several. */
typedef struct memo_delta {
    uint32_t kind : 8, increments : 12, asserted : 12;
} memo_delta;
enum { MEMO_DELTA_MOST = (1 << 12) - 1 };
_Static_assert(DELTA_KINDS <= UINT8_MAX, "kinds fit");

enum { MEMO_UNUSED = UINT32_MAX };

/* A question that has to be asked even if nothing has happened to the code cache: a data reference or (P54C)
 * a group passing the BTB. */
typedef struct memo_step {
    uint32_t node;
    int16_t offset; /* the node's */
} memo_step;

/* A code line that has to be there for the usual answers. */
typedef struct memo_line {
    uint32_t physical;
    uint32_t ends;   /* P54C: end bits that have to be known */
    uint32_t number; /* of the question that fetches it; UINT32_MAX: only its end bits are asked for */
} memo_line;

/* Most streaks need no more lines than this, */
enum { MEMO_FEW = 2 };
/* ... have no more references, nor steps and lines. */
enum { MEMO_NEAR = 4 };
/* Answers of a branch: by p5_prediction, of which nothing is behind NOT_PREDICTED, or (P54C)
 * predictor_pairs_number. */
enum { MEMO_TOLD = NOT_PREDICTED + 1 };

/* A streak of usual answers, from a place of the tree: the beginning of a piece, which makes it a path, or
 * behind an answer that was not the usual one, an edge. It goes to the branch, or to a question that has
 * never had a usual answer. Known once `end` is not NULL. */
struct memo_streak {
    /* Off the hot path: */
    BEGINS_LINE memo_node *first; /* where the tree goes on */
    memo_node *end;
    memo_step *steps;     /* questions before `end`, but those for code lines and end bits: memo_lines */
    data_expected *many;  /* `near`, if they are more */
    int16_t first_offset; /* the first reference is asked for at this clock, relative to the block's first, */
    int16_t last_offset;  /* ... the last at this; MEMO_NEVER: there is none */
    int16_t last_code;    /* the last line is fetched at this */
    uint16_t known;       /* questions before it */
    uint8_t line_count;
    bool by_waiting;        /* a path: it is of a variant that only memo_look_up knows: no leaf leads to it */
    uint32_t next_of_piece; /* a path: another one to the same piece, or 0 */
    union {
        const memo_state *from; /* a path: the state in front of it */
        const uint64_t *rest;   /* an edge: the words of the answer before `word`, if that does not say all */
    };
    uint32_t *family; /* a path: those that differ by the variant only, by memo_member; each place holds the
                         one wanted last. NULL: the piece has no variants */
    /* For who goes it quickly (memo_batch.c), who looks at nothing else: */
    union {
        struct piece *piece; /* a path; NULL: released, or none */
        uint64_t word;       /* an edge: the answer, the last word of memo_answer */
    };
    data_expected near[MEMO_NEAR]; /* what each step is like, if it is a reference: memo_expected */
    /* Its lines: tags and sets of the code cache. Where there are fewer, CACHE_NO_TAG of CODE_NO_SET, which
     * is always at hand; where they are not so few, MEMO_NO_LINE, which never is. */
    uint32_t tag[MEMO_FEW];
    uint8_t set[MEMO_FEW];
    int16_t quiet_offset; /* if nothing is under way from this clock on, relative to the block's first,
                             nothing is under way for any of its references */
    int16_t first_access; /* the first reference among the steps */
    int16_t first_code;   /* the first line is fetched at this clock, relative to the block's first */
    uint8_t step_count;
    bool ends_in_branch : 1;  /* `end` is one */
    bool is_over : 1;         /* nothing is asked before `end` */
    bool only_data : 1;       /* all steps are data references: it can be gone quickly, */
    bool asks_code : 1;       /* lines are fetched on it */
    uint32_t variant;         /* a path's */
    uint32_t told[MEMO_TOLD]; /* leaves behind the branch, with nothing but usual answers before; the most
                                 frequent first */
};
/* What is looked at for every piece lies in one line of the host's cache, beside that with the rest. */
_Static_assert(offsetof(memo_streak, piece) == HOST_LINE, "hot");
_Static_assert(offsetof(memo_streak, told[4]) <= 2 * HOST_LINE, "hot");

/* No tag, and never at hand. */
#define MEMO_NO_LINE 2u

/* All that is looked at of a streak's lines stands in `tag` and `set`. */
static inline bool memo_has_few(const memo_streak *streak)
{
    return streak->tag[0] != MEMO_NO_LINE;
}

/* Before all clocks of a streak's questions. */
enum { MEMO_NEVER = INT16_MIN };

/* Clocks of the questions of a streak lie within this, seen from the block's first. */
enum { MEMO_REACH = INT16_MAX };
/* They stand behind the steps. */
static inline memo_line *memo_lines(const memo_streak *streak)
{
    return (memo_line *)(streak->steps + streak->step_count);
}
_Static_assert(_Alignof(memo_line) <= _Alignof(memo_step), "they share a table");

static inline const data_expected *memo_expected(const memo_streak *streak)
{
    return __builtin_expect(streak->step_count > MEMO_NEAR, 0) ? streak->many : streak->near;
}

/* The question behind `n` steps. */
static inline memo_node *memo_question(const memo *m, const memo_streak *streak, unsigned n)
{
    return n == streak->step_count ? streak->end : memo_node_at(m, streak->steps[n].node);
}

/* The usual answer to a reference. */
static inline uint64_t memo_usual(const struct memory *m, const memo_node *node)
{
    return __builtin_expect(node->misaligned, 0) ? memory_misaligned_hit(m) : DATA_USUAL;
}

/* Words of an answer but for the last. */
enum { MEMO_REST = 3 };
/* In the last word of an answer: it says all. */
#define MEMO_ONE_WORD DATA_IN_WORD

static inline memo_answer memo_edge_answer(const memo_streak *edge)
{
    const uint64_t *rest = edge->rest;
    return rest ? (memo_answer){{rest[0], rest[1], rest[2], edge->word}}
                : (memo_answer){{0, 0, 0, edge->word}};
}

static inline bool memo_edge_is(const memo_streak *edge, const memo_answer *answer)
{
    const uint64_t *rest = edge->rest, *word = answer->word;
    if (edge->word != word[3])
        return false;
    return (word[3] & MEMO_ONE_WORD) != 0 ||
           ((rest[0] ^ word[0]) | (rest[1] ^ word[1]) | (rest[2] ^ word[2])) == 0;
}

/* A piece with one entry state and variant. */
struct memo_path {
    memo_streak streak;
    /* Steps and lines of `streak`, if they take no more than a line of the host's cache. */
    BEGINS_LINE memo_step steps[HOST_LINE / sizeof(memo_step)];
};

/* It comes into the host's cache, with what is looked at if not all is usual. */
static inline void memo_prefetch(const memo_streak *streak)
{
    __builtin_prefetch(streak);
    __builtin_prefetch(&streak->piece);
}

static inline memo_streak *memo_edge_at(const memo *m, uint32_t number)
{
    return (memo_streak *)m->edges.objects + number;
}

static inline uint32_t memo_edge_number(const memo *m, const memo_streak *edge)
{
    return (uint32_t)(edge - (memo_streak *)m->edges.objects);
}

static inline memo_path *memo_path_at(const memo *m, uint32_t number)
{
    return (memo_path *)m->paths.objects + number;
}

static inline uint32_t memo_path_number(const memo *m, const memo_path *path)
{
    return (uint32_t)(path - (memo_path *)m->paths.objects);
}

/* Answers to one question and the edges behind them, so many in a line of the host's cache: references that
 * wait for the bus have dozens. Packers take 0.96 of the time that a list of edges took. */
enum { MEMO_FAN = 5 };
typedef struct memo_fan {
    BEGINS_LINE uint64_t word[MEMO_FAN]; /* the edges' */
    uint32_t edge[MEMO_FAN];             /* 0: free, as are those behind it */
    uint32_t next;                       /* another one, which is full, or 0 */
} memo_fan;
_Static_assert(sizeof(memo_fan) == HOST_LINE, "one line");

static inline memo_fan *memo_fan_at(const memo *m, uint32_t number)
{
    return (memo_fan *)m->fans.objects + number;
}

/* Keeps the references of what waits at the end of a piece, which are those in front of `end`. */
static inline void memo_keep_waiting(p5_core *core, const memo_leaf *leaf, const p5_access *end)
{
    for (unsigned i = 0, n = leaf->waits - 1u; i < n; i++)
        core->pipe.pending.accesses[i] = end[(int)i - (int)n];
}

/* Address of the U instruction of the last group. */
static inline uint32_t memo_last_u(const p5_core *core)
{
    const memo *m = &core->memo;
    return m->last ? memo_result_at(m, m->last)->last_u : core->pipe.last_u;
}

/* Place of a variant in the family of paths. Mostly few bits of it are in use. */
enum { MEMO_FAMILY = 16 };
static inline unsigned memo_member(uint32_t variant)
{
    return (unsigned)((variant ^ variant >> 5 ^ variant >> 10 ^ variant >> 20) % MEMO_FAMILY);
}

/* Nothing is known of a streak's lines yet. */
static inline void memo_begin_streak(memo_streak *streak)
{
    streak->tag[0] = MEMO_NO_LINE;
    streak->set[0] = CODE_NO_SET;
}

/* The paths of a piece. Those that were forgotten are none. */
static inline uint32_t memo_paths(const memo *m, const piece *p)
{
    return p->generation == m->generation ? p->paths : 0;
}

/* There is something about a piece that is not known. What comes once mostly does not come again - code that
 * runs once, that is overwritten, of which there is too much - and to learn it takes several times as long as
 * the exact path: so it is learned the second time. True: this is the first since the piece was learned
 * last. */
static inline bool memo_is_new(memo *m, piece *p)
{
    m->worth.unknown++;
    return p->met = !p->met;
}

/* memo.c */
/* The one stored copy of the core's state, or NULL when memory is out. */
memo_state *memo_intern(p5_core *core);
/* The path of this piece, state and variant, made if there is none. NULL: the piece is new, or memory is out.
 */
memo_path *memo_find_path(p5_core *core, piece *p, const memo_state *from, uint32_t variant);
/* Over budget: forgets everything. Answers are made anew when they are needed; totals keep what the leaves
 * stood for. */
void memo_drop_all(p5_core *core);
/* What it takes. */
size_t memo_bytes(const memo *m);
/* The edge behind an answer. NULL: there is none. */
memo_streak *memo_edge_behind(const memo *m, const memo_node *node, const memo_answer *answer);
/* ... a new one, behind an answer that has none. NULL: out of memory. */
memo_streak *memo_new_edge(memo *m, memo_node *node, const memo_answer *answer);
/* A new node like `node`, or NULL when memory is out. */
memo_node *memo_new_node(memo *m, const memo_node *node);
/* A new leaf, or NULL when memory is out. */
memo_leaf *memo_new_leaf(memo *m);
/* memo_learn.c */
bool memo_learn_open(p5_core *core);
/* An `answer` of memory_ask, the last one, to what was asked at `asked`. */
static inline memo_answer memo_pack_data(const memory *m, uint64_t answer, uint64_t asked)
{
    if (answer != DATA_LONG)
        return (memo_answer){{0, 0, 0, answer}};
    const data_answer *a = memory_long_answer(m);
    return (memo_answer){{a->done - asked, a->word1, a->word2, 0}};
}
/* Of each part of a line that comes later than it is asked for, at `asked`, when that is, relative to
 * MEMO_EARLY clocks before `latest`, and a bit; before that it is all the same. All in the last word, if none
 * comes that late. */
enum { MEMO_PART_BITS = 15, MEMO_PART = (1 << MEMO_PART_BITS) - 1, MEMO_EARLY = 1 << 12 };
static inline memo_answer memo_pack_code(const code_answer *a, uint64_t asked, uint64_t latest)
{
    memo_answer packed;
    const uint64_t early = latest - MEMO_EARLY;
    uint64_t all = 0, one = MEMO_ONE_WORD;
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t ready = a->ready[i], after = (int64_t)(ready - early) > 0 ? ready - early : 0;
        const uint64_t part = packed.word[i] = ready > asked ? after << 1 | 1 : 0;
        all |= part;
        one |= part << (i * MEMO_PART_BITS);
    }
    return all >> MEMO_PART_BITS == 0 ? (memo_answer){{0, 0, 0, one}} : packed;
}
/* The direction belongs to it: the pipe does not look at it before. */
static inline memo_answer memo_pack_branch(const branch_answer *a, bool taken)
{
    return (memo_answer){{(uint64_t)a->hit | (uint64_t)a->predicted_taken << 1 | (uint64_t)a->right << 2 |
                          (uint64_t)a->false_entry << 3 | (uint64_t)a->return_predicted << 4 |
                          (uint64_t)a->return_right << 5 | (uint64_t)taken << 6}};
}
static inline memo_answer memo_pack_bool(bool answer)
{
    return (memo_answer){{answer}};
}
/* What the memory side is asked from now on is asked by the instruction at `who`. */
static inline void memo_asks_for(p5_core *core, uint32_t who)
{
    if (core->pipe.observer)
        core->pipe.observer->who = who;
}
/* Fetch of the code line at `linear` and `physical`: true for the usual answer, false after filling `answer`.
 */
static inline bool memo_fetch(p5_core *core, uint32_t linear, uint32_t physical, uint64_t asked,
                              code_answer *answer)
{
    if (memory_code_usual(core->memory, linear, physical, asked))
        return true;
    memory_code(core->memory, linear, physical, asked, answer);
    return false;
}
/* The tree of `path` ends behind `m->known` questions, of which `m->given` were answered unusually. Runs the
 * pipe with these answers, asks the structures for the rest, and adds what it went to the tree, unless it is
 * new.
 */
void memo_learn(p5_core *core, const p5_retired *r, memo_path *path);

#endif
