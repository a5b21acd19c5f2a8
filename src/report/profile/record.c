/* Starts the core's exact profile of a machine, and later makes a p5_profile of what the core has counted. A
 * *site* is an instruction in a calling context at a privilege class; its *amounts* are what was counted
 * there, by quantity: events, clocks by stall cause, executions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "core/core.h"
#include "core/model/model.h"
#include "core/profile/profile.h"
#include "machine/machine.h"
#include "p5scope/observe.h"
#include "p5scope/version.h"
#include "report/profile/profile_internal.h"
#include "report/run_identity.h"

enum {
    FIRST_INTERVAL = 1 << 15, /* clocks of an interval; doubled when there are more than MOST_INTERVALS */
    MOST_INTERVALS = 100,
    MOST_SAMPLES = 1 << 22,
    OVERFLOW_CLOCKS = 5 /* from a counter's overflow to its pin, which interrupts; manual 273204, 26.4.4.3 */
};

/* Passes a marker of the guest (p5scope/guest.h) to the core's profile. */
static void marked(void *context, p5_machine *machine, const p5_observation *at)
{
    (void)context;
    const profile_marker marker = {
        .clock = at->clock, .id = at->number, .begins = at->kind == P5_OBSERVE_BEGIN};
    profile_mark(machine_core(machine), &marker);
}

/* Observes the guest's markers. The observer is closed with the machine. */
static p5_status follow_markers(p5_machine *machine, p5_observer **observer, p5_error *error)
{
    const p5_observe_options options = {
        .size = sizeof options, .markers = true, .observed = marked, .counts_only = true};
    return p5_machine_observe(machine, &options, observer, error);
}

/* Sets in *start which quantity is sampled and how often. */
static p5_status choose_samples(p5_machine *machine, const p5_profile_options *options,
                                profile_options *start, p5_error *error)
{
    profile_value value;
    p5_status status =
        profile_value_find(p5_model_family(p5_machine_model(machine)), options->sample_event, &value, error);
    if (status != P5_OK)
        return status;
    if (options->sample_period == 0)
        return error_set(error, P5_ERR_RANGE, "the period of samples is at least 1");
    if (value.asserted || value.cpl_mask != P5_CPL_MASK_ALL)
        return error_set(error, P5_ERR_UNSUPPORTED, "samples are taken at any CPL, by increments");
    start->sample_quantity = value.quantity;
    start->sample_period = options->sample_period;
    return P5_OK;
}

static void release_symbols(void *symbols)
{
    profile_symbols_free(symbols);
    free(symbols);
}

/* Starts the core's profile. The core then owns the symbols, and releases them with the profile. */
p5_status p5_profile_start(p5_machine *machine, const char *guest, const p5_profile_options *options,
                           p5_error *error)
{
    p5_profile_options own;
    p5_status status = SIZED_COPY_IN(p5_profile_options, &own, options, error);
    if (status != P5_OK)
        return status;
    if (core_is_profiled(machine_core(machine)))
        return error_set(error, P5_ERR_STATE, "a profile of this machine is being made already");
    p5_observer *markers;
    status = follow_markers(machine, &markers, error);
    if (status != P5_OK)
        return status;
    profile_symbols *symbols = calloc(1, sizeof *symbols);
    profile_options start = {.interval_clocks = FIRST_INTERVAL,
                             .most_intervals = own.no_intervals ? 0 : MOST_INTERVALS,
                             .sample_quantity = P5_PROFILE_NONE,
                             .most_samples = MOST_SAMPLES,
                             .sample_latency = OVERFLOW_CLOCKS,
                             .symbols = symbols,
                             .release = release_symbols};
    status = symbols ? P5_OK : error_set(error, P5_ERR_MEMORY, "out of memory");
    if (status == P5_OK && own.sample_event)
        status = choose_samples(machine, &own, &start, error);
    if (status == P5_OK)
        status = profile_symbols_read(machine, guest, own.symbols, symbols, error);
    if (status == P5_OK && !profile_symbols_start(machine, symbols, start))
        status = error_set(error, P5_ERR_MEMORY, "out of memory");
    if (status == P5_OK)
        return P5_OK;
    p5_observer_close(markers);
    if (symbols)
        release_symbols(symbols);
    return status;
}

/* ---- copying what the core has counted: functions return false when memory is out ---- */

/* Sets a growable array, which must be empty, to `n` elements of `size` bytes. `to` is the address of its
 * pointer. */
