/* What the verbs of the command line (run, stat, ...) share: exit statuses and messages. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "p5scope/status.h"

/* Exit statuses of p5scope itself; everything else is the guest's. 124-127 as timeout(1), env(1) and the
 * shell use them. */
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

/* Shows `error`. If `text` is not NULL it is the user's text (the value of `option`) that error->column
 * counts in, and is shown with a caret under the place. `advice` (may be NULL) is the last line, e.g. "run
 * 'p5scope list' ...". Returns CLI_USAGE. */
int cli_show_error(const p5_error *error, const char *option, const char *text, const char *advice);
/* The same for an error in a text file, whose line is shown with a caret. */
int cli_show_file_error(const p5_error *error);

/* The same for a message that the command line itself has, with the caret under `column` (from 1) of `text`.
 */
int cli_complain(const char *option, const char *text, unsigned column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Show a message as above and return false, for functions that return false after a message. */
#define cli_refuse_error(...) (cli_show_error(__VA_ARGS__), false)
#define cli_refuse(...)       (cli_complain(__VA_ARGS__), false)

/* Returns true if `out` is a terminal and the user did not set NO_COLOR, so that colours are shown. */
bool cli_colour(FILE *out);

#endif
