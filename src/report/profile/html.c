/* `report -o FILE.html`: one page that needs nothing else. No outside resource; the one script makes the
 * flame graph react: details open and close by keyboard, everything stands in tables with headings, colours
 * have numbers beside them. */
#include "report/profile/html.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/embed.h"
#include "base/error.h"
#include "base/text.h"
#include "report/profile/flame.h"
#include "report/stat/list.h"
#include "report/xml.h"

extern const embedded_file page_files[]; /* page.css */

void page_text(const html_page *page, const char *text)
{
    xml_text(page->out, text);
}

void page_number(const html_page *page, uint64_t number)
{
    char grouped[32];
    fputs(text_grouped(number, grouped, sizeof grouped), page->out);
}

void page_cell(const html_page *page, uint64_t number)
{
    page_number(page, number);
    fputs("</td><td class=\"n\">", page->out);
}

void page_open(const html_page *page, const char *id, const char *title)
{
    fprintf(page->out, "<section id=\"%s\" aria-labelledby=\"%s-title\">\n<h2 id=\"%s-title\">%s</h2>\n", id,
            id, id, title);
}

void page_close(const html_page *page)
{
    fputs("</section>\n", page->out);
}

static void write_head(const html_page *page)
{
    const p5_profile *p = page->p;
    FILE *out = page->out;
    fputs("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
          "'unsafe-inline'; script-src 'unsafe-inline'\">\n"
          "<link rel=\"icon\" href=\"data:,\">\n<title>",
          out);
    page_text(page, p->command);
    fprintf(out, " - p5scope</title>\n<style>\n%s%s</style>\n</head>\n<body>\n", page_files[0].text,
            flame_style);
    fputs("<a class=\"skip\" href=\"#functions\">Skip to the figures</a>\n<header>\n<h1>", out);
    page_text(page, p->command);
    fputs("</h1>\n<p>", out);
    page_number(page, page->clocks);
    fputs(" clocks on ", out);
    page_text(page, p->model);
    fprintf(out, " at %g MHz (%.6f s)", p->clock_mhz, (double)page->clocks / (p->clock_mhz * 1e6));
    uint64_t instructions = p5_counts_sum(p->total[P5_EVENT_INSTRUCTIONS_EXECUTED], P5_CPL_MASK_ALL);
    if (instructions) {
        fprintf(out, ", %.3f clocks per instruction; ", (double)page->clocks / (double)instructions);
        page_number(page, instructions);
        fputs(" instructions", out);
    }
    fprintf(out, ". Made by p5scope %s.</p>\n<nav aria-label=\"Parts of this page\"><ul>", p->version);
    static const char *const parts[][2] = {{"functions", "Functions"},
                                           {"cpi", "Clocks by owner"},
                                           {"flame", "Flame graph"},
                                           {"rates", "Over time"},
                                           {"events", "Events"},
                                           {"lines", "Lines"},
                                           {"code", "Code"},
                                           {"caches", "Cache sets"},
                                           {"btb", "Branch target buffer"},
                                           {"model", "Model and options"}};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        fprintf(out, "<li><a href=\"#%s\">%s</a></li>", parts[i][0], parts[i][1]);
    fputs("</ul></nav>\n</header>\n<main>\n", out);
}

typedef struct ranked {
    unsigned quantity;
    uint64_t value;
} ranked;

static int by_value(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return (x->quantity > y->quantity) - (x->quantity < y->quantity);
}

static uint64_t total_of(const p5_profile *p, unsigned quantity)
{
    return p5_counts_sum(p->total[quantity], P5_CPL_MASK_ALL);
}

static void write_cpi_stack(const html_page *page)
{
    ranked causes[P5_STALL_COUNT];
    for (unsigned s = 0; s < P5_STALL_COUNT; s++)
        causes[s] = (ranked){P5_PROFILE_STALLS + s, total_of(page->p, P5_PROFILE_STALLS + s)};
    qsort(causes, P5_STALL_COUNT, sizeof *causes, by_value);
    page_open(page, "cpi", "Clocks by owner");
    fputs("<p class=\"soft\">Every clock has one owner; they add up to all "
          "clocks.</p>\n<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th>owner"
          "</th><th class=\"n\">clocks</th><th class=\"n\">share</th><th "
          "class=\"track\"></th></tr></thead><tbody>\n",
          page->out);
    for (unsigned i = 0; i < P5_STALL_COUNT && causes[i].value; i++) {
        const char *name = p5_stall_name((p5_stall)(causes[i].quantity - P5_PROFILE_STALLS));
        double share = profile_percent(causes[i].value, page->clocks);
        fprintf(page->out, "<tr data-stall=\"%s\" data-value=\"%" PRIu64 "\"><td>%s</td><td class=\"n\">",
                name, causes[i].value, name);
        page_number(page, causes[i].value);
        fprintf(
            page->out,
            "</td><td class=\"n\">%.1f %%</td><td class=\"track\"><span class=\"bar\" style=\"width:%.2f%%\" "
            "aria-hidden=\"true\"></span></td></tr>\n",
            share, share);
    }
    fputs("</tbody></table></div>\n", page->out);
    page_close(page);
}

