/* Writes the pairing diagram: every instruction of a trip with its pipe, its stages clock by clock, and its
 * cost. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "report/case/window.h"

enum { LEAST_TEXT_WIDTH = 34, MOST_COLUMNS = 96, MOST_ROWS = 200 };

typedef struct diagram {
    FILE *out;
    const window_insn *items;
    int text_width;  /* of the longest instruction and a space */
    uint64_t origin; /* clock 0: EX of the trip's first instruction */
    uint64_t start;  /* clock of the ruler's first column 0 */
} diagram;

/* Returns the letter of a stage: 1 D1, 2 D2, X EX, w WB; '-' waits in its stage. */
static char stage_at(const p5_trace_insn *insn, uint64_t clock)
{
    if (clock < insn->d1 || clock > insn->end)
        return ' ';
    if (clock < insn->d2)
        return clock == insn->d1 ? '1' : '-';
    if (clock < insn->ex)
        return clock == insn->d2 ? '2' : '-';
    return clock < insn->end ? 'X' : 'w';
}

static void write_timeline(FILE *out, const p5_trace_insn *insn, uint64_t start, unsigned columns)
{
    for (unsigned i = 0; i < columns; i++)
        fputc(stage_at(insn, start + i), out);
}

/* Writes the heading of columns that begin at clock `from`. */
static void write_ruler(const diagram *d, uint64_t from, unsigned columns)
{
    fprintf(d->out, "%*s", 22 + d->text_width, "");
    for (uint64_t i = from - d->start; i < from - d->start + columns; i++)
        fputc(i % 10 == 0 ? (char)('0' + i / 10 % 10) : ' ', d->out);
    fprintf(d->out, "\n clock  pipe address  %-*s", d->text_width, "instruction");
    for (uint64_t i = from - d->start; i < from - d->start + columns; i++)
        fputc((char)('0' + i % 10), d->out);
    fputs("  remarks\n", d->out);
}

static void write_remarks(FILE *out, const p5_trace_insn *insn)
{
    const char *gap = "  ";
    if (insn->clocks > 1) {
        fprintf(out, "%s%u clocks", gap, insn->clocks);
        gap = "; ";
    }
    if (insn->stall_clocks > 0) {
        fprintf(out, "%sstall %s %u", gap, p5_stall_name((p5_stall)insn->stall), insn->stall_clocks);
        gap = "; ";
    }
    if (insn->hold_clocks > 0) {
        fprintf(out, "%sstall %s %u", gap, p5_stall_name((p5_stall)insn->hold), insn->hold_clocks);
        gap = "; ";
    }
    const char *why = p5_unpaired_text(insn->unpaired);
    if (insn->pipe == 0 && why[0] != '\0')
        fprintf(out, "%salone: %s", gap, why);
    fputc('\n', out);
}

/* Returns the end of the instructions from `first` on that belong to trip `trip`. */
static size_t trip_end(const p5_window *window, size_t first, unsigned trip)
{
    while (first < window->count && window->items[first].trip == trip)
        first++;
    return first;
}

/* Writes the instructions from `first` on that fit under one ruler. Returns the end of them. */
static size_t write_rows(const diagram *d, size_t first, size_t last)
{
    uint64_t from = d->items[first].trace.d1, to = from;
    size_t end = first;
    for (; end < last; end++) {
        const p5_trace_insn *insn = &d->items[end].trace;
        uint64_t begin = insn->d1 < from ? insn->d1 : from, stop = insn->end > to ? insn->end : to;
        if (end > first && stop - begin >= MOST_COLUMNS)
            break;
        from = begin;
        to = stop;
    }
    unsigned columns = to - from + 1 < MOST_COLUMNS ? (unsigned)(to - from + 1) : MOST_COLUMNS;
    write_ruler(d, from, columns);
    for (size_t i = first; i < end; i++) {
        const p5_trace_insn *insn = &d->items[i].trace;
        fprintf(d->out, "%6" PRIu64 "  %-4s %08" PRIx32 " %-*s", insn->ex - d->origin,
                insn->pipe == 0 ? "U" : " V", insn->address, d->text_width, d->items[i].text);
        write_timeline(d->out, insn, from, columns);
        write_remarks(d->out, insn);
    }
    return end;
}

static void write_trip(FILE *out, const p5_window *window, size_t first, size_t last)
{
    const window_insn *items = window->items;
    uint64_t next = last < window->count ? items[last].trace.ex : window->end;
    size_t shown = last - first <= MOST_ROWS ? last : first + MOST_ROWS;
    diagram d = {.out = out,
                 .items = items,
                 .text_width = LEAST_TEXT_WIDTH,
                 .origin = items[first].trace.ex,
                 .start = items[first].trace.d1};
    for (size_t i = first; i < shown; i++) {
        int width = (int)strlen(items[i].text) + 1;
        d.text_width = width > d.text_width ? width : d.text_width;
        d.start = items[i].trace.d1 < d.start ? items[i].trace.d1 : d.start;
    }
    fprintf(out, "Trip %u of %u: %" PRIu64 " clocks from EX to EX. 1 D1, 2 D2, X EX, w WB, - waiting\n\n",
            window->first_trip + items[first].trip, window->run_trips, next - d.origin);
    while (first < shown)
        first = write_rows(&d, first, shown);
    if (shown < last)
        fprintf(out,
                "\n%" PRIu64 " of the %" PRIu64
                " clocks are shown; %zu instructions follow (--konata FILE writes all)\n",
                items[shown].trace.ex - d.origin, next - d.origin, last - shown);
}

p5_status p5_window_write_diagram(FILE *out, const p5_window *window, unsigned show_trips, p5_error *error)
{
    size_t first = 0;
    for (unsigned trip = 0; trip < show_trips && first < window->count; trip++) {
        size_t last = trip_end(window, first, trip);
        if (trip > 0)
            fputc('\n', out);
        write_trip(out, window, first, last);
        first = last;
    }
    return error_unless_written(error, out, "the diagram");
}
