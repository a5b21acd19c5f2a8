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

/* The column `type` of options.tsv: what a value must be, and the C type of the field for it. */
typedef enum cli_value_type {
    VALUE_FLAG,     /* no value; bool */
    VALUE_UNSET,    /* no value; clears the flag of another option */
    VALUE_TEXT,     /* const char *, as are the next two */
    VALUE_WORD,     /* a text that is not empty */
    VALUE_CHAR,     /* one character, or \t */
    VALUE_UINT,     /* from `least` to `most`; uint64_t */
    VALUE_POSITIVE, /* double */
    VALUE_PERCENT,  /* double */
    VALUE_INTERVAL, /* run_interval */
    VALUE_CHOICE,   /* one of `choices`; unsigned, its index */
    VALUE_LIST,     /* may be given `most` times; text_list */
    VALUE_OPERAND   /* no field; the value is added to the operands */
} cli_value_type;

/* A row of options.tsv, which explains the columns. */
typedef struct cli_option_row {
    const char *verbs; /* with blanks between them */
    const char *name;
    char letter;       /* 0: none */
    cli_option option; /* that of an alias is the option for which it is another spelling */
    cli_value_type type;
    const char *argument; /* the value's name in the help; NULL: it has no value */
    size_t field;         /* offset of the value's field in cli_options */
    uint64_t least, most; /* of a uint; `most` of a list */
    const char *choices;  /* A|B|...; NULL: the type is not choice */
    const char *group;    /* the page of the help that shows it */
    unsigned flags;       /* OPTION_IS_* */
    const char *help;
} cli_option_row;
enum {
    OPTION_IS_OPTIONAL = 1, /* the value may be left out */
    OPTION_IS_HIDDEN = 2,   /* not in help, man page and completion */
    OPTION_IS_VIEW = 4,     /* does not change what is counted, so it is no part of the run's identity */
    OPTION_IS_CONTENTS = 8, /* names a file that the run is made of, whose hash is a part of the identity */
    OPTION_IS_PART = 16     /* chooses the part of the run that is counted */
};

/* What a row of conflicts.tsv says about the options of `object` when one of the subject is given. Excludes: none
 * of them may be given. Needs: one of them must be given. Only: no other option may be given. */
typedef enum cli_relation { CONFLICT_EXCLUDES, CONFLICT_NEEDS, CONFLICT_ONLY } cli_relation;

/* A row of conflicts.tsv, which explains the columns. `condition`, `subject` and `object` are terms with blanks
 * between them: names of options, with marks. A condition of NULL always holds. */
typedef struct cli_conflict {
    const char *verbs, *condition, *subject;
    cli_relation relation;
    const char *object, *message;
} cli_conflict;

extern const cli_option_row cli_option_rows[];
extern const size_t cli_option_row_count;
extern const cli_conflict cli_conflicts[];
extern const size_t cli_conflict_count;

/* An option as it was given. `value` is NULL for a flag, or if an optional value was left out. */
typedef struct cli_use {
    const cli_option_row *row;
    const char *value;
} cli_use;

/* A parsed command line. CLI_OPTION_FIELDS has a field for each option, with the option's name; it is 0 if the
 * option was not given. */
typedef struct cli_options {
    CLI_OPTION_FIELDS
    const char *verb;
    bool used[OPTION_COUNT]; /* by cli_option: it was given */
    cli_use *uses;           /* the options in their order */
    size_t use_count;
    char **operands; /* NULL-terminated array, owned; NULL if there are none */
    size_t operand_count;
    char **argv;      /* from the verb on */
    size_t own_words; /* number of words after the verb and before the guest; all if there is no guest */
} cli_options;

/* A verb of the command line. Its options are rows of options.tsv. */
typedef struct cli_verb {
    const char *name, *summary;
    const char *operands;                   /* as the help shows them: "[--] GUEST [ARG...]" */
    const char *doc;                        /* text of the help, with the examples after \v */
    bool runs_guest;                        /* everything after the first operand belongs to the guest */
    int (*run)(const cli_options *options); /* returns the exit status */
} cli_verb;

/* Parses the words after the verb's name, which is argv[0]. --help shows the help and ends the program. Returns
 * false after a message if an option, its value or a combination is wrong; the exit status is then CLI_USAGE. */
bool cli_parse(const cli_verb *verb, int argc, char **argv, cli_options *options);
void cli_options_free(cli_options *options);

/* Returns the last value that the option was given, as written; NULL if there is none. */
const char *cli_value(const cli_options *options, cli_option option);

/* Writes into `text` how messages name the first of the options `names` (with blanks between them) that was given.
 * Returns `text`, or NULL if none was given. */
enum { CLI_SHOWN_LENGTH = 40 };
const char *cli_first_used(const cli_options *options, const char *names, char text[CLI_SHOWN_LENGTH]);

#endif