/* A line may end behind an underscore. */
static void write_name(const html_page *page, const char *name)
{
    for (; *name; name++) {
        fputc(*name, page->out);
        if (*name == '_')
            fputs("<wbr>", page->out);
    }
}

static void write_event(const html_page *page, unsigned e)
{
    const p5_profile *p = page->p;
    const p5_event_info *info = p5_event_describe((enum p5_event)e);
    fprintf(page->out, "<tr data-event=\"%s\" data-value=\"%" PRIu64 "\"><td class=\"c free\">", info->name,
            total_of(p, e));
    write_name(page, info->name);
    fputs("</td><td class=\"n\">", page->out);
    page_cell(page, total_of(p, e));
    page_cell(page, p->total[e][P5_CPL_USER]);
    page_cell(page, p5_counts_sum(p->total[e], P5_CPL_MASK_SYSTEM));
    page_number(page, p5_counts_sum(p->asserted[e], P5_CPL_MASK_ALL));
    fprintf(page->out, "</td><td>%s</td><td class=\"free\">", event_grade_text(info->grade));
    page_text(page, info->title);
    fputs("</td></tr>\n", page->out);
}

/* Events that occurred, or those that did not. */
static void write_event_rows(const html_page *page, bool occurred)
{
    fputs("<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th>event</th><th class=\"n\">all</th><th "
          "class=\"n\">CPL 3</th><th class=\"n\">CPL 0-2</th><th class=\"n\">clocks on</th><th>grade</th><th "
          "class=\"free\">what it is</th></tr></thead><tbody>\n",
          page->out);
    for (unsigned e = 0; e < P5_EVENT_COUNT; e++) {
        bool exists = (p5_event_describe((enum p5_event)e)->families & page->p->family) != 0;
        if (exists && (total_of(page->p, e) != 0) == occurred)
            write_event(page, e);
    }
    fputs("</tbody></table></div>\n", page->out);
}

static void write_events(const html_page *page)
{
    page_open(page, "events", "Events");
    write_event_rows(page, true);
    fputs("<details><summary>Events that did not occur</summary>\n", page->out);
    write_event_rows(page, false);
    fputs("</details>\n", page->out);
    page_close(page);
}

static bool write_flame(const html_page *page)
{
    profile_value clocks;
    page_open(page, "flame", "Flame graph");
    fputs(
        "<p class=\"soft\">Who called what, and what it cost in clocks with all that it called. A click on a "
        "frame makes it as wide as the page, one on <em>all</em> goes back.</p>\n",
        page->out);
    bool fits = profile_value_find(page->p->family, "clocks", &clocks, NULL) == P5_OK &&
                flame_write(page->out, page->p, &clocks);
    page_close(page);
    return fits;
}

static void write_model(const html_page *page)
{
    const p5_profile *p = page->p;
    page_open(page, "model", "Model and options");
    fputs("<div class=\"wide\" tabindex=\"0\"><table><tbody><tr><th>model</th><td>", page->out);
    page_text(page, p->model);
    fprintf(page->out,
            "</td></tr><tr><th>core clock</th><td>%g MHz</td></tr><tr><th>options</th><td class=\"c free\">",
            p->clock_mhz);
    page_text(page, p->options);
    fputs("</td></tr><tr><th>guest</th><td class=\"c free\">", page->out);
    page_text(page, p->command);
    fputs("</td></tr></tbody></table></div>\n<details><summary>All fields of the "
          "model</summary>\n<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th>"
          "section</th><th>field</th><th>value</th></tr></thead><tbody>\n",
          page->out);
    for (size_t i = 0; i < p->fields.count; i++) {
        fputs("<tr><td>", page->out);
        page_text(page, p->fields.items[i].section);
        fputs("</td><td>", page->out);
        page_text(page, p->fields.items[i].key);
        fputs("</td><td class=\"free\">", page->out);
        page_text(page, p->fields.items[i].value);
        fputs("</td></tr>\n", page->out);
    }
    fputs("</tbody></table></div></details>\n", page->out);
    page_close(page);
}

p5_status p5_profile_write_html(FILE *out, const p5_profile *p, p5_error *error)
{
    html_page page = {.out = out, .p = p};
    sources source = {0};
    insn_costs *costs = remarks_costs(p);
    page.costs = costs;
    page.decoder = isa_decoder_open((p->family == P5_FAMILY_P54C ? ISA_P54C : ISA_P55C) | ISA_P6);
    page.source = &source;
    for (unsigned s = 0; s < P5_STALL_COUNT; s++)
        page.clocks += total_of(p, P5_PROFILE_STALLS + s);
    bool fits = costs && page.decoder && sources_open(&source, p);
    if (fits) {
        write_head(&page);
        fits = page_functions(&page);
        write_cpi_stack(&page);
        fits = fits && write_flame(&page);
        page_rates(&page);
        write_events(&page);
        fits = fits && page_lines(&page) && page_code(&page);
        page_caches(&page);
        page_btb(&page);
        write_model(&page);
        fprintf(out, "</main>\n<script>%s</script>\n</body>\n</html>\n", flame_script);
    }
    sources_close(&source);
    if (page.decoder)
        isa_decoder_close(page.decoder);
    free(costs);
    if (!fits)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    return error_unless_written(error, out, "the page");
}
