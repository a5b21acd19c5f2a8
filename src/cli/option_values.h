/* Parsers for values of options that several verbs have. Functions with the result error_t return 0, or CLI_USAGE
 * after a message. */
#ifndef CLI_OPTION_VALUES_H
#define CLI_OPTION_VALUES_H

#include "cli/cli.h"
#include "cli/options.h"
#include "p5tool/report.h"
#include "p5tool/trace.h"

/* Parses a number for `option`, such as 1200, 0x4b0 or 64k. A number above `largest` is an error, too. */
error_t number_option(const char *option, const char *text, uint64_t largest, uint64_t *value);
/* Parses the first `length` characters of `text` as a number that may have a fraction, such as 5, 0.5 or 1e3. Returns false
 * for anything else: signs, blanks, numbers that are too large. */
bool fraction_parse(const char *text, size_t length, double *value);
/* Parses two numbers up to INT32_MAX with `separator` between them. Returns false after a message, which is
 * `advice` if there is no separator. */
bool two_numbers_option(const char *option, const char *text, const char *separator, const char *advice,
                        uint64_t numbers[2]);

/* The words of an option that takes several, a,b, and may be given several times. */
enum { WORDS_MOST = 64 };
typedef struct word_list {
    const char *words[WORDS_MOST + 1]; /* NULL-terminated */
    size_t count;
    char *text[WORDS_MOST]; /* the storage of `words` */
    size_t text_count;
} word_list;

/* Adds the words of `text`, the value of `option`. An empty word is an error, and so are more than
 * WORDS_MOST words; `what` names them in the message. Returns ENOMEM without a message. */
error_t word_list_add(word_list *list, const char *option, const char *text, const char *what);
void word_list_free(word_list *list);

/* Adds the events of all -e to `selection`. Returns false after a message. With `remark`, also reports the
 * groups that CTR0 and CTR1 could not count at the same time. */
bool events_select(const text_list *events, unsigned family, bool remark, p5_selection *selection);

/* Checks the separator of CSV: one character, or more if `several`, or \t. Letters, digits and other characters of
 * numbers and names do not separate them. */
error_t separator_option(const char *option, const char *text, bool several);

/* Returns the form that --json, --csv and -x choose for rows. */
p5_row_format rows_format(const cli_options *options);

/* Opens the model `name`, a built-in one or a file, the value of `option`. NULL after a message. */
p5_model *model_option_open(const char *option, const char *name);
/* Returns false after a message if there is no such model. */
bool model_option_check(const char *option, const char *name);

/* Parses the value of -I: N with its unit. A number alone is rejected, because it could mean clocks or, as in other
 * tools, milliseconds. */
error_t interval_option(const char *text, run_interval *of);
/* Converts an interval of modelled time into clocks of the model; leaves others as they are. */
void interval_complete(run_interval *of, const p5_model *model);
/* Parses a point of a run: clock Nc, number of instructions Ni, marker begin:ID or end:ID, or a symbol or address of
 * the guest at `path` (NULL: it has none). Returns false after a message. */
bool bound_option(const char *option, const char *text, const char *path, p5_bound *bound);
/* Returns the comma that separates the place (a point as above) at the beginning of `text` from the next; NULL if
 * there is none. The parameters of a C++ function may contain commas, too, which do not separate. */
const char *place_comma(const char *text);
/* Parses the end of a region: as bound_option, or +Nc or +Ni relative to the region's beginning. Returns false after a
 * message. */
bool end_option(const char *option, const char *text, const char *path, p5_bound *bound);
/* Returns false after a message if `to`, which is at column `column` of the option's value `text`, cannot be after
 * `from`. */
bool bounds_in_order(const p5_bound *from, const p5_bound *to, const char *option, const char *text,
                     unsigned column);

#endif
