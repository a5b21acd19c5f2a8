/* Another bus master on the board, as the [agent] section of the model describes it. Every `period` bus
 * clocks it requests the bus to move one line of a range that it traverses cyclically.
 *
 *   agent_dma.c   a device that uses HOLD and HLDA, with inquire cycles (EADS#, INV on writes)
 *   agent_dual.c  a second processor on the private arbitration of a dual-processor board (P55C manual,
 *                 chapter on multiprocessing): LRM and MRM, PHIT# and PHITM#
 *
 * The agent's turns and the processor's requests are served in the order of their clocks: a request at clock
 * c comes after all turns that are due at c or earlier. So the result does not depend on when agent_run is
 * called. */
#ifndef CORE_MEMORY_AGENT_H
#define CORE_MEMORY_AGENT_H

#include <stdint.h>

#include "base/snapshot.h"

struct memory;

typedef struct agent {
    uint64_t due;   /* core clock of the next turn; UINT64_MAX: there is no agent */
    uint64_t turn;  /* its bus clock, a multiple of the period */
    uint64_t lines; /* lines moved so far */
} agent;

extern const snapshot_table agent_state;
void agent_reset(struct memory *m);
/* Restores the next turn's core clock after a snapshot was loaded. */
void agent_restore(struct memory *m);
/* Takes all turns that are due by `clock`. */
void agent_run(struct memory *m, uint64_t clock);

/* Take one turn, requested at core clock `asked`, and return the clock at which the agent releases the
 * bus. */
uint64_t agent_dma_turn(struct memory *m, uint64_t asked, uint32_t line);
uint64_t agent_dual_turn(struct memory *m, uint64_t asked, uint32_t line);

#endif
