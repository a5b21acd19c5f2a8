/* `p5scope list`: events, metrics and models, as text or as JSON lines. */
#include "report/stat/list.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

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

const char *event_grade_text(p5_grade grade)
{
    switch (grade) {
    case P5_GRADE_EXACT:
        return "exact";
    case P5_GRADE_MODELLED:
        return "modelled";
    case P5_GRADE_APPROXIMATE:
        break;
    }
    return "approximate";
}

const char *event_families_text(unsigned families)
{
    return families == P5_FAMILY_P55C ? "P55C" : families == P5_FAMILY_P54C ? "P54C" : "P54C P55C";
}

/* The first other spelling that is not just the name in capitals or FreeBSD's p5-NAME. */
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

static void write_event_json(FILE *out, const p5_event_info *event, bool verbose)
{
    json_writer json;
    json_init(&json, out);
    json_open_object(&json);
    json_key_string(&json, "kind", "event");
    json_key_string(&json, "name", event->name);
    json_key_unsigned(&json, "code", event->code);
    json_key_string(&json, "counters", event_counters_text(event->counters));
    json_key_string(&json, "type", event->duration ? "duration" : "occurrence");
    json_key_unsigned(&json, "max_per_clock", event->max_per_clock);
    json_key_string(&json, "grade", event_grade_text(event->grade));
    json_key(&json, "families");
    json_open_array(&json);
    if (event->families & P5_FAMILY_P54C)
        json_string(&json, "P54C");
    if (event->families & P5_FAMILY_P55C)
        json_string(&json, "P55C");
    json_close_array(&json);
    json_key_string(&json, "group", event->group);
    json_key_string(&json, "title", event->title);
    json_key(&json, "aliases");
    json_open_array(&json);
    for (const char *const *alias = event->aliases; alias != NULL && *alias != NULL; alias++)
        json_string(&json, *alias);
    json_close_array(&json);
    if (verbose) {
        json_key_string(&json, "rule", event->rule);
        json_key_string(&json, "remarks", event->remarks);
        json_key_string(&json, "source", event->source);
    }
    json_close_object(&json);
}

const char *const event_groups[] = {"cache", "tlb", "branch", "pipe", "fpu", "mmx", "bus", "system", NULL};

static size_t write_events(FILE *out, const p5_list_options *options)
{
    size_t rows = 0;
    for (const char *const *group = event_groups; *group != NULL; group++) {
        size_t group_rows = 0;
        for (int id = 0; id < P5_EVENT_COUNT; id++) {
            const p5_event_info *event = p5_event_describe((enum p5_event)id);
            if (strcmp(event->group, *group) != 0 ||
                (options->pattern != NULL && !event_matches(options->pattern, event)))
                continue;
            if (options->json) {
                write_event_json(out, event, options->verbose);
            } else {
                if (rows == 0)
                    fprintf(out,
                            "Events (code, counters, kind, most per clock, exactness, processors, name)\n");
                if (group_rows == 0)
                    fprintf(out, "\n%s:\n", *group);
                write_event_text(out, event, options->verbose);
            }
            group_rows++;
            rows++;
        }
    }
    return rows;
}

static const char *perf_meaning(const p5_perf_name *name)
{
    return name->event == P5_PERF_CLOCKS ? "clocks" : p5_event_describe((enum p5_event)name->event)->name;
}

static void write_perf_json(FILE *out, const p5_perf_name *name)
{
    json_writer json;
    json_init(&json, out);
    json_open_object(&json);
    json_key_string(&json, "kind", "perf-name");
    json_key_string(&json, "name", name->name);
    json_key_string(&json, "event", perf_meaning(name));
    json_key_string(&json, "remarks", name->remarks);
    json_close_object(&json);
}

