/* Expands tables of fields into the columns of numbers that a snapshot holds. For snapshot.c. */
#ifndef BASE_SNAPSHOT_FIELD_H
#define BASE_SNAPSHOT_FIELD_H

#include "base/array.h"
#include "base/snapshot.h"

enum { SNAPSHOT_NAME = 120, SNAPSHOT_DEPTH = 6 };

/* The numbers of one field in all rows. Each level of structures around it is an array. */
typedef struct snapshot_column {
    char name[SNAPSHOT_NAME]; /* including the names of the structures around it */
    const snapshot_field *field;
    uint32_t offset; /* of the first number */
    struct {
        size_t count, stride;
    } level[SNAPSHOT_DEPTH]; /* outermost first */
    unsigned levels;
    size_t count; /* total of numbers */
    unsigned since;
} snapshot_column;

typedef struct snapshot_columns {
    ARRAY_OF(snapshot_column) of;
} snapshot_columns;

/* Makes the columns of `rows` structures; the caller frees the items. Returns false if memory runs out. */
bool snapshot_spread(const snapshot_table *table, size_t rows, snapshot_columns *columns);
/* Copy a column's numbers from their places in `state` to consecutive places in `packed`, and back. */
void snapshot_gather(const snapshot_column *column, const void *state, void *packed);
void snapshot_scatter(const snapshot_column *column, const void *packed, void *state);

snapshot_type snapshot_type_of(const snapshot_field *field);
/* Returns whether `value` (sign-extended) may be loaded into `field`. */
bool snapshot_permits(const snapshot *s, const snapshot_field *field, uint64_t value, bool negative);

#endif
