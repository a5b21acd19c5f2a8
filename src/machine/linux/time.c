/* Time: the model's clock. Nothing here asks the host. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "machine/base/end.h"
#include "machine/base/time.h"
#include "machine/linux/abi.h"
#include "machine/linux/calls.h"

#define NANOSECONDS 1000000000ull
/* Beyond this the clock could not tell the time any more. */
#define CLOCK_END (1ull << 62)
/* An interval timer may not fire faster than the guest can take its signals. */
enum { SHORTEST_INTERVAL_NS = 20000 };

uint64_t linux_clock(const linux_process *p)
{
    return p5_core_clock(p->machine->core);
}

static uint64_t time_now_ns(const linux_process *p)
{
    return machine_clocks_to_ns(p->machine, linux_clock(p));
}

static bool is_cpu_clock(uint32_t which)
{
    return which == CLOCK_PROCESS_CPUTIME_ID || which == CLOCK_THREAD_CPUTIME_ID;
}

void linux_timers_reset(linux_process *p)
{
    static const uint8_t signals[LINUX_ITIMERS] = {SIGALRM, SIGVTALRM, SIGPROF};
    for (unsigned i = 0; i < LINUX_TIMERS; i++)
        p->time.timers[i] =
            (linux_timer){.clock = UINT64_MAX,
                          .which = i == ITIMER_REAL ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID,
                          .signal = i < LINUX_ITIMERS ? signals[i] : 0};
}

uint64_t linux_next_timer(const linux_process *p)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < LINUX_TIMERS; i++)
        next = p->time.timers[i].clock < next ? p->time.timers[i].clock : next;
    return next;
}

static void timer_expire(linux_process *p, unsigned number, uint64_t now)
{
    linux_timer *t = &p->time.timers[number];
    uint64_t missed = t->interval != 0 ? (now - t->clock) / t->interval : 0;
    bool waits = t->signal != 0 && (p->signals.pending & LINUX_SIGBIT(t->signal)) != 0;
    t->overrun = (uint32_t)missed + (waits ? t->overrun + 1 : 0); /* missed ones are one signal */
    t->clock =
        t->interval != 0 ? t->clock + (missed + 1) * t->interval : UINT64_MAX; /* on the first's grid */
    if (t->signal != 0 && number < LINUX_ITIMERS)
        linux_raise(p, &(linux_siginfo){(int32_t)t->signal, LINUX_SI_KERNEL, {0}});
    else if (t->signal != 0)
        linux_raise(p, &(linux_siginfo){(int32_t)t->signal,
                                        LINUX_SI_TIMER,
                                        {number - LINUX_ITIMERS, t->overrun, t->value}});
}

void linux_run_timers(linux_process *p)
{
    uint64_t now = linux_clock(p);
    for (unsigned i = 0; i < LINUX_TIMERS; i++)
        if (p->time.timers[i].clock <= now)
            timer_expire(p, i, now);
}

/* Clocks pass, and no CPU time. */
static void sleep_clocks(linux_process *p, uint64_t clocks)
{
    p5_core_halt(p->machine->core, clocks, 0);
    p->time.halted += clocks;
    for (unsigned i = 0; i < LINUX_TIMERS; i++)
        if (is_cpu_clock(p->time.timers[i].which) && p->time.timers[i].clock < CLOCK_END)
            p->time.timers[i].clock += clocks;
}

/* The next timer that does not wait for CPU time. */
static uint64_t next_asleep(const linux_process *p)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < LINUX_TIMERS; i++)
        if (!is_cpu_clock(p->time.timers[i].which) && p->time.timers[i].clock < next)
            next = p->time.timers[i].clock;
    return next;
}

bool linux_sleep_until(linux_process *p, uint64_t clock)
{
    for (;;) {
        if (linux_signal_waits(p))
            return false;
        uint64_t now = linux_clock(p);
        if (now >= clock)
            return true;
        uint64_t timer = next_asleep(p), goal = clock < timer ? clock : timer;
        if (goal >= CLOCK_END) {
            machine_end(p->machine, P5_END_HALT, 0);
            machine_end_at(p->machine, p->registers.eip);
            machine_end_message(p->machine, "the guest waits for something that never comes");
            return false;
        }
        if (goal > now)
            sleep_clocks(p, goal - now);
        linux_run_timers(p);
    }
}

/* --- clocks --- */

