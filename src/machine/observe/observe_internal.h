/* What the files of observation share: observe.c (stretches), goals.c, functions.c, tell.c and
 * open.c. */
#ifndef MACHINE_OBSERVE_OBSERVE_INTERNAL_H
#define MACHINE_OBSERVE_OBSERVE_INTERNAL_H

#include "base/array.h"
#include "core/model/bound.h"
#include "machine/observe/observe.h"
#include "machine/state.h"

/* A watched function that has been entered and not left. */
typedef struct frame {
    uint32_t number;         /* index in addresses */
    uint32_t return_address; /* linear */
    uint32_t esp;            /* at its entry */
    uint8_t cpl;
} frame;

/* An event that is followed. */
typedef struct watch {
    p5_event_watch what;
    uint64_t goal;       /* total at which it is told next */
    uint64_t look_clock; /* the total cannot come there before this clock */
} watch;

struct p5_observer {
    p5_machine *machine;
    p5_observer *next;
    p5_observe_options options; /* all zero when it has been closed */
    p5_point *points;
    uint32_t *addresses;
    watch *watches;
    uint64_t next_clock, next_instruction; /* nearest goals */
    uint64_t interval_clock, interval_instruction;
    uint64_t stretch_clock;    /* behind the stretch told last */
    p5_counts *stretch_before; /* ... and the totals; NULL: not wanted */
    /* Arrival at a watched address; it is an entry when its first instruction completes. */
    bool arrived;
    frame arrival;
    ARRAY_OF(frame) frames;
};

struct observers {
    p5_observer *first;
    uint64_t next_clock, next_instruction; /* nearest of all */
    uint32_t *cuts;                        /* the addresses of all, ascending */
    size_t cut_count;
    bound most;       /* what a stretch can take */
    bool resumed;     /* the last stretch was an interrupted REP string: it goes on at the same address */
    bool some_closed; /* observers_sweep has something to do */
};

/* goals.c. An observer's nearest goals, and those of all, after one has changed. */
void observe_own_goals(p5_observer *o);
void observe_goals(observers *all, p5_machine *machine);
/* The next multiples of its intervals. */
void observe_intervals(p5_observer *o);
/* A watched event's total, and its goal behind that. */
uint64_t observe_total(const p5_observer *o, const watch *w);
void observe_watch(watch *w, uint64_t total, uint64_t clock);
void observe_tell(p5_observer *o, p5_observation_kind kind, uint32_t address, unsigned cpl, uint32_t number,
                  uint64_t value);
/* Tells of all goals that have been reached at this boundary. */
void observe_reached(p5_machine *machine, uint32_t address, unsigned cpl);

/* functions.c. Control has come to `next`, by a far transfer or not: if it is a watched address, remembers
 * the frame. `skip` bytes lie on the stack above the return address. */
void observe_arrive(p5_machine *machine, uint32_t next, unsigned cpl, uint32_t skip, bool far);
/* The first instruction of a stretch at a watched address has completed, and is not yet priced. */
void observe_enter(p5_observer *o, const p5_retired *r, uint32_t address);
/* An instruction of that kind (isa_branch) can leave a function; it has, to `next`. */
bool observe_may_return(unsigned branch);
void observe_leave(p5_observer *o, uint32_t next, unsigned cpl);

/* tell.c. A stretch has been priced. */
void observe_stretch(p5_machine *machine, const p5_retired *r);
uint32_t observe_linear_eip(const engine *e);

#endif
