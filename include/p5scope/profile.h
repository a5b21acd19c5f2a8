/* Profiles: what every instruction of a run cost, exactly, with its calling context. */
#ifndef P5SCOPE_PROFILE_H
#define P5SCOPE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "p5scope/core.h"
#include "p5scope/event.h"
#include "p5scope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a profile counts: a quantity is an event (enum p5_event), an owner of clocks (P5_PROFILE_STALLS plus
 * p5_stall; they add up to the clocks), or one of the rest. */
enum {
    P5_PROFILE_NONE = -1,
    P5_PROFILE_CLOCKS = -2, /* all owners of clocks together */
    P5_PROFILE_STALLS = P5_EVENT_COUNT,
    P5_PROFILE_EXECUTIONS = P5_PROFILE_STALLS + P5_STALL_COUNT, /* of an instruction, completed */
    P5_PROFILE_IN_V,                                            /* ... of them in the V pipe */
    /* Executions in U by what went with them: plus 0, an instruction in V; plus n, nothing, for the reason n
     * of p5_unpaired_text. */
    P5_PROFILE_UNPAIRED,
    P5_PROFILE_QUANTITIES = P5_PROFILE_UNPAIRED + 14
};

#ifdef __cplusplus
}
#endif
#endif
