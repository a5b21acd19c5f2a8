/* Events: what the tool needs in addition to p5scope/event.h. */
#ifndef P5TOOL_EVENT_H
#define P5TOOL_EVENT_H

#include "p5scope/event.h"

/* A select code that the manual reserves on these counters. Selecting it counts nothing. */
typedef struct p5_event_reserved {
    uint8_t code;
    uint8_t counters;    /* P5_ON_CTR0 | P5_ON_CTR1 */
    uint8_t families;    /* P5_FAMILY_* */
    const char *remarks; /* what other sources say about it, may be empty */
} p5_event_reserved;

/* A name that perf uses and its meaning here; a row of events/perf.tsv. p5_event_find accepts those that mean
 * events. */
enum { P5_PERF_CLOCKS = -1 };

typedef struct p5_perf_name {
    const char *name;    /* as perf writes it: "branch-misses" */
    int event;           /* enum p5_event, or P5_PERF_CLOCKS: the clocks, which are not an event */
    const char *remarks; /* how the two differ, may be empty */
} p5_perf_name;

/* Returns all of perf's names; the entry after the last has the name NULL. */
const p5_perf_name *p5_perf_names(void);

/* Returns true for "clocks" and perf's names for it. Lists of events accept them, too. */
bool p5_event_is_clocks(const char *name);

/* Returns the reserved codes in order, for `list` and for decoding CESR in words; *count gets their
 * number. */
const p5_event_reserved *p5_event_reserved_codes(size_t *count);

/* Returns the event (enum p5_event) that counts the cause's clocks or occurrences, or -1 if none does. */
int p5_stall_event(p5_stall cause);

/* Return which clocks the cause owns, as a sentence, and its colour "#rrggbb", which all pictures use. */
const char *p5_stall_rule(p5_stall cause);
const char *p5_stall_colour(p5_stall cause);

#endif
