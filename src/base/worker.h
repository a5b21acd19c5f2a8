/* A thread that processes messages in the order in which they are put: a spsc queue with a consumer thread.
 * All calls are made by one thread, the producer. The data that the thread's function uses belongs to that
 * thread between worker_put and the next worker_wait, and to the producer after it. */
#ifndef BASE_WORKER_H
#define BASE_WORKER_H

#include "base/spsc.h"

typedef struct worker worker;

/* Most messages that may wait, and most bytes of each. */
enum { WORKER_MESSAGES = SPSC_MESSAGES, WORKER_LARGEST = SPSC_LARGEST };

/* Starts the thread, which receives no signals and calls `work` with `context` for every message. Returns NULL if
 * memory or a thread is not available. */
worker *worker_open(void (*work)(void *context, const void *message), void *context);
/* Waits until the thread has processed all messages, ends it and frees `w`, which may be NULL. */
void worker_close(worker *w);
/* Reserves space for a message of at most WORKER_LARGEST bytes, aligned for any type. Waits for space if
 * necessary. */
void *worker_reserve(worker *w, size_t bytes);
/* Puts the reserved message into the queue. The caller has filled it in and must not change it any more. */
void worker_put(worker *w);
/* Return the number of messages put so far, and whether the first `count` of them are done. */
unsigned long long worker_count(const worker *w);
bool worker_has_done(worker *w, unsigned long long count);
/* Waits until the first `count` messages are done. */
void worker_wait_for(worker *w, unsigned long long count);
/* Waits until all messages are done. */
void worker_wait(worker *w);

#endif
