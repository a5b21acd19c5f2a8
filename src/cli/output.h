/* The destination of a report: stderr, a file, or a file descriptor that the caller opened. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/options.h"
#include "p5scope/status.h"

/* Opens the report's stream, as -o, --output-append and --log-fd say; NULL after a message. */
FILE *output_open(const cli_options *line);
/* Opens and empties the file at `path`, which `option` names; NULL after a message. */
FILE *output_open_file(const char *option, const char *path);

/* A file that is reserved from the beginning of a run and written after it. */
typedef struct output_reserved {
    const char *option, *path; /* path NULL: no file */
    int file;                  /* descriptor; -1: none, or the stream of output_begin owns it */
    bool made;                 /* output_reserve has created the file */
} output_reserved;
/* Reserves the file before the run, so that a long run does not fail at its end because the file cannot be
 * written. Leaves its contents as they are. Returns false after a message. `path` NULL: no file. */
bool output_reserve(output_reserved *reserved, const char *option, const char *path);
/* Empties the reserved file and returns a stream for it, which output_close closes. Returns NULL after a message. */
FILE *output_begin(output_reserved *reserved);
/* Releases a file for which output_begin was not called: it keeps its old contents, or is removed if it is new.
 * Otherwise does nothing. */
void output_release(output_reserved *reserved);

/* Closes `out`, which `path` names (NULL: a standard stream), after a writer that returned `status` with
 * `error`. Returns false, after one message with the reason, if not all could be written. */
bool output_close(FILE *out, const char *path, p5_status status, p5_error *error);

/* Flushes standard output. Returns `status`, or CLI_FAILED in place of CLI_OK after a message if not all
 * could be written. */
int output_finish(int status);

#endif
