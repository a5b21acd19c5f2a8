/* Parts of `p5scope list` that other reports use too. */
#ifndef REPORT_STAT_LIST_H
#define REPORT_STAT_LIST_H

#include "p5scope/report.h"
#include "report/row_writer.h"

/* True if `name` matches a glob, or contains `pattern` if that has no * or ?; NULL matches everything. */
bool list_matches(const char *pattern, const char *name);

/* The groups of events in the order of `list` and `stat`, NULL-terminated. */
extern const char *const event_groups[];

/* "0", "1" or "both". */
const char *event_counters_text(unsigned counters);
const char *event_grade_text(p5_grade grade);
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
