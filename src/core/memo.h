/* Answers of the pipe that are remembered: for a block, the pipe state it was entered with and the usual outcome, the clocks, the state it
 * left and what it adds to the totals. An entry counts how often it was used; totals are formed from these counts when somebody looks. */
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
    memo_state **states;      /* hash table of interned pipe states */
    unsigned state_room, state_count;
    memo_state *current;      /* the interned form of the core's state; NULL: only `state` of the core holds it */
    memo_entry *dirty;        /* entries used since totals were last formed */
    size_t bytes, budget;
    memo_entry *all;
} memo;

bool memo_open(memo *m);
void memo_close(memo *m);
/* Prices a whole block by a remembered answer. False: nothing was counted; core->code_usual and data_usual say how far the structures have been
 * probed, and the exact path goes on from there. */
bool memo_price(p5_core *core, const p5_retired *r);
/* Adds what the used entries stand for to the core's deltas. */
void memo_fold(p5_core *core);
/* Forgets a block's entries. */
void memo_release(p5_core *core, p5_block *block);
/* The core's state changed outside of memo_price. */
void memo_leave(p5_core *core);

#endif
