/* Functions, lines, and the code of the hottest functions with pipes, pairing and stalls. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/profile/html.h"

enum { MOST_ROWS = 30, MOST_LISTINGS = 8 };

typedef struct place {
    int function;
    int file;
    unsigned line;
    uint64_t clocks, instructions, misses, mispredicted, samples;
} place;

static int by_clocks(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->clocks != y->clocks)
        return x->clocks < y->clocks ? 1 : -1;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static int by_line(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    return (x->line > y->line) - (x->line < y->line);
}

static void add(place *to, const insn_costs *c)
{
    to->clocks += c->clocks;
    to->instructions += c->of[P5_PROFILE_EXECUTIONS];
    to->misses += c->of[P5_EVENT_DATA_READ_MISS_OR_WRITE_MISS];
    to->mispredicted += c->of[P5_EVENT_PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS];
}

static void write_figures(const html_page *page, const place *at)
{
    fprintf(page->out, "<td class=\"n\">%.2f %%</td><td class=\"n\">",
            profile_percent(at->clocks, page->clocks));
    page_cell(page, at->clocks);
    page_number(page, at->instructions);
    fprintf(page->out, "</td><td class=\"n\">%.2f</td><td class=\"n\">",
            at->instructions ? (double)at->clocks / (double)at->instructions : 0);
    page_cell(page, at->misses);
    page_number(page, at->mispredicted);
    fputs("</td></tr>\n", page->out);
}

static const char figures_head[] =
    "<th class=\"n\">share</th><th class=\"n\">clocks</th><th class=\"n\">instructions</th><th "
    "class=\"n\">CPI</th>"
    "<th class=\"n\">data misses</th><th class=\"n\">mispredicted</th></tr></thead><tbody>\n";

/* One place per function, costliest first. NULL: out of memory. */
static place *function_places(const html_page *page)
{
    const p5_profile *p = page->p;
    place *places = calloc(p->functions.count + 1, sizeof *places);
    for (size_t f = 0; places && f < p->functions.count; f++)
        places[f].function = (int)f;
    for (size_t i = 0; places && i < p->insns.count; i++) {
        int f = profile_function_at(p, p->insns.items[i].code.address);
        if (f != PROFILE_NO_INDEX)
            add(&places[f], &page->costs[i]);
    }
    if (places && p->functions.count > 1)
        qsort(places, p->functions.count, sizeof *places, by_clocks);
    return places;
}

static void write_lines(const html_page *page, place *places, size_t count)
{
    size_t left = 0;
    if (count > 1)
        qsort(places, count, sizeof *places, by_line);
    for (size_t i = 0; i < count; i++) {
        if (left == 0 || by_line(&places[left - 1], &places[i]) != 0) {
            places[left++] = places[i];
            continue;
        }
        places[left - 1].clocks += places[i].clocks;
        places[left - 1].instructions += places[i].instructions;
        places[left - 1].misses += places[i].misses;
        places[left - 1].mispredicted += places[i].mispredicted;
    }
    if (left > 1)
        qsort(places, left, sizeof *places, by_clocks);
    page_open(page, "lines", "Hottest lines");
    if (left == 0)
        fputs("<p>The guest has no line information (build it with <code>-g</code>).</p>\n", page->out);
    else
        fprintf(page->out,
                "<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th>line</th><th>source</th>%s",
                figures_head);
    for (size_t i = 0; i < left && i < MOST_ROWS; i++) {
        const char *path = profile_file_name(page->p, places[i].file), *slash = strrchr(path, '/');
        const char *text = sources_line(page->source, places[i].file, places[i].line);
        fputs("<tr><td>", page->out);
        page_text(page, slash ? slash + 1 : path);
        fprintf(page->out, ":%u</td><td class=\"c free\">", places[i].line);
        page_text(page, text ? text : "");
        fputs("</td>", page->out);
        write_figures(page, &places[i]);
    }
    if (left)
        fputs("</tbody></table></div>\n", page->out);
    page_close(page);
}

bool page_functions(const html_page *page)
{
    const p5_profile *p = page->p;
    place *places = function_places(page);
    if (!places)
        return false;
    page_open(page, "functions", "Hottest functions");
    fprintf(page->out, "<div class=\"wide\" tabindex=\"0\"><table><thead><tr><th>function</th>%s",
            figures_head);
    for (size_t f = 0; f < p->functions.count && f < MOST_ROWS && places[f].clocks; f++) {
        fputs("<tr><td>", page->out);
        if (f < MOST_LISTINGS)
            fprintf(page->out, "<a href=\"#code-%zu\">", f);
        page_text(page, p->functions.items[places[f].function].name);
        fprintf(page->out, "%s</td>", f < MOST_LISTINGS ? "</a>" : "");
        write_figures(page, &places[f]);
    }
    fputs("</tbody></table></div>\n", page->out);
    page_close(page);
    free(places);
    return true;
}

bool page_lines(const html_page *page)
{
    const p5_profile *p = page->p;
    place *lines = calloc(p->insns.count + 1, sizeof *lines);
    size_t count = 0;
    if (!lines)
        return false;
    for (size_t i = 0; i < p->insns.count; i++) {
        if (p->insns.items[i].file == PROFILE_NO_INDEX)
            continue;
        lines[count].file = p->insns.items[i].file;
        lines[count].line = p->insns.items[i].line;
        add(&lines[count++], &page->costs[i]);
    }
    write_lines(page, lines, count);
    free(lines);
    return true;
}

