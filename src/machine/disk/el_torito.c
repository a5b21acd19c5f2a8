/* Finds a CD's boot image by its boot catalog. Numbers in comments are sections of the El Torito specification 1.0. */
#include "machine/disk/el_torito.h"

#include <string.h>

#include "base/bits.h"

enum {
    RECORD_SECTOR = 17,    /* 2.0: the boot record volume descriptor */
    RECORD_CATALOG = 0x47, /* its field with the catalog's first sector */
    ENTRY_BYTES = 32,      /* of a catalog entry; the default entry (2.2) follows the validation entry */
    PLATFORM_PC = 0,
    BOOTABLE = 0x88,
    DEFAULT_SEGMENT = 0x7c0 /* stands for a load segment of 0 */
};

/* Checks the validation entry (2.1): identification, key bytes, and a checksum of 0. */
static bool validation_holds(const uint8_t entry[ENTRY_BYTES])
{
    uint16_t sum = 0;
    for (unsigned i = 0; i < ENTRY_BYTES; i += 2)
        sum = (uint16_t)(sum + le16_at(entry, i));
    return entry[0] == 1 && entry[1] == PLATFORM_PC && sum == 0 && entry[30] == 0x55 && entry[31] == 0xaa;
}

bool el_torito_find(cd_read *read, const void *context, el_torito_entry *entry)
{
    static const char identifier[] = "\0CD001\001EL TORITO SPECIFICATION";
    uint8_t record[CD_SECTOR], catalog[2 * ENTRY_BYTES];
    if (!read(context, RECORD_SECTOR * CD_SECTOR, record, sizeof record) ||
        memcmp(record, identifier, sizeof identifier - 1) != 0)
        return false;
    uint64_t at = (uint64_t)le32_at(record, RECORD_CATALOG) * CD_SECTOR;
    const uint8_t *initial = catalog + ENTRY_BYTES;
    if (!read(context, at, catalog, sizeof catalog) || !validation_holds(catalog) || initial[0] != BOOTABLE ||
        (initial[1] & 15) > CD_HARD_DISK)
        return false;
    uint16_t segment = le16_at(initial, 2), sectors = le16_at(initial, 6);
    *entry = (el_torito_entry){.media = (el_torito_media)(initial[1] & 15),
                               .load_segment = segment != 0 ? segment : DEFAULT_SEGMENT,
                               .sectors = sectors != 0 ? sectors : 1,
                               .start = le32_at(initial, 8)};
    return true;
}
