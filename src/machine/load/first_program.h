/* The initrd of --init, an archive from which a Linux kernel makes its first file system. */
#ifndef MACHINE_LOAD_FIRST_PROGRAM_H
#define MACHINE_LOAD_FIRST_PROGRAM_H

#include "machine/load/cpio.h"

/* Makes an archive with the static program at `path` and the options' shares. The caller must call cpio_free,
 * even after an error. Returns P5_ERR_FORMAT, P5_ERR_IO or P5_ERR_RANGE with a message. */
p5_status first_program_archive(cpio *archive, const char *path, const p5_machine_options *options,
                                p5_error *error);

#endif
