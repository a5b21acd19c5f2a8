/* Boot catalogues of CDs, by the El Torito specification 1.0: 2.0 the boot record, 2.1 the validation entry, 2.2 the initial entry. */
#include "load.h"

#include "machine/disk/el_torito.h"

enum { CATALOG = 20, SECTORS = 22 };

static uint8_t cd[SECTORS][2048];

static bool read_cd(const void *context, uint64_t offset, void *bytes, size_t size)
{
    (void)context;
    if (offset + size > sizeof cd)
        return false;
    memcpy(bytes, &cd[0][0] + offset, size);
    return true;
}

static void good_cd(void)
{
    memset(cd, 0, sizeof cd);
    memcpy(cd[17], "\0CD001\001EL TORITO SPECIFICATION", 30);
    put32(cd[17], 0x47, CATALOG);
    uint8_t *validation = cd[CATALOG], *initial = validation + 32;
    validation[0] = 1;
    memcpy(validation + 4, "maker", 5);
    validation[30] = 0x55;
    validation[31] = 0xaa;
    unsigned sum = 0;
    for (unsigned i = 0; i < 32; i += 2)
        sum += validation[i] | (unsigned)validation[i + 1] << 8;
    validation[28] = (uint8_t)(0x10000 - sum);
    validation[29] = (uint8_t)((0x10000 - (sum & 0xffff)) >> 8);
    initial[0] = 0x88;
    initial[6] = 4;
    put32(initial, 8, 0x1234);
}

TEST(entries)
{
    el_torito_entry entry;
    good_cd();
    assert_true(el_torito_find(read_cd, NULL, &entry));
    assert_int_equal(entry.media, CD_NO_EMULATION);
    assert_int_equal(entry.load_segment, 0x7c0); /* 0 is this one */
    assert_int_equal(entry.sectors, 4);
    assert_int_equal(entry.start, 0x1234);
    uint8_t *initial = cd[CATALOG] + 32;
    initial[1] = 0x24; /* the upper bits say other things */
    initial[2] = 0x34;
    initial[3] = 0x12;
    initial[6] = 0;
    initial[7] = 1;
    assert_true(el_torito_find(read_cd, NULL, &entry));
    assert_int_equal(entry.media, CD_HARD_DISK);
    assert_int_equal(entry.load_segment, 0x1234);
    assert_int_equal(entry.sectors, 256);
    initial[1] = 5;
    assert_false(el_torito_find(read_cd, NULL, &entry));
}

TEST(damage)
{
    static const struct {
        unsigned sector, at, value;
    } rows[] = {{17, 0, 1},        {17, 5, '2'},        {17, 7, 'e'},        {17, 29, 'x'},
                {17, 0x47, 99},    {17, 0x48, 1},       {CATALOG, 0, 2},     {CATALOG, 1, 0xef},
                {CATALOG, 4, 'M'}, {CATALOG, 30, 0x56}, {CATALOG, 31, 0xab}, {CATALOG, 32, 0}};
    el_torito_entry entry;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        good_cd();
        cd[rows[i].sector][rows[i].at] = (uint8_t)rows[i].value;
        if (el_torito_find(read_cd, NULL, &entry))
            fail_msg("row %u", i);
    }
    good_cd(); /* another platform with a sum that is right */
    cd[CATALOG][1] = 1;
    cd[CATALOG][29]--;
    assert_false(el_torito_find(read_cd, NULL, &entry));
    good_cd();
    cd[CATALOG][30]++; /* and so with the key bytes */
    cd[CATALOG][28]--;
    assert_false(el_torito_find(read_cd, NULL, &entry));
}