static size_t write_perf_names(FILE *out, const p5_list_options *options, size_t before)
{
    size_t rows = 0;
    for (const p5_perf_name *name = p5_perf_names(); name->name != NULL; name++) {
        if (!list_matches(options->pattern, name->name) &&
            !list_matches(options->pattern, perf_meaning(name)))
            continue;
        if (options->json) {
            write_perf_json(out, name);
        } else {
            if (rows == 0)
                fprintf(out, "%sNames of perf (name, what it counts here)\n\n", before > 0 ? "\n" : "");
            fprintf(out, "  %-24s %s\n", name->name, perf_meaning(name));
            if (options->verbose && name->remarks[0] != '\0')
                fprintf(out, "      %s\n", name->remarks);
        }
        rows++;
    }
    return rows;
}

typedef struct field_list {
    FILE *out;
    json_writer *json;
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
    const field_list *list = context;
    json_open_object(list->json);
    json_key_string(list->json, "section", section);
    json_key_string(list->json, "key", key);
    json_key_string(list->json, "value", value);
    json_key_string(list->json, "meaning", meaning != NULL ? meaning : "");
    json_close_object(list->json);
}

static void write_model(FILE *out, const p5_model *model, const p5_list_options *options, bool is_default)
{
    if (options->json) {
        json_writer json;
        json_init(&json, out);
        json_open_object(&json);
        json_key_string(&json, "kind", "model");
        json_key_string(&json, "name", p5_model_name(model));
        json_key_string(&json, "family", event_families_text(p5_model_family(model)));
        json_key_double(&json, "clock_mhz", p5_model_clock_mhz(model));
        json_key_unsigned(&json, "signature", p5_model_signature(model));
        json_key_bool(&json, "default", is_default);
        if (options->verbose) {
            json_key(&json, "fields");
            json_open_array(&json);
            field_list list = {.out = out, .json = &json};
            p5_model_fields(model, write_field_json, &list);
            json_close_array(&json);
        }
        json_close_object(&json);
        return;
    }
    fprintf(out, "  %-12s %-5s %7.2f MHz  CPUID %04xh%s\n", p5_model_name(model),
            event_families_text(p5_model_family(model)), p5_model_clock_mhz(model), p5_model_signature(model),
            is_default ? "  (default)" : "");
    if (options->verbose) {
        field_list list = {.out = out};
        p5_model_fields(model, write_field_text, &list);
    }
}

static p5_status write_models(FILE *out, const p5_list_options *options, size_t before, size_t *rows,
                              p5_error *error)
{
    const char *const *names = p5_model_names();
    for (size_t i = 0; names[i] != NULL; i++) {
        if (!list_matches(options->pattern, names[i]))
            continue;
        p5_model *model;
        p5_status status = p5_model_open(names[i], &model, error);
        if (status != P5_OK)
            return status;
        if (!options->json && *rows == 0)
            fprintf(out, "%sModels (name, processor, clock, signature)\n\n", before > 0 ? "\n" : "");
        write_model(out, model, options, i == 0);
        p5_model_close(model);
        ++*rows;
    }
    return P5_OK;
}

p5_status p5_list_write(FILE *out, const p5_list_options *options, size_t *rows, p5_error *error)
{
    *rows = 0;
    if (options->sections & P5_LIST_EVENTS)
        *rows = write_events(out, options);
    if (options->sections & P5_LIST_PERF)
        *rows += write_perf_names(out, options, *rows);
    p5_status status = P5_OK;
    size_t more = 0;
    if (options->sections & P5_LIST_METRICS)
        status = list_metrics(out, options, *rows, &more, error);
    *rows += more;
    more = 0;
    if (status == P5_OK && (options->sections & P5_LIST_INSTRUCTIONS) != 0)
        status = list_instructions(out, options, *rows, &more, error);
    *rows += more;
    more = 0;
    if (status == P5_OK && (options->sections & P5_LIST_MODELS) != 0)
        status = write_models(out, options, *rows, &more, error);
    *rows += more;
    if (status != P5_OK)
        return status;
    return error_unless_written(error, out, "the list");
}
