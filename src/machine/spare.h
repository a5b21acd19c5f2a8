/* What the thread that executes does when it is so far ahead of the model's (pricer.h) that it would have to
 * wait for room, and the model's when it would have to wait for something to price: somebody's work that can
 * be done in small pieces, such as writing a file. */
#ifndef MACHINE_SPARE_H
#define MACHINE_SPARE_H

#include <pthread.h>
#include <stdbool.h>

typedef struct spare_work {
    bool (*some)(void *context); /* does a piece, best within some ten microseconds; false: there is none */
    void *context;
    struct spare_work *next; /* spare.c's */
} spare_work;

typedef struct spare_time {
    pthread_mutex_t lock;
    spare_work *first;
} spare_time;

#endif
