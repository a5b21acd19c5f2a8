/* Parses options by argp from the rows of the option table. argp's messages are replaced by messages that show the
 * place of the mistake and suggest the right form. */
#include "cli/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/option_rows.h"
#include "cli/option_values.h"
#include "cli/output.h"
#include "p5tool/report.h"

enum { KEY_HELP = 'h' }; /* argp's key of --help; no verb has -h for anything else */

typedef struct parse {
    const cli_verb *verb;
    cli_options *options;
    int next; /* index of the first word that was not accepted, after the words that were */
} parse;

/* Shows a page of help and ends the program, or refuses a page that does not exist. */
static error_t answer_help(const parse *p, const char *page)
{
    if (option_help(p->verb, page != NULL ? page : ""))
        exit(output_finish(CLI_OK));
    return cli_complain("--help", page, 1,
                        "there is no page of help '%s'; there are machine, guest and all for verbs that run "
                        "a guest, and output for stat, trace and bench",
                        page);
}

/* ---- Values ---- *
 * `option` is how messages name the option, `text` its value. The functions return 0, CLI_USAGE after a message, or
 * ENOMEM. */

static error_t set_uint(const cli_option_row *row, const char *option, const char *text, uint64_t *value)
{
    error_t wrong = number_option(option, text, row->most, value);
    if (wrong == 0 && *value < row->least)
        return cli_complain(option, text, 1, "%s is at least %llu", option, (unsigned long long)row->least);
    return wrong;
}

static error_t set_positive(const char *option, const char *text, double *value)
{
    if (fraction_parse(text, strlen(text), value) && *value > 0)
        return 0;
    return cli_complain(option, text, 1, "'%s' is not a positive number (5, 0.5, 1e3)", text);
}

static error_t set_percent(const char *option, const char *text, double *value)
{
    size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '%')
        length--;
    if (fraction_parse(text, length, value))
        return 0;
    return cli_complain(option, text, 1, "'%s' is not a number of percent (5, 0.5, 5%%)", text);
}

/* Stores the index of the value in the row's choices, "A|B|...". */
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

/* Stores the value `text` of an option. It is NULL for a flag, or if an optional value was left out. */
static error_t store(const parse *p, const cli_option_row *row, char *text)
{
    char option[CLI_SHOWN_LENGTH];
    void *field = (char *)p->options + row->field;
    option_show(row, option);
    if (row->type == VALUE_FLAG || row->type == VALUE_UNSET) {
        *(bool *)field = row->type == VALUE_FLAG;
        return text != NULL ? cli_complain(option, text, 1, "option '%s' takes no value", option) : 0;
    }
    if (text == NULL)
        return (row->flags & OPTION_IS_OPTIONAL) != 0
                   ? 0
                   : cli_complain(NULL, NULL, 0, "option '%s' needs a value", option);
    switch (row->type) {
    case VALUE_WORD:
        if (text[0] == '\0')
            return cli_complain(option, "''", 1, "%s needs a value that is not empty", option);
        break;
    case VALUE_CHAR: {
        error_t wrong = separator_option(option, text, false);
        if (wrong != 0)
            return wrong;
        break;
    }
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
    default: /* VALUE_TEXT */
        break;
    }
    *(const char **)field = text;
    return 0;
}

/* Records that the option was given. An alias is recorded as the option for which it is another spelling. */
static error_t record_use(cli_options *options, const cli_option_row *row, const char *value)
{
    for (size_t i = 0; i < cli_option_row_count; i++)
        if (cli_option_rows[i].option == row->option && option_of_verb(&cli_option_rows[i], options->verb)) {
            row = &cli_option_rows[i];
            break;
        }
    cli_use *uses = realloc(options->uses, (options->use_count + 1) * sizeof *uses);
    if (uses == NULL)
        return ENOMEM;
    options->uses = uses;
    uses[options->use_count++] = (cli_use){row, value};
    options->used[row->option] = true;
    return 0;
}

/* Returns the row to use for an option: `row`, except for --append of `stat` after --kernel. That means --cmdline, the
 * kernel's command line, as in other emulators, and takes the next word as its value. */
static const cli_option_row *choose_append(const parse *p, const cli_option_row *row, char **argument,
                                           struct argp_state *state)
{
    if (row->option != OPTION_OUTPUT_APPEND || !p->options->used[OPTION_KERNEL] ||
        strcmp(row->name, "append") != 0)
        return row;
    if (*argument == NULL && state->next < state->argc)
        *argument = state->argv[state->next++];
    return option_find("stat", "cmdline", strlen("cmdline"));
}

/* argp's callback for each option and operand. Returns 0, CLI_USAGE after a message, ENOMEM, or ARGP_ERR_UNKNOWN. */
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
        return ARGP_ERR_UNKNOWN; /* makes argp call with ARGP_KEY_ARGS */
    const cli_option_row *row = option_find_key(options->verb, key);
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
            wrong = record_use(options, row, argument);
    }
    p->next = state->next;
    return wrong;
}

