/* Writes a table of intervals with a column for each metric of a group. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "p5tool/report.h"
#include "report/stat/metric.h"

enum { TIME_WIDTH = 10, LEAST_WIDTH = 8 /* characters */, MOST_COLUMNS = 32 };

struct p5_table {
    metric_group *group;
    const p5_model *model;
    unsigned width[MOST_COLUMNS], decimals[MOST_COLUMNS]; /* of each metric's column */
    size_t columns;                                       /* further metrics are left out */
};

/* Returns the decimals of a metric. Ratios, which have no unit, need more than percentages; MHz and counts need none. */
static unsigned places(const metric *m)
{
    if (metric_formula_whole(m->formula))
        return 0;
    return m->unit[0] == '\0' ? strcmp(m->name, "MHz") == 0 ? 0 : 4 : m->unit[0] == '%' ? 1 : 2;
}

/* `group` NULL: the overview of the model's processor. */
p5_status p5_table_open(const char *group, const p5_model *model, p5_table **out, p5_error *error)
{
    *out = NULL;
    bool p54c = p5_model_family(model) == P5_FAMILY_P54C;
    p5_table *t = calloc(1, sizeof *t);
    if (t == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for a table");
    p5_status status = metric_group_open(group != NULL ? group
                                         : p54c        ? "overview_p54c"
                                                       : "overview",
                                         &t->group, error);
    if (status == P5_OK && (t->group->families & p5_model_family(model)) == 0)
        status = error_set(error, P5_ERR_UNSUPPORTED, "%s has events that this processor does not have",
                           t->group->name);
    if (status != P5_OK) {
        p5_table_close(t);
        return status;
    }
    t->model = model;
    t->columns = t->group->metric_count < MOST_COLUMNS ? t->group->metric_count : MOST_COLUMNS;
    for (size_t i = 0; i < t->columns; i++) {
        size_t length = strlen(t->group->metrics[i].name);
        t->width[i] = length < LEAST_WIDTH ? LEAST_WIDTH : (unsigned)length;
        t->decimals[i] = places(&t->group->metrics[i]);
    }
    *out = t;
    return P5_OK;
}

void p5_table_close(p5_table *t)
{
    if (t == NULL)
        return;
    metric_group_close(t->group);
    free(t);
}

const char *p5_table_group(const p5_table *t)
{
    return t->group->name;
}

void p5_table_write_header(FILE *out, const p5_table *t)
{
    fprintf(out, "%*s", TIME_WIDTH, "seconds");
    for (size_t i = 0; i < t->columns; i++)
        fprintf(out, "  %*s", (int)t->width[i], t->group->metrics[i].name);
    fprintf(out, "\n%*s", TIME_WIDTH, "");
    for (size_t i = 0; i < t->columns; i++)
        fprintf(out, "  %*s", (int)t->width[i], t->group->metrics[i].unit);
    fputc('\n', out);
}

void p5_table_write_row(FILE *out, const p5_table *t, uint64_t clock, const p5_counts *interval)
{
    double mhz = p5_model_clock_mhz(t->model);
    const metric_source from = {interval, 1, P5_CPL_MASK_ALL, mhz};
    fprintf(out, "%*.6f", TIME_WIDTH, (double)clock / (mhz * 1e6));
    for (size_t i = 0; i < t->columns; i++) {
        char text[48];
        fprintf(out, "  %*s", (int)t->width[i],
                metric_text(metric_evaluate(t->group->metrics[i].formula, &from), t->decimals[i], text,
                            sizeof text));
    }
    fputc('\n', out);
}
