/* Build-time generator: events/events.tsv and stalls.tsv -> event_ids.h (the enumerations of events and of
 * causes of clocks) and events_table.c (the constant tables of events.h). Codes, names and the form of every column
 * are checked here, so that lookup needs no checks at run time; formulas of figures are parsed at run time. tsv_fail
 * prints an error with file and line, and ends the program with status 1.
 *
 * Usage: events_gen EVENTS.TSV STALLS.TSV EVENT_IDS.H EVENTS_TABLE.C */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/generator.h"
#include "base/text.h"
#include "base/tsv.h"

/* Manual, table 26-24: the number of events that both counters can select, and of those that only one can. A code
 * with a different event on each counter is two of the latter. */
enum { EVENTS_ON_BOTH = 38, EVENTS_ON_ONE = 35 };

enum { CODES = 64, MAX_ROWS = 2 * CODES, MAX_ALIASES = 8, MAX_STALLS = 32, NAME_SPACE = 128 };

enum {
    COLUMN_CODE,
    COLUMN_COUNTERS,
    COLUMN_NAME,
    COLUMN_TITLE,
    COLUMN_ALIASES,
    COLUMN_KIND,
    COLUMN_FAMILIES,
    COLUMN_MAX,
    COLUMN_GROUP,
    COLUMN_UNIT,
    COLUMN_FIGURE,
    COLUMN_RULE,
    COLUMN_GRADE,
    COLUMN_SOURCE,
    COLUMN_REMARKS,
    COLUMNS
};
static const char *const column_names[COLUMNS] = {"code",   "counters", "name",  "title",  "aliases",
                                                  "kind",   "families", "max",   "group",  "unit",
                                                  "figure", "rule",     "grade", "source", "remarks"};
enum { STALL_NAME, STALL_EVENT, STALL_COLOUR, STALL_RULE, STALL_COLUMNS };
static const char *const stall_names[STALL_COLUMNS] = {"name", "event", "colour", "rule"};
static const char *const counter_words[] = {"0", "1", "0 1", NULL};
static const char *const family_words[] = {"p54c", "p55c", "p54c p55c", NULL};
static const char *const groups[] = {"cache", "tlb", "branch", "pipe", "fpu", "mmx", "bus", "system", NULL};
static const char *const units[] = {"pipe", "memory", "bus", "core", "clock", NULL};
static const char *const kinds[] = {"occurrence", "duration", "reserved" /* counts nothing */, NULL};
static const char *const grades[] = {"exact", "modelled", "approximate", NULL};
enum { KIND_RESERVED = 2 }; /* index of kinds[] */

/* A row of events.tsv. Strings other than `freebsd` lie in the text of the file. */
typedef struct row {
    unsigned line;
    unsigned code;
    unsigned counters; /* bit 0 CTR0, bit 1 CTR1 */
    unsigned families; /* P5_FAMILY_*: 1 P54C, 2 P55C */
    int kind, grade;   /* indices of kinds[] and grades[] */
    int unit;          /* index of units[] */
    char *figure[3];   /* formula, unit, decimals; or NULL */
    char *field[COLUMNS];
    char *alias[MAX_ALIASES];
    unsigned alias_count;
    char freebsd[NAME_SPACE]; /* the last alias, by which FreeBSD calls the event: p5-NAME with '-' for '_' */
} row;

/* A cause of clocks: a row of stalls.tsv. */
typedef struct stall {
    const char *name, *rule, *colour;
    int event; /* number of its event (enum p5_event); -1: none */
} stall;

typedef struct table {
    const tsv *file; /* that errors name: the events, until they are checked, then the stalls */
    row rows[MAX_ROWS];
    unsigned count;
    stall stalls[MAX_STALLS];
    unsigned stall_count;
} table;

