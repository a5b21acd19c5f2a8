/* Parses case files. A case file is an assembly program with directives, lines that begin with "#!", which
 * state what a trip of its loop costs and in which state the program ends (p5scope-case(5)). Only the
 * directives are parsed here; assemble.c assembles the file. */
#include "p5tool/report.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/lines.h"
#include "base/text.h"
#include "report/case/state.h"
#include "report/stat/scan.h"

enum { DEFAULT_N1 = 200, DEFAULT_N2 = 1200 }; /* the two trip counts with which a case runs */

/* The parser's state. */
typedef struct case_parser {
    p5_case *out;
    ARRAY_OF(p5_expectation) expectations;
    ARRAY_OF(char *) models;
    char *line;      /* text of the current line, which next_word cuts into words */
    char *cursor;    /* the unread part of the line */
    unsigned number; /* of the line, from 1 */
    unsigned seen;   /* bit i: directives[i] has occurred */
    p5_error *error;
} case_parser;

/* Adds to an error that is already set the file, the line, and the column of `place` in the line's text
 * (NULL: no column). Returns `status`. */
static p5_status fail(case_parser *in, const char *place, p5_status status)
{
    error_at(in->error, in->out->path, in->number, place != NULL ? (unsigned)(place - in->line) + 1 : 0);
    return status;
}

static p5_status no_memory(case_parser *in)
{
    return fail(in, NULL, error_set(in->error, P5_ERR_MEMORY, "no memory for the case file"));
}

/* Cuts the next word off the line and returns it, NULL at the line's end. */
static char *next_word(case_parser *in)
{
    static const char blanks[] = " \t\n\v\f\r";
    char *start = in->cursor + strspn(in->cursor, blanks);
    in->cursor = start + strcspn(start, blanks);
    if (*in->cursor != '\0')
        *in->cursor++ = '\0';
    return *start != '\0' ? start : NULL;
}

/* Gets the next word. It is an error if there is none; `what` then says what is missing. */
static p5_status need_word(case_parser *in, const char *what, char **word)
{
    *word = next_word(in);
    if (*word == NULL) {
        error_set(in->error, P5_ERR_SYNTAX, "%s is missing", what);
        return fail(in, in->cursor, P5_ERR_SYNTAX);
    }
    return P5_OK;
}

/* Makes an error if the line goes on. */
static p5_status need_end(case_parser *in)
{
    char *word = next_word(in);
    if (word == NULL)
        return P5_OK;
    return fail(in, word, error_set(in->error, P5_ERR_SYNTAX, "'%s' is too much here", word));
}

/* Gets the next word as a number of at most `largest`. */
static p5_status need_number(case_parser *in, const char *what, uint64_t largest, uint64_t *value)
{
    char *word;
    p5_status status = need_word(in, what, &word);
    if (status != P5_OK)
        return status;
    if (!p5_parse_number(word, value) || *value > largest)
        return fail(in, word, error_set(in->error, P5_ERR_SYNTAX, "'%s' is not %s", word, what));
    return P5_OK;
}

/* ---- Directives: each function parses what follows the word of its directive on the line ---- */

static p5_status parse_case(case_parser *in)
{
    char *word;
    p5_status status = need_word(in, "the case's name", &word);
    if (status != P5_OK)
        return status;
    for (const char *c = word; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && strchr("-_.", *c) == NULL)
            return fail(
                in, c,
                error_set(in->error, P5_ERR_SYNTAX, "a case's name has letters, digits, '-', '_' and '.'"));
    free(in->out->name);
    in->out->name = strdup(word);
    return in->out->name == NULL ? no_memory(in) : need_end(in);
}

/* Returns true for the path of a model file, and false for the name of a built-in model. */
static bool is_model_file(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') != NULL || (length > 4 && strcmp(name + length - 4, ".ini") == 0);
}

/* Checks that `name` is a built-in model or the path of a model file, and not a model of the case already. */
static p5_status check_model(case_parser *in, const char *name)
{
    for (size_t i = 0; i < in->models.count; i++)
        if (strcmp(in->models.items[i], name) == 0)
            return fail(in, name, error_set(in->error, P5_ERR_SYNTAX, "model '%s' stands twice", name));
    if (is_model_file(name))
        return P5_OK; /* errors are reported when the case runs and opens it */
    for (const char *const *known = p5_model_names(); *known != NULL; known++)
        if (strcmp(*known, name) == 0)
            return P5_OK;
    error_set(in->error, P5_ERR_NAME, "there is no model '%s'", name);
    char hint[200];
    error_hint(in->error, "%s", p5_suggest(name, p5_model_names(), hint, sizeof hint));
    return fail(in, name, P5_ERR_NAME);
}

