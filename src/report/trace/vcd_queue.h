/* Changes of signals in order of time. They are told of out of order - a pin's pulse when its event is
 * counted
 * - but never by more than a lag, so that the queue stays short however long the run. */
#ifndef REPORT_TRACE_VCD_QUEUE_H
#define REPORT_TRACE_VCD_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

/* A signal has another value from `clock` on. */
typedef struct vcd_change {
    uint64_t clock;
    uint64_t order; /* of being told, which decides for changes at one clock */
    uint64_t value;
    uint32_t signal;
} vcd_change;

typedef struct vcd_queue {
    ARRAY_OF(vcd_change) heap;
} vcd_queue;

/* False: out of memory. */
bool vcd_queue_add(vcd_queue *queue, const vcd_change *change);
/* Takes the earliest change if it is before `clock`. */
bool vcd_queue_take(vcd_queue *queue, uint64_t clock, vcd_change *change);

#endif
