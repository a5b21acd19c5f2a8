/* Options that several verbs have, and what their values say. */
#ifndef CLI_OPTION_VALUES_H
#define CLI_OPTION_VALUES_H

#include "cli/cli.h"
#include "p5scope/report.h"
#include "p5scope/trace.h"

/* --percent-limit and the like; CLI_USAGE after a message. */
error_t percent_option(const char *option, const char *text, double *value);

/* Words of an option that takes several, a,b, and may be given several times. */
enum { WORDS_MOST = 64 };
typedef struct word_list {
    const char *words[WORDS_MOST + 1]; /* NULL-terminated */
    size_t count;
    char *text[WORDS_MOST]; /* what they are cut from */
    size_t text_count;
} word_list;

/* An argp parser's answer to `option` TEXT; `what` are at most `most` of them. */
error_t word_list_add(word_list *list, const char *option, const char *text, size_t most, const char *what);
void word_list_free(word_list *list);

/* -e of the verbs that run a guest: words as written, and the selection that they make. */
enum { EVENT_OPTIONS_MOST = 64 };
typedef struct event_options {
    const char *words[EVENT_OPTIONS_MOST];
    size_t count;
} event_options;

/* An argp parser's answer to -e TEXT. */
error_t event_options_add(event_options *options, const char *text);
/* Adds everything to `selection`. False after a message. With `remark`, also says which groups CTR0 and CTR1
 * could not count at the same time. */
bool event_options_select(const event_options *options, unsigned family, bool remark,
                          p5_selection *selection);

/* --json and --csv: rows for programs in the place of text for people. For a verb's argp; the input is
 * a p5_row_format. */
extern const struct argp_child row_children[];
/* A verb's own option for one of them. */
error_t row_option_set(p5_row_format *format, p5_row_format wanted);

/* Opens the model `name`, a built-in one or a file, which `option` was given. NULL after a message. */
p5_model *model_option_open(const char *option, const char *name);

/* -I: so many clocks or instructions, or so much modelled time. */
typedef struct run_interval {
    uint64_t clocks, instructions; /* 0 and 0: none */
    double seconds;                /* 0: by the two others */
} run_interval;
/* Reads N with its unit; a number alone is refused, because it could be clocks or, as of other tools, milliseconds. */
error_t interval_option(const char *text, run_interval *of);
/* Turns modelled time into clocks of the model. */
void interval_complete(run_interval *of, const p5_model *model);
/* Nc, Ni, begin:ID, end:ID, or a symbol or address of the guest at `path` (NULL: it has none). False after a
 * message. */
bool bound_option(const char *option, const char *text, const char *path, p5_bound *bound);
/* The comma behind the place at the beginning of `text`, NULL if there is none. The parameters of a C++
 * function may have commas, too. */
const char *place_comma(const char *text);
/* The end of a region: as bound_option, or +Nc or +Ni, which is relative to the region's beginning. */
bool end_option(const char *option, const char *text, const char *path, p5_bound *bound);
/* False after a message if `to`, which stands at column `column` of `text`, lies before `from` or at it. */
bool bounds_in_order(const p5_bound *from, const p5_bound *to, const char *option, const char *text,
                     unsigned column);

#endif
