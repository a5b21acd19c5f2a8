/* The engine's state of the x87 in addition to Unicorn's. x87_internal.h and x87_host.h have the functions for it. */
#ifndef ENGINE_X87_STATE_H
#define ENGINE_X87_STATE_H

#include "engine/unicorn/unicorn_state.h"

/* Where the guest's x87 registers are: in Unicorn's state; in the host's x87 (x87_host.h); or in Unicorn's
 * state in MMX mode: TOP is 0, no register is empty, and no exception is pending. */
typedef enum x87_place { X87_IN_STATE, X87_IN_HOST, X87_IN_STATE_MMX } x87_place;

typedef struct x87_state {
    /* Unicorn translates an x87 instruction to several calls of helper functions. The first one leaves the operand
     * here. */
    uint8_t operand_kind; /* x87_operand */
    bool operand_empty;   /* the operand is an empty register */
    bool pushing;         /* the next load belongs to an instruction that pushes */
    bool suppressed;      /* an unmasked exception has prevented the result, so there is no pop either */
    bool ignored;         /* IGNNE# is active for the pending exception */
    uint8_t place;        /* x87_place */
    uint64_t operand;     /* an operand from memory, in its format there */
    /* Biased exponents of safe operands (x87_safe): safe_low to safe_low + safe_span. */
    unsigned safe_low, safe_span;
    unsigned safe_reach; /* how far safe exponents extend from 0, without the bias, on either side */
    /* By physical register, while the host's x87 has the registers: a bound for the magnitude of the exponent
     * without the bias, or X87_REACH_* (x87_host.h). */
    unsigned reach[8];
    uc_fpreg operand_register;      /* an operand from a register */
    uint64_t underflows, overflows; /* stack faults so far: engine_x87_faults */
} x87_state;

#endif
