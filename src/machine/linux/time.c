/* Time in a Linux guest: clocks, sleeping and interval timers. All times are those of the model's clock. A guest that
 * sleeps takes no time of the host, unless it also waits for the host's input. In system calls, `a` are the six
 * arguments. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "machine/base/end.h"
#include "machine/base/time.h"
#include "machine/linux/abi.h"
#include "machine/linux/calls.h"

#define NANOSECONDS 1000000000ull
/* Clocks from this one on count as "never", because they could not be represented as a time. */
#define CLOCK_END (1ull << 62)
/* An interval timer must not fire faster than the guest can handle its signals. */
enum { SHORTEST_INTERVAL_NS = 20000 };

uint64_t linux_clock(const linux_process *p)
{
    return p5_core_clock(p->machine->core);
}

/* Returns the nanoseconds since the guest's start. */
static uint64_t time_now_ns(const linux_process *p)
{
    return machine_clocks_to_ns(p->machine, linux_clock(p));
}

void linux_timers_reset(linux_process *p)
{
    for (unsigned i = 0; i < LINUX_TIMERS; i++)
        p->time.timers[i] = (linux_timer){.clock = UINT64_MAX};
}

uint64_t linux_next_timer(const linux_process *p)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < LINUX_TIMERS; i++)
        next = p->time.timers[i].clock < next ? p->time.timers[i].clock : next;
    return next;
}

/* Handles the expiry of a timer at clock `now` or before. All expiries until `now` raise one signal together. The next
 * expiry is a multiple of the interval after the first one. */
static void timer_expire(linux_process *p, unsigned number, uint64_t now)
{
    static const uint8_t signals[LINUX_TIMERS] = {SIGALRM, SIGVTALRM, SIGPROF};
    linux_timer *t = &p->time.timers[number];
    uint64_t missed = t->interval != 0 ? (now - t->clock) / t->interval : 0;
    t->clock = t->interval != 0 ? t->clock + (missed + 1) * t->interval : UINT64_MAX;
    linux_raise(p, &(linux_siginfo){signals[number], LINUX_SI_KERNEL, {0}});
}

void linux_run_timers(linux_process *p)
{
    uint64_t now = linux_clock(p);
    for (unsigned i = 0; i < LINUX_TIMERS; i++)
        if (p->time.timers[i].clock <= now)
            timer_expire(p, i, now);
}

/* Lets clocks pass while the guest sleeps. Timers that measure its CPU time are postponed. */
static void sleep_clocks(linux_process *p, uint64_t clocks)
{
    p5_core_halt(p->machine->core, clocks, 0);
    p->time.halted += clocks;
    for (unsigned i = 0; i < LINUX_TIMERS; i++)
        if (i != ITIMER_REAL && p->time.timers[i].clock < CLOCK_END)
            p->time.timers[i].clock += clocks;
}

/* Waits for the host's streams for a short time, unless the host has already waited as long as the guest would wait
 * until clock `goal`. Returns true if the caller must check the streams again, and false if the model's clock may jump
 * to `goal`. */
static bool wait_for_host(linux_process *p, uint64_t goal, struct pollfd *streams, unsigned count)
{
    uint64_t now = linux_clock(p), ms = UINT64_MAX;
    if (goal < CLOCK_END)
        ms = machine_clocks_to_ns(p->machine, goal > now ? goal - now : 0) / 1000000;
    if (p->waited_ms >= ms)
        return false;
    uint64_t step = ms - p->waited_ms < LINUX_WAIT_MS ? ms - p->waited_ms : LINUX_WAIT_MS;
    p->blocked = machine_pause_wanted(p->machine);
    if (!p->blocked && poll(streams, count, (int)step) == 0)
        p->waited_ms += (uint32_t)step;
    return true;
}

