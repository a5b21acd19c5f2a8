/* Opening a machine (open.c). */
#ifndef MACHINE_RUN_OPEN_H
#define MACHINE_RUN_OPEN_H

#include "p5scope/machine.h"

/* p5_machine_open; with `model` in the place of what the options say of one, unless it is NULL. */
p5_status machine_open(const p5_machine_options *options, const p5_model *model, p5_machine **machine,
                       p5_error *error);
enum { BARE_DEFAULT_MEMORY = 64 << 20, BARE_LEAST_MEMORY = 1 << 20 }; /* without a Linux of ours */
/* For loaders: opens the engine with the RAM asked for, or `default_bytes`. */
p5_status machine_open_engine(p5_machine *machine, uint32_t default_bytes, uint32_t least_bytes,
                              p5_error *error);

#endif
