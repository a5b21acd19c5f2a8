/* Expands tables of fields into the columns of numbers that a snapshot holds. Private to snapshot.c and
 * snapshot_field.c. */
#ifndef BASE_SNAPSHOT_FIELD_H
#define BASE_SNAPSHOT_FIELD_H

#include "base/array.h"
#include "base/snapshot.h"

enum {
    SNAPSHOT_NAME = 120, /* bytes of a column's name with its NUL */
    SNAPSHOT_DEPTH = 6   /* most arrays within one another, the rows included */
};

/* A field's numbers in all rows (structures of an object). The rows, each array of structures around the field and the
 * field's own array, if it is one, are levels. */
typedef struct snapshot_column {
    char name[SNAPSHOT_NAME]; /* including those of the structures around it: "outer.inner" */
    const snapshot_field *field;
    uint32_t offset; /* of the first number in the first row */
    struct {
        size_t count, stride; /* elements; bytes from one to the next */
    } level[SNAPSHOT_DEPTH];  /* outermost first */
    unsigned levels;
    size_t count;   /* numbers of all levels together */
    unsigned since; /* revision that added it */
} snapshot_column;

typedef struct snapshot_columns {
    ARRAY_OF(snapshot_column) of;
} snapshot_columns;

/* Makes the columns of `rows` structures; the caller frees the items. Returns false if memory runs out. */
bool snapshot_spread(const snapshot_table *table, size_t rows, snapshot_columns *columns);
/* Copy a column's numbers from their places in `state` to consecutive places in `packed`, and back. */
void snapshot_gather(const snapshot_column *column, const void *state, void *packed);
void snapshot_scatter(const snapshot_column *column, const void *packed, void *state);

/* Returns the type that a field's values have in the stream. */
snapshot_type snapshot_type_of(const snapshot_field *field);
/* Returns whether `value` may be loaded into `field`. A `negative` one is sign-extended to 64 bits. */
bool snapshot_permits(const snapshot *s, const snapshot_field *field, uint64_t value, bool negative);

#endif
