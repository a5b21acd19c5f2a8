/* `diff`: how one profile differs from another, in totals and function by function. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "report/profile/profile_internal.h"
#include "report/row_writer.h"

typedef struct diff_row {
    const char *name;
    uint64_t a, b;
} diff_row;

/* Where the changes go: text, or rows if there are some. */
typedef struct diff_output {
    FILE *out;
    row_writer *rows;
} diff_output;

static void write_change(const diff_output *to, const char *event, const char *function, uint64_t a,
                         uint64_t b, uint64_t whole, bool exceeded)
{
    FILE *out = to->out;
    const char *name = function != NULL ? function : event;
    if (to->rows != NULL) {
        rows_begin(to->rows);
        rows_text(to->rows, "event", event);
        rows_text(to->rows, "function", function);
        rows_unsigned(to->rows, "a", a);
        rows_unsigned(to->rows, "b", b);
        rows_double(to->rows, "difference", (double)b - (double)a);
        rows_double(to->rows, "percent", whole ? 100.0 * ((double)b - (double)a) / (double)whole : NAN);
        rows_bool(to->rows, "exceeds", exceeded);
        rows_end(to->rows);
        return;
    }
    char of_a[32], of_b[32], by[32];
    uint64_t distance = a > b ? a - b : b - a;
    fprintf(out, "  %-40s %17s %17s  %c%15s", name, text_grouped(a, of_a, sizeof of_a),
            text_grouped(b, of_b, sizeof of_b),
            a == b  ? ' '
            : a > b ? '-'
                    : '+',
            text_grouped(distance, by, sizeof by));
    if (whole)
        fprintf(out, "  %+8.2f %%", 100.0 * ((double)b - (double)a) / (double)whole);
    else
        fprintf(out, "  %10s", b ? "new" : "");
    fprintf(out, "%s\n", exceeded ? "  exceeds the threshold" : "");
}

/* Own cost by function name. Names of several functions of one program are one row. */
static diff_row *function_rows(const p5_profile *a, const p5_profile *b, const profile_value *value,
                               size_t *count)
{
    diff_row *rows = calloc(a->functions.count + b->functions.count + 2, sizeof *rows);
    *count = 0;
    for (unsigned which = 0; rows && which < 2; which++) {
        const p5_profile *p = which ? b : a;
        for (size_t i = 0; i < p->sites.count; i++) {
            int f = profile_function_at(p, p->sites.items[i].address);
            const char *name = f == PROFILE_NO_INDEX ? "[bus]" : p->functions.items[f].name;
            uint64_t n = profile_amounts_value(&p->sites.items[i], value);
            size_t at = *count;
            while (at > 0 && strcmp(rows[at - 1].name, name) != 0)
                at--;
            if (at == 0) {
                rows[*count].name = name;
                at = ++*count;
            }
            *(which ? &rows[at - 1].b : &rows[at - 1].a) += n;
        }
    }
    return rows;
}

static int by_change(const void *x, const void *y)
{
    const diff_row *p = x, *q = y;
    uint64_t d = p->a > p->b ? p->a - p->b : p->b - p->a, e = q->a > q->b ? q->a - q->b : q->b - q->a;
    if (d != e)
        return d < e ? 1 : -1;
    return strcmp(p->name, q->name);
}

static bool write_functions(const diff_output *to, const p5_profile *a, const p5_profile *b,
                            const profile_value *value, double least_percent)
{
    size_t count;
    diff_row *rows = function_rows(a, b, value, &count);
    if (!rows)
        return false;
    uint64_t whole = profile_total_value(a, value);
    bool any = false;
    qsort(rows, count, sizeof *rows, by_change);
    for (size_t i = 0; i < count; i++) {
        double change = (double)rows[i].b - (double)rows[i].a;
        if (change == 0 || (whole && 100 * (change < 0 ? -change : change) / (double)whole < least_percent))
            continue;
        if (!any && to->rows == NULL)
            fprintf(to->out, "\n  %s by function, change in %% of all of A\n", value->name);
        any = true;
        write_change(to, value->name, rows[i].name, rows[i].a, rows[i].b, whole, false);
    }
    free(rows);
    return true;
}

p5_status p5_profile_write_diff(FILE *out, const p5_profile *a, const p5_profile *b,
                                const p5_profile_comparison *comparison, unsigned *exceeded, p5_error *error)
{
    const unsigned family = a->family | b->family;
    *exceeded = 0;
    row_writer rows;
    bool for_programs = comparison->format != P5_ROWS_TEXT;
    diff_output to = {out, for_programs ? &rows : NULL};
    if (for_programs) {
        rows_open(&rows, out, comparison->format, "diff", "a", a->command, "a_model", a->model, "b",
                  b->command, "b_model", b->model, NULL);
    } else {
        fprintf(out, "# A: %s; model %s, options: %s\n# B: %s; model %s, options: %s\n#\n", a->command,
                a->model, a->options, b->command, b->model, b->options);
        fprintf(out, "# %-40s %17s %17s  %16s  %10s\n", "event", "A", "B", "B - A", "change");
    }
    profile_value chosen[P5_PROFILE_EXECUTIONS + 2];
    size_t count = 0;
    if (comparison->events && comparison->events[0]) {
        for (; count < P5_PROFILE_EXECUTIONS && comparison->events[count]; count++) {
            p5_status status = profile_value_find(family, comparison->events[count], &chosen[count], error);
            if (status != P5_OK)
                return status;
        }
    } else {
        (void)profile_value_find(family, "clocks", &chosen[count++], NULL);
        for (unsigned q = 0; q < P5_PROFILE_EXECUTIONS; q++) {
            char room[48];
            profile_value v = {.quantity = (int)q, .cpl_mask = P5_CPL_MASK_ALL};
            snprintf(v.name, sizeof v.name, "%s", profile_quantity_name(q, room));
            if (profile_total_value(a, &v) != profile_total_value(b, &v))
                chosen[count++] = v;
        }
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t x = profile_total_value(a, &chosen[i]), y = profile_total_value(b, &chosen[i]);
        bool over = comparison->threshold_percent >= 0 && y > x &&
                    (double)(y - x) * 100 > comparison->threshold_percent * (double)x;
        *exceeded += over;
        write_change(&to, chosen[i].name, NULL, x, y, x, over);
    }
    bool fits = true;
    for (size_t i = 0; comparison->functions && fits && i < count; i++)
        fits = write_functions(&to, a, b, &chosen[i], comparison->least_percent);
    if (!fits)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    return error_unless_written(error, out, "the comparison");
}
