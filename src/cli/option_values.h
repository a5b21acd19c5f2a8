/* Options that several commands have, and the parsers of their values. */
#ifndef CLI_OPTION_VALUES_H
#define CLI_OPTION_VALUES_H

#include "cli/cli.h"
#include "p5scope/report.h"
#include "p5scope/trace.h"

/* Parses the number of --percent-limit and the like; CLI_USAGE after a message. */
error_t percent_option(const char *option, const char *text, double *value);

/* The words of an option that takes several, a,b, and may be given several times. */
enum { WORDS_MOST = 64 };
typedef struct word_list {
    const char *words[WORDS_MOST + 1]; /* NULL-terminated */
    size_t count;
    char *text[WORDS_MOST]; /* the storage of `words` */
    size_t text_count;
} word_list;

/* Handles `option` TEXT for an argp parser; `what` are at most `most` words. */
error_t word_list_add(word_list *list, const char *option, const char *text, size_t most, const char *what);
void word_list_free(word_list *list);

/* -e of the commands that run a guest: the words as written, and the selection that they make. */
enum { EVENT_OPTIONS_MOST = 64 };
typedef struct event_options {
    const char *words[EVENT_OPTIONS_MOST];
    size_t count;
} event_options;

/* Handles -e TEXT for an argp parser. */
error_t event_options_add(event_options *options, const char *text);
/* Adds all words to `selection`. Returns false after a message. With `remark`, also reports the groups that
 * CTR0 and CTR1 could not count at the same time. */
bool event_options_select(const event_options *options, unsigned family, bool remark,
                          p5_selection *selection);

/* --json and --csv: rows for programs in the place of text for people. For a verb's argp; the input is
 * a p5_row_format. */
extern const struct argp_child row_children[];
/* A verb's own option for one of them. */
error_t row_option_set(p5_row_format *format, p5_row_format wanted);

/* Opens the model `name`, a built-in one or a file, the value of `option`. NULL after a message. */
p5_model *model_option_open(const char *option, const char *name);

/* -I: an interval in clocks, in instructions, or in modelled time. */
typedef struct run_interval {
    uint64_t clocks, instructions; /* 0 and 0: none */
    double seconds;                /* 0: the other two apply */
} run_interval;
/* Reads N with its unit. A number alone is rejected, because it could mean clocks or, as in other tools,
 * milliseconds. */
error_t interval_option(const char *text, run_interval *of);
/* Converts modelled time into clocks of the model. */
void interval_complete(run_interval *of, const p5_model *model);
/* Parses Nc, Ni, begin:ID, end:ID, or a symbol or address of the guest at `path` (NULL: it has none). Returns
 * false after a message. */
bool bound_option(const char *option, const char *text, const char *path, p5_bound *bound);
/* Returns the comma after the place at the beginning of `text`, NULL if there is none. The parameters of a
 * C++ function may contain commas, too. */
const char *place_comma(const char *text);
/* Parses the end of a region: as bound_option, or +Nc or +Ni relative to the region's beginning. */
bool end_option(const char *option, const char *text, const char *path, p5_bound *bound);
/* Returns false after a message if `to`, at column `column` of `text`, is not after `from`. */
bool bounds_in_order(const p5_bound *from, const p5_bound *to, const char *option, const char *text,
                     unsigned column);

#endif
