/* The three formats of stat, from counts made by hand. */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "p5tool/report.h"

typedef struct fixture {
    p5_model *model;
    p5_selection selection;
    p5_stat_run runs[2];
    p5_stat stat;
} fixture;

static void open_fixture(fixture *f, const char *events, size_t runs)
{
    p5_error error;
    memset(f, 0, sizeof *f);
    assert_int_equal(p5_model_open("p55c-200", &f->model, &error), P5_OK);
    if (events != NULL)
        assert_int_equal(p5_selection_add(&f->selection, events, P5_FAMILY_P55C, &error), P5_OK);
    for (size_t i = 0; i < 2; i++) {
        p5_stat_run *run = &f->runs[i];
        run->counts.clocks[P5_CPL_USER] = 2000000 + 400 * i;
        run->counts.stalls[P5_STALL_ISSUE][P5_CPL_USER] = 2000000 + 400 * i;
        run->counts.increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_USER] = 1000000;
        run->counts.increments[P5_EVENT_DATA_READ][P5_CPL_USER] = 4000;
        run->counts.increments[P5_EVENT_DATA_READ_MISS][P5_CPL_USER] = 100;
        run->instructions = 1000000;
        run->host_seconds = 0.5;
    }
    f->stat = (p5_stat){.model = f->model,
                        .command = "prog 'a b'",
                        .options = "-e x",
                        .selection = events != NULL ? &f->selection : NULL,
                        .runs = f->runs,
                        .run_count = runs};
}

static void close_fixture(fixture *f)
{
    p5_selection_free(&f->selection);
    p5_model_close(f->model);
}

#define FIXTURE(name, events, runs)                                                                          \
    fixture CLOSED_BY(close_fixture) name;                                                                   \
    open_fixture(&name, events, runs)

static char *report(const fixture *f, p5_stat_format format, const char *separator)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    p5_stat_style style = {.big_numbers = true, .zeros = true, .separator = separator};
    p5_error error;
    assert_int_equal(p5_stat_write(out, &f->stat, format, &style, &error), P5_OK);
    fclose(out);
    return text;
}

TEST(text_has_perfs_layout)
{
    FIXTURE(f, "data_read_miss:u,data_write,clocks", 1);
    char *text = report(&f, P5_STAT_TEXT, NULL);
    /* value right-aligned in 18 columns, six blanks, name, # metric: 100 of 4000 reads */
    assert_non_null(strstr(text, "\n               100      data_read_miss:u                             #   "
                                 "  2.50 % of data reads\n"));
    assert_non_null(strstr(text, "\n         2,000,000      clocks\n"));
    assert_non_null(strstr(text, " Performance counter stats for 'prog 'a b'':\n"));
    assert_non_null(strstr(text, "0.010000000 seconds modelled at 200 MHz\n")); /* 2e6 / 200e6 */
    assert_non_null(strstr(text, "0.500000000 seconds on the host, 2.0 MIPS"));
    free(text);
}

/* A metric that is a count is a whole number of any size. A ratio has three places. */
TEST(counts_have_no_places)
{
    static const char *const groups[] = {"pairing", NULL};
    for (unsigned below = 0; below < 2; below++) {
        FIXTURE(f, "clocks", 1);
        f.stat.metric_groups = groups;
        f.runs[0].counts.increments[P5_EVENT_INSTRUCTIONS_EXECUTED_V_PIPE][P5_CPL_USER] = 495000 + below;
        char *text = report(&f, P5_STAT_TEXT, NULL); /* 1,000,000 - 2 * 495,000 */
        assert_non_null(strstr(text, below ? " 9,998      Unpaired" : " 10,000      Unpaired"));
        assert_non_null(strstr(text, " 2.000      Clocks per instruction"));
        free(text);
    }
}

TEST(csv_has_perfs_fields)
{
    FIXTURE(f, "data_read_miss,clocks", 2);
    char *text = report(&f, P5_STAT_CSV, ",");
    /* mean 2000200, standard deviation 282.84, of the mean 200: 0.01 % */
    assert_non_null(strstr(text, "\n100,,data_read_miss,0.00%,10001000,100.00,2.50,% of data "
                                 "reads\n2000200,,clocks,0.01%,10001000,100.00,,\n"));
    free(text);
    f.stat.selection = NULL;
    text = report(&f, P5_STAT_CSV, ",");
    assert_non_null(strstr(text, "\n2000200,clocks,stall_issue,0.01%,10001000,100.00,100.0,% of clocks\n"));
    free(text);
    f.stat.selection = &f.selection;
    text = report(&f, P5_STAT_CSV, " of ");
    assert_non_null(strstr(text, " of % data reads\n")); /* the separator inside a field is gone */
    free(text);
}

TEST(every_format_has_all_events)
{
    FIXTURE(f, NULL, 1);
    for (int format = P5_STAT_TEXT; format <= P5_STAT_JSON; format++) {
        char *text = report(&f, (p5_stat_format)format, ";");
        for (int id = 0; id < P5_EVENT_COUNT; id++)
            if (strstr(text, p5_event_describe((enum p5_event)id)->name) == NULL)
                fail_msg("format %d lacks %s", format, p5_event_describe((enum p5_event)id)->name);
        assert_non_null(strstr(text, "issue")); /* the CPI stack */
        assert_non_null(strstr(text, "p55c-200"));
        free(text);
    }
}

/* Runs jq over the text with a filter that must come to true. */
static void jq_agrees(const char *text, const char *filter)
{
    char command[600];
    snprintf(command, sizeof command, "jq -e -s '%s' >/dev/null", filter);
    FILE *jq = popen(command, "w");
    assert_non_null(jq);
    fputs(text, jq);
    if (pclose(jq) != 0)
        fail_msg("jq does not find %s in\n%s", filter, text);
}

TEST(json_reads_back)
{
    unit_needs("jq");
    FIXTURE(f, "data_read_miss:u,r2b.0", 2);
    char *text = report(&f, P5_STAT_JSON, NULL);
    jq_agrees(text, ".[0].model == \"p55c-200\" and .[0].runs == 2 and .[0].options == \"-e x\"");
    jq_agrees(text, ".[1] | .event == \"data_read_miss:u\" and .value == 100 and .\"counter-value\" == "
                    "\"100.000000\" and .mode == \"u\"");
    jq_agrees(text, ".[1] | .\"metric-value\" == 2.5 and .\"event-runtime\" == 10001000 and "
                    ".\"pcnt-running\" == 100 and .variance == 0");
    jq_agrees(text, ".[2] | .ctr == \"0\" and .code == 43");
    jq_agrees(text,
              ".[-1].summary | .clocks == 2000200 and .instructions == 1000000 and .seconds == 0.010001");
    free(text);
    f.stat.selection = NULL;
    text = report(&f, P5_STAT_JSON, NULL); /* a standard deviation of 282.84, of the mean 200 = 0.0099990 % */
    jq_agrees(text, ".[] | select(.event == \"stall_issue\") | .value == 2000200 and (.variance * 1e7 | "
                    "round) == 99990");
    free(text);
}

/* The host's speed is that of what it executed, be it more or less than what was counted. */
TEST(test_host_speed)
{
    FIXTURE(f, "data_read", 1);
    f.runs[0].host_instructions = 250000;
    char *text = report(&f, P5_STAT_TEXT, NULL), *json = report(&f, P5_STAT_JSON, NULL);
    assert_non_null(strstr(text, "0.500000000 seconds on the host, 0.5 MIPS"));
    assert_non_null(strstr(json, "\"instructions\":1000000"));
    assert_non_null(strstr(json, "\"mips\":0.5}"));
    free(text);
    free(json);
}
