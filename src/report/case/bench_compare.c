/* `p5scope bench` with two inputs: what one trip of each costs, side by side. */
#include <math.h>
#include <string.h>

#include "p5scope/report.h"
#include "report/row_writer.h"
#include "report/stat/list.h"

typedef struct comparison {
    FILE *out;
    row_writer *rows; /* NULL: text */
    const p5_bench_side *sides;
    bool zeros;
} comparison;

/* The total that lies `offset` bytes into p5_counts, by classes of privilege, per trip. */
static double figure(const p5_bench_side *side, size_t offset)
{
    uint64_t totals[2];
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t *parts = (const uint64_t *)(const void *)((const char *)&side->counts[i] + offset);
        totals[i] = p5_counts_sum(parts, P5_CPL_MASK_ALL);
    }
    return ((double)totals[1] - (double)totals[0]) / ((double)side->trips[1] - (double)side->trips[0]);
}

static void put(const comparison *c, const char *what, const char *name, size_t offset)
{
    double a = figure(&c->sides[0], offset), b = figure(&c->sides[1], offset);
    double percent = a != 0 ? 100 * (b - a) / a : a == b ? 0 : NAN;
    if (a == 0 && b == 0 && !c->zeros)
        return;
    if (c->rows != NULL) {
        rows_begin(c->rows);
        rows_text(c->rows, "what", what);
        rows_text(c->rows, "name", name);
        rows_double(c->rows, "a", a);
        rows_double(c->rows, "b", b);
        rows_double(c->rows, "difference", b - a);
        rows_double(c->rows, "percent", percent);
        rows_end(c->rows);
        return;
    }
    char share[32] = "";
    if (!isnan(percent))
        snprintf(share, sizeof share, "%+.2f %%", percent);
    fprintf(c->out, "%14.3f %14.3f %+14.3f %12s  %s%s\n", a, b, b - a, share,
            strcmp(what, "owner") == 0 ? "  " : "", name);
}

static void put_all(const comparison *c, unsigned family)
{
    put(c, "clocks", "clocks", offsetof(p5_counts, clocks));
    for (int cause = 0; cause < P5_STALL_COUNT; cause++)
        put(c, "owner", p5_stall_name((p5_stall)cause), offsetof(p5_counts, stalls[cause]));
    if (c->rows == NULL)
        fputc('\n', c->out);
    for (const char *const *group = event_groups; *group != NULL; group++)
        for (int id = 0; id < P5_EVENT_COUNT; id++) {
            const p5_event_info *event = p5_event_describe((enum p5_event)id);
            if (strcmp(event->group, *group) == 0 && (event->families & family) != 0)
                put(c, "event", event->name, offsetof(p5_counts, increments[id]));
        }
}

void p5_bench_compare_write(FILE *out, p5_row_format format, const p5_model *model,
                            const p5_bench_side sides[2], bool zeros)
{
    row_writer rows;
    comparison c = {.out = out, .sides = sides, .zeros = zeros};
    if (format == P5_ROWS_TEXT) {
        fprintf(out, " A: %s, %s\n B: %s, %s\n on %s\n\n%14s %14s %14s %12s\n\n", sides[0].name, sides[0].per,
                sides[1].name, sides[1].per, p5_model_name(model), "A", "B", "B - A", "of A");
    } else {
        c.rows = &rows;
        rows_open(&rows, out, format, "bench-compare");
        rows_header(&rows, "a", sides[0].name);
        rows_header(&rows, "b", sides[1].name);
        rows_header(&rows, "model", p5_model_name(model));
        rows_header_end(&rows);
    }
    put_all(&c, p5_model_family(model));
}
