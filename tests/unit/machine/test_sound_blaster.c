/* The Sound Blaster 16 on its ports, by Creative's hardware programming guide. At 200 MHz. */
#include "board.h"

enum {
    MIXER = 0x224,
    MIXER_DATA,
    RESET,
    DATA = 0x22a,
    WRITE = 0x22c,
    STATUS = 0x22e,
    STATUS_16,
    MS = 200000
};
enum { DONE_8 = 1, DONE_16 = 2 }; /* interrupts in mixer register 82h */

static unsigned mixer(p5_machine *m, unsigned index)
{
    out(m, MIXER, index);
    return in(m, MIXER_DATA);
}

static void command(p5_machine *m, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(in(m, WRITE) & 0x80, 0);
        out(m, WRITE, (uint8_t)bytes[i]);
    }
}
#define COMMAND(m, bytes) command(m, bytes, sizeof bytes - 1)

static p5_machine *sound_open(void)
{
    p5_machine *m = board_open("");
    board_interrupts(m);
    assert_int_equal(in(m, STATUS) & 0x80, 0);
    out(m, RESET, 0); /* it has not been 1 */
    out(m, RESET, 1);
    out(m, RESET, 1);
    assert_int_equal(in(m, STATUS) & 0x80, 0);
    out(m, RESET, 0);
    assert_int_equal(in(m, STATUS) & 0x80, 0x80);
    assert_int_equal(in(m, DATA), 0xaa);
    assert_int_equal(in(m, STATUS) & 0x80, 0);
    return m;
}

TEST(answers)
{
    static const struct {
        const char *command, *answer;
        size_t command_size, answer_size;
    } all[] = {{"\xe0\x5a", "\xa5", 2, 1}, {"\xe1", "\x04\x05", 1, 2}, {"\xd8", "\0", 1, 1},
               {"\xd1\xd8", "\xff", 2, 1}, {"\xd3\xd8", "\0", 2, 1},   {"\xe4\x5a\xe8", "\x5a", 3, 1},
               {"\x20", "\x80", 1, 1},     {"\xe3", "COPYRIGHT", 1, 9}};
    MACHINE(m, sound_open());
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        command(m, all[i].command, all[i].command_size);
        for (size_t n = 0; n < all[i].answer_size; n++)
            assert_int_equal(in(m, DATA), (uint8_t)all[i].answer[n]);
    }
}

/* The interrupt comes `clocks` after the command, and again if the transfer repeats. Rates of a third are rounded. */
static void takes(p5_machine *m, unsigned clocks, unsigned done, bool repeats)
{
    pass(m, clocks - 1);
    assert_int_equal(mixer(m, 0x82), 0);
    pass(m, 2);
    assert_int_equal(mixer(m, 0x82), done);
    in(m, done == DONE_8 ? STATUS : STATUS_16);
    assert_int_equal(mixer(m, 0x82), 0);
    pass(m, clocks);
    assert_int_equal(mixer(m, 0x82), repeats ? done : 0);
    in(m, done == DONE_8 ? STATUS : STATUS_16);
}

/* The transfers of the first cards. A byte has 8 bits of a sample, or samples of 4, 2.6 or 2 bits. Time constant
 * 156: 1,000,000 / (256 - 156) = 10,000 samples a second. */
TEST(transfers_of_bytes)
{
    static const struct {
        char command;
        unsigned samples;
        bool by_block, repeats; /* of command 48h; else a length follows */
    } all[] = {{0x14, 1, 0, 0},       {0x15, 1, 0, 0},      {0x16, 4, 0, 0},       {0x17, 4, 0, 0},
               {0x1c, 1, 1, 1},       {0x1f, 4, 1, 1},      {0x24, 1, 0, 0},       {0x2c, 1, 1, 1},
               {0x74, 2, 0, 0},       {0x75, 2, 0, 0},      {0x76, 3, 0, 0},       {0x77, 3, 0, 0},
               {0x7d, 2, 1, 1},       {0x7f, 3, 1, 1},      {(char)0x90, 1, 1, 1}, {(char)0x91, 1, 1, 0},
               {(char)0x98, 1, 1, 1}, {(char)0x99, 1, 1, 0}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        MACHINE(m, sound_open());
        const char bytes[] = {all[i].command, 19, 0};
        COMMAND(m, "\x40\x9c\x48\x13\x00"); /* 156; blocks of 20 bytes */
        command(m, bytes, all[i].by_block ? 1 : 3);
        takes(m, 2 * MS * all[i].samples, DONE_8, all[i].repeats);
    }
}

