/* Rates over time: one small chart per quantity that occurs, increments per clock between two readings. */
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
        fprintf(page->out, "%.1f,%.1f %.1f,%.1f ", (double)from->clock / last * WIDTH, y,
                (double)to->clock / last * WIDTH, y);
    }
    fputs("\"/></svg></figure>\n", page->out);
}

void page_rates(const html_page *page)
{
    const p5_profile *p = page->p;
    page_open(page, "rates", "Over time");
    if (p->intervals.count < 2) {
        fputs("<p>The run was too short, or intervals were not recorded.</p>\n", page->out);
    } else {
        fputs("<p class=\"soft\">From the start to clock ", page->out);
        page_number(page, p->intervals.items[p->intervals.count - 1].clock);
        fprintf(page->out,
                ", %zu intervals; each chart from 0 to its largest value.</p>\n<div class=\"rates\">\n",
                p->intervals.count);
        for (unsigned q = P5_PROFILE_STALLS; q < P5_PROFILE_EXECUTIONS; q++)
            write_chart(page, q);
        for (unsigned q = 0; q < P5_EVENT_COUNT; q++)
            write_chart(page, q);
        fputs("</div>\n", page->out);
    }
    page_close(page);
}
