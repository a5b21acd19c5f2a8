/* Writes the parts of a profile's page (page.h) that are about code: the functions and lines that take most
 * clocks, and the instructions of the first of these functions with pipes, pairing and stalls. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/profile/jumps.h"
#include "report/profile/page.h"

enum {
    MOST_ROWS = 100,  /* functions, and as many lines, in the tables */
    MOST_LISTINGS = 8 /* functions whose code is shown */
};

/* ---- functions and lines ------------------------------------------------------------------------------- */

/* A function, or a line of a file, with the costs of its instructions. */
typedef struct place {
    int function;  /* index in the profile; 0 for a line */
    int file;      /* index in the profile; 0 for a function */
    unsigned line; /* 0 for a function */
    uint64_t clocks, instructions;
    uint64_t misses; /* of the data cache */
    uint64_t mispredicted;
} place;

/* Orders functions and lines as the profile has them. */
static int by_place(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return ARRAY_ORDER(x->function, y->function) ?: ARRAY_ORDER(x->file, y->file)
           ?: ARRAY_ORDER(x->line, y->line);
}

/* Orders the costliest first. */
static int by_clocks(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return ARRAY_ORDER(y->clocks, x->clocks) ?: by_place(x, y);
}

static void add_costs(place *to, const insn_costs *c)
{
    to->clocks += c->clocks;
    to->instructions += c->of[P5_PROFILE_EXECUTIONS];
    to->misses += c->of[P5_EVENT_DATA_READ_MISS_OR_WRITE_MISS];
    to->mispredicted += c->of[P5_EVENT_PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS];
}

static void put_costs(profile_page *page, const place *at)
{
    json_key_unsigned(&page->json, "clocks", at->clocks);
    json_key_unsigned(&page->json, "instructions", at->instructions);
    json_key_unsigned(&page->json, "data_misses", at->misses);
    json_key_unsigned(&page->json, "mispredicted", at->mispredicted);
}

/* Returns one place per function, costliest first; the caller frees them. NULL: out of memory. */
static place *function_places(const profile_page *page)
{
    const p5_profile *p = page->p;
    place *places = calloc(p->functions.count + 1, sizeof *places);
    for (size_t f = 0; places && f < p->functions.count; f++)
        places[f].function = (int)f;
    for (size_t i = 0; places && i < p->insns.count; i++) {
        int f = profile_function_at(p, p->insns.items[i].code.address);
        if (f != PROFILE_NO_INDEX)
            add_costs(&places[f], &page->costs[i]);
    }
    if (places)
        array_sort(places, p->functions.count, sizeof *places, by_clocks);
    return places;
}

static void put_functions(profile_page *page, const place *places)
{
    json_writer *json = &page->json;
    json_key_array(json, "functions");
    for (size_t f = 0; f < page->p->functions.count && f < MOST_ROWS && places[f].clocks; f++) {
        json_open_object(json);
        json_key_string(json, "name", page->p->functions.items[places[f].function].name);
        put_costs(page, &places[f]);
        json_close_object(json);
    }
    json_close_array(json);
}

/* Fills in one place per line that has instructions, costliest first, and returns their number. `places` has
 * room for one place per instruction of the profile. */
static size_t line_places(const profile_page *page, place *places)
{
    const p5_profile *p = page->p;
    size_t count = 0, left = 0;
    for (size_t i = 0; i < p->insns.count; i++) {
        if (p->insns.items[i].file == PROFILE_NO_INDEX)
            continue;
        places[count] = (place){.file = p->insns.items[i].file, .line = p->insns.items[i].line};
        add_costs(&places[count++], &page->costs[i]);
    }
    array_sort(places, count, sizeof *places, by_place);
    for (size_t i = 0; i < count; i++) {
        if (left == 0 || by_place(&places[left - 1], &places[i]) != 0) {
            places[left++] = places[i];
            continue;
        }
        place *same = &places[left - 1];
        same->clocks += places[i].clocks;
        same->instructions += places[i].instructions;
        same->misses += places[i].misses;
        same->mispredicted += places[i].mispredicted;
    }
    array_sort(places, left, sizeof *places, by_clocks);
    return left;
}

/* Writes the costliest lines, with their text if the source file can be read. Returns false when memory is
 * out. */
static bool put_lines(profile_page *page)
{
    json_writer *json = &page->json;
    place *lines = calloc(page->p->insns.count + 1, sizeof *lines);
    if (!lines)
        return false;
    size_t count = line_places(page, lines);
    json_key_array(json, "lines");
    for (size_t i = 0; i < count && i < MOST_ROWS; i++) {
        const char *text = sources_line(&page->source, lines[i].file, lines[i].line);
        json_open_object(json);
        json_key_string(json, "file", profile_file_name(page->p, lines[i].file));
        json_key_unsigned(json, "line", lines[i].line);
        if (text)
            json_key_string(json, "source", text);
        put_costs(page, &lines[i]);
        json_close_object(json);
    }
    json_close_array(json);
    free(lines);
    return true;
}

