/* Handlers of SIGINT and SIGTERM for runs of a guest, and of SIGALRM for outputs that no process reads. */
#include "cli/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "p5tool/machine.h"

/* These variables are global because a signal handler gets no context. */
static p5_machine *volatile stopped_machine;
static volatile sig_atomic_t first_signal; /* number of the first signal of this run; 0: none */
static struct timespec first_signal_at;    /* only the handler uses it, in which both signals are blocked */

/* Returns true if a signal at `now` is a copy of the first one: timeout(1) and some shells send a signal to the process
 * and also to its group, and both count as one Ctrl-C. */
static bool repeats_first(const struct timespec *now)
{
    enum { SAME_MILLISECONDS = 500 };
    long long milliseconds =
        (now->tv_sec - first_signal_at.tv_sec) * 1000LL + (now->tv_nsec - first_signal_at.tv_nsec) / 1000000;
    return milliseconds < SAME_MILLISECONDS;
}

/* Stops the machine at the first signal, and ends the process at a later one. */
static void on_signal(int number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (first_signal != 0) {
        if (repeats_first(&now))
            return;
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    first_signal_at = now;
    first_signal = number;
    p5_machine *machine = stopped_machine;
    if (machine != NULL)
        p5_machine_stop(machine);
}

void interrupt_stops(p5_machine *machine)
{
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL); /* ends interrupt_at_full_output */
    stopped_machine = machine;
    first_signal = 0;
    struct sigaction action;
    memset(&action, 0, sizeof action); /* without SA_RESTART, so that a guest's blocking read ends */
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGINT);
    sigaddset(&action.sa_mask, SIGTERM);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupt_ending(void)
{
    const p5_machine *machine = stopped_machine;
    return machine != NULL && p5_machine_ending(machine);
}

/* Ends the process with the status that the run would have had, because the run must end but is blocked: for example,
 * no process reads its output. Called also in a signal handler. */
void interrupt_stuck(void *context)
{
    static const char text[] = "p5scope: the run cannot come to its end: its output is not read, or the host "
                               "keeps it waiting; ended at once, outputs are cut short\n";
    (void)context;
    struct pollfd messages = {.fd = STDERR_FILENO, .events = POLLOUT};
    ssize_t written = poll(&messages, 1, 0) > 0 ? write(STDERR_FILENO, text, sizeof text - 1) : 0;
    (void)written;
    _exit(first_signal != 0 ? 128 + first_signal : CLI_TIMEOUT);
}

static volatile sig_atomic_t full_before; /* an output was full at the previous check */

/* Ends the process if an output is full at two successive checks. */
static void on_alarm(int number)
{
    (void)number;
    int saved = errno;
    bool full = p5_output_is_full();
    if (full && full_before)
        interrupt_stuck(NULL);
    full_before = full;
    errno = saved;
}

/* Checks in `seconds` whether an output is full, and then every CHECK_MICROSECONDS. */
void interrupt_at_full_output(double seconds)
{
    enum { CHECK_MICROSECONDS = 400000 };
    seconds = seconds < 1e8 ? seconds : 1e8; /* the longest that the timer takes */
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    struct itimerval timer = {.it_interval.tv_usec = CHECK_MICROSECONDS};
    timer.it_value.tv_sec = (time_t)seconds;
    timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6) + 1;
    full_before = false;
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Ends interrupt_stops. Returns the first signal of the run, or 0. After a signal the handler stays installed, so that
 * another signal ends the process while it reports. */
int interrupt_release(void)
{
    stopped_machine = NULL;
    if (first_signal == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGTERM, SIG_DFL);
    }
    return first_signal;
}
