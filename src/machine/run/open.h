/* Opening a machine (open.c). */
#ifndef MACHINE_RUN_OPEN_H
#define MACHINE_RUN_OPEN_H

#include "p5scope/machine.h"

/* Does what p5_machine_open does, with options of this library's size. A `model` that is not NULL is copied and
 * replaces the model that the options describe. */
p5_status machine_open(const p5_machine_options *options, const p5_model *model, p5_machine **machine,
                       p5_error *error);
/* Bytes of memory for all guests but Linux programs and cases: kernels, images, disks, DOS programs. */
enum { BARE_DEFAULT_MEMORY = 64 << 20, BARE_LEAST_MEMORY = 1 << 20 };
/* Opens the engine with the memory size of the options, or with `default_bytes` if they have none. Loaders call it
 * before they put anything into memory. Fails with less than `least_bytes`, or if the machine has a guest. */
p5_status machine_open_engine(p5_machine *machine, uint32_t default_bytes, uint32_t least_bytes,
                              p5_error *error);

#endif
