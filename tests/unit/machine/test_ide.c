/* The IDE channel on its ports, by ATA-3. */
#include <stdlib.h>
#include <unistd.h>

#include "board.h"

enum {
    DATA = 0x1f0,
    ERROR = 0x1f1,
    COUNT = 0x1f2,
    SECTOR = 0x1f3,
    CYLINDER_LOW = 0x1f4,
    DEVICE = 0x1f6,
    COMMAND = 0x1f7,
    MILLISECOND = 200000,
    SECTORS = 20 * 16 * 63
};

/* Opens a board with a disk of SECTORS sectors. */
static p5_machine *board_with_disk(void)
{
    p5_machine *m = board_open("");
    char path[] = "/tmp/p5scope-ide-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && ftruncate(file, (off_t)SECTORS * DISK_SECTOR) == 0);
    assert_int_equal(disk_image_open(&m->devices->disks[0], path, false, true, NULL), P5_OK);
    close(file);
    unlink(path);
    return m;
}

static void command(p5_machine *m, unsigned select, unsigned count, unsigned code)
{
    out(m, DEVICE, select);
    out(m, COUNT, count);
    out(m, COMMAND, code);
    pass(m, MILLISECOND);
}

/* READ SECTORS and READ VERIFY SECTORS (ATA-3, 8.20 and 8.22): after an error, the registers hold the address of the
 * sector that failed. */
TEST(shows_the_sector_that_failed)
{
    static const unsigned codes[] = {0x20, 0x40};
    for (unsigned i = 0; i < 2; i++) {
        MACHINE(m, board_with_disk());
        out(m, SECTOR, (SECTORS - 1) & 0xff);
        out(m, CYLINDER_LOW, (SECTORS - 1) >> 8);
        command(m, 0xe0, 2, codes[i]);
        for (unsigned byte = 0; codes[i] == 0x20 && byte < DISK_SECTOR; byte += 2)
            devices_read(m, DATA, 2);
        pass(m, MILLISECOND);
        assert_int_equal(in(m, COMMAND) & 1, 1);
        assert_int_equal(in(m, ERROR), 0x10);
        assert_int_equal(in(m, SECTOR) | in(m, CYLINDER_LOW) << 8, SECTORS);
    }
}

/* IDENTIFY DEVICE: words 54-58 describe the geometry that INITIALIZE DEVICE PARAMETERS has set, words 1, 3 and 6 the
 * default one. */
TEST(identifies_the_current_geometry)
{
    MACHINE(m, board_with_disk());
    for (unsigned changed = 0; changed < 2; changed++) {
        const unsigned heads = changed ? 8 : 16, per_track = changed ? 32 : 63;
        const unsigned cylinders = SECTORS / (heads * per_track), whole = cylinders * heads * per_track;
        unsigned words[DISK_SECTOR / 2];
        if (changed)
            command(m, 0xa0 | (heads - 1), per_track, 0x91);
        command(m, 0xa0, 0, 0xec);
        for (unsigned i = 0; i < DISK_SECTOR / 2; i++)
            words[i] = devices_read(m, DATA, 2);
        assert_int_equal(words[1], 20);
        assert_int_equal(words[3], 16);
        assert_int_equal(words[6], 63);
        assert_int_equal(words[54], cylinders);
        assert_int_equal(words[55], heads);
        assert_int_equal(words[56], per_track);
        assert_int_equal(words[57] | words[58] << 16, whole);
    }
}
