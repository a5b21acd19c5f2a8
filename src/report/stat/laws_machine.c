/* Checks that a machine's counts agree with other sources of the same numbers. */
#include "p5scope/snapshot.h"
#include "p5tool/report.h"

#include <inttypes.h>

/* Compares the total that p5_core_event_total returns with the sum in `counts`, for each event, as increments and as
 * asserted clocks, and every set of privilege classes. */
static unsigned check_single_totals(p5_core *core, const p5_counts *counts, FILE *out, unsigned *checked)
{
    unsigned broken = 0;
    for (int id = 0; id < P5_EVENT_COUNT; id++) {
        for (unsigned which = 0; which < 2 * P5_CPL_MASK_ALL; which++, ++*checked) {
            bool asserted = which >= P5_CPL_MASK_ALL;
            unsigned mask = which % P5_CPL_MASK_ALL + 1;
            uint64_t single = p5_core_event_total(core, (enum p5_event)id, mask, asserted);
            uint64_t table = p5_counts_sum(asserted ? counts->asserted[id] : counts->increments[id], mask);
            if (single == table)
                continue;
            broken++;
            if (out != NULL)
                fprintf(
                    out,
                    "law broken: %s%s, CPL mask %u: the event's single total is that of the table\n  single "
                    "%20" PRIu64 "\n  table  %20" PRIu64 "\n",
                    p5_event_describe((enum p5_event)id)->name, asserted ? " (clocks)" : "", mask, single,
                    table);
        }
    }
    return broken;
}

unsigned p5_laws_check_machine(p5_machine *machine, FILE *out, unsigned *checked)
{
    p5_core_settle(p5_machine_core(machine)); /* a pending instruction has no clocks yet */
    p5_counts counts;
    p5_machine_counts(machine, &counts);
    uint64_t forwarded; /* clocks that passed during a fast-forward; the machine's totals do not have them */
    bool part = p5_machine_fast_forwarded(machine, &forwarded) != 0;
    unsigned done = 0;
    unsigned broken = p5_laws_check(&counts, p5_model_family(p5_machine_model(machine)), part, out, &done);
    p5_counts all; /* includes what was fast-forwarded, unlike the machine's totals */
    p5_core_counts(p5_machine_core(machine), &all);
    broken += check_single_totals(p5_machine_core(machine), &all, out, &done);
    uint64_t owned = p5_counts_sum(counts.clocks, P5_CPL_MASK_ALL);
    uint64_t clock = p5_core_clock_estimate(p5_machine_core(machine)) - forwarded;
    done++;
    if (owned != clock) {
        broken++;
        if (out != NULL)
            fprintf(out,
                    "law broken: the clocks of all CPLs are the core's clock\n  clocks %20" PRIu64
                    "\n  core   %20" PRIu64 "\n",
                    owned, clock);
    }
    if (checked != NULL)
        *checked = done;
    return broken;
}
