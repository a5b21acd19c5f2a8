/* The thread that asks a run to end at its time-out, and reports a run that was asked to end and does not (watchdog.h).
 * Seconds are those of the host. */
#include "machine/run/watchdog.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/held_signals.h"
#include "base/host_time.h"
#include "machine/base/time.h"
#include "machine/state.h"
#include "p5tool/machine.h"

/* A run that was asked to end, by its time-out or p5_machine_stop, is checked every GRACE_SECONDS until it ends. It is
 * stuck if the process has used more than USED_SECONDS of processor time since it was asked. It is also stuck if it
 * waits (the process has used less than WAITS_SECONDS since the last check) and either an open file accepts no output,
 * or LATE_SECONDS have passed since it was asked. Otherwise the host may be busy with other work. */
#define GRACE_SECONDS 0.8
#define WAITS_SECONDS 0.01
#define USED_SECONDS  0.5
#define LATE_SECONDS  10.0

struct watchdog {
    p5_machine *machine;
    pthread_t thread;
    int changed;          /* eventfd that ends the thread's wait (wake) */
    pthread_mutex_t lock; /* of the members below */
    bool running;         /* a run is in progress and has not been reported as stuck */
    bool closing;         /* the thread is to end */
    double over;          /* host time at which the run times out; 0: never */
    double look_at; /* the next check of a run that was asked to end; 0: the thread has seen no request */
    double late_at; /* from then on, a run that waits is stuck whatever it waits for */
    double used, used_last; /* processor seconds when the run was asked to end, and at the last check */
};

bool p5_output_is_full(void)
{
    enum { FILES = 256 };
    for (int fd = 0; fd < FILES; fd++) {
        struct pollfd output = {.fd = fd, .events = POLLOUT};
        int mode = fcntl(fd, F_GETFL);
        if (mode >= 0 && (mode & O_ACCMODE) != O_RDONLY && poll(&output, 1, 0) == 0)
            return true;
    }
    return false;
}

/* Does what is due now: asks a run whose time is over to end, and sets *stuck if a run that was asked to end is stuck,
 * once per run. Returns the seconds until the next check; a negative value means that there is none until the thread is
 * woken. The caller holds the lock. */
static double check_run(watchdog *w, double now, bool *stuck)
{
    p5_machine *machine = w->machine;
    *stuck = false;
    if (!w->running)
        return -1;
    if (w->over != 0 && now >= w->over && !machine->expired) {
        machine->expired = true;
        engine_request_attention_async(machine->engine);
    }
    bool ending = machine_pause_wanted(machine);
    double used = ending ? host_cpu_time() : 0;
    if (w->look_at == 0 && ending) {
        w->look_at = now + GRACE_SECONDS;
        w->late_at = now + LATE_SECONDS;
        w->used = w->used_last = used;
    }
    if (ending && now >= w->look_at) {
        bool waits = used - w->used_last < WAITS_SECONDS;
        *stuck = used - w->used > USED_SECONDS || (waits && (now >= w->late_at || p5_output_is_full()));
        w->look_at = now + GRACE_SECONDS;
        w->used_last = used;
    }
    double next = w->look_at != 0 ? w->look_at : w->over;
    w->running = !*stuck; /* reported once */
    return next == 0 || *stuck ? -1 : next - now;
}

/* The thread. */
static void *watch(void *context)
{
    watchdog *w = context;
    for (;;) {
        bool stuck;
        pthread_mutex_lock(&w->lock);
        bool closing = w->closing;
        double wait = check_run(w, host_now(), &stuck);
        pthread_mutex_unlock(&w->lock);
        if (closing)
            return NULL;
        if (stuck && w->machine->options.stuck != NULL)
            w->machine->options.stuck(w->machine->options.stuck_context);
        enum { DAY = 86400 };
        struct pollfd ready = {.fd = w->changed, .events = POLLIN};
        poll(&ready, 1, wait < 0 ? -1 : wait > (double)DAY ? DAY * 1000 : (int)(wait * 1000) + 1);
        uint64_t count;
        if (ready.revents != 0 && read(w->changed, &count, sizeof count) < 0 && errno != EINTR)
            return NULL;
    }
}

static void wake(watchdog *w)
{
    const uint64_t one = 1;
    ssize_t written = write(w->changed, &one, sizeof one);
    (void)
        written; /* it fails only if the counter is at its greatest value, so the thread is being woken already */
}

watchdog *watchdog_open(p5_machine *machine)
{
    watchdog *w = calloc(1, sizeof *w);
    if (w == NULL)
        return NULL;
    w->machine = machine;
    w->changed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_mutex_init(&w->lock, NULL);
    if (w->changed >= 0 && signals_start_blocked_thread(&w->thread, watch, w))
        return w;
    if (w->changed >= 0)
        close(w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
    return NULL;
}

void watchdog_close(watchdog *w)
{
    if (w == NULL)
        return;
    pthread_mutex_lock(&w->lock);
    w->closing = true;
    pthread_mutex_unlock(&w->lock);
    wake(w);
    pthread_join(w->thread, NULL);
    close(w->changed);
    pthread_mutex_destroy(&w->lock);
    free(w);
}

void watchdog_run_begins(watchdog *w, double over)
{
    pthread_mutex_lock(&w->lock);
    w->running = true;
    w->over = over;
    w->look_at = 0;
    pthread_mutex_unlock(&w->lock);
    if (over != 0 ||
        machine_pause_wanted(w->machine)) /* a stop wanted before the run found no run to watch */
        wake(w);
}

void watchdog_run_ends(watchdog *w)
{
    pthread_mutex_lock(&w->lock);
    w->running = false;
    w->machine->expired = false;
    pthread_mutex_unlock(&w->lock);
}

void watchdog_stop_wanted(watchdog *w)
{
    int saved = errno; /* a signal handler must not change it */
    wake(w);
    errno = saved;
}
