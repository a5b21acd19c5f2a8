/* Running without counting (include/p5scope/snapshot.h). The counts of the fast-forwarded part are subtracted
 * from every total reported later. */
#include "base/error.h"
#include "core/core.h"
#include "machine/run/run.h"
#include "machine/state.h"
#include "p5scope/snapshot.h"

/* Runs, and excludes the run's counts from all totals. With `execute_only` the core does not even compute them: each
 * instruction advances the clock by one. */
static p5_status run_uncounted(p5_machine *machine, const p5_limits *limits, bool execute_only,
                               p5_run_result *result, p5_error *error)
{
    p5_status status = machine_check_ready(machine, error);
    if (status != P5_OK)
        return status;
    if (machine->observers != NULL)
        return error_set(error, P5_ERR_STATE,
                         "an observed machine cannot be fast-forwarded; open observers afterwards");
    if (core_is_profiled(machine->core))
        return error_set(error, P5_ERR_STATE, "a machine cannot be fast-forwarded while it is profiled");
    uint64_t before = machine->instructions, clock = p5_machine_clock(machine);
    p5_counts earlier, now;
    p5_core_counts(machine->core, &earlier);
    unsigned threads = machine->options.threads;
    if (execute_only)
        machine->options.threads = 1; /* nothing is priced, so a second thread has no work */
    p5_core_settle(machine->core);    /* no instruction may wait for a partner across the change */
    machine->executing_only = execute_only;
    status = p5_machine_run(machine, limits, result, error);
    machine->executing_only = false;
    machine->options.threads = threads;
    p5_core_settle(machine->core);
    p5_core_counts(machine->core, &now);
    p5_counts_subtract(&now, &earlier);
    p5_counts_add(&machine->forward_counts, &now);
    machine->forward_instructions += machine->instructions - before;
    machine->forward_clocks += p5_machine_clock(machine) - clock;
    return status;
}

p5_status p5_machine_fast_forward(p5_machine *machine, const p5_limits *limits, p5_run_result *result,
                                  p5_error *error)
{
    return run_uncounted(machine, limits, false, result, error);
}

p5_status p5_machine_execute(p5_machine *machine, const p5_limits *limits, p5_run_result *result,
                             p5_error *error)
{
    return run_uncounted(machine, limits, true, result, error);
}

uint64_t p5_machine_fast_forwarded(const p5_machine *machine, uint64_t *clocks)
{
    if (clocks != NULL)
        *clocks = machine->forward_clocks;
    return machine->forward_instructions;
}
