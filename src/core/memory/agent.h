/* Another bus master on the board, as the [agent] section of the model describes it: every `period` bus
 * clocks it wants the bus for one line of a range that it goes through again and again.
 *
 *   agent_dma.c   a device behind HOLD and HLDA, with inquire cycles (EADS#, INV on writes)
 *   agent_dual.c  a second processor on the private arbitration of a dual-processor board (P55C manual,
 * chapter on multiprocessing): LRM and MRM, PHIT# and PHITM#
 *
 * Its turns are taken in the order of their clocks with the processor's own requests: before a request of
 * clock c come all turns that are due at c or earlier. So nothing depends on when somebody looks. */
#ifndef CORE_MEMORY_AGENT_H
#define CORE_MEMORY_AGENT_H

#include <stdint.h>

#include "base/snapshot.h"

struct memory;

typedef struct agent {
    uint64_t due;   /* core clock of the next turn; UINT64_MAX: there is no agent */
    uint64_t turn;  /* ... in bus clocks, a multiple of the period */
    uint64_t lines; /* lines moved so far */
} agent;

extern const snapshot_table agent_state;
void agent_reset(struct memory *m);
/* A snapshot was loaded: its next turn is due when the turn says. */
void agent_restore(struct memory *m);
/* Takes all turns that are due at `clock`. */
void agent_run(struct memory *m, uint64_t clock);

/* One turn each, asked for at core clock `asked`; answers the clock at which the agent leaves the bus. */
uint64_t agent_dma_turn(struct memory *m, uint64_t asked, uint32_t line);
uint64_t agent_dual_turn(struct memory *m, uint64_t asked, uint32_t line);

#endif
