/* Reports of intervals. For any length and number of threads, the counts of all intervals add up to those of the run. Pauses are not counted. Failures are reported. */
#include "guests.h"

#include <stdlib.h>

#include "p5tool/report.h"

enum { EVENTS = 3 };
static const char events[] = "clocks,instructions_executed,data_read";

/* A run of quicksort with its intervals, and the results. */
typedef struct intervals_run {
    p5_stat_intervals_options options;
    unsigned threads;
    uint64_t turn_instructions; /* counting turns at every multiple of so many; 0: never */
    FILE *out;                  /* NULL: the rows are read */
    /* Afterwards: */
    p5_status closed;
    p5_error error;
    p5_end end;
    char *text;
    size_t rows;             /* of the first event */
    uint64_t sums[EVENTS];   /* of the rows */
    uint64_t totals[EVENTS]; /* of the run */
    uint64_t inside[EVENTS],
        from[EVENTS]; /* what was counted while counting was on; totals when it was turned on */
    p5_selection selection;
    p5_stat_intervals *intervals;
    p5_machine *machine;
    bool counts;
} intervals_run;

static void totals_of(const intervals_run *r, uint64_t totals[EVENTS])
{
    p5_counts counts;
    p5_machine_counts(r->machine, &counts);
    for (size_t i = 0; i < EVENTS; i++)
        totals[i] = p5_selected_value(&r->selection.items[i], &counts);
}

/* Turns counting off or on for the next period. */
static void turn(void *context, p5_machine *machine, const p5_observation *at)
{
    intervals_run *r = context;
    uint64_t now[EVENTS];
    (void)machine;
    (void)at;
    totals_of(r, now);
    for (size_t i = 0; i < EVENTS; i++) {
        r->inside[i] += r->counts ? now[i] - r->from[i] : 0;
        r->from[i] = now[i];
    }
    r->counts = !r->counts;
    p5_stat_intervals_turn(r->intervals, r->counts);
}

/* Rows are "time,value,,event,...": the value of each event in turn. */
static void add_rows(intervals_run *r)
{
    char *rest;
    for (char *line = strtok_r(r->text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        const char *value = strchr(line, ',');
        if (line[0] == '#')
            continue;
        assert_non_null(value);
        size_t event = 0;
        while (event < EVENTS && strstr(value, r->selection.items[event].name) == NULL)
            event++;
        assert_in_range(event, 0, EVENTS - 1);
        r->sums[event] += strtoull(value + 1, NULL, 10);
        r->rows += event == 0;
    }
}

static void run_with(intervals_run *r)
{
    static const p5_stat_style style = {.separator = ","};
    char path[1000];
    snprintf(path, sizeof path, "%s/quicksort", guests);
    const char *arguments[] = {"quicksort", "2", NULL}, *environment[] = {NULL};
    const p5_machine_options options = {.size = sizeof options, .model = "p55c-200", .threads = r->threads};
    assert_int_equal(p5_machine_open(&options, &r->machine, &r->error), P5_OK);
    assert_int_equal(p5_machine_load_linux(r->machine, path, arguments, environment, &r->error), P5_OK);
    const p5_model *model = p5_machine_model(r->machine);
    assert_int_equal(p5_selection_add(&r->selection, events, p5_model_family(model), &r->error), P5_OK);
    const p5_stat stat = {.model = model, .command = "quicksort", .options = "", .selection = &r->selection};
    size_t size = 0;
    r->options.size = sizeof r->options;
    r->options.format = P5_STAT_CSV;
    r->options.out = r->out != NULL ? r->out : open_memstream(&r->text, &size);
    r->options.stat = &stat;
    r->options.style = &style;
    assert_int_equal(p5_stat_intervals_open(r->machine, &r->options, &r->intervals, &r->error), P5_OK);
    r->counts = !r->options.paused;
    p5_observer *turns = NULL;
    const p5_observe_options observe = {.size = sizeof observe,
                                        .every_instructions = r->turn_instructions,
                                        .observed = turn,
                                        .counts_only = true,
                                        .context = r};
    if (r->turn_instructions != 0)
        assert_int_equal(p5_machine_observe(r->machine, &observe, &turns, &r->error), P5_OK);
    p5_run_result result = {.size = sizeof result};
    assert_int_equal(p5_machine_run(r->machine, NULL, &result, &r->error), P5_OK);
    r->end = result.end;
    p5_machine_settle(r->machine);
    totals_of(r, r->totals);
    for (size_t i = 0; i < EVENTS; i++)
        r->inside[i] += r->counts ? r->totals[i] - r->from[i] : 0;
    r->closed = p5_stat_intervals_close(r->intervals, &r->error);
    p5_machine_close(r->machine);
    if (r->out == NULL) {
        fclose(r->options.out);
        add_rows(r);
    }
    free(r->text);
    p5_selection_free(&r->selection);
}

static void assert_same(const uint64_t a[EVENTS], const uint64_t b[EVENTS])
{
    for (size_t i = 0; i < EVENTS; i++)
        assert_int_equal(a[i], b[i]);
}

/* There is a row for every whole interval, and one for the part at the end. */
TEST(add_up)
{
    static const uint64_t lengths[] = {1009, 100000, 1u << 30};
    for (unsigned threads = 1; threads <= 2; threads++)
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
            intervals_run c = {.options = {.every_clocks = lengths[i]}, .threads = threads};
            run_with(&c);
            assert_int_equal(c.closed, P5_OK);
            assert_same(c.sums, c.totals);
            assert_int_equal(c.rows, (c.totals[0] + lengths[i] - 1) / lengths[i]);
            intervals_run n = {.options = {.every_instructions = lengths[i]}, .threads = threads};
            run_with(&n);
            assert_same(n.sums, n.totals);
        }
}

