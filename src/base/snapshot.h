/* Saving and restoring state. Each unit describes the state in its structure by a table, which has a row per
 * field with its name and permitted values. The tables determine saving, loading by name, the check of every
 * loaded number, and the description of the format (snapshot-fields.md).
 *
 * A snapshot is a stream of objects, one for each call below, in the order of the calls:
 *
 *   object    name, rows (8 bytes), fields (2 bytes: FFFFh if as many bytes as it has rows follow instead)
 *   field     name, type (1 byte: snapshot_type), bytes of a number (2), how many there are (8), the numbers
 *
 * A name is its length (1 byte) and characters; numbers are little-endian. A field of a nested structure is
 * called "outer.inner". A field of an array of structures is a column of all rows. Fields are found by name
 * and numbers are converted by value, so that order and width may differ from those of the structure.
 *
 * Revisions: within one format, a newer program may have more fields. A field or table of revision n that
 * a file of an older revision lacks keeps the value of a newly opened machine. In other files a missing field
 * is an error. So is every field that the program does not know, because the machine would behave differently
 * from the one that was saved. */
#ifndef BASE_SNAPSHOT_H
#define BASE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/each.h"
#include "base/error.h"

/* The format of files, and the revision that this program writes. */
#define SNAPSHOT_FORMAT   3
#define SNAPSHOT_REVISION 4

typedef struct snapshot {
    bool loading;                                                 /* false: saving */
    bool (*write)(void *context, const void *bytes, size_t size); /* saving; returns false on failure */
    bool (*read)(void *context, void *bytes, size_t size);        /* loading; returns false at the end or on
                                                                     failure */
    void *context;                                                /* first argument of both */
    unsigned revision;                                            /* loading: revision of the stream */
    const char *version; /* loading: version of the program that wrote the stream, for messages; or NULL */
    uint64_t clock;      /* core clock to which times in the snapshot are compared */
    p5_status status;    /* of the first failure, after which nothing is saved or loaded */
    p5_error *error;     /* gets the first failure's message; may be NULL */
    char ahead[256];     /* loading: name of the next object if it was already read, else "" */
} snapshot;

/* Types of values in the stream. */
typedef enum snapshot_type {
    SNAPSHOT_UNSIGNED = 1,
    SNAPSHOT_SIGNED,
    SNAPSHOT_TEXT,  /* char[n] with a NUL */
    SNAPSHOT_STRING /* any number of characters and a NUL; empty: no string */
} snapshot_type;

/* Kind of a field, which determines its permitted values. */
typedef enum snapshot_kind {
    FIELD_KIND_NUMBER,   /* least..most */
    FIELD_KIND_BITS,     /* only the bits of `most` */
    FIELD_KIND_TIME,     /* a core clock, at most SNAPSHOT_AHEAD after snapshot.clock */
    FIELD_KIND_DEADLINE, /* a core clock, at most SNAPSHOT_WAIT after snapshot.clock, or never: UINT64_MAX */
    FIELD_KIND_TEXT,     /* char[n] with a NUL */
    FIELD_KIND_STRING,   /* char *, allocated, of less than 64 KB; or NULL */
    FIELD_KIND_TABLE,    /* a structure, or an array of them, with a table of its own */
    FIELD_KIND_DERIVED   /* not saved: derived from other fields, or belongs to the host */
} snapshot_kind;

#define SNAPSHOT_AHEAD (UINT64_C(1) << 32) /* core clocks; a later time than that is refused as invalid */
/* The longest wait that a guest can begin: INT 15h AH = 86h takes 2^32 us, at up to 1000 MHz. */
#define SNAPSHOT_WAIT       (UINT64_C(1) << 42)
#define SNAPSHOT_CLOCK_MOST (UINT64_C(1) << 56) /* greatest core clock that a snapshot may have */

struct snapshot_table;

typedef struct snapshot_field {
    const char *name;
    snapshot_kind kind;
    bool is_signed;         /* its numbers are */
    uint16_t element;       /* bytes of one number or text; not used for structures */
    uint32_t offset, bytes; /* of the whole member in its structure: all numbers of an array */
    int64_t least;          /* permitted values, both included: see `kind` */
    uint64_t most;          /* or the permitted bits */
    const struct snapshot_table
        *of; /* FIELD_KIND_TABLE: the table of the structure, or of an array's elements */
    /* If not NULL, each of the `each_count` indices of the array's first dimension is a field by itself, whose name is
     * the member's with this name appended. A file of another version may have fewer of them. */
    const char *(*each)(unsigned index);
    unsigned each_count;
    unsigned since; /* revision that added the field; 0: the first */
} snapshot_field;

typedef struct snapshot_table {
    const char *name;
    const snapshot_field *fields; /* in the order of the structure */
    unsigned count;
    uint32_t bytes; /* of the structure */
    /* The structure has more members, which other code saves or which are no state. Without `partial`, a test
     * requires that every member is in a field (FIELD_DERIVED for those that are not saved). */
    bool partial;
    unsigned since; /* revision that added the table; 0: the first */
    /* Checks what involves more than one field of a loaded row, whose nested structures are valid, and calls
     * snapshot_refuse. NULL: no check. */
    void (*check)(const void *row, snapshot *s);
} snapshot_table;