/* Returns the index of `word` in a list that ends with NULL, or -1. */
static int index_of(const char *const *words, const char *word)
{
    for (int i = 0; words[i] != NULL; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return -1;
}

/* Returns whether a field has no value. */
static int is_empty(const char *field)
{
    return field[0] == '\0' || strcmp(field, "-") == 0;
}

/* Returns whether a name is of the form [a-z_][a-z0-9_]*, which formulas and the readers of callgrind's format
 * accept. */
static int is_name(const char *text)
{
    if (!islower((unsigned char)text[0]) && text[0] != '_')
        return 0;
    for (; *text != '\0'; text++)
        if (!islower((unsigned char)*text) && !isdigit((unsigned char)*text) && *text != '_')
            return 0;
    return 1;
}

/* Returns the bit mask that a field means: 1, 2 or 3. `words` are the texts for these three, in order, and NULL. */
static unsigned parse_mask(const table *t, const row *r, unsigned column, const char *const words[4])
{
    const int index = index_of(words, r->field[column]);
    if (index < 0)
        tsv_fail(t->file, r->line, "%s '%s', expected '%s', '%s' or '%s'", column_names[column],
                 r->field[column], words[0], words[1], words[2]);
    return (unsigned)index + 1;
}

/* Sets the aliases of a row, which are separated by ';'. */
static void parse_aliases(const table *t, row *r)
{
    if (is_empty(r->field[COLUMN_ALIASES]))
        return;
    char *cursor = r->field[COLUMN_ALIASES];
    for (char *alias; (alias = text_field(&cursor, ';')) != NULL;) {
        if (alias[0] == '\0')
            tsv_fail(t->file, r->line, "empty alias");
        if (r->alias_count == MAX_ALIASES - 1) /* one place is for `freebsd` */
            tsv_fail(t->file, r->line, "more than %d aliases", MAX_ALIASES - 1);
        r->alias[r->alias_count++] = alias;
    }
}

/* Parses "formula; unit; decimals". */
static void parse_figure(const table *t, row *r)
{
    char *cursor = r->field[COLUMN_FIGURE];
    if (is_empty(cursor))
        return;
    for (unsigned i = 0; i < 3; i++) {
        r->figure[i] = text_field(&cursor, ';');
        if (r->figure[i] == NULL || (i > 0 && *r->figure[i]++ != ' ') || r->figure[i][0] == '\0')
            tsv_fail(t->file, r->line, "the figure is not of the form 'formula; unit; decimals'");
    }
    if (cursor != NULL || strlen(r->figure[2]) != 1 || !isdigit((unsigned char)r->figure[2][0]))
        tsv_fail(t->file, r->line, "the figure is not of the form 'formula; unit; decimals'");
}

/* Adds a row of events.tsv to the table. */
static void parse_row(table *t, char *const field[COLUMNS])
{
    unsigned line = t->file->line;
    if (t->count == MAX_ROWS)
        tsv_fail(t->file, line, "more than %d rows", MAX_ROWS);
    row *r = &t->rows[t->count];
    r->line = line;
    memcpy(r->field, field, sizeof r->field);
    char *end;
    r->code = (unsigned)strtoul(r->field[COLUMN_CODE], &end, 16);
    if (strlen(r->field[COLUMN_CODE]) != 2 || *end != '\0' || r->code >= CODES)
        tsv_fail(t->file, line, "code '%s', expected two hexadecimal digits from 00 to 3F",
                 r->field[COLUMN_CODE]);
    r->counters = parse_mask(t, r, COLUMN_COUNTERS, counter_words);
    r->families = parse_mask(t, r, COLUMN_FAMILIES, family_words);
    r->kind = index_of(kinds, r->field[COLUMN_KIND]);
    if (r->kind < 0)
        tsv_fail(t->file, line, "kind '%s', expected 'occurrence', 'duration' or 'reserved'",
                 r->field[COLUMN_KIND]);
    if (is_empty(r->field[COLUMN_TITLE]) || is_empty(r->field[COLUMN_RULE]) ||
        is_empty(r->field[COLUMN_SOURCE]))
        tsv_fail(t->file, line, "title, rule and source must not be empty");
    t->count++;
    if (r->kind == KIND_RESERVED) {
        if (!is_empty(r->field[COLUMN_NAME]) || !is_empty(r->field[COLUMN_ALIASES]))
            tsv_fail(t->file, line, "a reserved code has no name and no aliases");
        return;
    }
    if (!is_name(r->field[COLUMN_NAME]) || sizeof "p5-" + strlen(r->field[COLUMN_NAME]) > NAME_SPACE)
        tsv_fail(t->file, line, "name '%s' is not of the form [a-z_][a-z0-9_]*", r->field[COLUMN_NAME]);
    if (strcmp(r->field[COLUMN_MAX], "1") != 0 && strcmp(r->field[COLUMN_MAX], "2") != 0)
        tsv_fail(t->file, line, "max '%s', expected 1 or 2", r->field[COLUMN_MAX]);
    if (index_of(groups, r->field[COLUMN_GROUP]) < 0)
        tsv_fail(t->file, line, "group '%s' is not one of the sections of the list", r->field[COLUMN_GROUP]);
    r->unit = index_of(units, r->field[COLUMN_UNIT]);
    if (r->unit < 0)
        tsv_fail(t->file, line, "unit '%s', expected 'pipe', 'memory', 'bus', 'core' or 'clock'",
                 r->field[COLUMN_UNIT]);
    parse_figure(t, r);
    r->grade = index_of(grades, r->field[COLUMN_GRADE]);
    if (r->grade < 0)
        tsv_fail(t->file, line, "grade '%s', expected 'exact', 'modelled' or 'approximate'",
                 r->field[COLUMN_GRADE]);
    parse_aliases(t, r);
    snprintf(r->freebsd, sizeof r->freebsd, "p5-%s", r->field[COLUMN_NAME]);
    for (char *c = r->freebsd; *c != '\0'; c++)
        if (*c == '_')
            *c = '-';
    r->alias[r->alias_count++] = r->freebsd;
}

/* Returns the number (enum p5_event) of the event of this name, -1 if there is none. Reserved rows have no number. */
static int number_of(const table *t, const char *name)
{
    int id = 0;
    for (unsigned i = 0; i < t->count; i++) {
        if (t->rows[i].kind == KIND_RESERVED)
            continue;
        if (strcmp(t->rows[i].field[COLUMN_NAME], name) == 0)
            return id;
        id++;
    }
    return -1;
}

/* Adds a row of stalls.tsv. All events must be in the table, because the row may name one. */
static void parse_stall(table *t, char *const field[STALL_COLUMNS])
{
    unsigned line = t->file->line;
    const char *name = field[STALL_NAME], *event = field[STALL_EVENT], *colour = field[STALL_COLOUR];
    stall s = {name, field[STALL_RULE], colour, is_empty(event) ? -1 : number_of(t, event)};
    if (!is_name(name) || is_empty(s.rule))
        tsv_fail(t->file, line, "name '%s' is not of the form [a-z_][a-z0-9_]*, or has no rule", name);
    if (s.event < 0 && !is_empty(event))
        tsv_fail(t->file, line, "no event is called '%s'", event);
    if (strlen(colour) != 6 || strspn(colour, "0123456789abcdef") != 6)
        tsv_fail(t->file, line, "colour '%s', expected six hexadecimal digits in lower case", colour);
    for (unsigned i = 0; i < t->stall_count; i++)
        if (strcmp(t->stalls[i].name, name) == 0 || strcmp(t->stalls[i].colour, colour) == 0)
            tsv_fail(t->file, line, "'%s' or its colour stands twice", name);
    if (t->stall_count == MAX_STALLS)
        tsv_fail(t->file, line, "more than %d rows", MAX_STALLS);
    t->stalls[t->stall_count++] = s;
}

/* Checks that no two rows have the same code on the same counter, not even for different families, and that rows are
 * in the order of the codes. */
static void check_codes(const table *t)
{
    for (unsigned i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        for (unsigned j = 0; j < i; j++)
            if (t->rows[j].code == r->code && (t->rows[j].counters & r->counters) != 0)
                tsv_fail(t->file, r->line, "code %02X is already taken on this counter by line %u", r->code,
                         t->rows[j].line);
        if (i > 0 && t->rows[i - 1].code > r->code)
            tsv_fail(t->file, r->line, "code %02X after %02X: rows stand in the order of the codes", r->code,
                     t->rows[i - 1].code);
    }
}

/* Returns one of the names of an event: 0 is its own, the others are aliases. */
static const char *spelling(const row *r, unsigned i)
{
    return i == 0 ? r->field[COLUMN_NAME] : r->alias[i - 1];
}

/* Checks that no two names or aliases are the same for text_same_name, by which lookup compares what users type. */
static void check_names(const table *t)
{
    for (unsigned i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        if (r->kind == KIND_RESERVED)
            continue;
        for (unsigned a = 0; a <= r->alias_count; a++)
            for (unsigned j = 0; j <= i; j++) {
                const row *other = &t->rows[j];
                unsigned spellings = j == i ? a : other->alias_count + 1;
                if (other->kind == KIND_RESERVED)
                    continue;
                for (unsigned b = 0; b < spellings; b++)
                    if (text_same_name(spelling(r, a), spelling(other, b)))
                        tsv_fail(t->file, r->line, "'%s' is already a name of the event in line %u",
                                 spelling(r, a), other->line);
            }
    }
}

/* Checks the number of events against that of the manual's table. */
static void check_count(const table *t)
{
    unsigned both = 0;
    unsigned one = 0;
    for (unsigned i = 0; i < t->count; i++) {
        if (t->rows[i].kind == KIND_RESERVED)
            continue;
        if (t->rows[i].counters == 3)
            both++;
        else
            one++;
    }
    if (both != EVENTS_ON_BOTH || one != EVENTS_ON_ONE)
        tsv_fail(t->file, t->count > 0 ? t->rows[t->count - 1].line : 1,
                 "%u events on both counters and %u on one, expected %d and %d (manual, table 26-24)", both,
                 one, EVENTS_ON_BOTH, EVENTS_ON_ONE);
}

/* Writes a C string literal. */
static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* Writes a constant: `prefix`, and `name` in upper case. */
static void write_constant(FILE *out, const char *prefix, const char *name)
{
    fputs(prefix, out);
    for (; *name != '\0'; name++)
        fputc(toupper((unsigned char)*name), out);
}

/* Writes event_ids.h. */
static void write_ids(const table *t, FILE *out)
{
    fputs("/* Generated from events/events.tsv and stalls.tsv; do not edit. */\n"
          "#ifndef P5SCOPE_EVENT_IDS_H\n#define P5SCOPE_EVENT_IDS_H\n\n"
          "/* Numbers of the performance events from 0 on, in the order of their select codes (rows of "
          "events.tsv). */\nenum "
          "p5_event {\n",
          out);
    unsigned id = 0;
    for (unsigned i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        if (r->kind == KIND_RESERVED)
            continue;
        write_constant(out, "    P5_EVENT_", r->field[COLUMN_NAME]);
        fprintf(out, " = %u, /* %02Xh%s: %s */\n", id++, r->code,
                r->counters == 1   ? " on CTR0"
                : r->counters == 2 ? " on CTR1"
                                   : "",
                r->field[COLUMN_TITLE]);
    }
    fprintf(out, "};\nenum { P5_EVENT_COUNT = %u };\n\n", id);
    fputs("/* The owner of a clock. Every clock of a run has exactly one owner, so the clocks of all owners "
          "add up to those of the run (the CPI stack). */\n"
          "typedef enum p5_stall {\n",
          out);
    for (unsigned i = 0; i < t->stall_count; i++) {
        write_constant(out, "    P5_STALL_", t->stalls[i].name);
        fprintf(out, ", /* %s */\n", t->stalls[i].rule);
    }
    fputs("    P5_STALL_COUNT\n} p5_stall;\n\n#endif\n", out);
}

/* Writes events_table. */
static void write_rows(const table *t, FILE *out)
{
    unsigned id = 0;
    fprintf(out, "const p5_event_info events_table[P5_EVENT_COUNT] = {\n");
    for (unsigned i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        if (r->kind == KIND_RESERVED)
            continue;
        fprintf(
            out,
            "    {.size = sizeof(p5_event_info), .id = (enum p5_event)%u, .code = 0x%02X, .counters = %u, "
            ".families = %u, ",
            id, r->code, r->counters, r->families);
        fprintf(out, ".max_per_clock = %s, .duration = %s, .grade = ", r->field[COLUMN_MAX],
                strcmp(r->field[COLUMN_KIND], "duration") == 0 ? "true" : "false");
        write_constant(out, "P5_GRADE_", grades[r->grade]);
        fputs(",\n     .name = ", out);
        write_string(out, r->field[COLUMN_NAME]);
        fputs(",\n     .title = ", out);
        write_string(out, r->field[COLUMN_TITLE]);
        fprintf(out, ",\n     .aliases = aliases_%u, .group = ", id);
        write_string(out, r->field[COLUMN_GROUP]);
        write_constant(out, ", .unit = P5_UNIT_", units[r->unit]);
        if (r->figure[0] != NULL) {
            fputs(",\n     .figure = ", out);
            write_string(out, r->figure[0]);
            fputs(", .figure_unit = ", out);
            write_string(out, r->figure[1]);
            fprintf(out, ", .figure_decimals = %s", r->figure[2]);
        }
        fputs(",\n     .rule = ", out);
        write_string(out, r->field[COLUMN_RULE]);
        fputs(",\n     .remarks = ", out);
        write_string(out, is_empty(r->field[COLUMN_REMARKS]) ? "" : r->field[COLUMN_REMARKS]);
        fputs(",\n     .source = ", out);
        write_string(out, r->field[COLUMN_SOURCE]);
        fputs("},\n", out);
        id++;
    }
    fputs("};\n\n", out);
}

/* Writes events_table.c. */
static void write_table(const table *t, FILE *out)
{
    int by_code[CODES][2];
    memset(by_code, -1, sizeof by_code);
    fputs("/* Generated from events/events.tsv; do not edit. */\n#include \"core/event/events.h\"\n\n", out);
    unsigned id = 0;
    unsigned reserved = 0;
    for (unsigned i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        if (r->kind == KIND_RESERVED) {
            reserved++;
            continue;
        }
        for (unsigned counter = 0; counter < 2; counter++)
            if ((r->counters & (1U << counter)) != 0)
                by_code[r->code][counter] = (int)id;
        fprintf(out, "static const char *const aliases_%u[] = {", id++);
        for (unsigned a = 0; a < r->alias_count; a++) {
            write_string(out, r->alias[a]);
            fputs(", ", out);
        }
        fputs("NULL};\n", out);
    }
    fputc('\n', out);
    write_rows(t, out);
    fputs("const p5_event_reserved events_reserved[] = {\n", out);
    for (unsigned i = 0; i < t->count; i++) {
        const row *r = &t->rows[i];
        if (r->kind != KIND_RESERVED)
            continue;
        fprintf(out, "    {.code = 0x%02X, .counters = %u, .families = %u, .remarks = ", r->code, r->counters,
                r->families);
        write_string(out, is_empty(r->field[COLUMN_REMARKS]) ? "" : r->field[COLUMN_REMARKS]);
        fputs("},\n", out);
    }
    fprintf(out, "};\nconst unsigned events_reserved_count = %u;\n\n", reserved);
    fputs("const int8_t events_by_code[64][2] = {\n", out);
    for (unsigned code = 0; code < CODES; code++)
        fprintf(out, "    {%d, %d},%s", by_code[code][0], by_code[code][1], code % 8 == 7 ? "\n" : "");
    fputs("};\n\nconst stall_row stalls_table[P5_STALL_COUNT] = {\n", out);
    for (unsigned i = 0; i < t->stall_count; i++) {
        fprintf(out, "    {\"%s\", %d, \"#%s\", ", t->stalls[i].name, t->stalls[i].event,
                t->stalls[i].colour);
        write_string(out, t->stalls[i].rule);
        fputs("},\n", out);
    }
    fputs("};\n", out);
}

/* Writes a file with `write`. Returns 1; or 0, after an error message, if it cannot be written, and then leaves
 * none. */
static int write_file(const char *path, const table *t, void (*write)(const table *t, FILE *out))
{
    FILE *out = fopen(path, "w");
    if (out == NULL) {
        perror(path);
        return 0;
    }
    write(t, out);
    return generator_close(out, path);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fprintf(stderr, "usage: events_gen EVENTS.TSV STALLS.TSV EVENT_IDS.H EVENTS_TABLE.C\n");
        return 2;
    }
    static table t;
    static tsv events, stalls;
    char *field[COLUMNS];
    tsv_open(&events, argv[1], column_names, COLUMNS);
    for (t.file = &events; tsv_next(&events, field);)
        parse_row(&t, field);
    check_codes(&t);
    check_names(&t);
    check_count(&t);
    tsv_open(&stalls, argv[2], stall_names, STALL_COLUMNS);
    for (t.file = &stalls; tsv_next(&stalls, field);)
        parse_stall(&t, field);
    if (t.stall_count == 0)
        tsv_fail(&stalls, stalls.line, "no rows");
    int done = write_file(argv[3], &t, write_ids) && write_file(argv[4], &t, write_table);
    free(events.text);
    free(stalls.text);
    return done ? 0 : 1;
}
