/* A thread that works through messages in the order in which they are put: a spsc queue and who takes from
 * it. All calls are made by one thread, the producer. What the thread's function uses belongs to it between
 * worker_put and the next worker_wait, and to the producer behind that. */
#ifndef BASE_WORKER_H
#define BASE_WORKER_H

#include "base/spsc.h"

typedef struct worker worker;

/* So many messages may wait, of so many bytes at most each. */
enum { WORKER_MESSAGES = SPSC_MESSAGES, WORKER_LARGEST = SPSC_LARGEST };

/* Starts the thread, which takes no signals and calls `work` for every message. NULL: there is no memory or
 * no thread for it. */
worker *worker_open(void (*work)(void *context, const void *message), void *context);
/* Ends it behind the last message; NULL is none. */
void worker_close(worker *w);
/* Room for a message of at most WORKER_LARGEST bytes, aligned for any type; waits for it if it has to. */
void *worker_reserve(worker *w, size_t bytes);
/* The message is complete. */
void worker_put(worker *w);
/* Messages put so far, and whether the first `count` of them are done. */
unsigned long long worker_count(const worker *w);
bool worker_has_done(worker *w, unsigned long long count);
/* Returns when they are. */
void worker_wait_for(worker *w, unsigned long long count);
/* Returns when all the work is done. */
void worker_wait(worker *w);

#endif
