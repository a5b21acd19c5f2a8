/* The queue between two threads of spsc.h (single producer, single consumer). */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/spsc.h"

#include <assert.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/host_time.h"

/* A number of messages that is never reached. */
#define NEVER (~0ull)
/* How long a thread polls before it sleeps. If the host is a virtual machine, a sleeping thread takes about half of this
 * time to wake up, and waking it costs the other thread a system call. */
static const double POLL_SECONDS = 100e-6;
enum {
    POLLS_PER_CHECK = 64, /* reads of the counter between two looks at the host's clock */
    MOST_BACKOFF = 64     /* upper limit of spsc_patience.backoff */
};

/* Returns whether this process may use more than one processor, so that the two threads can run at the same time. */
static bool have_processors(void)
{
    cpu_set_t mine;
    return sched_getaffinity(0, sizeof mine, &mine) != 0 || CPU_COUNT(&mine) > 1;
}

bool spsc_open(spsc *q)
{
    memset(q, 0, sizeof *q);
    q->producer.patience.never_polls = q->consumer.patience.never_polls = !have_processors();
    q->bytes = aligned_alloc(HOST_LINE, SPSC_BYTES);
    if (q->bytes == NULL)
        return false;
    atomic_init(&q->put, 0);
    atomic_init(&q->done, 0);
    atomic_init(&q->waits_for, NEVER);
    atomic_init(&q->idle, false);
    atomic_init(&q->ended, false);
    sem_init(&q->room, 0, 0);
    sem_init(&q->work, 0, 0);
    return true;
}

void spsc_close(spsc *q)
{
    sem_destroy(&q->room);
    sem_destroy(&q->work);
    free(q->bytes);
}

/* Sleeps until the semaphore is posted. */
static void sleep_until(sem_t *s)
{
    while (sem_wait(s) != 0)
        continue; /* a signal interrupted it */
}

/* Polls for some microseconds. Returns whether `*counter` has reached `wanted`. */
static bool poll_briefly(const atomic_ullong *counter, unsigned long long wanted)
{
    for (unsigned polls = 0; polls < POLLS_PER_CHECK; polls++) {
        if (atomic_load(counter) >= wanted)
            return true;
        host_line_wait();
    }
    return false;
}

/* Returns whether `*counter` has reached `wanted`, or does so while it is polled for POLL_SECONDS; otherwise the caller
 * has to sleep. Each unsuccessful poll, which means that other programs use the processors too, doubles the number of
 * the following waits that are not polled. */
static bool poll(spsc_patience *own, const atomic_ullong *counter, unsigned long long wanted)
{
    if (poll_briefly(counter, wanted))
        return true;
    if (own->never_polls)
        return false;
    if (own->skips_left > 0) {
        own->skips_left--;
        return false;
    }
    for (double until = host_now() + POLL_SECONDS; host_now() < until;)
        if (poll_briefly(counter, wanted)) {
            own->backoff = 0;
            return true;
        }
    own->backoff = own->backoff == 0 ? 1 : own->backoff * 2;
    if (own->backoff > MOST_BACKOFF)
        own->backoff = MOST_BACKOFF;
    own->skips_left = own->backoff;
    return false;
}

/* --- producer --- */

/* Wakes the consumer if it sleeps. */
static void wake(spsc *q)
{
    if (atomic_exchange(&q->idle, false))
        sem_post(&q->work);
}

/* Publishes to the consumer all messages that have been put, without waking it. Each side publishes its
 * progress with an exchange rather than a store before it reads the other's. The two are the same on x86, but
 * qemu-user 7.2 does not keep the order of ARM's sequentially consistent stores and loads. */
static void publish(spsc *q)
{
    atomic_exchange(&q->put, q->producer.put);
}

/* Waits until the consumer is done with the first `wanted` messages. */
static void wait_for(spsc *q, unsigned long long wanted)
{
    publish(q);
    wake(q);
    if (!poll(&q->producer.patience, &q->done, wanted)) {
        /* Either the consumer sees that the producer waits, or the producer sees that the message is done,
         * because both accesses are sequentially consistent. The side that clears `waits_for` decides whether
         * the semaphore is posted. */
        atomic_exchange(&q->waits_for, wanted);
        if (atomic_load(&q->done) < wanted || atomic_exchange(&q->waits_for, NEVER) == NEVER)
            sleep_until(&q->room);
    }
    q->producer.known_done = atomic_load(&q->done);
}

/* Finds free space for a message in `bytes`, which is a ring: messages that are not known to be done occupy it from the
 * oldest one up to producer.next. A message is never split: if the rest of `bytes` is too small, it begins at 0. Returns
 * false if there is no space, otherwise sets producer.reserved. */
