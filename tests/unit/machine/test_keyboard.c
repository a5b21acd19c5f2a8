/* The keyboard controller: self-test, command byte, A20, reset, scan codes with their interrupt. */
#include "board.h"

enum { DATA = 0x60, COMMAND = 0x64, MILLISECOND = 200000 };

static void test_controller(void **state)
{
    (void)state;
    p5_machine *m = board_open("");
    out(m, COMMAND, 0xaa);
    assert_int_equal(0x01, in(m, COMMAND) & 0x03);
    assert_int_equal(0x55, in(m, DATA));
    assert_int_equal(0x00, in(m, COMMAND) & 0x03);
    out(m, COMMAND, 0x60);
    out(m, DATA, 0x64); /* no interrupts */
    out(m, COMMAND, 0x20);
    assert_int_equal(0x64, in(m, DATA));
    p5_machine_close(m);
}

static void test_a20(void **state)
{
    (void)state;
    p5_machine *m = board_open("");
    assert_int_equal(0x02, in(m, 0x92));
    out(m, COMMAND, 0xd1);
    out(m, DATA, 0xdd); /* A20 off */
    assert_int_equal(0x00, in(m, 0x92));
    out(m, COMMAND, 0xdf);
    assert_int_equal(0x02, in(m, 0x92));
    out(m, COMMAND, 0xd0);
    assert_int_equal(0x03, in(m, DATA) & 0x03);
    p5_machine_close(m);
}

static void test_keyboard_commands(void **state)
{
    (void)state;
    static const uint8_t expected[] = {0xfa, 0xaa};
    p5_machine *m = board_open("");
    out(m, DATA, 0xff);
    for (unsigned i = 0; i < sizeof expected; i++) {
        assert_int_equal(0, in(m, COMMAND) & 1); /* a byte takes a millisecond */
        pass(m, MILLISECOND);
        assert_int_equal(1, in(m, COMMAND) & 1);
        assert_int_equal(expected[i], in(m, DATA));
    }
    out(m, DATA, 0xed);
    pass(m, MILLISECOND);
    assert_int_equal(0xfa, in(m, DATA));
    out(m, DATA, 0x07); /* the LEDs */
    pass(m, MILLISECOND);
    assert_int_equal(0xfa, in(m, DATA));
    p5_machine_close(m);
}

static void test_keys(void **state)
{
    (void)state;
    static const uint8_t expected[] = {0x1e, 0x9e, 0x2a, 0x1e, 0x9e, 0xaa, 0x1d, 0x2e, 0xae, 0x9d};
    p5_machine *m = board_open("aA\003");
    m->devices->input = INPUT_KEYBOARD;
    board_interrupts(m);
    out(m, COMMAND, 0x60);
    out(m, DATA, 0x45);
    for (unsigned i = 0; i < sizeof expected; i++) {
        for (unsigned wait = 0; !m->interrupt_request && wait < 4; wait++)
            pass(m, MILLISECOND);
        assert_true(m->interrupt_request);
        assert_int_equal(0x21, devices_acknowledge(m->devices));
        assert_int_equal(expected[i], in(m, DATA));
        out(m, PIC_MASTER, 0x20);
    }
    pass(m, 100 * MILLISECOND);
    assert_false(m->interrupt_request);
    p5_machine_close(m);
}

/* The mouse answers by D4h, on line 12, and status bit 5 tells its bytes from the keyboard's. */
static void test_mouse(void **state)
{
    (void)state;
    static const struct {
        uint8_t command, answers[4];
        unsigned count;
    } rows[] = {{0xff, {0xfa, 0xaa, 0x00}, 3},
                {0xf2, {0xfa, 0x00}, 2},
                {0xe8, {0xfa}, 1},
                {0x03, {0xfa}, 1},
                {0xf3, {0xfa}, 1},
                {0x28, {0xfa}, 1},
                {0xf4, {0xfa}, 1},
                {0xe7, {0xfa}, 1},
                {0xe9, {0xfa, 0x30, 3, 40}, 4},
                {0xf3, {0xfa}, 1},
                {0x29, {0xfe}, 1},
                {0xeb, {0xfa, 8, 0, 0}, 4},
                {0xee, {0xfa}, 1},
                {0xf2, {0xf2}, 1},
                {0xec, {0xfa}, 1},
                {0x12, {0xfe}, 1}};
    p5_machine *m = board_open("");
    board_interrupts(m);
    out(m, COMMAND, 0x60);
    out(m, DATA, 0x47);
    for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        out(m, COMMAND, 0xd4);
        out(m, DATA, rows[r].command);
        for (unsigned i = 0; i < rows[r].count; i++) {
            pass(m, 2 * MILLISECOND);
            assert_int_equal(0x21, in(m, COMMAND) & 0x21);
            assert_true(m->interrupt_request);
            assert_int_equal(0x28 + 4, devices_acknowledge(m->devices));
            assert_int_equal(rows[r].answers[i], in(m, DATA));
            out(m, PIC_SLAVE, 0x20);
            out(m, PIC_MASTER, 0x20);
        }
        pass(m, 2 * MILLISECOND);
        assert_int_equal(0, in(m, COMMAND) & 1);
    }
    out(m, COMMAND, 0xd3); /* as if the mouse had sent it */
    out(m, DATA, 0x5a);
    assert_int_equal(0x21, in(m, COMMAND) & 0x21);
    assert_int_equal(0x5a, in(m, DATA));
    out(m, COMMAND, 0xa7);
    out(m, COMMAND, 0x20);
    assert_int_equal(0x67, in(m, DATA));
    out(m, COMMAND, 0xa8);
    out(m, COMMAND, 0x20);
    assert_int_equal(0x47, in(m, DATA));
    out(m, COMMAND, 0xa9);
    assert_int_equal(0x00, in(m, DATA));
    p5_machine_close(m);
}

static void test_codes_and_characters(void **state)
{
    (void)state;
    for (unsigned c = 1; c < 0x7f; c++) {
        bool shift, control;
        uint8_t code = keyboard_scan_code((uint8_t)c, &shift, &control);
        if (c == '\n' || code == 0)
            continue;
        assert_int_equal(c, keyboard_character(code, shift, control));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_controller),           cmocka_unit_test(test_a20),
        cmocka_unit_test(test_keyboard_commands),    cmocka_unit_test(test_keys),
        cmocka_unit_test(test_codes_and_characters), cmocka_unit_test(test_mouse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
