/* Reverse execution. The server saves states of the machine while it runs, and replays the past on a copy of the
 * machine. The machine itself only runs forward, so no effect is undone or repeated. Output of the copy is
 * dropped, and gdb cannot change the copy. */
#ifndef MACHINE_GDB_HISTORY_H
#define MACHINE_GDB_HISTORY_H

#include "machine/snapshot/copy.h"

struct gdb;

enum { HISTORY_STATES = 32 };

/* The *present* is the machine that p5scope runs. In the past, gdb debugs a copy of it, and gdb.machine is the copy. */
typedef struct gdb_history {
    machine_copy states[HISTORY_STATES]; /* saved states, oldest first */
    unsigned count;                      /* of `states` */
    uint64_t spacing;    /* instructions between states; 0 before the first call of gdb_history_keep */
    p5_machine *present; /* the machine while gdb debugs a copy; NULL while it debugs the machine */
    bool at_begin;       /* the latest command went back to the first state, before which nothing is known */
    const char *refused; /* why reverse execution is impossible, or NULL */
} gdb_history;

/* Saves the machine's state if the latest one is `spacing` instructions old. Does nothing in the past. Called while the
 * machine does not run. */
void gdb_history_keep(struct gdb *g);
/* Executes gdb's commands reverse-stepi (packet bs, `step`) and reverse-continue (bc): leaves gdb at an earlier
 * instruction, with the reason in g->stops. Stops early, wherever the copy is, if `interrupted` returns true. Returns
 * false if reverse execution is impossible (`refused`). Then gdb stays where it is, or returns to the present if a
 * replay has failed. */
bool gdb_history_back(struct gdb *g, bool step, bool (*interrupted)(void *context), void *context);
/* Switches gdb back to the present if the copy has reached it. Returns true if it did. */
bool gdb_history_arrives(struct gdb *g);
/* Returns the instructions left until the copy reaches the present, or UINT64_MAX in the present. */
uint64_t gdb_history_left(const struct gdb *g);
/* Returns gdb to the present and frees the copy and the saved states. */
void gdb_history_close(struct gdb *g);

#endif
