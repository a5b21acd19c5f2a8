/* Where a debugger wants the guest to stop: breakpoints change nothing in memory - blocks are cut at them,
 * and the run loop asks behind each -, watchpoints make it go in steps. */
#ifndef MACHINE_RUN_DEBUG_H
#define MACHINE_RUN_DEBUG_H

#include "engine/engine.h"
#include "p5scope/machine.h"

enum { DEBUG_BREAKPOINTS = 256, DEBUG_WATCHES = 32 };

/* As in the packets Z2, Z3, Z4. */
typedef enum debug_watch_kind {
    DEBUG_WATCH_WRITE = 2,
    DEBUG_WATCH_READ,
    DEBUG_WATCH_ACCESS
} debug_watch_kind;

typedef struct debug_watch {
    debug_watch_kind kind;
    uint32_t address, size;
} debug_watch;

typedef enum debug_stop {
    DEBUG_STOP_NONE,
    DEBUG_STOP_STEP,
    DEBUG_STOP_BREAKPOINT,
    DEBUG_STOP_WATCH,
    DEBUG_STOP_SIGNAL
} debug_stop;

typedef struct debug_stops {
    uint32_t breakpoints[DEBUG_BREAKPOINTS]; /* sorted */
    unsigned breakpoint_count;
    debug_watch watches[DEBUG_WATCHES];
    unsigned watch_count;
    bool single_step; /* an exception's delivery ends a step, too */
    debug_stop stop;  /* why the run loop was told to stop */
    debug_watch hit;
    int signal; /* Linux's number of the one that would end the program, which stands where it came; 0: none
                 */
} debug_stops;

/* The machine is looked at; its engine is told of the breakpoints. */
void debug_attach(p5_machine *machine, debug_stops *stops);
/* A signal that ends the program, by its number: it waits for what the debugger says. */
void debug_signal(p5_machine *machine, int signal);
bool debug_is_breakpoint(const debug_stops *stops, uint32_t linear);
/* Kinds below DEBUG_WATCH_WRITE are breakpoints. False: there are too many, or there is none such. */
bool debug_insert(p5_machine *machine, debug_watch watch);
bool debug_remove(p5_machine *machine, debug_watch watch);

#endif
