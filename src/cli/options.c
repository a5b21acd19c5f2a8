/* Option parsing by argp, with our own messages: argp's say what is wrong, but not where, nor what would be
 * right. */
#define _GNU_SOURCE /* asprintf */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "p5scope/report.h"

enum { KEY_HELP = 'h', MOST_OPTIONS = 128 };

/* All options of an argp and its children, flat. */
typedef struct option_table {
    const struct argp_option *items[MOST_OPTIONS];
    size_t count;
} option_table;

static void collect(const struct argp *argp, option_table *table)
{
    const struct argp_option *option = argp->options;
    for (; option != NULL && (option->name != NULL || option->key != 0 || option->doc != NULL); option++)
        if ((option->name != NULL || option->key != 0) && table->count < MOST_OPTIONS)
            table->items[table->count++] = option;
    for (const struct argp_child *child = argp->children; child != NULL && child->argp != NULL; child++)
        collect(child->argp, table);
}

/* Finds a long option by its full name or by an unambiguous beginning, as getopt_long does. */
static const struct argp_option *find_long(const option_table *table, const char *name, size_t length,
                                           bool *ambiguous)
{
    const struct argp_option *found = NULL;
    *ambiguous = false;
    for (size_t i = 0; i < table->count; i++) {
        const struct argp_option *option = table->items[i];
        if (option->name == NULL || strncmp(option->name, name, length) != 0)
            continue;
        if (option->name[length] == '\0') {
            *ambiguous = false;
            return option;
        }
        *ambiguous = found != NULL;
        found = option;
    }
    return found;
}

/* The row that an alias stands below. */
static const struct argp_option *named(const struct argp_option *option)
{
    while ((option->flags & OPTION_ALIAS) != 0)
        option--;
    return option;
}

/* The option that has the letter; those with a CLI_LETTER stand above it. */
static const struct argp_option *find_short(const option_table *table, int letter)
{
    for (size_t i = 0; i < table->count; i++)
        if (table->items[i]->key == letter)
            return named(table->items[i]);
    return NULL;
}

static bool needs_argument(const struct argp_option *option)
{
    return option->arg != NULL && (option->flags & OPTION_ARG_OPTIONAL) == 0;
}

/* Shows the whole command line with a caret under word `at`, `column` columns into it. */
static void point_at(char **argv, int argc, int at, size_t column, const char *message, const char *what)
{
    char *line = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&line, &size);
    if (text == NULL)
        return;
    fputs("p5scope", text);
    size_t place = 0;
    for (int i = 0; i < argc && i <= at + 2; i++) {
        fputc(' ', text);
        if (i == at)
            place = (size_t)ftell(text) + column;
        fputs(argv[i], text);
    }
    if (at + 3 < argc)
        fputs(" ...", text);
    fclose(text);
    cli_complain("", line, (unsigned)place + 1, message, what);
    free(line);
}

static void suggest_long(const option_table *table, const char *wanted)
{
    enum { LONGEST = 40 };
    char spelled[MOST_OPTIONS][LONGEST];
    const char *names[MOST_OPTIONS + 1];
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (table->items[i]->name == NULL)
            continue;
        snprintf(spelled[count], LONGEST, "--%s", table->items[i]->name);
        names[count] = spelled[count];
        count++;
    }
    names[count] = NULL;
    char dashed[100];
    snprintf(dashed, sizeof dashed, "--%s", wanted);
    char sentence[200];
    p5_suggest(dashed, names, sentence, sizeof sentence);
    if (sentence[0] != '\0')
        fprintf(stderr, "  %s\n", sentence);
}

/* Calls `each` with the name and the value (NULL: none) of each option before the operands, in their order.
 * The words have been found to be right. */
