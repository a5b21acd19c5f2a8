/* Writes diagrams of a window for terminals: every instruction with its pipe, its stages clock by clock, and its
 * cost. A trip is one iteration of the measured loop. The pairing diagram is of one trip at a time and begins with
 * D1; the time line is of all trips and begins with PF. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "report/timeline/window.h"

enum {
    LEAST_TEXT_WIDTH = 34, /* minimum width of the column with the instructions */
    MOST_COLUMNS = 96,     /* clocks under one ruler */
    MOST_ROWS = 200        /* instructions of a trip, or of the time line */
};

typedef struct diagram {
    FILE *out;
    const p5_window *window;
    bool timeline;   /* the time line, not the pairing diagram */
    bool colour;     /* time line: waits have the colours of their causes */
    int text_width;  /* of the longest instruction and a space */
    uint64_t origin; /* core clock that the pairing diagram shows as 0: EX of the trip's first instruction */
    uint64_t start;  /* core clock of the ruler's column 0: the earliest that is shown */
} diagram;

/* Returns the letter of an instruction's stage at a clock: 1 D1, 2 D2, X EX, w WB; '-' if it waits in its stage; a
 * blank before D1 and after WB. */
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

/* Returns the last clock in which the diagram shows the instruction: WB, which the time line shows only when the result
 * is ready. */
static uint64_t last_clock(const diagram *d, const p5_trace_insn *insn)
{
    return d->timeline && insn->ready > insn->end ? insn->ready : insn->end;
}

/* Returns the letter of the time line for instruction `i`. In addition to those of stage_at: P PF, F F, '.' in the
 * prefetch buffers, '~' D1 starved, '=' held in EX, x the rest of an x87 or MMX operation. *owner gets the cause of
 * a wait, or P5_STALL_ISSUE. */
static char letter_at(const diagram *d, size_t i, uint64_t clock, p5_stall *owner)
{
    const p5_trace_insn *t = &d->window->items[i].trace;
    const window_gap gap = window_gap_before(d->window, i);
    *owner = P5_STALL_ISSUE;
    if (clock < t->d1) {
        *owner = clock >= gap.from ? gap.owner : P5_STALL_ISSUE;
        return clock == t->pf      ? 'P'
               : clock == t->f     ? 'F'
               : clock >= gap.from ? '~'
               : clock > t->pf     ? '.'
                                   : ' ';
    }
    if (clock >= t->ex && clock < t->begin) {
        *owner = (p5_stall)t->stall;
        return '-';
    }
    if (clock >= t->begin && clock < t->begin + t->hold_clocks && clock < t->end) {
        *owner = (p5_stall)t->hold;
        return '=';
    }
    if (clock >= t->end && clock <= last_clock(d, t))
        return clock == last_clock(d, t) ? 'w' : 'x';
    const char letter = stage_at(t, clock);
    if (letter == '-' && clock + t->stall_clocks >= t->ex)
        *owner = (p5_stall)t->stall;
    return letter;
}

/* Writes the letters of instruction `i` for `columns` clocks from `start` on. */
static void write_letters(const diagram *d, size_t i, uint64_t start, unsigned columns)
{
    for (unsigned n = 0; n < columns; n++) {
        p5_stall owner = P5_STALL_ISSUE;
        const char letter = d->timeline ? letter_at(d, i, start + n, &owner)
                                        : stage_at(&d->window->items[i].trace, start + n);
        if (!d->colour || owner == P5_STALL_ISSUE) {
            fputc(letter, d->out);
            continue;
        }
        unsigned red = 0, green = 0, blue = 0;
        sscanf(p5_stall_colour(owner), "#%2x%2x%2x", &red, &green, &blue);
        fprintf(d->out, "\033[48;2;%u;%u;%um%c\033[0m", red, green, blue, letter);
    }
}

/* Writes the two lines of headings over `columns` clocks from `from` on. */
static void write_ruler(const diagram *d, uint64_t from, unsigned columns)
{
    fprintf(d->out, "%*s", 22 + d->text_width, "");
    for (uint64_t i = from - d->start; i < from - d->start + columns; i++)
        fputc(i % 10 == 0 ? (char)('0' + i / 10 % 10) : ' ', d->out);
    fprintf(d->out, "\n %s  pipe address  %-*s", d->timeline ? "  [n]" : "clock", d->text_width,
            "instruction");
    for (uint64_t i = from - d->start; i < from - d->start + columns; i++)
        fputc((char)('0' + i % 10), d->out);
    fputs("  remarks\n", d->out);
}

/* Writes a remark after `separator`, which becomes "; " for the remarks that follow. */
#define REMARK(d, separator, ...)                                                                            \
    (fputs(separator, (d)->out), fprintf((d)->out, __VA_ARGS__), (separator) = "; ")

/* Writes what the letters do not show: clocks, causes of waits, why the instruction is alone, and in the time line the
 * instructions that held it back. */
static void write_remarks(const diagram *d, size_t i)
{
    const p5_trace_insn *insn = &d->window->items[i].trace;
    const char *separator = "  ";
    if (insn->clocks > 1)
        REMARK(d, separator, "%u clocks", insn->clocks);
    if (insn->stall_clocks > 0)
        REMARK(d, separator, "stall %s %u", p5_stall_name((p5_stall)insn->stall), insn->stall_clocks);
    if (insn->hold_clocks > 0)
        REMARK(d, separator, "stall %s %u", p5_stall_name((p5_stall)insn->hold), insn->hold_clocks);
    const char *why = p5_unpaired_text(insn->unpaired);
    if (insn->pipe == 0 && why[0] != '\0')
        REMARK(d, separator, "alone: %s", why);
    window_wait waits[WINDOW_WAITS];
    size_t count = d->timeline ? window_waits(d->window, i, waits) : 0;
    for (size_t n = 0; n < count; n++)
        REMARK(d, separator, "<- [%zu] %s%s%s", waits[n].by, window_wait_name(waits[n].kind),
               waits[n].reg[0] != '\0' ? " " : "", waits[n].reg);
    fputc('\n', d->out);
}

