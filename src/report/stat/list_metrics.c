/* The metric groups in `p5scope list`. */
#include "report/stat/list.h"
#include "report/stat/metric.h"

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

static void write_json(FILE *out, const metric_group *group, bool verbose)
{
    json_writer json;
    json_init(&json, out);
    json_open_object(&json);
    json_key_string(&json, "kind", "metric-group");
    json_key_string(&json, "name", group->name);
    json_key_string(&json, "summary", group->summary);
    json_key(&json, "metrics");
    json_open_array(&json);
    for (size_t i = 0; i < group->metric_count; i++) {
        json_open_object(&json);
        json_key_string(&json, "name", group->metrics[i].name);
        json_key_string(&json, "unit", group->metrics[i].unit);
        json_key_string(&json, "formula", group->metrics[i].text);
        json_close_object(&json);
    }
    json_close_array(&json);
    if (verbose)
        json_key_string(&json, "description", group->description);
    json_close_object(&json);
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

p5_status list_metrics(FILE *out, const p5_list_options *options, size_t before, size_t *rows,
                       p5_error *error)
{
    *rows = 0;
    for (const embedded_file *file = metric_builtin_groups(); file->name != NULL; file++) {
        metric_group *group;
        p5_status status = metric_group_open(file->name, &group, error);
        if (status != P5_OK)
            return status;
        if (options->pattern == NULL || group_matches(options->pattern, group)) {
            if (!options->json && *rows == 0)
                fprintf(out, "%sMetric groups (name, processors, what it shows)\n\n", before > 0 ? "\n" : "");
            if (options->json)
                write_json(out, group, options->verbose);
            else
                write_text(out, group, options->verbose);
            ++*rows;
        }
        metric_group_close(group);
    }
    return P5_OK;
}
