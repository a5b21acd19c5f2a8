/* What the files that write `p5scope list` share. */
#ifndef REPORT_STAT_LIST_INTERNAL_H
#define REPORT_STAT_LIST_INTERNAL_H

#include "report/row_writer.h"
#include "report/stat/list.h"

/* True if `name` matches a glob, or contains `pattern` if that has no * or ?; NULL matches everything. */
bool list_matches(const char *pattern, const char *name);

const char *event_families_text(unsigned families);

/* A list while it is written. */
typedef struct list_writer {
    FILE *out;
    const p5_list_options *options;
    row_writer *rows;  /* NULL: text */
    const char *title; /* of the kind of rows that comes, until one has come */
    size_t count;      /* rows */
} list_writer;

/* Before each row: text has the title before the first of a kind. */
void list_row(list_writer *l);

/* Write the metric groups, and the forms of instructions, that match. */
p5_status list_metrics(list_writer *l, p5_error *error);
p5_status list_instructions(list_writer *l, p5_error *error);

#endif
