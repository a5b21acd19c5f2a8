/* What the thread that executes does when it is so far ahead of the model's (pricer.h) that it would have to
 * wait for room, and the model's when it would have to wait for something to price: somebody's work that can
 * be done in small pieces, such as writing a file. */
#ifndef MACHINE_SPARE_H
#define MACHINE_SPARE_H

#include <pthread.h>
#include <stdbool.h>

#include "p5scope/machine.h"

typedef struct spare_work {
    bool (*some)(void *context); /* does a piece, best within some ten microseconds; false: there is none */
    void *context;
    struct spare_work *next; /* spare.c's */
} spare_work;

typedef struct spare_time {
    pthread_mutex_t lock;
    spare_work *first;
} spare_time;

void spare_init(spare_time *spare);
void spare_free(spare_time *spare);
/* `work` is the caller's, and is used until spare_remove returns. From any thread. The host's x87 is free
 * when it is called. */
void spare_add(p5_machine *machine, spare_work *work);
void spare_remove(p5_machine *machine, spare_work *work);
/* Does a piece of it: the thread that executes, from where engine_settle may be called, or the model's.
 * False: there is none, or the other thread is at it. */
bool spare_use(p5_machine *machine, bool executes);

#endif
