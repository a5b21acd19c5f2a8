/* The hot path for many stretches at once. */
#include <string.h>

#include "core/replay/bound.h"
#include "core/replay/memo_variant.h"
#include "core/replay/memo_way.h"

/* The clocks at which nothing is under way and no other bus master acts before a block's last question, as
 * long as no question is answered unusually. */
typedef struct quiet_time {
    uint64_t from, span;
} quiet_time;

static inline quiet_time find_quiet_time(const struct memory *m)
{
    enum { MARGIN = 2 * MEMO_REACH }; /* the last question is asked that much later than the first at most */
    uint64_t from = m->write_quiet, due = m->agent.due; /* of a frozen cache the first is UINT64_MAX */
    return (quiet_time){from, due > from && due - from > MARGIN ? due - from - MARGIN : 0};
}

/* Bytes from `cpl` to `iopl`. */
enum { LEVELS = offsetof(p5_retired_block, iopl) + 1 - offsetof(p5_retired_block, cpl) };

/* Of the stretches of a batch each knows where its accesses and values end, so the next where they begin. */
typedef struct batch {
    const p5_retired_block *blocks;
    const p5_prediction *predictions;
    const p5_access *accesses;
    const p5_value *values;
    p5_retired at; /* the stretch that left the quick way, as much of it as is looked at on the slow one */
    const p5_retired_block *noted; /* the profile knows how it ended, or that before the first */
} batch;

static inline const p5_access *accesses_of(const batch *all, const p5_retired_block *b)
{
    return b == all->blocks ? all->accesses : b[-1].accesses_end;
}

static inline const p5_value *values_of(const batch *all, const p5_retired_block *b)
{
    return b == all->blocks ? all->values : b[-1].values_end;
}

static inline p5_prediction prediction_of(const batch *all, const p5_retired_block *b)
{
    return all->predictions[b - all->blocks];
}

static p5_retired whole_stretch(const batch *all, const p5_retired_block *b)
{
    return block_retired(b, accesses_of(all, b), values_of(all, b));
}

static inline const p5_retired *slow_stretch(p5_core *core, batch *all, const p5_retired_block *b)
{
    p5_retired *r = &all->at;
    core->prediction = prediction_of(all, b);
    r->block = b->block;
    r->accesses = accesses_of(all, b);
    r->values = values_of(all, b);
    r->next = b->next;
    memcpy(&r->cpl, &b->cpl, LEVELS);
    return r;
}

static void __attribute__((noinline))
price_unusual(p5_core *core, const batch *all, const p5_retired_block *b)
{
    const p5_retired r = whole_stretch(all, b);
    core_price(core, &r, prediction_of(all, b));
}

/* There is a value for each instruction of the block that gives one. */
static inline bool has_values(const batch *all, const p5_retired_block *b)
{
    return b->values_end - values_of(all, b) == b->block->value_count;
}

/* The path of an execution that differs from that of `path` by the variant, if at all, which is `banks` as
 * far as no values matter; or NULL. */
static memo_path *__attribute__((noinline))
variant_of(p5_core *core, batch *all, const p5_retired_block *b, uint64_t banks, memo_path *path)
{
    if (!has_values(all, b) || !memo_values_variant(core, slow_stretch(core, all, b), &banks))
        return NULL;
    return memo_find_variant(core, path, banks);
}

/* The path of an execution that did not follow the stretch before last time. NULL: it is not for the memo. */
static memo_path *__attribute__((noinline)) other_way_in(p5_core *core, batch *all, const p5_retired_block *b)
{
    uint64_t key = 0;
    const p5_block *block = b->block;
    if (!block->memo || !memo_may_begin(core) || !has_values(all, b))
        return NULL;
    if (block->has_variants &&
        !memo_variant(core, slow_stretch(core, all, b), block_taken(block, b->next), &key))
        return NULL;
    return memo_look_up(core, b->block, key);
}

static void __attribute__((noinline))
learn(p5_core *core, const batch *all, const p5_retired_block *b, memo_path *path)
{
    const p5_retired r = whole_stretch(all, b);
    memo_learn(core, &r, path);
}

/* The fetches of the way have their usual answers, and it can be gone quickly. `*moved`: as in
 * memo_lines_in_place. */