/* Adds a model. A model file's path is relative to the case that names it. */
static p5_status add_model(case_parser *in, const char *name)
{
    const char *slash = strrchr(in->out->path, '/');
    size_t folder =
        slash != NULL && is_model_file(name) && name[0] != '/' ? (size_t)(slash - in->out->path) + 1 : 0;
    size_t size = folder + strlen(name) + 1;
    char *text = ARRAY_ROOM(&in->models) ? malloc(size) : NULL;
    if (text == NULL)
        return no_memory(in);
    snprintf(text, size, "%.*s%s", (int)folder, in->out->path, name);
    in->models.items[in->models.count++] = text;
    return P5_OK;
}

static p5_status parse_models(case_parser *in)
{
    char *word;
    p5_status status = need_word(in, "a model's name", &word);
    for (; status == P5_OK && word != NULL; word = next_word(in)) {
        status = check_model(in, word);
        if (status == P5_OK)
            status = add_model(in, word);
    }
    return status;
}

static p5_status parse_cpl(case_parser *in)
{
    char *word;
    p5_status status = need_word(in, "the privilege level, 0 or 3,", &word);
    if (status != P5_OK)
        return status;
    if (strcmp(word, "0") != 0 && strcmp(word, "3") != 0)
        return fail(in, word,
                    error_set(in->error, P5_ERR_RANGE, "code of a case runs at CPL 0 or 3, not '%s'", word));
    in->out->cpl = (unsigned)(word[0] - '0');
    return need_end(in);
}

/* Gets the value of the register `name`, hexadecimal with or without a final h. The line has to end after
 * it. */
static p5_status need_value(case_parser *in, const char *name, uint64_t largest, uint64_t *value)
{
    char what[80];
    char *word;
    snprintf(what, sizeof what, "the value of %s", name);
    p5_status status = need_word(in, what, &word);
    if (status != P5_OK)
        return status;
    char *end;
    errno = 0;
    *value = strtoull(word, &end, 16);
    bool suffix = (*end == 'h' || *end == 'H') && end[1] == '\0';
    if (!isxdigit((unsigned char)word[0]) || errno != 0 || (*end != '\0' && !suffix) || *value > largest)
        return fail(in, word,
                    error_set(in->error, P5_ERR_SYNTAX, "'%s' is not a hexadecimal value of %s", word, name));
    return need_end(in);
}

static p5_status parse_cr4(case_parser *in)
{
    uint64_t value = 0;
    p5_status status = need_value(in, "CR4", UINT32_MAX, &value);
    in->out->cr4 = (uint32_t)value;
    return status;
}

/* Finds a register of any model's performance monitor by name. Returns NULL if none has it. MSRs with numbers
 * below the time-stamp counter's are not part of it: machine check and test registers. */
static const p5_register *monitor_register(const char *name)
{
    static const unsigned families[] = {P5_FAMILY_P55C, P5_FAMILY_P55C | P5_MONITOR_P6,
                                        P5_FAMILY_P55C | P5_MONITOR_ARCH3};
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++)
        for (const p5_register *r = p5_registers(families[f]); r->name != NULL; r++)
            if (r->msr >= P5_MSR_TSC && text_same_name(r->name, name))
                return r;
    return NULL;
}

/* Returns the index of a register in p5_case.registers, and adds it if necessary. Returns -1 with an error if
 * there is no room for it. */
static int need_register(case_parser *in, const p5_register *r)
{
    p5_case *c = in->out;
    for (size_t i = 0; i < c->register_count; i++)
        if (c->registers[i].msr == r->msr)
            return (int)i;
    if (c->register_count == P5_CASE_REGISTERS) {
        fail(in, NULL,
             error_set(in->error, P5_ERR_RANGE, "more than %u registers", (unsigned)P5_CASE_REGISTERS));
        return -1;
    }
    c->registers[c->register_count] = (p5_case_register){.name = r->name, .msr = r->msr};
    return (int)c->register_count++;
}

