/* Where a report goes: stderr, a file, or a file descriptor that the caller opened. */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

typedef struct output_options {
    const char *path; /* -o */
    bool append;      /* --append */
    int descriptor;   /* --log-fd, -1 = none */
} output_options;

/* Opens the report's stream; NULL after a message. */
FILE *output_open(const output_options *options);
/* Flushes and closes; false after a message if something could not be written. */
bool output_close(const output_options *options, FILE *out);

#endif