static inline __attribute__((always_inline)) bool code_is_usual(const p5_core *core, const p5_block *block,
                                                                memo_way *way, bool is_quiet, bool *moved)
{
    struct memory *m = core->memory;
    if (!memo_lines_in_place(core, way, moved))
        return false;
    if (!is_quiet && way->asks_code && !memory_undisturbed(m, memo_clock(core, way->last_code)))
        return false;
    return way->quick_page == m->code_tlb.last.of[0] ||
           (way->quick_page != MEMO_NO_PAGE &&
            (!way->asks_code || memory_code_page_usual(m, block->code->linear)));
}

/* What stretches of a batch were executed with, as one word: the same for most batches. */
enum { NO_LEVELS = -1 };
static inline int64_t levels_of(const p5_retired_block *b)
{
    uint32_t levels;
    _Static_assert(LEVELS == sizeof levels, "one word");
    memcpy(&levels, &b->cpl, LEVELS);
    return levels;
}

/* ... if the memo may price them. */
static inline int64_t priced_levels(const p5_core *core, const p5_retired_block *b)
{
    return memo_prices(core, b->cpl) ? levels_of(b) : NO_LEVELS;
}

/* Finds what is behind the branch with which a stretch ends; the leaf is used. NULL: it is not known. */
static inline __attribute__((always_inline)) memo_leaf *behind_last(p5_core *core, const memo_node *at,
                                                                    p5_prediction prediction)
{
    memo_leaf *leaf = memo_behind_branch((const memo_branch *)at, prediction);
    if (__builtin_expect(leaf != NULL, 1))
        memo_use_predicted(core, leaf);
    return leaf;
}

/* Goes on at `reached`, where the quick way along `path` was left, behind `known` questions, of which those
 * of the edges up to `given` were not answered as usual; answers the leaf that the stretch ended with, or
 * NULL. `r` is what slow_stretch answered. */
static memo_leaf *walk_from(p5_core *core, const batch *all, const p5_retired_block *b, memo_path *path,
                            const p5_retired *r, memo_reached reached, const memo_edge **given,
                            uint32_t known)
{
    core->memo.given_count = (unsigned)(given - core->memo.given);
    memo_leaf *leaf = memo_walk(core, r, path, reached, block_taken(b->block, b->next), known);
    if (__builtin_expect(leaf != NULL, 1))
        memo_use(core, leaf, b->block);
    else
        learn(core, all, b, path);
    return core->memo.last;
}

static inline uint32_t known_behind(const p5_core *core, const memo_edge **given)
{
    return given == core->memo.given ? 0 : given[-1]->way.known;
}

/* The quick way is left at `place`, ... */
static memo_leaf *__attribute__((noinline))
leave_at(p5_core *core, batch *all, const p5_retired_block *b, memo_path *path, memo_place *place,
         const memo_edge **given)
{
    const memo_reached reached = {place, false};
    return walk_from(core, all, b, path, slow_stretch(core, all, b), reached, given,
                     known_behind(core, given));
}

/* ... in front of all questions of `way`, ... */
static memo_leaf *__attribute__((noinline))
leave_in_front(p5_core *core, batch *all, const p5_retired_block *b, memo_path *path, memo_way *way,
               const memo_edge **given)
{
    const p5_retired *r = slow_stretch(core, all, b);
    const memo_reached reached = memo_follow(core, r, path, way);
    return walk_from(core, all, b, path, r, reached, given, known_behind(core, given));
}

/* ... or at the reference of `node`, whose answer was `quick`. `tried`: the usual one it is not. */
static memo_leaf *__attribute__((noinline))
leave_at_reference(p5_core *core, batch *all, const p5_retired_block *b, memo_path *path, memo_node *node,
                   uint64_t quick, bool tried, const memo_edge **given)
{
    memo_reached reached = {&node->place, tried};
    uint32_t known = known_behind(core, given);
    if (quick != QUICK_NOT) {
        reached = (memo_reached){quick == QUICK_USUAL ? node->usual : NULL, false};
        known = node->number + 1;
    }
    return walk_from(core, all, b, path, slow_stretch(core, all, b), reached, given, known);
}

/* Follows a way as far as the answers are usual, to `*at`. False: it cannot be gone quickly. */
static inline __attribute__((always_inline)) bool
follow_quickly(p5_core *core, const p5_block *block, const p5_access *accesses, memo_way *way, memo_node **at)
{
    bool moved;
    const uint64_t first = memo_clock(core, way->quiet_offset);
    const bool is_quiet = memory_calm(core->memory, first, first + 2 * MEMO_REACH);
    if (__builtin_expect(!code_is_usual(core, block, way, is_quiet, &moved), 0))
        return false;
    *at = is_quiet ? memo_steps_calm(core, accesses, way) : memo_steps_passing(core, accesses, way, true);
    if (__builtin_expect(moved, 0))
        memo_use_lines(core, way, *at);
    return true;
}

