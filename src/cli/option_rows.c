/* Looks up rows of options.tsv, which options.awk makes into C data during the build, and makes argp's table and the
 * help from them. */
#include "cli/option_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_ROW = 0x100 }; /* argp's key of an option without a letter is this + the index of its row */

/* Pages of the help, by the groups of the rows. The first two are shown together. */
enum { GROUPS = 6, OWN_GROUPS = 2 };
static const struct {
    const char *name, *heading;
} groups[GROUPS] = {{"shared", NULL},
                    {"own", NULL},
                    {"machine", "Machine:"},
                    {"guest", "Guest and run:"},
                    {"kernel", "Kernel or image:"},
                    {"output", "Output:"}};

const char *option_next_word(const char *words, size_t *length)
{
    words += strspn(words, " ");
    *length = strcspn(words, " ");
    return *length > 0 ? words : NULL;
}

bool option_word_in(const char *words, const char *wanted)
{
    size_t length;
    for (; (words = option_next_word(words, &length)) != NULL; words += length)
        if (strlen(wanted) == length && strncmp(words, wanted, length) == 0)
            return true;
    return false;
}

bool option_of_verb(const cli_option_row *row, const char *verb)
{
    return option_word_in(row->verbs, verb);
}

const cli_option_row *option_find(const char *verb, const char *name, size_t length)
{
    for (size_t i = 0; i < cli_option_row_count; i++) {
        const cli_option_row *row = &cli_option_rows[i];
        if (option_of_verb(row, verb) && strncmp(row->name, name, length) == 0 && row->name[length] == '\0')
            return row;
    }
    return NULL;
}

const cli_option_row *option_find_key(const char *verb, int key)
{
    if (key >= KEY_ROW && (size_t)(key - KEY_ROW) < cli_option_row_count)
        return &cli_option_rows[key - KEY_ROW];
    for (size_t i = 0; i < cli_option_row_count; i++)
        if (key > 0 && cli_option_rows[i].letter == key && option_of_verb(&cli_option_rows[i], verb))
            return &cli_option_rows[i];
    return NULL;
}

const char *option_show(const cli_option_row *row, char text[CLI_SHOWN_LENGTH])
{
    if (row->letter != 0)
        snprintf(text, CLI_SHOWN_LENGTH, "-%c", row->letter);
    else
        snprintf(text, CLI_SHOWN_LENGTH, "--%s", row->name);
    return text;
}

/* Appends argp's form of the verb's rows of one group (an index in `groups`) to `to`, which has `count` entries;
 * returns the new count. */
static size_t add_group(const char *verb, size_t group, struct argp_option *to, size_t count)
{
    const int number = (int)group + 1;
    for (size_t i = 0; i < cli_option_row_count && count + 2 < OPTION_MOST_ROWS; i++) {
        const cli_option_row *row = &cli_option_rows[i];
        if (!option_of_verb(row, verb) || strcmp(row->group, groups[group].name) != 0)
            continue;
        to[count++] =
            (struct argp_option){.name = row->name,
                                 .key = row->letter != 0 ? row->letter : KEY_ROW + (int)i,
                                 .arg = row->argument,
                                 .flags = ((row->flags & OPTION_IS_OPTIONAL) != 0 ? OPTION_ARG_OPTIONAL : 0) |
                                          ((row->flags & OPTION_IS_HIDDEN) != 0 ? OPTION_HIDDEN : 0),
                                 .doc = row->help,
                                 .group = number};
    }
    return count;
}

size_t option_argp(const char *verb, struct argp_option to[OPTION_MOST_ROWS])
{
    size_t count = 0;
    for (size_t i = 0; i < GROUPS; i++)
        count = add_group(verb, i, to, count);
    return count;
}

static bool has_group(const char *verb, size_t group)
{
    struct argp_option rows[OPTION_MOST_ROWS];
    return add_group(verb, group, rows, 0) > 0;
}

bool option_help(const cli_verb *verb, const char *page)
{
    struct argp_option rows[OPTION_MOST_ROWS] = {{0}};
    size_t count = 0;
    const bool all = strcmp(page, "all") == 0, own = page[0] == '\0';
    bool more_pages = false, found = all || own;
    for (size_t i = 0; i < GROUPS; i++) {
        bool wanted = all || (own ? i < OWN_GROUPS : i >= OWN_GROUPS && strcmp(page, groups[i].name) == 0);
        if (!has_group(verb->name, i))
            continue;
        more_pages |= i >= OWN_GROUPS;
        found |= wanted;
        if (wanted && groups[i].heading != NULL)
            rows[count++] = (struct argp_option){.doc = groups[i].heading, .group = (int)i + 1};
        if (wanted)
            count = add_group(verb->name, i, rows, count);
    }
    if (!found)
        return false;
    rows[count] = (struct argp_option){0};
    struct argp shown = {.options = rows, .args_doc = verb->operands, .doc = own || all ? verb->doc : NULL};
    char name[64];
    snprintf(name, sizeof name, "p5scope %s", verb->name);
    setenv("ARGP_HELP_FMT", "no-dup-args-note,opt-doc-col=28", 0); /* the user may have set it */
    argp_help(&shown, stdout, ARGP_HELP_LONG | ARGP_HELP_SHORT_USAGE | ARGP_HELP_DOC, name);
    if (!more_pages || all)
        return true;
    fputs("\nMore options: --help=", stdout);
    for (size_t i = OWN_GROUPS; i < GROUPS; i++)
        if (strcmp(page, groups[i].name) != 0 && has_group(verb->name, i))
            printf("%s, ", groups[i].name);
    puts("all.");
    return true;
}
