/* The keyboard controller: self-test, command byte, A20, reset, scan codes with their interrupt. */
#include "board.h"

enum { DATA = 0x60, COMMAND = 0x64, MILLISECOND = 200000 };

/* The controller answers this command with this byte. */
static void expect_answer(p5_machine *m, unsigned command, unsigned answer)
{
    out(m, COMMAND, command);
    assert_int_equal(answer, in(m, DATA));
}

TEST(test_controller)
{
    MACHINE(m, board_open(""));
    out(m, COMMAND, 0xaa);
    assert_int_equal(0x01, in(m, COMMAND) & 0x03);
    assert_int_equal(0x55, in(m, DATA));
    assert_int_equal(0x00, in(m, COMMAND) & 0x03);
    out(m, COMMAND, 0x60);
    out(m, DATA, 0x64); /* no interrupts */
    expect_answer(m, 0x20, 0x64);
}

TEST(test_a20)
{
    MACHINE(m, board_open(""));
    assert_int_equal(0x02, in(m, 0x92));
    out(m, COMMAND, 0xd1);
    out(m, DATA, 0xdd); /* A20 off */
    assert_int_equal(0x00, in(m, 0x92));
    out(m, COMMAND, 0xdf);
    assert_int_equal(0x02, in(m, 0x92));
    out(m, COMMAND, 0xd0);
    assert_int_equal(0x03, in(m, DATA) & 0x03);
}

TEST(test_keys)
{
    static const uint8_t expected[] = {0x1e, 0x9e, 0x2a, 0x1e, 0x9e, 0xaa, 0x1d, 0x2e, 0xae, 0x9d};
    MACHINE(m, board_open("aA\003"));
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
}

/* Each key needs its own request. A requested key is sent until its make code has been read. */
TEST(test_requests)
{
    MACHINE(m, board_open("ab"));
    m->devices->input = INPUT_KEYBOARD;
    keyboard_set_one_by_one(m->devices);
    assert_false(keyboard_sends_key(m->devices));
    keyboard_request_key(m->devices);
    assert_true(keyboard_sends_key(m->devices));
    pass(m, 4 * MILLISECOND);
    assert_true(keyboard_sends_key(m->devices));
    assert_int_equal(in(m, DATA), 0x1e);
    pass(m, 4 * MILLISECOND);
    assert_false(keyboard_sends_key(m->devices));
    assert_int_equal(in(m, DATA), 0x9e);
    pass(m, 4 * MILLISECOND);
    assert_false(keyboard_sends_key(m->devices));
    assert_int_equal(0, in(m, COMMAND) & 1);
}

/* The mouse answers by D4h, on line 12, and status bit 5 tells its bytes from the keyboard's. */
TEST(test_mouse)
{
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
    MACHINE(m, board_open(""));
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
    expect_answer(m, 0x20, 0x67);
    out(m, COMMAND, 0xa8);
    expect_answer(m, 0x20, 0x47);
    expect_answer(m, 0xa9, 0x00);
}

/* Commands to the keyboard and its answers, with codes as they are and translated (IBM's PS/2 technical reference). */
TEST(test_all_keyboard_commands)
{
    static const struct {
        uint8_t command_byte, command, answers[3];
        unsigned count;
    } rows[] = {{0x44, 0xee, {0xee}, 1},
                {0x44, 0xf2, {0xfa, 0xab, 0x41}, 3},
                {0x04, 0xf2, {0xfa, 0xab, 0x83}, 3},
                {0x44, 0xf3, {0xfa}, 1},
                {0x44, 0x20, {0xfa}, 1}, /* its parameter */
                {0x44, 0xed, {0xfa}, 1},
                {0x44, 0x07, {0xfa}, 1}, /* the LEDs */
                {0x44, 0xed, {0xfa}, 1},
                {0x44, 0xf5, {0xfa}, 1}, /* a command instead */
                {0x44, 0xf4, {0xfa}, 1},
                {0x44, 0xf6, {0xfa}, 1},
                {0x44, 0xf0, {0xfa}, 1},
                {0x44, 0x00, {0xfa, 0x41}, 2}, /* which set? */
                {0x04, 0xf0, {0xfa}, 1},
                {0x04, 0x00, {0xfa, 0x02}, 2},
                {0x44, 0xf0, {0xfa}, 1},
                {0x44, 0x02, {0xfa}, 1},
                {0x44, 0xef, {0xfe}, 1},
                {0x44, 0x00, {0xfe}, 1},
                {0x44, 0xff, {0xfa, 0xaa}, 2}};
    MACHINE(m, board_open(""));
    for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        out(m, COMMAND, 0x60);
        out(m, DATA, rows[r].command_byte);
        out(m, DATA, rows[r].command);
        for (unsigned i = 0; i < rows[r].count; i++) {
            pass(m, MILLISECOND - 1);
            assert_int_equal(0x14, in(m, COMMAND) & 0x35);
            pass(m, 1);
            assert_int_equal(0x15, in(m, COMMAND) & 0x35);
            if (in(m, DATA) != rows[r].answers[i])
                fail_msg("row %u, answer %u", r, i);
        }
        pass(m, 4 * MILLISECOND);
        assert_int_equal(0, in(m, COMMAND) & 1);
    }
}