/* Returns the end of the instructions from `first` on that belong to trip `trip`. */
static size_t trip_end(const p5_window *window, size_t first, unsigned trip)
{
    while (first < window->count && window->items[first].trip == trip)
        first++;
    return first;
}

/* Returns the clock at which the diagram begins to show the instruction. */
static uint64_t first_clock(const diagram *d, const p5_trace_insn *insn)
{
    return d->timeline ? window_first_clock(insn) : insn->d1;
}

/* Writes a ruler and the instructions from `first` to before `last` that fit under it. Returns the index after the last
 * one written. */
static size_t write_rows(const diagram *d, size_t first, size_t last)
{
    const window_insn *items = d->window->items;
    uint64_t from = first_clock(d, &items[first].trace), to = from;
    size_t end = first;
    for (; end < last; end++) {
        const p5_trace_insn *insn = &items[end].trace;
        uint64_t begin = first_clock(d, insn) < from ? first_clock(d, insn) : from;
        uint64_t stop = last_clock(d, insn) > to ? last_clock(d, insn) : to;
        if (end > first && stop - begin >= MOST_COLUMNS)
            break;
        from = begin;
        to = stop;
    }
    unsigned columns = to - from + 1 < MOST_COLUMNS ? (unsigned)(to - from + 1) : MOST_COLUMNS;
    write_ruler(d, from, columns);
    for (size_t i = first; i < end; i++) {
        const p5_trace_insn *insn = &items[i].trace;
        if (d->timeline)
            fprintf(d->out, "%5s%zu%s", i < 10 ? "  [" : i < 100 ? " [" : "[", i, "]");
        else
            fprintf(d->out, "%6" PRIu64, insn->ex - d->origin);
        fprintf(d->out, "  %-4s %08" PRIx32 " %-*s", insn->pipe == 0 ? "U" : " V", insn->address,
                d->text_width, items[i].text);
        write_letters(d, i, from, columns);
        write_remarks(d, i);
    }
    return end;
}

static void set_columns(diagram *d, size_t first, size_t last)
{
    const window_insn *items = d->window->items;
    d->text_width = LEAST_TEXT_WIDTH;
    d->origin = items[first].trace.ex;
    d->start = first_clock(d, &items[first].trace);
    for (size_t i = first; i < last; i++) {
        int width = (int)strlen(items[i].text) + 1;
        uint64_t begin = first_clock(d, &items[i].trace);
        d->text_width = width > d->text_width ? width : d->text_width;
        d->start = begin < d->start ? begin : d->start;
    }
}

/* Writes the pairing diagram of a trip: instructions `first` to `last` - 1. */
static void write_trip(diagram *d, size_t first, size_t last)
{
    const p5_window *window = d->window;
    const window_insn *items = window->items;
    uint64_t next = last < window->count ? items[last].trace.ex : window->end;
    size_t shown = last - first <= MOST_ROWS ? last : first + MOST_ROWS;
    set_columns(d, first, shown);
    fprintf(d->out, "Trip %u of %u: %" PRIu64 " clocks from EX to EX. 1 D1, 2 D2, X EX, w WB, - waiting\n\n",
            window->first_trip + items[first].trip, window->run_trips, next - d->origin);
    while (first < shown)
        first = write_rows(d, first, shown);
    if (shown < last)
        fprintf(d->out,
                "\n%" PRIu64 " of the %" PRIu64
                " clocks are shown; %zu instructions follow (--konata FILE writes all)\n",
                items[shown].trace.ex - d->origin, next - d->origin, last - shown);
}

p5_status p5_window_write_diagram(FILE *out, const p5_window *window, unsigned show_trips, p5_error *error)
{
    size_t first = 0;
    diagram d = {.out = out, .window = window};
    for (unsigned trip = 0; trip < show_trips && first < window->count; trip++) {
        size_t last = trip_end(window, first, trip);
        if (trip > 0)
            fputc('\n', out);
        write_trip(&d, first, last);
        first = last;
    }
    return error_unless_written(error, out, "the diagram");
}

p5_status p5_window_write_timeline(FILE *out, const p5_window *window, bool colour, p5_error *error)
{
    const size_t shown = window->count <= MOST_ROWS ? window->count : MOST_ROWS;
    diagram d = {.out = out, .window = window, .timeline = true, .colour = colour};
    if (shown > 0)
        set_columns(&d, 0, shown);
    fprintf(out,
            "Trips %u to %u of %u: %" PRIu64
            " clocks from EX to EX. P PF, F F, 1 D1, 2 D2, X EX, x result pending, "
            "w WB,\n. in the buffers, - waiting, = held in EX, ~ D1 starved, <- [n] held back by instruction "
            "n\n\n",
            window->first_trip, window->first_trip + window->trips - 1, window->run_trips,
            shown > 0 ? window->end - window->items[0].trace.ex : 0);
    for (size_t first = 0; first < shown;)
        first = write_rows(&d, first, shown);
    if (shown < window->count)
        fprintf(out, "\n%zu instructions follow (--konata FILE writes all)\n", window->count - shown);
    return error_unless_written(error, out, "the time line");
}
