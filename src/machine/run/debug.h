/* Stops that a debugger requests. Breakpoints change nothing in memory: blocks are cut at them, and
 * the run loop checks for one after each block. Watchpoints make the run loop execute single instructions. */
#ifndef MACHINE_RUN_DEBUG_H
#define MACHINE_RUN_DEBUG_H

#include "engine/engine.h"
#include "p5scope/machine.h"

enum { DEBUG_BREAKPOINTS = 256, DEBUG_WATCHES = 32 };

/* The values are those of gdb's packets Z2, Z3 and Z4. 0 and 1 (Z0, Z1) are breakpoints. */
typedef enum debug_watch_kind {
    DEBUG_WATCH_WRITE = 2,
    DEBUG_WATCH_READ,
    DEBUG_WATCH_ACCESS /* read or write */
} debug_watch_kind;

/* A watchpoint, or a breakpoint if the kind is below DEBUG_WATCH_WRITE. */
typedef struct debug_watch {
    debug_watch_kind kind;
    uint32_t address, size; /* linear; bytes (not used for a breakpoint) */
} debug_watch;

typedef enum debug_stop {
    DEBUG_STOP_NONE,
    DEBUG_STOP_STEP,
    DEBUG_STOP_BREAKPOINT,
    DEBUG_STOP_WATCH,
    DEBUG_STOP_SIGNAL
} debug_stop;

typedef struct debug_stops {
    uint32_t breakpoints[DEBUG_BREAKPOINTS]; /* linear addresses, ascending */
    unsigned breakpoint_count;
    debug_watch watches[DEBUG_WATCHES];
    unsigned watch_count;
    bool single_step; /* the delivery of an exception also ends a step */
    debug_stop stop;  /* why the run loop is to stop at the next boundary */
    debug_watch hit;  /* DEBUG_STOP_WATCH: the watchpoint */
    int signal; /* Linux's number of a signal that would end the program, which is paused there; 0: none */
} debug_stops;

/* Attaches a debugger to the machine and passes its breakpoints to the engine. `stops` remains the caller's. */
void debug_attach(p5_machine *machine, debug_stops *stops);
/* Makes the run loop stop at a signal that would end the program, so that the debugger can decide about it. */
void debug_signal(p5_machine *machine, int signal);
bool debug_is_breakpoint(const debug_stops *stops, uint32_t linear);
/* Inserts or removes a breakpoint (kinds below DEBUG_WATCH_WRITE) or a watchpoint. Returns false if there are
 * too many or the size is 0, or if there is none to remove. */
bool debug_insert(p5_machine *machine, debug_watch watch);
bool debug_remove(p5_machine *machine, debug_watch watch);

#endif
