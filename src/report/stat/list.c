/* Writes `p5scope list`: events, causes of clocks, names of perf, metric groups, instructions and models, as text, JSON
 * lines or CSV. */
#include "report/stat/list_internal.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "p5tool/event.h"
#include "report/stat/scan.h"

bool list_matches(const char *pattern, const char *name)
{
    if (pattern == NULL)
        return true;
    if (strpbrk(pattern, "*?") != NULL)
        return text_glob(pattern, name);
    char part[256];
    if ((size_t)snprintf(part, sizeof part, "*%s*", pattern) >= sizeof part)
        return false;
    return text_glob(part, name);
}

/* Returns true if the pattern matches a name, the title, the group, or the code (r12, r12.0) of an event. */
static bool event_matches(const char *pattern, const p5_event_info *event)
{
    if (list_matches(pattern, event->name) || list_matches(pattern, event->title) ||
        text_same_name(pattern, event->group))
        return true;
    for (const char *const *alias = event->aliases; alias != NULL && *alias != NULL; alias++)
        if (list_matches(pattern, *alias))
            return true;
    char code[8];
    snprintf(code, sizeof code, "r%02x", event->code);
    if (text_same_name(pattern, code))
        return true;
    snprintf(code, sizeof code, "r%02x.%u", event->code, event->counters == P5_ON_CTR1 ? 1U : 0U);
    return event->counters != (P5_ON_CTR0 | P5_ON_CTR1) && text_same_name(pattern, code);
}

const char *event_counters_text(unsigned counters)
{
    return counters == P5_ON_CTR0 ? "0" : counters == P5_ON_CTR1 ? "1" : "both";
}

const char *event_mode_text(const p5_selected *row, char text[4])
{
    size_t length = 0;
    if (row->cpl_mask & P5_CPL_MASK_USER)
        text[length++] = 'u';
    if (row->cpl_mask & P5_CPL_MASK_SYSTEM)
        text[length++] = 'k';
    if (row->asserted)
        text[length++] = 'c';
    text[length] = '\0';
    return text;
}

const char *event_grade_text(p5_grade grade)
{
    static const char *const texts[] = {"exact", "modelled", "approximate"}; /* in the order of p5_grade */
    return texts[grade];
}

const char *event_families_text(unsigned families)
{
    return families == P5_FAMILY_P55C ? "P55C" : families == P5_FAMILY_P54C ? "P54C" : "P54C P55C";
}

/* Returns the first alias other than the name in capitals or FreeBSD's p5-NAME; NULL if there is none. */
static const char *other_name(const p5_event_info *event)
{
    for (const char *const *alias = event->aliases; alias != NULL && *alias != NULL; alias++)
        if (!text_same_name(*alias, event->name) && strncmp(*alias, "p5-", 3) != 0)
            return *alias;
    return NULL;
}

static void write_event_text(FILE *out, const p5_event_info *event, bool verbose)
{
    char code[8];
    if (event->counters == (P5_ON_CTR0 | P5_ON_CTR1))
        snprintf(code, sizeof code, "r%02x", event->code);
    else
        snprintf(code, sizeof code, "r%02x.%s", event->code, event_counters_text(event->counters));
    const char *alias = other_name(event);
    fprintf(out, "  %-6s %-5s %-11s %u  %-12s %-10s %s%s%s\n", code, event_counters_text(event->counters),
            event->duration ? "duration" : "occurrence", event->max_per_clock, event_grade_text(event->grade),
            event_families_text(event->families), event->name, alias != NULL && !verbose ? " OR " : "",
            alias != NULL && !verbose ? alias : "");
    if (!verbose)
        return;
    fprintf(out, "         title    %s\n", event->title);
    fprintf(out, "         aliases ");
    for (const char *const *name = event->aliases; name != NULL && *name != NULL; name++)
        fprintf(out, "%s %s", name == event->aliases ? "" : ",", *name);
    fprintf(out, "\n         counts   %s\n", event->rule);
    if (event->remarks[0] != '\0')
        fprintf(out, "         remarks  %s\n", event->remarks);
    fprintf(out, "         source   %s\n", event->source);
}

