/* The branch target buffer: 256 entries, 64 sets of 4 ways on both processors, laid out as the test registers
 * show them.
 *
 *   P54C  set = key[5:0], tag = key[31:6]. The key is the address of the first instruction of the pair before
 *         the branch. Entry: a two-bit state (0 = unused; 2 and 3 predict taken), target.
 *   P55C  bank = key[3:2], set = key[7:4], tag = key[31:8]. The key is the address of the branch's last byte,
 *         whose bits 1-0 (offset) are kept but not compared: one branch per aligned dword. Entry: valid,
 *         prediction bit, four-bit history, type, target; and 16 two-bit counters selected by the history,
 *         which the test registers do not show.
 *
 * This file keeps the array. predictor.c predicts and learns. */
#ifndef CORE_BRANCH_BTB_H
#define CORE_BRANCH_BTB_H

#include <stdbool.h>
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/host_line.h"
#include "base/snapshot.h"
#include "core/model/model.h"
#include "core/model/replacement.h"

enum {
    BTB_SETS = 64,
    BTB_WAYS = 4,
    BTB_ENTRIES = BTB_SETS * BTB_WAYS,
    BTB_COUNTERS = 1 << 4 /* one per history of four outcomes */
};

/* TR11's branch type. */
typedef enum btb_type { BTB_JCC, BTB_JMP, BTB_CALL, BTB_RET } btb_type;

/* Layout of btb_entry.pattern:
 *
 *     6       5            4       1   0
 *   | stale | prediction | history | 0 |
 *
 * The counter selected by the history starts at bit 2 * history of btb_entry.counters, which is
 * pattern & PATTERN_PLACE. A shift by one makes room for the next outcome and turns the prediction into the stale
 * one. */
enum {
    PATTERN_LAST = 2, /* the last outcome (1: taken), lowest bit of the history */
    PATTERN_HISTORY = (BTB_COUNTERS - 1) * PATTERN_LAST,
    PATTERN_PREDICTION = BTB_COUNTERS * PATTERN_LAST,
    PATTERN_STALE = PATTERN_PREDICTION * 2,
    PATTERN_PLACE = PATTERN_PREDICTION - 1
};

/* btb_entry.settled when nothing is settled; it is no address. */
#define BTB_NEVER_SETTLED UINT64_MAX

typedef struct btb_entry {
    uint64_t used;    /* predictor.now at its last use; 0: never */
    uint64_t settled; /* P55C: if the branch leads to this address, the prediction is right and nothing
                         changes */
    uint32_t target;
    uint32_t counters; /* P55C: two bits each, history 0 lowest */
    uint32_t pattern;  /* P55C: the history; the prediction for it; and the prediction before the last update,
                          which a branch sees that is fetched again too soon: PATTERN_* */
    uint8_t state;     /* P54C: 0-3 */
} btb_entry;

/* The *owner* of an entry identifies the branch to which it belongs:
 *
 *    31          6   5        4  3   2    1   0
 *   | tag          | NO_OWNER | type | offset | valid |
 *
 * The tag is in place, in the key's bits above the set index (P55C: 31-8). On the P55C, offset and type distinguish the
 * branches with the same tag and set. A lookup compares tag and valid only. For a field of two bits, mask / 3 is its
 * lowest bit. */
enum { BTB_VALID = 1, BTB_OFFSET = 3 << 1, BTB_TYPE = 3 << 3 };
#define BTB_TAG  (~63u)
#define NO_OWNER (1u << 5) /* of a btb_branch that is no near branch; equals the owner of no entry */

/* The lookup key of a branch. */
typedef struct btb_branch {
    uint32_t owner; /* the owner of its entry, if it has one */
    uint16_t entry; /* the entry where it was last found, or another one of its set */
    uint8_t kind;   /* P55C: isa_branch */
} btb_branch;

typedef struct btb {
    BEGINS_LINE uint32_t owner[BTB_ENTRIES]; /* owner of each entry */
    btb_entry entry[BTB_ENTRIES];            /* BTB_WAYS per set */
    const model_btb *model;
    bool by_use;     /* P55C: the victim in a full set is derived from the times of use */
    uint32_t random; /* state of the P54C's pseudo-random replacement */
} btb;

/* Sets the state after RESET. `model` must outlive the BTB. */
void btb_init(btb *b, const model_btb *model);
/* Invalidates all entries, for CR3 load, RESET, INIT and TR11 flush. Their other contents stay (manual,
 * 26.2.1.3). */
void btb_flush(btb *b);

/* Returns whether branches are looked up by the pair before them (P54C) instead of their own address
 * (P55C). */
static inline bool btb_by_pairs(const btb *b)
{
    return b->model->key == BTB_KEY_PREVIOUS_PAIR;
}

/* Returns the branch type of an owner. */
static inline btb_type btb_type_of(uint32_t owner)
{
    return (btb_type)((owner & BTB_TYPE) / (BTB_TYPE / 3));
}

