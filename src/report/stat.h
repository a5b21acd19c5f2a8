/* What the three formats of `stat` share: rows with their values, the metric of a row, numbers. */
#ifndef REPORT_STAT_H
#define REPORT_STAT_H

#include "p5scope/report.h"

/* Mean and relative standard error of the mean over the runs. */
typedef struct stat_value {
    double mean;
    double variance_percent; /* 0 for one run */
} stat_value;

stat_value stat_row_value(const p5_stat *stat, const p5_selected *row);
stat_value stat_host_seconds(const p5_stat *stat);
/* Clocks of all CPLs, mean over the runs. */
stat_value stat_clocks(const p5_stat *stat);
stat_value stat_instructions(const p5_stat *stat);
uint64_t stat_permissive(const p5_stat *stat);

/* The totals of all runs together; ratios of them are the ratios of the means. */
void stat_sum(const p5_stat *stat, p5_counts *sum);

/* The derived figure that stands beside an event: "3.1 % of data_read", "1.33 CPI". False if the row has
 * none, or it is not a number. It is formed from the row's own privilege levels. */
typedef struct stat_metric {
    double value;
    unsigned decimals;
    const char *unit;
} stat_metric;
bool stat_row_metric(const p5_stat *stat, const p5_selected *row, stat_metric *beside);

/* "u", "k" or "uk", with "c" behind it for clocks in which the signal was on. */
const char *stat_mode_text(const p5_selected *row, char text[4]);

/* The rows to show: the selection, or every event of the model. `all` is room for the latter, freed by the
 * caller. */
p5_status stat_rows(const p5_stat *stat, p5_selection *all, const p5_selection **rows, p5_error *error);

#endif