/* ---- code ---------------------------------------------------------------------------------------------- */

/* Returns the number of samples of each instruction; the caller frees it. NULL: out of memory. */
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

void page_address(json_writer *json, const char *key, uint64_t address)
{
    char text[9];
    snprintf(text, sizeof text, "%08" PRIx32, (uint32_t)address);
    json_key_string(json, key, text);
}

/* Writes instruction `i` of the profile; `jumps` are the arrows beside it (jumps.h). If it `begins_line`, which
 * means that the previous instruction belongs to another line, writes its source line, too. Returns false when
 * memory is out. */
static bool put_insn(profile_page *page, size_t i, uint64_t samples, const char *jumps, bool begins_line)
{
    json_writer *json = &page->json;
    const profile_insn *insn = &page->p->insns.items[i];
    const insn_costs *c = &page->costs[i];
    char text[96], *remarks = remarks_text(c);
    if (remarks == NULL)
        return false;
    remarks_disassemble(page->decoder, insn, text, sizeof text);
    json_open_object(json);
    page_address(json, "address", insn->code.address);
    json_key_string(json, "text", text);
    json_key_string(json, "jumps", jumps);
    json_key_unsigned(json, "clocks", c->clocks);
    json_key_unsigned(json, "executed", c->of[P5_PROFILE_EXECUTIONS]);
    json_key_unsigned(json, "in_v", c->of[P5_PROFILE_IN_V]);
    json_key_unsigned(json, "samples", samples);
    json_key_string(json, "remarks", remarks);
    if (begins_line) {
        const char *line = sources_line(&page->source, insn->file, insn->line);
        json_key_unsigned(json, "line", insn->line);
        json_key_string(json, "source", line ? line : profile_file_name(page->p, insn->file));
    }
    json_close_object(json);
    free(remarks);
    return true;
}

/* Writes the instructions of a function that takes `clocks`. `samples`: by instruction of the profile.
 * Returns false when memory is out. */
static bool put_listing(profile_page *page, const profile_function *f, uint64_t clocks,
                        const uint64_t *samples)
{
    json_writer *json = &page->json;
    const p5_profile *p = page->p;
    const profile_insn *before = NULL;
    const size_t first = profile_insn_from(p, f->start), end = profile_insn_from(p, f->end);
    jump_arrows arrows;
    bool fits = jump_arrows_open(&arrows, p, first, end);
    json_open_object(json);
    json_key_string(json, "function", f->name);
    json_key_unsigned(json, "clocks", clocks);
    json_key_array(json, "instructions");
    for (size_t i = first; i < end && fits; i++) {
        const profile_insn *insn = &p->insns.items[i];
        bool begins = insn->file != PROFILE_NO_INDEX &&
                      (!before || before->file != insn->file || before->line != insn->line);
        fits = put_insn(page, i, samples[i], jump_arrows_at(&arrows, i - first), begins);
        before = insn;
    }
    jump_arrows_close(&arrows);
    json_close_array(json);
    json_close_object(json);
    return fits;
}

/* Writes how samples were taken, and the code of the costliest functions. `places`: all functions, costliest
 * first. Returns false when memory is out. */
static bool put_listings(profile_page *page, const place *places)
{
    json_writer *json = &page->json;
    const p5_profile *p = page->p;
    uint64_t *samples = count_samples(p);
    bool fits = samples != NULL;
    json_key(json, "samples");
    if (p->sample_event) {
        json_open_object(json);
        json_key_string(json, "event", p->sample_event);
        json_key_unsigned(json, "period", p->sample_period);
        json_key_unsigned(json, "count", p->samples.count);
        json_close_object(json);
    } else {
        json_null(json);
    }
    json_key_array(json, "code");
    for (size_t f = 0; f < p->functions.count && f < MOST_LISTINGS && places[f].clocks && fits; f++)
        fits = put_listing(page, &p->functions.items[places[f].function], places[f].clocks, samples);
    json_close_array(json);
    free(samples);
    return fits;
}

/* Writes the names of the source files that were read and are newer than the profile. */
static void put_newer_sources(profile_page *page)
{
    json_key_array(&page->json, "newer_sources");
    for (size_t i = 0; i < page->p->files.count; i++)
        if (sources_newer(&page->source, (int)i))
            json_string(&page->json, profile_file_name(page->p, (int)i));
    json_close_array(&page->json);
}

bool page_code(profile_page *page)
{
    place *functions = function_places(page);
    if (!functions)
        return false;
    put_functions(page, functions);
    bool fits = put_lines(page) && put_listings(page, functions);
    put_newer_sources(page);
    free(functions);
    return fits;
}
