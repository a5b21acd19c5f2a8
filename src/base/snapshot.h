/* Saving and restoring state. Each unit describes what of its structure makes the next clock by a table: a
 * row for each field with its name and with what it may be. From the tables follow saving, loading by name,
 * the check of every number that is loaded, and the description of the format (snapshot-fields.md).
 *
 * What is saved is a stream of objects, one for each call below, in the order of the calls:
 *
 *   object    name, rows (8 bytes), fields (2 bytes: FFFFh if as many bytes as it has rows follow instead)
 *   field     name, type (1 byte: snapshot_type), bytes of a number (2), how many there are (8), the numbers
 *
 * A name is its length (1 byte) and characters; numbers are little-endian. A field of a structure within a
 * structure is called "outer.inner"; of an array of structures it is a column, all rows behind each other.
 * Fields are found by name, and numbers are taken by value, so that neither order nor width has to be that of
 * the structure.
 *
 * Revisions: within one format a newer program may have more fields. A field or table of revision n that is
 * missing in a file of an older revision keeps what a machine has that was just opened; in others it is
 * refused, as is every field that the program does not know: it would go on otherwise than who wrote it. */
#ifndef BASE_SNAPSHOT_H
#define BASE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/each.h"
#include "base/error.h"

/* The format of files, and the revision that this program writes. */
enum { SNAPSHOT_FORMAT = 3, SNAPSHOT_REVISION = 2 };

typedef struct snapshot {
    bool loading;
    bool (*write)(void *context, const void *bytes, size_t size); /* saving; false: it cannot */
    bool (*read)(void *context, void *bytes, size_t size);        /* loading; false: the end, or it cannot */
    void *context;
    unsigned revision;   /* loading: that of the stream */
    const char *version; /* ... and of the program that wrote it, for messages; or NULL */
    uint64_t clock;      /* core clock that times in the snapshot are looked at from */
    p5_status status;    /* of the first thing that failed; from then on nothing is moved */
    p5_error *error;
    char ahead[256]; /* loading: name of the next object where it has been read; or "" */
} snapshot;

/* How numbers stand in the stream. */
typedef enum snapshot_type {
    SNAPSHOT_UNSIGNED = 1,
    SNAPSHOT_SIGNED,
    SNAPSHOT_TEXT,  /* char[n] with a NUL */
    SNAPSHOT_STRING /* any number of characters and a NUL; nothing at all: there is none */
} snapshot_type;

/* What a field is and may be. */
typedef enum snapshot_kind {
    FIELD_KIND_NUMBER,   /* least..most */
    FIELD_KIND_BITS,     /* none but those of `most` */
    FIELD_KIND_TIME,     /* a core clock, not farther ahead of snapshot.clock than SNAPSHOT_AHEAD */
    FIELD_KIND_DEADLINE, /* ... or never: UINT64_MAX */
    FIELD_KIND_TEXT,
    FIELD_KIND_STRING, /* char *, allocated, of less than 64 KB; or NULL */
    FIELD_KIND_TABLE,
    FIELD_KIND_DERIVED /* not saved: it follows from the rest, or belongs to the host */
} snapshot_kind;

#define SNAPSHOT_AHEAD      (UINT64_C(1) << 32)
#define SNAPSHOT_CLOCK_MOST (UINT64_C(1) << 56)

struct snapshot_table;

typedef struct snapshot_field {
    const char *name;
    snapshot_kind kind;
    bool is_signed;
    uint16_t element; /* bytes of a number, a text or a structure */
    uint32_t offset, bytes;
    int64_t least;
    uint64_t most;
    const struct snapshot_table *of; /* FIELD_KIND_TABLE */
    /* Not NULL: each index of the first dimension, of which there are `each_count`, is a field by itself,
     * which has this name behind the field's. In a file of another version there may be fewer. */
    const char *(*each)(unsigned index);
    unsigned each_count;
    unsigned since; /* revision */
} snapshot_field;