/* Returns the P54C's lookup key, which is the pair before the branch. */
static inline btb_branch btb_by_pair(uint32_t pair)
{
    return (btb_branch){.owner = (pair & ~63u) | BTB_VALID, .entry = (uint16_t)((pair & 63) * BTB_WAYS)};
}

/* Returns the P55C's lookup key. The array index is set * 4 + bank. */
static inline btb_branch btb_by_last_byte(uint32_t last_byte, btb_type type, uint8_t kind)
{
    return (btb_branch){.owner = (last_byte & ~255u) | type * (BTB_TYPE / 3u) |
                                 (last_byte & 3) * (BTB_OFFSET / 3u) | BTB_VALID,
                        .entry = (uint16_t)((last_byte >> 2 & 63) * BTB_WAYS),
                        .kind = kind};
}

/* Returns the first entry of the branch's set. */
static inline size_t btb_first(const btb_branch *branch)
{
    return branch->entry & ~(size_t)(BTB_WAYS - 1);
}

/* Returns the valid entry whose tag matches, even if its state is 0 (P54C); NULL if there is none. At most one
 * matches. The code has no host branch per way, because the way is unpredictable. */
static inline btb_entry *btb_find(btb *b, const btb_branch *branch)
{
    const size_t first = btb_first(branch);
    const uint32_t *owner = &b->owner[first];
    unsigned ways = 0;
#ifdef __SSE2__
    const __m128i owners = _mm_load_si128((const __m128i *)(const void *)owner),
                  differ = _mm_xor_si128(owners, _mm_set1_epi32((int)branch->owner)),
                  tags = _mm_and_si128(differ, _mm_set1_epi32((int)(BTB_TAG | BTB_VALID))),
                  fit = _mm_cmpeq_epi32(tags, _mm_setzero_si128());
    ways = (unsigned)_mm_movemask_ps(_mm_castsi128_ps(fit));
#else
    for (unsigned way = 0; way < BTB_WAYS; way++)
        ways |= (unsigned)(((owner[way] ^ branch->owner) & (BTB_TAG | BTB_VALID)) == 0) << way;
#endif
    return ways == 0 ? NULL : &b->entry[first + (unsigned)__builtin_ctz(ways)];
}

/* Returns the way that a tree pseudo-LRU would replace (replacement.h). Each of its bits tells which side of
 * a node was used last, which follows from the times of use. A bit that was never set points to the lower
 * side. */
static inline size_t btb_least_used(const btb_entry *set)
{
    uint64_t lower = set[0].used > set[1].used ? set[0].used : set[1].used;
    uint64_t upper = set[2].used > set[3].used ? set[2].used : set[3].used;
    const bool root = lower > upper, low = set[0].used > set[1].used, high = set[2].used > set[3].used;
    return replacement_victim(BTB_WAYS, root | (uint64_t)low << 1 | (uint64_t)high << 2);
}

/* Returns a way (0-3) of the set that begins with entry `first`: a free one, or the one that the model's replacement
 * chooses. (btb.c) */
size_t btb_victim(btb *b, size_t first);

/* Returns a free entry for a branch that has none, or else replaces one. The branch owns the entry from now
 * on; its other contents are unchanged. */
static inline btb_entry *btb_allocate(btb *b, btb_branch *branch)
{
    const size_t first = btb_first(branch);
    const uint32_t *owner = &b->owner[first];
    const bool full = (owner[0] & owner[1] & owner[2] & owner[3] & BTB_VALID) != 0;
    const size_t entry =
        first + ((full & b->by_use) ? btb_least_used(&b->entry[first]) : btb_victim(b, first));
    branch->entry = (uint16_t)entry;
    b->owner[entry] = branch->owner;
    return &b->entry[entry];
}

/* An entry in the form of test registers and snapshots, one member per field of owner, pattern and counters. */
typedef struct btb_raw {
    uint32_t tag;
    bool valid;
    uint8_t offset, type;
    uint32_t target;
    uint8_t state; /* P54C */
    bool prediction, stale_prediction;
    uint8_t history;
    uint64_t used;
    uint8_t counter[BTB_COUNTERS];
} btb_raw;

extern const snapshot_table btb_raw_state;
/* Get and replace entry `entry` (0-255). */
btb_raw btb_raw_of(const btb *b, unsigned entry);
void btb_set_raw(btb *b, unsigned entry, const btb_raw *raw);

/* Read and write an entry for TR9-TR11. `set` is numbered as in TR11 (P54C 0-63; P55C 0-15 with bank 0-3). A
 * write goes to the entry with the same bank, set and tag if there is one, whatever `way` is (manual,
 * 26.2.1.3). */
btb_raw btb_get(const btb *b, unsigned set, unsigned bank, unsigned way);
void btb_put(btb *b, unsigned set, unsigned bank, unsigned way, const btb_raw *raw);

#endif
