/* The diskette controller on its ports, by the data sheet of the 82077AA. */
#include "board.h"

enum { OUTPUT = 0x3f2, STATUS = 0x3f4, DATA = 0x3f5, READY = 0x80, TO_HOST = 0x40 };

/* Writes the bytes of a command and returns its only result. */
static unsigned result(p5_machine *m, const uint8_t *command, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(in(m, STATUS) & (READY | TO_HOST), READY);
        out(m, DATA, command[i]);
    }
    assert_int_equal(in(m, STATUS) & (READY | TO_HOST), READY | TO_HOST);
    return in(m, DATA);
}

/* Sense drive status returns the head and the unit of the command. No drive has a diskette, so none is at track 0. */
TEST(senses_drives)
{
    p5_machine *m = board_open("");
    out(m, OUTPUT, 0x0c); /* out of reset, with interrupts */
    for (uint8_t place = 0; place < 8; place++)
        assert_int_equal(result(m, (uint8_t[]){0x04, place}, 2) & 0x17, place);
    p5_machine_close(m);
}
