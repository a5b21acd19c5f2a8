/* p5scope top: shows one row of figures for each interval of a run, redrawn on a terminal. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef P5_NCURSES
#include <ncurses.h>
#endif

#include "cli/guest_run.h"
#include "cli/option_values.h"
#include "p5scope/observe.h"
#include "p5tool/report.h"

/* Maximum numbers of kept rows and of metric groups; and the intervals per second of modelled time without -I. */
enum { MOST_ROWS = 256, MOST_GROUPS = 32, DEFAULT_INTERVALS_PER_SECOND = 100 };

/* An interval: the clock at its end, and what was counted in it. */
typedef struct top_row {
    uint64_t clock;
    p5_counts counts;
} top_row;

typedef struct top {
    guest_options guest;
    run_interval interval; /* -I */
    const p5_model *model;
    p5_table *table;   /* formats rows with the metrics of a group */
    p5_counts before;  /* totals at the end of the previous interval */
    bool screen;       /* rows are shown on a terminal by ncurses, else written as lines */
    bool quit, paused; /* by keys q and p */
    int write_error;   /* errno when a row could not be written as a line, which stopped the run; else 0 */
    const char *groups[MOST_GROUPS]; /* names of the metric groups */
    size_t group_count, group;       /* group: index of the one that key g has chosen last */
    top_row *rows;                   /* the last MOST_ROWS, for the screen; row n is at n % MOST_ROWS */
    size_t count;                    /* number of all rows so far */
} top;

#ifdef P5_NCURSES
static void put_line(int y, const char *text)
{
    mvaddnstr(y, 0, text, COLS);
    clrtoeol();
}

/* Shows the lines of the text from line `y` on. Returns the line after them. */
static int put_text(int y, char *text)
{
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL && y < LINES; line = end + 1) {
        *end = '\0';
        put_line(y++, line);
    }
    return y;
}

/* Draws the title, the header and the last rows that fit. */
static void draw(top *t)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL)
        return;
    char title[200];
    snprintf(title, sizeof title, "%s  %s  [g] group  [p] %s  [q] quit", p5_model_name(t->model),
             p5_table_group(t->table), t->paused ? "go on" : "pause");
    p5_table_write_header(out, t->table);
    size_t fit = LINES > 4 ? (size_t)LINES - 4 : 1, shown = t->count < fit ? t->count : fit;
    shown = shown < MOST_ROWS ? shown : MOST_ROWS;
    for (size_t i = t->count - shown; i < t->count; i++)
        p5_table_write_row(out, t->table, t->rows[i % MOST_ROWS].clock, &t->rows[i % MOST_ROWS].counts);
    if (fclose(out) == 0) {
        attron(A_REVERSE);
        put_line(0, title);
        attroff(A_REVERSE);
        put_text(1, text);
        clrtobot();
        refresh();
    }
    free(text);
}

/* Chooses the next group whose events the processor has. */
static void next_group(top *t)
{
    for (size_t i = 0; i < t->group_count; i++) {
        p5_table *table;
        t->group = (t->group + 1) % t->group_count;
        if (p5_table_open(t->groups[t->group], t->model, &table, NULL) == P5_OK) {
            p5_table_close(t->table);
            t->table = table;
            return;
        }
    }
}

/* Handles the keys that have been pressed; waits while paused, so that the guest does not run. */
static void keys(top *t, p5_machine *machine)
{
    for (;;) {
        timeout(t->paused ? -1 : 0);
        int key = getch();
        if (key == 'q') {
            t->quit = true;
            t->paused = false;
            p5_machine_stop(machine);
            return;
        }
        if (key == 'p' || key == ' ')
            t->paused = !t->paused;
        else if (key == 'g')
            next_group(t);
        else if (key == ERR && !t->paused)
            return;
        else if (key == ERR) { /* the terminal is gone */
            t->paused = false;
            return;
        }
        draw(t);
    }
}
#endif

/* Ends an interval: shows its row. The observer's callback; also called at the end of the run. */
static void observed(void *context, p5_machine *machine, const p5_observation *at)
{
    top *t = context;
    (void)at;
    p5_counts now, interval;
    p5_machine_counts(machine, &now);
    if (memcmp(&now, &t->before, sizeof now) == 0 || t->quit)
        return; /* nothing was counted since the previous row */
    interval = now;
    p5_counts_subtract(&interval, &t->before);
    t->before = now;
    uint64_t clock = p5_counts_sum(now.clocks, P5_CPL_MASK_ALL);
#ifdef P5_NCURSES
    if (t->screen) {
        t->rows[t->count++ % MOST_ROWS] = (top_row){clock, interval};
        draw(t);
        keys(t, machine);
        return;
    }
#endif
    p5_table_write_row(stderr, t->table, clock, &interval);
    if (ferror(stderr) && t->write_error == 0) {
        t->write_error = errno;
        p5_machine_stop(machine);
    }
}

