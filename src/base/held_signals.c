/* Blocks signals: those that a failing write sends to its thread, which are then discarded, and all signals of a new
 * thread. */
#include "base/held_signals.h"

#include <errno.h>
#include <time.h>

/* Blocks SIGPIPE (closed pipe) and, with `limits`, SIGXFSZ (limit of a file's size) for the calling thread. */
void signals_hold(held_signals *h, bool limits)
{
    sigemptyset(&h->held);
    sigaddset(&h->held, SIGPIPE);
    if (limits)
        sigaddset(&h->held, SIGXFSZ);
    sigpending(&h->before);
    pthread_sigmask(SIG_BLOCK, &h->held, &h->mask);
}

/* Discards `signal` if it is pending now and was not before signals_hold blocked it. */
static void drop(const held_signals *h, int signal)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    if (sigismember(&h->held, signal) && !sigismember(&h->before, signal))
        sigtimedwait(&one, NULL, &(struct timespec){0}); /* takes it if it is pending, without waiting */
}

void signals_release(const held_signals *h, bool failed)
{
    int reason = errno;
    if (failed) { /* which of the two was sent is not known */
        drop(h, SIGPIPE);
        drop(h, SIGXFSZ);
    }
    pthread_sigmask(SIG_SETMASK, &h->mask, NULL);
    errno = reason;
}

/* Blocks all signals of the calling thread for a moment, because a new thread inherits the mask of its creator. */
bool signals_start_blocked_thread(pthread_t *thread, void *(*run)(void *context), void *context)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(thread, NULL, run, context) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}