/* Commands to the controller. */
TEST(test_all_controller_commands)
{
    MACHINE(m, board_open(""));
    assert_int_equal(0x14, in(m, COMMAND)); /* tested, not locked; the last write was data */
    out(m, COMMAND, 0x20);
    assert_int_equal(0x1d, in(m, COMMAND)); /* the last write was a command */
    assert_int_equal(0x45, in(m, DATA));
    expect_answer(m, 0xab, 0x00);
    expect_answer(m, 0xc0, 0xa0);
    out(m, COMMAND, 0xad);
    expect_answer(m, 0x20, 0x55);
    out(m, COMMAND, 0xae);
    expect_answer(m, 0x20, 0x45);
    out(m, COMMAND, 0xad);
    out(m, DATA, 0xee); /* a command to the keyboard enables it */
    expect_answer(m, 0x20, 0x45);
    pass(m, 2 * MILLISECOND);
    assert_int_equal(0xee, in(m, DATA));
    out(m, COMMAND, 0xd2); /* as if the keyboard had sent it */
    out(m, DATA, 0x77);
    assert_int_equal(0x15, in(m, COMMAND) & 0x35);
    out(m, COMMAND, 0xd0); /* the output port: its line is high */
    assert_int_equal(0x13, in(m, DATA) & 0x33);
    out(m, COMMAND, 0xd3);
    out(m, DATA, 0x77);
    out(m, COMMAND, 0xd0);
    assert_int_equal(0x23, in(m, DATA) & 0x33);
    assert_int_equal(0x00, in(m, COMMAND) & 0x21);
    out(m, COMMAND, 0xdd);
    expect_answer(m, 0xd0, 0x01);
    out(m, COMMAND, 0xd1);
    out(m, DATA, 0x03);
    expect_answer(m, 0xd0, 0x03);
}

