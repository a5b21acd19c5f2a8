/* Metric groups: named formulas over event counts, in the shape of likwid's group files (p5scope-metrics(5)).
 *
 *   SHORT  Data cache                        one line: what the group shows
 *
 *   EVENTSET                                 every event (or clocks) that its formulas use, one per line
 *   data_read
 *   data_read_miss
 *
 *   METRICS                                  name and formula, separated by two blanks or a tab; in a line
 *   Data read miss rate [%]  100*data_read_miss/data_read          without these, the last word is the formula
 *
 *   LONG
 *   Prose to the end of the file.
 *
 * '#' at the start of a line is a comment (not in LONG). Formula:
 *   sum = product {("+" | "-") product};  product = factor {("*" | "/") factor};
 *   factor = number | name [":" modifiers] | "(" sum ")" | ("+" | "-") factor.
 * A number may end in k, M or G. A name is an event (any spelling, r2b.0 too), `clocks`, `seconds`,
 * `bus_read_bytes`, `bus_written_bytes` or `stall_CAUSE` (p5_stall_name). The name CPI stands for the formula
 * clocks/instructions_executed, and IPC for instructions_executed/clocks.
 * Modifiers are those of event selections: u, k and c. */
#ifndef REPORT_STAT_METRIC_H
#define REPORT_STAT_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/embed.h"
#include "p5tool/core.h"
#include "p5scope/status.h"
#include "report/stat/scan.h"

/* Numbers of variables, the names in formulas: an event's id, or one of these. */
enum {
    METRIC_CLOCKS = P5_EVENT_COUNT,
    METRIC_SECONDS,                  /* clocks at the model's clock rate */
    METRIC_BYTES,                    /* read over the bus; METRIC_BYTES + 1: written; p5_counts.bus_bytes */
    METRIC_STALL = METRIC_BYTES + 2, /* METRIC_STALL + p5_stall: clocks of a stall cause */
    METRIC_VARIABLES = METRIC_STALL + P5_STALL_COUNT
};

typedef struct metric_formula metric_formula;

/* One metric of a group. Strings belong to the group. */
typedef struct metric {
    const char *name; /* "Data read miss rate" */
    const char *unit; /* "%": the text in brackets at the end of the name, or "" */
    const char *text; /* the formula as written */
    metric_formula *formula;
} metric;

typedef struct metric_group {
    const char *name;          /* "cache" */
    const char *summary;       /* SHORT */
    const char *description;   /* LONG, may be empty */
    const uint16_t *variables; /* EVENTSET, in order */
    size_t variable_count;
    const metric *metrics;
    size_t metric_count;
    unsigned families; /* P5_FAMILY_*: processors that have all events of the group */
} metric_group;

/* Returns the names and texts of the built-in groups; name NULL ends the table. */
const embedded_file *metric_builtin_groups(void);

/* Parses the text of a group file. The caller closes the group. Error messages name the file `where`. */
p5_status metric_group_parse(const char *name, const char *where, const char *text, metric_group **group,
                             p5_error *error);
/* Opens a built-in group by name, or a group file if `name` contains '/' or ends in ".txt". Returns P5_ERR_NAME,
 * with a similar name as a hint, if there is no such group. */
p5_status metric_group_open(const char *name, metric_group **group, p5_error *error);
void metric_group_close(metric_group *group);

/* Finds the variable named `name`, which may be any spelling of an event. P5_ERR_NAME with a hint. */
p5_status metric_variable_find(const char *name, unsigned *variable, p5_error *error);

/* Parses one formula. Errors have the column, counted from `text`. The caller frees it with
 * metric_formula_close. */
p5_status metric_formula_parse(const char *text, metric_formula **formula, p5_error *error);
/* What the name `base` in a formula stands for. */
typedef struct metric_base {
    double value;
    const char *missing; /* the error message for a formula that uses the name; NULL: `value` is valid */
} metric_base;
/* Parses a formula that begins at `scan->at` and leaves `scan->at` at the first character that is not part of it.
 * All events must exist in the model's `family`; 0 permits all events. If `base` is NULL, the name `base` is an error. The
 * formula keeps a copy of the value. The caller frees the formula with metric_formula_close. */
p5_status metric_formula_scan(scanner *scan, unsigned family, const metric_base *base,
                              metric_formula **formula);
void metric_formula_close(metric_formula *formula);
/* Returns the families that have all events of the formula. */
unsigned metric_formula_families(const metric_formula *formula);
/* Returns true if the formula uses `variable`. */
bool metric_formula_uses(const metric_formula *formula, unsigned variable);
/* Returns the first variable that the formula names, which a metric is about, or METRIC_VARIABLES. */
unsigned metric_formula_first(const metric_formula *formula);
/* Returns true if the value is a whole number for every run: the formula neither divides nor has seconds or a fraction. */
bool metric_formula_whole(const metric_formula *formula);
/* Returns true if a name in the formula has modifiers. */
bool metric_formula_modified(const metric_formula *formula);

/* The counts that a formula is evaluated on. */
typedef struct metric_source {
    const p5_counts *counts;
    size_t runs;       /* `counts` is the sum over this many runs; variables are the means of one run */
    unsigned cpl_mask; /* P5_CPL_MASK_* of variables without modifiers */
    double clock_mhz;
} metric_source;
/* Returns the formula's value; NaN if a divisor is 0. */
double metric_evaluate(const metric_formula *formula, const metric_source *from);
/* Writes `value` with `decimals` places, or "-" if it is not finite; returns `buffer`. */
const char *metric_text(double value, unsigned decimals, char *buffer, size_t size);

#endif