/* There are no more rows than requested, and the last interval ends in time. */
TEST(so_many)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        intervals_run r = {.options = {.every_clocks = 5000, .most = 7}, .threads = threads};
        run_with(&r);
        assert_int_equal(r.rows, 7);
        assert_in_range(r.sums[0], 7 * 5000, 7 * 5000 + 300); /* an instruction may last longer */
        assert_int_equal(r.end, P5_END_EXIT);
    }
}

TEST(pauses)
{
    for (unsigned threads = 1; threads <= 2; threads++)
        for (unsigned paused = 0; paused < 2; paused++) {
            intervals_run r = {.options = {.every_clocks = 3000, .paused = paused != 0},
                               .threads = threads,
                               .turn_instructions = 7001};
            run_with(&r);
            assert_same(r.sums, r.inside);
            assert_in_range(r.inside[0], r.totals[0] / 4, r.totals[0] / 4 * 3);
        }
}

TEST(goes_wrong)
{
    for (unsigned threads = 1; threads <= 2; threads++) {
        intervals_run r = {
            .options = {.every_clocks = 1000}, .threads = threads, .out = fopen("/dev/full", "w")};
        assert_non_null(r.out);
        run_with(&r);
        fclose(r.out);
        assert_int_equal(r.closed, P5_ERR_IO);
        assert_string_equal(r.error.message, "cannot write the report: No space left on device");
        assert_int_equal(r.end, P5_END_STOPPED);
    }
    MACHINE(machine, open_guest("quicksort", "1", "p55c-200"));
    p5_stat_intervals *intervals;
    p5_error error;
    const p5_stat stat = {.model = p5_machine_model(machine)};
    p5_stat_intervals_options options = {.size = 1, .stat = &stat};
    assert_int_equal(p5_stat_intervals_open(machine, &options, &intervals, &error), P5_ERR_STATE);
    assert_null(intervals);
    static const char *const groups[] = {"nosuch", NULL};
    const p5_stat wrong = {.model = p5_machine_model(machine), .metric_groups = groups};
    options = (p5_stat_intervals_options){.size = sizeof options, .stat = &wrong};
    assert_int_equal(p5_stat_intervals_open(machine, &options, &intervals, &error), P5_ERR_NAME);
    assert_null(intervals);
}
