/* Parts that the three formats of `stat` (text, CSV, JSON) share: figures of the runs, rows, and the derived figures
 * beside rows. */
#ifndef REPORT_STAT_STAT_INTERNAL_H
#define REPORT_STAT_STAT_INTERNAL_H

#include "p5tool/report.h"
#include "report/json_writer.h"
#include "report/stat/metric.h"

/* ---- stat.c ---- */

/* The mean over the runs, and its relative standard error. */
typedef struct stat_value {
    double mean;
    double error_percent; /* in per cent of the mean; 0 for one run */
} stat_value;

/* The figures of a run. */
typedef enum stat_figure {
    STAT_CLOCKS, /* of all CPLs */
    STAT_INSTRUCTIONS,
    STAT_HOST_INSTRUCTIONS, /* executed in STAT_HOST_SECONDS, counted or not */
    STAT_HOST_SECONDS,
    STAT_ROW,  /* count of a selected event */
    STAT_STALL /* the last one: STAT_STALL + cause (p5_stall) is the clocks of that cause */
} stat_figure;
/* Summarises a figure over the runs. `row` is the selected event for STAT_ROW, NULL for the others. */
stat_value stat_summary(const p5_stat *stat, stat_figure figure, const p5_selected *row);
/* Returns the millions of instructions that the host has emulated per second. */
double stat_host_mips(const p5_stat *stat);
/* Returns how many instructions of later processors were executed (--isa=permissive) in the run that had most of
 * them. */
uint64_t stat_permissive(const p5_stat *stat);

/* Sets `sum` to the sums of the totals over all runs. Derived figures are computed from them, because a ratio of sums
 * equals the ratio of the means. */
void stat_sum(const p5_stat *stat, p5_counts *sum);

/* Writes a line that begins with `counted` and says that only the region was counted, and how often it began. */
void stat_write_region(FILE *out, const char *counted, const p5_stat *stat);

/* Writes the comment lines (#) above the rows of CSV and of intervals: what ran, and which part of it was counted.
 * `before_run`: how often the region begins is not known yet. */
void stat_write_comment(FILE *out, const p5_stat *stat, bool before_run);

/* ---- plan.c ---- */

/* A row, and the derived figure beside it: "3.1 % of data_read", "1.33 CPI". */
typedef struct stat_row {
    const p5_selected *selected;
    metric_formula *formula; /* of the derived figure; NULL: there is none */
    const char *unit;        /* of the derived figure */
    unsigned decimals;       /* digits after its decimal point */
} stat_row;

/* The part of a report that does not depend on counts. */
typedef struct stat_plan {
    /* There is no selection, or p5_stat.no_events is set. The report then begins with `clocks` and, unless no_events is
     * set, also has the CPI stack. */
    bool unselected;
    p5_selection all; /* if unselected, every event of the model; none if no_events is set */
    stat_row clocks;  /* if unselected, the first row */
    stat_row *rows;   /* the selected events; if unselected, those of `all` */
    size_t row_count;
    metric_group **groups; /* p5_stat.metric_groups, opened */
    size_t group_count;
} stat_plan;

/* Makes the plan, which is the same for all reports with the same model, selection, no_events and
 * metric_groups. The selection of `stat` must outlive the plan. */
p5_status stat_plan_open(const p5_stat *stat, stat_plan **plan, p5_error *error);
void stat_plan_close(stat_plan *plan);

/* A report that is being written. */
typedef struct stat_report {
    const p5_stat *stat;
    const stat_plan *plan;
    stat_plan *own;    /* the same as `plan` if stat_report_begin has made it, otherwise NULL */
    p5_counts sum;     /* result of stat_sum */
    stat_value clocks; /* summary of STAT_CLOCKS */
} stat_report;

/* Begins a report with `plan`, or makes a plan if that is NULL. After an error, stat_report_end is not needed. */
p5_status stat_report_begin(stat_report *report, const p5_stat *stat, const stat_plan *plan, p5_error *error);
void stat_report_end(stat_report *report);
/* Returns the value of a formula, from `sum` and the privilege levels of `cpl_mask`; NaN if the model lacks one of its
 * events. */
double stat_report_value(const stat_report *report, const metric_formula *formula, unsigned cpl_mask);

/* The derived figure beside a row, at the row's own privilege levels. stat_row_metric returns false if there
 * is none or it is not finite. */
typedef struct stat_metric {
    double value;
    unsigned decimals;
    const char *unit;
} stat_metric;
bool stat_row_metric(const stat_report *report, const stat_row *row, stat_metric *beside);

/* ---- text.c, csv.c, json.c ---- */

/* Writes p5_stat_write's report in `format`, with an existing plan, or with one of its own if `plan` is NULL. The next
 * three functions write one format each. */
p5_status stat_write(FILE *out, const p5_stat *stat, const stat_plan *plan, p5_stat_format format,
                     const p5_stat_style *style, p5_error *error);
p5_status stat_write_text(FILE *out, const p5_stat *stat, const stat_plan *plan, const p5_stat_style *style,
                          p5_error *error);
p5_status stat_write_csv(FILE *out, const p5_stat *stat, const stat_plan *plan, const p5_stat_style *style,
                         p5_error *error);
p5_status stat_write_json(FILE *out, const p5_stat *stat, const stat_plan *plan, p5_error *error);
/* Writes a number, without an exponent if it is whole; null for NaN and infinities. */
void stat_json_number(json_writer *json, double value);
/* Write the lines above the rows of intervals (stat -I). */
void stat_write_interval_text_header(FILE *out);
void stat_write_interval_csv_header(FILE *out, const p5_stat *stat, const p5_stat_style *style);
void stat_write_interval_json_header(FILE *out, const p5_stat *stat);

#endif
