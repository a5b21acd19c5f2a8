/* The initrd that --init makes. */
#ifndef MACHINE_LOAD_FIRST_PROGRAM_H
#define MACHINE_LOAD_FIRST_PROGRAM_H

#include "machine/load/cpio.h"

/* An archive with the static program at `path` and the options' shares; cpio_free it, also after an error.
 * P5_ERR_FORMAT, P5_ERR_IO and P5_ERR_RANGE with what is wrong. */
p5_status first_program_archive(cpio *archive, const char *path, const p5_machine_options *options,
                                p5_error *error);

#endif
