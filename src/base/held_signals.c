#include "base/held_signals.h"

#include <errno.h>
#include <time.h>

void signals_hold(held_signals *q, bool limits)
{
    sigemptyset(&q->held);
    sigaddset(&q->held, SIGPIPE);
    if (limits)
        sigaddset(&q->held, SIGXFSZ);
    sigpending(&q->before);
    pthread_sigmask(SIG_BLOCK, &q->held, &q->mask);
}

static void drop(const held_signals *q, int signal)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    if (sigismember(&q->held, signal) && !sigismember(&q->before, signal))
        sigtimedwait(&one, NULL, &(struct timespec){0});
}

void signals_release(const held_signals *q, bool failed)
{
    int reason = errno;
    if (failed) {
        drop(q, SIGPIPE);
        drop(q, SIGXFSZ);
    }
    pthread_sigmask(SIG_SETMASK, &q->mask, NULL);
    errno = reason;
}

bool signals_free_thread(pthread_t *thread, void *(*run)(void *context), void *context)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(thread, NULL, run, context) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}