linux_waited linux_wait(linux_process *p, uint64_t until, struct pollfd *streams, unsigned count)
{
    uint64_t now = linux_clock(p), timer = p->time.timers[ITIMER_REAL].clock;
    uint64_t goal = until < timer ? until : timer;
    if (linux_signal_waits(p))
        return LINUX_INTERRUPTED;
    if (now >= until)
        return LINUX_TIME_OVER;
    if (count != 0 && wait_for_host(p, goal, streams, count))
        return p->blocked ? LINUX_LEAVE : LINUX_LOOK_AGAIN;
    if (goal >= CLOCK_END) {
        machine_end(p->machine, P5_END_HALT, 0);
        machine_end_at(p->machine, p->registers.eip);
        machine_end_message(p->machine, "the guest waits for an event that cannot occur");
        return LINUX_LEAVE;
    }
    if (goal > now)
        sleep_clocks(p, goal - now);
    p->waited_ms = 0;
    linux_run_timers(p);
    return LINUX_LOOK_AGAIN;
}

bool linux_sleep_until(linux_process *p, uint64_t clock)
{
    linux_waited how;
    do
        how = linux_wait(p, clock, NULL, 0);
    while (how == LINUX_LOOK_AGAIN);
    return how == LINUX_TIME_OVER;
}

uint64_t linux_clock_after(const linux_process *p, uint64_t ns)
{
    uint64_t now = linux_clock(p), clocks = machine_ns_to_clocks(p->machine, ns);
    return ns == UINT64_MAX || clocks > UINT64_MAX - now ? UINT64_MAX : now + clocks;
}

/* --- Clocks --- */

uint64_t linux_wall_clock(const linux_process *p)
{
    return time_now_ns(p) + LINUX_EPOCH_SECONDS * NANOSECONDS;
}

/* Sets *ns to the time of a clock (CLOCK_*). Returns 0, or -EINVAL for an unknown clock. */
static int32_t clock_read(const linux_process *p, uint32_t which, uint64_t *ns)
{
    switch (which) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
        *ns = linux_wall_clock(p);
        return 0;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
        *ns = time_now_ns(p);
        return 0;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
        *ns = machine_clocks_to_ns(p->machine, linux_clock(p) - p->time.halted);
        return 0;
    default:
        return -EINVAL;
    }
}

bool linux_times_are_wide(const linux_process *p)
{
    return p->registers.eax >= 403; /* clock_gettime64, the first of these calls */
}

int32_t linux_put_time(linux_process *p, uint32_t address, uint64_t ns, uint32_t divisor)
{
    uint64_t seconds = ns / NANOSECONDS;
    uint32_t fraction = (uint32_t)(ns % NANOSECONDS) / divisor;
    if (linux_times_are_wide(p))
        return linux_write_user(p, address, (uint64_t[2]){seconds, fraction}, 16) ? 0 : -EFAULT;
    return linux_write_user(p, address, (uint32_t[2]){(uint32_t)seconds, fraction}, 8) ? 0 : -EFAULT;
}

int32_t linux_get_time(linux_process *p, uint32_t address, uint32_t divisor, uint64_t *ns)
{
    int64_t seconds, fraction;
    if (linux_times_are_wide(p)) {
        int64_t both[2];
        if (!linux_read_user(p, address, both, sizeof both))
            return -EFAULT;
        seconds = both[0];
        fraction = (int32_t)both[1]; /* the upper half is padding for 32-bit programs */
    } else {
        int32_t both[2];
        if (!linux_read_user(p, address, both, sizeof both))
            return -EFAULT;
        seconds = both[0];
        fraction = both[1];
    }
    if (seconds < 0 || fraction < 0 || fraction >= (int64_t)NANOSECONDS / divisor)
        return -EINVAL;
    const int64_t most = INT64_MAX / (int64_t)NANOSECONDS - 1;
    *ns = (uint64_t)(seconds < most ? seconds : most) * NANOSECONDS + (uint64_t)fraction * divisor;
    return 0;
}

