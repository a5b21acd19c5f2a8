/* Parses metric groups and finds groups by name. The grammar is in metric.h. */
#include "report/stat/metric.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

/* A group with its storage. `face` comes first, so that a pointer to it is a pointer to the group. */
typedef struct group {
    metric_group face;
    arena strings;
    ARRAY_OF(uint16_t) variables;
    ARRAY_OF(metric) metrics;
} group;

typedef enum section { SECTION_NONE, SECTION_EVENTSET, SECTION_METRICS } section;

typedef struct reader {
    group *g;
    const char *where; /* name of the file, for errors */
    unsigned line;     /* current one, from 1 */
    p5_error *error;   /* never NULL */
} reader;

/* Sets an error in the current line. Column 0: none. */
static p5_status fail(const reader *r, size_t column, p5_status status, const char *message)
{
    return error_set_at(r->error, status, (error_place){r->where, r->line, (unsigned)column}, "%s", message);
}

/* Returns the number of blanks and tabs at the beginning of `text`. */
static size_t blanks(const char *text)
{
    return strspn(text, " \t");
}

/* Returns the length without trailing blanks and carriage return. */
static size_t trimmed(const char *text, size_t length)
{
    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\t' || text[length - 1] == '\r'))
        length--;
    return length;
}

static bool in_event_set(const group *g, unsigned variable)
{
    for (size_t i = 0; i < g->variables.count; i++)
        if (g->variables.items[i] == variable)
            return true;
    return false;
}

/* Reads a line of EVENTSET: the name of an event, or of another variable of formulas. */
static p5_status read_event(reader *r, const char *name)
{
    unsigned variable;
    p5_status status = metric_variable_find(name, &variable, r->error);
    if (status != P5_OK) {
        error_at(r->error, r->where, r->line, 1);
        return status;
    }
    if (in_event_set(r->g, variable))
        return fail(r, 1, P5_ERR_SYNTAX, "the event is in the EVENTSET already");
    if (!ARRAY_ADD(&r->g->variables, (uint16_t)variable))
        return fail(r, 0, P5_ERR_MEMORY, "out of memory");
    if (variable < P5_EVENT_COUNT)
        r->g->face.families &= p5_event_describe((enum p5_event)variable)->families;
    return P5_OK;
}

/* Returns where the formula of a METRICS line starts: after the first tab or two blanks, otherwise at the
 * last word. Returns NULL if there is only one word. */
static const char *formula_start(const char *line)
{
    for (const char *c = line; *c != '\0'; c++)
        if (*c == '\t' || (c[0] == ' ' && c[1] == ' '))
            return c + blanks(c);
    const char *last = strrchr(line, ' ');
    return last != NULL ? last + 1 : NULL;
}

/* Splits "Miss rate [%]" into the name "Miss rate" and the unit "%". */
static p5_status read_name(reader *r, metric *m, const char *line, size_t length)
{
    size_t name = length;
    const char *open = memchr(line, '[', length);
    m->unit = "";
    if (open != NULL && line[length - 1] == ']') {
        size_t unit = length - (size_t)(open - line) - 2;
        m->unit = arena_text_part(&r->g->strings, open + 1, unit);
        name = trimmed(line, (size_t)(open - line));
    }
    if (name == 0)
        return fail(r, 1, P5_ERR_SYNTAX, "the metric has no name");
    for (size_t i = 0; i < r->g->metrics.count; i++)
        if (strlen(r->g->metrics.items[i].name) == name &&
            memcmp(r->g->metrics.items[i].name, line, name) == 0)
            return fail(r, 1, P5_ERR_SYNTAX, "a metric of that name stands above");
    m->name = arena_text_part(&r->g->strings, line, name);
    return m->name != NULL && m->unit != NULL ? P5_OK : fail(r, 0, P5_ERR_MEMORY, "out of memory");
}

/* Reads a line of METRICS and adds its metric. All events and clocks in its formula must be in the EVENTSET. */
static p5_status read_metric(reader *r, const char *line)
{
    const char *start = formula_start(line);
    if (start == NULL || *start == '\0')
        return fail(r, strlen(line) + 1, P5_ERR_SYNTAX, "expected a name, two blanks and a formula");
    metric m;
    p5_status status = read_name(r, &m, line, trimmed(line, (size_t)(start - line)));
    if (status != P5_OK)
        return status;
    m.text = arena_text(&r->g->strings, start);
    if (m.text == NULL || !ARRAY_ROOM(&r->g->metrics))
        return fail(r, 0, P5_ERR_MEMORY, "out of memory");
    metric_formula *formula;
    size_t offset = (size_t)(start - line);
    status = metric_formula_parse(start, &formula, r->error);
    if (status != P5_OK) {
        error_at(r->error, r->where, r->line, r->error->column + (unsigned)offset);
        return status;
    }
    m.formula = formula;
    r->g->metrics.items[r->g->metrics.count++] = m;
    for (unsigned i = 0; i < METRIC_SECONDS; i++) /* the numbers of events and clocks */
        if (metric_formula_uses(formula, i) && !in_event_set(r->g, i))
            return error_set_at(r->error, P5_ERR_SYNTAX,
                                (error_place){r->where, r->line, (unsigned)offset + 1},
                                "the formula uses %s, which is not in the EVENTSET",
                                i == METRIC_CLOCKS ? "clocks" : p5_event_describe((enum p5_event)i)->name);
    return P5_OK;
}

