/* Draws a window: a row for each instruction, a column for each clock, stages as boxes, waits in the colours of
 * their causes, and arrows from the instructions that held others back. Colours follow the reader's light or
 * dark scheme. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory_text.h"
#include "p5tool/loop.h"
#include "report/timeline/window.h"
#include "report/xml.h"

/* Sizes in pixels: the width of a clock's column, the height of an instruction's row and of the clock numbers above the
 * rows, the width of a letter, and the margin on the right. */
enum { CLOCK = 14, ROW = 18, TOP = 26, LETTER = 7, MARGIN = 8 };
enum { LEAST_LABEL = 30 }; /* minimum room for an instruction, in letters */

/* The style sheet. Variables hold the colours of stages; those of causes are written at each box. */
static const char style[] =
    ".tl{--ink:#1b1f24;--soft:#59636e;--page:#fff;--band:#f3f5f8;--grid:#dfe4ea;--pf:#d0d7de;--f:#b6c2cf;"
    "--d1:#a9cbf3;--d2:#7fb0ea;--ex:#3f9c63;--pend:#a8d8b9;--wb:#8c959f;--arrow:#c2410c;"
    "background:var(--page);color-scheme:light dark;font:12px ui-monospace,monospace}"
    "@media(prefers-color-scheme:dark){.tl{--ink:#e6edf3;--soft:#9da7b1;--page:#0d1117;--band:#161b22;"
    "--grid:#2d343d;--pf:#3d444d;--f:#4d5763;--d1:#274a73;--d2:#35689f;--ex:#3f9c63;--pend:#24553a;"
    "--wb:#6e7681;--arrow:#fb923c}}.tl text{fill:var(--ink)}.tl .s{fill:var(--soft)}"
    ".tl .page{fill:var(--page)}.tl .band{fill:var(--band)}.tl .grid{stroke:var(--grid)}"
    ".tl .pf{fill:var(--pf)}.tl .f{fill:var(--f)}.tl .d1{fill:var(--d1)}.tl .d2{fill:var(--d2)}"
    ".tl .ex{fill:var(--ex)}.tl .pend{fill:var(--pend)}.tl .wb{fill:var(--wb)}.tl .buf{fill:none;"
    "stroke:var(--pf);stroke-dasharray:2 2}.tl .gap{stroke:currentColor;stroke-dasharray:3 2;"
    "fill-opacity:.55}.tl .a{fill:none;stroke:var(--arrow);stroke-width:1.3}.tl .head{fill:var(--arrow)}"
    ".tl .i:hover .hit,.tl .i:focus .hit{stroke:var(--arrow)}.tl .hit{fill:transparent}"
    ".tl .i:focus{outline:none}@media print{.tl "
    "*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}";

typedef struct drawing {
    FILE *out;
    const p5_window *window;
    uint64_t start;  /* core clock of the first column */
    unsigned clocks; /* number of columns */
    int label;       /* width of the labels in pixels */
} drawing;

static int x_of(const drawing *d, uint64_t clock)
{
    return d->label + (int)(clock - d->start) * CLOCK;
}

static int y_of(size_t row)
{
    return TOP + (int)row * ROW;
}

/* Draws a box over the clocks [from, to) of a row; none if from >= to. `colour` NULL: the colour of the class. */
static void box(const drawing *d, size_t row, uint64_t from, uint64_t to, const char *class,
                const char *colour)
{
    if (from >= to)
        return;
    fprintf(d->out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"", class,
            x_of(d, from) + 1, y_of(row) + 3, (int)(to - from) * CLOCK - 1, ROW - 5);
    if (colour != NULL)
        fprintf(d->out, " fill=\"%s\"", colour);
    fputs("/>", d->out);
}

