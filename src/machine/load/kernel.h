/* Linux kernels. */
#ifndef MACHINE_LOAD_KERNEL_H
#define MACHINE_LOAD_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns true if the file, whose first `size` bytes are given, begins with a bzImage's setup. */
bool kernel_is_bzimage(const uint8_t *bytes, size_t size);

#endif
