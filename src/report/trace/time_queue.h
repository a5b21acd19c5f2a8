/* A queue of changes and steps by clock. Items are added out of order: a pin's pulse when its event is
 * counted, an instruction's stages all together. They are out of order by a bounded lag, so the queue stays
 * short in long runs. */
#ifndef REPORT_TRACE_TIME_QUEUE_H
#define REPORT_TRACE_TIME_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

typedef struct timed {
    uint64_t clock;
    uint64_t order; /* decides between items at the same clock */
    union {
        uint64_t value;
        const char *name; /* owned by the caller */
        char *text;       /* owned by whoever takes the item */
    };
    uint32_t what;
} timed;

typedef struct time_queue {
    ARRAY_OF(timed) heap;
} time_queue;

/* Adds an item. Returns false when memory is out. */
bool time_queue_add(time_queue *queue, const timed *item);
/* Takes the earliest item if it is before `clock`; otherwise returns false. */
bool time_queue_take(time_queue *queue, uint64_t clock, timed *item);

#endif