static bool copy_array(void *to, size_t *count, size_t *capacity, const void *from, size_t n, size_t size)
{
    if (n == 0)
        return true;
    if (!array_reserve(to, capacity, n, size))
        return false;
    void *items;
    memcpy(&items, to, sizeof items);
    memcpy(items, from, n * size);
    *count = n;
    return true;
}
#define COPY_ARRAY(array, from, n)                                                                           \
    copy_array(&(array)->items, &(array)->count, &(array)->capacity, (from), (n), sizeof *(array)->items)

/* Copies the sites. The core does not count "cycles not in HALT state" by instruction, so each site gets the
 * sum of its clocks that are not of the stall cause halt. */
static bool copy_sites(p5_profile *p, const profile_view *view)
{
    for (size_t i = 0; i < view->site_count; i++) {
        const profile_site *from = &view->sites[i];
        if (!ARRAY_ADD(&p->sites, (profile_site){.context = from->context,
                                                 .address = from->address,
                                                 .cpl_class = from->cpl_class}))
            return false;
        profile_site *to = &p->sites.items[p->sites.count - 1];
        if (!COPY_ARRAY(&to->amounts, from->amounts.items, from->amounts.count))
            return false;
        profile_amount awake = {.quantity = P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE};
        for (size_t j = 0; j < to->amounts.count; j++)
            if (to->amounts.items[j].quantity >= P5_PROFILE_STALLS &&
                to->amounts.items[j].quantity < P5_PROFILE_EXECUTIONS &&
                to->amounts.items[j].quantity != P5_PROFILE_STALLS + P5_STALL_HALT)
                awake.increments += to->amounts.items[j].increments;
        awake.asserted = awake.increments;
        if (awake.increments && !ARRAY_ADD(&to->amounts, awake))
            return false;
    }
    return true;
}

/* Subtracts `excess` from the amounts of a quantity at a privilege class, beginning with the last sites.
 * Sites may count more bus clocks than the total, because the last bus cycles had not ended when the run
 * did. */
static void subtract_excess(p5_profile *p, unsigned quantity, unsigned class, uint64_t excess)
{
    for (size_t i = p->sites.count; i-- > 0 && excess > 0;) {
        profile_site *site = &p->sites.items[i];
        for (size_t j = 0; site->cpl_class == class && j < site->amounts.count; j++) {
            profile_amount *a = &site->amounts.items[j];
            if (a->quantity != quantity)
                continue;
            uint64_t n = excess < a->increments ? excess : a->increments;
            a->increments -= n;
            a->asserted -= n < a->asserted ? n : a->asserted;
            excess -= n;
        }
    }
}

/* Sets the profile's totals to the core's, and makes the sites add up to them: adds a site at address 0 for
 * amounts that belong to no instruction (another bus master's work, and bus clocks of one privilege class
 * that passed in another). */
static bool make_sites_add_up(p5_profile *p, const p5_counts *run_totals)
{
    /* increments and asserted clocks of all sites, by quantity and privilege class */
    uint64_t(*sum)[P5_CPL_CLASSES] = calloc(2 * P5_PROFILE_QUANTITIES, sizeof *sum);
    if (!sum)
        return false;
    uint64_t(*on)[P5_CPL_CLASSES] = sum + P5_PROFILE_QUANTITIES;
    for (size_t i = 0; i < p->sites.count; i++) {
        const profile_site *site = &p->sites.items[i];
        for (size_t j = 0; j < site->amounts.count; j++) {
            sum[site->amounts.items[j].quantity][site->cpl_class] += site->amounts.items[j].increments;
            on[site->amounts.items[j].quantity][site->cpl_class] += site->amounts.items[j].asserted;
        }
    }
    bool fits = true;
    for (unsigned class = 0; class < P5_CPL_CLASSES && fits; class ++) {
        profile_site rest = {.context = PROFILE_ROOT, .cpl_class = class};
        for (unsigned q = 0; q < P5_PROFILE_QUANTITIES && fits; q++) {
            p->total[q][class] = sum[q][class];
            p->asserted[q][class] = on[q][class];
            if (q < P5_EVENT_COUNT) {
                p->total[q][class] = run_totals->increments[q][class];
                p->asserted[q][class] = run_totals->asserted[q][class];
            } else if (q < P5_PROFILE_EXECUTIONS) {
                p->total[q][class] = p->asserted[q][class] = run_totals->stalls[q - P5_PROFILE_STALLS][class];
            }
            if (sum[q][class] > p->total[q][class])
                subtract_excess(p, q, class, sum[q][class] - p->total[q][class]);
            if (sum[q][class] >= p->total[q][class])
                continue;
            const profile_amount left = {
                q, p->total[q][class] - sum[q][class],
                p->asserted[q][class] > on[q][class] ? p->asserted[q][class] - on[q][class] : 0};
            fits = ARRAY_ADD(&rest.amounts, left);
        }
        if (rest.amounts.count && fits)
            fits = ARRAY_ADD(&p->sites, rest);
        if (!fits)
            free(rest.amounts.items);
    }
    free(sum);
    return fits;
}

