/* Another bus master on the board, as the [agent] section of the model describes it. Every `period` bus
 * clocks it takes a *turn*: it requests the bus and transfers one line. The lines follow each other in a range
 * of addresses, at whose end it begins again.
 *
 *   agent_dma.c   a device that uses HOLD and HLDA, with inquire cycles (EADS#, INV on writes)
 *   agent_dual.c  a second processor on the private arbitration of a dual-processor board (P55C manual,
 *                 chapter on multiprocessing): LRM and MRM, PHIT# and PHITM#
 *
 * The agent's turns and the processor's requests are served in the order of their clocks: a request at clock
 * c comes after all turns that are due at c or earlier. So the result does not depend on when agent_run is
 * called.
 *
 * `struct memory` is the memory side of the core, with the bus and the agent (memory_system.h). */
#ifndef CORE_MEMORY_AGENT_H
#define CORE_MEMORY_AGENT_H

#include <stdint.h>

#include "base/snapshot.h"

struct memory;

typedef struct agent {
    uint64_t due;   /* core clock of the next turn; UINT64_MAX: there is no agent */
    uint64_t turn;  /* bus clock of the next turn, a multiple of the period */
    uint64_t lines; /* lines transferred so far, which determine the address of the next */
} agent;

extern const snapshot_table agent_state; /* what a snapshot contains of it */
/* RESET: the first turn is one period from bus clock 0. Without an agent in the model, there is never one. */
void agent_reset(struct memory *m);
/* Computes `due` from `turn` after a snapshot was loaded. */
void agent_restore(struct memory *m);
/* Takes all turns that are due at core clock `clock` or earlier. */
void agent_run(struct memory *m, uint64_t clock);

/* Take one turn, in which the agent requests the bus at core clock `asked` for the line at physical address
 * `line`. Return the core clock at which it releases the bus. */
uint64_t agent_dma_turn(struct memory *m, uint64_t asked, uint32_t line);
uint64_t agent_dual_turn(struct memory *m, uint64_t asked, uint32_t line);

#endif
