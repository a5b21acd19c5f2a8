/* Writes the pairing diagram: every instruction of a trip with its pipe, its stages clock by clock, and its
 * cost. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "report/case/window.h"

enum { LEAST_TEXT_WIDTH = 34, MOST_COLUMNS = 96 };

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

static void write_ruler(FILE *out, int text_width, unsigned columns)
{
    fprintf(out, "%*s", 22 + text_width, "");
    for (unsigned i = 0; i < columns; i++)
        fputc(i % 10 == 0 ? (char)('0' + i / 10 % 10) : ' ', out);
    fprintf(out, "\n clock  pipe address  %-*s", text_width, "instruction");
    for (unsigned i = 0; i < columns; i++)
        fputc((char)('0' + i % 10), out);
    fputs("  remarks\n", out);
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

static void write_trip(FILE *out, const p5_window *window, size_t first, size_t last)
{
    const window_insn *items = window->items;
    uint64_t next = last < window->count ? items[last].trace.ex : window->end;
    uint64_t origin = items[first].trace.ex;
    uint64_t start = items[first].trace.d1;
    uint64_t stop = start;
    int text_width = LEAST_TEXT_WIDTH; /* of the longest instruction and a space */
    for (size_t i = first; i < last; i++) {
        if (items[i].trace.d1 < start)
            start = items[i].trace.d1;
        if (items[i].trace.end > stop)
            stop = items[i].trace.end;
        int width = (int)strlen(items[i].text) + 1;
        if (width > text_width)
            text_width = width;
    }
    unsigned columns = stop - start + 1 < MOST_COLUMNS ? (unsigned)(stop - start + 1) : MOST_COLUMNS;
    fprintf(out, "Trip %u of %u: %" PRIu64 " clocks from EX to EX. 1 D1, 2 D2, X EX, w WB, - waiting\n\n",
            window->first_trip + items[first].trip, window->run_trips, next - origin);
    write_ruler(out, text_width, columns);
    for (size_t i = first; i < last; i++) {
        const p5_trace_insn *insn = &items[i].trace;
        fprintf(out, "%6" PRIu64 "  %-4s %08" PRIx32 " %-*s", insn->ex - origin, insn->pipe == 0 ? "U" : " V",
                insn->address, text_width, items[i].text);
        write_timeline(out, insn, start, columns);
        write_remarks(out, insn);
    }
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
