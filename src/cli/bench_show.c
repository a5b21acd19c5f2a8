/* Shows the trips (iterations or calls) of a measured input. Its programs[0] and [1] make trips[0] and [1] trips, N1
 * and N2 here (bench_input.h). */
#define _GNU_SOURCE /* asprintf */
#include "cli/bench_show.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"
#include "cli/option_values.h"
#include "cli/output.h"

/* Numbers of trips: of --konata without --trips, of --timeline or a picture without --trips, and the maximum. */
enum { KONATA_TRIPS = 16, TIMELINE_TRIPS = 3, MOST_TRIPS = 1000 };

/* Takes --trips T (T trips that end before the last: `first` stays 0), or A..B, numbered from 1. Returns false after a
 * message. */
static bool take_trips(bench_view *view, const char *text)
{
    uint64_t count = 0, range[2];
    if (strstr(text, "..") == NULL) {
        if (!p5_parse_number(text, &count))
            return cli_refuse("--trips", text, 1,
                              "--trips needs a number of trips, or the first and the last one, as in 5..8");
        if (number_option("--trips", text, MOST_TRIPS, &count) != 0)
            return false;
        if (count == 0)
            return cli_refuse("--trips", text, 1, "at least 1 trip is shown");
        view->trips.count = (unsigned)count;
        return true;
    }
    if (!two_numbers_option("--trips", text, "..",
                            "--trips A..B needs the numbers of two trips, for example 5..8", range))
        return false;
    if (range[0] == 0 || range[1] < range[0] || range[1] - range[0] >= MOST_TRIPS)
        return cli_refuse("--trips", text, 1,
                          "A is at least 1, B is not less, and at most %d trips are shown", MOST_TRIPS);
    view->trips = (p5_trip_range){(unsigned)range[0], (unsigned)(range[1] - range[0] + 1)};
    return true;
}

bool bench_view_take(bench_view *view, const cli_options *line)
{
    *view = (bench_view){.line = line, .rows = rows_format(line)};
    return line->trips == NULL || take_trips(view, line->trips);
}

/* Captures the trips of --trips, or without it the `usual` number of trips before the last. Returns false after a
 * message. */
static bool capture(const bench_view *view, const bench *of, unsigned usual, p5_window **window)
{
    p5_error error = {0};
    p5_trip_range trips = view->trips;
    if (trips.count == 0)
        trips.count = usual;
    return p5_window_capture(of->programs, of->trips, &of->conditions, trips, window, &error) == P5_OK ||
           cli_refuse_error(&error, NULL, NULL, NULL);
}

/* Writes --konata FILE, a log of the pipeline. Returns false after a message. */
static bool write_konata(const bench_view *view, const bench *of)
{
    const char *path = view->line->konata;
    p5_error error = {0};
    p5_window *window = NULL;
    if (!capture(view, of, KONATA_TRIPS, &window))
        return false;
    FILE *out = output_open_file("--konata", path);
    bool good = out != NULL;
    if (good) {
        p5_status status = p5_window_write_kanata(out, window, &error);
        good = output_close(out, path, status, &error);
    }
    p5_window_free(window);
    return good;
}

static bool is_svg(const char *path)
{
    const size_t length = strlen(path);
    return length > 4 && strcasecmp(path + length - 4, ".svg") == 0;
}

/* Writes -o FILE, a picture or a page with it and the limits. Returns false after a message. */
static bool write_picture(const bench_view *view, const bench *of, const p5_window *window,
                          const p5_loop_limits *limits)
{
    p5_error error = {.status = P5_ERR_MEMORY};
    const char *path = view->line->output;
    char *title = NULL, *summary = NULL;
    size_t size = 0;
    FILE *text = open_memstream(&summary, &size), *out = output_open_file("-o", path);
    bool good =
        text != NULL && out != NULL && asprintf(&title, "%s on %s", of->name, of->conditions.model) >= 0;
    if (text != NULL)
        p5_loop_limits_write(text, P5_ROWS_TEXT, limits);
    good = text != NULL && fclose(text) == 0 && good;
    p5_status status = P5_ERR_MEMORY;
    if (good)
        status = is_svg(path) ? p5_window_write_svg(out, window, title, &error)
                              : p5_window_write_html(out, window, title, summary, &error);
    good = out != NULL && output_close(out, path, status, &error) && good;
    free(title);
    free(summary);
    return good;
}

