/* The observers of a machine: the notifications that the run loop and the board send them. A stretch is a block that
 * has retired, or a part of one; to price it means to compute its clocks and counts; a batch is several stretches. Most
 * functions require that the machine has observers. */
#ifndef MACHINE_OBSERVE_OBSERVE_H
#define MACHINE_OBSERVE_OBSERVE_H

#include "core/branch/branch.h"
#include "core/pipe/batch.h"
#include "engine/engine.h"
#include "p5scope/observe.h"

/* The largest stretch that observe_horizon covers: core clocks if all its references hit, and data references. */
enum { HORIZON_INSTRUCTIONS = 32, HORIZON_CLOCKS = 512, HORIZON_REFERENCES = 8 };

/* Prices a stretch, as run_retired does without observers, and notifies observers within it. */
void observers_retired(p5_machine *machine, const p5_retired *retired, p5_prediction prediction);
/* Prices a batch with `instructions` in total, as run_retired_blocks does without observers, and notifies observers
 * within it. */
void observers_retired_batch(p5_machine *machine, const p5_batch *batch, unsigned instructions);
/* Notifies observers after the delivery of an exception or interrupt has been priced. */
void observers_delivered(p5_machine *machine, const p5_exception *exception);
/* Notifies observers after time has passed in HLT. */
void observers_halted(p5_machine *machine);
/* Notify observers of a marker of the guest, or of an instruction that uses the performance monitor, before
 * the instruction is retired. */
void observers_marker(p5_machine *machine, bool end, uint32_t id);
void observers_pmu(p5_machine *machine, p5_observation_kind kind, uint32_t ecx, uint64_t value);
/* Notifies observers of an exception or interrupt that is about to be delivered. */
void observers_exception(p5_machine *machine, const engine_event *event);
/* Notifies observers of a port access that has been answered; fills in its place and time. */
void observers_port(p5_machine *machine, p5_port_access access);
/* Return whether an observer follows the pins; notify observers of a change of a pin. observers_want_pins also works
 * without observers. */
bool observers_want_pins(const p5_machine *machine);
void observers_pin(p5_machine *machine, p5_pin pin, bool level, uint64_t clock);
/* Frees the observers that have been closed (p5_observer_close only marks them); there may be none. Must not be called
 * from a callback. */
void observers_sweep(p5_machine *machine);
/* Frees all observers when the machine is closed. */
void observers_free(p5_machine *machine);

#endif