uint64_t linux_wall_clock(const linux_process *p)
{
    return time_now_ns(p) + LINUX_EPOCH_SECONDS * NANOSECONDS;
}

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
    return p->registers.eax >= 403;
}

static int32_t put_time(linux_process *p, uint32_t address, uint64_t ns, uint32_t divisor)
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
    return wrong != 0 ? wrong : put_time(p, a[1], ns, 1);
}

/* A clock moves by one core clock: the resolution is reported as 1 ns or what a clock takes. */
int32_t linux_clock_getres(linux_process *p, const uint32_t a[6])
{
    uint64_t ns;
    int32_t wrong = clock_read(p, a[0], &ns);
    if (wrong != 0 || a[1] == 0)
        return wrong;
    uint64_t step = NANOSECONDS / p->machine->clock_hz;
    return put_time(p, a[1], step == 0 ? 1 : step, 1);
}

int32_t linux_gettimeofday(linux_process *p, const uint32_t a[6])
{
    int32_t wrong = 0;
    if (a[0] != 0)
        wrong = put_time(p, a[0], time_now_ns(p) + LINUX_EPOCH_SECONDS * NANOSECONDS, 1000);
    if (wrong == 0 && a[1] != 0)
        wrong = linux_write_user(p, a[1], (uint32_t[2]){0, 0}, 8) ? 0 : -EFAULT; /* UTC */
    return wrong;
}