typedef struct snapshot_table {
    const char *name;
    const snapshot_field *fields; /* in the order of the structure */
    unsigned count;
    uint32_t bytes; /* of the structure */
    bool partial;   /* it has more than the fields, which is somebody else's or no state */
    unsigned since; /* revision */
    /* What no field can tell by itself, of a row that was loaded whose own structures are right: calls
     * snapshot_refuse. NULL: nothing. */
    void (*check)(const void *row, snapshot *s);
} snapshot_table;

/* A structure's table: its fields in their order; what else a table has may follow:
 *   static const snapshot_table pit_state = {SNAPSHOT(pit, "pit", FIELD_TABLE(&counter_state, counters)),
 *                                            .check = check_pit};
 * A FIELD_ says what the fields may be that it names behind that: any value; 0 to `high`; `low` to `high`;
 * some bits; true or false; clocks. Those with _OF are for arrays of numbers; the index of one comes first:
 * FIELD_MOST_OF([0], 3, counter). */
#define SNAPSHOT(T, title, ...)                                                                              \
    SNAPSHOT_TABLE(T, title, (const snapshot_field[]){SNAPSHOT_FIELDS(T, __VA_ARGS__)})
/* The same of an array of fields, which may be that of several tables. */
#define SNAPSHOT_TABLE(T, title, ...)                                                                        \
    .name = (title), .fields = (__VA_ARGS__), .count = sizeof(__VA_ARGS__) / sizeof(snapshot_field),         \
    .bytes = sizeof(T)
#define SNAPSHOT_FIELDS(T, ...) EACH(FIELD_ROW, T, __VA_ARGS__)

#define FIELD_ANY(...) FIELD_ANY_OF(, __VA_ARGS__)
#define FIELD_ANY_OF(index, ...)                                                                             \
    EACH(FIELD_OF, (FIELD_ANY_NUMBER, index, .kind = FIELD_KIND_NUMBER), __VA_ARGS__)
#define FIELD_MOST(high, ...)           FIELD_RANGE(0, high, __VA_ARGS__)
#define FIELD_MOST_OF(index, high, ...) FIELD_RANGE_OF(index, 0, high, __VA_ARGS__)
#define FIELD_RANGE(low, high, ...)     FIELD_RANGE_OF(, low, high, __VA_ARGS__)
#define FIELD_RANGE_OF(index, low, high, ...)                                                                \
    EACH(FIELD_OF, (FIELD_NUMBER, index, .least = (low), .most = (uint64_t)(high)), __VA_ARGS__)
#define FIELD_FLAG(...)       FIELD_MOST(1, __VA_ARGS__)
#define FIELD_BITS(mask, ...) FIELD_BITS_OF(, mask, __VA_ARGS__)
#define FIELD_BITS_OF(index, mask, ...)                                                                      \
    EACH(FIELD_OF, (FIELD_OTHER, index, .kind = FIELD_KIND_BITS, .most = (mask)), __VA_ARGS__)
/* ... of an array that has one more behind those of the state. */
#define FIELD_BITS_BUT_LAST(index, mask, ...)                                                                \
    EACH(FIELD_OF, (FIELD_BUT_LAST, index, .kind = FIELD_KIND_BITS, .most = (mask)), __VA_ARGS__)
#define FIELD_TIME(...)           FIELD_TIME_OF(, __VA_ARGS__)
#define FIELD_TIME_OF(index, ...) EACH(FIELD_OF, (FIELD_OTHER, index, .kind = FIELD_KIND_TIME), __VA_ARGS__)
#define FIELD_DEADLINE(...)       EACH(FIELD_OF, (FIELD_OTHER, , .kind = FIELD_KIND_DEADLINE), __VA_ARGS__)
/* char[n], or an array of them; char *. */
#define FIELD_TEXT(...)           FIELD_TEXT_OF(, __VA_ARGS__)
#define FIELD_TEXT_OF(index, ...) EACH(FIELD_OF, (FIELD_OTHER, index, .kind = FIELD_KIND_TEXT), __VA_ARGS__)
#define FIELD_STRING(...)         EACH(FIELD_OF, (FIELD_OTHER, , .kind = FIELD_KIND_STRING), __VA_ARGS__)
/* Structures, or arrays of them. */
#define FIELD_TABLE(table, ...) EACH(FIELD_OF, (FIELD_STRUCTURE, , .of = (table)), __VA_ARGS__)
/* Arrays of any numbers with a name for each of the `n` indices of the first dimension. */
#define FIELD_EACH_OF(index, names, n, ...)                                                                  \
    EACH(FIELD_OF, (FIELD_ANY_NUMBER, index, .each = (names), .each_count = (n)), __VA_ARGS__)
