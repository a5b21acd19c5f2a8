/* Writes the data of a profile's page as one JSON object (docs/schemas/report-page.json), and the HTML page,
 * which is page.html with that object in it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/embed.h"
#include "base/error.h"
#include "base/memory_text.h"
#include "p5tool/event.h"
#include "report/profile/flame.h"
#include "report/profile/page.h"
#include "report/stat/list.h"
#include "report/xml.h"

extern const embedded_file page_files[]; /* one file: page.html */

/* Functions put_X write members of the object that the page reads. */

/* Returns the increments of a quantity in the whole run, at all privilege levels. */
static uint64_t total_of(const p5_profile *p, unsigned quantity)
{
    return p5_counts_sum(p->total[quantity], P5_CPL_MASK_ALL);
}

/* Writes a frame of the flame graph (flame.h). */
static void put_frame(void *context, const flame_frame *frame)
{
    json_writer *json = context;
    json_open_object(json);
    json_key_string(json, "name", frame->name);
    json_key_unsigned(json, "depth", frame->depth);
    json_key_unsigned(json, "from", frame->from);
    json_key_unsigned(json, "value", frame->value);
    json_close_object(json);
}

static bool put_flame(profile_page *page)
{
    json_writer *json = &page->json;
    profile_value clocks;
    if (profile_value_find(page->p->family, "clocks", &clocks, NULL) != P5_OK)
        return false;
    json_key_object(json, "flame");
    json_key_string(json, "event", "clocks");
    json_key_array(json, "frames");
    bool fits = flame_frames(page->p, &clocks, put_frame, json);
    json_close_array(json);
    json_close_object(json);
    return fits;
}

/* ---- stall causes and events, in total and over time --------------------------------------------------- */

/* A stall cause and the clocks that it owns. */
typedef struct ranked {
    unsigned stall; /* p5_stall */
    uint64_t clocks;
} ranked;

/* Orders the most clocks first. */
static int by_rank(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    return ARRAY_ORDER(y->clocks, x->clocks) ?: ARRAY_ORDER(x->stall, y->stall);
}

/* Writes the explanation of a name: `what` it is, and how to avoid it, which the table of explanations has
 * under `kind` and `name`. */
static void put_about(profile_page *page, const char *kind, const char *name, const char *what)
{
    const words_topic *topic = words_find(&page->words, kind, name);
    char text[1000];
    snprintf(text, sizeof text, "%s %s", what, topic != NULL ? topic->avoid : "");
    json_key_string(&page->json, "about", text);
}

/* Writes the stall causes that own clocks, largest first. */
static void put_owners(profile_page *page)
{
    json_writer *json = &page->json;
    ranked owners[P5_STALL_COUNT];
    for (unsigned s = 0; s < P5_STALL_COUNT; s++)
        owners[s] = (ranked){s, total_of(page->p, P5_PROFILE_STALLS + s)};
    qsort(owners, P5_STALL_COUNT, sizeof *owners, by_rank);
    json_key_array(json, "owners");
    for (unsigned i = 0; i < P5_STALL_COUNT && owners[i].clocks; i++) {
        json_open_object(json);
        json_key_string(json, "name", p5_stall_name((p5_stall)owners[i].stall));
        json_key_unsigned(json, "clocks", owners[i].clocks);
        json_key_string(json, "colour", p5_stall_colour((p5_stall)owners[i].stall));
        put_about(page, "count", p5_stall_name((p5_stall)owners[i].stall),
                  p5_stall_rule((p5_stall)owners[i].stall));
        json_close_object(json);
    }
    json_close_array(json);
}

/* Writes the reasons for not pairing with their explanations. */
static void put_reasons(profile_page *page)
{
    json_writer *json = &page->json;
    json_key_array(json, "reasons");
    for (size_t i = 0; i < page->words.count; i++) {
        const words_topic *topic = &page->words.items[i];
        if (strcmp(topic->kind, "reason") != 0)
            continue;
        json_open_object(json);
        json_key_string(json, "text", topic->names);
        put_about(page, "reason", topic->names, topic->what);
        json_close_object(json);
    }
    json_close_array(json);
}

/* Writes all events of the processor with their totals, and those of CPL 3 (user) and CPL 0-2 (system). */
static void put_events(profile_page *page)
{
    json_writer *json = &page->json;
    const p5_profile *p = page->p;
    json_key_array(json, "events");
    for (unsigned e = 0; e < P5_EVENT_COUNT; e++) {
        const p5_event_info *info = p5_event_describe((enum p5_event)e);
        if ((info->families & p->family) == 0)
            continue;
        json_open_object(json);
        json_key_string(json, "name", info->name);
        json_key_string(json, "title", info->title);
        json_key_string(json, "about", info->rule);
        json_key_string(json, "grade", event_grade_text(info->grade));
        json_key_unsigned(json, "total", total_of(p, e));
        json_key_unsigned(json, "user", p->total[e][P5_CPL_USER]);
        json_key_unsigned(json, "system", p5_counts_sum(p->total[e], P5_CPL_MASK_SYSTEM));
        json_key_unsigned(json, "asserted", p5_counts_sum(p->asserted[e], P5_CPL_MASK_ALL));
        json_close_object(json);
    }
    json_close_array(json);
}