static void write_event_row(row_writer *rows, const p5_event_info *event, bool verbose)
{
    const char *families[2];
    size_t family_count = 0, alias_count = 0;
    if (event->families & P5_FAMILY_P54C)
        families[family_count++] = "P54C";
    if (event->families & P5_FAMILY_P55C)
        families[family_count++] = "P55C";
    while (event->aliases != NULL && event->aliases[alias_count] != NULL)
        alias_count++;
    rows_begin(rows);
    rows_text(rows, "kind", "event");
    rows_text(rows, "name", event->name);
    rows_unsigned(rows, "code", event->code);
    rows_text(rows, "counters", event_counters_text(event->counters));
    rows_text(rows, "type", event->duration ? "duration" : "occurrence");
    rows_unsigned(rows, "max_per_clock", event->max_per_clock);
    rows_text(rows, "grade", event_grade_text(event->grade));
    rows_names(rows, "families", families, family_count);
    rows_text(rows, "group", event->group);
    rows_text(rows, "title", event->title);
    rows_names(rows, "aliases", event->aliases, alias_count);
    if (verbose) {
        rows_text(rows, "rule", event->rule);
        rows_text(rows, "remarks", event->remarks);
        rows_text(rows, "source", event->source);
    }
    rows_end(rows);
}

const char *const event_groups[] = {"cache", "tlb", "branch", "pipe", "fpu", "mmx", "bus", "system", NULL};

void list_begin_row(list_writer *l)
{
    if (l->title != NULL && l->rows == NULL)
        fprintf(l->out, "%s%s\n\n", l->count > 0 ? "\n" : "", l->title);
    l->title = NULL;
    l->count++;
}

/* Writes the matching events, group by group. It has the type of the other parts and cannot fail. */
static p5_status write_events(list_writer *l, p5_error *error)
{
    (void)error;
    for (const char *const *group = event_groups, *begun = NULL; *group != NULL; group++)
        for (int id = 0; id < P5_EVENT_COUNT; id++) {
            const p5_event_info *event = p5_event_describe((enum p5_event)id);
            if (strcmp(event->group, *group) != 0 ||
                (l->options->pattern != NULL && !event_matches(l->options->pattern, event)))
                continue;
            list_begin_row(l);
            if (l->rows != NULL) {
                write_event_row(l->rows, event, l->options->verbose);
                continue;
            }
            if (begun != *group)
                fprintf(l->out, "%s%s:\n", begun != NULL ? "\n" : "", *group);
            begun = *group;
            write_event_text(l->out, event, l->options->verbose);
        }
    return P5_OK;
}

static p5_status write_stalls(list_writer *l, p5_error *error)
{
    (void)error;
    for (unsigned i = 0; i < P5_STALL_COUNT; i++) {
        char name[SCAN_STALL_NAME];
        const char *rule = p5_stall_rule((p5_stall)i);
        const int event = p5_stall_event((p5_stall)i);
        if (!list_matches(l->options->pattern, scan_stall_name((p5_stall)i, name)))
            continue;
        list_begin_row(l);
        if (l->rows == NULL) {
            fprintf(l->out, "  %-20s %s\n", name, rule);
            continue;
        }
        rows_begin(l->rows);
        rows_text(l->rows, "kind", "stall");
        rows_text(l->rows, "name", name);
        rows_text(l->rows, "rule", rule);
        rows_text(l->rows, "event", event >= 0 ? p5_event_describe((enum p5_event)event)->name : NULL);
        rows_end(l->rows);
    }
    return P5_OK;
}

/* Returns what a name of perf counts: an event, or the clocks. */
static const char *perf_meaning(const p5_perf_name *name)
{
    return name->event == P5_PERF_CLOCKS ? "clocks" : p5_event_describe((enum p5_event)name->event)->name;
}

static void write_perf_row(row_writer *rows, const p5_perf_name *name)
{
    rows_begin(rows);
    rows_text(rows, "kind", "perf-name");
    rows_text(rows, "name", name->name);
    rows_text(rows, "event", perf_meaning(name));
    rows_text(rows, "remarks", name->remarks);
    rows_end(rows);
}

static p5_status write_perf_names(list_writer *l, p5_error *error)
{
    (void)error;
    for (const p5_perf_name *name = p5_perf_names(); name->name != NULL; name++) {
        if (!list_matches(l->options->pattern, name->name) &&
            !list_matches(l->options->pattern, perf_meaning(name)))
            continue;
        list_begin_row(l);
        if (l->rows != NULL)
            write_perf_row(l->rows, name);
        else
            fprintf(l->out, "  %-24s %s\n", name->name, perf_meaning(name));
        if (l->rows == NULL && l->options->verbose && name->remarks[0] != '\0')
            fprintf(l->out, "      %s\n", name->remarks);
    }
    return P5_OK;
}

/* Context of the following callbacks of p5_model_fields. Each uses only what it needs. */
typedef struct field_list {
    FILE *out;         /* text */
    row_writer *rows;  /* JSON and CSV */
    const char *model; /* CSV: its name */
} field_list;

static void write_field_text(void *context, const char *section, const char *key, const char *value,
                             const char *meaning)
{
    const field_list *list = context;
    fprintf(list->out, "      %s.%s = %s", section, key, value);
    fprintf(list->out, meaning != NULL && meaning[0] != '\0' ? "  # %s\n" : "\n", meaning);
}

