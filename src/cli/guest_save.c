/* --save, --save-at and --save-every: runs the guest and writes snapshots of its state. */
#include "cli/guest_save.h"

#include <stdlib.h>

#include "cli/guest_run.h"
#include "cli/progress.h"
#include "p5scope/observe.h"

/* The observer of --save-at. */
typedef struct watch {
    p5_bound point;
    bool reached;
} watch;

/* Stops the machine when it first reaches the point. */
static void observed(void *context, p5_machine *machine, const p5_observation *o)
{
    watch *w = context;
    if (w->reached || !p5_bound_is_here(&w->point, o, 0))
        return;
    w->reached = true;
    p5_machine_stop(machine);
}

/* Writes a snapshot to `path`. Returns false after a message. */
static bool save(const guest_options *options, p5_machine *machine, const char *path)
{
    char *command = guest_command_line(options);
    const p5_save_options texts = {.size = sizeof texts, .guest = options->command[0], .command = command};
    p5_error error = {0};
    p5_status status = p5_machine_save(machine, path, &texts, &error);
    free(command);
    progress_erase();
    if (status != P5_OK)
        return cli_refuse_error(&error, NULL, NULL, NULL);
    if (!options->line->quiet)
        fprintf(stderr, "p5scope: saved to %s after %llu instructions, clock %llu\n", path,
                (unsigned long long)p5_machine_instructions(machine),
                (unsigned long long)p5_machine_clock(machine));
    return true;
}

/* Returns true if the guest cannot continue after this run, so that its state is not worth saving. */
static bool has_ended(const p5_run_result *result)
{
    return result->end != P5_END_INSTRUCTIONS && result->end != P5_END_CLOCKS &&
           result->end != P5_END_TIMEOUT && result->end != P5_END_STOPPED;
}

/* Runs to the point of --save-at. *reached is false if a limit or the guest's end comes first, or if a loaded snapshot
 * is already past the point. */
static p5_status run_to_point(const guest_options *options, p5_machine *machine, p5_run_result *result,
                              bool *reached, p5_error *error)
{
    const p5_bound *bound = &options->save_point;
    p5_limits limits = guest_limits_left(options);
    if (bound->kind == P5_BOUND_CLOCK || bound->kind == P5_BOUND_INSTRUCTION) {
        bool clock = bound->kind == P5_BOUND_CLOCK;
        uint64_t *limit = clock ? &limits.max_clocks : &limits.max_instructions;
        uint64_t at = clock ? p5_machine_clock(machine) : p5_machine_instructions(machine);
        const bool ahead = at < bound->at;
        if (at == bound->at) { /* at the start this is 0, which as a limit would mean none */
            *reached = true;
            return P5_OK;
        }
        if (ahead && (*limit == 0 || bound->at < *limit))
            *limit = bound->at;
        p5_status status = p5_machine_run(machine, &limits, result, error);
        at = clock ? p5_machine_clock(machine) : p5_machine_instructions(machine);
        *reached = status == P5_OK && !has_ended(result) && ahead && at >= bound->at;
        return status;
    }
    uint32_t address = (uint32_t)bound->at;
    watch w = {.point = *bound};
    const p5_observe_options look = {.size = sizeof look,
                                     .addresses = &address,
                                     .address_count = bound->kind == P5_BOUND_ADDRESS,
                                     .markers = bound->kind != P5_BOUND_ADDRESS,
                                     .observed = observed,
                                     .context = &w};
    p5_observer *observer;
    p5_status status = p5_machine_observe(machine, &look, &observer, error);
    if (status == P5_OK) {
        status = p5_machine_run(machine, &limits, result, error);
        p5_observer_close(observer);
    }
    *reached = status == P5_OK && w.reached && !has_ended(result);
    return status;
}

/* Returns true if only --save-at has stopped the run, so that it continues. */
static bool goes_on(const guest_options *options, const p5_machine *machine, const p5_run_result *result)
{
    const p5_limits *l = &options->limits;
    if (result->end == P5_END_STOPPED) /* by the observer of a marker or an address, or else by a signal */
        return options->save_point.kind != P5_BOUND_CLOCK && options->save_point.kind != P5_BOUND_INSTRUCTION;
    return result->end != P5_END_TIMEOUT &&
           (l->max_instructions == 0 || p5_machine_instructions(machine) < l->max_instructions) &&
           (l->max_clocks == 0 || p5_machine_clock(machine) < l->max_clocks);
}

/* Performs --save-every N: executes the guest without counting, and saves FILE.1, FILE.2, ... at each multiple of N
 * instructions minus --warm-up, from the first one that a loaded snapshot has not passed. Returns false if a snapshot
 * could not be written; *status is that of the execution. */
static bool run_in_pieces(const guest_options *options, p5_machine *machine, p5_run_result *result,
                          p5_status *status, p5_error *error)
{
    const uint64_t every = options->line->save_every, warm_up = options->line->warm_up,
                   here = p5_machine_instructions(machine), most = options->limits.max_instructions;
    for (uint64_t piece = here == 0 ? 1 : (here + warm_up + every - 1) / every;; piece++) {
        const uint64_t at = piece * every - warm_up;
        const bool last = most != 0 && at >= most;
        const p5_limits limits = {.size = sizeof limits, .max_instructions = last ? most : at};
        *status = p5_machine_execute(machine, &limits, result, error);
        if (*status != P5_OK || last || result->end != P5_END_INSTRUCTIONS)
            return true;
        char path[4096];
        if ((size_t)snprintf(path, sizeof path, "%s.%llu", options->line->save, (unsigned long long)piece) >=
            sizeof path) {
            fprintf(stderr, "p5scope: --save: the name of the file is too long\n");
            return false;
        }
        if (!save(options, machine, path))
            return false;
    }
}

bool guest_run_saving(const guest_options *options, p5_machine *machine, p5_run_result *result,
                      p5_status *status, p5_error *error)
{
    bool saved = true;
    if (options->line->save_every != 0)
        return run_in_pieces(options, machine, result, status, error);
    if (options->line->save_at != NULL) {
        bool reached = false;
        *status = run_to_point(options, machine, result, &reached, error);
        if (*status != P5_OK)
            return true;
        if (!reached) {
            fprintf(stderr, "p5scope: --save-at %s: the guest did not reach this point; nothing was saved\n",
                    options->line->save_at);
            return true;
        }
        saved = save(options, machine, options->line->save);
        const p5_limits rest = guest_limits_left(options);
        if (goes_on(options, machine, result))
            *status = p5_machine_run(machine, &rest, result, error);
        return saved;
    }
    const p5_limits limits = guest_limits_left(options);
    *status = options->line->gdb != NULL
                  ? p5_machine_run_gdb(machine, options->line->gdb, &limits, result, error)
                  : p5_machine_run(machine, &limits, result, error);
    if (options->line->save == NULL || *status != P5_OK)
        return true;
    if (has_ended(result)) {
        fprintf(stderr, "p5scope: --save: the guest has ended; nothing was saved\n");
        return true;
    }
    return save(options, machine, options->line->save);
}
