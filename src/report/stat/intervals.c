/* Writes a report for each interval of a run when the interval ends (`stat -I`). */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/held_signals.h"
#include "machine/machine.h"
#include "p5scope/observe.h"
#include "p5scope/snapshot.h"
#include "report/stat/stat_internal.h"

struct p5_stat_intervals {
    p5_machine *machine;
    p5_stat_intervals_options options; /* `paused` is the current state */
    p5_stat stat;                      /* common to all intervals; its runs and `interval` are set for each */
    p5_observer *observer;
    p5_counts before;      /* totals when the current interval began; zeros at first */
    uint64_t instructions; /* completed when the current interval began; at first those fast-forwarded */
    uint64_t count;        /* intervals written */
    stat_plan *plan;
    p5_table *table; /* NULL: a report for each interval */
    p5_error error;
    bool failed; /* writing failed with `error` and stopped the run */
};

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* Writes an interval's rows and flushes them for readers of the stream. An error stops the run. Signals are held, so
 * that a closed pipe or a file at its size limit makes the write fail but does not end the program. */
static void write_rows(p5_stat_intervals *in, const p5_stat_run *run)
{
    const p5_stat_intervals_options *options = &in->options;
    p5_stat stat = in->stat;
    stat.runs = run;
    stat.run_count = 1;
    stat.interval = (double)run->clock / (p5_model_clock_mhz(stat.model) * 1e6);
    held_signals held;
    p5_status status;
    signals_hold(&held, true);
    if (in->table != NULL) {
        p5_table_write_row(options->out, in->table, run->clock, &run->counts);
        status = error_unless_written(&in->error, options->out, "the report");
    } else {
        status = stat_write(options->out, &stat, in->plan, options->format, options->style, &in->error);
    }
    signals_release(&held, status != P5_OK);
    if (status == P5_OK)
        return;
    in->failed = true;
    p5_machine_stop(in->machine);
}

/* Writes the lines above the rows of all intervals. */
static void write_header(p5_stat_intervals *in)
{
    FILE *out = in->options.out;
    switch (in->options.format) {
    case P5_STAT_TEXT:
        stat_write_comment(out, &in->stat, true);
        if (in->table != NULL)
            p5_table_write_header(out, in->table);
        else
            stat_write_interval_text_header(out);
        break;
    case P5_STAT_CSV:
        stat_write_interval_csv_header(out, &in->stat, in->options.style);
        break;
    case P5_STAT_JSON:
        stat_write_interval_json_header(out, &in->stat);
        break;
    }
}

/* ---- intervals ----------------------------------------------------------------------------------------- */

/* Returns true if all intervals that were asked for have been written. */
static bool is_full(const p5_stat_intervals *in)
{
    return in->options.most != 0 && in->count == in->options.most;
}

/* Sets the observer's intervals; none while counting is paused or after the last interval. */
static void set_observer_intervals(p5_stat_intervals *in)
{
    bool counts = !in->options.paused && !is_full(in);
    p5_observer_every(in->observer, counts ? in->options.every_clocks : 0,
                      counts ? in->options.every_instructions : 0);
}

/* Ends the interval. `cut`: it is incomplete, and is skipped if nothing has happened in it. */
static void end_interval(p5_stat_intervals *in, bool cut)
{
    if (in->failed || is_full(in))
        return;
    p5_counts totals;
    p5_machine_counts(in->machine, &totals);
    if (cut && memcmp(&totals, &in->before, sizeof totals) == 0)
        return;
    uint64_t instructions = p5_machine_instructions(in->machine);
    p5_stat_run run = {.counts = totals,
                       .instructions = instructions - in->instructions,
                       .clock = p5_machine_clock(in->machine)};
    p5_counts_subtract(&run.counts, &in->before);
    in->before = totals;
    in->instructions = instructions;
    in->count++;
    write_rows(in, &run);
    if (is_full(in)) /* from here on the run continues unobserved */
        set_observer_intervals(in);
}

/* Callback of the observer. */
static void observed(void *context, p5_machine *machine, const p5_observation *observation)
{
    p5_stat_intervals *in = context;
    (void)machine;
    if (observation->kind == P5_OBSERVE_INTERVAL)
        end_interval(in, false);
}

/* Starts (`inside` a region) or pauses counting. Starting forgets what happened during the pause. */
void p5_stat_intervals_turn(p5_stat_intervals *in, bool inside)
{
    in->options.paused = !inside;
    if (inside) {
        p5_machine_counts(in->machine, &in->before);
        in->instructions = p5_machine_instructions(in->machine);
    } else {
        end_interval(in, true);
    }
    set_observer_intervals(in);
}

/* ---- opening and closing ------------------------------------------------------------------------------- */

static void free_all(p5_stat_intervals *in)
{
    p5_observer_close(in->observer);
    stat_plan_close(in->plan);
    p5_table_close(in->table);
    free(in);
}

static p5_status start(p5_stat_intervals *in, p5_error *error)
{
    p5_observe_options observe = {
        .size = sizeof observe, .observed = observed, .counts_only = true, .context = in};
    p5_status status = stat_plan_open(&in->stat, &in->plan, error);
    if (status == P5_OK && in->options.table != NULL)
        status = p5_table_open(in->options.table, in->stat.model, &in->table, error);
    return status == P5_OK ? p5_machine_observe(in->machine, &observe, &in->observer, error) : status;
}

p5_status p5_stat_intervals_open(p5_machine *machine, const p5_stat_intervals_options *options,
                                 p5_stat_intervals **out, p5_error *error)
{
    *out = NULL;
    if (options->size != sizeof *options)
        return error_set(error, P5_ERR_STATE,
                         "p5_stat_intervals_options.size is %zu, this library expects %zu", options->size,
                         sizeof *options);
    p5_stat_intervals *in = calloc(1, sizeof *in);
    if (in == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for intervals");
    in->machine = machine;
    in->options = *options;
    in->stat = *options->stat;
    in->stat.fast_forwarded = in->instructions = p5_machine_fast_forwarded(machine, NULL);
    p5_status status = start(in, error);
    if (status != P5_OK) {
        free_all(in);
        return status;
    }
    set_observer_intervals(in);
    write_header(in);
    *out = in;
    return P5_OK;
}

p5_status p5_stat_intervals_close(p5_stat_intervals *in, p5_error *error)
{
    p5_machine_settle(in->machine); /* issues a pending instruction, so that the last interval has it */
    if (!in->options.paused)
        end_interval(in, true);
    p5_status status = in->failed ? in->error.status : P5_OK;
    if (status != P5_OK && error != NULL)
        *error = in->error;
    free_all(in);
    return status;
}
