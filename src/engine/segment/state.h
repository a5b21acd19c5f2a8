/* The state of deliveries and of segment loads. segmentation.h has the functions for it. */
#ifndef ENGINE_SEGMENT_STATE_H
#define ENGINE_SEGMENT_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "p5scope/core.h"

typedef struct segment_state {
    bool delivering;        /* a delivery has begun and has not been reported yet; it may have faulted */
    p5_exception exception; /* the one that is being delivered, as it will be reported */
    bool injected; /* engine_inject has stored an interrupt, which is delivered before the next instruction */
    uint8_t injected_vector;
    p5_transfer injected_kind;
    uint32_t external; /* EXT bit (0 or 1) of the error codes of faults from here on */
    /* Where a running segment load returns to in translated code, to find EIP if it faults in the middle of a block; 0
     * while no segment load runs. */
    uintptr_t return_address;
    bool nmi_blocked; /* from an NMI to the next IRET */
} segment_state;

#endif
