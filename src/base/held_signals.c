/* Blocks the signals that a failing write sends to its thread, and discards them. */
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

/* Discards `signal` if signals_hold has blocked it and the write has sent it. It stays pending if it was pending
 * before. */
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
    if (failed) { /* the write can have sent either signal */
        drop(h, SIGPIPE);
        drop(h, SIGXFSZ);
    }
    pthread_sigmask(SIG_SETMASK, &h->mask, NULL);
    errno = reason;
}

/* The new thread inherits the mask of its creator, so that is changed for a moment. */
bool signals_start_blocked_thread(pthread_t *thread, void *(*run)(void *context), void *context)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(thread, NULL, run, context) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}