const char *cli_value(const cli_options *options, cli_option option)
{
    const char *value = NULL;
    for (size_t i = 0; i < options->use_count; i++)
        if (options->uses[i].row->option == option)
            value = options->uses[i].value;
    return value;
}

/* ---- What is wrong with a word ---- */

/* Shows `message`, which contains %s for `what`, and the command line with a caret under word number `at`, `column`
 * bytes into the word. */
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

/* Collects the names of the verb's options, "--name"; returns their number. */
static size_t spell_options(const char *verb, char spelled[OPTION_MOST_ROWS][CLI_SHOWN_LENGTH])
{
    size_t count = 0;
    snprintf(spelled[count++], CLI_SHOWN_LENGTH, "--help");
    for (size_t i = 0; i < cli_option_row_count && count < OPTION_MOST_ROWS; i++)
        if (option_of_verb(&cli_option_rows[i], verb) && (cli_option_rows[i].flags & OPTION_IS_HIDDEN) == 0)
            snprintf(spelled[count++], CLI_SHOWN_LENGTH, "--%s", cli_option_rows[i].name);
    return count;
}

/* Explains what is wrong with the long option at argv[at]: its value, its name, or an abbreviation that is not
 * unique. */
static void explain_long(const char *verb, char **argv, int at)
{
    char spelled[OPTION_MOST_ROWS][CLI_SHOWN_LENGTH], sentence[200], word[80];
    const char *names[OPTION_MOST_ROWS + 1] = {NULL}, *matches[OPTION_MOST_ROWS], *before = "  It could be";
    const size_t length = strcspn(argv[at], "="), all = spell_options(verb, spelled);
    const bool exact = option_find(verb, argv[at] + 2, length - 2) != NULL;
    size_t count = 0;
    snprintf(word, sizeof word, "%.*s", (int)length, argv[at]);
    for (size_t i = 0; i < all; i++) {
        names[i] = spelled[i];
        if (strncmp(names[i], argv[at], length) == 0)
            matches[count++] = names[i];
    }
    if (exact || count == 1) {
        bool value = argv[at][length] == '=';
        point_at(argv, at, value ? length : 0,
                 value ? "option '%s' takes no value" : "option '%s' needs a value",
                 exact ? word : matches[0]);
    } else if (count == 0) {
        point_at(argv, at, 0, "there is no option '%s'", word);
        if (p5_suggest(word, names, sentence, sizeof sentence)[0] != '\0')
            fprintf(stderr, "  %s\n", sentence);
    } else {
        point_at(argv, at, 0, "'%s' is the beginning of several options", word);
        for (size_t i = 0; i < count; i++, before = ",")
            fprintf(stderr, "%s %s", before, matches[i]);
        fputs(".\n", stderr);
    }
}

/* Explains the first wrong letter in argv[at], such as x in -vx. */
static void explain_short(const char *verb, char **argv, int at)
{
    for (size_t i = 1; argv[at][i] != '\0'; i++) {
        const cli_option_row *row = option_find_key(verb, (unsigned char)argv[at][i]);
        char letter[2] = {argv[at][i], '\0'};
        if (row != NULL && row->argument == NULL)
            continue;
        point_at(argv, at, i, row == NULL ? "there is no option '-%s'" : "option '-%s' needs a value",
                 letter);
        return;
    }
}

/* ---- The command line ---- */

bool cli_parse(const cli_verb *verb, int argc, char **argv, cli_options *options)
{
    struct argp_option rows[OPTION_MOST_ROWS];
    options->verb = verb->name;
    options->argv = argv;
    options->own_words = (size_t)argc - 1;
    size_t count = option_argp(verb->name, rows);
    rows[count++] = (struct argp_option){"help", KEY_HELP, "PAGE", OPTION_ARG_OPTIONAL, NULL, 0};
    rows[count] = (struct argp_option){0};
    const struct argp argp = {.options = rows, .parser = parse_one};
    parse p = {.verb = verb, .options = options, .next = 1};
    error_t wrong = argp_parse(&argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_ERRS | ARGP_NO_HELP, NULL, &p);
    if (wrong == 0)
        return option_check_conflicts(options);
    if (wrong != CLI_USAGE && wrong != ENOMEM && p.next < argc)
        (strncmp(argv[p.next], "--", 2) == 0 ? explain_long : explain_short)(options->verb, argv, p.next);
    fprintf(stderr, "  Try 'p5scope %s --help'.\n", options->verb);
    return false;
}

void cli_options_free(cli_options *options)
{
    for (size_t i = 0; i < cli_option_row_count; i++)
        if (cli_option_rows[i].type == VALUE_LIST && option_of_verb(&cli_option_rows[i], options->verb))
            free(((text_list *)((char *)options + cli_option_rows[i].field))->items);
    free(options->operands);
    free(options->uses);
}
