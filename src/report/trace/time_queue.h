/* What happens at some clock, in order of time. Items are added out of order - a pin's pulse when its event
 * is counted, a stage of an instruction together with all others of it - but never by more than a lag, so
 * that the queue stays short however long the run. */
#ifndef REPORT_TRACE_TIME_QUEUE_H
#define REPORT_TRACE_TIME_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

typedef struct timed {
    uint64_t clock;
    uint64_t order; /* which decides for what happens at one clock */
    union {
        uint64_t value;
        const char *name; /* of the caller, who keeps it */
        char *text;       /* belongs to whoever takes the item */
    };
    uint32_t what;
} timed;

typedef struct time_queue {
    ARRAY_OF(timed) heap;
} time_queue;

/* False: out of memory. */
bool time_queue_add(time_queue *queue, const timed *item);
/* Takes the earliest if it is before `clock`. */
bool time_queue_take(time_queue *queue, uint64_t clock, timed *item);

#endif
