/* Compares two profiles A and B (`p5scope diff`): totals, and costs function by function. Functions of both
 * profiles are the same if they have the same identity: object (program), symbol, source file, and their
 * number among namesakes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "report/profile/profile_internal.h"
#include "report/row_writer.h"

/* A function, or the bus, in one profile or both. */
typedef struct diff_row {
    const char *object, *symbol, *file; /* its identity, with `number`; "" = none */
    const char *name;                   /* as shown */
    bool of_b;                          /* it is a function of profile B */
    unsigned number; /* order by address among the functions of its profile that are otherwise identical */
    uint64_t a, b;   /* its own cost in A and in B; 0 for the profile that it is not of */
} diff_row;

/* Destination of the changes: text, or `rows` if that is not NULL. */
typedef struct diff_output {
    FILE *out;
    row_writer *rows;
} diff_output;

/* A line of the output: what an event counted in A and B. */
typedef struct diff_change {
    const char *event;
    const char *function; /* NULL = the whole run */
    uint64_t a, b;
    uint64_t whole; /* the count that the change is shown in per cent of: that of the whole run A */
    bool exceeded;  /* the change is above the threshold that the user has set */
} diff_change;

/* Writes a line of text, or a row for programs. */
static void write_change(const diff_output *to, const diff_change *row)
{
    FILE *out = to->out;
    const uint64_t a = row->a, b = row->b, whole = row->whole;
    const char *name = row->function != NULL ? row->function : row->event;
    if (to->rows != NULL) {
        rows_begin(to->rows);
        rows_text(to->rows, "event", row->event);
        rows_text(to->rows, "function", row->function);
        rows_unsigned(to->rows, "a", a);
        rows_unsigned(to->rows, "b", b);
        rows_double(to->rows, "difference", (double)b - (double)a);
        rows_double(to->rows, "percent", whole ? 100.0 * ((double)b - (double)a) / (double)whole : NAN);
        rows_bool(to->rows, "exceeds", row->exceeded);
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
    fprintf(out, "%s\n", row->exceeded ? "  exceeds the threshold" : "");
}

/* Functions that are equal in this order are namesakes: they have symbol and object in common. */
static int by_symbol(const diff_row *x, const diff_row *y)
{
    return strcmp(x->symbol, y->symbol) ?: strcmp(x->object, y->object);
}

static int by_identity(const void *a, const void *b)
{
    const diff_row *x = a, *y = b;
    return by_symbol(x, y) ?: strcmp(x->file, y->file) ?: ARRAY_ORDER(x->number, y->number)
           ?: x->of_b - y->of_b;
}

/* Fills in a row for each function of a profile with its own cost, and one for the bus. The guest's object is
 * left out of the identity, because the changed program may have another file name. */
static void add_rows(const p5_profile *p, bool of_b, const profile_value *value, diff_row *rows)
{
    for (size_t f = 0; f < p->functions.count; f++) {
        const profile_function *x = &p->functions.items[f];
        const char *file = x->source != NULL ? path_base(x->source) : "";
        const char *object = PROFILE_SPACE(x->start) != 0 ? path_base(profile_object_at(p, x->start)) : "";
        rows[f] =
            (diff_row){.object = object, .symbol = x->symbol, .file = file, .name = x->name, .of_b = of_b};
    }
    rows[p->functions.count] =
        (diff_row){.object = "", .symbol = "", .file = "", .name = "[bus]", .of_b = of_b};
    for (size_t i = 0; i < p->sites.count; i++) {
        int f = profile_function_at(p, p->sites.items[i].address);
        diff_row *row = &rows[f == PROFILE_NO_INDEX ? p->functions.count : (size_t)f];
        *(of_b ? &row->b : &row->a) += profile_amounts_value(&p->sites.items[i], value);
    }
}

/* Returns true if `count` namesakes contain at most one function per profile. These are then the same function,
 * even if its file is known in one profile only or has changed. */
static bool is_one(const diff_row *rows, size_t count)
{
    return count == 1 || (count == 2 && rows[0].of_b != rows[1].of_b);
}

/* Numbers, from 0, the functions of each profile that have the same object, symbol and file. Removes the file
 * from the identity of a function that has no namesake in its profile. The rows must be sorted by identity;
 * the caller sorts them again. */
static void number_namesakes(diff_row *rows, size_t count)
{
    for (size_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && by_symbol(&rows[first], &rows[end]) == 0;)
            end++;
        bool one = is_one(&rows[first], end - first);
        for (size_t i = first; i < end; i++)
            rows[i].file = one ? "" : rows[i].file;
    }
    qsort(rows, count, sizeof *rows, by_identity);
    unsigned next[2] = {0, 0};
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && (by_symbol(&rows[i - 1], &rows[i]) != 0 || strcmp(rows[i - 1].file, rows[i].file) != 0))
            next[0] = next[1] = 0;
        rows[i].number = next[rows[i].of_b]++;
    }
}

