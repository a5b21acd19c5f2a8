/* Work put aside: every piece is done once, in order, never two at a time, by whichever thread has time. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/aside.h"

enum { MOST_SLOTS = 8 };

typedef struct desk {
    aside *aside;
    unsigned slots[MOST_SLOTS]; /* the number of the piece that lies there */
    unsigned done, wrong;
    atomic_uint within; /* threads that are at it */
    atomic_bool over;
} desk;

static void work(void *context, unsigned slot)
{
    desk *d = context;
    d->wrong += atomic_fetch_add(&d->within, 1) != 0 || d->slots[slot] != d->done;
    d->done++;
    atomic_fetch_sub(&d->within, 1);
}

static void open_desk(desk *d, unsigned slots)
{
    *d = (desk){0};
    d->aside = aside_open(slots, work, d);
    assert_non_null(d->aside);
}

static void put(desk *d, unsigned number)
{
    d->slots[aside_slot(d->aside)] = number;
    aside_put(d->aside);
}

static void what_has_no_room_is_done_at_once(void **state)
{
    (void)state;
    desk d;
    open_desk(&d, 3);
    assert_false(aside_some(d.aside));
    for (unsigned i = 0; i < 3; i++)
        put(&d, i);
    assert_int_equal(d.done, 0);
    assert_int_equal(aside_slot(d.aside), aside_slot(d.aside)); /* until it is put */
    assert_int_equal(d.done, 1);
    put(&d, 3);
    assert_true(aside_some(d.aside));
    assert_int_equal(d.done, 2);
    aside_finish(d.aside);
    assert_int_equal(d.done, 4);
    assert_false(aside_some(d.aside));
    aside_finish(d.aside);
    assert_int_equal(d.wrong, 0);
    aside_close(d.aside);
    aside_close(NULL);
}

static void *help(void *context)
{
    desk *d = context;
    while (!atomic_load(&d->over))
        if (!aside_some(d->aside))
            sched_yield();
    return NULL;
}

static void others_help(void **state)
{
    (void)state;
    enum { PIECES = 20000, HELPERS = 2 };
    for (unsigned slots = 1; slots <= MOST_SLOTS; slots++) {
        desk d;
        pthread_t helpers[HELPERS];
        open_desk(&d, slots);
        for (unsigned i = 0; i < HELPERS; i++)
            assert_int_equal(pthread_create(&helpers[i], NULL, help, &d), 0);
        for (unsigned i = 0; i < PIECES; i++) {
            put(&d, i);
            if (i % 1000 == 500)
                aside_finish(d.aside);
        }
        aside_finish(d.aside);
        assert_int_equal(d.done, PIECES);
        atomic_store(&d.over, true);
        for (unsigned i = 0; i < HELPERS; i++)
            pthread_join(helpers[i], NULL);
        assert_int_equal(d.done, PIECES);
        assert_int_equal(d.wrong, 0);
        aside_close(d.aside);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_has_no_room_is_done_at_once),
                                       cmocka_unit_test(others_help)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
