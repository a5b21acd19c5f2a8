/* A unit test of event counts with cmocka: runs a guest and compares its counts with those that its author
 * derived from the manual's rules.
 *   nasm -f bin sum.asm -o sum.bin
 *   cc test_sum.c $(pkg-config --cflags --libs p5scope cmocka)
 *   ./a.out sum.bin */

#include <p5scope/cmocka.h>
#include <p5scope/machine.h>

static const char *image;

static void adds_a_thousand_words(void **state)
{
    (void)state;
    p5_counts *before = p5_counts_new(), *after = p5_counts_new();
    const p5_load_options flat = {.size = sizeof flat, .kind = P5_GUEST_FLAT, .address = 0x10000};
    p5_machine_options options = {.size = sizeof options, .model = "p55c-200"};
    p5_run_result result = {.size = sizeof result};
    p5_machine *machine;
    p5_error error;
    if (p5_machine_open(&options, &machine, &error) != P5_OK ||
        p5_machine_load(machine, image, &flat, &error) != P5_OK)
        fail_msg("%s", error.message);

    p5_machine_counts(machine, before);
    if (p5_machine_run(machine, NULL, &result, &error) != P5_OK)
        fail_msg("%s", error.message);
    assert_int_equal(result.end, P5_END_EXIT);
    p5_machine_counts(machine, after);

    p5_assert_event(before, after, P5_EVENT_DATA_READ, 1000);
    /* 125 lines of 32 bytes, none of them in the cache */
    p5_assert_event(before, after, P5_EVENT_DATA_READ_MISS, 125);
    /* ADD reg,mem pairs with ADD reg,imm and DEC with JNZ: two clocks a word are the least */
    p5_assert_event_between(before, after, P5_EVENT_INSTRUCTIONS_EXECUTED_V_PIPE, 1990, 2000);
    p5_machine_close(machine);
    p5_counts_free(before);
    p5_counts_free(after);
}

int main(int argc, char **argv)
{
    image = argc > 1 ? argv[1] : "sum.bin";
    const struct CMUnitTest tests[] = {cmocka_unit_test(adds_a_thousand_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