/* The place that the quick way has reached is a reference, which has to be asked: it may be the way's end. */
static inline bool asks_data(const memo_way *way, const memo_node *at)
{
    return at != way->end || (!way->ends_in_branch && at->place.kind == MEMO_DATA);
}

static inline __attribute__((always_inline)) uint64_t ask(p5_core *core, const p5_access *accesses,
                                                          memo_node *at, bool profiled)
{
    return memo_ask_quickly(core, at, accesses + at->index, memo_clock(core, at->offset), profiled);
}

/* Prices a stretch while something is under way or answers are not the usual ones, from `at` on, if that is
 * not NULL. `asked`: the reference there has been answered by `quick`. `profiled`: there is a profile. */
static inline __attribute__((always_inline)) memo_leaf *
go_on(p5_core *core, batch *all, const p5_retired_block *b, const p5_access *accesses, memo_path *path,
      memo_node *at, bool asked, uint64_t quick, bool profiled)
{
    memo_way *way = &path->way;
    const memo_edge **given = core->memo.given;
    for (;; at = NULL, asked = false) {
        if (!at && !follow_quickly(core, b->block, accesses, way, &at))
            return leave_in_front(core, all, b, path, way, given);
        if (!asked && !asks_data(way, at))
            break;
        if (!asked)
            quick = ask(core, accesses, at, profiled);
        memo_edge *edge = NULL;
        if (__builtin_expect(quick > QUICK_USUAL, 1))
            edge = memo_behind_quick(core, at, quick);
        if (__builtin_expect(!edge, 0))
            return leave_at_reference(core, all, b, path, at, quick, at != way->end, given);
        *given++ = edge;
        way = &edge->way;
        if (way->is_over) {
            at = way->end;
            break;
        }
    }
    memo_leaf *leaf = NULL;
    if (way->ends_in_branch)
        leaf = behind_last(core, at, prediction_of(all, b));
    if (__builtin_expect(leaf != NULL, 1))
        return leaf;
    return leave_at(core, all, b, path, &at->place, given);
}

static memo_leaf *__attribute__((noinline))
go_on_unprofiled(p5_core *core, batch *all, const p5_retired_block *b, const p5_access *accesses,
                 memo_path *path, memo_node *at)
{
    return go_on(core, all, b, accesses, path, at, false, QUICK_NOT, false);
}

static memo_leaf *__attribute__((noinline))
go_on_profiled(p5_core *core, batch *all, const p5_retired_block *b, const p5_access *accesses,
               memo_path *path, memo_node *at)
{
    return go_on(core, all, b, accesses, path, at, false, QUICK_NOT, true);
}

static inline memo_leaf *price_on(p5_core *core, batch *all, const p5_retired_block *b,
                                  const p5_access *accesses, memo_path *path, memo_node *at, bool profiled)
{
    return profiled ? go_on_profiled(core, all, b, accesses, path, at)
                    : go_on_unprofiled(core, all, b, accesses, path, at);
}

/* price_on behind the answer `quick` of the reference at `at`. */
static memo_leaf *__attribute__((noinline))
price_on_answer(p5_core *core, batch *all, const p5_retired_block *b, const p5_access *accesses,
                memo_path *path, memo_node *at, uint64_t quick)
{
    return go_on(core, all, b, accesses, path, at, true, quick, core->profile != NULL);
}

/* ... when the quick way has come to `at`. Mostly a reference has to be asked, and has the answer that came
 * last time; if nothing was behind that but a branch, there is no need to go on. */
static inline __attribute__((always_inline)) memo_leaf *
price_from(p5_core *core, batch *all, const p5_retired_block *b, const p5_access *accesses,
           const p5_prediction *prediction, memo_path *path, memo_node *at, bool profiled)
{
    const memo_edge *edge = asks_data(&path->way, at) ? at->edges : NULL;
    if (edge && edge->way.is_over && edge->way.ends_in_branch) {
        uint64_t quick = ask(core, accesses, at, profiled);
        memo_leaf *leaf = NULL;
        if (__builtin_expect(quick > QUICK_USUAL && edge->quick == quick, 1))
            leaf = behind_last(core, edge->way.end, *prediction);
        return __builtin_expect(leaf != NULL, 1) ? leaf
                                                 : price_on_answer(core, all, b, accesses, path, at, quick);
    }
    return price_on(core, all, b, accesses, path, at, profiled);
}

