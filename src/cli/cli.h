/* What the verbs of the command line share: the verb table's form, exit statuses, option parsing, messages.
 */
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
    CLI_UNMEASURED = 121,   /* a condition of stat --expect could not be judged */
    CLI_OVER_BUDGET = 122,  /* a condition of stat --expect is broken */
    CLI_SHUTDOWN = 123,     /* the guest's processor shut down (triple fault) */
    CLI_TIMEOUT = 124,      /* --timeout */
    CLI_INTERNAL = 125,     /* p5scope or its engine failed */
    CLI_NOT_LOADABLE = 126, /* the guest is not a program that can be loaded */
    CLI_NOT_FOUND = 127,    /* the guest cannot be opened */
    CLI_USAGE = 129         /* wrong option, event, model */
};

/* One verb; `argv[0]` is the verb's name. */
typedef struct cli_verb {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
} cli_verb;

int verb_run(int argc, char **argv);
int verb_stat(int argc, char **argv);
int verb_top(int argc, char **argv);
int verb_trace(int argc, char **argv);
int verb_merge(int argc, char **argv);
int verb_list(int argc, char **argv);
int verb_msr(int argc, char **argv);
int verb_screen(int argc, char **argv);
int verb_check(int argc, char **argv);
int verb_bench(int argc, char **argv);
int verb_record(int argc, char **argv);
int verb_report(int argc, char **argv);
int verb_annotate(int argc, char **argv);
int verb_diff(int argc, char **argv);

/* ---- Options ---- */

/* An argp parser returns CLI_USAGE after it has told the user what is wrong with an option's value. */

/* Keys of options that do nothing but set a field of the parser's input, a `type`: true, false, or the
 * argument. A letter for such an option stands in the row below it. The parser hands what it does not know to
 * cli_set. */
enum { CLI_SET_TRUE = 1 << 16, CLI_SET_FALSE = 2 << 16, CLI_SET_TEXT = 3 << 16, CLI_SET_FIELD = 0xffff };
#define CLI_FIELD(type, field, as) _Generic(((type *)0)->field, as : (int)offsetof(type, field))
#define CLI_FLAG(type, field)      (CLI_SET_TRUE + CLI_FIELD(type, field, bool))
#define CLI_CLEAR(type, field)     (CLI_SET_FALSE + CLI_FIELD(type, field, bool))
#define CLI_TEXT(type, field)      (CLI_SET_TEXT + CLI_FIELD(type, field, const char *))
#define CLI_LETTER(letter)                                                                                   \
    {                                                                                                        \
        NULL, letter, NULL, OPTION_ALIAS, NULL, 0                                                            \
    }
error_t cli_set(int key, const char *argument, const struct argp_state *state);

/* Parses a verb's arguments with `argp`, options before operands. `child` is the input of its first child,
 * `input` that of others. --help is answered and ends the program:
 * the verb's own options; children with a heading by --help=WORD, its first word; everything by --help=all.
 * Anything wrong is shown with a caret under it. Returns false then: the verb is to end with CLI_USAGE. */
bool cli_parse(const struct argp *argp, int argc, char **argv, void *input, void *child);
/* The same where options may follow operands: verbs without a guest. */
bool cli_parse_anywhere(const struct argp *argp, int argc, char **argv, void *input, void *child);

/* The options that cli_parse has found to be right, each as "--name" or "--name=value" with its full name, in
 * their order and NULL-terminated. The caller frees the words and the array; NULL if there are none. */
char **cli_given(const struct argp *argp, int argc, char **argv);

/* ---- Messages, all to stderr ---- */

/* Shows `error`. If `text` is not NULL it is the user's text (the value of `option`) that error->column
 * counts in, and is shown with a caret under the place. `advice` (may be NULL) is the last line, e.g. "run
 * 'p5scope list' ...". Returns CLI_USAGE. */
int cli_show_error(const p5_error *error, const char *option, const char *text, const char *advice);
/* The same for an error in a text file, with the line. */
int cli_show_file_error(const p5_error *error);

/* The same for a message that the command line itself has, with the caret under `column` (from 1) of `text`.
 */
int cli_complain(const char *option, const char *text, unsigned column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Both for functions that answer false after a message. */
#define cli_refuse_error(...) (cli_show_error(__VA_ARGS__), false)
#define cli_refuse(...)       (cli_complain(__VA_ARGS__), false)

/* True if `out` is a terminal and the user did not set NO_COLOR. */
bool cli_colour(FILE *out);

#endif
