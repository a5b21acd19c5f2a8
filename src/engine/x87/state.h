/* The state of the x87 beside its registers. x87_internal.h and x87_host.h have the functions for it. */
#ifndef ENGINE_X87_STATE_H
#define ENGINE_X87_STATE_H

#include "engine/unicorn/unicorn_state.h"

/* Where the guest's x87 registers are: in Unicorn's state; in the host's x87 (x87_host.h); or in Unicorn's
 * state in MMX mode: TOP is 0, no register is empty, and no exception is pending. */
typedef enum x87_place { X87_IN_STATE, X87_IN_HOST, X87_IN_STATE_MMX } x87_place;

typedef struct x87_state {
    /* What the first helper of an instruction passes to the second. */
    uint8_t operand_kind; /* x87_operand */
    bool operand_empty;
    bool pushing;                 /* the next load pushes */
    bool ignored;                 /* IGNNE# is active for the pending exception */
    bool suppressed;              /* an unmasked exception: no result, no pop */
    uint8_t place;                /* x87_place */
    uint64_t operand;             /* in its memory format */
    unsigned safe_low, safe_span; /* exponents of safe operands: x87_safe */
    unsigned safe_reach;          /* how far these extend from 0 on either side */
    unsigned reach[8];            /* by physical register */
    uc_fpreg operand_register;
    uint64_t underflows, overflows; /* stack faults so far: engine_x87_faults */
} x87_state;

#endif
