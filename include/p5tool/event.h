/* Events: what the tool needs in addition to p5scope/event.h. */
#ifndef P5TOOL_EVENT_H
#define P5TOOL_EVENT_H

#include "p5scope/event.h"

/* An event-select code of CESR that the manual reserves on the given counters. A counter that selects it counts
 * nothing. */
typedef struct p5_event_reserved {
    uint8_t code;
    uint8_t counters;    /* P5_ON_CTR0 | P5_ON_CTR1 */
    uint8_t families;    /* P5_FAMILY_* */
    const char *remarks; /* what other sources say about it, may be empty */
} p5_event_reserved;

/* An event name of perf(1) and the event that it stands for here; a row of events/perf.tsv. p5_event_find
 * accepts these names, except those that stand for the clocks. */
enum { P5_PERF_CLOCKS = -1 };

typedef struct p5_perf_name {
    const char *name;    /* as perf writes it: "branch-misses" */
    int event;           /* enum p5_event, or P5_PERF_CLOCKS: the clocks, which are not an event */
    const char *remarks; /* how perf's event differs from this one, may be empty */
} p5_perf_name;

/* Returns all of perf's names; the entry after the last has the name NULL. */
const p5_perf_name *p5_perf_names(void);

/* Returns true for "clocks" and for perf's names of the clocks. Options that take a list of events accept these
 * names besides those that p5_event_find knows. */
bool p5_event_is_clocks(const char *name);

/* Returns the reserved codes in ascending order and sets *count to their number. */
const p5_event_reserved *p5_event_reserved_codes(size_t *count);

/* Returns the event (enum p5_event) that counts the cause's clocks or occurrences, or -1 if none does. */
int p5_stall_event(p5_stall cause);

/* Returns a sentence that says which clocks are attributed to the stall cause. */
const char *p5_stall_rule(p5_stall cause);
/* Returns the colour of the cause in all pictures, as "#rrggbb". */
const char *p5_stall_colour(p5_stall cause);

#endif
