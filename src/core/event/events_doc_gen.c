/* Writes the document events.md: every event selection with its rule, its grade and the tests that
 * demonstrate it. Fails if a family has an event that no test demonstrates on it. A test demonstrates an
 * event if it is a case file that expects a count other than 0, or if ELSEWHERE.TSV names it. The paths of
 * the cases and those in ELSEWHERE.TSV are relative to ROOT.
 *
 * Usage: events_doc_gen ELSEWHERE.TSV ROOT OUTPUT CASE.s... */
#include "p5scope/event.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/generator.h"
#include "base/text.h"

enum { TESTS = 512, LINE = 2048 }; /* bytes: of an event's list of tests, and of a line of a file */

/* The tests that demonstrate an event, and the families on which they do. */
typedef struct shown {
    unsigned families; /* P5_FAMILY_* */
    char tests[TESTS]; /* "`path`, `path`"; tests that do not fit are left out */
} shown;

static shown events[P5_EVENT_COUNT];
static const char *const grades[] = {"exact", "modelled", "approximate"}; /* by p5_event_info.grade */

static FILE *open_file(const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    return file;
}

/* Reads a line without its end into `line`, of LINE bytes. Returns false at the end of the file. */
static bool next_line(FILE *file, char *line)
{
    if (fgets(line, LINE, file) == NULL)
        return false;
    line[strcspn(line, "\r\n")] = '\0';
    return true;
}

/* Returns the families that are named anywhere in `text`. */
static unsigned families_in(const char *text)
{
    return (strstr(text, "p54c") != NULL ? P5_FAMILY_P54C : 0u) |
           (strstr(text, "p55c") != NULL ? P5_FAMILY_P55C : 0u);
}

/* Returns the event of this name, or NULL. */
static const p5_event_info *find(const char *name)
{
    for (unsigned i = 0; i < P5_EVENT_COUNT; i++)
        if (strcmp(p5_event_describe(i)->name, name) == 0)
            return p5_event_describe(i);
    return NULL;
}

/* Records that `test` demonstrates an event on `families`, as far as they have it. */
static void shown_by(const p5_event_info *e, unsigned families, const char *test)
{
    shown *s = &events[e->id];
    s->families |= families & e->families;
    if ((families & e->families) == 0 || strstr(s->tests, test) != NULL)
        return;
    size_t used = strlen(s->tests);
    if (used + strlen(test) + 4 < sizeof s->tests)
        sprintf(s->tests + used, "%s%s", used > 0 ? ", " : "", test);
}

/* Parses expect[@MODEL] EVENT[:MODIFIERS] VALUE ... of a case file. `models`: the families on which the case runs. */
static void read_expectation(char *line, unsigned models, const char *test)
{
    char model[128] = "", name[128], value[128];
    char *at = line + strlen("expect");
    if (*at == '@' && sscanf(at, "@%127s", model) == 1)
        at += 1 + strlen(model);
    if (sscanf(at, " %127[^: \t]%*[^ \t] %127s", name, value) != 2 &&
        sscanf(at, " %127s %127s", name, value) != 2)
        return;
    const p5_event_info *e = find(name);
    if (e == NULL || strtod(value, NULL) == 0)
        return;
    unsigned named = families_in(model);
    shown_by(e, model[0] != '\0' && named != 0 ? named & models : models, test);
}

/* Reads a case file: an assembler program with directives that begin with #!. */
static void read_case(const char *root, const char *path)
{
    char full[4096], line[LINE], test[256];
    snprintf(full, sizeof full, "%s/%s", root, path);
    snprintf(test, sizeof test, "`%s`", path);
    unsigned models = P5_FAMILY_P55C; /* of cases without #! models */
    FILE *file = open_file(full, "r");
    while (next_line(file, line)) {
        char *at = line + 2;
        if (strncmp(line, "#!", 2) != 0)
            continue;
        at += strspn(at, " \t");
        if (strncmp(at, "models", 6) == 0)
            models = families_in(at);
        else if (strncmp(at, "expect", 6) == 0)
            read_expectation(at, models, test);
    }
    fclose(file);
}

