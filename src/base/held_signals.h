/* Writing without the signals that a thread gets when a pipe is closed or a file may not grow: only the
 * call's answer tells of it; and threads that no signal goes to. */
#ifndef BASE_HELD_SIGNALS_H
#define BASE_HELD_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

typedef struct held_signals {
    sigset_t held, before, mask;
} held_signals;

/* Holds SIGPIPE back, and SIGXFSZ with `limits`. */
void signals_hold(held_signals *q, bool limits);
/* `failed`: a write did, and what it has sent is dropped. errno stays as it is. */
void signals_release(const held_signals *q, bool failed);

/* Starts a thread that takes no signals: they are for the threads of the program, and break off what these
 * wait for. False: there is none. */
bool signals_free_thread(pthread_t *thread, void *(*run)(void *context), void *context);

#endif
