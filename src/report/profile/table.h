/* Rows of reports: costs, grouped by a key. */
#ifndef REPORT_PROFILE_TABLE_H
#define REPORT_PROFILE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

typedef struct table_row {
    char *name;         /* the key by which costs are grouped */
    const char *object; /* the object that contains it */
    bool user;          /* CPL 3, not CPL 0-2 */
    uint64_t *own, *inclusive;
} table_row;

typedef struct table_rows {
    ARRAY_OF(table_row) list;
    size_t width; /* values of `own` and of `inclusive` */
} table_rows;

/* Adds a row of zeros, which takes ownership of the name. NULL: out of memory. */
table_row *table_row_add(table_rows *rows, char *name, const char *object, bool user);
/* Sorts the rows by name and merges those with equal names. */
void table_merge(table_rows *rows);
void table_free(table_rows *rows);

#endif
