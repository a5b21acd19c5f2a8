/* `stat -I`: a report for each interval of the run. What an interval came to is put aside; its rows are made
 * by the thread that executes, when it would only wait, or where there is one thread at once. */
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/aside.h"
#include "base/error.h"
#include "base/host_time.h"
#include "base/held_signals.h"
#include "machine/base/spare.h"
#include "machine/machine.h"
#include "p5scope/observe.h"
#include "p5scope/snapshot.h"
#include "report/stat/stat_internal.h"

/* Rows that come one upon the other are sent on together, so many bytes or seconds of them; and none is put
 * aside for longer. */
enum { MOST_BYTES = 64 * 1024, SLOTS = 32 };
static const double most_seconds = 0.02;

struct p5_stat_intervals {
    p5_machine *machine;
    p5_stat_intervals_options options;
    p5_stat stat; /* what the intervals have in common */
    p5_observer *observer;
    /* Of who observes. */
    p5_counts before;      /* totals at the end of the interval before; zeros at first */
    uint64_t instructions; /* likewise */
    uint64_t count;
    aside *aside; /* intervals that have ended, by number */
    double kept_up;
    spare_work spare;
    p5_stat_run slots[SLOTS];
    /* Of who makes the rows. */
    stat_plan *plan;
    p5_table *table; /* NULL: a report for each */
    FILE *made;      /* rows that have not been sent on: their text, */
    char *text;
    size_t size;
    double sent; /* ... and when the last were */
    p5_error error;
    atomic_bool failed; /* rows could not be written, and the run was stopped: `error` */
};

/* ---- rows ---------------------------------------------------------------------------------------------- */

static void stop(p5_stat_intervals *in)
{
    in->failed = true;
    p5_machine_stop(in->machine);
}

/* Who watches the run sees them. */
static void send_on(p5_stat_intervals *in)
{
    if (in->size == 0 || in->failed)
        return;
    FILE *out = in->options.out;
    held_signals q;
    signals_hold(&q, true);
    fwrite(in->text, 1, in->size, out);
    int reason = errno; /* of a write that has failed, if there is nothing left for the next one */
    if (fflush(out) != 0)
        reason = errno;
    signals_release(&q, ferror(out) != 0);
    if (ferror(out)) {
        error_set(&in->error, P5_ERR_IO, "cannot write the report: %s", strerror(reason));
        stop(in);
    }
    rewind(in->made);
    fflush(in->made); /* `size` follows */
    in->sent = host_now();
}

static void write_table_row(p5_stat_intervals *in, const p5_stat_run *run)
{
    p5_table_write_row(in->made, in->table, run->clock, &run->counts);
    fflush(in->made); /* `size` follows */
}

static void write_rows(void *context, unsigned slot)
{
    p5_stat_intervals *in = context;
    const p5_stat_run *run = &in->slots[slot];
    if (in->failed)
        return;
    p5_stat stat = in->stat;
    const p5_stat_intervals_options *options = &in->options;
    stat.runs = run;
    stat.run_count = 1;
    stat.interval = (double)run->clock / (p5_model_clock_mhz(stat.model) * 1e6);
    if (in->table != NULL)
        write_table_row(in, run);
    else if (stat_write(in->made, &stat, in->plan, options->format, options->style, &in->error) != P5_OK)
        stop(in);
    if (in->size >= MOST_BYTES || host_now() - in->sent >= most_seconds)
        send_on(in);
}

/* Of all intervals that have ended. */
static void send_all(p5_stat_intervals *in)
{
    aside_finish(in->aside);
    send_on(in);
}

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

static bool is_full(const p5_stat_intervals *in)
{
    return in->options.most != 0 && in->count == in->options.most;
}

/* The observer's goals are as whether intervals are counted now. */
static void set_goals(p5_stat_intervals *in)
{
    bool counts = !in->options.paused && !is_full(in);
    p5_observer_every(in->observer, counts ? in->options.every_clocks : 0,
                      counts ? in->options.every_instructions : 0);
}

/* The interval ends; `cut`: before its time, if anything has happened in it. */
static void end_interval(p5_stat_intervals *in, bool cut)
{
    if (in->failed || is_full(in))
        return;
    p5_counts totals;
    p5_machine_counts(in->machine, &totals);
    if (cut && memcmp(&totals, &in->before, sizeof totals) == 0)
        return;
    uint64_t instructions = p5_machine_instructions(in->machine);
    p5_stat_run *run = &in->slots[aside_slot(in->aside)];
    *run = (p5_stat_run){.counts = totals,
                         .instructions = instructions - in->instructions,
                         .clock = p5_machine_clock(in->machine)};
    p5_counts_subtract(&run->counts, &in->before);
    in->before = totals;
    in->instructions = instructions;
    in->count++;
    aside_put(in->aside);
    double now = host_now();
    if (in->spare.some == NULL || now - in->kept_up >= most_seconds) {
        aside_finish(in->aside);
        in->kept_up = now;
    }
    if (is_full(in)) { /* the run goes on unobserved */
        send_all(in);
        set_goals(in);
    }
}

static void observed(void *context, p5_machine *machine, const p5_observation *observation)
{
    p5_stat_intervals *in = context;
    (void)machine;
    if (observation->kind == P5_OBSERVE_INTERVAL)
        end_interval(in, false);
}

static bool some_rows(void *context)
{
    p5_stat_intervals *in = context;
    return aside_some(in->aside);
}

void p5_stat_intervals_turn(p5_stat_intervals *in, bool inside)
{
    in->options.paused = !inside;
    if (inside) {
        p5_machine_counts(in->machine, &in->before);
        in->instructions = p5_machine_instructions(in->machine);
    } else {
        end_interval(in, true);
        send_all(in);
    }
    set_goals(in);
}

/* ---- opening and closing ------------------------------------------------------------------------------- */

static void free_all(p5_stat_intervals *in)
{
    p5_observer_close(in->observer);
    aside_close(in->aside);
    if (in->made != NULL)
        fclose(in->made);
    free(in->text);
    stat_plan_close(in->plan);
    p5_table_close(in->table);
    free(in);
}

static p5_status start(p5_stat_intervals *in, p5_error *error)
{
    p5_observe_options observe = {
        .size = sizeof observe, .observed = observed, .counts_only = true, .context = in};
    in->made = open_memstream(&in->text, &in->size);
    in->aside = aside_open(SLOTS, write_rows, in);
    if (in->made == NULL || in->aside == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for intervals");
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
    in->stat.fast_forwarded = p5_machine_fast_forwarded(machine, NULL);
    p5_status status = start(in, error);
    if (status != P5_OK) {
        free_all(in);
        return status;
    }
    set_goals(in);
    write_header(in);
    if (machine_threads(machine) > 1) {
        in->spare = (spare_work){.some = some_rows, .context = in};
        spare_add(machine, &in->spare);
    }
    *out = in;
    return P5_OK;
}

p5_status p5_stat_intervals_close(p5_stat_intervals *in, p5_error *error)
{
    p5_machine_settle(in->machine);
    if (in->spare.some != NULL)
        spare_remove(in->machine, &in->spare);
    if (!in->options.paused)
        end_interval(in, true);
    send_all(in);
    p5_status status = in->failed ? in->error.status : P5_OK;
    if (status != P5_OK && error != NULL)
        *error = in->error;
    free_all(in);
    return status;
}