static void each_option(const option_table *table, int argc, char **argv,
                        void (*each)(void *context, const char *name, const char *value), void *context)
{
    for (int at = 1; at < argc && argv[at][0] == '-' && argv[at][1] != '\0' && strcmp(argv[at], "--") != 0;
         at++) {
        bool ambiguous;
        if (argv[at][1] == '-') {
            size_t length = strcspn(argv[at] + 2, "=");
            const struct argp_option *option = find_long(table, argv[at] + 2, length, &ambiguous);
            const char *value = argv[at][2 + length] == '=' ? argv[at] + 3 + length : NULL;
            if (value == NULL && option != NULL && needs_argument(option))
                value = argv[++at];
            each(context, option != NULL ? named(option)->name : argv[at] + 2, value);
            continue;
        }
        const char *letter = argv[at] + 1;
        for (bool more = true; more && *letter != '\0'; letter++) {
            const struct argp_option *option = find_short(table, *letter);
            const char *value = NULL;
            if (option != NULL && option->arg != NULL) {
                value = letter[1] != '\0' ? letter + 1 : needs_argument(option) ? argv[++at] : NULL;
                more = false;
            }
            each(context, option != NULL && option->name != NULL ? option->name : (char[]){*letter, '\0'},
                 value);
        }
    }
}

typedef struct given_options {
    char **items;
    size_t count, capacity;
} given_options;

static void add_given(void *context, const char *name, const char *value)
{
    given_options *given = context;
    if (given->count + 1 >= given->capacity) {
        size_t capacity = given->capacity * 2 + 16;
        char **items = realloc(given->items, capacity * sizeof *items);
        if (items == NULL)
            return;
        given->items = items;
        given->capacity = capacity;
    }
    char *word = NULL;
    if (asprintf(&word, value != NULL ? "--%s=%s" : "--%s", name, value) < 0)
        return;
    given->items[given->count++] = word;
    given->items[given->count] = NULL;
}

char **cli_given(const struct argp *argp, int argc, char **argv)
{
    option_table table = {.count = 0};
    given_options given = {0};
    collect(argp, &table);
    each_option(&table, argc, argv, add_given, &given);
    return given.items;
}

/* Lists the options that begin with the `length` characters of `name`. */
static void list_matches(const option_table *table, const char *name, size_t length)
{
    const char *before = "  It could be";
    for (size_t i = 0; i < table->count; i++)
        if (table->items[i]->name != NULL && strncmp(table->items[i]->name, name, length) == 0) {
            fprintf(stderr, "%s --%s", before, table->items[i]->name);
            before = ",";
        }
    fputs(".\n", stderr);
}

/* Checks one long option at argv[at]; returns the words it takes, 0 if it is wrong (and was reported). */
static int check_long(const option_table *table, int argc, char **argv, int at)
{
    const char *name = argv[at] + 2;
    size_t length = strcspn(name, "=");
    char plain[80];
    snprintf(plain, sizeof plain, "%.*s", (int)length, name);
    bool ambiguous;
    const struct argp_option *option = find_long(table, name, length, &ambiguous);
    if (option == NULL || ambiguous) {
        point_at(argv, argc, at, 0,
                 ambiguous ? "'--%s' is the beginning of several options" : "there is no option '--%s'",
                 plain);
        if (ambiguous)
            list_matches(table, name, length);
        else
            suggest_long(table, plain);
        return 0;
    }
    if (name[length] == '=' && option->arg == NULL) {
        point_at(argv, argc, at, length + 2, "option '--%s' takes no value", option->name);
        return 0;
    }
    if (name[length] == '=' || !needs_argument(option))
        return 1;
    if (at + 1 < argc)
        return 2;
    point_at(argv, argc, at, 0, "option '--%s' needs a value", option->name);
    return 0;
}

static int check_short(const option_table *table, int argc, char **argv, int at)
{
    for (size_t i = 1; argv[at][i] != '\0'; i++) {
        const struct argp_option *option = find_short(table, argv[at][i]);
        char letter[2] = {argv[at][i], '\0'};
        if (option == NULL) {
            point_at(argv, argc, at, i, "there is no option '-%s'", letter);
            return 0;
        }
        if (option->arg == NULL)
            continue;
        if (argv[at][i + 1] != '\0' || !needs_argument(option))
            return 1;
        if (at + 1 < argc)
            return 2;
        point_at(argv, argc, at, i, "option '-%s' needs a value", letter);
        return 0;
    }
    return 1;
}