/* Parses a register of the performance monitor and the value that it has before the code runs. */
static p5_status parse_msr(case_parser *in)
{
    char *word;
    p5_status status = need_word(in, "a register of the performance monitor", &word);
    if (status != P5_OK)
        return status;
    const p5_register *r = monitor_register(word);
    if (r == NULL) {
        error_set(in->error, P5_ERR_NAME, "no performance monitor has a register '%s'", word);
        error_hint(in->error, "see 'p5scope msr', and with --monitor=p6 or arch3");
        return fail(in, word, P5_ERR_NAME);
    }
    int at = need_register(in, r);
    if (at < 0)
        return P5_ERR_RANGE;
    p5_case_register *listed = &in->out->registers[at];
    if (listed->written)
        return fail(in, word, error_set(in->error, P5_ERR_SYNTAX, "%s has a value already", r->name));
    listed->written = true;
    return need_value(in, r->name, UINT64_MAX, &listed->value);
}

static p5_status parse_trips(case_parser *in)
{
    uint64_t n[2];
    for (unsigned i = 0; i < 2; i++) {
        p5_status status = need_number(in, "a trip count", INT32_MAX, &n[i]);
        if (status != P5_OK)
            return status;
        in->out->trips[i] = (unsigned)n[i];
    }
    if (n[0] >= n[1])
        return fail(in, in->line, error_set(in->error, P5_ERR_RANGE, "N1 must be smaller than N2"));
    return need_end(in);
}

/* Parses ~T, or +U and -D in any order. A side without a tolerance must be exact. */
static p5_status parse_tolerance(case_parser *in, p5_expectation *expect)
{
    char *word;
    bool up = false;
    bool down = false;
    while ((word = next_word(in)) != NULL) {
        double size;
        if (strchr("~+-", word[0]) == NULL || !text_to_double(word + 1, &size) || !(size >= 0) || isinf(size))
            return fail(in, word,
                        error_set(in->error, P5_ERR_SYNTAX, "a tolerance is ~T, +U or -D, not '%s'", word));
        if ((word[0] != '-' && up) || (word[0] != '+' && down))
            return fail(in, word, error_set(in->error, P5_ERR_SYNTAX, "this side has a tolerance already"));
        if (word[0] != '-') {
            expect->up = size;
            up = true;
        }
        if (word[0] != '+') {
            expect->down = size;
            down = true;
        }
    }
    return P5_OK;
}

/* Parses what an expectation is about: `word` is "clocks", an event, or a register whose growth per trip is
 * expected. */
static p5_status parse_measure(case_parser *in, char *word, p5_expectation *expect)
{
    const p5_register *r = monitor_register(word);
    expect->of_register = r != NULL ? need_register(in, r) : -1;
    if (r != NULL) {
        snprintf(expect->what.name, sizeof expect->what.name, "%s", r->name);
        return expect->of_register < 0 ? P5_ERR_RANGE : P5_OK;
    }
    p5_status status = scan_selected(word, P5_FAMILY_P54C | P5_FAMILY_P55C, &expect->what, in->error);
    /* scan_selected counts columns from the word's first character */
    unsigned column = in->error != NULL && in->error->column > 0 ? in->error->column : 1;
    return status == P5_OK ? P5_OK : fail(in, word + column - 1, status);
}

/* Parses the rest of a line `expect`. `model` is the MODEL of expect@MODEL, or NULL. */
static p5_status parse_expect(case_parser *in, char *model)
{
    p5_expectation expect = {.line = in->number};
    char *word;
    p5_status status = need_word(in, "an event", &word);
    if (status != P5_OK)
        return status;
    status = parse_measure(in, word, &expect);
    if (status != P5_OK)
        return status;
    status = need_word(in, "the expected value", &word);
    if (status != P5_OK)
        return status;
    if (!text_to_double(word, &expect.value) || !isfinite(expect.value))
        return fail(in, word, error_set(in->error, P5_ERR_SYNTAX, "'%s' is not a number", word));
    status = parse_tolerance(in, &expect);
    if (status != P5_OK)
        return status;
    if (!ARRAY_ROOM(&in->expectations) || (model != NULL && (expect.only = strdup(model)) == NULL))
        return no_memory(in);
    in->expectations.items[in->expectations.count++] = expect;
    return P5_OK;
}

/* Parses the rest of a line `expect-fault`, `expect-register` or `expect-memory`. `model` is as for
 * parse_expect. Only one fault can be expected on all models, because it ends the run. */
