/* `p5scope list` against the tables that it lists: every event of events/events.tsv and every metric of
 * events/metrics once, in each format. */
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "p5tool/report.h"

static char *list(unsigned sections, bool verbose, p5_row_format format, const char *pattern, size_t *rows)
{
    char *text;
    size_t size;
    p5_error error = {0};
    FILE *out = open_memstream(&text, &size);
    const p5_list_options options = {
        .pattern = pattern, .sections = sections, .verbose = verbose, .format = format};
    if (p5_list_write(out, &options, rows, &error) != P5_OK)
        fail_msg("%s", error.message);
    fclose(out);
    return text;
}

static unsigned occurrences(const char *text, const char *of)
{
    unsigned n = 0;
    for (const char *at = text; (at = strstr(at, of)) != NULL; at += strlen(of))
        n++;
    return n;
}

/* Splits "Name [unit]  formula". Returns false for other lines. */
static bool split_metric(char *line, char **name, char **unit, char **formula)
{
    char *gap = strstr(line, "  ");
    line[strcspn(line, "\n")] = '\0';
    if (gap == NULL)
        return false;
    *gap = '\0';
    *formula = gap + 2 + strspn(gap + 2, " ");
    *name = line;
    *unit = line + strlen(line);
    char *bracket = strstr(line, " [");
    if (bracket != NULL) {
        *bracket = '\0';
        *unit = bracket + 2;
        (*unit)[strcspn(*unit, "]")] = '\0';
    }
    return true;
}

TEST(metrics)
{
    glob_t files;
    size_t rows[4], total = 0;
    assert_int_equal(glob(P5_SOURCE_DIR "/events/metrics/*.txt", 0, NULL, &files), 0);
    char *text = list(P5_LIST_METRICS, true, P5_ROWS_TEXT, NULL, &rows[0]);
    char *brief = list(P5_LIST_METRICS, false, P5_ROWS_TEXT, NULL, &rows[1]);
    char *json = list(P5_LIST_METRICS, true, P5_ROWS_JSON, NULL, &rows[2]);
    char *csv = list(P5_LIST_METRICS, true, P5_ROWS_CSV, NULL, &rows[3]);
    const char *at = text, *json_at = json;
    for (size_t i = 0; i < files.gl_pathc; i++) {
        FILE *file = fopen(files.gl_pathv[i], "r");
        char line[400], wanted[1000], *name, *unit, *formula;
        char *group = strrchr(files.gl_pathv[i], '/') + 1;
        group[strcspn(group, ".")] = '\0';
        bool in_metrics = false;
        assert_non_null(file);
        while (fgets(line, sizeof line, file) != NULL) {
            if (strcmp(line, "METRICS\n") == 0) {
                in_metrics = true;
            } else if (in_metrics && line[0] == '\n') {
                in_metrics = false;
            } else if (in_metrics && split_metric(line, &name, &unit, &formula)) {
                total++;
                snprintf(wanted, sizeof wanted, "      %s%s%s%s = %s\n", name, unit[0] ? " [" : "", unit,
                         unit[0] ? "]" : "", formula);
                if ((at = strstr(at, wanted)) == NULL)
                    fail_msg("%s: '%s' is missing or out of order", group, name);
                at += strlen(wanted) - 1;
                snprintf(wanted, sizeof wanted, "{\"name\":\"%s\",\"unit\":\"%s\",\"formula\":\"%s\"}", name,
                         unit, formula);
                if ((json_at = strstr(json_at, wanted)) == NULL)
                    fail_msg("%s: '%s' is missing in JSON", group, name);
                snprintf(wanted, sizeof wanted, "\nmetric,%s,%s,%s,%s\n", group, name, unit, formula);
                if (strchr(formula, ',') == NULL && occurrences(csv, wanted) != 1)
                    fail_msg("%s: '%s' is missing in CSV", group, name);
                snprintf(wanted, sizeof wanted, "= %s\n", formula);
                assert_null(strstr(brief, wanted));
            }
        }
        fclose(file);
        snprintf(wanted, sizeof wanted, "\n  %-10s ", group);
        assert_int_equal(occurrences(text, wanted), 1);
        assert_int_equal(occurrences(brief, wanted), 1);
        snprintf(wanted, sizeof wanted, "{\"kind\":\"metric-group\",\"name\":\"%s\"", group);
        assert_int_equal(occurrences(json, wanted), 1);
    }
    assert_true(total > 60);
    assert_int_equal(occurrences(text, " = "), total); /* no metric more */
    assert_int_equal(occurrences(json, "\"formula\""), total);
    assert_int_equal(occurrences(csv, "\nmetric,"), total);
    assert_int_equal(rows[0], files.gl_pathc);
    assert_int_equal(rows[2], files.gl_pathc);
    free(text), free(brief), free(json), free(csv);
    globfree(&files);
}

/* Fields of a row of events.tsv. */
enum { CODE, COUNTERS, NAME, TITLE, ALIASES, KIND, FAMILIES, MAX, GROUP, FIELDS };