/* Defines the table of structure T, which snapshots call `title`: its fields in their order. Other members of the table
 * may follow:
 *   static const snapshot_table pit_state = {SNAPSHOT(pit, "pit", FIELD_TABLE(&counter_state, counters)),
 *                                            .check = check_pit};
 * A FIELD_ macro gives the permitted values, then the names of the members to which they apply: any value (ANY); 0 to
 * `high` (MOST); `low` to `high` (RANGE); true or false (FLAG); some bits (BITS); clocks (TIME, DEADLINE). Macros with
 * _OF are for arrays of numbers; they have first the index of one element, from which the number's type follows:
 * FIELD_MOST_OF([0], 3, counter), or [0][0] for two dimensions. */
#define SNAPSHOT(T, title, ...)                                                                              \
    SNAPSHOT_TABLE(T, title, (const snapshot_field[]){SNAPSHOT_FIELDS(T, __VA_ARGS__)})
/* Does the same with an array of fields, which several tables may share. */
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
/* For an array whose last element is not saved, because it is no state. */
#define FIELD_BITS_BUT_LAST(index, mask, ...)                                                                \
    EACH(FIELD_OF, (FIELD_BUT_LAST, index, .kind = FIELD_KIND_BITS, .most = (mask)), __VA_ARGS__)
#define FIELD_TIME(...)           FIELD_TIME_OF(, __VA_ARGS__)
#define FIELD_TIME_OF(index, ...) EACH(FIELD_OF, (FIELD_OTHER, index, .kind = FIELD_KIND_TIME), __VA_ARGS__)
#define FIELD_DEADLINE(...)       EACH(FIELD_OF, (FIELD_OTHER, , .kind = FIELD_KIND_DEADLINE), __VA_ARGS__)
/* For char[n] or an array of them, and for char *. */
#define FIELD_TEXT(...)           FIELD_TEXT_OF(, __VA_ARGS__)
#define FIELD_TEXT_OF(index, ...) EACH(FIELD_OF, (FIELD_OTHER, index, .kind = FIELD_KIND_TEXT), __VA_ARGS__)
#define FIELD_STRING(...)         EACH(FIELD_OF, (FIELD_OTHER, , .kind = FIELD_KIND_STRING), __VA_ARGS__)
/* For structures or arrays of them. The fields of a table whose name is NULL get no prefix: they appear as
 * fields of the outer structure. */
#define FIELD_TABLE(table, ...) EACH(FIELD_OF, (FIELD_STRUCTURE, , .of = (table)), __VA_ARGS__)
/* For arrays of any numbers with a name for each of the `n` indices of the first dimension: names(i). */
#define FIELD_EACH_OF(index, names, n, ...)                                                                  \
    EACH(FIELD_OF, (FIELD_ANY_NUMBER, index, .each = (names), .each_count = (n)), __VA_ARGS__)
/* For members that are not saved. */
#define FIELD_DERIVED(...) EACH(FIELD_OF, (FIELD_OTHER, , .kind = FIELD_KIND_DERIVED), __VA_ARGS__)
/* For fields added in a revision: FIELD_SINCE(2, FIELD_FLAG(open)). */
#define FIELD_SINCE(revision, ...) EACH(FIELD_CAME, revision, __VA_ARGS__)

/* Implementation: each name becomes (name, macro for its row, index, designators), and that becomes a row, which is a
 * snapshot_field. m is the member, e one number of it. */
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

/* Saves or loads the revision, at the beginning of a stream that is not in a file with a header. Streams of
 * revision 1 may begin without it. */
void snapshot_begin(snapshot *s);
/* Save or load the fields of a structure, and of `count` structures; loading fails if the stream has another number.
 * After a failure some fields may have been loaded. */
void snapshot_state(snapshot *s, const snapshot_table *table, void *state);
void snapshot_states(snapshot *s, const snapshot_table *table, void *states, size_t count);
/* Saves or loads a growable array of at most `most` items (base/array.h). `items` is the address of its
 * pointer, and the table describes an item. Loading replaces the items; those of the file become zero first. */
void snapshot_list(snapshot *s, const snapshot_table *table, void *items, size_t *count, size_t *capacity,
                   size_t most);
/* Saves or loads `size` uninterpreted bytes. */
void snapshot_raw(snapshot *s, const char *name, void *bytes, size_t size);
/* Saves `value`, or loads and returns a number of at most `most`. Returns 0 after a failure. */
uint64_t snapshot_number(snapshot *s, const char *name, uint64_t value, uint64_t most);
/* Reports that loaded values are invalid. The first failure counts. The message begins with the field. */
void snapshot_refuse(snapshot *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reports that memory ran out. */
void snapshot_no_memory(snapshot *s);

/* Calls `visit` for each field of the stream that a table produces, with its full name without the table's.
 * Returns false if memory runs out. */
bool snapshot_each_field(const snapshot_table *table,
                         void (*visit)(void *context, const char *name, const snapshot_field *field),
                         void *context);
/* Describes the permitted values of a field in a few words: "0..3". */
void snapshot_permitted(const snapshot_field *field, char *text, size_t size);

#endif
