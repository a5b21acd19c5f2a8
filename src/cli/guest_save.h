/* --save: runs a guest and writes its state to a file, at a point or when the run is stopped. */
#ifndef CLI_GUEST_SAVE_H
#define CLI_GUEST_SAVE_H

#include "cli/guest_options.h"

/* Runs like p5_machine_run within the options' limits and performs --save and --save-at. Returns false after
 * a message if the file could not be written; *status and *error are those of p5_machine_run. */
bool guest_run_saving(const guest_options *options, p5_machine *machine, p5_run_result *result,
                      p5_status *status, p5_error *error);

#endif
