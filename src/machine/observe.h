/* The observation of a machine: where it stands, and what the run loop tells it. */
#ifndef MACHINE_OBSERVE_H
#define MACHINE_OBSERVE_H

#include "p5scope/observe.h"

typedef struct observer observer;

/* Prices a stretch in the place of run_retired, and observes within it. */
void observer_retired(p5_machine *machine, const p5_retired *retired);
/* A delivery has been priced. */
void observer_delivered(p5_machine *machine, const p5_exception *exception);
/* Time has passed in HLT. */
void observer_halted(p5_machine *machine);
/* The guest's marker, and its instruction on the performance monitor: before the instruction is retired. */
void observer_marker(p5_machine *machine, bool end, uint32_t id);
void observer_pmu(p5_machine *machine, p5_observation_kind kind, uint32_t ecx, uint64_t value);
void observer_free(observer *o);

#endif
