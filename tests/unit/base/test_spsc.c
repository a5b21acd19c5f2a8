/* The queue between two threads. All messages arrive once, in order and unchanged, whatever their sizes. spsc_drain
 * returns after the last message, spsc_wait after as many as requested; a producer that would have to wait does other
 * work meanwhile. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "../unit.h"
#include "base/spsc.h"

/* A message: its number and size, and bytes that follow from both. */
typedef struct message {
    uint32_t number, size;
    unsigned char bytes[];
} message;

static unsigned char byte_of(uint32_t number, uint32_t i)
{
    return (unsigned char)(number * 167 + i * 13 + (i >> 8));
}

typedef struct consumer {
    spsc *queue;
    uint32_t taken, wrong;
    unsigned sleep_every; /* 0 = never */
} consumer;

/* Longer than the other side looks before it sleeps. */
static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 150000}, NULL);
}

static void *consume(void *context)
{
    consumer *c = context;
    for (const message *m; (m = spsc_take(c->queue)) != NULL; spsc_done(c->queue)) {
        bool right = m->number == c->taken;
        for (uint32_t i = 0; i < m->size; i++)
            right &= m->bytes[i] == byte_of(m->number, i);
        c->wrong += !right;
        c->taken++;
        if (c->sleep_every != 0 && c->taken % c->sleep_every == 0)
            nap();
    }
    return NULL;
}

static void put(spsc *q, uint32_t number, uint32_t size)
{
    message *m = spsc_reserve(q, sizeof *m + size);
    m->number = number;
    m->size = size;
    for (uint32_t i = 0; i < size; i++)
        m->bytes[i] = byte_of(number, i);
    spsc_put(q);
}

/* Sizes of a sequence in which small and large, few and many come in turn. */
static uint32_t size_of(uint32_t number)
{
    uint32_t x = number * 2654435761u;
    x ^= x >> 15;
    switch (number / 1000 % 4) {
    case 0:
        return x % 64;
    case 1:
        return x % 4096;
    case 2:
        return x % 8 == 0 ? SPSC_LARGEST - sizeof(message) : x % 300;
    default:
        return x % (SPSC_LARGEST - sizeof(message));
    }
}

/* Ends the queue of `c`, which `thread` reads: it took `count` messages, all of them right. */
static void finish(const consumer *c, pthread_t thread, uint32_t count)
{
    spsc_end(c->queue);
    pthread_join(thread, NULL);
    spsc_close(c->queue);
    assert_int_equal(c->taken, count);
    assert_int_equal(c->wrong, 0);
}

static void run(uint32_t count, unsigned producer_sleeps, unsigned consumer_sleeps, unsigned drain_every)
{
    static spsc queue;
    consumer c = {.queue = &queue, .sleep_every = consumer_sleeps};
    pthread_t thread;
    assert_true(spsc_open(&queue));
    assert_int_equal(pthread_create(&thread, NULL, consume, &c), 0);
    for (uint32_t n = 0; n < count; n++) {
        put(&queue, n, size_of(n));
        if (drain_every != 0 && n % drain_every == 0) {
            spsc_drain(&queue);
            assert_int_equal(c.taken, n + 1); /* the consumer has ended, so its state may be read */
        }
        if (producer_sleeps != 0 && n % producer_sleeps == 0)
            nap();
    }
    finish(&c, thread, count);
}

TEST(everything_arrives)
{
    run(20000, 0, 0, 0);
}

TEST(everything_arrives_at_a_slow_consumer)
{
    run(5000, 0, 7, 0);
}

TEST(everything_arrives_from_a_slow_producer)
{
    run(5000, 7, 0, 0);
}

TEST(a_drain_waits_for_all)
{
    run(5000, 0, 0, 1);
    run(5000, 0, 50, 37);
    run(5000, 11, 0, 5);
}

TEST(an_empty_queue_ends)
{
    run(0, 0, 0, 0);
    run(1, 0, 0, 0);
    run(SPSC_STEP - 1, 0, 0, 0); /* no message was taken before the end */
}

/* What messages only point to is used again when they are done. */
enum { SHELVES = 3, SHELF_MESSAGES = 10, SHELF_BYTES = 512 };
typedef struct elsewhere {
    uint32_t number;
    const unsigned char *bytes;
} elsewhere;

static void *consume_elsewhere(void *context)
{
    consumer *c = context;
    for (const elsewhere *m; (m = spsc_take(c->queue)) != NULL; spsc_done(c->queue)) {
        bool right = m->number == c->taken;
        for (uint32_t i = 0; i < SHELF_BYTES; i++)
            right &= m->bytes[i] == byte_of(m->number, i);
        c->wrong += !right;
        c->taken++;
        if (c->sleep_every != 0 && c->taken % c->sleep_every == 0)
            nap();
    }
    return NULL;
}

static void run_elsewhere(uint32_t count, unsigned consumer_sleeps)
{
    static spsc queue;
    static unsigned char shelves[SHELVES][SHELF_MESSAGES][SHELF_BYTES];
    unsigned long long last[SHELVES] = {0};
    consumer c = {.queue = &queue, .sleep_every = consumer_sleeps};
    pthread_t thread;
    assert_true(spsc_open(&queue));
    assert_int_equal(pthread_create(&thread, NULL, consume_elsewhere, &c), 0);
    for (uint32_t n = 0; n < count; n++) {
        unsigned shelf = n / SHELF_MESSAGES % SHELVES, place = n % SHELF_MESSAGES;
        if (place == 0) {
            spsc_wait(&queue, last[shelf]);
            assert_true(spsc_has_done(&queue, last[shelf]));
        }
        for (uint32_t i = 0; i < SHELF_BYTES; i++)
            shelves[shelf][place][i] = byte_of(n, i);
        *(elsewhere *)spsc_reserve(&queue, sizeof(elsewhere)) =
            (elsewhere){.number = n, .bytes = shelves[shelf][place]};
        assert_int_equal(spsc_count(&queue), n);
        spsc_put(&queue);
        last[shelf] = spsc_count(&queue);
    }
    spsc_wait(&queue, count / 2); /* is done long ago, or soon */
    spsc_drain(&queue);
    assert_true(spsc_has_done(&queue, count));
    assert_false(spsc_has_done(&queue, count + 1));
    finish(&c, thread, count);
}

TEST(a_wait_is_for_some)
{
    run_elsewhere(30000, 0);
    run_elsewhere(3000, 7);
    run_elsewhere(3000, 1);
}
