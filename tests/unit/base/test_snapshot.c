/* Fields of a snapshot: they are found by name, converted by value, refused outside their permitted values, and may be
 * missing in snapshots of earlier revisions. */
#include <string.h>

#include "../unit.h"
#include "snapshot_bytes.h"
#include "base/snapshot.h"

typedef struct point {
    uint32_t x, y;
    int16_t slope;
    bool on;
    uint8_t kept[2][3];
} point;

static const snapshot_table table = {SNAPSHOT(point, "point", FIELD_ANY(x), FIELD_MOST(100, y),
                                              FIELD_RANGE(-5, 5, slope), FIELD_FLAG(on),
                                              FIELD_BITS_OF([0][0], 0xf0, kept))};

/* The structure in a later version: its members have another order, some are wider, and `color` is new. */
typedef struct later {
    uint8_t kept[2][3];
    uint64_t y;
    uint32_t x, color;
    int64_t slope;
    bool on;
} later;
static const snapshot_table later_table = {
    SNAPSHOT(later, "point", FIELD_BITS_OF([0][0], 0xf0, kept), FIELD_MOST(100, y), FIELD_ANY(x),
             FIELD_SINCE(1, FIELD_ANY(color)), FIELD_RANGE(-5, 5, slope), FIELD_FLAG(on))};

static const point sample = {.x = 7, .y = 9, .slope = -3, .on = true, .kept = {{0x10, 0x20, 0x30}, {0x40}}};

static snapshot_bytes save(const snapshot_table *t, const void *what)
{
    snapshot_bytes b = {0};
    snapshot s = {.write = snapshot_bytes_put, .context = &b};
    snapshot_state(&s, t, (void *)(uintptr_t)what);
    assert_int_equal(s.status, P5_OK);
    return b;
}

/* Loads from `b`, which it frees. Returns the error message, or "". */
static const char *load(const snapshot_table *t, snapshot_bytes *b, unsigned revision, void *to)
{
    static p5_error error;
    snapshot s = {.loading = true,
                  .read = snapshot_bytes_get,
                  .context = b,
                  .revision = revision,
                  .version = "p5scope 9",
                  .error = &error};
    error.message[0] = '\0';
    b->at = 0;
    snapshot_state(&s, t, to);
    free(b->data);
    return error.message;
}

TEST(test_same)
{
    point loaded = {0};
    snapshot_bytes b = save(&table, &sample);
    assert_string_equal(load(&table, &b, 0, &loaded), "");
    assert_int_equal(loaded.x, 7);
    assert_int_equal(loaded.y, 9);
    assert_int_equal(loaded.slope, -3);
    assert_true(loaded.on);
    assert_memory_equal(loaded.kept, sample.kept, sizeof sample.kept);
}

TEST(test_later_reads_earlier)
{
    later loaded = {.color = 5};
    snapshot_bytes b = save(&table, &sample);
    assert_string_equal(load(&later_table, &b, 0, &loaded), "");
    assert_int_equal(loaded.x, 7);
    assert_int_equal(loaded.y, 9);
    assert_int_equal(loaded.slope, -3);
    assert_int_equal(loaded.color, 5); /* as it was */
    assert_int_equal(loaded.kept[1][0], 0x40);
    b = save(&table, &sample);
    assert_string_equal(load(&later_table, &b, 1, &loaded), "point.color: the snapshot does not have it");
}

TEST(test_earlier_refuses_later)
{
    const later one = {.x = 1, .y = 2};
    point loaded = {0};
    snapshot_bytes b = save(&later_table, &one);
    assert_string_equal(load(&table, &b, 1, &loaded),
                        "point.color: this p5scope does not know the field; the snapshot was made by "
                        "p5scope 9");
}