int32_t linux_clock_gettime(linux_process *p, const uint32_t a[6])
{
    uint64_t ns;
    int32_t wrong = clock_read(p, a[0], &ns);
    return wrong != 0 ? wrong : linux_put_time(p, a[1], ns, 1);
}

/* Reports the resolution of a clock: one core clock in whole nanoseconds, at least 1 ns. */
int32_t linux_clock_getres(linux_process *p, const uint32_t a[6])
{
    uint64_t ns;
    int32_t wrong = clock_read(p, a[0], &ns);
    if (wrong != 0 || a[1] == 0)
        return wrong;
    uint64_t step = NANOSECONDS / p->machine->clock_hz;
    return linux_put_time(p, a[1], step == 0 ? 1 : step, 1);
}

int32_t linux_gettimeofday(linux_process *p, const uint32_t a[6])
{
    int32_t wrong = 0;
    if (a[0] != 0)
        wrong = linux_put_time(p, a[0], linux_wall_clock(p), 1000);
    if (wrong == 0 && a[1] != 0)
        wrong = linux_write_user(p, a[1], (uint32_t[2]){0, 0}, 8) ? 0 : -EFAULT; /* UTC */
    return wrong;
}

int32_t linux_time_call(linux_process *p, const uint32_t a[6])
{
    uint32_t seconds = (uint32_t)(linux_wall_clock(p) / NANOSECONDS);
    if (a[0] != 0 && !linux_write_user(p, a[0], &seconds, sizeof seconds))
        return -EFAULT;
    return (int32_t)seconds;
}

int32_t linux_times(linux_process *p, const uint32_t a[6])
{
    uint64_t busy;
    clock_read(p, CLOCK_PROCESS_CPUTIME_ID, &busy);
    uint32_t ticks = (uint32_t)(busy / (NANOSECONDS / LINUX_HZ));
    if (a[0] != 0 && !linux_write_user(p, a[0], (uint32_t[4]){ticks, 0, 0, 0}, 16))
        return -EFAULT;
    return (int32_t)(time_now_ns(p) / (NANOSECONDS / LINUX_HZ) & 0x7fffffff);
}

int32_t linux_getrusage(linux_process *p, const uint32_t a[6])
{
    uint32_t usage[18] = {0}; /* struct rusage: user and system time, 14 counts */
    uint64_t busy = 0;
    if ((int32_t)a[0] < -1 || (int32_t)a[0] > 1)
        return -EINVAL;
    if ((int32_t)a[0] != -1) /* RUSAGE_CHILDREN: there are none */
        clock_read(p, CLOCK_PROCESS_CPUTIME_ID, &busy);
    usage[0] = (uint32_t)(busy / NANOSECONDS);
    usage[1] = (uint32_t)(busy % NANOSECONDS / 1000);
    return linux_write_user(p, a[1], usage, sizeof usage) ? 0 : -EFAULT;
}

/* --- Sleeping --- */

/* Sleeps for `ns` nanoseconds. After a signal, writes the remaining time to the guest's address `remaining`, unless that
 * is 0. Returns 0 or -errno. */
static int32_t sleep_ns(linux_process *p, uint64_t ns, uint32_t remaining)
{
    uint64_t until = linux_clock_after(p, ns);
    if (linux_sleep_until(p, until))
        return 0;
    uint64_t now = linux_clock(p);
    uint64_t left = until > now ? machine_clocks_to_ns(p->machine, until - now) : 0;
    if (remaining != 0 && linux_put_time(p, remaining, left, 1) != 0)
        return -EFAULT;
    return -LINUX_ERESTARTNOHAND;
}

