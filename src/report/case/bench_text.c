/* `p5scope bench`: what one trip costs, for people and as rows. */
#include <string.h>

#include "p5scope/report.h"
#include "report/stat/cpi_stack.h"
#include "report/row_writer.h"
#include "report/stat/list.h"

enum { VALUE_WIDTH = 14 };

static double per_trip(uint64_t few, uint64_t many, const unsigned trips[2])
{
    return ((double)many - (double)few) / ((double)trips[1] - (double)trips[0]);
}

static uint64_t sum(const uint64_t parts[P5_CPL_CLASSES])
{
    return p5_counts_sum(parts, P5_CPL_MASK_ALL);
}

static void write_stack(FILE *out, const p5_counts counts[2], const unsigned trips[2])
{
    /* Set-up and exit cancel out in the difference, here as in every count. */
    p5_counts trip_only;
    memset(&trip_only, 0, sizeof trip_only);
    for (int cause = 0; cause < P5_STALL_COUNT; cause++) {
        uint64_t few = sum(counts[0].stalls[cause]);
        uint64_t many = sum(counts[1].stalls[cause]);
        trip_only.stalls[cause][P5_CPL_USER] = many > few ? many - few : 0;
    }
    cpi_share stack[P5_STALL_COUNT];
    size_t count = cpi_stack(&trip_only, P5_CPL_MASK_ALL, stack);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%*.3f    %-24s %3u.%u %%\n", VALUE_WIDTH, per_trip(0, stack[i].clocks, trips),
                p5_stall_name(stack[i].cause), stack[i].permille / 10, stack[i].permille % 10);
}

void p5_bench_write(FILE *out, const p5_model *model, const p5_counts counts[2], const unsigned trips[2],
                    bool zeros)
{
    fprintf(out, "%*.3f  clocks, of which\n", VALUE_WIDTH,
            per_trip(sum(counts[0].clocks), sum(counts[1].clocks), trips));
    write_stack(out, counts, trips);
    fputc('\n', out);
    for (const char *const *group = event_groups; *group != NULL; group++) {
        for (int id = 0; id < P5_EVENT_COUNT; id++) {
            const p5_event_info *event = p5_event_describe((enum p5_event)id);
            if (strcmp(event->group, *group) != 0 || (event->families & p5_model_family(model)) == 0)
                continue;
            double value = per_trip(sum(counts[0].increments[id]), sum(counts[1].increments[id]), trips);
            if (value != 0 || zeros)
                fprintf(out, "%*.3f  %s\n", VALUE_WIDTH, value, event->name);
        }
    }
}

static void write_figure(row_writer *rows, const char *what, const char *name, double value)
{
    rows_begin(rows);
    rows_text(rows, "what", what);
    rows_text(rows, "name", name);
    rows_double(rows, "per_trip", value);
    rows_end(rows);
}

void p5_bench_write_rows(FILE *out, p5_row_format format, const char *name, const p5_model *model,
                         const p5_counts counts[2], const unsigned trips[2], bool zeros)
{
    row_writer rows;
    rows_open(&rows, out, format, "bench");
    rows_header(&rows, "name", name);
    rows_header(&rows, "model", p5_model_name(model));
    rows_header_end(&rows);
    write_figure(&rows, "clocks", "clocks", per_trip(sum(counts[0].clocks), sum(counts[1].clocks), trips));
    for (int cause = 0; cause < P5_STALL_COUNT; cause++) {
        double value = per_trip(sum(counts[0].stalls[cause]), sum(counts[1].stalls[cause]), trips);
        if (value != 0 || zeros)
            write_figure(&rows, "owner", p5_stall_name((p5_stall)cause), value);
    }
    for (int id = 0; id < P5_EVENT_COUNT; id++) {
        const p5_event_info *event = p5_event_describe((enum p5_event)id);
        double value = per_trip(sum(counts[0].increments[id]), sum(counts[1].increments[id]), trips);
        if ((event->families & p5_model_family(model)) != 0 && (value != 0 || zeros))
            write_figure(&rows, "event", event->name, value);
    }
}