/* Writes, for each of the `count` quantities from number `first` on that occurred, its totals from the
 * beginning of the run to the end of each interval. name(n) names quantity first + n. */
static void put_series(profile_page *page, const char *key, unsigned first, unsigned count,
                       const char *(*name)(unsigned))
{
    json_writer *json = &page->json;
    const p5_profile *p = page->p;
    size_t n = p->intervals.count;
    json_key_array(json, key);
    for (unsigned q = 0; q < count && n > 0; q++) {
        if (p->intervals.items[n - 1].totals[first + q] == 0)
            continue;
        json_open_object(json);
        json_key_string(json, "name", name(q));
        json_key_array(json, "totals");
        for (size_t i = 0; i < n; i++)
            json_unsigned(json, p->intervals.items[i].totals[first + q]);
        json_close_array(json);
        json_close_object(json);
    }
    json_close_array(json);
}

static const char *owner_name(unsigned stall)
{
    return p5_stall_name((p5_stall)stall);
}

static const char *event_name(unsigned event)
{
    return p5_event_describe((enum p5_event)event)->name;
}

/* Writes the clocks at which the intervals end, what was counted until then, and the guest's markers. */
static void put_intervals(profile_page *page)
{
    json_writer *json = &page->json;
    const p5_profile *p = page->p;
    json_key_object(json, "intervals");
    json_key_array(json, "clocks");
    for (size_t i = 0; i < p->intervals.count; i++)
        json_unsigned(json, p->intervals.items[i].clock);
    json_close_array(json);
    put_series(page, "owners", P5_PROFILE_STALLS, P5_STALL_COUNT, owner_name);
    put_series(page, "events", 0, P5_EVENT_COUNT, event_name);
    json_close_object(json);
    json_key_array(json, "markers");
    for (size_t i = 0; i < p->markers.count; i++) {
        json_open_object(json);
        json_key_unsigned(json, "clock", p->markers.items[i].clock);
        json_key_unsigned(json, "id", p->markers.items[i].id);
        json_key_bool(json, "begins", p->markers.items[i].begins);
        json_close_object(json);
    }
    json_close_array(json);
}

/* ---- caches, branch target buffer, model ---------------------------------------------------------------- */

static void put_numbers(json_writer *json, const char *key, const uint64_t *numbers, size_t count)
{
    json_key_array(json, key);
    for (size_t i = 0; i < count; i++)
        json_unsigned(json, numbers[i]);
    json_close_array(json);
}

static void put_cache(json_writer *json, const char *key, unsigned ways, const uint64_t *misses)
{
    json_key_object(json, key);
    json_key_unsigned(json, "ways", ways);
    put_numbers(json, "misses", misses, PROFILE_SETS);
    json_close_object(json);
}

/* Writes an address, and the function that contains it. */
static void put_place(profile_page *page, const char *address_key, const char *function_key, uint32_t address)
{
    char buffer[16];
    page_address(&page->json, address_key, address);
    if (profile_function_at(page->p, address) != PROFILE_NO_INDEX)
        json_key_string(&page->json, function_key, profile_name_at(page->p, address, buffer));
}

/* Writes an entry of the branch target buffer: state of the prediction on the P54C, type and history on the
 * P55C. */
static void put_btb_entry(profile_page *page, const core_btb_entry *e)
{
    static const char *const types[] = {"jcc", "jmp", "call", "ret"};
    json_writer *json = &page->json;
    json_open_object(json);
    json_key_unsigned(json, "set", e->set);
    json_key_unsigned(json, "way", e->way);
    put_place(page, "address", "function", e->key);
    put_place(page, "target", "target_function", e->target);
    json_key_bool(json, "taken", e->taken);
    if (page->p->family == P5_FAMILY_P54C) {
        json_key_unsigned(json, "state", e->detail);
    } else {
        char history[5]; /* the last four executions as 0 and 1, the oldest first */
        for (unsigned i = 0; i < 4; i++)
            history[i] = (char)('0' + (e->detail >> (3 - i) & 1));
        history[4] = '\0';
        json_key_string(json, "type", types[e->type]);
        json_key_string(json, "history", history);
    }
    json_close_object(json);
}

/* Writes the entries of the branch target buffer at the end of the run, and for the P55C the mispredictions
 * by set. */
