/* Over time: the clocks by owner as one stack, and a small chart per quantity that occurs, increments per
 * clock between two readings. */
#include <inttypes.h>

#include "report/profile/html.h"

enum { WIDTH = 1000, HEIGHT = 100 };

static double rate_in(const profile_interval *from, const profile_interval *to, unsigned quantity)
{
    uint64_t clocks = to->clock - from->clock;
    return clocks ? (double)(to->totals[quantity] - from->totals[quantity]) / (double)clocks : 0;
}

static void write_chart(const html_page *page, unsigned quantity)
{
    static const profile_interval start;
    const p5_profile *p = page->p;
    double least = 0, most = 0;
    for (size_t i = 0; i < p->intervals.count; i++) {
        double rate = rate_in(i ? &p->intervals.items[i - 1] : &start, &p->intervals.items[i], quantity);
        least = i == 0 || rate < least ? rate : least;
        most = rate > most ? rate : most;
    }
    if (most <= 0)
        return;
    char room[48];
    const char *name = profile_quantity_name(quantity, room);
    double last = (double)p->intervals.items[p->intervals.count - 1].clock;
    fprintf(
        page->out,
        "<figure><figcaption><code>%s</code> per clock: %.4g to %.4g</figcaption><svg viewBox=\"0 0 %d %d\" "
        "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"%s per clock over time, from %.4g to %.4g\">"
        "<polyline points=\"",
        name, least, most, WIDTH, HEIGHT, name, least, most);
    for (size_t i = 0; i < p->intervals.count; i++) {
        const profile_interval *from = i ? &p->intervals.items[i - 1] : &start, *to = &p->intervals.items[i];
        double y = HEIGHT - 2 - rate_in(from, to, quantity) / most * (HEIGHT - 4);
        fprintf(page->out, "%.1f,%.1f %.1f,%.1f ", (double)from->clock / last * (double)WIDTH, y,
                (double)to->clock / last * (double)WIDTH, y);
    }
    fputs("\"/></svg></figure>\n", page->out);
}

/* Colours that differ in light and dark, in the order of the stack. */
static const char *const colours[] = {"#4c8dd6", "#e07b39", "#57a773", "#c2566e", "#9b6fc3", "#c9a227",
                                      "#3aa6a6", "#8d6e63", "#7a8fb8", "#d46fb0", "#7f9f3f", "#b0554a"};
enum { COLOURS = sizeof colours / sizeof colours[0] };

static uint64_t owned(const p5_profile *p, unsigned stall)
{
    return p->intervals.items[p->intervals.count - 1].totals[P5_PROFILE_STALLS + stall];
}

/* One area of the stack: between the sums below it and with it. */
static void write_area(const html_page *page, const unsigned *order, unsigned at)
{
    static const profile_interval start;
    const p5_profile *p = page->p;
    double last = (double)p->intervals.items[p->intervals.count - 1].clock;
    const char *name = p5_stall_name((p5_stall)order[at]);
    fprintf(page->out, "<path fill=\"%s\" d=\"M", colours[at % COLOURS]);
    for (unsigned side = 0; side < 2; side++)
        for (size_t n = 0; n < p->intervals.count; n++) {
            size_t i = side == 0 ? n : p->intervals.count - 1 - n;
            const profile_interval *from = i != 0 ? &p->intervals.items[i - 1] : &start;
            const profile_interval *to = &p->intervals.items[i];
            double sum = 0;
            for (unsigned below = 0; below + side < at + 1; below++)
                sum += rate_in(from, to, P5_PROFILE_STALLS + order[below]);
            double x[2] = {(double)from->clock / last * (double)WIDTH,
                           (double)to->clock / last * (double)WIDTH};
            double y = (double)HEIGHT * (1 - (sum < 1 ? sum : 1));
            fprintf(page->out, "%.1f,%.2f %.1f,%.2f ", x[side], y, x[1 - side], y);
        }
    fprintf(page->out, "Z\"><title>%s: %.1f %% of all clocks</title></path>\n", name,
            100 * (double)owned(p, order[at]) / last);
}

enum { MOST_PHASES = 8, MOST_SHOWN = 400 };

/* Clock at which what `begins` begins ends; `last` if that is not told. */
static uint64_t phase_end(const p5_profile *p, size_t begins, uint64_t last)
{
    const profile_marker *from = &p->markers.items[begins];
    for (size_t i = begins + 1; i < p->markers.count; i++)
        if (p->markers.items[i].id == from->id)
            return p->markers.items[i].clock < last ? p->markers.items[i].clock : last;
    return last;
}

