/* What all formats of `stat` need: figures of the runs, the comment lines, and the choice of the format. */
#include "report/stat/stat_internal.h"

#include <math.h>

#include "p5scope/version.h"
#include "report/stat/metric.h"

/* Returns a figure of one run; `row` is the selected event for STAT_ROW. */
static double figure_of(const p5_stat_run *run, stat_figure figure, const p5_selected *row)
{
    if (figure >= STAT_STALL)
        return (double)p5_counts_sum(run->counts.stalls[figure - STAT_STALL], P5_CPL_MASK_ALL);
    switch (figure) {
    case STAT_CLOCKS:
        return (double)p5_counts_sum(run->counts.clocks, P5_CPL_MASK_ALL);
    case STAT_INSTRUCTIONS:
        return (double)run->instructions;
    case STAT_HOST_INSTRUCTIONS:
        return (double)(run->host_instructions != 0 ? run->host_instructions : run->instructions);
    case STAT_HOST_SECONDS:
        return run->host_seconds;
    case STAT_ROW:
    case STAT_STALL:
        break;
    }
    return row != NULL ? (double)p5_selected_value(row, &run->counts) : 0;
}

/* Returns the mean, and its standard error in per cent of it, as `perf stat -r` shows it. */
stat_value stat_summary(const p5_stat *stat, stat_figure figure, const p5_selected *row)
{
    double sum = 0;
    for (size_t i = 0; i < stat->run_count; i++)
        sum += figure_of(&stat->runs[i], figure, row);
    stat_value result = {.mean = sum / (double)stat->run_count};
    double squares = 0;
    for (size_t i = 0; i < stat->run_count; i++) {
        double off = figure_of(&stat->runs[i], figure, row) - result.mean;
        squares += off * off;
    }
    if (stat->run_count > 1 && result.mean != 0) {
        double n = (double)stat->run_count;
        result.error_percent = 100 * sqrt(squares / (n - 1) / n) / result.mean;
    }
    return result;
}

double stat_host_mips(const p5_stat *stat)
{
    return stat_summary(stat, STAT_HOST_INSTRUCTIONS, NULL).mean /
           stat_summary(stat, STAT_HOST_SECONDS, NULL).mean / 1e6;
}

uint64_t stat_permissive(const p5_stat *stat)
{
    uint64_t most = 0;
    for (size_t i = 0; i < stat->run_count; i++)
        if (stat->runs[i].permissive > most)
            most = stat->runs[i].permissive;
    return most;
}

void stat_sum(const p5_stat *stat, p5_counts *sum)
{
    *sum = stat->runs[0].counts;
    for (size_t i = 1; i < stat->run_count; i++)
        p5_counts_add(sum, &stat->runs[i].counts);
}

void stat_write_region(FILE *out, const char *counted, const p5_stat *stat)
{
    const bool once = stat->region_times == 1;
    fprintf(out, "%s in the region %s only (%llu time%s%s)\n", counted, stat->region,
            (unsigned long long)stat->region_times, once ? "" : "s",
            !stat->region_open ? ""
            : once             ? ", to the end of the run"
                               : ", the last one to the end of the run");
}

void stat_write_comment(FILE *out, const p5_stat *stat, bool before_run)
{
    fprintf(out, "# p5scope %s, model %s at %g MHz, options: %s, guest: %s\n", p5_version(),
            p5_model_name(stat->model), p5_model_clock_mhz(stat->model), stat->options, stat->command);
    if (stat->fast_forwarded != 0)
        fprintf(out, "# fast-forwarded %llu instructions first: structures warmed, nothing counted\n",
                (unsigned long long)stat->fast_forwarded);
    if (stat->region != NULL && !before_run)
        stat_write_region(out, "# counted", stat);
    else if (stat->region != NULL)
        fprintf(out, "# counted in the region %s only\n", stat->region);
    if (stat->ending != NULL)
        fprintf(out, "# %s\n", stat->ending);
}

/* Opens and closes the group to see whether it exists and is valid. */
p5_status p5_metric_group_check(const char *name, p5_error *error)
{
    metric_group *group;
    p5_status status = metric_group_open(name, &group, error);
    metric_group_close(group);
    return status;
}

size_t p5_metric_group_names(unsigned family, const char **names, size_t room)
{
    size_t count = 0;
    for (const embedded_file *file = metric_builtin_groups(); file->name != NULL && count < room; file++) {
        metric_group *group;
        if (metric_group_open(file->name, &group, NULL) != P5_OK)
            continue;
        if (group->families & family)
            names[count++] = file->name;
        metric_group_close(group);
    }
    return count;
}

p5_status stat_write(FILE *out, const p5_stat *stat, const stat_plan *plan, p5_stat_format format,
                     const p5_stat_style *style, p5_error *error)
{
    return format == P5_STAT_JSON  ? stat_write_json(out, stat, plan, error)
           : format == P5_STAT_CSV ? stat_write_csv(out, stat, plan, style, error)
                                   : stat_write_text(out, stat, plan, style, error);
}

p5_status p5_stat_write(FILE *out, const p5_stat *stat, p5_stat_format format, const p5_stat_style *style,
                        p5_error *error)
{
    return stat_write(out, stat, NULL, format, style, error);
}
