/* The branch target buffer: 256 entries, 64 sets of 4 ways on both processors, laid out as the test registers
 * show them.
 *
 *   P54C  set = key[5:0], tag = key[31:6]; the key is the address of the first instruction of the pair before
 * the branch. Entry: a two-bit state (0 = unused; 2 and 3 predict taken), target. P55C  bank = key[3:2], set
 * = key[7:4], tag = key[31:8]; the key is the address of the branch's last byte, of which bits 1-0 (offset)
 * are kept but not compared: one branch per aligned dword. Entry: valid, prediction bit, four-bit history,
 * type, target; and 16 two-bit counters chosen by the history, which the test registers do not show.
 *
 * This file keeps the array; what a prediction is and how it is learned is predictor.c. */
#ifndef CORE_BRANCH_BTB_H
#define CORE_BRANCH_BTB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/snapshot.h"
#include "core/model/model.h"

enum { BTB_SETS = 64, BTB_WAYS = 4, BTB_COUNTERS = 16 };

/* TR11's branch type. */
typedef enum btb_type { BTB_JCC, BTB_JMP, BTB_CALL, BTB_RET } btb_type;

typedef struct btb_entry {
    /* Whose entry it is: btb_place compares these together. */
    uint32_t tag; /* the key's bits above the set index, in place */
    bool valid;
    uint8_t offset; /* P55C */
    uint8_t type;   /* P55C: btb_type */
    uint8_t unused; /* 0 */
    uint32_t target;
    uint8_t state;         /* P54C: 0-3; what follows is the P55C's */
    bool prediction;       /* for the current history */
    bool stale_prediction; /* before the last update: what a branch sees that is fetched again too soon */
    uint8_t history;
    uint64_t used; /* when it was used last: later uses have larger numbers; 0: never */
    uint8_t counter[BTB_COUNTERS];
    bool steady; /* predicts a branch that is taken, and nothing changes if it is (predictor_learn) */
} btb_entry;

typedef struct btb {
    btb_entry entry[BTB_SETS][BTB_WAYS];
    uint64_t changes[BTB_SETS]; /* grow whenever an entry of the set becomes another's; never 0 */
    const model_btb *model;
    uint32_t random; /* state of the P54C's pseudo-random replacement */
} btb;

extern const snapshot_table btb_state;
void btb_init(btb *b, const model_btb *model);
/* CR3 load, RESET, INIT, TR11 flush: no entry is valid any more; what else is in them stays
 * (manual, 26.2.1.3). */
void btb_flush(btb *b);

/* Branches are looked up by the pair before them (P54C), not by their own address (P55C). */
static inline bool btb_by_pairs(const btb *b)
{
    return b->model->key == BTB_KEY_PREVIOUS_PAIR;
}

/* Array index of a key: P54C set; P55C set * 4 + bank. */
static inline unsigned btb_set(const btb *b, uint32_t key)
{
    return btb_by_pairs(b) ? key & 63 : ((key >> 4 & 15) << 2) | (key >> 2 & 3);
}

static inline uint32_t btb_tag(const btb *b, uint32_t key)
{
    return key & (btb_by_pairs(b) ? ~63u : ~255u);
}

/* Whose entry it is, as one word. */
static inline uint64_t btb_place(const btb_entry *entry)
{
    uint64_t place;
    _Static_assert(offsetof(btb_entry, target) == sizeof place, "what identifies an entry stands in front");
    memcpy(&place, entry, sizeof place);
    return place;
}

/* The entry whose tag fits `key`, valid or (P54C) fallen to state 0; NULL if none. One that was never written
 * has tag 0 and fits nothing. */
static inline btb_entry *btb_find(btb *b, uint32_t key)
{
    btb_entry *set = b->entry[btb_set(b, key)];
    uint32_t tag = btb_tag(b, key);
    for (unsigned way = 0; way < BTB_WAYS; way++)
        if (set[way].tag == tag && set[way].valid)
            return &set[way];
    return NULL;
}

/* An entry for `key`: the one that has its tag, else a free one, else the victim; used at `now`. Its tag and
 * valid bit are set, the rest is as it was. */
btb_entry *btb_allocate(btb *b, uint32_t key, uint64_t now);

/* Raw access for TR9-TR11. `set` as TR11 numbers it (P54C 0-63; P55C 0-15 with bank 0-3). A write goes to the
 * entry of the same bank, set and tag if there is one, whatever `way` says (manual, 26.2.1.3). */
btb_entry btb_get(const btb *b, unsigned set, unsigned bank, unsigned way);
void btb_put(btb *b, unsigned set, unsigned bank, unsigned way, const btb_entry *entry);

#endif
