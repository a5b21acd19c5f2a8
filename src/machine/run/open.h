/* Opening a machine (open.c). */
#ifndef MACHINE_RUN_OPEN_H
#define MACHINE_RUN_OPEN_H

#include "p5scope/machine.h"

/* Does what p5_machine_open does. A `model` that is not NULL replaces the model that the options describe. */
p5_status machine_open(const p5_machine_options *options, const p5_model *model, p5_machine **machine,
                       p5_error *error);
enum { BARE_DEFAULT_MEMORY = 64 << 20, BARE_LEAST_MEMORY = 1 << 20 }; /* without p5scope's Linux */
/* Opens the engine with the memory size of the options, or with `default_bytes`. Loaders call it. */
p5_status machine_open_engine(p5_machine *machine, uint32_t default_bytes, uint32_t least_bytes,
                              p5_error *error);

#endif
