/* A thread that processes messages from a queue (spsc.h), in order. All functions but the thread's own are for the
 * producer; a reservation waits for space, and messages that were put before the end are still processed. */
#include "base/worker.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/held_signals.h"

struct worker {
    spsc queue;
    void (*work)(void *context, const void *message);
    void *context;
    pthread_t thread;
    BEGINS_LINE bool pending; /* the producer has reserved a message since the last worker_wait */
};

/* The thread: calls `work` for each message until the queue is ended and empty. */
static void *run(void *context)
{
    worker *w = context;
    for (const void *message; (message = spsc_take(&w->queue)) != NULL; spsc_done(&w->queue))
        w->work(w->context, message);
    return NULL;
}

worker *worker_open(void (*work)(void *context, const void *message), void *context)
{
    worker *w = host_line_calloc(sizeof *w);
    if (w == NULL)
        return NULL;
    w->work = work;
    w->context = context;
    if (spsc_open(&w->queue)) {
        if (signals_start_blocked_thread(&w->thread, run, w))
            return w;
        spsc_close(&w->queue);
    }
    free(w);
    return NULL;
}

void worker_close(worker *w)
{
    if (w == NULL)
        return;
    spsc_end(&w->queue);
    pthread_join(w->thread, NULL);
    spsc_close(&w->queue);
    free(w);
}

void *worker_reserve(worker *w, size_t bytes)
{
    w->pending = true;
    return spsc_reserve(&w->queue, bytes);
}

/* The thread may see the message only when more are put, or when the producer waits or closes the worker. */
void worker_put(worker *w)
{
    spsc_put(&w->queue);
}

/* Returns the number of messages put so far, done or not. */
unsigned long long worker_count(const worker *w)
{
    return spsc_count(&w->queue);
}

/* Returns whether the messages are known to be done; the thread reports that now and then only. */
bool worker_has_done(worker *w, unsigned long long count)
{
    return spsc_has_done(&w->queue, count);
}

void worker_wait_for(worker *w, unsigned long long count)
{
    spsc_wait(&w->queue, count);
}

void worker_wait(worker *w)
{
    if (!w->pending)
        return;
    spsc_drain(&w->queue);
    w->pending = false;
}