/* Finds the first wrong option and says what is wrong with it. */
static void diagnose(const option_table *table, int argc, char **argv, bool in_order)
{
    for (int at = 1; at < argc;) {
        bool operand = argv[at][0] != '-' || argv[at][1] == '\0';
        if (strcmp(argv[at], "--") == 0 || (operand && in_order))
            return;
        if (operand) {
            at++;
            continue;
        }
        int words =
            argv[at][1] == '-' ? check_long(table, argc, argv, at) : check_short(table, argc, argv, at);
        if (words == 0)
            return;
        at += words;
    }
}

/* With --kernel, --append is the kernel's command line, as other emulators have it; stat has an option of
 * that name, too. The words are changed in place. */
static void name_append(const option_table *table, int argc, char **argv)
{
    static char line[] = "--cmdline", append[] = "--append";
    bool kernel = false;
    int words;
    for (int pass = 0; pass < 2; pass++)
        for (int at = 1; at < argc && argv[at][0] == '-' && strcmp(argv[at], "--") != 0; at += words) {
            size_t name = strcspn(argv[at], "=");
            const bool appends = name == strlen(append) && strncmp(argv[at], append, name) == 0;
            const struct argp_option *option = NULL;
            bool ambiguous = false;
            if (argv[at][1] == '-')
                option = find_long(table, argv[at] + 2, name - 2, &ambiguous);
            else if (argv[at][1] != '\0' && argv[at][2] == '\0')
                option = find_short(table, argv[at][1]);
            bool more = argv[at][name] == '\0' && (appends || (option != NULL && needs_argument(option)));
            words = more ? 2 : 1;
            kernel |= option != NULL && option->name != NULL && strcmp(option->name, "kernel") == 0;
            if (pass == 0 || !kernel || !appends)
                continue;
            if (more)
                argv[at] = line;
            else if (asprintf(&argv[at], "%s%s", line, argv[at] + name) < 0)
                return;
        }
}

/* ---- Help ---------------------------------------------------------------------------------------------- */

enum { MOST_TOPICS = 4 };

/* Groups of options with a heading: each has a page of help of its own, named by the heading's first word, so
 * that a verb's own options fit a screen. */
typedef struct topics {
    const struct argp_child *items[MOST_TOPICS];
    char names[MOST_TOPICS + 1][16];
    size_t count;
} topics;

static void collect_topics(const struct argp *argp, topics *found)
{
    for (const struct argp_child *child = argp->children; child != NULL && child->argp != NULL; child++) {
        if (child->header == NULL) {
            collect_topics(child->argp, found);
        } else if (found->count < MOST_TOPICS) {
            char *name = found->names[found->count];
            size_t length = strcspn(child->header, " :");
            snprintf(name, sizeof found->names[0], "%.*s", (int)length, child->header);
            name[0] = (char)tolower((unsigned char)name[0]);
            found->items[found->count++] = child;
        }
    }
}

/* Shows what of the verb `argp`: "" its own options, "all" everything, or a topic. False: there is no such
 * topic. */
static bool show_help(const struct argp *argp, const char *verb, const char *what)
{
    topics found = {.count = 0};
    collect_topics(argp, &found);
    size_t topic = 0;
    while (topic < found.count && strcmp(what, found.names[topic]) != 0)
        topic++;
    bool all = strcmp(what, "all") == 0, own = what[0] == '\0';
    if (!all && !own && topic == found.count)
        return false;
    /* a topic, or the options without a heading that verbs share */
    struct argp_child shown_children[] = {{0}, {0}, {0}};
    struct argp shared = {0};
    size_t shown_count = 0;
    if (topic < found.count && !all) {
        shown_children[shown_count].argp = found.items[topic]->argp;
        shown_children[shown_count++].header = found.items[topic]->header;
    }
    if (own && argp->children != NULL && argp->children->header == NULL && argp->children->argp != NULL) {
        shared.options = argp->children->argp->options;
        shown_children[shown_count++].argp = &shared;
    }
    struct argp shown = {.options = own || all ? argp->options : NULL,
                         .args_doc = argp->args_doc,
                         .doc = own || all ? argp->doc : NULL,
                         .children = all || found.count == 0 ? argp->children : shown_children};
    char name[64];
    snprintf(name, sizeof name, "p5scope%s%s", verb[0] == '\0' ? "" : " ", verb);
    setenv("ARGP_HELP_FMT", "no-dup-args-note,opt-doc-col=28",
           0); /* the note about duplicate arguments says nothing new */
    argp_help(&shown, stdout, ARGP_HELP_LONG | ARGP_HELP_SHORT_USAGE | ARGP_HELP_DOC, name);
    if (found.count > 0 && !all) {
        fputs("\nMore options: --help=", stdout);
        for (size_t i = 0; i < found.count; i++)
            if (i != topic || found.count == topic)
                printf("%s, ", found.names[i]);
        puts("all.");
    }
    return true;
}

