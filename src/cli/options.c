/* Parses options by argp from the rows of the option table. The messages are our own: they show the place of the
 * mistake and suggest what is right. */
#include "cli/options.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "p5scope/report.h"

enum { KEY_HELP = 'h', KEY_ROW = 0x100, MOST_ROWS = 128 };

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

typedef struct parse {
    const cli_verb *verb;
    cli_options *options;
    int next; /* the word after the last option or operand that was right */
} parse;

/* ---- The rows of a verb ---- */

/* Returns the word after `word`, which has blanks between its words, and its length. NULL: there is none. */
static const char *next_word(const char *words, size_t *length)
{
    words += strspn(words, " ");
    *length = strcspn(words, " ");
    return *length > 0 ? words : NULL;
}

static bool has_word(const char *words, const char *wanted)
{
    size_t length;
    for (; (words = next_word(words, &length)) != NULL; words += length)
        if (strlen(wanted) == length && strncmp(words, wanted, length) == 0)
            return true;
    return false;
}

static bool is_row_of(const cli_option_row *row, const char *verb)
{
    return has_word(row->verbs, verb);
}

static const cli_option_row *find_row(const char *verb, const char *name, size_t length)
{
    for (size_t i = 0; i < cli_option_row_count; i++) {
        const cli_option_row *row = &cli_option_rows[i];
        if (is_row_of(row, verb) && strncmp(row->name, name, length) == 0 && row->name[length] == '\0')
            return row;
    }
    return NULL;
}

static const cli_option_row *find_key(const char *verb, int key)
{
    if (key >= KEY_ROW && (size_t)(key - KEY_ROW) < cli_option_row_count)
        return &cli_option_rows[key - KEY_ROW];
    for (size_t i = 0; i < cli_option_row_count; i++)
        if (key > 0 && cli_option_rows[i].letter == key && is_row_of(&cli_option_rows[i], verb))
            return &cli_option_rows[i];
    return NULL;
}

/* Writes the option as messages name it, -l or --name, into `text`; returns `text`. */
static const char *show_option(const cli_option_row *row, char text[CLI_SHOWN_LENGTH])
{
    if (row->letter != 0)
        snprintf(text, CLI_SHOWN_LENGTH, "-%c", row->letter);
    else
        snprintf(text, CLI_SHOWN_LENGTH, "--%s", row->name);
    return text;
}

