/* What the files of this folder share: observe.c (stretches), goals.c, functions.c, notify.c and open.c. A stretch is a
 * block that has retired, or a part of one. A goal is a clock or an instruction count at which an observer is to be
 * notified; UINT64_MAX: never. */
#ifndef MACHINE_OBSERVE_OBSERVE_INTERNAL_H
#define MACHINE_OBSERVE_OBSERVE_INTERNAL_H

#include "base/array.h"
#include "core/model/bound.h"
#include "machine/observe/observe.h"
#include "machine/state.h"

/* A watched function that has been entered and not left. */
typedef struct frame {
    uint32_t number;         /* index in p5_observer.addresses */
    uint32_t return_address; /* linear */
    uint32_t esp;            /* at its entry */
    uint32_t directory;      /* CR3 at its entry */
    uint8_t cpl;
} frame;

/* A watched event. */
typedef struct watch {
    p5_event_watch what;
    uint64_t goal;       /* total at which its observer is notified next */
    uint64_t look_clock; /* the total cannot reach the goal before this clock */
} watch;

struct p5_observer {
    p5_machine *machine;        /* NULL: closed, to be freed by observers_sweep */
    p5_observer *next;          /* in the order in which they were opened */
    p5_observe_options options; /* all zero after it has been closed */
    p5_point *points;    /* the observer's copies, as many as the options say; `at` UINT64_MAX: reached */
    uint32_t *addresses; /* of watched functions */
    watch *watches;      /* of events */
    uint64_t next_clock, next_instruction;         /* nearest goals */
    uint64_t interval_clock, interval_instruction; /* ends of the running intervals */
    uint64_t stretch_clock;                        /* clock after the stretch reported last */
    p5_counts *stretch_before;                     /* the totals at that clock; NULL: not needed */
    /* Control has reached a watched address. This becomes an entry when the first instruction there completes. */
    bool arrived;
    frame arrival;          /* valid if `arrived` */
    ARRAY_OF(frame) frames; /* from the outermost call to the innermost */
};

struct observers {
    p5_observer *first;
    uint64_t next_clock, next_instruction; /* nearest goals of all observers */
    uint32_t *cuts;                        /* addresses watched by any observer, ascending */
    size_t cut_count;
    bound most;   /* the model's upper bounds of durations, from which follows how long a stretch can take */
    bool resumed; /* the last stretch was an interrupted REP string, which will continue */
    bool some_closed; /* observers_sweep has something to free */
    bool cuts_stay;   /* cuts of freed observers may be left; observers_sweep removes them after the run */
};

/* goals.c. Recompute one observer's nearest goals, and the nearest of all observers, after a change. */
void observe_own_goals(p5_observer *o);
void observe_goals(observers *all, p5_machine *machine);
/* Sets the next multiples of the observer's intervals. */
void observe_intervals(p5_observer *o);
/* Return a watched event's total; set its next goal above `total`, which it has at `clock`. */
uint64_t observe_total(const p5_observer *o, const watch *w);
void observe_watch(watch *w, uint64_t total, uint64_t clock);
/* Calls the observer's callback, if it has one. */
void observe_notify(p5_observer *o, p5_observation_kind kind, uint32_t address, unsigned cpl, uint32_t number,
                    uint64_t value);
/* Notifies the observers of all goals reached at this boundary, before the instruction at `address`. */
void observe_reached(p5_machine *machine, uint32_t address, unsigned cpl);

/* functions.c. Handles a transfer of control to `next`, far or near: if it is a watched address, saves the
 * frame. `skip` is the number of bytes between the top of the stack and the return address (an error code). */
void observe_arrive(p5_machine *machine, uint32_t next, unsigned cpl, uint32_t skip, bool far);
/* Reports an entry: the first instruction of a stretch at a watched address has completed, but is not yet priced. */
void observe_enter(p5_observer *o, const p5_retired *r, uint32_t address);
/* Return whether a branch of this kind (isa_branch) can leave a function; report the exits of one to `next`. */
bool observe_may_return(unsigned branch);
void observe_leave(p5_observer *o, uint32_t next, unsigned cpl);

/* notify.c. Reports a stretch that has been priced. */
void observe_stretch(p5_machine *machine, const p5_retired *r);
uint32_t observe_linear_eip(const engine *e);

#endif
