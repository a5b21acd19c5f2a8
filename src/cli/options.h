/* The options of the command line. options.tsv has a row for each, conflicts.tsv one for each combination
 * that is refused; options.awk makes option_table.[ch] from them. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The values of an option that may be given several times. */
typedef struct text_list {
    const char **items; /* NULL-terminated; NULL if there are none */
    size_t count;
} text_list;

/* -I: an interval in clocks, in instructions, or in modelled time. */
typedef struct run_interval {
    uint64_t clocks, instructions; /* 0 and 0: none */
    double seconds;                /* 0: the other two apply */
} run_interval;

#include "option_table.h"

typedef enum cli_value_type {
    VALUE_FLAG,
    VALUE_UNSET,
    VALUE_TEXT,
    VALUE_WORD,
    VALUE_CHAR,
    VALUE_UINT,
    VALUE_POSITIVE,
    VALUE_PERCENT,
    VALUE_INTERVAL,
    VALUE_CHOICE,
    VALUE_LIST,
    VALUE_OPERAND
} cli_value_type;

/* A row of options.tsv, which explains the columns. */
typedef struct cli_option_row {
    const char *verbs; /* with blanks between them */
    const char *name;
    char letter; /* 0: none */
    cli_option option;
    cli_value_type type;
    const char *argument;
    size_t field;         /* place of the value in cli_options */
    uint64_t least, most; /* of a uint; `most` of a list */
    const char *choices;  /* A|B|... */
    const char *group;
    unsigned flags;
    const char *help;
} cli_option_row;
enum { OPTION_IS_OPTIONAL = 1, OPTION_IS_HIDDEN = 2, OPTION_IS_VIEW = 4, OPTION_IS_CONTENTS = 8 };

typedef enum cli_relation { CONFLICT_EXCLUDES, CONFLICT_NEEDS, CONFLICT_ONLY } cli_relation;

/* A row of conflicts.tsv. The terms are options with blanks between them. */
typedef struct cli_conflict {
    const char *verbs, *condition, *subject;
    cli_relation relation;
    const char *object, *message;
} cli_conflict;

extern const cli_option_row cli_option_rows[];
extern const size_t cli_option_row_count;
extern const cli_conflict cli_conflicts[];
extern const size_t cli_conflict_count;

/* An option as it was given. `value` is NULL for a flag. */
typedef struct cli_use {
    const cli_option_row *row;
    const char *value;
} cli_use;

/* A parsed command line. A field has the name of its option, and is 0 if it was not given. */
typedef struct cli_options {
    CLI_OPTION_FIELDS
    const char *verb;
    bool used[OPTION_COUNT];
    cli_use *uses; /* the options in their order */
    size_t use_count;
    char **operands; /* NULL-terminated; NULL if there are none */
    size_t operand_count;
    char **argv;
    size_t own_words; /* of `argv` after the verb, up to the guest */
} cli_options;

/* A verb of the command line, beside its rows. */
typedef struct cli_verb {
    const char *name, *summary;
    const char *operands; /* "[--] GUEST [ARG...]" */
    const char *doc;      /* text of the help, with the examples after \v */
    bool runs_guest;      /* everything after the first operand belongs to the guest */
    int (*run)(const cli_options *options);
} cli_verb;

/* Parses the words after the verb's name, which is argv[0]. Answers --help and ends the program then.
 * Returns false after a message if an option, its value or a combination is wrong: the exit status is
 * CLI_USAGE. */
bool cli_parse(const cli_verb *verb, int argc, char **argv, cli_options *options);
void cli_options_free(cli_options *options);

/* Returns the last value that the option was given; NULL if there is none. */
const char *cli_value(const cli_options *options, cli_option option);

/* Writes the first of the named options, with blanks between them, that was given, as messages name it, into
 * `text` and returns `text`. NULL: none was given. */
enum { CLI_SHOWN_LENGTH = 40 };
const char *cli_first_used(const cli_options *options, const char *names, char text[CLI_SHOWN_LENGTH]);

#endif