/* Appends argp's form of the rows of one group to `to`, which has `count` entries; returns the new count. */
static size_t add_group(const char *verb, size_t group, struct argp_option *to, size_t count)
{
    const int number = (int)group + 1;
    for (size_t i = 0; i < cli_option_row_count && count + 2 < MOST_ROWS; i++) {
        const cli_option_row *row = &cli_option_rows[i];
        if (!is_row_of(row, verb) || strcmp(row->group, groups[group].name) != 0)
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

static bool has_group(const char *verb, size_t group)
{
    struct argp_option rows[MOST_ROWS];
    return add_group(verb, group, rows, 0) > 0;
}

/* ---- Help ---- */

/* Shows a page of the verb's help: "" has its own options, "all" has every option, and a group's name the
 * options of this group. Returns false if there is no such page. */
static bool show_help(const cli_verb *verb, const char *page)
{
    struct argp_option rows[MOST_ROWS] = {{0}};
    size_t count = 0;
    const bool all = strcmp(page, "all") == 0, own = page[0] == '\0';
    bool pages = false, found = all || own;
    for (size_t i = 0; i < GROUPS; i++) {
        bool wanted = all || (own ? i < OWN_GROUPS : i >= OWN_GROUPS && strcmp(page, groups[i].name) == 0);
        if (!has_group(verb->name, i))
            continue;
        pages |= i >= OWN_GROUPS;
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
    /* argp's note about duplicate arguments says nothing new */
    setenv("ARGP_HELP_FMT", "no-dup-args-note,opt-doc-col=28", 0);
    argp_help(&shown, stdout, ARGP_HELP_LONG | ARGP_HELP_SHORT_USAGE | ARGP_HELP_DOC, name);
    if (!pages || all)
        return true;
    fputs("\nMore options: --help=", stdout);
    for (size_t i = OWN_GROUPS; i < GROUPS; i++)
        if (strcmp(page, groups[i].name) != 0 && has_group(verb->name, i))
            printf("%s, ", groups[i].name);
    puts("all.");
    return true;
}

static error_t answer_help(const parse *p, const char *page)
{
    if (show_help(p->verb, page != NULL ? page : ""))
        exit(output_finish(CLI_OK));
    return cli_complain("--help", page, 1,
                        "there is no page of help '%s'; there are machine, guest and all for verbs that run "
                        "a guest, and output for stat",
                        page);
}

/* ---- Values ---- */

static error_t set_uint(const cli_option_row *row, const char *option, const char *text, uint64_t *value)
{
    error_t wrong = number_option(option, text, row->most, value);
    if (wrong == 0 && *value < row->least)
        return cli_complain(option, text, 1, "%s is at least %llu", option, (unsigned long long)row->least);
    return wrong;
}

static error_t set_positive(const char *option, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(*value) && *value > 0)
        return 0;
    return cli_complain(option, text, 1, "'%s' is not a positive number", text);
}

static error_t set_percent(const char *option, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end != text && *end == '\0' && *value >= 0 && isfinite(*value))
        return 0;
    return cli_complain(option, text, 1, "'%s' is not a number of percent", text);
}

/* Stores the number of the choice, from 0. */
static error_t set_choice(const cli_option_row *row, const char *option, const char *text, unsigned *value)
{
    enum { MOST_CHOICES = 16 };
    char words[200], *rest = NULL, hint[200], list[250] = "";
    const char *names[MOST_CHOICES + 1] = {NULL};
    unsigned count = 0;
    snprintf(words, sizeof words, "%s", row->choices);
    for (char *word = strtok_r(words, "|", &rest); word != NULL && count < MOST_CHOICES;
         word = strtok_r(NULL, "|", &rest)) {
        *value = count;
        if (strcmp(word, text) == 0)
            return 0;
        names[count++] = word;
    }
    for (unsigned i = 0; i < count; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s",
                 i == 0           ? ""
                 : i + 1 == count ? " or "
                                  : ", ",
                 names[i]);
    cli_complain(option, text, 1, "%s is %s, not '%s'", option, list, text);
    if (count > 3 && p5_suggest(text, names, hint, sizeof hint)[0] != '\0')
        fprintf(stderr, "  %s\n", hint);
    return CLI_USAGE;
}

static error_t add_text(const cli_option_row *row, const char *option, const char *text, text_list *list)
{
    if (list->count == row->most && row->most == 1)
        return cli_complain(option, text, 1, "%s can be given once", option);
    if (list->count == row->most)
        return cli_complain(option, text, 1, "%s can be given at most %llu times", option,
                            (unsigned long long)row->most);
    const char **items = realloc(list->items, (list->count + 2) * sizeof *items);
    if (items == NULL)
        return ENOMEM;
    list->items = items;
    items[list->count++] = text;
    items[list->count] = NULL;
    return 0;
}

static error_t add_operand(cli_options *options, char *text)
{
    char **operands = realloc(options->operands, (options->operand_count + 2) * sizeof *operands);
    if (operands == NULL)
        return ENOMEM;
    options->operands = operands;
    operands[options->operand_count++] = text;
    operands[options->operand_count] = NULL;
    return 0;
}

/* Stores the value `text` of an option; NULL is that of a flag, or an optional value that was left out. */
static error_t store(const parse *p, const cli_option_row *row, char *text)
{
    char option[CLI_SHOWN_LENGTH];
    void *field = (char *)p->options + row->field;
    show_option(row, option);
    if (row->type == VALUE_FLAG || row->type == VALUE_UNSET) {
        *(bool *)field = row->type == VALUE_FLAG;
        return text != NULL ? cli_complain(option, text, 1, "option '%s' takes no value", option) : 0;
    }
    if (text == NULL && (row->flags & OPTION_IS_OPTIONAL) != 0)
        return 0;
    switch (row->type) {
    case VALUE_WORD:
        if (text[0] == '\0')
            return cli_complain(option, "''", 1, "%s needs a value that is not empty", option);
        break;
    case VALUE_CHAR:
        if (strlen(text) != 1 && strcmp(text, "\\t") != 0)
            return cli_complain(option, text, 1, "%s needs the separator of CSV: a single character, or \\t",
                                option);
        break;
    case VALUE_UINT:
        return set_uint(row, option, text, field);
    case VALUE_POSITIVE:
        return set_positive(option, text, field);
    case VALUE_PERCENT:
        return set_percent(option, text, field);
    case VALUE_INTERVAL:
        return interval_option(text, field);
    case VALUE_CHOICE:
        return set_choice(row, option, text, field);
    case VALUE_LIST:
        return add_text(row, option, text, field);
    case VALUE_OPERAND:
        return add_operand(p->options, text);
    default:
        break;
    }
    *(const char **)field = text;
    return 0;
}

/* Records the option under its first name, of which aliases are other spellings. */
static error_t record_given(cli_options *options, const cli_option_row *row, const char *value)
{
    for (size_t i = 0; i < cli_option_row_count; i++)
        if (cli_option_rows[i].option == row->option && is_row_of(&cli_option_rows[i], options->verb)) {
            row = &cli_option_rows[i];
            break;
        }
    cli_given *given = realloc(options->given, (options->given_count + 1) * sizeof *given);
    if (given == NULL)
        return ENOMEM;
    options->given = given;
    given[options->given_count++] = (cli_given){row, value};
    options->is_given[row->option] = true;
    return 0;
}

/* Handles --append of `stat`, which after --kernel is the kernel's command line, as in other emulators. */
static const cli_option_row *choose_append(const parse *p, const cli_option_row *row, char **argument,
                                           struct argp_state *state)
{
    if (row->option != OPTION_OUTPUT_APPEND || !p->options->is_given[OPTION_KERNEL] ||
        strcmp(row->name, "append") != 0)
        return row;
    if (*argument == NULL && state->next < state->argc)
        *argument = state->argv[state->next++];
    return find_row("stat", "cmdline", strlen("cmdline"));
}

static error_t parse_one(int key, char *argument, struct argp_state *state)
{
    parse *p = state->input;
    cli_options *options = p->options;
    error_t wrong = 0;
    if (key == ARGP_KEY_ARGS) { /* the guest's name and everything after it */
        options->own_words = (size_t)state->next - 1;
        for (int i = state->next; i < state->argc && wrong == 0; i++)
            wrong = add_operand(options, state->argv[i]);
        state->next = state->argc;
        return wrong;
    }
    if (key == ARGP_KEY_ARG && p->verb->runs_guest)
        return ARGP_ERR_UNKNOWN;
    const cli_option_row *row = find_key(options->verb, key);
    if (key == ARGP_KEY_ARG) {
        wrong = add_operand(options, argument);
    } else if (key == KEY_HELP) {
        wrong = answer_help(p, argument);
    } else if (row == NULL) {
        return ARGP_ERR_UNKNOWN;
    } else {
        row = choose_append(p, row, &argument, state);
        wrong = store(p, row, argument);
        if (wrong == 0)
            wrong = record_given(options, row, argument);
    }
    p->next = state->next;
    return wrong;
}

/* ---- What is wrong with a word ---- */

/* Shows the whole command line with a caret under word `at`, `column` columns into it. */
static void point_at(char **argv, int at, size_t column, const char *message, const char *what)
{
    char *line = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&line, &size);
    if (text == NULL)
        return;
    fputs("p5scope", text);
    size_t place = 0;
    for (int i = 0; argv[i] != NULL && i <= at + 2; i++) {
        fputc(' ', text);
        if (i == at)
            place = (size_t)ftell(text) + column;
        fputs(argv[i], text);
        if (i == at + 2 && argv[i + 1] != NULL)
            fputs(" ...", text);
    }
    fclose(text);
    cli_complain("", line, (unsigned)place + 1, message, what);
    free(line);
}

