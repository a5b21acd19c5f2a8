/* Looks up the rows of options.tsv that a verb has, and makes argp's table and the help from them. */
#ifndef CLI_OPTION_ROWS_H
#define CLI_OPTION_ROWS_H

#include "cli/options.h"

enum { OPTION_MOST_ROWS = 128 }; /* rows of argp's table of a verb, with headings and the end */

/* Returns the first of the words, which have blanks between them, and its length. NULL: there is none. */
const char *option_next_word(const char *words, size_t *length);
/* Returns true if `wanted` is one of the words. */
bool option_word_in(const char *words, const char *wanted);

/* Returns true if the verb has the option. */
bool option_of_verb(const cli_option_row *row, const char *verb);
/* Returns the verb's option whose name has these `length` characters. NULL: there is none. */
const cli_option_row *option_find(const char *verb, const char *name, size_t length);
/* Returns the verb's option for a key in option_argp's table: the option's letter, or another number. NULL: there is
 * none. */
const cli_option_row *option_find_key(const char *verb, int key);
/* Writes the option as messages name it, -l or --name, into `text`; returns `text`. */
const char *option_show(const cli_option_row *row, char text[CLI_SHOWN_LENGTH]);

/* Writes argp's form of all rows of the verb to `to`; returns their number. */
size_t option_argp(const char *verb, struct argp_option to[OPTION_MOST_ROWS]);
/* Shows a page of the verb's help: "" has its own options, "all" has every option, and a group's name the
 * options of this group. Returns false if there is no such page. */
bool option_help(const cli_verb *verb, const char *page);

/* Returns false after a message if a row of conflicts.tsv applies (option_conflicts.c). */
bool option_check_conflicts(const cli_options *options);

#endif
