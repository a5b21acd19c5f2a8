/* --save: runs a guest and writes its state to a file, when the run is stopped, at a point, or at intervals. */
#ifndef CLI_GUEST_SAVE_H
#define CLI_GUEST_SAVE_H

#include "cli/guest_options.h"

/* Runs like p5_machine_run within the options' limits, or controlled by --gdb, and performs --save, --save-at and
 * --save-every. Returns false after a message if a snapshot could not be written; *status and *error are those of
 * p5_machine_run. */
bool guest_run_saving(const guest_options *options, p5_machine *machine, p5_run_result *result,
                      p5_status *status, p5_error *error);

#endif