static void suggest_long(const char *verb, const char *wanted)
{
    char spelled[MOST_ROWS][CLI_SHOWN_LENGTH], dashed[100], sentence[200];
    const char *names[MOST_ROWS + 1];
    size_t count = 0;
    for (size_t i = 0; i < cli_option_row_count && count < MOST_ROWS; i++) {
        if (!is_row_of(&cli_option_rows[i], verb) || (cli_option_rows[i].flags & OPTION_IS_HIDDEN) != 0)
            continue;
        snprintf(spelled[count], CLI_SHOWN_LENGTH, "--%s", cli_option_rows[i].name);
        names[count] = spelled[count];
        count++;
    }
    names[count] = NULL;
    snprintf(dashed, sizeof dashed, "--%s", wanted);
    p5_suggest(dashed, names, sentence, sizeof sentence);
    if (sentence[0] != '\0')
        fprintf(stderr, "  %s\n", sentence);
}

/* Explains the wrong long option at argv[at]. */
static void explain_long(const char *verb, char **argv, int at)
{
    const char *name = argv[at] + 2, *before = "  It could be";
    const size_t length = strcspn(name, "=");
    char plain[80];
    const cli_option_row *matches[MOST_ROWS], *row = find_row(verb, name, length);
    size_t count = 0;
    snprintf(plain, sizeof plain, "%.*s", (int)length, name);
    for (size_t i = 0; i < cli_option_row_count && count < MOST_ROWS; i++)
        if (is_row_of(&cli_option_rows[i], verb) && strncmp(cli_option_rows[i].name, name, length) == 0)
            matches[count++] = &cli_option_rows[i];
    if (row == NULL && count == 1)
        row = matches[0];
    if (row != NULL) {
        bool value = name[length] == '=';
        point_at(argv, at, value ? length + 2 : 0,
                 value ? "option '--%s' takes no value" : "option '--%s' needs a value", row->name);
    } else if (count == 0) {
        point_at(argv, at, 0, "there is no option '--%s'", plain);
        suggest_long(verb, plain);
    } else {
        point_at(argv, at, 0, "'--%s' is the beginning of several options", plain);
        for (size_t i = 0; i < count; i++, before = ",")
            fprintf(stderr, "%s --%s", before, matches[i]->name);
        fputs(".\n", stderr);
    }
}

