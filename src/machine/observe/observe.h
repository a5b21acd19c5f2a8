/* The observers of a machine: what the run loop and the board tell them. */
#ifndef MACHINE_OBSERVE_OBSERVE_H
#define MACHINE_OBSERVE_OBSERVE_H

#include "core/branch/branch.h"
#include "engine/engine.h"
#include "p5scope/observe.h"

/* Of a stretch that observe_calm is about, at most. */
enum { CALM_INSTRUCTIONS = 32, CALM_CLOCKS = 512, CALM_REFERENCES = 8 };

/* Prices a stretch in the place of run_retired, and observes within it. */
void observers_retired(p5_machine *machine, const p5_retired *retired, p5_prediction prediction);
/* ... in the place of run_retired_blocks. */
void observers_retired_blocks(p5_machine *machine, const p5_access *accesses, const p5_value *values,
                              const p5_retired_block *blocks, const p5_prediction *predictions, size_t count,
                              unsigned instructions);
/* A delivery has been priced. */
void observers_delivered(p5_machine *machine, const p5_exception *exception);
/* Time has passed in HLT. */
void observers_halted(p5_machine *machine);
/* The guest's marker, and its instruction on the performance monitor: before the instruction is retired. */
void observers_marker(p5_machine *machine, bool end, uint32_t id);
void observers_pmu(p5_machine *machine, p5_observation_kind kind, uint32_t ecx, uint64_t value);
/* An exception or interrupt is about to be delivered. */
void observers_exception(p5_machine *machine, const engine_event *event);
/* A port access has been answered; fills in where and when. */
void observers_port(p5_machine *machine, p5_port_access access);
/* Somebody wants the pins followed; one has changed. */
bool observers_want_pins(const p5_machine *machine);
void observers_pin(p5_machine *machine, p5_pin pin, bool level, uint64_t clock);
/* Frees those that have been closed. Not from within a callback. */
void observers_sweep(p5_machine *machine);
void observers_free(p5_machine *machine);

#endif
