/* Refuses combinations of options by the rows of conflicts.tsv. A row says that options of its subject exclude
 * (CONFLICT_EXCLUDES) or need (CONFLICT_NEEDS) one of its object, or permit only those (CONFLICT_ONLY). Both are
 * lists of terms: an option's name with an optional ! before and +, = or ~ after it. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option_rows.h"

/* Returns true if the term of `length` characters at `text` holds, and sets *row to its option. NAME: the option was
 * given; !NAME: it was not; NAME+: more than once, or with a number above 1; NAME=: with a value; NAME~: without
 * one. options.awk has checked that the verb has the option. */
static bool term_holds(const cli_options *options, const char *text, size_t length,
                       const cli_option_row **row)
{
    const bool negated = text[0] == '!';
    const char last = text[length - 1];
    const size_t suffix = strchr("+=~", last) != NULL ? 1 : 0;
    const cli_option_row *found = option_find(options->verb, text + negated, length - negated - suffix);
    const void *field = (const char *)options + found->field;
    bool holds = options->used[found->option];
    if (holds && last == '+')
        holds =
            found->type == VALUE_LIST ? ((const text_list *)field)->count > 1 : *(const uint64_t *)field > 1;
    else if (suffix != 0)
        holds = holds && (cli_value(options, found->option) != NULL) == (last == '=');
    *row = found;
    return holds != negated;
}

/* Returns the option of the first of the terms that holds, NULL if none does. */
static const cli_option_row *first_term(const cli_options *options, const char *terms)
{
    size_t length;
    const cli_option_row *row;
    for (; (terms = option_next_word(terms, &length)) != NULL; terms += length)
        if (term_holds(options, terms, length, &row))
            return row;
    return NULL;
}

/* Returns the first option that was given and is neither among the names nor the subject; NULL if there is none. */
static const cli_option_row *first_other(const cli_options *options, const char *subject, const char *names)
{
    for (size_t i = 0; i < options->use_count; i++)
        if (!option_word_in(names, options->uses[i].row->name) &&
            !option_word_in(subject, options->uses[i].row->name))
            return options->uses[i].row;
    return NULL;
}

const char *cli_first_used(const cli_options *options, const char *names, char text[CLI_SHOWN_LENGTH])
{
    const cli_option_row *row = first_term(options, names);
    return row != NULL ? option_show(row, text) : NULL;
}

/* Shows a row's message, in which {a} and {b} stand for the options. `b` may be NULL if the message does not name
 * it. */
static void refuse_conflict(const char *message, const cli_option_row *a, const cli_option_row *b)
{
    char text[300], shown[CLI_SHOWN_LENGTH];
    size_t length = 0;
    for (const char *at = message; *at != '\0' && length + CLI_SHOWN_LENGTH < sizeof text; at++) {
        const bool first = strncmp(at, "{a}", 3) == 0;
        if (first || strncmp(at, "{b}", 3) == 0) {
            length += (size_t)sprintf(text + length, "%s", option_show(first ? a : b, shown));
            at += 2;
        } else {
            text[length++] = *at;
        }
    }
    text[length] = '\0';
    cli_complain(NULL, NULL, 0, "%s", text);
}

bool option_check_conflicts(const cli_options *options)
{
    for (size_t i = 0; i < cli_conflict_count; i++) {
        const cli_conflict *rule = &cli_conflicts[i];
        if (!option_word_in(rule->verbs, options->verb) ||
            (rule->condition != NULL && first_term(options, rule->condition) == NULL))
            continue;
        const cli_option_row *a = first_term(options, rule->subject);
        if (a == NULL)
            continue;
        const cli_option_row *b = rule->relation == CONFLICT_ONLY
                                      ? first_other(options, rule->subject, rule->object)
                                      : first_term(options, rule->object);
        if ((b != NULL) == (rule->relation != CONFLICT_NEEDS)) {
            refuse_conflict(rule->message, a, b);
            return false;
        }
    }
    return true;
}
