/* Answers of the pipe that are remembered: for a block, the pipe state it was entered with and the usual
 * outcome, the clocks, the state it left and what it adds to the totals. An entry counts how often it was
 * used; totals are formed from these counts when somebody looks.
 *
 * Usual means: every code line and data reference hits with nothing in its way. Which neighbours meet in one
 * bank, what operand values cost, where the branch went and whether it was predicted are part of the key.
 * Everything else goes through the exact path. */
#ifndef CORE_MEMO_H
#define CORE_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/pipe.h"

typedef struct memo_state memo_state;
typedef struct memo_entry memo_entry;

typedef struct memo {
    bool on;
    memo_state **states; /* hash table of interned pipe states */
    unsigned state_room, state_count;
    memo_entry **entries; /* hash table over all blocks */
    memo_state *current;  /* the interned form of the core's state; NULL: only the core's `state` holds it */
    memo_entry *dirty;    /* entries used since totals were last formed */
    size_t bytes;         /* held by entries and states */
    size_t budget;        /* above it everything is dropped and built anew */
    pipe_deltas *scratch; /* deltas of the stretch that an entry is made from */
} memo;

/* False: out of memory. */
bool memo_open(memo *m);
/* All blocks have been released. */
void memo_close(memo *m);
/* Prices a stretch by a remembered answer, or by the exact path while remembering it. False: nothing was
 * counted; the core's code_usual, data_usual and so on say how far the structures were asked, the exact path
 * goes on from there. */
bool memo_price(p5_core *core, const p5_retired *r);
/* Adds what the used entries stand for to the core's deltas. */
void memo_fold(p5_core *core);
/* Forgets a block's entries. */
void memo_release(p5_core *core, p5_block *block);
/* Makes the core's `state` valid. */
void memo_materialise(p5_core *core);

#endif
