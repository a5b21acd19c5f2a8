/* What stat writes is read back equal: JSON lines by the reader of merge and --compare, CSV by its fields. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "p5tool/report.h"
#include "report/results.h"

enum { RUNS = 2, MOST_VALUES = 200 };

/* Random counts of some runs, and a report about them. */
typedef struct fixture {
    p5_stat_run runs[RUNS];
    p5_selection selection;
    p5_model *model;
    p5_stat stat;
} fixture;

static void make(fixture *f, uint64_t seed, size_t run_count)
{
    memset(f, 0, sizeof *f);
    assert_int_equal(p5_model_open("p55c-200", &f->model, NULL), P5_OK);
    assert_int_equal(
        p5_selection_add(&f->selection, "clocks,all,{data_read,data_write:k}:u", P5_FAMILY_P55C, NULL),
        P5_OK);
    for (size_t run = 0; run < run_count; run++) {
        p5_counts *counts = &f->runs[run].counts;
        for (unsigned cpl = 0; cpl < P5_CPL_CLASSES; cpl++) {
            counts->clocks[cpl] = unit_random(&seed);
            for (unsigned e = 0; e < P5_EVENT_COUNT; e++)
                counts->increments[e][cpl] = (uint64_t)unit_random(&seed) >> e % 32;
        }
        f->runs[run].instructions = unit_random(&seed);
        f->runs[run].host_seconds = 1;
    }
    f->stat = (p5_stat){.model = f->model,
                        .command = "guest \"\\\xff",
                        .options = "-e all",
                        .selection = &f->selection,
                        .runs = f->runs,
                        .run_count = run_count};
}

static void drop(fixture *f)
{
    p5_selection_free(&f->selection);
    p5_model_close(f->model);
}

#define FIXTURE(name, seed, run_count)                                                                       \
    fixture CLOSED_BY(drop) name;                                                                            \
    make(&name, seed, run_count)

/* Returns the value that row `i` must have: the mean over the runs. */
static double expected(const fixture *f, size_t i)
{
    double sum = 0;
    for (size_t run = 0; run < f->stat.run_count; run++)
        sum += (double)p5_selected_value(&f->selection.items[i], &f->runs[run].counts);
    return sum / (double)f->stat.run_count;
}

static char *written(const fixture *f, p5_stat_format format)
{
    char *text = NULL;
    size_t size = 0;
    const p5_stat_style style = {.separator = ","};
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(p5_stat_write(out, &f->stat, format, &style, NULL), P5_OK);
    fclose(out);
    return text;
}

typedef struct seen {
    const fixture *of;
    size_t values, headers, summaries;
} seen;

static p5_status look(void *context, const result_line *line, p5_error *error)
{
    (void)error;
    seen *s = context;
    assert_int_equal(line->kind, RESULT_STAT);
    if (line->part == RESULT_HEADER) {
        s->headers++;
        assert_string_equal(line_text(line, LINE_MODEL, ""), "p55c-200");
        assert_true(line_number(line, LINE_MHZ) == 200);
        assert_string_equal(line_text(line, LINE_COMMAND, ""), "guest \"\\\xef\xbf\xbd");
    } else if (line->part == RESULT_VALUE) {
        assert_true(s->values < s->of->selection.count);
        assert_string_equal(line_text(line, LINE_EVENT, ""), s->of->selection.items[s->values].name);
        assert_true(line_number(line, LINE_VALUE) == expected(s->of, s->values));
        s->values++;
    } else if (line->part == RESULT_SUMMARY) {
        s->summaries++;
        assert_true(line_number(line, LINE_CLOCKS) == expected(s->of, 0));
    }
    return P5_OK;
}

static p5_status read_text(const char *text, size_t size, seen *s, p5_error *error)
{
    size_t runs;
    FILE *in = fmemopen((char *)(uintptr_t)text, size, "r");
    assert_non_null(in);
    p5_status status = results_read(in, "file", look, s, &runs, error);
    fclose(in);
    return status;
}

TEST(json_is_read_back)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        FIXTURE(f, seed, 1 + seed % RUNS);
        char *text = written(&f, P5_STAT_JSON);
        p5_error error = {0};
        seen s = {&f, 0, 0, 0};
        if (read_text(text, strlen(text), &s, &error) != P5_OK)
            fail_msg("line %u: %s", error.line, error.message);
        assert_int_equal(s.headers, 1);
        assert_int_equal(s.summaries, 1);
        assert_int_equal(s.values, f.selection.count);
        free(text);
    }
}

/* Whatever the place where a file is cut off, it is refused, and the error names the last line. */
TEST(cut_off_files_are_refused)
{
    FIXTURE(f, 1, 1);
    char *text = written(&f, P5_STAT_JSON);
    for (size_t size = 1, line = 1; size < strlen(text) - 1; size++) {
        seen s = {&f, 0, 0, 0};
        p5_error error = {0};
        assert_int_equal(read_text(text, size, &s, &error), P5_ERR_FORMAT);
        assert_int_equal(error.line, line);
        line += text[size - 1] == '\n';
    }
    free(text);
}

/* The CSV has one line per row of the selection: value, unit, name; numbers without loss. */
TEST(csv_is_read_back)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        FIXTURE(f, seed, 1 + seed % RUNS);
        char *text = written(&f, P5_STAT_CSV), *rest = text;
        size_t rows = 0;
        for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
            if (line[0] == '#' || line[0] == '\0')
                continue;
            assert_true(rows < f.selection.count);
            assert_true(strtod(strsep(&line, ","), NULL) == expected(&f, rows));
            assert_string_equal(strsep(&line, ","), "");
            assert_string_equal(strsep(&line, ","), f.selection.items[rows].name);
            rows++;
        }
        assert_int_equal(rows, f.selection.count);
        free(text);
    }
}
