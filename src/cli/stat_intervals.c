#include "cli/stat_intervals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/host_clock.h"
#include "p5scope/snapshot.h"

/* Intervals that come one upon the other are sent on together, so many bytes or seconds of them. */
enum { MOST_BYTES = 64 * 1024 };
static const double most_seconds = 0.02;

static void stop(stat_intervals *in, p5_machine *machine)
{
    in->failed = true;
    p5_machine_stop(machine);
}

/* Who watches the run sees them. */
static void send_on(stat_intervals *in, p5_machine *machine)
{
    if (in->size == 0 || in->failed)
        return;
    fwrite(in->text, 1, in->size, in->out);
    int reason = errno; /* of a write that has failed, if there is nothing left for the next one */
    if (fflush(in->out) != 0)
        reason = errno;
    if (ferror(in->out)) {
        in->error.status = P5_ERR_IO;
        snprintf(in->error.message, sizeof in->error.message, "cannot write the report: %s",
                 strerror(reason));
        stop(in, machine);
    }
    rewind(in->made);
    fflush(in->made); /* `size` follows */
    in->sent = host_clock();
}

static void write_interval(stat_intervals *in, p5_machine *machine)
{
    if (in->failed || (in->most != 0 && in->count == in->most))
        return;
    p5_stat_run run = {.clock = p5_machine_clock(machine), .host_seconds = 0};
    p5_counts totals;
    p5_machine_counts(machine, &totals);
    run.counts = totals;
    p5_counts_subtract(&run.counts, &in->before);
    run.instructions = p5_machine_instructions(machine) - in->instructions;
    p5_stat stat = *in->stat;
    stat.plan = in->plan;
    stat.runs = &run;
    stat.run_count = 1;
    stat.interval = (double)run.clock / (p5_model_clock_mhz(stat.model) * 1e6);
    p5_status status = in->json  ? p5_stat_write_json(in->made, &stat, &in->error)
                       : in->csv ? p5_stat_write_csv(in->made, &stat, in->style, &in->error)
                                 : p5_stat_write_text(in->made, &stat, in->style, &in->error);
    in->before = totals;
    in->instructions = p5_machine_instructions(machine);
    in->count++;
    if (status != P5_OK)
        stop(in, machine);
    if (in->size >= MOST_BYTES || in->count == in->most || host_clock() - in->sent >= most_seconds)
        send_on(in, machine);
}

static void observed(void *context, p5_machine *machine, const p5_observation *observation)
{
    stat_intervals *in = context;
    if (observation->kind == P5_OBSERVE_INTERVAL)
        write_interval(in, machine);
    if (in->most != 0 && in->count == in->most)
        p5_observer_every(in->observer, 0, 0); /* the run goes on unobserved */
}

/* The interval that ends before its time. */
static void cut_interval(stat_intervals *in, p5_machine *machine)
{
    p5_counts totals;
    p5_machine_counts(machine, &totals);
    if (memcmp(&totals, &in->before, sizeof totals) != 0)
        write_interval(in, machine);
}

void stat_intervals_turn(stat_intervals *in, p5_machine *machine, bool inside)
{
    in->paused = !inside;
    if (inside) {
        p5_machine_counts(machine, &in->before);
        in->instructions = p5_machine_instructions(machine);
    } else {
        cut_interval(in, machine);
        send_on(in, machine);
    }
    bool full = in->most != 0 && in->count == in->most;
    p5_observer_every(in->observer, inside && !full ? in->every_clocks : 0,
                      inside && !full ? in->every_instructions : 0);
}

static void close_all(stat_intervals *in)
{
    if (in->made != NULL)
        fclose(in->made);
    free(in->text);
    p5_stat_plan_close(in->plan);
    in->made = NULL;
    in->text = NULL;
    in->plan = NULL;
}

bool stat_intervals_begin(stat_intervals *in, p5_machine *machine)
{
    p5_observe_options options = {.size = sizeof options,
                                  .every_clocks = in->paused ? 0 : in->every_clocks,
                                  .every_instructions = in->paused ? 0 : in->every_instructions,
                                  .observed = observed,
                                  .counts_only = true,
                                  .context = in};
    p5_error error = {.status = P5_ERR_MEMORY, .message = "no memory for intervals"};
    in->made = open_memstream(&in->text, &in->size);
    if (in->made == NULL || p5_stat_plan_open(in->stat, &in->plan, &error) != P5_OK ||
        p5_machine_observe(machine, &options, &in->observer, &error) != P5_OK) {
        cli_show_error(&error, NULL, NULL, NULL);
        close_all(in);
        return false;
    }
    p5_stat stat = *in->stat;
    stat.fast_forwarded = p5_machine_fast_forwarded(machine, NULL);
    if (in->json)
        p5_stat_write_interval_json_header(in->out, &stat);
    else if (in->csv)
        p5_stat_write_interval_csv_header(in->out, &stat, in->style);
    else
        p5_stat_write_interval_text_header(in->out, &stat);
    return true;
}

void stat_intervals_end(stat_intervals *in, p5_machine *machine, bool ran)
{
    if (ran && !in->paused)
        cut_interval(in, machine);
    send_on(in, machine);
    close_all(in);
}