/* Prices a stretch whose way in is `path` and whose accesses begin at `accesses`, at clocks that are quiet as
 * long as it has its usual answers; answers the leaf that it ended with, or NULL. The fetches have their
 * usual answers; `moved`: its lines have to be used. `quiet` is kept up to date. */
static inline __attribute__((always_inline)) memo_leaf *
price_steps(p5_core *core, batch *all, const p5_retired_block *b, const p5_access *accesses,
            const p5_prediction *prediction, memo_path *path, bool moved, bool profiled, quiet_time *quiet)
{
    memo_way *way = &path->way;
    memo_node *at = memo_steps_calm(core, accesses, way);
    if (moved)
        memo_use_lines(core, way, at);
    memo_leaf *leaf;
    if (__builtin_expect(at == way->end && way->ends_in_branch, 1)) {
        leaf = behind_last(core, at, *prediction);
        if (__builtin_expect(leaf != NULL, 1))
            return leaf;
    }
    leaf = price_from(core, all, b, accesses, prediction, path, at, profiled);
    *quiet = find_quiet_time(core->memory);
    return leaf;
}

/* ... whatever the clocks and fetches are like. */
static memo_leaf *__attribute__((noinline))
price_looking(p5_core *core, batch *all, const p5_retired_block *b, const p5_access *accesses,
              const p5_prediction *prediction, memo_path *path, bool is_quiet, quiet_time *quiet)
{
    bool moved, profiled = core->profile != NULL;
    if (is_quiet && code_is_usual(core, b->block, &path->way, true, &moved))
        return price_steps(core, all, b, accesses, prediction, path, moved, profiled, quiet);
    memo_leaf *leaf = price_on(core, all, b, accesses, path, NULL, profiled);
    *quiet = find_quiet_time(core->memory);
    return leaf;
}

/* ... Mostly nothing has happened in the code cache, and the block lies in the page of the one before. */
static inline __attribute__((always_inline)) memo_leaf *
price_quickly(p5_core *core, batch *all, const p5_retired_block *b, const p5_access *accesses,
              const p5_prediction *prediction, memo_path *path, bool profiled, quiet_time *quiet)
{
    memo_way *way = &path->way;
    bool is_quiet = memo_clock(core, way->quiet_offset) - quiet->from < quiet->span;
    if (__builtin_expect(is_quiet && memo_lines_untouched(core, way) &&
                             way->quick_page == core->memory->code_tlb.last.of[0],
                         1))
        return price_steps(core, all, b, accesses, prediction, path, false, profiled, quiet);
    if (way->quick_page != MEMO_NO_PAGE)
        return price_looking(core, all, b, accesses, prediction, path, is_quiet, quiet);
    /* P54C: groups of it have to ask the BTB */
    memo_leaf *leaf = leave_in_front(core, all, b, path, way, core->memo.given);
    *quiet = find_quiet_time(core->memory);
    return leaf;
}

/* The path of this execution, which is `path` but for the variant. NULL: it is not known. */
static inline __attribute__((always_inline)) memo_path *
in_variant(p5_core *core, batch *all, const p5_retired_block *b, const p5_access *accesses, memo_path *path)
{
    const p5_block *block = b->block;
    uint64_t key = memo_banks_variant(block, accesses, block_taken(block, b->next));
    if (block->value_count != 0) {
        if (!block->only_saturates || !has_values(all, b))
            return variant_of(core, all, b, key, path);
        key = memo_saturation_variant(block, values_of(all, b), key);
    }
    return key == path->variant ? path : memo_find_variant(core, path, key);
}

/* ---- the profile ----
 *
 * Within a batch control goes on from stretch to stretch, so a profile needs not be told of those which
 * follow another one of their function: memo_leaf.plain_path knows them. How the last one ended is told when
 * it matters. */

static inline void note_last(p5_core *core, const batch *all, const p5_retired_block *b)
{
    const p5_retired_block *last = b - 1;
    if (b != all->blocks && last != all->noted)
        profile_went_on(core->profile, last->block, last->next);
}

/* The way in to a stretch that may be a call's target, or return, or go elsewhere, and which has been noted
 * then. NULL: it is not for the memo. */
