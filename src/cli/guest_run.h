/* Running a guest: open the machine, load, run, say how it ended. */
#ifndef CLI_GUEST_RUN_H
#define CLI_GUEST_RUN_H

#include "cli/guest_options.h"

/* Opens a machine with the options and `seed`, and loads the guest. NULL after a message; *status is then
 * what to exit with. */
p5_machine *guest_open(guest_options *options, uint64_t seed, int *status);

/* The limits of the command line, with what is left of --timeout since the guest was loaded. */
p5_limits guest_limits_left(const guest_options *options);

/* The second wall: the guest is loaded, and all that is still needed of the host is known. For the last
 * machine that the process opens. `output` (NULL: none) is made later beside what --save makes, or makes
 * other files as a database does; `reads` are read later beside the guest and its symbols. */
void guest_confine(const guest_options *options, const char *output, const char *const *reads,
                   size_t read_count);

/* Runs the guest to its end or a limit. Ctrl-C stops it. False after a message (CLI_INTERNAL). */
bool guest_run(const guest_options *options, p5_machine *machine, p5_run_result *result,
               double *host_seconds);

/* The exit status that p5scope ends with after such a run. */
int guest_exit_status(const p5_run_result *result);
/* A sentence on how the run ended, "" if the guest just exited; returns `text`. */
const char *guest_ending(const p5_run_result *result, char *text, size_t size);

#endif