/* ---- code ---------------------------------------------------------------------------------------------- */

/* The pairing diagram: how often the instruction went through which pipe. */
static void write_pipes(const html_page *page, const insn_costs *c)
{
    uint64_t all = c->of[P5_PROFILE_EXECUTIONS], in_v = c->of[P5_PROFILE_IN_V], in_u = all - in_v;
    const struct {
        char letter;
        const char *class;
        uint64_t n;
    } pipes[] = {{'U', "pu", in_u}, {'V', "pv", in_v}};
    for (unsigned i = 0; i < 2; i++) {
        if (pipes[i].n == 0)
            fputs("<span class=\"pipe\" aria-hidden=\"true\">&nbsp;</span> ", page->out);
        else if (pipes[i].n == all)
            fprintf(page->out, "<span class=\"pipe %s on\">%c</span> ", pipes[i].class, pipes[i].letter);
        else
            fprintf(page->out, "<span class=\"pipe %s\">%c %.0f</span> ", pipes[i].class, pipes[i].letter,
                    profile_percent(pipes[i].n, all));
    }
}

/* Samples by instruction; NULL when memory is out. */
static uint64_t *count_samples(const p5_profile *p)
{
    uint64_t *samples = calloc(p->insns.count + 1, sizeof *samples);
    for (size_t i = 0; samples && i < p->samples.count; i++) {
        int at = profile_insn_at(p, p->samples.items[i].address);
        if (at != PROFILE_NO_INDEX)
            samples[at]++;
    }
    return samples;
}

static void write_insn(const html_page *page, const uint64_t *samples, size_t i)
{
    const p5_profile *p = page->p;
    const insn_costs *c = &page->costs[i];
    char text[96];
    double share = profile_percent(c->clocks, page->clocks);
    fprintf(page->out, "<tr><td class=\"n\">%.2f %%</td><td class=\"n\">", share);
    page_cell(page, c->clocks);
    page_number(page, c->of[P5_PROFILE_EXECUTIONS]);
    if (p->sample_event)
        fprintf(page->out, "</td><td class=\"n\">%.2f %%", profile_percent(samples[i], p->samples.count));
    fputs("</td><td>", page->out);
    write_pipes(page, c);
    fprintf(page->out, "</td><td class=\"c\">%08" PRIx32 "</td><td class=\"c\">",
            (uint32_t)p->insns.items[i].code.address);
    remarks_disassemble(page->decoder, &p->insns.items[i], text, sizeof text);
    page_text(page, text);
    fputs("</td><td class=\"free\">", page->out);
    remarks_write(page->out, c);
    fputs("</td></tr>\n", page->out);
}

static void write_listing(const html_page *page, const uint64_t *samples, const profile_function *f,
                          uint64_t clocks, size_t number)
{
    const p5_profile *p = page->p;
    fprintf(page->out, "<details id=\"code-%zu\"%s><summary><code>", number, number < 3 ? " open" : "");
    page_text(page, f->name);
    fprintf(page->out,
            "</code>, %.2f %% of all clocks</summary>\n<div class=\"wide\" tabindex=\"0\"><table><thead><tr>"
            "<th class=\"n\">share</th><th class=\"n\">clocks</th><th class=\"n\">executed</th>%s"
            "<th>pipe</th><th>address</th><th>instruction</th><th>stalls, misses, pairing</th></tr></thead>"
            "<tbody>\n",
            profile_percent(clocks, page->clocks), p->sample_event ? "<th class=\"n\">samples</th>" : "");
    const profile_insn *before = NULL;
    for (size_t i = 0; i < p->insns.count; i++) {
        const profile_insn *insn = &p->insns.items[i];
        if (insn->code.address < f->start || insn->code.address >= f->end)
            continue;
        bool other = insn->file != PROFILE_NO_INDEX &&
                     (!before || before->file != insn->file || before->line != insn->line);
        const char *text = other ? sources_line(page->source, insn->file, insn->line) : NULL;
        if (other) {
            fprintf(page->out,
                    "<tr class=\"src\"><td colspan=\"%d\" class=\"c\">%u: ", p->sample_event ? 8 : 7,
                    insn->line);
            page_text(page, text ? text : profile_file_name(p, insn->file));
            fputs("</td></tr>\n", page->out);
        }
        write_insn(page, samples, i);
        before = insn;
    }
    fputs("</tbody></table></div></details>\n", page->out);
}

bool page_code(const html_page *page)
{
    const p5_profile *p = page->p;
    place *places = function_places(page);
    uint64_t *samples = count_samples(p);
    if (!places || !samples) {
        free(places);
        free(samples);
        return false;
    }
    page_open(page, "code", "Code");
    fputs("<p class=\"soft\">U and V: the pipe that an instruction went through; two numbers are percent of "
          "its "
          "executions. An instruction in V shares the clock of the one before it in U.",
          page->out);
    if (p->sample_event) {
        fprintf(page->out, " Samples: where one sample every %" PRIu64 " ", p->sample_period);
        page_text(page, p->sample_event);
        fputs(" fell, as counter overflow interrupts would show it; beside the exact shares they show the "
              "skid.",
              page->out);
    }
    fputs("</p>\n", page->out);
    for (size_t f = 0; f < p->functions.count && f < MOST_LISTINGS && places[f].clocks; f++)
        write_listing(page, samples, &p->functions.items[places[f].function], places[f].clocks, f);
    page_close(page);
    free(samples);
    free(places);
    return true;
}
