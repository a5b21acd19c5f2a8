/* Tries references out: determines what memory_ask will return for a few of them in turn, and restores the
 * state afterwards. Used to predict the clocks of a stretch. */
#ifndef CORE_MEMORY_MEMORY_TRIAL_H
#define CORE_MEMORY_MEMORY_TRIAL_H

#include "core/memory/memory.h"

enum { TRIAL_REFERENCES = 16 };

/* The state that such references can change. */
typedef struct memory_trial {
    struct {
        unsigned set;
        uint64_t at_hand[2];
        uint32_t tag[CACHE_WAYS];
        uint8_t state[CACHE_WAYS], lru;
        uint32_t *l2_tag, l2_line; /* NULL: the board's L2 does not cache it */
    } references[TRIAL_REFERENCES];
    unsigned count;
    uint64_t tlb_order, read_quiet, write_quiet, ewbe_at;
    line_fill data_fill;
    write_buffer writes;
    bus bus;
    p5_bus_use on_bus[BUS_RECENT + BUS_UNTOLD]; /* uses of the bus during the trial */
    counts *totals;
    uint64_t *uses;
    core_observer *observer;
    /* Receive the counts of the trial, and are ignored: */
    counts nobodys;
    uint64_t nobodys_uses[REFERENCE_USES];
} memory_trial;

void memory_trial_begin(memory_trial *t, struct memory *m);
void memory_trial_end(memory_trial *t, struct memory *m);

/* Tries the next reference. Returns the word that memory_ask will return, or DATA_LONG if that is not known;
 * in this case no further reference may be tried. */
uint64_t memory_trial_ask(memory_trial *t, struct memory *m, const p5_access *access, uint64_t asked,
                          unsigned how);

#endif