/* Explains the wrong letter in argv[at]. */
static void explain_short(const char *verb, char **argv, int at)
{
    for (size_t i = 1; argv[at][i] != '\0'; i++) {
        const cli_option_row *row = find_key(verb, (unsigned char)argv[at][i]);
        char letter[2] = {argv[at][i], '\0'};
        if (row != NULL && row->argument == NULL)
            continue;
        point_at(argv, at, i, row == NULL ? "there is no option '-%s'" : "option '-%s' needs a value",
                 letter);
        return;
    }
}

/* ---- Combinations ---- */

const char *cli_value(const cli_options *options, cli_option option)
{
    const char *value = NULL;
    for (size_t i = 0; i < options->given_count; i++)
        if (options->given[i].row->option == option)
            value = options->given[i].value;
    return value;
}

/* True if the term at `text` holds: NAME, !NAME, NAME+, NAME=, NAME~ (conflicts.tsv). *row is its option. */
static bool term_holds(const cli_options *options, const char *text, size_t length,
                       const cli_option_row **row)
{
    const bool negated = text[0] == '!';
    const char last = text[length - 1];
    const size_t suffix = strchr("+=~", last) != NULL ? 1 : 0;
    const cli_option_row *found = find_row(options->verb, text + negated, length - negated - suffix);
    const void *field = (const char *)options + found->field;
    bool holds = options->is_given[found->option];
    if (holds && last == '+')
        holds =
            found->type == VALUE_LIST ? ((const text_list *)field)->count > 1 : *(const uint64_t *)field > 1;
    else if (suffix != 0)
        holds = holds && (cli_value(options, found->option) != NULL) == (last == '=');
    *row = found;
    return holds != negated;
}