/* Between the guest's markers of each number: a row of bars. */
static void write_phases(const html_page *page, uint64_t last)
{
    const p5_profile *p = page->p;
    uint32_t ids[MOST_PHASES];
    unsigned count = 0;
    for (size_t i = 0; i < p->markers.count && count < MOST_PHASES; i++) {
        unsigned at = 0;
        while (at < count && ids[at] != p->markers.items[i].id)
            at++;
        if (at == count)
            ids[count++] = p->markers.items[i].id;
    }
    for (unsigned row = 0; row < count; row++) {
        unsigned shown = 0;
        fprintf(page->out, "<div class=\"phases\" data-phase=\"%" PRIu32 "\">", ids[row]);
        for (size_t i = 0; i < p->markers.count && shown < MOST_SHOWN; i++) {
            const profile_marker *m = &p->markers.items[i];
            if (m->id != ids[row] || !m->begins || m->clock >= last)
                continue;
            uint64_t end = phase_end(p, i, last);
            fprintf(page->out,
                    "<span style=\"left:%.3f%%;width:%.3f%%\" title=\"phase %" PRIu32 ": clocks %" PRIu64
                    " to %" PRIu64 "\">%" PRIu32 "</span>",
                    100 * (double)m->clock / (double)last, 100 * (double)(end - m->clock) / (double)last,
                    m->id, m->clock, end, m->id);
            shown++;
        }
        fputs("</div>\n", page->out);
    }
}

/* Where the guest's markers stand. */
static void write_markers(const html_page *page, uint64_t last)
{
    const p5_profile *p = page->p;
    size_t every = p->markers.count / MOST_SHOWN + 1;
    for (size_t i = 0; i < p->markers.count; i += every) {
        const profile_marker *m = &p->markers.items[i];
        double x = (double)m->clock / (double)last * (double)WIDTH;
        if (m->clock <= last)
            fprintf(page->out,
                    "<line class=\"marker\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\"><title>%s %" PRIu32
                    " at clock %" PRIu64 "</title></line>\n",
                    x, x, HEIGHT, m->begins ? "begin" : "end", m->id, m->clock);
    }
}

/* The clocks of each interval by owner, the largest at the bottom. */
static void write_stack(const html_page *page)
{
    const p5_profile *p = page->p;
    unsigned order[P5_STALL_COUNT], count = 0;
    for (unsigned s = 0; s < P5_STALL_COUNT; s++) {
        unsigned at = count;
        if (owned(p, s) == 0)
            continue;
        for (; at > 0 && owned(p, order[at - 1]) < owned(p, s); at--)
            order[at] = order[at - 1];
        order[at] = s;
        count++;
    }
    uint64_t last = p->intervals.items[p->intervals.count - 1].clock;
    fputs("<figure>", page->out);
    write_phases(page, last);
    fprintf(page->out,
            "<svg class=\"stack\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" role=\"img\" "
            "aria-label=\"Clocks by owner over time, stacked up to all\">\n",
            WIDTH, HEIGHT);
    for (unsigned at = 0; at < count; at++)
        write_area(page, order, at);
    write_markers(page, last);
    fputs("</svg><figcaption class=\"legend\">", page->out);
    for (unsigned at = 0; at < count; at++)
        fprintf(page->out, "<span><i style=\"background:%s\"></i>%s</span> ", colours[at % COLOURS],
                p5_stall_name((p5_stall)order[at]));
    fputs("</figcaption></figure>\n", page->out);
}

void page_rates(const html_page *page)
{
    const p5_profile *p = page->p;
    page_open(page, "rates", "Over time");
    if (p->intervals.count < 2) {
        fputs("<p>The run was too short, or intervals were not recorded.</p>\n", page->out);
    } else {
        fputs("<p class=\"soft\">Clocks by owner, from the start to clock ", page->out);
        page_number(page, p->intervals.items[p->intervals.count - 1].clock);
        fprintf(page->out, ", in %zu intervals.</p>\n", p->intervals.count);
        write_stack(page);
        fputs("<details><summary>Each owner and event by itself</summary>\n<p class=\"soft\">Per clock, each "
              "chart "
              "from 0 to its largest value.</p>\n<div class=\"rates\">\n",
              page->out);
        for (unsigned q = P5_PROFILE_STALLS; q < P5_PROFILE_EXECUTIONS; q++)
            write_chart(page, q);
        for (unsigned q = 0; q < P5_EVENT_COUNT; q++)
            write_chart(page, q);
        fputs("</div></details>\n", page->out);
    }
    page_close(page);
}
