/* What the verbs of the command line (run, stat, ...) share: exit statuses and messages. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "p5scope/status.h"

/* Exit statuses of p5scope itself. All others are the guest's. 124 to 127 have the meaning that timeout(1), env(1) and
 * the shell give them. */
enum {
    CLI_OK = 0,
    CLI_FAILED = 1,         /* a check or law failed, nothing was found */
    CLI_UNMEASURED = 121,   /* a condition of stat --expect, or diff --threshold, could not be judged */
    CLI_OVER_BUDGET = 122,  /* a condition of stat --expect is broken */
    CLI_SHUTDOWN = 123,     /* the guest's processor shut down (triple fault) */
    CLI_TIMEOUT = 124,      /* --timeout */
    CLI_INTERNAL = 125,     /* p5scope or its engine failed */
    CLI_NOT_LOADABLE = 126, /* the guest is not a program that can be loaded */
    CLI_NOT_FOUND = 127,    /* the guest cannot be opened */
    CLI_USAGE = 129         /* wrong option, event, model */
};

/* ---- Messages, all to stderr ---- */

/* Shows `error`. `text`, if not NULL, is the value of `option`; it is shown with a caret at the error's line and column
 * in it. `advice` (may be NULL) is the last line, e.g. "Run 'p5scope list' ...". Returns CLI_USAGE. */
int cli_show_error(const p5_error *error, const char *option, const char *text, const char *advice);
/* Shows an error in a text file, with a caret in the file's line. Returns CLI_USAGE. */
int cli_show_file_error(const p5_error *error);

/* Shows a message about the command line. `text`, if not NULL, is the value of `option`; it is shown with a caret under
 * `column` (from 1; 0: no caret). Returns CLI_USAGE. */
int cli_complain(const char *option, const char *text, unsigned column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Show a message as above and return false, for functions that return false after a message. */
#define cli_refuse_error(...) (cli_show_error(__VA_ARGS__), false)
#define cli_refuse(...)       (cli_complain(__VA_ARGS__), false)

/* Returns true if `out` is a terminal and the user did not set NO_COLOR, so that colours are shown. */
bool cli_colour(FILE *out);

/* Returns the number of columns of the terminal `out`; 80 if it is not known. */
unsigned cli_columns(FILE *out);

#endif