static bool find_room(spsc *q, size_t bytes)
{
    unsigned long long put = q->producer.put, done = q->producer.known_done;
    size_t next = q->producer.next;
    assert(put >= done && put - done <= SPSC_MESSAGES);
    assert(next <= SPSC_BYTES);
    assert(bytes <= SPSC_BYTES);
    if (put == done) {
        q->producer.reserved = 0;
        return true;
    }
    if (put - done == SPSC_MESSAGES)
        return false;
    size_t oldest = q->offset[done % SPSC_MESSAGES];
    if (next > oldest && SPSC_BYTES - next < bytes)
        next = 0;
    if (next <= oldest && oldest - next < bytes)
        return false;
    q->producer.reserved = next;
    return true;
}

void *spsc_reserve(spsc *q, size_t bytes)
{
    while (!find_room(q, bytes)) {
        unsigned long long known = q->producer.known_done, put = q->producer.put;
        q->producer.known_done = atomic_load_explicit(&q->done, memory_order_acquire);
        if (q->producer.known_done == known) /* wait for half of the messages that are not done */
            wait_for(q, known + (put - known + 1) / 2);
    }
    q->producer.next = q->producer.reserved + round_up(bytes, HOST_LINE);
    assert(q->producer.next <= SPSC_BYTES);
    assert(q->producer.reserved % HOST_LINE == 0);
    return q->bytes + q->producer.reserved;
}

void spsc_put(spsc *q)
{
    assert(q->producer.put - q->producer.known_done < SPSC_MESSAGES);
    q->offset[q->producer.put % SPSC_MESSAGES] = q->producer.reserved;
    if (++q->producer.put % SPSC_STEP != 0)
        return;
    publish(q);
    /* A sleeping consumer is only woken when the queue is half full. */
    if (atomic_load(&q->idle) && q->producer.put - atomic_load(&q->done) >= SPSC_MESSAGES / 2)
        wake(q);
}

unsigned long long spsc_count(const spsc *q)
{
    return q->producer.put;
}

bool spsc_has_done(spsc *q, unsigned long long count)
{
    if (q->producer.known_done < count)
        q->producer.known_done = atomic_load_explicit(&q->done, memory_order_acquire);
    return q->producer.known_done >= count;
}

void spsc_wait(spsc *q, unsigned long long count)
{
    assert(count <= q->producer.put);
    if (!spsc_has_done(q, count))
        wait_for(q, count);
}

void spsc_drain(spsc *q)
{
    spsc_wait(q, q->producer.put);
}

void spsc_end(spsc *q)
{
    publish(q);
    atomic_store(&q->ended, true);
    wake(q);
}

/* --- consumer --- */

/* Publishes how many messages are done, and wakes the producer if it waits for no more than these. */
static void publish_done(spsc *q)
{
    assert(q->consumer.done <= q->consumer.known_put);
    atomic_exchange(&q->done, q->consumer.done);
    unsigned long long wanted = atomic_load(&q->waits_for);
    if (wanted <= q->consumer.done && atomic_compare_exchange_strong(&q->waits_for, &wanted, NEVER))
        sem_post(&q->room);
}

/* Returns whether the producer has published another message. */
static bool has_message(spsc *q)
{
    q->consumer.known_put = atomic_load(&q->put);
    assert(q->consumer.known_put >= q->consumer.done);
    return q->consumer.known_put != q->consumer.done;
}

/* Waits for a message. Returns false after the last one. */
static bool wait_for_message(spsc *q)
{
    while (!has_message(q)) {
        if (atomic_load(&q->ended))
            return has_message(q); /* a message may have been put just before the end */
        if (poll(&q->consumer.patience, &q->put, q->consumer.done + 1))
            continue;
        atomic_exchange(&q->idle, true);
        bool more = has_message(q) || atomic_load(&q->ended);
        if (!more || !atomic_exchange(&q->idle, false)) /* the side that clears `idle` decides about
                                                           posting */
            sleep_until(&q->work);
    }
    return true;
}

const void *spsc_take(spsc *q)
{
    if (q->consumer.done == q->consumer.known_put && !wait_for_message(q))
        return NULL;
    assert(q->consumer.done < q->consumer.known_put);
    return q->bytes + q->offset[q->consumer.done % SPSC_MESSAGES];
}

void spsc_done(spsc *q)
{
    assert(q->consumer.done < q->consumer.known_put);
    q->consumer.done++;
    if (q->consumer.done % SPSC_STEP == 0 || q->consumer.done == q->consumer.known_put)
        publish_done(q);
}