#define FIELD_DERIVED(...) EACH(FIELD_OF, (FIELD_OTHER, , .kind = FIELD_KIND_DERIVED), __VA_ARGS__)
/* Fields that came with a revision: FIELD_SINCE(2, FIELD_FLAG(open)). */
#define FIELD_SINCE(revision, ...) EACH(FIELD_CAME, revision, __VA_ARGS__)

/* How: each name becomes (name, kind of row, index, designators), and that a row: m is the member, e one
 * number. */
#define FIELD_OF(how, m)            (m, EACH_UNPACK how)
#define FIELD_CAME(revision, field) (EACH_UNPACK field, .since = (revision))
#define FIELD_ROW(T, field)         FIELD_ROW_(T, EACH_UNPACK field)
#define FIELD_ROW_(...)             FIELD_ROW__(__VA_ARGS__)
#define FIELD_ROW__(T, m, row, index, ...)                                                                   \
    {                                                                                                        \
        .name = #m, .offset = offsetof(T, m), row(((T *)0)->m, ((T *)0)->m index), __VA_ARGS__               \
    }
#define FIELD_STRUCTURE(m, e) .bytes = sizeof(m), .kind = FIELD_KIND_TABLE
#define FIELD_OTHER(m, e)     .bytes = sizeof(m), .element = sizeof(e)
#define FIELD_BUT_LAST(m, e)  .bytes = sizeof(m) - sizeof(m)[0], .element = sizeof(e)
#define FIELD_NUMBER(m, e)    FIELD_OTHER(m, e), .is_signed = FIELD_IS_SIGNED(e)
#define FIELD_ANY_NUMBER(m, e)                                                                               \
    FIELD_NUMBER(m, e), .least = FIELD_IS_SIGNED(e) ? -(int64_t)(FIELD_LARGEST(e) >> 1) - 1 : 0,             \
                        .most = FIELD_LARGEST(e) >> FIELD_IS_SIGNED(e)
#define FIELD_IS_SIGNED(e) ((__typeof__(e))-1 < (__typeof__(e))1)
#define FIELD_LARGEST(e)   (UINT64_MAX >> (64 - 8 * sizeof(e)))

/* The revision, at the beginning of a stream that stands in no file with a header. Those of revision 1 begin
 * without it, too. */
void snapshot_begin(snapshot *s);
/* The fields of a structure, and of `count` of them. After a failure some of them may have been loaded. */
void snapshot_state(snapshot *s, const snapshot_table *table, void *state);
void snapshot_states(snapshot *s, const snapshot_table *table, void *states, size_t count);
/* Those of a growable array of at most `most` (base/array.h); `items` is the address of its pointer. The
 * table is of the items. */
void snapshot_list(snapshot *s, const snapshot_table *table, void *items, size_t *count, size_t *capacity,
                   size_t most);
/* Bytes that are what they are. */
void snapshot_raw(snapshot *s, const char *name, void *bytes, size_t size);
/* A single number: saves `value`, or answers what was saved, which is at most `most`. 0 after a failure. */
uint64_t snapshot_number(snapshot *s, const char *name, uint64_t value, uint64_t most);
/* Notes that what was loaded cannot be: the first failure counts. The message begins with the field. */
void snapshot_refuse(snapshot *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* There is no memory. */
void snapshot_no_memory(snapshot *s);

/* Calls `visit` for each field of the stream that a table makes, with its whole name behind the table's.
 * False: out of memory. */
bool snapshot_each_field(const snapshot_table *table,
                         void (*visit)(void *context, const char *name, const snapshot_field *field),
                         void *context);
/* What a field may be, in a few words: "0..3". */
void snapshot_permitted(const snapshot_field *field, char *text, size_t size);

#endif
