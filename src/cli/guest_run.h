/* Runs a guest: opens the machine, loads, runs, and reports how it ended. */
#ifndef CLI_GUEST_RUN_H
#define CLI_GUEST_RUN_H

#include "cli/guest_options.h"

/* Opens a machine with the options and `seed` for the guest's random numbers, and loads the guest. --timeout begins.
 * Returns NULL after a message; *status is then the exit status. */
p5_machine *guest_open(guest_options *options, uint64_t seed, int *status);

/* Returns the limits of the command line, with what is left of --timeout. */
p5_limits guest_limits_left(const guest_options *options);

/* What the process still needs from the host once a guest is loaded. */
typedef struct guest_needs {
    /* A file that is created later, or beside which others are created, as for a database; NULL: none. */
    const char *output;
    const char *pictures;     /* path of the first picture of --pictures; NULL: none */
    const char *const *reads; /* files that are read later; NULL-terminated; NULL: none */
    bool another; /* the process opens another machine later, so it does not enter the sandbox yet */
} guest_needs;

/* Enters the sandbox (sandbox.h) and performs --fast-forward. To be called before observers are added, because nothing
 * of --fast-forward is counted. Returns false after a message; *status is then the exit status. */
bool guest_begin(const guest_options *options, p5_machine *machine, const guest_needs *needs, int *status);

/* Calls guest_open and guest_begin, for verbs that do nothing in between. Returns NULL after a message. */
p5_machine *guest_open_and_begin(guest_options *options, uint64_t seed, const guest_needs *needs,
                                 int *status);

/* Runs the guest to its end or a limit, and performs --save, --save-at, --save-every, --screen and --screenshot.
 * Ctrl-C stops the guest. *host_seconds gets the host time of the run. Returns false after a message; the exit
 * status is then CLI_INTERNAL. */
bool guest_run(const guest_options *options, p5_machine *machine, p5_run_result *result,
               double *host_seconds);

/* Returns p5scope's exit status after a run of guest_run. */
int guest_exit_status(const p5_run_result *result);
/* Returns true if the guest ended the run: its counts are then the cost of all that it does. */
bool guest_ended_itself(const p5_run_result *result);
/* Describes in a sentence how the run ended, "" if the guest simply exited. Returns `text`. */
const char *guest_ending(const p5_run_result *result, char *text, size_t size);
/* Prints guest_ending on stderr. Returns guest_exit_status. */
int guest_print_ending(const p5_run_result *result);

#endif
