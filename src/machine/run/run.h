/* The run loop, for those who take part in it (run.c). */
#ifndef MACHINE_RUN_RUN_H
#define MACHINE_RUN_RUN_H

#include "engine/engine.h"
#include "p5scope/machine.h"

/* A run can begin: something is loaded, and none is under way. */
p5_status machine_check_ready(const p5_machine *machine, p5_error *error);
/* Delivers an external interrupt at this boundary, as engine_inject, and tells the observers. */
bool run_inject(p5_machine *machine, uint8_t vector, p5_transfer kind);

#endif