int32_t linux_time_call(linux_process *p, const uint32_t a[6])
{
    uint32_t seconds = (uint32_t)(time_now_ns(p) / NANOSECONDS + LINUX_EPOCH_SECONDS);
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

/* --- sleeping --- */

/* The call was interrupted: what is left, for the caller. */
static int32_t sleep_interrupted(linux_process *p, uint64_t until, uint32_t remaining)
{
    uint64_t now = linux_clock(p);
    uint64_t left = until > now ? machine_clocks_to_ns(p->machine, until - now) : 0;
    if (remaining != 0 && put_time(p, remaining, left, 1) != 0)
        return -EFAULT;
    return -EINTR;
}

static int32_t sleep_ns(linux_process *p, uint64_t ns, uint32_t remaining)
{
    uint64_t start = linux_clock(p), clocks = machine_ns_to_clocks(p->machine, ns);
    uint64_t until = clocks > UINT64_MAX - start ? UINT64_MAX : start + clocks;
    return linux_sleep_until(p, until) ? 0 : sleep_interrupted(p, until, remaining);
}

int32_t linux_clock_nanosleep(linux_process *p, const uint32_t a[6])
{
    uint64_t now, ns;
    int32_t wrong = clock_read(p, a[0], &now);
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
    return -EINTR;
}

/* --- timers --- */

static uint64_t timer_left_ns(const linux_process *p, const linux_timer *t)
{
    uint64_t now = linux_clock(p);
    if (t->clock == UINT64_MAX)
        return 0;
    uint64_t left = t->clock > now ? machine_clocks_to_ns(p->machine, t->clock - now) : 0;
    return left != 0 ? left : 1000; /* running: never reported as off */
}

static void timer_set(linux_process *p, linux_timer *t, uint64_t first_ns, uint64_t interval_ns)
{
    t->clock = UINT64_MAX;
    t->interval = t->overrun = 0;
    if (first_ns == 0)
        return;
    uint64_t now = linux_clock(p), first = machine_ns_to_clocks(p->machine, first_ns);
    if (interval_ns != 0 && interval_ns < SHORTEST_INTERVAL_NS)
        interval_ns = SHORTEST_INTERVAL_NS;
    if (first > CLOCK_END - now)
        return; /* later than ever */
    t->clock = now + first;
    t->interval = machine_ns_to_clocks(p->machine, interval_ns);
}

int32_t linux_alarm(linux_process *p, const uint32_t a[6])
{
    linux_timer *t = &p->time.timers[ITIMER_REAL];
    uint64_t left = timer_left_ns(p, t);
    timer_set(p, t, a[0] * NANOSECONDS, 0);
    return (int32_t)((left + NANOSECONDS - 1) / NANOSECONDS);
}

/* Interval and what is left, as two timevals (divisor 1000) or timespecs. */
static int32_t timer_report(linux_process *p, const linux_timer *t, uint32_t address, uint32_t divisor)
{
    int32_t wrong = put_time(p, address, machine_clocks_to_ns(p->machine, t->interval), divisor);
    return wrong != 0
               ? wrong
               : put_time(p, address + (linux_times_are_wide(p) ? 16 : 8), timer_left_ns(p, t), divisor);
}

static int32_t timer_change(linux_process *p, linux_timer *t, bool absolute, uint32_t from, uint32_t old,
                            uint32_t divisor)
{
    uint64_t interval = 0, first = 0, now = 0;
    int32_t wrong = 0;
    if (from != 0) {
        wrong = linux_get_time(p, from, divisor, &interval);
        if (wrong == 0)
            wrong = linux_get_time(p, from + (linux_times_are_wide(p) ? 16 : 8), divisor, &first);
    }
    if (wrong == 0 && absolute && first != 0) {
        wrong = clock_read(p, t->which, &now);
        first = first > now ? first - now : 1;
    }
    if (wrong == 0 && old != 0)
        wrong = timer_report(p, t, old, divisor);
    if (wrong == 0)
        timer_set(p, t, first, interval);
    return wrong;
}

int32_t linux_getitimer(linux_process *p, const uint32_t a[6])
{
    return a[0] < LINUX_ITIMERS ? timer_report(p, &p->time.timers[a[0]], a[1], 1000) : -EINVAL;
}

int32_t linux_setitimer(linux_process *p, const uint32_t a[6])
{
    return a[0] < LINUX_ITIMERS ? timer_change(p, &p->time.timers[a[0]], false, a[1], a[2], 1000) : -EINVAL;
}

/* One that timer_create made; NULL if there is none. */
static linux_timer *timer_at(linux_process *p, uint32_t number)
{
    linux_timer *t = number < LINUX_TIMERS - LINUX_ITIMERS ? &p->time.timers[LINUX_ITIMERS + number] : NULL;
    return t != NULL && t->made ? t : NULL;
}

int32_t linux_timer_create(linux_process *p, const uint32_t a[6])
{
    enum { SIGNAL = 0, NONE = 1, THREAD_ID = 4 };
    uint32_t number = 0, event[4]; /* struct sigevent: value, signal, how, thread */
    uint64_t now;
    while (number < LINUX_TIMERS - LINUX_ITIMERS && timer_at(p, number) != NULL)
        number++;
    int32_t wrong = clock_read(p, a[0], &now);
    if (wrong != 0)
        return wrong;
    if (number == LINUX_TIMERS - LINUX_ITIMERS)
        return -EAGAIN;
    if (a[1] == 0)
        memcpy(event, (uint32_t[4]){number, SIGALRM, SIGNAL}, sizeof event);
    else if (!linux_read_user(p, a[1], event, sizeof event))
        return -EFAULT;
    bool to_us = event[2] == SIGNAL || (event[2] == THREAD_ID && event[3] == LINUX_PID);
    if ((!to_us && event[2] != NONE) || (to_us && (event[1] == 0 || event[1] > LINUX_SIGNALS)))
        return -EINVAL;
    if (!linux_write_user(p, a[2], &number, sizeof number))
        return -EFAULT;
    p->time.timers[LINUX_ITIMERS + number] = (linux_timer){
        .clock = UINT64_MAX, .made = true, .which = a[0], .signal = to_us ? event[1] : 0, .value = event[0]};
    return 0;
}

int32_t linux_timer_settime(linux_process *p, const uint32_t a[6])
{
    linux_timer *t = timer_at(p, a[0]);
    return t == NULL || a[2] == 0 ? -EINVAL : timer_change(p, t, (a[1] & TIMER_ABSTIME) != 0, a[2], a[3], 1);
}

int32_t linux_timer_gettime(linux_process *p, const uint32_t a[6])
{
    const linux_timer *t = timer_at(p, a[0]);
    return t == NULL ? -EINVAL : timer_report(p, t, a[1], 1);
}

int32_t linux_timer_getoverrun(linux_process *p, const uint32_t a[6])
{
    const linux_timer *t = timer_at(p, a[0]);
    return t == NULL ? -EINVAL : (int32_t)t->overrun;
}

int32_t linux_timer_delete(linux_process *p, const uint32_t a[6])
{
    linux_timer *t = timer_at(p, a[0]);
    if (t == NULL)
        return -EINVAL;
    *t = (linux_timer){.clock = UINT64_MAX};
    return 0;
}