/* Reads rows of event, families, file and description. The file has to contain the event's constant, P5_EVENT_... */
static void read_elsewhere(const char *root, const char *path)
{
    FILE *file = open_file(path, "r");
    char line[LINE], full[4096], test[256], inside[LINE], constant[256];
    while (next_line(file, line)) {
        char *cursor = line, *field[3];
        if (line[0] == '#')
            continue;
        for (unsigned i = 0; i < 3; i++)
            field[i] = text_field(&cursor, '\t');
        const p5_event_info *e = field[2] != NULL ? find(field[0]) : NULL;
        if (e == NULL) {
            fprintf(stderr, "%s: '%s' is not EVENT, FAMILIES, FILE with an event of the table\n", path, line);
            exit(1);
        }
        snprintf(constant, sizeof constant, "P5_EVENT_%s", field[0]);
        for (char *c = constant; *c != '\0'; c++)
            if (*c >= 'a' && *c <= 'z')
                *c = (char)(*c - 'a' + 'A');
        snprintf(full, sizeof full, "%s/%s", root, field[2]);
        FILE *test_file = open_file(full, "r");
        bool named = false;
        while (next_line(test_file, inside))
            named = named || strstr(inside, constant) != NULL;
        fclose(test_file);
        if (!named) {
            fprintf(stderr, "%s: %s does not test %s\n", path, field[2], constant);
            exit(1);
        }
        snprintf(test, sizeof test, "`%s`", field[2]);
        shown_by(e, families_in(field[1]), test);
    }
    fclose(file);
}

static const char *kind_text(const p5_event_info *e)
{
    return e->duration ? "duration" : "occurrence";
}

/* Writes the section of an event. */
static void write_event(FILE *out, const p5_event_info *e)
{
    static const char *const counters[] = {"", "CTR0", "CTR1", "CTR0, CTR1"};
    static const char *const families[] = {"", "P54C", "P55C", "P54C and P55C"};
    fprintf(out, "\n### %02Xh %s\n\n", e->code, e->name);
    fprintf(out, "%s. %s, %s, %s; at most %u a clock; **%s**.\n\n", e->title, counters[e->counters],
            families[e->families], kind_text(e), e->max_per_clock, grades[e->grade]);
    fprintf(out, "%s\n", e->rule);
    if (e->remarks[0] != '\0')
        fprintf(out, "\n%s\n", e->remarks);
    fprintf(out, "\nShown by %s.\n", events[e->id].tests);
}

static void write_document(FILE *out)
{
    static const char *const counters[] = {"", "0", "1", "0 1"};
    fprintf(out,
            "# Events\n\n"
            "The build makes this document from events/events.tsv and the tests. An event has one of three "
            "grades. *Exact*: the\n"
            "executed instructions alone determine the count. *Modelled*: the count depends on the model's "
            "caches, predictor or pipe.\n"
            "*Approximate*: the sources leave a part of the rule open. A test shows an event if it expects "
            "a count other than 0\n"
            "that follows from the rule.\n\n"
            "| code | counter | event | kind | grade |\n|---|---|---|---|---|\n");
    for (unsigned i = 0; i < P5_EVENT_COUNT; i++) {
        const p5_event_info *e = p5_event_describe(i);
        fprintf(out, "| %02Xh | %s | %s | %s | %s |\n", e->code, counters[e->counters], e->name, kind_text(e),
                grades[e->grade]);
    }
    for (unsigned i = 0; i < P5_EVENT_COUNT; i++)
        write_event(out, p5_event_describe(i));
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: events_doc_gen ELSEWHERE.TSV ROOT OUTPUT CASE.s...\n");
        return 1;
    }
    read_elsewhere(argv[2], argv[1]);
    for (int i = 4; i < argc; i++)
        read_case(argv[2], argv[i]);
    unsigned missing = 0;
    for (unsigned i = 0; i < P5_EVENT_COUNT; i++) {
        const p5_event_info *e = p5_event_describe(i);
        unsigned not_shown = e->families & ~events[i].families;
        if (not_shown != 0) {
            fprintf(stderr, "%02Xh %s: no test expects a count of it on the%s%s\n", e->code, e->name,
                    (not_shown & P5_FAMILY_P54C) != 0 ? " P54C" : "",
                    (not_shown & P5_FAMILY_P55C) != 0 ? " P55C" : "");
            missing++;
        }
    }
    if (missing > 0)
        return 1;
    FILE *out = open_file(argv[3], "w");
    write_document(out);
    return generator_close(out, argv[3]) ? 0 : 1;
}