/* Writes the letter `text` into a clock's column. */
static void letter(const drawing *d, size_t row, uint64_t clock, const char *text)
{
    fprintf(d->out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"10\">%s</text>",
            x_of(d, clock) + CLOCK / 2, y_of(row) + ROW - 6, text);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Draws the stages of instruction `i`, and its waits over them in the colours of their causes. */
static void draw_stages(const drawing *d, size_t i)
{
    const p5_trace_insn *t = &d->window->items[i].trace;
    const window_gap gap = window_gap_before(d->window, i);
    const uint64_t pf = window_first_clock(t);
    box(d, i, pf + 1, t->d1, "buf", NULL);
    box(d, i, pf, pf < t->d1 ? pf + 1 : pf, "pf", NULL);
    if (t->f != 0 && t->f < t->d1)
        box(d, i, t->f, t->f + 1, "f", NULL);
    if (gap.from < gap.to)
        box(d, i, later(gap.from, d->start), gap.to, "gap",
            gap.owner != P5_STALL_ISSUE ? p5_stall_colour(gap.owner) : "none");
    box(d, i, t->d1, t->d1 + 1, "d1", NULL);
    if (t->d2 > t->d1)
        box(d, i, t->d2, t->d2 + 1, "d2", NULL);
    box(d, i, later(t->d1, t->d2) + 1, t->ex, "buf", NULL);
    const bool in_e = t->stall == P5_STALL_FPU; /* a wait for the x87 unit is in E, after the entry to EX */
    if (!in_e && t->stall_clocks > 0) {
        const uint64_t from = t->ex - (t->stall_clocks < t->ex ? t->stall_clocks : t->ex);
        box(d, i, later(from, t->d1 + 1), t->ex, "wait", p5_stall_colour((p5_stall)t->stall));
    }
    box(d, i, t->ex, t->end, "ex", NULL);
    box(d, i, t->ex, t->begin, "wait", p5_stall_colour((p5_stall)t->stall));
    if (t->hold_clocks > 0 && t->begin + t->hold_clocks <= t->end)
        box(d, i, t->begin, t->begin + t->hold_clocks, "wait", p5_stall_colour((p5_stall)t->hold));
    box(d, i, t->end, t->ready, "pend", NULL);
    const uint64_t wb = later(t->end, t->ready);
    box(d, i, wb, wb + 1, "wb", NULL);
    letter(d, i, t->d1, "1");
    if (t->d2 > t->d1)
        letter(d, i, t->d2, "2");
    letter(d, i, later(t->begin, t->ex) < t->end ? later(t->begin, t->ex) : t->ex, "X");
}

/* Writes the text that appears when the pointer is on the row. */
static void describe(const drawing *d, size_t i)
{
    const window_insn *insn = &d->window->items[i];
    const p5_trace_insn *t = &insn->trace;
    FILE *out = d->out;
    fprintf(out, "[%zu] %c %08" PRIx32 " ", i, t->pipe == 0 ? 'U' : 'V', t->address);
    xml_text(out, insn->text);
    fprintf(out, "\ntrip %u; D1 %" PRIu64 ", D2 %" PRIu64 ", EX %" PRIu64 ", done %" PRIu64,
            d->window->first_trip + insn->trip, t->d1 - d->start, t->d2 - d->start, t->ex - d->start,
            t->end - d->start);
    if (t->stall_clocks > 0)
        fprintf(out, "\nstall %s %u", p5_stall_name((p5_stall)t->stall), t->stall_clocks);
    if (t->hold_clocks > 0)
        fprintf(out, "\nheld in EX by %s %u", p5_stall_name((p5_stall)t->hold), t->hold_clocks);
    if (t->pipe == 0 && t->unpaired != 0)
        fprintf(out, "\nalone: %s", p5_unpaired_text(t->unpaired));
    if (t->read_misses + t->write_misses > 0)
        fprintf(out, "\nmisses: %u reads, %u writes", t->read_misses, t->write_misses);
    window_wait waits[WINDOW_WAITS];
    const size_t count = window_waits(d->window, i, waits);
    for (size_t n = 0; n < count; n++)
        fprintf(out, "\nheld back by [%zu]: %s%s%s", waits[n].by, window_wait_name(waits[n].kind),
                waits[n].reg[0] != '\0' ? " " : "", waits[n].reg);
}

/* Draws the row of instruction `i`: its stages, and its label with index, pipe and disassembly. */
static void draw_insn(const drawing *d, size_t i)
{
    const window_insn *insn = &d->window->items[i];
    fprintf(d->out, "<g class=\"i\" tabindex=\"0\" data-n=\"%zu\"><title>", i);
    describe(d, i);
    fprintf(d->out, "</title><rect class=\"hit\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", d->label,
            y_of(i), (int)d->clocks * CLOCK, ROW - 1);
    draw_stages(d, i);
    fprintf(d->out, "<g class=\"l\"><rect class=\"%s\" y=\"%d\" width=\"%d\" height=\"%d\"/>",
            insn->trip % 2 == 0 ? "page" : "band", y_of(i), d->label - 4, ROW);
    const int base = y_of(i) + ROW - 5;
    fprintf(d->out,
            "<text class=\"s\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%zu</text><text class=\"s\" x=\"%d\" "
            "y=\"%d\">%c"
            "</text><text x=\"%d\" y=\"%d\">",
            4 + 4 * LETTER, base, i, 4 + (insn->trace.pipe == 0 ? 5 : 6) * LETTER, base,
            insn->trace.pipe == 0 ? 'U' : 'V', 4 + 8 * LETTER, base);
    xml_text(d->out, insn->text);
    fputs("</text></g></g>\n", d->out);
}

/* Draws an arrow for each wait, from the end of the instruction that held the other one back to that one's EX. For
 * the x87, the arrow begins where the result is ready. */
static void draw_arrows(const drawing *d)
{
    for (size_t i = 0; i < d->window->count; i++) {
        window_wait waits[WINDOW_WAITS];
        const size_t count = window_waits(d->window, i, waits);
        for (size_t n = 0; n < count; n++) {
            const p5_trace_insn *by = &d->window->items[waits[n].by].trace, *t = &d->window->items[i].trace;
            const bool x87 = waits[n].kind == WAIT_X87 || waits[n].kind == WAIT_UNIT;
            const int x1 = x_of(d, later(by->end, x87 ? by->ready : 0)), y1 = y_of(waits[n].by) + ROW / 2;
            const int x2 = x_of(d, later(t->ex, t->begin)), y2 = y_of(i) + ROW / 2;
            fprintf(d->out,
                    "<path class=\"a\" marker-end=\"url(#tl-head)\" d=\"M%d %dC%d %d %d %d %d %d\"><title>",
                    x1, y1, x1 + CLOCK, y1, x2 - CLOCK, y2, x2, y2);
            fprintf(d->out, "[%zu] waits for [%zu]: %s %s</title></path>\n", i, waits[n].by,
                    window_wait_name(waits[n].kind), waits[n].reg);
        }
    }
}

/* Draws a band behind every second trip, and a numbered line every 5 clocks. */
static void draw_grid(const drawing *d)
{
    const p5_window *w = d->window;
    const int bottom = y_of(w->count), right = d->label + (int)d->clocks * CLOCK;
    for (size_t i = 0; i < w->count; i++)
        if (w->items[i].trip % 2 != 0)
            fprintf(d->out, "<rect class=\"band\" x=\"0\" y=\"%d\" width=\"%d\" height=\"%d\"/>", y_of(i),
                    right, ROW);
    for (unsigned clock = 0; clock <= d->clocks; clock += 5)
        fprintf(d->out,
                "<path class=\"grid\" d=\"M%d %dV%d\"/><text class=\"s\" x=\"%d\" y=\"%d\" "
                "font-size=\"10\">%u</text>",
                d->label + (int)clock * CLOCK, TOP - 4, bottom, d->label + (int)clock * CLOCK + 2, TOP - 8,
                clock);
    fputc('\n', d->out);
}

/* Draws the legend below the rows: the stages, and the causes that occur. Returns where it ends, which is the height of
 * the picture. */
static int draw_legend(const drawing *d)
{
    static const struct {
        const char *class, *text;
    } stages[] = {{"pf", "PF"},   {"f", "F"},       {"d1", "1 D1"},
                  {"d2", "2 D2"}, {"ex", "X EX"},   {"pend", "result pending"},
                  {"wb", "WB"},   {"buf", "waits"}, {"gap", "D1 starved"}};
    bool used[P5_STALL_COUNT] = {false};
    for (size_t i = 0; i < d->window->count; i++) {
        const p5_trace_insn *t = &d->window->items[i].trace;
        used[t->stall] |= t->stall_clocks > 0;
        used[t->hold] |= t->hold_clocks > 0;
    }
    int x = 4, y = y_of(d->window->count) + 10;
    const int right = d->label + (int)d->clocks * CLOCK;
    for (unsigned n = 0; n < sizeof stages / sizeof stages[0] + P5_STALL_COUNT; n++) {
        const unsigned owner = n - (unsigned)(sizeof stages / sizeof stages[0]);
        const bool stage = n < sizeof stages / sizeof stages[0];
        if (!stage && !used[owner])
            continue;
        const char *text = stage ? stages[n].text : p5_stall_name((p5_stall)owner);
        const int width = 26 + LETTER * (int)strlen(text);
        if (x + width > right) {
            x = 4;
            y += ROW;
        }
        fprintf(d->out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>",
                stage ? stages[n].class : "wait", x, y, stage ? "none" : p5_stall_colour((p5_stall)owner));
        fprintf(d->out, "<text class=\"s\" x=\"%d\" y=\"%d\">%s</text>\n", x + 16, y + 10, text);
        x += width;
    }
    return y + ROW + 4;
}

/* Draws everything inside the element <svg>, and sets the layout in `d`. Returns the height of the picture. */
static int draw(drawing *d)
{
    const p5_window *w = d->window;
    size_t longest = LEAST_LABEL;
    uint64_t end = w->end;
    d->start = window_start(w);
    for (size_t i = 0; i < w->count; i++) {
        const window_insn *insn = &w->items[i];
        longest = strlen(insn->text) > longest ? strlen(insn->text) : longest;
        end = later(end, later(insn->trace.end, insn->trace.ready) + 1);
    }
    d->label = 4 + (int)(longest + 9) * LETTER + MARGIN;
    d->clocks = (unsigned)(end - d->start);
    draw_grid(d);
    for (size_t i = 0; i < w->count; i++)
        draw_insn(d, i);
    draw_arrows(d);
    const int height = draw_legend(d);
    if (w->left_out == 0)
        return height;
    fprintf(d->out,
            "<text class=\"s\" x=\"4\" y=\"%d\">%" PRIu64
            " instructions follow; a Kanata log shows all.</text>\n",
            height + 10, w->left_out);
    return height + ROW + 4;
}

p5_window window_drawn(const p5_window *window)
{
    p5_window drawn = *window;
    if (drawn.count > WINDOW_DRAWN) {
        drawn.left_out += drawn.count - WINDOW_DRAWN;
        drawn.end = drawn.items[WINDOW_DRAWN].trace.ex;
        drawn.count = WINDOW_DRAWN;
    }
    return drawn;
}

bool window_draw(FILE *out, const p5_window *window, const char *title)
{
    memory_text body;
    if (!memory_text_open(&body))
        return false;
    drawing d = {.out = body.out, .window = window};
    const int height = draw(&d);
    const bool fits = memory_text_end(&body) != NULL;
    const int width = d.label + (int)d.clocks * CLOCK + MARGIN;
    if (fits) {
        fprintf(out,
                "<svg class=\"tl\" xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                "viewBox=\"0 0 %d %d\" "
                "role=\"group\" aria-label=\"",
                width, height, width, height);
        xml_text(out, title);
        fprintf(
            out,
            "\">\n<style>%s</style>\n<defs><marker id=\"tl-head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
            "markerWidth=\"6\" markerHeight=\"6\" orient=\"auto\"><path class=\"head\" d=\"M0 0L8 4L0 "
            "8Z\"/></marker></defs>\n"
            "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n",
            style, width, height);
        fwrite(body.text, 1, body.size, out);
        fputs("</svg>\n", out);
    }
    free(body.text);
    return fits;
}

p5_status p5_window_write_svg(FILE *out, const p5_window *window, const char *title, p5_error *error)
{
    const p5_window drawn = window_drawn(window);
    if (!window_draw(out, &drawn, title))
        return error_set(error, P5_ERR_MEMORY, "no memory for the picture");
    return error_unless_written(error, out, "the picture");
}
