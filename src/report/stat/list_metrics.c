/* The metric groups in `p5scope list`. */
#include "report/stat/list_internal.h"
#include "report/stat/metric.h"

/* Writes a line for the group; with `verbose` also its formulas and its description. */
static void write_text(FILE *out, const metric_group *group, bool verbose)
{
    fprintf(out, "  %-10s %-9s  %s\n", group->name, event_families_text(group->families), group->summary);
    if (!verbose)
        return;
    for (size_t i = 0; i < group->metric_count; i++) {
        const metric *one = &group->metrics[i];
        fprintf(out, "      %s%s%s%s = %s\n", one->name, one->unit[0] != '\0' ? " [" : "", one->unit,
                one->unit[0] != '\0' ? "]" : "", one->text);
    }
    if (group->description[0] != '\0')
        fprintf(out, "\n%s\n", group->description);
}

/* Writes the group as one row with an array of its metrics. */
static void write_json(row_writer *rows, const metric_group *group, bool verbose)
{
    rows_begin(rows);
    rows_text(rows, "kind", "metric-group");
    rows_text(rows, "name", group->name);
    rows_text(rows, "summary", group->summary);
    json_key_array(&rows->json, "metrics");
    for (size_t i = 0; i < group->metric_count; i++) {
        json_open_object(&rows->json);
        json_key_string(&rows->json, "name", group->metrics[i].name);
        json_key_string(&rows->json, "unit", group->metrics[i].unit);
        json_key_string(&rows->json, "formula", group->metrics[i].text);
        json_close_object(&rows->json);
    }
    json_close_array(&rows->json);
    if (verbose)
        rows_text(rows, "description", group->description);
    rows_end(rows);
}

static void write_csv(row_writer *rows, const metric_group *group)
{
    for (size_t i = 0; i < group->metric_count; i++) {
        rows_begin(rows);
        rows_text(rows, "kind", "metric");
        rows_text(rows, "group", group->name);
        rows_text(rows, "name", group->metrics[i].name);
        rows_text(rows, "unit", group->metrics[i].unit);
        rows_text(rows, "formula", group->metrics[i].text);
        rows_end(rows);
    }
}

static bool group_matches(const char *pattern, const metric_group *group)
{
    if (list_matches(pattern, group->name) || list_matches(pattern, group->summary))
        return true;
    for (size_t i = 0; i < group->metric_count; i++)
        if (list_matches(pattern, group->metrics[i].name))
            return true;
    return false;
}

p5_status list_metrics(list_writer *l, p5_error *error)
{
    for (const embedded_file *file = metric_builtin_groups(); file->name != NULL; file++) {
        metric_group *group;
        p5_status status = metric_group_open(file->name, &group, error);
        if (status != P5_OK)
            return status;
        if (l->options->pattern == NULL || group_matches(l->options->pattern, group)) {
            list_begin_row(l); /* one for the group, even if CSV gets a row per metric */
            if (l->rows == NULL)
                write_text(l->out, group, l->options->verbose);
            else if (l->rows->csv)
                write_csv(l->rows, group);
            else
                write_json(l->rows, group, l->options->verbose);
        }
        metric_group_close(group);
    }
    return P5_OK;
}
