/* The run loop, for the other parts of the machine (run.c). */
#ifndef MACHINE_RUN_RUN_H
#define MACHINE_RUN_RUN_H

#include "engine/engine.h"
#include "p5scope/machine.h"

/* Checks that a run can begin: a guest is loaded for more than inspection, and no run is in progress. */
p5_status machine_check_ready(const p5_machine *machine, p5_error *error);
/* Calls machine_check_ready and checks the caller's limits and result (may be NULL). Copies the limits to *own. */
p5_status machine_check_run(const p5_machine *machine, const p5_limits *limits, p5_limits *own,
                            p5_run_result *result, p5_error *error);
/* Delivers an external interrupt, an NMI or a machine check (P5_TRANSFER_FAULT) at this boundary, and notifies the
 * observers. Returns false and does nothing if it cannot be taken here (engine_inject). */
bool run_inject(p5_machine *machine, uint8_t vector, p5_transfer kind);

#endif