/* Shows the captured trips (`window`) at standard output: all of them as JSON or a time line. A diagram has only those
 * of --trips, or one: more may have been captured for a picture. Returns false after a message. */
static bool show_diagram(const bench_view *view, const p5_window *window)
{
    p5_error error = {0};
    p5_status status;
    if (view->rows == P5_ROWS_TEXT)
        putchar('\n');
    if (view->rows == P5_ROWS_JSON)
        status = p5_window_write_json(stdout, window, &error);
    else if (view->line->timeline)
        status = p5_window_write_timeline(stdout, window, cli_colour(stdout), &error);
    else
        status =
            p5_window_write_diagram(stdout, window, view->trips.count != 0 ? view->trips.count : 1, &error);
    return output_close(stdout, NULL, status, &error);
}

/* Captures the last N2 - N1 trips, whose cost the counts are, but at most MOST_TRIPS; and finds what limits their
 * speed. The caller frees *all in any case. Returns false after a message. */
static bool find_limits(const bench *of, p5_window **all, p5_loop_limits *limits)
{
    p5_error error = {0};
    const unsigned trips = of->trips[1] - of->trips[0];
    const p5_trip_range steady = {.count = trips < MOST_TRIPS ? trips : MOST_TRIPS};
    return (p5_window_capture(of->programs, of->trips, &of->conditions, steady, all, &error) == P5_OK &&
            p5_loop_limits_find(of->programs, of->trips, &of->conditions, *all, limits, &error) == P5_OK) ||
           cli_refuse_error(&error, NULL, NULL, NULL);
}

/* Shows at standard output, as text or JSON, what limits the trips, with --suggest cheaper rewritings of the code, and
 * a diagram of the trips. Returns false after a message. */
static bool show_text(const bench_view *view, const bench *of, const p5_window *window,
                      const p5_loop_limits *limits)
{
    if (view->rows == P5_ROWS_TEXT)
        putchar('\n');
    p5_loop_limits_write(stdout, view->rows, limits);
    if (view->line->suggest) {
        p5_error error = {0};
        if (view->rows == P5_ROWS_TEXT)
            putchar('\n');
        p5_status status =
            p5_suggest_write(stdout, view->rows, of->programs, of->trips, &of->conditions, &error);
        if (status != P5_OK)
            return cli_refuse_error(&error, NULL, NULL, NULL);
    }
    return show_diagram(view, window);
}

bool bench_show_static(const bench_view *view, const bench *of, const char *model)
{
    p5_error error = {0};
    p5_status status = p5_static_write(stdout, view->rows, of->name, of->programs[0], model, &error);
    return output_close(stdout, NULL, status, &error);
}

/* Writes what the options choose: the limits and the diagram, --konata and -o. Returns false after a message. */
bool bench_show(const bench_view *view, const bench *of)
{
    const cli_options *line = view->line;
    const bool diagram = !line->no_diagram && (view->rows == P5_ROWS_TEXT || view->rows == P5_ROWS_JSON);
    if (!diagram && line->konata == NULL && line->output == NULL)
        return true;
    p5_window *window = NULL, *all = NULL;
    p5_loop_limits limits;
    const bool shown = diagram || line->output != NULL;
    bool good =
        !shown || (capture(view, of, line->timeline || line->output != NULL ? TIMELINE_TRIPS : 1, &window) &&
                   find_limits(of, &all, &limits));
    good = good && (!diagram || show_text(view, of, window, &limits));
    good = good && (line->konata == NULL || write_konata(view, of));
    good = good && (line->output == NULL || write_picture(view, of, window, &limits));
    p5_window_free(window);
    p5_window_free(all);
    return good;
}
