/* Reverse execution. The server saves states of the machine while it runs, and replays the past on a copy of the
 * machine. The machine itself only runs forward, so no effect is undone or repeated. Output of the copy is
 * dropped, and gdb cannot change the copy. */
#ifndef MACHINE_GDB_HISTORY_H
#define MACHINE_GDB_HISTORY_H

#include "machine/snapshot/copy.h"

struct gdb;

enum { HISTORY_STATES = 32 };

typedef struct gdb_history {
    machine_copy states[HISTORY_STATES]; /* saved states, oldest first */
    unsigned count;
    uint64_t spacing;    /* instructions between states */
    p5_machine *present; /* the machine while gdb debugs a copy; NULL while it debugs the machine */
    bool begins;         /* gdb has reached the first state */
    const char *refused; /* why reverse execution is impossible, or NULL */
} gdb_history;

/* Saves a state if one is due. Called between pieces of a run of the present. */
void gdb_history_keep(struct gdb *g);
/* Executes the packets bs and bc; polls `interrupted`. Returns false if reverse execution is impossible (`refused`). Then
 * gdb stays where it is, or returns to the present if a replay has failed. */
bool gdb_history_back(struct gdb *g, bool step, bool (*interrupted)(void *context), void *context);
/* Switches gdb back to the present if the copy has reached it. Returns true if it did. */
bool gdb_history_arrives(struct gdb *g);
/* Returns the instructions left until the copy reaches the present, or UINT64_MAX in the present. */
uint64_t gdb_history_left(const struct gdb *g);
void gdb_history_close(struct gdb *g);

#endif
