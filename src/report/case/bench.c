/* Writes what `p5scope bench` has measured: the cost of one trip through a loop, for one input or for two
 * side by side, as text for people or as rows for programs. Each input was run with two trip counts N1 and
 * N2; the cost of a trip is the difference of their totals divided by N2 - N1. */
#include <math.h>
#include <string.h>

#include "p5tool/report.h"
#include "report/row_writer.h"
#include "report/stat/cpi_stack.h"
#include "report/stat/list.h"

typedef struct bench_report {
    FILE *out;
    row_writer *rows;           /* NULL: text */
    const char *model;          /* its name */
    const p5_bench_side *sides; /* the inputs: A and B, or only one */
    size_t count;               /* of `sides`, 1 or 2 */
    bool zeros;                 /* also write what is 0 on all sides */
} bench_report;

/* Returns the cost per trip in the total that is `offset` bytes into p5_counts, summed over privilege
 * levels. */
static double per_trip(const p5_bench_side *side, size_t offset)
{
    uint64_t totals[2];
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t *parts = (const uint64_t *)(const void *)((const char *)&side->counts[i] + offset);
        totals[i] = p5_counts_sum(parts, P5_CPL_MASK_ALL);
    }
    return ((double)totals[1] - (double)totals[0]) / ((double)side->trips[1] - (double)side->trips[0]);
}

/* Writes a row for programs. `percent` is NAN if it is undefined. */
static void put_row(const bench_report *r, const char *what, const char *name, double a, double b,
                    double percent)
{
    rows_begin(r->rows);
    rows_text(r->rows, "what", what);
    rows_text(r->rows, "name", name);
    rows_double(r->rows, r->count == 1 ? "per_trip" : "a", a);
    if (r->count > 1) {
        rows_double(r->rows, "b", b);
        rows_double(r->rows, "difference", b - a);
        rows_double(r->rows, "percent", percent);
    }
    rows_text(r->rows, "model", r->model);
    rows_end(r->rows);
}

/* Writes the line or row of the total that is `offset` bytes into p5_counts. `what` is "clocks", "event" or
 * "owner" (a stall cause that owns clocks). */
static void put(const bench_report *r, const char *what, const char *name, size_t offset)
{
    double a = per_trip(&r->sides[0], offset), b = r->count > 1 ? per_trip(&r->sides[1], offset) : 0;
    /* B - A in per cent of A; NAN if A is 0 and B is not */
    double percent = a != 0 ? 100 * (b - a) / a : a == b ? 0 : NAN;
    if (a == 0 && b == 0 && !r->zeros && offset != offsetof(p5_counts, clocks))
        return;
    char share[32] = "";
    if (!isnan(percent))
        snprintf(share, sizeof share, "%+.2f %%", percent);
    if (r->rows != NULL)
        put_row(r, what, name, a, b, percent);
    else if (r->count == 1)
        fprintf(r->out, "%14.3f  %s\n", a, name);
    else
        fprintf(r->out, "%14.3f %14.3f %+14.3f %12s  %s%s\n", a, b, b - a, share,
                strcmp(what, "owner") == 0 ? "  " : "", name);
}

/* Writes the stall causes that own the clocks of a single input, largest first, each with its share. */
static void put_stack(const bench_report *r)
{
    const p5_bench_side *side = r->sides;
    /* Set-up and exit of the loop cancel out in the difference. The privilege level does not matter here. */
    p5_counts trip_only = {0};
    for (int cause = 0; cause < P5_STALL_COUNT; cause++) {
        uint64_t few = p5_counts_sum(side->counts[0].stalls[cause], P5_CPL_MASK_ALL);
        uint64_t many = p5_counts_sum(side->counts[1].stalls[cause], P5_CPL_MASK_ALL);
        trip_only.stalls[cause][P5_CPL_USER] = many > few ? many - few : 0;
    }
    cpi_share stack[P5_STALL_COUNT];
    size_t count = cpi_stack(&trip_only, stack);
    for (size_t i = 0; i < count; i++)
        fprintf(r->out, "%14.3f    %-24s %3u.%u %%\n",
                (double)stack[i].clocks / ((double)side->trips[1] - (double)side->trips[0]),
                p5_stall_name(stack[i].cause), stack[i].permille / 10, stack[i].permille % 10);
}

/* Writes the events of a group that the processor family has; NULL: those of all groups, by number. */
static void put_events(const bench_report *r, unsigned family, const char *group)
{
    for (int id = 0; id < P5_EVENT_COUNT; id++) {
        const p5_event_info *event = p5_event_describe((enum p5_event)id);
        if ((group == NULL || strcmp(event->group, group) == 0) && (event->families & family) != 0)
            put(r, "event", event->name, offsetof(p5_counts, increments[id]));
    }
}

/* Writes clocks, their owners and the events. The text of one input has shares of the clocks instead of
 * owners. */
static void put_all(const bench_report *r, unsigned family)
{
    bool text_of_one = r->rows == NULL && r->count == 1;
    bool stack = text_of_one && per_trip(r->sides, offsetof(p5_counts, clocks)) != 0;
    put(r, "clocks", stack ? "clocks, of which" : "clocks", offsetof(p5_counts, clocks));
    if (stack)
        put_stack(r);
    for (int cause = 0; cause < P5_STALL_COUNT && !text_of_one; cause++)
        put(r, "owner", p5_stall_name((p5_stall)cause), offsetof(p5_counts, stalls[cause]));
    if (r->rows == NULL)
        fputc('\n', r->out);
    if (r->rows != NULL && r->count == 1)
        put_events(r, family, NULL);
    else
        for (const char *const *group = event_groups; *group != NULL; group++)
            put_events(r, family, *group);
}

void p5_bench_write(FILE *out, p5_row_format format, const p5_model *model, const p5_bench_side *sides,
                    size_t count, bool zeros)
{
    row_writer rows;
    const char *on = p5_model_name(model);
    bool for_programs = format != P5_ROWS_TEXT;
    if (for_programs && count == 1)
        rows_open(&rows, out, format, "bench", "name", sides->name, "model", on, NULL);
    else if (for_programs)
        rows_open(&rows, out, format, "bench-compare", "a", sides[0].name, "b", sides[1].name, "model", on,
                  NULL);
    else if (count > 1)
        fprintf(out, " A: %s, %s\n B: %s, %s\n on %s\n\n%14s %14s %14s %12s\n\n", sides[0].name, sides[0].per,
                sides[1].name, sides[1].per, on, "A", "B", "B - A", "of A");
    const bench_report report = {out, for_programs ? &rows : NULL, on, sides, count, zeros};
    put_all(&report, p5_model_family(model));
}
