/* Going back: states of the machine are kept while it runs, and its past is gone through again on a copy of
 * it. The machine itself only goes forward, so nothing that happened is undone or happens twice: the guest's
 * output in the past goes nowhere, and nothing can be changed there. */
#ifndef MACHINE_GDB_HISTORY_H
#define MACHINE_GDB_HISTORY_H

#include "machine/snapshot/copy.h"

struct gdb;

enum { HISTORY_STATES = 32 };

typedef struct gdb_history {
    machine_copy states[HISTORY_STATES]; /* oldest first */
    unsigned count;
    uint64_t spacing;    /* instructions from one to the next */
    p5_machine *present; /* NULL: gdb looks at it; else it looks at a copy */
    bool begins;         /* gdb has come to the first of the states */
    const char *refused; /* why there is no way back; NULL: there is */
} gdb_history;

/* Keeps a state if it is time to: between pieces of a run of the present. */
void gdb_history_keep(struct gdb *g);
/* bs and bc. `interrupted` is asked now and then. False: there is no way back (`refused`), and nothing has
 * changed. */
bool gdb_history_back(struct gdb *g, bool step, bool (*interrupted)(void *context), void *context);
/* The copy has come to the present: gdb looks at that again. True if it had not. */
bool gdb_history_arrives(struct gdb *g);
/* Instructions that may still be executed before the present comes; UINT64_MAX: it is here. */
uint64_t gdb_history_left(const struct gdb *g);
void gdb_history_close(struct gdb *g);

#endif