/* Set 1, the codes that a PC's controller gives. */
TEST(test_scan_codes)
{
    static const struct {
        uint8_t first;
        const char *plain, *shifted;
    } rows[] = {{0x02, "1234567890-=\b", "!@#$%^&*()_+\b"},
                {0x0f, "\tqwertyuiop[]\r", "\tQWERTYUIOP{}\r"},
                {0x1e, "asdfghjkl;'`", "ASDFGHJKL:\"~"},
                {0x2b, "\\zxcvbnm,./", "|ZXCVBNM<>?"},
                {0x39, " ", " "},
                {0x01, "\033", "\033"}};
    for (unsigned r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (unsigned i = 0; rows[r].plain[i] != '\0'; i++) {
            bool shift, control;
            const uint8_t plain = (uint8_t)rows[r].plain[i], shifted = (uint8_t)rows[r].shifted[i];
            assert_int_equal(keyboard_scan_code(plain, &shift, &control), rows[r].first + i);
            assert_false(shift || control);
            assert_int_equal(keyboard_scan_code(shifted, &shift, &control), rows[r].first + i);
            assert_int_equal(shift, shifted != plain);
            assert_int_equal(keyboard_character((uint8_t)(rows[r].first + i), false, false), plain);
            assert_int_equal(keyboard_character((uint8_t)(rows[r].first + i), true, false), shifted);
            assert_int_equal(key_of_character(plain).code, rows[r].first + i);
            assert_int_equal(key_of_character(plain).character, plain);
        }
    bool shift, control;
    assert_int_equal(keyboard_scan_code(1, &shift, &control), 0x1e); /* Ctrl-A to Ctrl-Z */
    assert_true(control && !shift);
    assert_int_equal(keyboard_scan_code(26, &shift, &control), 0x2c);
    assert_true(control && !shift);
    assert_int_equal(keyboard_character(0x1e, false, true), 1);
    assert_int_equal(keyboard_character(0x2c, true, true), 26);
    assert_int_equal(keyboard_character(0x02, false, true), '1');
    assert_int_equal(keyboard_scan_code('\n', &shift, &control), 0x1c);
    assert_int_equal(keyboard_scan_code(0x7f, &shift, &control), 0x0e);
    assert_int_equal(keyboard_scan_code(0, &shift, &control), 0);
    assert_int_equal(keyboard_scan_code(0x80, &shift, &control), 0);
    assert_int_equal(keyboard_scan_code(0x1c, &shift, &control), 0);
    assert_int_equal(keyboard_character(0x3a, false, false), 0);
    assert_int_equal(keyboard_character(0xff, false, false), 0);
}

/* A key is on its way if its code, not that of its release, is in the output buffer or in the queue. */
TEST(test_keys_on_their_way)
{
    MACHINE(m, board_open(""));
    keyboard *k = &m->devices->keyboard;
    assert_false(keyboard_sends_key(m->devices));
    k->output_full = true;
    k->output = 0x1e;
    assert_true(keyboard_sends_key(m->devices));
    k->output = 0x9e;
    assert_false(keyboard_sends_key(m->devices));
    k->queue[0] = 0x9e;
    k->queue[1] = 0x1e;
    k->queued = 1;
    assert_false(keyboard_sends_key(m->devices));
    k->queued = 2;
    assert_true(keyboard_sends_key(m->devices));
}

/* Sixteen bytes wait in the keyboard's queue; it stops sending while a byte has not been read. */
TEST(test_full_queue)
{
    MACHINE(m, board_open(""));
    for (unsigned i = 0; i < 20; i++)
        out(m, DATA, 0xee);
    pass(m, MILLISECOND);
    unsigned count = 0;
    for (; (in(m, COMMAND) & 1) != 0; count++) {
        pass(m, 10 * MILLISECOND); /* a byte is in the way */
        assert_int_equal(0xee, in(m, DATA));
        pass(m, MILLISECOND - 1);
        assert_int_equal(0, in(m, COMMAND) & 1);
        pass(m, 1);
    }
    assert_int_equal(count, KEYBOARD_QUEUE);
}

TEST(test_codes_and_characters)
{
    for (unsigned c = 1; c < 0x7f; c++) {
        bool shift, control;
        uint8_t code = keyboard_scan_code((uint8_t)c, &shift, &control);
        if (c == '\n' || code == 0)
            continue;
        assert_int_equal(c, keyboard_character(code, shift, control));
    }
}

/* The sequences of xterm and of the Linux console, whole and byte by byte; what is no sequence begins with Esc. */
TEST(test_sequences)
{
    static const struct {
        const char *bytes;
        unsigned used;
        key_press key;
    } rows[] = {
        {"a", 1, {.code = 0x1e, .character = 'a'}},
        {"\033[A", 3, {.code = 0x48, .extended = true}},
        {"\033OB", 3, {.code = 0x50, .extended = true}},
        {"\033[1;5C", 6, {.code = 0x4d, .extended = true, .control = true}},
        {"\033[1;2D", 6, {.code = 0x4b, .extended = true, .shift = true}},
        {"\033[1;8H", 6, {.code = 0x47, .extended = true, .shift = true, .control = true, .alt = true}},
        {"\033[1;2;5D", 8, {.code = 0x4b, .extended = true, .shift = true}},
        {"\033[3~", 4, {.code = 0x53, .extended = true}},
        {"\033[6;3~", 6, {.code = 0x51, .extended = true, .alt = true}},
        {"\033OP", 3, {.code = 0x3b}},
        {"\033[15~", 5, {.code = 0x3f}},
        {"\033[24~", 5, {.code = 0x58}},
        {"\033[24;8~", 7, {.code = 0x58, .shift = true, .control = true, .alt = true}},
        {"\033[[E", 4, {.code = 0x3f}},
        {"\033[Z", 3, {.code = 0x0f, .shift = true}},
        {"\033x", 2, {.code = 0x2d, .alt = true}},
        {"\033\033", 2, {.code = 0x01, .character = 0x1b}},
        {"\033:", 1, {.code = 0x01, .character = 0x1b}},
        {"\033[16~", 1, {.code = 0x01, .character = 0x1b}},
        {"\033[?", 1, {.code = 0x01, .character = 0x1b}},
        {"\033[111111", 1, {.code = 0x01, .character = 0x1b}}};
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        key_press key = {0};
        unsigned size = (unsigned)strlen(rows[i].bytes);
        assert_int_equal(key_decode((const uint8_t *)rows[i].bytes, size, &key), rows[i].used);
        assert_memory_equal(&key, &rows[i].key, sizeof key);
        for (unsigned part = 1; part < size; part++)
            assert_int_equal(key_decode((const uint8_t *)rows[i].bytes, part, &key), 0);
    }
}