/* Returns the first of the terms that holds, NULL if none does. */
static const cli_option_row *first_term(const cli_options *options, const char *terms)
{
    size_t length;
    const cli_option_row *row;
    for (; (terms = next_word(terms, &length)) != NULL; terms += length)
        if (term_holds(options, terms, length, &row))
            return row;
    return NULL;
}

/* Returns the first option that was given and is not among the names. */
static const cli_option_row *first_other(const cli_options *options, const char *subject, const char *names)
{
    for (size_t i = 0; i < options->given_count; i++)
        if (!has_word(names, options->given[i].row->name) && !has_word(subject, options->given[i].row->name))
            return options->given[i].row;
    return NULL;
}

const char *cli_first_given(const cli_options *options, const char *names, char text[CLI_SHOWN_LENGTH])
{
    const cli_option_row *row = first_term(options, names);
    return row != NULL ? show_option(row, text) : NULL;
}

static void refuse_conflict(const char *message, const cli_option_row *a, const cli_option_row *b)
{
    char text[300], shown[CLI_SHOWN_LENGTH];
    size_t length = 0;
    for (const char *at = message; *at != '\0' && length + CLI_SHOWN_LENGTH < sizeof text; at++) {
        const bool first = strncmp(at, "{a}", 3) == 0;
        if (first || strncmp(at, "{b}", 3) == 0) {
            length += (size_t)sprintf(text + length, "%s", show_option(first ? a : b, shown));
            at += 2;
        } else {
            text[length++] = *at;
        }
    }
    text[length] = '\0';
    cli_complain(NULL, NULL, 0, "%s", text);
}

/* Returns false after a message if a row of the conflicts applies. */
static bool check_together(const cli_options *options)
{
    for (size_t i = 0; i < cli_conflict_count; i++) {
        const cli_conflict *rule = &cli_conflicts[i];
        if (!has_word(rule->verbs, options->verb) ||
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

/* ---- The command line ---- */

bool cli_parse(const cli_verb *verb, int argc, char **argv, cli_options *options)
{
    struct argp_option rows[MOST_ROWS] = {
        {"help", KEY_HELP, "PAGE", OPTION_ARG_OPTIONAL, "Show this help", -1}};
    size_t count = 1;
    options->verb = verb->name;
    options->argv = argv;
    options->own_words = (size_t)argc - 1;
    for (size_t i = 0; i < GROUPS; i++)
        count = add_group(options->verb, i, rows, count);
    rows[count] = (struct argp_option){0};
    const struct argp argp = {.options = rows, .parser = parse_one};
    parse p = {.verb = verb, .options = options, .next = 1};
    error_t wrong = argp_parse(&argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_ERRS | ARGP_NO_HELP, NULL, &p);
    if (wrong == 0)
        return check_together(options);
    if (wrong != CLI_USAGE && wrong != ENOMEM && p.next < argc)
        (strncmp(argv[p.next], "--", 2) == 0 ? explain_long : explain_short)(options->verb, argv, p.next);
    fprintf(stderr, "  Try 'p5scope %s --help'.\n", options->verb);
    return false;
}

void cli_options_free(cli_options *options)
{
    for (size_t i = 0; i < cli_option_row_count; i++)
        if (cli_option_rows[i].type == VALUE_LIST && is_row_of(&cli_option_rows[i], options->verb))
            free(((text_list *)((char *)options + cli_option_rows[i].field))->items);
    free(options->operands);
    free(options->given);
}
