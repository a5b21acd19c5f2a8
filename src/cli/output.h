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
/* Opens the file at `path`, which `option` names, and empties it; NULL after a message. */
FILE *output_open_file(const char *option, const char *path);

/* A file that is written when the run is over, and belongs to it from its beginning. */
typedef struct output_reserved {
    const char *option, *path; /* NULL: none */
    int file;
    bool made; /* it was not there */
} output_reserved;
/* Nobody wants to hear after a long run that its outcome cannot be written. Leaves what the file holds as it
 * is; false after a message. `path` NULL: none is wanted. */
bool output_reserve(output_reserved *reserved, const char *option, const char *path);
/* Empties it, for output_close. NULL after a message. */
FILE *output_begin(output_reserved *reserved);
/* Without output_begin the file is as it was, or gone if it was not there. */
void output_release(output_reserved *reserved);

/* Closes `out`, which `path` names (NULL: a standard stream), behind a writer that answered `status` with
 * `error`. False, after one message with the reason, if not all could be written. */
bool output_close(FILE *out, const char *path, p5_status status, p5_error *error);

/* Writes what is left of standard output. `status`, or CLI_FAILED in the place of CLI_OK after a message if
 * not all could be written. */
int output_finish(int status);

#endif