TEST(test_limits)
{
    static const struct {
        point wrong;
        const char *message;
    } cases[] = {
        {{.y = 101}, "point.y: 101 is not 0..100"},
        {{.slope = -6}, "point.slope: -6 is not -5..5"},
        {{.slope = 6}, "point.slope: 6 is not -5..5"},
        {{.kept = {{0}, {0, 1}}}, "point.kept[4]: 1h is not within the bits F0h"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        point loaded = {0};
        snapshot_bytes b = save(&table, &cases[i].wrong);
        assert_string_equal(load(&table, &b, 0, &loaded), cases[i].message);
    }
}

typedef struct named {
    char name[8];
    char *path;
} named;
static const snapshot_table named_table = {SNAPSHOT(named, "named", FIELD_TEXT(name), FIELD_STRING(path))};

TEST(test_text)
{
    char path[] = "/data";
    named one = {"seven77", path}, loaded = {{0}, NULL};
    snapshot_bytes b = save(&named_table, &one);
    assert_string_equal(load(&named_table, &b, 0, &loaded), "");
    assert_string_equal(loaded.name, "seven77");
    assert_string_equal(loaded.path, "/data");
    free(loaded.path);
    loaded.path = NULL;
    memcpy(one.name, "eight888", 8);
    b = save(&named_table, &one);
    assert_string_equal(load(&named_table, &b, 0, &loaded),
                        "named.name: this is no text of less than 8 characters");
    free(loaded.path);
}

typedef struct pixel {
    uint32_t x, color;
} pixel;
static const snapshot_table first_table = {SNAPSHOT(pixel, "pixel", FIELD_ANY(x)), .partial = true};
static const snapshot_table next_table = {
    SNAPSHOT(pixel, "pixel", FIELD_ANY(x), FIELD_SINCE(SNAPSHOT_REVISION + 1, FIELD_ANY(color)))};

/* A stream that is not in a file begins with its revision. Streams of revision 1 do not have it. */
TEST(test_revision)
{
    for (unsigned says = 0; says < 2; says++) {
        snapshot_bytes b = {0};
        p5_error error;
        pixel saved = {.x = 7}, loaded = {.color = 5};
        snapshot out = {.write = snapshot_bytes_put, .context = &b};
        snapshot in = {.loading = true, .read = snapshot_bytes_get, .context = &b, .error = &error};
        if (says)
            snapshot_begin(&out);
        snapshot_state(&out, &first_table, &saved);
        snapshot_begin(&in);
        snapshot_state(&in, &next_table, &loaded);
        assert_int_equal(in.status, P5_OK);
        assert_int_equal(in.revision, says ? SNAPSHOT_REVISION : 1);
        assert_int_equal(loaded.x, 7);
        assert_int_equal(loaded.color, 5); /* as it was */
        assert_int_equal(b.at, b.size);
        free(b.data);
    }
}

/* An object with the field x `fields` times, under the name of `length` bytes. */
static snapshot_bytes repeated(const char *field, uint8_t length, uint16_t fields)
{
    static const uint8_t object[] = "\5pixel\1\0\0\0\0\0\0";        /* name, and a row */
    static const uint8_t number[] = "\1\4\0\1\0\0\0\0\0\0\0\7\0\0"; /* unsigned, 4 bytes, one: 7 */
    snapshot_bytes b = {0};
    snapshot_bytes_put(&b, object, sizeof object);
    snapshot_bytes_put(&b, &fields, sizeof fields);
    for (unsigned i = 0; i < fields; i++) {
        snapshot_bytes_put(&b, &length, sizeof length);
        snapshot_bytes_put(&b, field, length);
        snapshot_bytes_put(&b, number, sizeof number);
    }
    return b;
}

TEST(test_damaged_names)
{
    pixel loaded = {0};
    snapshot_bytes b = repeated("x", 1, 1);
    assert_string_equal(load(&first_table, &b, 1, &loaded), "");
    assert_int_equal(loaded.x, 7);
    b = repeated("x", 1, 2);
    assert_string_equal(load(&first_table, &b, 1, &loaded), "pixel.x: the snapshot has the field twice");
    b = repeated("x\0y", 3, 1);
    assert_string_equal(
        load(&first_table, &b, 1, &loaded),
        "pixel.x?y: this p5scope does not know the field; the snapshot was made by p5scope 9");
}