/* Names the address spaces by their objects: the files with symbols, and after them the page directories
 * whose code is in none of the files. */
static bool copy_objects(p5_profile *p, const profile_view *view, const profile_symbols *s)
{
    bool fits = true;
    for (size_t i = 0; fits && i < s->objects.count + view->directory_count; i++) {
        char name[32];
        bool object = i < s->objects.count;
        if (!object)
            snprintf(name, sizeof name, i == PROFILE_SPACES - 1 ? "[cr3 others]" : "[cr3 %08" PRIx32 "]",
                     view->directories[i - s->objects.count]);
        fits = ARRAY_ADD(&p->objects, profile_printable(p, object ? s->objects.items[i] : name)) &&
               p->objects.items[i] != NULL;
    }
    return fits;
}

/* Copies objects, source files and functions, and the instructions, each with its source line. */
static bool copy_symbols(p5_profile *p, const profile_view *view, const profile_symbols *s)
{
    bool fits = copy_objects(p, view, s);
    for (size_t i = 0; fits && i < s->files.count; i++)
        fits = ARRAY_ADD(&p->files, arena_text(&p->texts, s->files.items[i])) && p->files.items[i] != NULL;
    for (size_t i = 0; i < view->code_count && fits; i++) {
        profile_insn insn = {.code = view->code[i], .file = PROFILE_NO_INDEX};
        /* the last row of the line table that does not begin after the instruction */
        size_t after = ARRAY_SEARCH(s->lines.items, s->lines.count, address, insn.code.address + 1);
        if (after > 0 && s->lines.items[after - 1].line != 0) {
            insn.file = s->lines.items[after - 1].file;
            insn.line = s->lines.items[after - 1].line;
        }
        fits = ARRAY_ADD(&p->insns, insn);
    }
    for (size_t i = 0; i < s->functions.count && fits; i++) {
        profile_function f = s->functions.items[i];
        char **const texts[] = {&f.symbol, &f.source, &f.unit, &f.object};
        for (unsigned t = 0; t < sizeof texts / sizeof *texts && fits; t++)
            if (*texts[t])
                fits = (*texts[t] = arena_text(&p->texts, *texts[t])) != NULL;
        fits = fits && ARRAY_ADD(&p->functions, f);
    }
    return fits;
}

/* Keeps only the functions in which something was executed or that have costs. */
static void drop_unused_functions(p5_profile *p)
{
    size_t left = 0;
    for (size_t i = 0; i < p->functions.count; i++) {
        profile_function f = p->functions.items[i];
        size_t insn = profile_insn_from(p, f.start);
        size_t site = ARRAY_SEARCH(p->sites.items, p->sites.count, address, f.start);
        if ((insn < p->insns.count && p->insns.items[insn].code.address < f.end) ||
            (site < p->sites.count && p->sites.items[site].address < f.end))
            p->functions.items[left++] = f;
    }
    p->functions.count = left;
}

/* Adds a field of the model to the profile. Without memory it is left out. */
static void copy_field(void *context, const char *section, const char *key, const char *value,
                       const char *meaning)
{
    (void)meaning;
    p5_profile *p = context;
    profile_field field = {arena_text(&p->texts, section), arena_text(&p->texts, key),
                           arena_text(&p->texts, value)};
    if (field.section && field.key && field.value)
        (void)ARRAY_ADD(&p->fields, field);
}

static bool copy_model(p5_profile *p, const p5_model *model)
{
    p->family = p5_model_family(model);
    p->clock_mhz = p5_model_clock_mhz(model);
    p->model = arena_text(&p->texts, p5_model_name(model));
    p->version = arena_text(&p->texts, p5_version());
    p->data_ways = model->data_cache.ways;
    p->code_ways = model->code_cache.ways;
    p5_model_fields(model, copy_field, p);
    return p->model && p->version;
}

static bool copy_btb(p5_profile *p, const p5_core *core)
{
    core_btb_entry entries[CORE_BTB_SETS * CORE_BTB_WAYS];
    unsigned count = core_btb(core, entries);
    return COPY_ARRAY(&p->btb, entries, count);
}

