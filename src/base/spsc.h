/* A queue between two threads: messages of any size, put in by one (the producer), taken out in the same
 * order by the other (the consumer). Each tells the other how far it has come only now and then, so that the
 * cache lines which both use seldom go from one to the other. Who has to wait looks for a while, and then
 * sleeps: the producer until half of the messages are done, the consumer until the queue is half full or the
 * producer waits for it. */
#ifndef BASE_SPSC_H
#define BASE_SPSC_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/host_line.h"

enum {
    SPSC_MESSAGES = 512,     /* in the queue at most */
    SPSC_STEP = 16,          /* every so many the other side is told */
    SPSC_BYTES = 512 * 1024, /* of them together */
    SPSC_LARGEST = 64 * 1024 /* of one */
};

/* How a thread waits. */
typedef struct spsc_patience {
    bool none;              /* it sleeps at once: there is one processor */
    unsigned in_vain;       /* waits slept through when it was in vain the last time; 0: it was not */
    unsigned sleep_through; /* waits to be slept through */
} spsc_patience;

typedef struct spsc {
    unsigned char *bytes;                     /* messages begin lines */
    BEGINS_LINE size_t offset[SPSC_MESSAGES]; /* of message n in `bytes`, at n mod SPSC_MESSAGES */
    /* Counted from the first message on: what each side has done, and what it knows of the other. */
    struct {
        BEGINS_LINE unsigned long long put, known_done;
        size_t next, reserved; /* where the next message may begin; its place */
        spsc_patience patience;
    } producer;
    struct {
        BEGINS_LINE unsigned long long done, known_put;
        spsc_patience patience;
    } consumer;
    BEGINS_LINE atomic_ullong put;       /* as far as the consumer is told */
    BEGINS_LINE atomic_ullong done;      /* as far as the producer is told */
    BEGINS_LINE atomic_ullong waits_for; /* the producer sleeps until so many are done */
    atomic_bool idle;                    /* the consumer sleeps */
    atomic_bool ended;
    sem_t room, work;
} spsc;

/* False: out of memory. */
bool spsc_open(spsc *q);
/* Neither side uses it any more. */
void spsc_close(spsc *q);

/* The producer's. Room for a message of at most SPSC_LARGEST bytes, which the next spsc_put puts into the
 * queue; waits for it if it has to. */
void *spsc_reserve(spsc *q, size_t bytes);
/* The consumer may hear of it only at the SPSC_STEPth one, spsc_drain or spsc_end. */
void spsc_put(spsc *q);
/* How many have been put. */
unsigned long long spsc_count(const spsc *q);
/* The consumer is done with the first `count` of them, as far as it tells now. */
bool spsc_has_done(spsc *q, unsigned long long count);
/* Waits until it is. */
void spsc_wait(spsc *q, unsigned long long count);
/* Waits until the consumer is done with all of them. */
void spsc_drain(spsc *q);
/* No more come: when those that are there are done, spsc_take answers NULL. */
void spsc_end(spsc *q);

/* The consumer's. The next message, which stays valid until spsc_done; waits for it. NULL: it was the last.
 */
const void *spsc_take(spsc *q);
void spsc_done(spsc *q);

#endif