/* Bxh: words, Cxh: bytes; mode, samples less one. Rates are limited to 4,000 to 48,000 samples a second. */
TEST(transfers_of_the_sb16)
{
    MACHINE(m, sound_open());
    COMMAND(m, "\x41\x1f\x40\xb0\x10\x07\x00"); /* 8,000 a second, 8 of them */
    takes(m, MS, DONE_16, false);
    COMMAND(m, "\xb0\x30\x07\x00"); /* stereo: two samples at a time */
    takes(m, MS / 2, DONE_16, false);
    COMMAND(m, "\xc0\x00\xff\x01"); /* 512 */
    takes(m, 64 * MS, DONE_8, false);
    COMMAND(m, "\x42\x00\x01\xc8\x00\x03\x00"); /* 1 a second */
    takes(m, MS, DONE_8, false);
    COMMAND(m, "\x41\xff\xff\xb6\x10\x2f\x00");
    takes(m, MS, DONE_16, true);
    COMMAND(m, "\xd9"); /* the current block is the last one */
    pass(m, MS);
    in(m, STATUS_16);
    pass(m, 4 * MS);
    assert_int_equal(mixer(m, 0x82), 0);
    COMMAND(m, "\x40\x9c\x80\x09\x00"); /* silence; the time constant counts again */
    takes(m, MS, DONE_8, false);
}

TEST(transfers_pause)
{
    MACHINE(m, sound_open());
    COMMAND(m, "\x40\x9c\x14\x13\x00"); /* 2 ms */
    pass(m, MS);
    COMMAND(m, "\xd0");
    pass(m, 10 * MS);
    assert_int_equal(mixer(m, 0x82), 0);
    COMMAND(m, "\xd4");
    takes(m, MS, DONE_8, false);
}

/* Channel 1 gives its bytes. At the end of its count it is masked, or begins again. */
TEST(channels_and_interrupts)
{
    enum { MODE_ONCE = 0x49, MODE_AGAIN = 0x59 };
    static const struct {
        unsigned mode, after_10, after_20, after_30;
    } all[] = {{MODE_ONCE, 0x340a, 0x3414, 0x3414}, {MODE_AGAIN, 0x340a, 0x3400, 0x340a}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        MACHINE(m, sound_open());
        const unsigned expected[] = {all[i].after_10, all[i].after_20, all[i].after_30};
        const uint8_t writes[][2] = {
            {0x0c, 0}, {0x0b, (uint8_t)all[i].mode}, {2, 0}, {2, 0x34}, {3, 19}, {3, 0}, {0x83, 2},
            {0x0a, 1}};
        for (size_t n = 0; n < sizeof writes / sizeof writes[0]; n++)
            out(m, writes[n][0], writes[n][1]);
        for (size_t n = 0; n < 3; n++) {
            COMMAND(m, "\x40\x9c\x14\x09\x00");
            takes(m, MS, DONE_8, false);
            assert_int_equal(in(m, 0x08) >> 1 & 1, n == 1); /* the count has ended */
            out(m, 0x0c, 0);
            const unsigned low = in(m, 2);
            assert_int_equal(low | in(m, 2) << 8, expected[n]);
        }
        COMMAND(m, "\xf2");
        out(m, PIC_MASTER, 0x0a); /* read the requests */
        assert_int_equal(in(m, PIC_MASTER) & 0x80, 0x80);
        in(m, STATUS);
        COMMAND(m, "\xf3");
        assert_int_equal(mixer(m, 0x82), DONE_16);
    }
}

TEST(mixer_registers)
{
    MACHINE(m, sound_open());
    assert_int_equal(mixer(m, 0x80), 4);    /* interrupt 7 */
    assert_int_equal(mixer(m, 0x81), 0x22); /* channels 1 and 5 */
    out(m, MIXER_DATA, 0);
    assert_int_equal(mixer(m, 0x81), 0x22); /* no jumpers to move */
    out(m, MIXER, 0x22);
    out(m, MIXER_DATA, 0xcc);
    assert_int_equal(mixer(m, 0x22), 0xcc);
    out(m, MIXER, 0);
    out(m, MIXER_DATA, 0);
    assert_int_equal(mixer(m, 0x22), 0);
}

/* A transfer that goes on in a snapshot has something left to move, and a rate. */
TEST(damaged_transfers)
{
    static const struct {
        sound_transfer transfer;
        p5_status status;
    } rows[] = {{{.active = true, .block = 2, .moved = 1, .millihertz = 1}, P5_OK},
                {{.active = true, .block = 2, .moved = 2, .millihertz = 1}, P5_ERR_FORMAT},
                {{.active = true, .block = 2, .moved = 1}, P5_ERR_FORMAT},
                {{.block = 2, .moved = 2}, P5_OK}};
    const snapshot_field *field = sound_state.fields;
    while (field->kind != FIELD_KIND_TABLE)
        field++;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        p5_error error = {0};
        snapshot s = {.loading = true, .error = &error};
        field->of->check(&rows[i].transfer, &s);
        assert_int_equal(s.status, rows[i].status);
    }
}
