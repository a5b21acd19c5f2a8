/* A priority queue by clock, a binary heap. Items are changes of signals (VCD) and steps of instructions (Kanata). They are
 * added out of order: a pin's pulse when its event is counted, an instruction's stages all together. They are out of order
 * by a bounded lag, so the queue stays short in long runs. */
#ifndef REPORT_TRACE_TIME_QUEUE_H
#define REPORT_TRACE_TIME_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

typedef struct timed {
    uint64_t clock;
    uint64_t order; /* of items at the same clock, the one with the lowest order is taken first */
    union {
        /* The user of the queue knows by `what` which of these is valid. */
        uint64_t value;
        const char *name; /* owned by the caller, or static */
        char *text;       /* owned by the code that takes the item */
    };
    uint32_t what; /* number of a signal, or kind of a step */
} timed;

typedef struct time_queue {
    ARRAY_OF(timed) heap; /* freed by the owner */
} time_queue;

/* Adds an item. Returns false when memory is out. */
bool time_queue_add(time_queue *queue, const timed *item);
/* Removes the earliest item and copies it to *item, if its clock is before `clock`. Otherwise returns false. */
bool time_queue_take(time_queue *queue, uint64_t clock, timed *item);

#endif