/* Reads a line that does not begin LONG. `in` is the current section. */
static p5_status read_line(reader *r, section *in, char *line)
{
    if (strncmp(line, "SHORT", 5) == 0 && (line[5] == ' ' || line[5] == '\t')) {
        const char *text = line + 5 + blanks(line + 5);
        if (r->g->face.summary != NULL)
            return fail(r, 1, P5_ERR_SYNTAX, "there is a second SHORT");
        r->g->face.summary = arena_text(&r->g->strings, text);
        return r->g->face.summary != NULL ? P5_OK : fail(r, 0, P5_ERR_MEMORY, "out of memory");
    }
    if (strcmp(line, "EVENTSET") == 0) {
        *in = SECTION_EVENTSET;
        return P5_OK;
    }
    if (strcmp(line, "METRICS") == 0) {
        *in = SECTION_METRICS;
        return P5_OK;
    }
    if (line[0] == '\0' || line[0] == '#')
        return P5_OK;
    if (*in == SECTION_EVENTSET)
        return read_event(r, line);
    if (*in == SECTION_METRICS)
        return read_metric(r, line);
    return fail(r, 1, P5_ERR_SYNTAX, "expected SHORT, EVENTSET, METRICS or LONG");
}

/* Reads all lines up to LONG, which takes the rest of the text. */
static p5_status read_lines(reader *r, const char *text)
{
    section in = SECTION_NONE;
    for (const char *next; *text != '\0'; text = next) {
        size_t length = strcspn(text, "\n");
        next = text + length + (text[length] == '\n');
        r->line++;
        char *line = arena_text_part(&r->g->strings, text, trimmed(text, length));
        if (line == NULL)
            return fail(r, 0, P5_ERR_MEMORY, "out of memory");
        if (strcmp(line, "LONG") == 0) {
            r->g->face.description = arena_text(&r->g->strings, next);
            return r->g->face.description != NULL ? P5_OK : fail(r, 0, P5_ERR_MEMORY, "out of memory");
        }
        p5_status status = read_line(r, &in, line);
        if (status != P5_OK)
            return status;
    }
    return P5_OK;
}

p5_status metric_group_parse(const char *name, const char *where, const char *text, metric_group **out,
                             p5_error *error)
{
    p5_error unseen; /* read_metric reads the column of an error */
    if (error == NULL)
        error = &unseen;
    *out = NULL;
    group *g = calloc(1, sizeof *g);
    if (g == NULL)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    g->face.families = P5_FAMILY_P54C | P5_FAMILY_P55C;
    reader r = {.g = g, .where = where, .error = error};
    g->face.name = arena_text(&g->strings, name);
    p5_status status = read_lines(&r, text);
    if (status == P5_OK && g->face.name == NULL)
        status = fail(&r, 0, P5_ERR_MEMORY, "out of memory");
    if (status == P5_OK && g->face.summary == NULL)
        status = fail(&r, 0, P5_ERR_SYNTAX, "the group has no SHORT line");
    if (status == P5_OK && g->metrics.count == 0)
        status = fail(&r, 0, P5_ERR_SYNTAX, "the group has no METRICS");
    if (g->face.description == NULL)
        g->face.description = "";
    g->face.variables = g->variables.items;
    g->face.variable_count = g->variables.count;
    g->face.metrics = g->metrics.items;
    g->face.metric_count = g->metrics.count;
    if (status == P5_OK)
        *out = &g->face;
    else
        metric_group_close(&g->face);
    return status;
}

void metric_group_close(metric_group *face)
{
    if (face == NULL)
        return;
    group *g = (group *)face;
    for (size_t i = 0; i < g->metrics.count; i++)
        metric_formula_close(g->metrics.items[i].formula);
    free(g->metrics.items);
    free(g->variables.items);
    arena_free_all(&g->strings);
    free(g);
}

/* Opens a group file. The group has its name, without folder and extension. */
static p5_status open_group_file(const char *path, metric_group **out, p5_error *error)
{
    enum { LARGEST = 1 << 20 /* bytes */ };
    uint8_t *bytes;
    size_t size;
    p5_status status = file_read(path, LARGEST, true, &bytes, &size, NULL);
    if (status == P5_ERR_IO)
        return error_set_at(error, P5_ERR_IO, (error_place){.where = path},
                            "the metric group cannot be opened");
    if (status == P5_ERR_MEMORY)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    if (status != P5_OK || memchr(bytes, '\0', size) != NULL) {
        status = error_set_at(error, P5_ERR_SYNTAX, (error_place){.where = path},
                              "the file is not a readable metric group");
    } else {
        const char *slash = strrchr(path, '/');
        char name[64];
        snprintf(name, sizeof name, "%s", slash != NULL ? slash + 1 : path);
        char *dot = strrchr(name, '.');
        if (dot != NULL)
            *dot = '\0';
        status = metric_group_parse(name, path, (const char *)bytes, out, error);
    }
    free(bytes);
    return status;
}

p5_status metric_group_open(const char *name, metric_group **out, p5_error *error)
{
    *out = NULL;
    size_t length = strlen(name);
    if (strchr(name, '/') != NULL || (length > 4 && strcmp(name + length - 4, ".txt") == 0))
        return open_group_file(name, out, error);
    text_nearest nearest;
    text_nearest_init(&nearest, name);
    for (const embedded_file *file = metric_builtin_groups(); file->name != NULL; file++) {
        if (text_same_name(file->name, name))
            return metric_group_parse(file->name, file->name, file->text, out, error);
        text_nearest_offer(&nearest, file->name);
    }
    error_set(error, P5_ERR_NAME, "there is no metric group '%s'", name);
    error_nearest(error, &nearest);
    return P5_ERR_NAME;
}

extern const embedded_file metric_groups_embedded[]; /* generated from events/metrics/ */

const embedded_file *metric_builtin_groups(void)
{
    return metric_groups_embedded;
}
