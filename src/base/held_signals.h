/* Writes without the signals that a thread gets when a pipe is closed or a file exceeds its limit, so that
 * only the call's result reports this. Also starts threads that receive no signals. */
#ifndef BASE_HELD_SIGNALS_H
#define BASE_HELD_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

typedef struct held_signals {
    sigset_t held, before, mask;
} held_signals;

/* Blocks SIGPIPE, and with `limits` also SIGXFSZ. */
void signals_hold(held_signals *q, bool limits);
/* Restores the signals. If a write `failed`, the signal that it sent is discarded. errno is preserved. */
void signals_release(const held_signals *q, bool failed);

/* Starts a thread that receives no signals. They go to the program's other threads, whose blocking calls they
 * interrupt. Returns false if the thread cannot be started. */
bool signals_free_thread(pthread_t *thread, void *(*run)(void *context), void *context);

#endif
