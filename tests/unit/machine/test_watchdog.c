/* The watchdog's thread reports a run that was asked to end and does not, once. */
#include <fcntl.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../unit.h"
#include "base/host_time.h"
#include "machine/run/watchdog.h"
#include "machine/state.h"

static atomic_uint reports;

static void report(void *context)
{
    (void)context;
    reports++;
}

/* Waits until there are `wanted` reports, for 20 seconds at most, and then two periods of grace for one too many. */
static void expect_reports(unsigned wanted)
{
    for (double end = host_now() + 20; reports < wanted && host_now() < end;)
        usleep(50000); /* uses little of the processor, so that the run counts as waiting */
    usleep(1700000);
    assert_int_equal(reports, wanted);
}

/* p5_machine_stop may be called before the run as well as in it (p5scope/machine.h). */
TEST(a_stopped_run_is_reported_once)
{
    static p5_machine machine = {.options.stuck = report};
    int ends
        [2]; /* of a pipe that is full and that nobody reads: a run that waits then is stuck after the first check */
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(fcntl(ends[1], F_SETFL, O_NONBLOCK), 0);
    while (write(ends[1], "", 1) == 1)
        ;
    machine.watchdog = watchdog_open(&machine);
    assert_non_null(machine.watchdog);
    usleep(100000); /* the thread waits */
    for (unsigned run = 0; run < 2; run++) {
        bool before = run == 1;
        machine.stop = before;
        if (!before)
            watchdog_run_begins(machine.watchdog, 0);
        machine.stop = true;
        watchdog_stop_wanted(machine.watchdog);
        usleep(100000);
        if (before)
            watchdog_run_begins(machine.watchdog, 0);
        expect_reports(run + 1);
        watchdog_run_ends(machine.watchdog);
    }
    watchdog_close(machine.watchdog);
    close(ends[0]);
    close(ends[1]);
}
