#include "base/aside.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/host_line.h"
#include "base/host_time.h"

struct aside {
    unsigned slots;
    void (*work)(void *context, unsigned slot);
    void *context;
    int64_t finished;              /* the second in which nothing waited, for certain */
    pthread_mutex_t doing;         /* held by who is at it */
    BEGINS_LINE atomic_ulong put;  /* pieces of work so far, */
    BEGINS_LINE atomic_ulong done; /* ... and how many of them are done */
};

aside *aside_open(unsigned slots, void (*work)(void *context, unsigned slot), void *context)
{
    aside *a = host_line_calloc(sizeof *a);
    if (a == NULL)
        return NULL;
    a->slots = slots;
    a->work = work;
    a->context = context;
    a->finished = host_now_whole();
    pthread_mutex_init(&a->doing, NULL);
    return a;
}

void aside_close(aside *a)
{
    if (a == NULL)
        return;
    pthread_mutex_destroy(&a->doing);
    free(a);
}

static unsigned long waiting(const aside *a)
{
    unsigned long done = atomic_load(&a->done); /* first: it never passes the other */
    return atomic_load(&a->put) - done;
}

/* Does the oldest if more than `most` wait; `doing` is held. */
static bool do_one(aside *a, unsigned long most)
{
    if (waiting(a) <= most)
        return false;
    unsigned long done = atomic_load(&a->done);
    a->work(a->context, (unsigned)(done % a->slots));
    atomic_store(&a->done, done + 1);
    return true;
}

/* Until no more than `most` wait. */
static void do_down_to(aside *a, unsigned long most)
{
    if (waiting(a) <= most)
        return;
    pthread_mutex_lock(&a->doing);
    while (do_one(a, most))
        continue;
    pthread_mutex_unlock(&a->doing);
}

unsigned aside_slot(aside *a)
{
    do_down_to(a, a->slots - 1);
    return (unsigned)(atomic_load(&a->put) % a->slots);
}

void aside_put(aside *a)
{
    atomic_fetch_add(&a->put, 1);
}

void aside_finish(aside *a)
{
    pthread_mutex_lock(&a->doing);
    while (do_one(a, 0))
        continue;
    pthread_mutex_unlock(&a->doing);
    a->finished = host_now_whole();
}

void aside_keep_up(aside *a)
{
    if (host_now_whole() != a->finished)
        aside_finish(a);
}

bool aside_some(aside *a)
{
    if (waiting(a) == 0 || pthread_mutex_trylock(&a->doing) != 0)
        return false;
    bool done = do_one(a, 0);
    pthread_mutex_unlock(&a->doing);
    return done;
}