static void put_btb(profile_page *page)
{
    json_writer *json = &page->json;
    const p5_profile *p = page->p;
    json_key_object(json, "btb");
    json_key_unsigned(json, "size", CORE_BTB_SETS * CORE_BTB_WAYS);
    /* On the P55C, bank and set are bits of the address of the branch's last byte (core/branch/btb.h); they
     * are numbered set * 4 + bank. On the P54C they depend on the preceding pair, which a profile does not
     * record. */
    uint64_t wrong[CORE_BTB_SETS] = {0};
    for (size_t i = 0; i < p->insns.count; i++) {
        uint32_t last = (uint32_t)p->insns.items[i].code.address + p->insns.items[i].code.length - 1;
        wrong[(last >> 4 & 15) << 2 | (last >> 2 & 3)] +=
            page->costs[i].of[P5_EVENT_PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS];
    }
    if (p->family == P5_FAMILY_P55C) {
        put_numbers(json, "wrong", wrong, CORE_BTB_SETS);
    } else {
        json_key(json, "wrong");
        json_null(json);
    }
    json_key_array(json, "entries");
    for (size_t i = 0; i < p->btb.count; i++)
        put_btb_entry(page, &p->btb.items[i]);
    json_close_array(json);
    json_close_object(json);
}

/* Writes the misses of the caches by set, the branch target buffer, and the fields of the model. */
static void put_hardware(profile_page *page)
{
    json_writer *json = &page->json;
    const p5_profile *p = page->p;
    json_key_object(json, "caches");
    put_cache(json, "data", p->data_ways, p->data_misses);
    put_cache(json, "code", p->code_ways, p->code_misses);
    json_close_object(json);
    put_btb(page);
    json_key_array(json, "fields");
    for (size_t i = 0; i < p->fields.count; i++) {
        json_open_object(json);
        json_key_string(json, "section", p->fields.items[i].section);
        json_key_string(json, "key", p->fields.items[i].key);
        json_key_string(json, "value", p->fields.items[i].value);
        json_close_object(json);
    }
    json_close_array(json);
}

/* ---- the whole ----------------------------------------------------------------------------------------- */

static void put_run(profile_page *page)
{
    json_writer *json = &page->json;
    const p5_profile *p = page->p;
    json_key_string(json, "p5scope", p->version);
    json_key_string(json, "kind", "report-page");
    json_key_string(json, "command", p->command);
    json_key_string(json, "options", p->options);
    json_key_string(json, "model", p->model);
    json_key_string(json, "family", p->family == P5_FAMILY_P54C ? "p54c" : "p55c");
    json_key_double(json, "clock_mhz", p->clock_mhz);
    json_key_unsigned(json, "clocks", page->clocks);
    json_key_unsigned(json, "instructions", total_of(p, P5_EVENT_INSTRUCTIONS_EXECUTED));
}

/* Writes the whole object. Returns false when memory is out. */
static bool put_page(profile_page *page)
{
    json_open_object(&page->json);
    put_run(page);
    put_owners(page);
    put_reasons(page);
    put_events(page);
    bool fits = page_code(page) && put_flame(page);
    put_intervals(page);
    put_hardware(page);
    json_close_object(&page->json);
    return fits;
}

/* Writes the whole object to a file. Returns false when memory is out. */
static bool write_object(FILE *out, const p5_profile *p)
{
    profile_page page = {.p = p, .costs = remarks_costs(p)};
    page.decoder = isa_decoder_open((p->family == P5_FAMILY_P54C ? ISA_P54C : ISA_P55C) | ISA_P6);
    json_init(&page.json, out);
    for (unsigned s = 0; s < P5_STALL_COUNT; s++)
        page.clocks += total_of(p, P5_PROFILE_STALLS + s);
    bool fits = words_open(&page.words) && page.costs && page.decoder && sources_open(&page.source, p) &&
                put_page(&page);
    words_close(&page.words);
    sources_close(&page.source);
    isa_decoder_close(page.decoder);
    free(page.costs);
    return fits;
}

p5_status p5_profile_write_page_data(FILE *out, const p5_profile *p, p5_error *error)
{
    if (!write_object(out, p))
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    return error_unless_written(error, out, "the report");
}

p5_status p5_profile_write_html(FILE *out, const p5_profile *p, p5_error *error)
{
    /* the object goes between these in page.html, and replaces what is there */
    static const char begins[] = "id=\"profile\">\n", ends[] = "</script>";
    const char *text = page_files[0].text, *at = strstr(text, begins) + strlen(begins);
    memory_text json;
    bool fits = memory_text_open(&json) && write_object(json.out, p);
    fits = memory_text_end(&json) != NULL && fits;
    if (fits) {
        fwrite(text, 1, (size_t)(at - text), out);
        xml_script_json(out, json.text, json.size);
        fputs(strstr(at, ends), out);
    }
    free(json.text);
    if (!fits)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    return error_unless_written(error, out, "the page");
}