/* Opens the display, if standard error and input are a terminal. It is on standard error because standard output
 * belongs to the guest. */
static void screen_begin(top *t)
{
#ifdef P5_NCURSES
    const char *terminal = getenv("TERM");
    if (terminal == NULL || !isatty(STDERR_FILENO) || !isatty(STDIN_FILENO) ||
        (t->rows = calloc(MOST_ROWS, sizeof *t->rows)) == NULL)
        return;
    SCREEN *screen = newterm(terminal, stderr, stdin);
    if (screen == NULL)
        return;
    t->screen = true;
    cbreak();
    noecho();
    curs_set(0);
    draw(t);
#else
    (void)t;
#endif
}

static void screen_end(top *t)
{
#ifdef P5_NCURSES
    if (t->screen)
        endwin();
    t->screen = false;
#else
    (void)t;
#endif
}

/* Opens the machine, the table of metrics and the display, and runs the guest. Returns the exit status. */
static int run_guest(top *t)
{
    int status;
    p5_machine *machine = guest_open(&t->guest, t->guest.machine.random_seed, &status);
    if (machine == NULL)
        return status;
    p5_error error = {0};
    t->model = p5_machine_model(machine);
    t->group_count = p5_metric_group_names(p5_model_family(t->model), t->groups, MOST_GROUPS);
    if (!t->guest.line->used[OPTION_INTERVAL])
        t->interval.seconds = 1.0 / DEFAULT_INTERVALS_PER_SECOND;
    interval_complete(&t->interval, t->model);
    p5_observe_options options = {.size = sizeof options,
                                  .every_clocks = t->interval.clocks,
                                  .every_instructions = t->interval.instructions,
                                  .observed = observed,
                                  .counts_only = true,
                                  .context = t};
    if (p5_table_open(t->guest.line->table, t->model, &t->table, &error) != P5_OK) {
        error.column = error.line == 0 ? 1 : error.column;
        cli_show_error(&error, "--table", t->guest.line->table != NULL ? t->guest.line->table : "",
                       "Run 'p5scope list metrics' to see the groups.");
        p5_machine_close(machine);
        return CLI_USAGE;
    }
    screen_begin(t); /* before the sandbox, because it reads the terminal's description */
    bool begun = guest_begin(&t->guest, machine, &(guest_needs){0}, &status);
    bool observes = begun && p5_machine_observe(machine, &options, NULL, &error) == P5_OK;
    if (!observes) {
        screen_end(t);
        if (begun)
            cli_show_error(&error, NULL, NULL, NULL);
        p5_machine_close(machine);
        return begun ? CLI_INTERNAL : status;
    }
    if (!t->screen)
        p5_table_write_header(stderr, t->table);
    p5_run_result result = {.size = sizeof result};
    double seconds;
    bool ran = guest_run(&t->guest, machine, &result, &seconds);
    if (ran)
        observed(t, machine, NULL); /* the rest of the last interval */
    screen_end(t);
    p5_machine_close(machine);
    if (t->write_error != 0)
        cli_complain(NULL, NULL, 0, "cannot write the rows: %s", strerror(t->write_error));
    if (!ran || t->write_error != 0)
        return CLI_INTERNAL;
    return t->quit ? CLI_OK : guest_print_ending(&result);
}

static int run(const cli_options *line)
{
    top t = {.interval = line->interval};
    int status = CLI_USAGE;
    if (guest_options_open(&t.guest, line) && guest_options_complete(&t.guest, &status)) {
        t.guest.rows_shown = true;
        status = guest_files_distinct(&t.guest, NULL, 0) ? run_guest(&t) : CLI_USAGE;
    }
    p5_table_close(t.table);
    free(t.rows);
    guest_options_free(&t.guest);
    return status;
}

const cli_verb verb_top = {
    .name = "top",
    .summary = "run a guest and show how it uses the processor while it runs",
    .operands = "[--] GUEST [ARG...]",
    .doc =
        "Run GUEST and show how it uses the processor: a row for each interval, on standard error. On a "
        "terminal the rows are redrawn; g chooses the next metric group, p pauses, q quits."
        "\vExamples:\n  p5scope top ./program > out\n  p5scope top -I 1e6c --table=stall kernel.elf 2> rows",
    .runs_guest = true,
    .run = run};
