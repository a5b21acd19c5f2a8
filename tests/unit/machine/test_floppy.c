/* The diskette controller on its ports, by the data sheet of the 82077AA. */
#include <stdlib.h>
#include <unistd.h>

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
    MACHINE(m, board_open(""));
    out(m, OUTPUT, 0x0c); /* out of reset, with interrupts */
    for (uint8_t place = 0; place < 8; place++)
        assert_int_equal(result(m, (uint8_t[]){0x04, place}, 2) & 0x17, place);
}

/* Dump registers returns the byte of CONFIGURE as the ninth. A reset switches the FIFO off (bit 5), unless LOCK
 * protects the setting. */
TEST(configures_the_fifo)
{
    enum { DUMP = 0x0e, LOCK = 0x94, CONFIGURE_AT = 8, NO_FIFO = 0x20, THRESHOLD = 7 };
    MACHINE(m, board_open(""));
    for (unsigned step = 0; step < 4; step++) {
        out(m, OUTPUT, 0);
        out(m, OUTPUT, 0x0c);
        unsigned byte = result(m, (uint8_t[]){DUMP}, 1);
        for (unsigned i = 1; i <= CONFIGURE_AT; i++)
            byte = in(m, DATA);
        assert_int_equal(byte, step == 3 ? THRESHOLD : NO_FIFO);
        in(m, DATA);
        for (unsigned i = 0; i < 4 && step >= 1; i++)
            out(m, DATA, (uint8_t[]){0x13, 0, THRESHOLD, 0}[i]);
        if (step == 2)
            result(m, (uint8_t[]){LOCK}, 1);
    }
}

/* VERIFY ends after sector EOT, or with EC (bit 7 of the second byte) after SC sectors, which must come first. A first
 * sector after EOT leads to the end of the track. The result has the address of the next sector (table 5-6). */
TEST(verifies_sectors)
{
    enum { MILLISECOND = 200000, SECTORS = 18, DISKETTE_BYTES = 1440 * 1024 };
    static const struct {
        uint8_t ec, first, eot, sc, st0, st1, cylinder, sector;
    } rows[] = {{0x00, 1, 3, 0xff, 0x00, 0x00, 1, 1},
                {0x80, 1, 18, 3, 0x00, 0x00, 0, 4},
                {0x80, 1, 3, 3, 0x00, 0x00, 1, 1},
                {0x80, 1, 3, 4, 0x40, 0x80, 1, 1},
                {0x00, 17, 3, 0xff, 0x40, 0x04, 0, 19}};
    char path[] = "/tmp/p5scope-disk-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && ftruncate(file, DISKETTE_BYTES) == 0);
    close(file);
    MACHINE(m, board_open(""));
    assert_int_equal(devices_open_disk(m->devices, 1, path, NULL), P5_OK);
    unlink(path);
    out(m, OUTPUT, 0x1c); /* out of reset, with interrupts; the motor of drive 0 is on */
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint8_t command[] = {0x16, rows[i].ec, 0, 0, rows[i].first, 2, rows[i].eot, 0x1b, rows[i].sc};
        for (unsigned n = 0; n < sizeof command; n++)
            out(m, DATA, command[n]);
        for (unsigned n = 0; n <= SECTORS; n++)
            pass(m, MILLISECOND);
        const uint8_t wanted[7] = {rows[i].st0, rows[i].st1, 0, rows[i].cylinder, 0, rows[i].sector, 2};
        for (unsigned n = 0; n < sizeof wanted; n++)
            assert_int_equal(in(m, DATA), wanted[n]);
    }
}
