/* Saving and restoring state. Each unit describes what of its structure makes the next clock by a table: a
 * row for each field with its name and with what it may be. From the tables follow saving, loading by name,
 * the check of every number that is loaded, and the description of the format (docs/snapshot-fields.md).
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

#include "base/error.h"

/* The format of files, and the revision that this program writes. */
enum { SNAPSHOT_FORMAT = 2, SNAPSHOT_REVISION = 1 };

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

#define FIELD_MEMBER(T, m) (((T *)0)->m)
#define FIELD_IS_SIGNED(e) ((__typeof__(e))-1 < (__typeof__(e))1)
#define FIELD_LARGEST(e)   (UINT64_MAX >> (64 - 8 * sizeof(e)))
#define FIELD_PLACE(T, m, e)                                                                                 \
    .name = #m, .offset = offsetof(T, m), .bytes = sizeof(FIELD_MEMBER(T, m)), .element = sizeof(e)
#define FIELD_NUMBER(T, m, e, low, high)                                                                     \
    {                                                                                                        \
        FIELD_PLACE(T, m, e), .kind = FIELD_KIND_NUMBER, .is_signed = FIELD_IS_SIGNED(e), .least = (low),    \
                              .most = (uint64_t)(high)                                                       \
    }
/* A number or an array of numbers, of which the index of one follows: FIELD_MOST(btb_entry, counter, 3, [0]).
 * Any value; 0 to `most`; `low` to `high`; some bits; true or false; clocks. */
#define FIELD_ANY(T, m, ...)                                                                                 \
    FIELD_NUMBER(T, m, FIELD_MEMBER(T, m) __VA_ARGS__,                                                       \
                 FIELD_IS_SIGNED(FIELD_MEMBER(T, m) __VA_ARGS__)                                             \
                     ? -(int64_t)(FIELD_LARGEST(FIELD_MEMBER(T, m) __VA_ARGS__) >> 1) - 1                    \
                     : 0,                                                                                    \
                 FIELD_LARGEST(FIELD_MEMBER(T, m) __VA_ARGS__) >>                                            \
                     FIELD_IS_SIGNED(FIELD_MEMBER(T, m) __VA_ARGS__))
#define FIELD_MOST(T, m, high, ...)       FIELD_NUMBER(T, m, FIELD_MEMBER(T, m) __VA_ARGS__, 0, high)
#define FIELD_RANGE(T, m, low, high, ...) FIELD_NUMBER(T, m, FIELD_MEMBER(T, m) __VA_ARGS__, low, high)
#define FIELD_FLAG(T, m, ...)                                                                                \
    {                                                                                                        \
        FIELD_PLACE(T, m, FIELD_MEMBER(T, m) __VA_ARGS__), .most = 1                                         \
    }
#define FIELD_OF_KIND(T, m, what, ...)                                                                       \
    {                                                                                                        \
        FIELD_PLACE(T, m, FIELD_MEMBER(T, m) __VA_ARGS__), .kind = what                                      \
    }
#define FIELD_BITS(T, m, mask, ...)                                                                          \
    {                                                                                                        \
        FIELD_PLACE(T, m, FIELD_MEMBER(T, m) __VA_ARGS__), .kind = FIELD_KIND_BITS, .most = (mask)           \
    }
#define FIELD_TIME(T, m, ...)     FIELD_OF_KIND(T, m, FIELD_KIND_TIME, __VA_ARGS__)
#define FIELD_DEADLINE(T, m, ...) FIELD_OF_KIND(T, m, FIELD_KIND_DEADLINE, __VA_ARGS__)
/* char[n], or an array of them; char *. */
#define FIELD_TEXT(T, m, ...) FIELD_OF_KIND(T, m, FIELD_KIND_TEXT, __VA_ARGS__)
#define FIELD_STRING(T, m)    FIELD_OF_KIND(T, m, FIELD_KIND_STRING, )
/* A structure, or an array of them. */
#define FIELD_TABLE(T, m, table)                                                                             \
    {                                                                                                        \
        .name = #m, .kind = FIELD_KIND_TABLE, .offset = offsetof(T, m), .bytes = sizeof(FIELD_MEMBER(T, m)), \
        .of = (table)                                                                                        \
    }
/* An array of any numbers with a name for each index of its first dimension. */
#define FIELD_EACH(T, m, names, n, ...)                                                                      \
    {                                                                                                        \
        FIELD_PLACE(T, m, FIELD_MEMBER(T, m) __VA_ARGS__),                                                   \
            .most = FIELD_LARGEST(FIELD_MEMBER(T, m) __VA_ARGS__), .each = (names), .each_count = (n)        \
    }
#define FIELD_DERIVED(T, m) FIELD_OF_KIND(T, m, FIELD_KIND_DERIVED, )

#define SNAPSHOT_TABLE(T, title, rows)                                                                       \
    .name = (title), .fields = (rows), .count = sizeof(rows) / sizeof(rows)[0], .bytes = sizeof(T)

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