/* Returns rows of own cost by function, and their number in *count; the caller frees them. A function of both
 * profiles has one row. NULL: out of memory. */
static diff_row *function_rows(const p5_profile *a, const p5_profile *b, const profile_value *value,
                               size_t *count)
{
    size_t all = a->functions.count + b->functions.count + 2;
    diff_row *rows = calloc(all, sizeof *rows);
    *count = 0;
    if (!rows)
        return NULL;
    add_rows(a, false, value, rows);
    add_rows(b, true, value, rows + a->functions.count + 1);
    for (size_t i = 0; i < all; i++) /* rows are in address order, which decides among equals */
        rows[i].number = (unsigned)i;
    qsort(rows, all, sizeof *rows, by_identity);
    number_namesakes(rows, all);
    qsort(rows, all, sizeof *rows, by_identity);
    for (size_t i = 0; i < all; i++) {
        diff_row *last = *count > 0 ? &rows[*count - 1] : NULL;
        if (last != NULL && by_symbol(last, &rows[i]) == 0 && strcmp(last->file, rows[i].file) == 0 &&
            last->number == rows[i].number)
            last->b = rows[i].b; /* the row of A comes first */
        else
            rows[(*count)++] = rows[i];
    }
    return rows;
}

/* Orders by the difference between A and B, largest first, then by name. */
static int by_change(const void *x, const void *y)
{
    const diff_row *p = x, *q = y;
    uint64_t d = p->a > p->b ? p->a - p->b : p->b - p->a, e = q->a > q->b ? q->a - q->b : q->b - q->a;
    return ARRAY_ORDER(e, d) ?: strcmp(p->name, q->name) ?: by_identity(p, q);
}

/* Writes the functions in which `value` differs by at least `least_percent` of all of A. Returns false when
 * memory is out. */
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
        write_change(to, &(diff_change){value->name, rows[i].name, rows[i].a, rows[i].b, whole, false});
    }
    free(rows);
    return true;
}

static void write_profile(FILE *out, char letter, const p5_profile *p)
{
    fprintf(out, "# %c: %s; model %s, options: %s%s%s\n", letter, p->command, p->model, p->options,
            p->ending != NULL ? "; " : "", p->ending != NULL ? p->ending : "");
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
        write_profile(out, 'A', a);
        write_profile(out, 'B', b);
        fputs("#\n", out);
        fprintf(out, "# %-40s %17s %17s  %16s  %10s\n", "event", "A", "B", "B - A", "change");
    }
    profile_value chosen[1 + P5_PROFILE_EXECUTIONS]; /* clocks, and each event and stall cause */
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
            char buffer[48];
            profile_value v = {.quantity = (int)q, .cpl_mask = P5_CPL_MASK_ALL};
            snprintf(v.name, sizeof v.name, "%s", profile_quantity_name(q, buffer));
            if (profile_total_value(a, &v) != profile_total_value(b, &v))
                chosen[count++] = v;
        }
    }
    for (size_t i = 0; i < count; i++) {
        uint64_t x = profile_total_value(a, &chosen[i]), y = profile_total_value(b, &chosen[i]);
        bool over = comparison->threshold_percent >= 0 && y > x &&
                    (double)(y - x) * 100 > comparison->threshold_percent * (double)x;
        *exceeded += over;
        write_change(&to, &(diff_change){chosen[i].name, NULL, x, y, x, over});
    }
    for (size_t i = 0; comparison->functions && i < count; i++)
        if (!write_functions(&to, a, b, &chosen[i], comparison->least_percent))
            return error_set(error, P5_ERR_MEMORY, "out of memory");
    return error_unless_written(error, out, "the comparison");
}
