/* What the three formats of `stat` share: rows with their values, the metric of a row, numbers. */
#ifndef REPORT_STAT_STAT_INTERNAL_H
#define REPORT_STAT_STAT_INTERNAL_H

#include "p5scope/report.h"
#include "report/stat/metric.h"

/* Mean and relative standard error of the mean over the runs. */
typedef struct stat_value {
    double mean;
    double variance_percent; /* 0 for one run */
} stat_value;

/* Clocks are those of all CPLs; a row's are what it selects, NULL for the others. */
typedef enum stat_figure {
    STAT_CLOCKS,
    STAT_INSTRUCTIONS,
    STAT_HOST_INSTRUCTIONS,
    STAT_HOST_SECONDS,
    STAT_ROW
} stat_figure;
stat_value stat_summary(const p5_stat *stat, stat_figure figure, const p5_selected *row);
/* Million instructions that the host executed in a second of them. */
double stat_host_mips(const p5_stat *stat);
uint64_t stat_permissive(const p5_stat *stat);

/* The totals of all runs together; ratios of them are the ratios of the means. */
void stat_sum(const p5_stat *stat, p5_counts *sum);

/* The comment lines above a report in lines: what ran, and what of it was counted. `before_run`: how the run
 * goes is not known yet. */
void stat_write_comment(FILE *out, const p5_stat *stat, bool before_run);

/* ---- plan.c ---- */

/* A row, and the figure beside it: "3.1 % of data_read", "1.33 CPI". */
typedef struct stat_row {
    const p5_selected *selected;
    metric_formula *formula; /* NULL: none */
    const char *unit;
    unsigned decimals;
} stat_row;

typedef struct stat_plan {
    bool everything; /* not a selection: `clocks` and the CPI stack are shown as well */
    p5_selection all;
    stat_row clocks;
    stat_row *rows;
    size_t row_count;
    metric_group **groups;
    size_t group_count;
} stat_plan;

/* What reports like `stat` have in common beside the counts: those of the same model, selection, no_events
 * and metric_groups. Of `stat` it keeps the selection. */
p5_status stat_plan_open(const p5_stat *stat, stat_plan **plan, p5_error *error);
void stat_plan_close(stat_plan *plan);

/* A report while it is written. */
typedef struct stat_report {
    const p5_stat *stat;
    const stat_plan *plan;
    stat_plan *own;    /* if it was given none */
    p5_counts sum;     /* stat_sum, */
    stat_value clocks; /* ... STAT_CLOCKS */
    unsigned known;    /* bit n: values[n] are */
    double values[P5_CPL_MASK_ALL + 1][METRIC_VARIABLES];
} stat_report;

/* `plan` NULL: it is made for this report. */
p5_status stat_report_begin(stat_report *report, const p5_stat *stat, const stat_plan *plan, p5_error *error);
void stat_report_end(stat_report *report);
/* As metric_values of the sum. */
const double *stat_report_values(stat_report *report, unsigned cpl_mask);

/* The figure beside a row. False if it has none, or it is not a number. It is formed from the row's own
 * privilege levels. */
typedef struct stat_metric {
    double value;
    unsigned decimals;
    const char *unit;
} stat_metric;
bool stat_row_metric(stat_report *report, const stat_row *row, stat_metric *beside);

/* ---- formats ---- */

/* p5_stat_write by a plan made before; NULL: it is made for this report. */
p5_status stat_write(FILE *out, const p5_stat *stat, const stat_plan *plan, p5_stat_format format,
                     const p5_stat_style *style, p5_error *error);
p5_status stat_write_text(FILE *out, const p5_stat *stat, const stat_plan *plan, const p5_stat_style *style,
                          p5_error *error);
p5_status stat_write_csv(FILE *out, const p5_stat *stat, const stat_plan *plan, const p5_stat_style *style,
                         p5_error *error);
p5_status stat_write_json(FILE *out, const p5_stat *stat, const stat_plan *plan, p5_error *error);
/* What stands above the rows of intervals. */
void stat_write_interval_text_header(FILE *out);
void stat_write_interval_csv_header(FILE *out, const p5_stat *stat, const p5_stat_style *style);
void stat_write_interval_json_header(FILE *out, const p5_stat *stat);

#endif
