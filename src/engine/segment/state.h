/* The state of deliveries and of segment loads. segmentation.h has the functions for it. */
#ifndef ENGINE_SEGMENT_STATE_H
#define ENGINE_SEGMENT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "p5scope/core.h"

typedef struct segment_state {
    bool delivering;
    p5_exception exception; /* the one that is being delivered */
    bool injected;          /* engine_inject: to be delivered before anything else is executed */
    uint8_t injected_vector;
    p5_transfer injected_kind;
    uint32_t external; /* EXT bit of the error codes of faults from here on */
    uintptr_t
        return_address; /* into translated code, for faults of a segment load in the middle of a block */
    bool nmi_blocked;   /* from an NMI to the next IRET */
} segment_state;

#endif
