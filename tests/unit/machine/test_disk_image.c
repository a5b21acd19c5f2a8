/* Images that are shorter than their format. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../unit.h"
#include "machine/disk/disk_image.h"

enum { SHORT_BYTES = 20000, DISKETTE_BYTES = 1440 * 1024 };

TEST(keeps_what_is_written_after_the_end)
{
    for (int writable = 0; writable < 2; writable++) {
        char path[] = "/tmp/p5scope-disk-XXXXXX";
        const int file = mkstemp(path);
        uint8_t bytes[DISK_SECTOR], read[DISK_SECTOR];
        struct stat about;
        disk_image disk;
        assert_true(file >= 0 && ftruncate(file, SHORT_BYTES) == 0);
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