/* A letter's option has another key if the letter stands in a row of its own. */
static int key_meant(int key, const struct argp_state *state)
{
    option_table table = {.count = 0};
    if (key <= 0 || key > UCHAR_MAX)
        return key;
    collect(state->root_argp, &table);
    return find_short(&table, key)->key;
}

error_t cli_set(int key, const char *argument, const struct argp_state *state)
{
    key = key_meant(key, state);
    void *field = (char *)state->input + (key & CLI_SET_FIELD);
    int how = key & ~CLI_SET_FIELD;
    if (how == CLI_SET_TEXT)
        *(const char **)field = argument;
    else if (how == CLI_SET_TRUE || how == CLI_SET_FALSE)
        *(bool *)field = how == CLI_SET_TRUE;
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

typedef struct parse_state {
    const struct argp *verb;
    void *input, *child;
    char **argv;
} parse_state;

static error_t parse_verb(int key, char *argument, struct argp_state *state)
{
    const parse_state *common = state->input;
    const struct argp_child *child = common->verb->children;
    state->input = common->input;
    if (key != ARGP_KEY_INIT)
        return common->verb->parser(key_meant(key, state), argument, state);
    for (size_t i = 0; child != NULL && child[i].argp != NULL; i++)
        state->child_inputs[i] = i == 0 ? common->child : common->input;
    return 0;
}

static error_t parse_common(int key, char *argument, struct argp_state *state)
{
    parse_state *common = state->input;
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = common;
        return 0;
    }
    if (key != KEY_HELP)
        return ARGP_ERR_UNKNOWN;
    if (show_help(common->verb, common->argv[0], argument != NULL ? argument : ""))
        exit(output_finish(CLI_OK));
    return cli_complain(
        "--help", argument, 1,
        "there is no page of help '%s'; there are machine, guest and all for verbs that run a "
        "guest, and output for stat",
        argument);
}

static bool parse_words(const struct argp *argp, int argc, char **argv, void *input, void *child,
                        bool in_order)
{
    static const struct argp_option help[] = {
        {"help", KEY_HELP, "PAGE", OPTION_ARG_OPTIONAL, "Show this help", -1}, {0}};
    struct argp_child children[] = {{argp, 0, NULL, 0}, {0}};
    struct argp root = {.options = help,
                        .parser = parse_common,
                        .args_doc = argp->args_doc,
                        .doc = argp->doc,
                        .children = children};
    struct argp inner = *argp; /* its texts stand at the root */
    inner.args_doc = NULL;
    inner.doc = NULL;
    inner.parser = parse_verb;
    children[0].argp = &inner;
    parse_state state = {.verb = argp, .input = input, .child = child, .argv = argv};
    option_table own = {.count = 0};
    collect(argp, &own);
    name_append(&own, argc, argv);
    error_t result = argp_parse(&root, argc, argv,
                                (in_order ? ARGP_IN_ORDER : 0U) | ARGP_NO_ERRS | ARGP_NO_HELP, NULL, &state);
    if (result == 0)
        return true;
    if (result != CLI_USAGE) {
        option_table table = {.count = 0};
        collect(&root, &table);
        diagnose(&table, argc, argv, in_order);
    }
    fprintf(stderr, "  Try 'p5scope%s%s --help'.\n", argv[0][0] == '\0' ? "" : " ", argv[0]);
    return false;
}

bool cli_parse(const struct argp *argp, int argc, char **argv, void *input, void *child)
{
    return parse_words(argp, argc, argv, input, child, true);
}

bool cli_parse_anywhere(const struct argp *argp, int argc, char **argv, void *input, void *child)
{
    return parse_words(argp, argc, argv, input, child, false);
}