/* Copies the intervals, and adds one for the rest of the run if intervals were wanted. */
static bool copy_intervals(p5_profile *p, const p5_machine *machine, const profile_view *view,
                           const p5_counts *run_totals)
{
    uint64_t end = p5_machine_clock(machine);
    bool wanted = profile_options_of(machine_core(machine))->most_intervals > 0;
    if (!COPY_ARRAY(&p->intervals, view->intervals, view->interval_count))
        return false;
    size_t count = p->intervals.count;
    if (!wanted || end <= (count > 0 ? p->intervals.items[count - 1].clock : 0))
        return true;
    profile_interval rest = {.clock = end};
    for (unsigned q = 0; q < P5_PROFILE_EXECUTIONS; q++)
        rest.totals[q] = profile_in_total(run_totals, q);
    return ARRAY_ADD(&p->intervals, rest);
}

/* Copies the samples and how they were taken. Does nothing if none were. */
static bool copy_samples(p5_profile *p, const p5_core *core, const profile_view *view)
{
    const profile_options *options = profile_options_of(core); /* those of profile_start */
    if (options->sample_period == 0)
        return true;
    char buffer[48];
    p->sample_event =
        arena_text(&p->texts, options->sample_quantity == P5_PROFILE_CLOCKS
                                  ? "clocks"
                                  : profile_quantity_name((unsigned)options->sample_quantity, buffer));
    p->sample_period = options->sample_period;
    p->sample_latency = options->sample_latency;
    p->overflows = view->overflows;
    return p->sample_event && COPY_ARRAY(&p->samples, view->samples, view->sample_count);
}

p5_status p5_profile_identify(p5_profile *profile, const p5_run_identity *identity, const p5_model *model,
                              p5_error *error)
{
    char *text = run_identity_text(identity, model);
    if (text != NULL)
        profile->identity = arena_text(&profile->texts, text);
    free(text);
    if (identity->argv[0] != NULL)
        profile->program = profile_printable(profile, identity->argv[0]);
    return profile->identity != NULL ? P5_OK : error_set(error, P5_ERR_MEMORY, "out of memory");
}

p5_status p5_profile_cut_short(p5_profile *profile, const char *ending, p5_error *error)
{
    profile->ending = profile_printable(profile, ending);
    return profile->ending != NULL ? P5_OK : error_set(error, P5_ERR_MEMORY, "out of memory");
}

const char *p5_profile_ending(const p5_profile *profile)
{
    return profile->ending;
}

p5_status p5_profile_take(p5_machine *machine, const char *command, const char *options, p5_profile **profile,
                          p5_error *error)
{
    p5_core *core = machine_core(machine);
    *profile = NULL;
    if (!core_is_profiled(core))
        return error_set(error, P5_ERR_STATE, "no profile of this machine is being made");
    p5_profile *p = calloc(1, sizeof *p);
    p5_counts *run_totals = p ? malloc(sizeof *run_totals) : NULL;
    bool fits = run_totals != NULL && profile_collect(core); /* brings the core's profile up to date */
    if (fits) {
        profile_view view; /* pointers into the core's profile */
        profile_get_view(core, &view);
        p5_machine_counts(machine, run_totals);
        p->command = profile_printable(p, command != NULL ? command : "");
        p->options = profile_printable(p, options != NULL ? options : "");
        memcpy(p->data_misses, view.data_misses, sizeof p->data_misses);
        memcpy(p->code_misses, view.code_misses, sizeof p->code_misses);
        fits = p->command && p->options && copy_model(p, p5_machine_model(machine)) && copy_btb(p, core) &&
               COPY_ARRAY(&p->contexts, view.contexts, view.context_count) &&
               COPY_ARRAY(&p->edges, view.edges, view.edge_count) &&
               copy_intervals(p, machine, &view, run_totals) &&
               COPY_ARRAY(&p->markers, view.markers, view.marker_count) && copy_samples(p, core, &view) &&
               copy_sites(p, &view) && make_sites_add_up(p, run_totals) &&
               copy_symbols(p, &view, profile_options_of(core)->symbols);
    }
    free(run_totals);
    if (fits) {
        profile_finish(p);
        fits = profile_add_code_functions(p) && /* it needs the sorted arrays */
               functions_qualify(p->functions.items, p->functions.count, &p->texts);
        drop_unused_functions(p);
        fits = fits && profile_make_names(p);
    }
    if (!fits) {
        p5_profile_free(p);
        if (!profile_is_too_large(core))
            return error_set(error, P5_ERR_MEMORY, "out of memory: the profile is not complete");
        error_set(error, P5_ERR_RANGE,
                  "the profile is too large: the guest calls too much different code (%d instructions, "
                  "counted in every calling context)",
                  PROFILE_MOST_KEYS);
        error_hint(error, "record a part of the run: --fast-forward and --max-instructions select one");
        return P5_ERR_RANGE;
    }
    *profile = p;
    return P5_OK;
}
