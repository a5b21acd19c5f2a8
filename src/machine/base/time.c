/* Requests to pause, core clocks in nanoseconds, and a machine's clocks, instructions and counts. */
#include "machine/base/time.h"
#include "machine/state.h"

bool machine_pause_wanted(const p5_machine *machine)
{
    return machine->stop || machine->expired;
}

uint64_t machine_clocks_to_ns(const p5_machine *machine, uint64_t clocks)
{
    return (uint64_t)((unsigned __int128)clocks * 1000000000u / machine->clock_hz);
}

uint64_t machine_ns_to_clocks(const p5_machine *machine, uint64_t ns)
{
    unsigned __int128 clocks = ((unsigned __int128)ns * machine->clock_hz + 999999999u) / 1000000000u;
    return clocks > UINT64_MAX ? UINT64_MAX : (uint64_t)clocks;
}

void p5_machine_settle(p5_machine *machine)
{
    p5_core_settle(machine->core);
}

/* Gets all totals since the guest's start, without a pending instruction. The parts that p5_machine_fast_forward and
 * p5_machine_execute ran do not count. */
void p5_machine_counts(p5_machine *machine, p5_counts *counts)
{
    p5_core_counts(machine->core, counts);
    if (machine->forward_instructions != 0)
        p5_counts_subtract(counts, &machine->forward_counts);
}

/* Returns the number of instructions completed since the guest's start, fast-forwarded ones included. */
uint64_t p5_machine_instructions(const p5_machine *machine)
{
    return machine->instructions;
}

/* Returns the core clock at which the last priced instruction left EX. Fast-forwarded parts are included. */
uint64_t p5_machine_clock(const p5_machine *machine)
{
    return p5_core_clock_estimate(machine->core);
}
