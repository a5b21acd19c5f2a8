/* Formats of images, and writes to them. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit.h"
#include "machine/disk/disk_image.h"

enum { SHORT_BYTES = 20000, DISKETTE_BYTES = 1440 * 1024 };

/* Makes a file of zeros. `path` is a template of mkstemp. */
static int make_image(char *path, off_t bytes)
{
    const int file = mkstemp(path);
    assert_true(file >= 0 && ftruncate(file, bytes) == 0);
    return file;
}

TEST(keeps_what_is_written_after_the_end)
{
    for (int writable = 0; writable < 2; writable++) {
        char path[] = "/tmp/p5scope-disk-XXXXXX";
        const int file = make_image(path, SHORT_BYTES);
        uint8_t bytes[DISK_SECTOR], read[DISK_SECTOR];
        struct stat about;
        disk_image disk;
        assert_int_equal(disk_image_open(&disk, path, writable, false, NULL), P5_OK);
        assert_int_equal(disk.sectors * DISK_SECTOR, DISKETTE_BYTES);
        memset(bytes, 0x5a, sizeof bytes);
        assert_true(disk_image_write(&disk, 1000, bytes));
        assert_true(disk_image_read(&disk, 1000, read));
        assert_memory_equal(read, bytes, sizeof bytes);
        assert_int_equal(disk_image_padded(&disk, 1000), !writable);
        memset(bytes, 0, sizeof bytes);
        assert_true(disk_image_read(&disk, 1001, read));
        assert_memory_equal(read, bytes, sizeof bytes);
        assert_false(disk_image_write(&disk, DISKETTE_BYTES / DISK_SECTOR, bytes));
        assert_false(disk_image_padded(&disk, DISKETTE_BYTES / DISK_SECTOR)); /* there is no such sector */
        assert_int_equal(fstat(file, &about), 0);
        assert_int_equal(about.st_size, writable ? DISKETTE_BYTES : SHORT_BYTES);
        disk_image_close(&disk);
        close(file);
        unlink(path);
    }
}

/* The format is the same when a file is opened again, whatever the guest has written: the last sector, or a boot sector
 * with the parameter block of another diskette. */
TEST(keeps_its_format)
{
    static const struct {
        off_t bytes;
        unsigned type;
    } files[] = {{SHORT_BYTES, 4}, {720 * 1024 - 1, 3}, {2880 * 1024 - 1, 6}};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[] = "/tmp/p5scope-disk-XXXXXX";
        uint8_t boot[DISK_SECTOR] = {[12] = 2, [19] = 360 * 2 & 0xff, 360 * 2 >> 8, [24] = 9, [26] = 2};
        const int file = make_image(path, files[i].bytes);
        for (unsigned opened = 0; opened < 3; opened++) {
            disk_image disk;
            assert_int_equal(disk_image_open(&disk, path, true, false, NULL), P5_OK);
            assert_int_equal(disk.kind, DRIVE_DISKETTE);
            assert_int_equal(disk.type, files[i].type);
            assert_true(disk_image_write(&disk, opened == 0 ? 0 : disk.sectors - 1, boot));
            disk_image_close(&disk);
        }
        close(file);
        unlink(path);
    }
}

/* A CD is read-only, also where its boot image emulates a diskette. */
TEST(writes_no_cd)
{
    enum { BOOT_RECORD = 17 * CD_SECTOR, CATALOG = 20 * CD_SECTOR };
    static const uint8_t record[] = "\0CD001\001EL TORITO SPECIFICATION", catalog_sector = 20;
    for (uint8_t media = CD_NO_EMULATION; media <= CD_HARD_DISK; media++) {
        char path[] = "/tmp/p5scope-disk-XXXXXX";
        uint8_t bytes[CD_SECTOR] = {0xff};
        const uint8_t catalog[64] = {1, [28] = 0xaa, 0x55, 0x55, 0xaa, 0x88, media, [40] = 21};
        const int file = make_image(path, 64 * CD_SECTOR);
        assert_int_equal(pwrite(file, record, sizeof record, BOOT_RECORD), sizeof record);
        assert_int_equal(pwrite(file, &catalog_sector, 1, BOOT_RECORD + 0x47), 1);
        assert_int_equal(pwrite(file, catalog, sizeof catalog, CATALOG), sizeof catalog);
        for (int writable = 0; writable < 2; writable++) {
            disk_image disk;
            assert_int_equal(disk_image_open(&disk, path, writable, false, NULL), P5_OK);
            assert_true(disk.is_cd);
            assert_int_equal(disk.kind, media == CD_NO_EMULATION ? DRIVE_CD
                                        : media == CD_HARD_DISK  ? DRIVE_HARD_DISK
                                                                 : DRIVE_DISKETTE);
            assert_false(disk_image_write(&disk, 0, bytes));
            assert_true(disk_image_read(&disk, 0, bytes));
            assert_int_equal(bytes[0], 0);
            bytes[0] = 0xff;
            disk_image_close(&disk);
        }
        close(file);
        unlink(path);
    }
}