static p5_status parse_state(case_parser *in, p5_case_state_kind kind, char *model)
{
    p5_case *c = in->out;
    if (c->state_count == P5_CASE_STATES)
        return fail(
            in, NULL,
            error_set(in->error, P5_ERR_RANGE, "more than %u states at the end", (unsigned)P5_CASE_STATES));
    p5_case_state *state = &c->states[c->state_count];
    const char *place = in->cursor;
    *state = (p5_case_state){.kind = kind, .line = in->number};
    p5_status status = case_state_parse(&place, state, in->error);
    if (status != P5_OK)
        return fail(in, place, status);
    for (size_t i = 0; state->kind == P5_CASE_FAULT && model == NULL && i < c->state_count; i++)
        if (c->states[i].kind == P5_CASE_FAULT && c->states[i].only == NULL)
            return fail(
                in, in->cursor,
                error_set(in->error, P5_ERR_SYNTAX, "line %u expects a fault already", c->states[i].line));
    if (model != NULL && (state->only = strdup(model)) == NULL)
        return no_memory(in);
    c->state_count++;
    return P5_OK;
}

/* Parses the text that says where the expected figures come from. The last such line counts. */
static p5_status parse_source(case_parser *in)
{
    char *text = in->cursor + strspn(in->cursor, " \t");
    free(in->out->source);
    in->out->source = strdup(text);
    return in->out->source == NULL ? no_memory(in) : P5_OK;
}

static p5_status parse_note(case_parser *in)
{
    (void)in; /* notes are for readers of the file */
    return P5_OK;
}

static const struct directive {
    const char *name;
    bool once; /* it must not occur twice in a file */
    p5_status (*parse)(case_parser *in);
} directives[] = {
    {"case", true, parse_case},      {"models", true, parse_models}, {"cpl", true, parse_cpl},
    {"cr4", true, parse_cr4},        {"n", true, parse_trips},       {"msr", false, parse_msr},
    {"source", false, parse_source}, {"note", false, parse_note},
};
/* Directives that may have @MODEL. The first three are indexed by p5_case_state_kind. */
static const char *const expect_directives[] = {"expect-fault", "expect-register", "expect-memory", "expect"};
enum { EXPECT_COST = 3, EXPECT_COUNT };
enum { DIRECTIVE_COUNT = sizeof directives / sizeof directives[0] };

/* Parses the directive at the cursor, with or without @MODEL. */
static p5_status parse_directive(case_parser *in)
{
    char *word;
    p5_status status = need_word(in, "a directive", &word);
    if (status != P5_OK)
        return status;
    if (strncmp(word, "expect", 6) == 0) {
        char *model = strchr(word, '@');
        if (model != NULL)
            *model++ = '\0';
        unsigned i = 0;
        while (i < EXPECT_COUNT && strcmp(word, expect_directives[i]) != 0)
            i++;
        if (i < EXPECT_COUNT)
            return i == EXPECT_COST ? parse_expect(in, model) : parse_state(in, (p5_case_state_kind)i, model);
        if (model != NULL)
            *--model = '@'; /* the error below shows the whole word */
    }
    const char *names[EXPECT_COUNT + DIRECTIVE_COUNT + 1] = {NULL};
    memcpy(names, expect_directives, sizeof expect_directives);
    for (size_t i = 0; i < DIRECTIVE_COUNT; i++) {
        names[EXPECT_COUNT + i] = directives[i].name;
        if (strcmp(word, directives[i].name) != 0)
            continue;
        if (directives[i].once && (in->seen >> i & 1) != 0)
            return fail(in, word, error_set(in->error, P5_ERR_SYNTAX, "directive '%s' stands twice", word));
        in->seen |= 1U << i;
        return directives[i].parse(in);
    }
    error_set(in->error, P5_ERR_NAME, "there is no directive '%s'", word);
    char hint[200];
    error_hint(in->error, "%s", p5_suggest(word, names, hint, sizeof hint));
    return fail(in, word, P5_ERR_NAME);
}

/* Parses the directives of the file, and skips its code. */
static p5_status parse_lines(case_parser *in, FILE *file)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    p5_status status = P5_OK;
    while (status == P5_OK && (length = lines_next(&line, &size, file)) >= 0) {
        in->number++;
        const char *start = line + strspn(line, " \t");
        if (strncmp(start, "#!", 2) != 0)
            continue;
        while (length > 0 && isspace((unsigned char)line[length - 1]))
            line[--length] = '\0';
        in->line = line;
        in->cursor = line + (start - line) + 2;
        status = parse_directive(in);
    }
    if (status == P5_OK && (status = lines_end(file, in->error)) != P5_OK)
        fail(in, NULL, status);
    free(line);
    return status;
}

