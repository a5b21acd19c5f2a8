/* A queue between two threads (SPSC: single producer, single consumer). One thread (the producer) puts messages of
 * different sizes, and the other (the consumer) takes them in the same order. Each side publishes its progress only now
 * and then, so that the shared cache lines rarely move between processors. A side that has to wait polls for a while and
 * then sleeps. A producer without space sleeps until half of the messages in the queue are done. A consumer without a
 * message sleeps until SPSC_MESSAGES / 2 are in the queue, or the producer waits or ends the queue. */
#ifndef BASE_SPSC_H
#define BASE_SPSC_H

#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/host_line.h"

enum {
    SPSC_MESSAGES = 512,     /* most messages in the queue */
    SPSC_STEP = 16,          /* progress is published after this many messages */
    SPSC_BYTES = 512 * 1024, /* most bytes of all messages together */
    SPSC_LARGEST = 64 * 1024 /* most bytes of one message */
};

/* How a thread waits. It polls for a while before it sleeps. After an unsuccessful poll it sleeps at once in the next
 * `backoff` waits. */
typedef struct spsc_patience {
    bool never_polls; /* because there is one processor only */
    /* 0 after a successful poll; 1, 2, 4 and so on after unsuccessful ones, up to a limit. */
    unsigned backoff;
    unsigned skips_left; /* waits that remain of `backoff` */
} spsc_patience;

typedef struct spsc {
    unsigned char *bytes;                     /* of the messages, each of which begins a cache line */
    BEGINS_LINE size_t offset[SPSC_MESSAGES]; /* of message n in `bytes`, at n mod SPSC_MESSAGES */
    /* Progress is a number of messages since the queue was opened. Each side has its own progress (put or done), and
     * the last progress of the other side that it has read. */
    struct {
        BEGINS_LINE unsigned long long put, known_done;
        size_t next, reserved; /* offsets in `bytes`: the end of the last reserved message; its beginning */
        spsc_patience patience;
    } producer;
    struct {
        BEGINS_LINE unsigned long long done, known_put;
        spsc_patience patience;
    } consumer;
    BEGINS_LINE atomic_ullong put;  /* producer.put as published to the consumer */
    BEGINS_LINE atomic_ullong done; /* consumer.done as published to the producer */
    /* The producer sleeps until so many messages are done; 2^64 - 1: it does not sleep. */
    BEGINS_LINE atomic_ullong waits_for;
    atomic_bool idle;  /* the consumer sleeps */
    atomic_bool ended; /* set by spsc_end */
    sem_t room;        /* on which the producer sleeps */
    sem_t work;        /* on which the consumer sleeps */
} spsc;

/* Opens a queue at `q`, which begins a line (host_line_calloc). Returns false if memory runs out. */
bool spsc_open(spsc *q);
/* Closes a queue that neither side uses any more. */
void spsc_close(spsc *q);

/* The following functions, up to spsc_end, are for the producer. */

/* Returns space for a message of at most SPSC_LARGEST bytes, which the caller fills in and the next spsc_put puts
 * into the queue. Waits for space if necessary. */
void *spsc_reserve(spsc *q, size_t bytes);
/* Puts the reserved message. The consumer can take it, unless it sleeps, after at most SPSC_STEP messages more, or when
 * the producer waits (spsc_reserve, spsc_wait, spsc_drain) or ends the queue. */
void spsc_put(spsc *q);
/* Returns how many messages have been put. */
unsigned long long spsc_count(const spsc *q);
/* Returns whether the consumer has published that it is done with the first `count` messages. Does not wait. */
bool spsc_has_done(spsc *q, unsigned long long count);
/* Waits until the consumer is done with the first `count` messages. */
void spsc_wait(spsc *q, unsigned long long count);
/* Waits until the consumer is done with all messages. */
void spsc_drain(spsc *q);
/* Ends the queue. spsc_take returns NULL after the messages already put. */
void spsc_end(spsc *q);

/* The following functions are for the consumer. */

/* Waits for the next message and returns it; it stays valid until spsc_done. Returns NULL after the last message of an
 * ended queue. */
const void *spsc_take(spsc *q);
/* Ends the use of the message of the last spsc_take. The producer learns it after SPSC_STEP messages, or when no more
 * message is known. */
void spsc_done(spsc *q);

#endif
