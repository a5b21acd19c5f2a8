/* Functions shared by the files that write `p5scope list`. */
#ifndef REPORT_STAT_LIST_INTERNAL_H
#define REPORT_STAT_LIST_INTERNAL_H

#include "report/row_writer.h"
#include "report/stat/list.h"

/* Returns true if `name` matches the glob `pattern`, or contains it if it has no * or ?; NULL matches
 * everything. */
bool list_matches(const char *pattern, const char *name);

/* Returns "P54C", "P55C" or both for P5_FAMILY_*. */
const char *event_families_text(unsigned families);

/* A list that is being written. */
typedef struct list_writer {
    FILE *out;
    const p5_list_options *options;
    row_writer *rows;  /* JSON or CSV; NULL: text */
    const char *title; /* of the current kind of rows; NULL once it has been written */
    size_t count;      /* of rows so far */
} list_writer;

/* Counts a row, and in text writes the title before the first row of a kind. Call it before each row is written. */
void list_begin_row(list_writer *l);

/* Write the matching metric groups, or forms of instructions. */
p5_status list_metrics(list_writer *l, p5_error *error);
p5_status list_instructions(list_writer *l, p5_error *error);

#endif