/* Checks that an expectation in line `number` that is only for the model or models `only` (NULL: for all) is for one of
 * the case's. Otherwise nothing would ever be compared with it. */
static p5_status check_only(case_parser *in, const char *only, unsigned number)
{
    for (size_t i = 0; i < in->models.count; i++)
        if (only == NULL || (only[0] != '\0' && p5_case_applies(only, in->models.items[i])))
            return P5_OK;
    error_set(in->error, P5_ERR_NAME, "no model of this case begins with '%s'", only);
    error_hint(in->error, "'#! models' lists the models of a case; without it, it runs on %s",
               p5_model_names()[0]);
    in->number = number;
    return fail(in, NULL, P5_ERR_NAME);
}

/* Fills in what no directive has set: the name (that of the file), source and model. Checks what each expectation
 * is for, and ends the list of models. */
static p5_status complete(case_parser *in)
{
    p5_case *c = in->out;
    if (c->name == NULL) {
        const char *base = strrchr(c->path, '/');
        base = base != NULL ? base + 1 : c->path;
        size_t length = strlen(base);
        if (length > 2 && strcmp(base + length - 2, ".s") == 0)
            length -= 2;
        if ((c->name = strndup(base, length)) == NULL)
            return no_memory(in);
    }
    if (c->source == NULL && (c->source = strdup("")) == NULL)
        return no_memory(in);
    if (in->models.count == 0) {
        p5_status status = add_model(in, p5_model_names()[0]);
        if (status != P5_OK)
            return status;
    }
    p5_status status = P5_OK;
    for (size_t i = 0; status == P5_OK && i < in->expectations.count; i++)
        status = check_only(in, in->expectations.items[i].only, in->expectations.items[i].line);
    for (size_t i = 0; status == P5_OK && i < c->state_count; i++)
        status = check_only(in, c->states[i].only, c->states[i].line);
    if (status != P5_OK)
        return status;
    if (!ARRAY_ROOM(&in->models))
        return no_memory(in);
    in->models.items[in->models.count] = NULL;
    return P5_OK;
}

/* Returns true for an ELF file. Moves the file's position to its beginning. */
static bool is_object(FILE *file)
{
    char magic[4];
    bool object = fread(magic, 1, sizeof magic, file) == sizeof magic && memcmp(magic, "\177ELF", 4) == 0;
    rewind(file);
    return object;
}

p5_status p5_case_read(const char *path, p5_case *out, p5_error *error)
{
    memset(out, 0, sizeof *out);
    out->cpl = 3;
    out->trips[0] = DEFAULT_N1;
    out->trips[1] = DEFAULT_N2;
    case_parser in = {.out = out, .error = error};
    if ((out->path = strdup(path)) == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for the case file");
    p5_status status;
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        status = fail(&in, NULL, error_set(error, P5_ERR_IO, "cannot open: %s", strerror(errno)));
    } else {
        if (is_object(file)) {
            status =
                fail(&in, NULL, error_set(error, P5_ERR_FORMAT, "this is an object file, not a case file"));
            error_hint(error,
                       "'p5scope bench --function NAME' calls a function of it, and --static lists its code");
        } else {
            status = parse_lines(&in, file);
        }
        fclose(file);
    }
    if (status == P5_OK)
        status = complete(&in);
    out->models = in.models.items; /* NULL ends them only if `complete` was successful */
    out->expectations = in.expectations.items;
    out->expectation_count = in.expectations.count;
    if (status != P5_OK) {
        for (size_t i = 0; i < in.models.count; i++)
            free(in.models.items[i]);
        free(in.models.items);
        out->models = NULL;
        p5_case_free(out);
    }
    return status;
}

void p5_case_free(p5_case *c)
{
    for (char **model = c->models; model != NULL && *model != NULL; model++)
        free(*model);
    for (size_t i = 0; i < c->expectation_count; i++)
        free(c->expectations[i].only);
    for (size_t i = 0; i < c->state_count; i++)
        free(c->states[i].only);
    free(c->models);
    free(c->expectations);
    free(c->source);
    free(c->name);
    free(c->path);
    memset(c, 0, sizeof *c);
}

bool p5_case_applies(const char *only, const char *model)
{
    const char *slash = strrchr(model, '/');
    const char *name = slash != NULL ? slash + 1 : model;
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".ini") == 0)
        length -= 4;
    return only == NULL || (strlen(only) <= length && strncmp(name, only, strlen(only)) == 0);
}
