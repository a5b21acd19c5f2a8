/* Rows of reports on a profile: costs, grouped by a key. */
#ifndef REPORT_PROFILE_TABLE_H
#define REPORT_PROFILE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

typedef struct table_row {
    char *name;         /* the key by which costs are grouped: a function, a line, a call stack... */
    const char *object; /* the program or library that contains it; not freed with the row */
    bool user;          /* CPL 3; false: CPL 0-2, or the report does not distinguish them */
    /* Costs of the key without and with the functions that it calls, `width` numbers each. `inclusive`
     * follows `own` in the same memory. */
    uint64_t *own, *inclusive;
} table_row;

typedef struct table_rows {
    ARRAY_OF(table_row) list;
    size_t width; /* columns */
} table_rows;

/* Adds a row of zeros and takes ownership of the name, also if it fails. Returns NULL if memory is out or
 * `name` is NULL. */
table_row *table_row_add(table_rows *rows, char *name, const char *object, bool user);
/* Sorts the rows by name, object and `user`, and adds up rows in which all three are equal. */
void table_merge(table_rows *rows);
void table_free(table_rows *rows);

#endif
