/* Where a report goes: stderr, a file, or a file descriptor that the caller opened. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "p5scope/status.h"

typedef struct output_options {
    const char *path; /* -o */
    bool append;      /* --append */
    int descriptor;   /* --log-fd, -1 = none */
} output_options;

/* Opens the report's stream; NULL after a message. */
FILE *output_open(const output_options *options);
/* Closes `out`, which `path` names (NULL: a standard stream), behind a writer that answered `status` with
 * `error`. False, after one message with the reason, if not all could be written. */
bool output_close(FILE *out, const char *path, p5_status status, p5_error *error);

/* Writes what is left of standard output. `status`, or CLI_FAILED in the place of CLI_OK after a message if
 * not all could be written. */
int output_finish(int status);

#endif