TEST(events)
{
    size_t rows[3], total = 0;
    char *text = list(P5_LIST_EVENTS, false, P5_ROWS_TEXT, NULL, &rows[0]);
    char *json = list(P5_LIST_EVENTS, false, P5_ROWS_JSON, NULL, &rows[1]);
    char *csv = list(P5_LIST_EVENTS, false, P5_ROWS_CSV, NULL, &rows[2]);
    FILE *file = fopen(P5_SOURCE_DIR "/events/events.tsv", "r");
    assert_non_null(file);
    char line[4000], *field[FIELDS], wanted[1000];
    while (fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#' || strncmp(line, "code\t", 5) == 0)
            continue;
        char *rest = line;
        for (unsigned i = 0; i < FIELDS; i++)
            field[i] = strsep(&rest, "\t");
        if (strcmp(field[KIND], "reserved") == 0)
            continue;
        total++;
        const char *counters = strcmp(field[COUNTERS], "0 1") == 0 ? "both" : field[COUNTERS];
        const unsigned code = (unsigned)strtoul(field[CODE], NULL, 16);
        snprintf(wanted, sizeof wanted, "\nevent,%s,%u,%s,%s,%s,", field[NAME], code, counters, field[KIND],
                 field[MAX]);
        if (occurrences(csv, wanted) != 1)
            fail_msg("%s is not once in CSV", field[NAME]);
        snprintf(wanted, sizeof wanted,
                 "{\"kind\":\"event\",\"name\":\"%s\",\"code\":%u,\"counters\":%s%s%s,\"type\":\"%s\",\"max_"
                 "per_clock\":%s",
                 field[NAME], code, "\"", counters, "\"", field[KIND], field[MAX]);
        if (occurrences(json, wanted) != 1)
            fail_msg("%s is not once in JSON", field[NAME]);
        snprintf(wanted, sizeof wanted, "\n  r%02x", code);
        const char *row = text;
        bool found = false;
        while (!found && (row = strstr(row, wanted)) != NULL) {
            row++;
            const size_t length = strcspn(row, "\n");
            snprintf(wanted, sizeof wanted, " %s", field[NAME]);
            const char *named = strstr(row, wanted);
            found = named != NULL && named < row + length;
            snprintf(wanted, sizeof wanted, "\n  r%02x", code);
        }
        if (!found)
            fail_msg("%s is not in the text", field[NAME]);
    }
    fclose(file);
    assert_int_equal(occurrences(text, "\n  r"), total);
    assert_int_equal(occurrences(csv, "\nevent,"), total);
    assert_int_equal(occurrences(json, "{\"kind\":\"event\""), total);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(rows[i], total);
    free(text), free(json), free(csv);
}

/* The list has every cause of clocks with its rule and event, by the name that -e accepts. */
TEST(stalls)
{
    size_t rows, total = 0;
    char *csv = list(P5_LIST_STALLS, false, P5_ROWS_CSV, NULL, &rows);
    FILE *file = fopen(P5_SOURCE_DIR "/events/stalls.tsv", "r");
    assert_non_null(file);
    char line[1000];
    while (fgets(line, sizeof line, file) != NULL) {
        char *rest = line, name[100], wanted[1000];
        if (line[0] == '#' || strncmp(line, "name\t", 5) == 0)
            continue;
        total++;
        snprintf(name, sizeof name, "stall_%s", strsep(&rest, "\t"));
        const char *event = strsep(&rest, "\t");
        strsep(&rest, "\t"); /* the colour */
        rest[strcspn(rest, "\n")] = '\0';
        const char *quote = strchr(rest, ',') != NULL ? "\"" : "";
        snprintf(wanted, sizeof wanted, "\nstall,%s,%s%s%s,%s\n", name, quote, rest, quote,
                 strcmp(event, "-") == 0 ? "" : event);
        if (occurrences(csv, wanted) != 1)
            fail_msg("%s is not once in CSV", wanted);
        p5_selection selection = {0};
        assert_int_equal(p5_selection_add(&selection, name, P5_FAMILY_P55C, NULL), P5_OK);
        p5_selection_free(&selection);
        size_t found;
        free(list(P5_LIST_ALL, false, P5_ROWS_JSON, name, &found));
        assert_true(found >= 1);
    }
    fclose(file);
    assert_int_equal(rows, total);
    free(csv);
}

/* Wildcards stand for any characters of a name or alias (data_rw); a code is that of one counter or of both. */
TEST(patterns)
{
    static const struct {
        const char *pattern;
        size_t rows;
    } cases[] = {{"r16", 1},        {"r2b", 2},     {"r2b.1", 1},   {"r2b.0", 1},  {"data_*_or_writ?", 1},
                 {"data_writ?", 1}, {"d*_miss", 4}, {"data_r?", 1}, {"no such", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t rows;
        free(list(P5_LIST_EVENTS, false, P5_ROWS_JSON, cases[i].pattern, &rows));
        if (rows != cases[i].rows)
            fail_msg("%s: %zu rows, expected %zu", cases[i].pattern, rows, cases[i].rows);
    }
}