int32_t linux_clock_nanosleep(linux_process *p, const uint32_t a[6])
{
    uint64_t now, ns;
    int32_t wrong = clock_read(p, a[0], &now);
    if (wrong == 0 && a[0] >= CLOCK_THREAD_CPUTIME_ID && a[0] <= CLOCK_MONOTONIC_COARSE)
        wrong = -EOPNOTSUPP;
    if (wrong == 0)
        wrong = linux_get_time(p, a[2], 1, &ns);
    if (wrong != 0)
        return wrong;
    if ((a[1] & TIMER_ABSTIME) == 0)
        return sleep_ns(p, ns, a[3]);
    return ns <= now ? 0 : sleep_ns(p, ns - now, 0);
}

int32_t linux_pause(linux_process *p, const uint32_t a[6])
{
    (void)a;
    linux_sleep_until(p, UINT64_MAX);
    return -LINUX_ERESTARTNOHAND;
}

/* --- Timers --- */

/* Returns the time until the timer expires; 0 if it is off. */
static uint64_t timer_left_ns(const linux_process *p, const linux_timer *t)
{
    uint64_t now = linux_clock(p);
    if (t->clock == UINT64_MAX)
        return 0;
    uint64_t left = t->clock > now ? machine_clocks_to_ns(p->machine, t->clock - now) : 0;
    return left != 0 ? left : 1000; /* a running timer is never reported as off */
}

/* Starts a timer, or stops it if first_ns is 0. An interval of 0 means that it expires once. */
static void timer_set(linux_process *p, linux_timer *t, uint64_t first_ns, uint64_t interval_ns)
{
    t->clock = UINT64_MAX;
    t->interval = 0;
    if (first_ns == 0)
        return;
    uint64_t now = linux_clock(p), first = machine_ns_to_clocks(p->machine, first_ns);
    if (interval_ns != 0 && interval_ns < SHORTEST_INTERVAL_NS)
        interval_ns = SHORTEST_INTERVAL_NS;
    if (first > CLOCK_END - now)
        return; /* beyond the end of the clock */
    t->clock = now + first;
    t->interval = machine_ns_to_clocks(p->machine, interval_ns);
}

/* Sets the real timer to whole seconds. Returns the seconds that were left, rounded to the nearest number, but not to 0. */
int32_t linux_alarm(linux_process *p, const uint32_t a[6])
{
    linux_timer *t = &p->time.timers[ITIMER_REAL];
    uint64_t left = timer_left_ns(p, t), seconds = (left + NANOSECONDS / 2) / NANOSECONDS;
    timer_set(p, t, a[0] * NANOSECONDS, 0);
    return (int32_t)(seconds == 0 && left != 0 ? 1 : seconds);
}

/* Writes the interval and the remaining time, as two timevals. */
static int32_t timer_report(linux_process *p, const linux_timer *t, uint32_t address)
{
    int32_t wrong = linux_put_time(p, address, machine_clocks_to_ns(p->machine, t->interval), 1000);
    return wrong != 0 ? wrong : linux_put_time(p, address + 8, timer_left_ns(p, t), 1000);
}

int32_t linux_getitimer(linux_process *p, const uint32_t a[6])
{
    return a[0] < LINUX_TIMERS ? timer_report(p, &p->time.timers[a[0]], a[1]) : -EINVAL;
}

/* Sets a timer, or stops it if there is no new value (a[1] is 0), as Linux does. Writes the old value to a[2]. */
int32_t linux_setitimer(linux_process *p, const uint32_t a[6])
{
    uint64_t interval = 0, first = 0;
    int32_t wrong = a[0] < LINUX_TIMERS ? 0 : -EINVAL;
    if (wrong == 0 && a[1] != 0)
        wrong = linux_get_time(p, a[1], 1000, &interval);
    if (wrong == 0 && a[1] != 0)
        wrong = linux_get_time(p, a[1] + 8, 1000, &first);
    if (wrong == 0 && a[2] != 0)
        wrong = timer_report(p, &p->time.timers[a[0]], a[2]);
    if (wrong == 0)
        timer_set(p, &p->time.timers[a[0]], first, interval);
    return wrong;
}
