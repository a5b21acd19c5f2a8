/* Opens the machine and loads the guest, or a snapshot, that the command line names. */
#ifndef CLI_GUEST_LOAD_H
#define CLI_GUEST_LOAD_H

#include "cli/guest_options.h"

/* Opens the machine and loads the guest. `seed` starts the guest's random numbers. Returns NULL after a message;
 * *status is then the exit status. */
p5_machine *guest_load(const guest_options *options, uint64_t seed, int *status);

#endif