static memo_path *__attribute__((noinline))
noted_path(p5_core *core, batch *all, const p5_retired_block *b, const p5_access *accesses)
{
    p5_block *block = b->block;
    memo_leaf *last = core->memo.last;
    memo_path *path = last ? last->next_path : NULL;
    if (!path || path->block != block)
        path = other_way_in(core, all, b);
    else if (block->has_variants)
        path = in_variant(core, all, b, accesses, path);
    if (!path)
        return NULL;
    if (last && b != all->blocks && profile_function(block) == profile_goes_on_in(b[-1].block))
        last->plain_path = path;
    note_last(core, all, b);
    if (!memo_notes(core, block, b->next))
        profile_follow_block(core, block, b->next);
    return path;
}

static inline memo_path *next_path_of(const memo_leaf *leaf, bool profiled)
{
    return leaf ? profiled ? leaf->plain_path : leaf->next_path : NULL;
}

/* ---- the loop ---- */

/* The block at `b` cannot reach clock `limit`. */
static bool __attribute__((noinline))
stays_before(p5_core *core, const batch *all, const p5_retired_block *b, uint64_t limit)
{
    if (core->now + b->block->blind_clocks < limit)
        return true;
    const p5_retired r = whole_stretch(all, b);
    return core->now + bound_clocks(core, &r, prediction_of(all, b)) < limit;
}

/* Prices blocks in turn. `limited`: only as long as they are whole and cannot reach clock `limit`;
 * `profiled`: there is a profile. Answers how many. */
static inline __attribute__((always_inline)) size_t
price_blocks(p5_core *core, const p5_access *accesses, const p5_value *values, const p5_retired_block *blocks,
             const p5_prediction *predictions, size_t count, bool profiled, bool limited, uint64_t limit)
{
    if (count == 0)
        return 0;
    batch all = {.blocks = blocks, .predictions = predictions, .accesses = accesses, .values = values};
    int64_t levels = priced_levels(core, blocks);
    quiet_time quiet = find_quiet_time(core->memory);
    memo_path *path = memo_next_path(core);
    if (profiled && blocks->block->place != core->profile->expected)
        path = NULL;
    const uint64_t far = limit > core->most_blind_clocks ? limit - core->most_blind_clocks : 0;
    const p5_retired_block *b = blocks, *end = b + count;
    for (; b < end; accesses = b->accesses_end, b++, predictions++) {
        if (limited && core->now >= far && !stays_before(core, &all, b, limit))
            break;
        p5_block *block = b->block;
        host_line_will_read(b); /* another thread may have written there */
        host_line_will_read(accesses);
        bool whole = (const char *)accesses + block->access_bytes == (const char *)b->accesses_end;
        bool fits = whole && levels_of(b) == levels;
        if (__builtin_expect(!fits, 0)) {
            if (limited && !whole)
                break;
            path = NULL;
        } else if (__builtin_expect(!path || path->block != block, 0)) {
            path = profiled ? NULL : other_way_in(core, &all, b);
        } else if (block->has_variants) {
            path = in_variant(core, &all, b, accesses, path);
            if (profiled && path)
                core->memo.last->plain_path = path;
        }
        if (profiled && __builtin_expect(!path || core->now >= core->profile->interval_at, 0)) {
            path = fits ? noted_path(core, &all, b, accesses) : NULL;
            quiet = find_quiet_time(core->memory);
        }
        memo_leaf *leaf;
        if (__builtin_expect(path != NULL, 1)) {
            leaf = price_quickly(core, &all, b, accesses, predictions, path, profiled, &quiet);
        } else {
            if (profiled)
                note_last(core, &all, b);
            price_unusual(core, &all, b);
            all.noted = b;
            levels = priced_levels(core, b);
            leaf = core->memo.last;
            quiet = find_quiet_time(core->memory);
        }
        path = next_path_of(leaf, profiled);
    }
    if (profiled)
        note_last(core, &all, b);
    return (size_t)(b - blocks);
}

void memo_price_blocks(p5_core *core, const p5_access *accesses, const p5_value *values,
                       const p5_retired_block *blocks, const p5_prediction *predictions, size_t count)
{
    if (core->profile)
        price_blocks(core, accesses, values, blocks, predictions, count, true, false, 0);
    else
        price_blocks(core, accesses, values, blocks, predictions, count, false, false, 0);
}

size_t memo_price_blocks_before(p5_core *core, const p5_access *accesses, const p5_value *values,
                                const p5_retired_block *blocks, const p5_prediction *predictions,
                                size_t count, uint64_t limit)
{
    if (core->profile)
        return price_blocks(core, accesses, values, blocks, predictions, count, true, true, limit);
    return price_blocks(core, accesses, values, blocks, predictions, count, false, true, limit);
}
