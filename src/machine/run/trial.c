/* Chooses between one thread and two. The second thread prices what the first executes (pricer.h). It is used only
 * where that is faster, which depends on the guest, on the host and on its other load. A trial runs both ways in turns,
 * in short slices, so that a phase of the guest or of the host's load affects both alike. Odd slices run with one
 * thread. */
#include "base/host_time.h"
#include "machine/run/run_internal.h"
#include "machine/state.h"

enum { TRIAL_SLICES = 8 };
/* Lengths in instructions. */
enum {
    TRIAL_INSTRUCTIONS = 1 << 19, /* of a slice */
    TRIAL_WAITS = 1 << 22,        /* of the time before the first trial */
    TRIAL_HOLDS = 50000000        /* of the time for which the result of a trial holds */
};
/* The second thread must save this fraction of the time. */
static const double TRIAL_SAVES = 0.05;

void run_try(p5_machine *machine)
{
    run_trial *t = &machine->trial;
    if (machine->options.threads < 2 || machine->instructions < t->until)
        return;
    const double now = host_now();
    uint64_t length = TRIAL_INSTRUCTIONS;
    bool alone = false;
    if (t->slice > 0)
        t->seconds[t->slice % 2] += (now - t->began) / (double)(machine->instructions - t->from + 1);
    if (!t->wait_begun) {
        t->wait_begun = true;
        length = TRIAL_WAITS;
    } else if (t->slice == TRIAL_SLICES) {
        alone = t->seconds[0] > (1 - TRIAL_SAVES) * t->seconds[1];
        length = TRIAL_HOLDS;
        t->slice = 0;
        t->seconds[0] = t->seconds[1] = 0;
    } else {
        t->slice++;
        alone = t->slice % 2 == 1;
    }
    t->began = now;
    t->from = machine->instructions;
    t->until = machine->instructions + length;
    machine->alone_until = alone ? t->until : 0;
}
