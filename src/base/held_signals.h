/* Blocks, during a write, the signals that a thread gets when a pipe is closed or a file exceeds its limit, so
 * that only the result of the write reports this. Also starts threads that receive no signals. */
#ifndef BASE_HELD_SIGNALS_H
#define BASE_HELD_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* What signals_hold has done, for signals_release. */
typedef struct held_signals {
    sigset_t held;   /* the signals that are blocked */
    sigset_t before; /* the signals that were pending already */
    sigset_t mask;   /* the thread's signal mask before, to be restored */
} held_signals;

/* Blocks SIGPIPE (closed pipe) for the calling thread, and with `limits` also SIGXFSZ (limit of a file's size). */
void signals_hold(held_signals *h, bool limits);
/* Restores the thread's signal mask. If a write since signals_hold has `failed`, the signal that it sent is discarded
 * first. errno is preserved. */
void signals_release(const held_signals *h, bool failed);

/* Starts a thread that receives no signals. They go to the program's other threads, whose blocking calls they
 * interrupt. Returns false if the thread cannot be started. */
bool signals_start_blocked_thread(pthread_t *thread, void *(*run)(void *context), void *context);

#endif