static void write_field_json(void *context, const char *section, const char *key, const char *value,
                             const char *meaning)
{
    json_writer *json = &((const field_list *)context)->rows->json;
    json_open_object(json);
    json_key_string(json, "section", section);
    json_key_string(json, "key", key);
    json_key_string(json, "value", value);
    json_key_string(json, "meaning", meaning != NULL ? meaning : "");
    json_close_object(json);
}

/* Writes a field as a row of its own. */
static void write_field_csv(void *context, const char *section, const char *key, const char *value,
                            const char *meaning)
{
    const field_list *list = context;
    rows_begin(list->rows);
    rows_text(list->rows, "kind", "model-field");
    rows_text(list->rows, "name", list->model);
    rows_text(list->rows, "section", section);
    rows_text(list->rows, "key", key);
    rows_text(list->rows, "value", value);
    rows_text(list->rows, "meaning", meaning);
    rows_end(list->rows);
}

/* Writes a model as a row; with `verbose`, also its fields: in JSON as an array, in CSV as rows instead of the model's. */
static void write_model_row(row_writer *rows, const p5_model *model, bool verbose, bool is_default)
{
    field_list list = {.rows = rows, .model = p5_model_name(model)};
    if (rows->csv && verbose) {
        p5_model_fields(model, write_field_csv, &list);
        return;
    }
    rows_begin(rows);
    rows_text(rows, "kind", "model");
    rows_text(rows, "name", p5_model_name(model));
    rows_text(rows, "family", event_families_text(p5_model_family(model)));
    rows_double(rows, "clock_mhz", p5_model_clock_mhz(model));
    rows_unsigned(rows, "signature", p5_model_signature(model));
    rows_bool(rows, "default", is_default);
    if (verbose) {
        json_key_array(&rows->json, "fields");
        p5_model_fields(model, write_field_json, &list);
        json_close_array(&rows->json);
    }
    rows_end(rows);
}

static void write_model_text(FILE *out, const p5_model *model, bool verbose, bool is_default)
{
    fprintf(out, "  %-12s %-5s %7.2f MHz  CPUID %04xh%s\n", p5_model_name(model),
            event_families_text(p5_model_family(model)), p5_model_clock_mhz(model), p5_model_signature(model),
            is_default ? "  (default)" : "");
    field_list list = {.out = out};
    if (verbose)
        p5_model_fields(model, write_field_text, &list);
}

static p5_status write_models(list_writer *l, p5_error *error)
{
    const char *const *names = p5_model_names();
    for (size_t i = 0; names[i] != NULL; i++) {
        if (!list_matches(l->options->pattern, names[i]))
            continue;
        p5_model *model;
        p5_status status = p5_model_open(names[i], &model, error);
        if (status != P5_OK)
            return status;
        list_begin_row(l);
        if (l->rows != NULL)
            write_model_row(l->rows, model, l->options->verbose, i == 0); /* the first is the default */
        else
            write_model_text(l->out, model, l->options->verbose, i == 0);
        p5_model_close(model);
    }
    return P5_OK;
}

p5_status p5_list_write(FILE *out, const p5_list_options *options, size_t *rows, p5_error *error)
{
    static const struct {
        unsigned section;
        p5_status (*write)(list_writer *l, p5_error *error);
        const char *title;
    } parts[] = {
        {P5_LIST_EVENTS, write_events,
         "Events (code, counters, kind, most per clock, exactness, processors, name)"},
        {P5_LIST_STALLS, write_stalls, "Causes of clocks (name, which clocks)"},
        {P5_LIST_PERF, write_perf_names, "Names of perf (name, what it counts here)"},
        {P5_LIST_METRICS, list_metrics, "Metric groups (name, processors, what it shows)"},
        {P5_LIST_INSTRUCTIONS, list_instructions,
         "Instructions (form, clocks (P54C/P55C where they differ; + by a rule), latency, throughput, "
         "pipes, unit, confidence, source, operands)"},
        {P5_LIST_MODELS, write_models, "Models (name, processor, clock, signature)"}};
    row_writer writer;
    rows_open_bare(&writer, out, options->format);
    list_writer l = {
        .out = out, .options = options, .rows = options->format != P5_ROWS_TEXT ? &writer : NULL};
    *rows = 0;
    if (writer.csv && (options->sections & (options->sections - 1)) != 0) /* more than one section */
        return error_set(error, P5_ERR_RANGE, "a list as CSV has one kind of rows");
    p5_status status = P5_OK;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == P5_OK; i++) {
        l.title = parts[i].title;
        if ((options->sections & parts[i].section) != 0)
            status = parts[i].write(&l, error);
    }
    *rows = l.count;
    return status != P5_OK ? status : error_unless_written(error, out, "the list");
}
