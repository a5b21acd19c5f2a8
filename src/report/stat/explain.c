/* Writes `p5scope explain`: what a name in reports means. There is a function for each kind of name. It makes the
 * entries of the kind; entry_end writes those that have the wanted name, or lists all names. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/memory_text.h"
#include "base/text.h"
#include "report/row_writer.h"
#include "report/stat/list.h"
#include "report/stat/metric.h"
#include "report/stat/words.h"
#include "p5tool/event.h"
#include "p5tool/pmu.h"

enum { WIDTH = WORDS_WIDTH, LABEL = WORDS_LABEL };

typedef struct explainer {
    FILE *out;
    row_writer *rows;     /* NULL: text */
    const char *wanted;   /* NULL: all names */
    int event;            /* enum p5_event that `wanted` names; -1: none */
    int code;             /* event select code (CESR) that `wanted` is, as 12h or 0x12; -1: none */
    words_table words;    /* topics of words.tsv */
    text_nearest nearest; /* names similar to `wanted` */
    arena names;          /* owns the names in `nearest` */
    size_t count;         /* of entries written */
    const char *kind;     /* of the last name listed; NULL: none yet */
    unsigned column;      /* at which the list's line ends */
} explainer;

/* What there is to say about a name. */
typedef struct entry {
    const char *kind, *name, *title; /* title "": none */
    const words_topic *topic;        /* row of words.tsv; NULL: none */
    const char *when;                /* when it occurs, if the topic does not say */
    memory_text what;                /* the explanation, made up from several tables; entry_end closes it */
} entry;

/* Begins an entry. The caller then writes its explanation to e->what.out. Returns false if memory is out. */
static bool entry_begin(entry *e, const char *kind, const char *name)
{
    *e = (entry){.kind = kind, .name = name, .title = "", .when = ""};
    return memory_text_open(&e->what);
}

/* Writes the command that runs the example, and the example's lines. */
static void write_example(FILE *out, const words_topic *topic)
{
    if (topic->example[0] == '\0')
        return;
    fprintf(out, "  %-*sp5scope bench %s%s--asm '%s'\n", LABEL - 2, "Example", topic->options,
            topic->options[0] != '\0' ? " " : "", topic->example);
    for (const char *at = topic->example; *at != '\0';) {
        size_t length = strcspn(at, ";");
        fprintf(out, "%*s%.*s\n", LABEL + 4, "", (int)length, at);
        at += length + strspn(at + length, "; ");
    }
}

/* Writes an entry as a row or as paragraphs. */
static void write_entry(explainer *to, const entry *e)
{
    static const words_topic none = {"", "", "", "", "", "", "", ""};
    const words_topic *topic = e->topic != NULL ? e->topic : &none;
    const char *when = topic->when[0] != '\0' ? topic->when : e->when;
    if (to->rows != NULL) {
        rows_begin(to->rows);
        rows_text(to->rows, "kind", e->kind);
        rows_text(to->rows, "name", e->name);
        rows_text(to->rows, "title", e->title);
        rows_text(to->rows, "what", e->what.text);
        rows_text(to->rows, "when", when);
        rows_text(to->rows, "avoid", topic->avoid);
        rows_text(to->rows, "source", topic->source);
        rows_text(to->rows, "options", topic->options);
        rows_text(to->rows, "example", topic->example);
        rows_end(to->rows);
        return;
    }
    fprintf(to->out, "%s%s (%s)%s%s\n", to->count > 0 ? "\n" : "", e->name, e->kind,
            e->title[0] != '\0' ? ": " : "", e->title);
    words_write_paragraph(to->out, "What", e->what.text);
    words_write_paragraph(to->out, "When", when);
    words_write_paragraph(to->out, "Advice", topic->avoid);
    words_write_paragraph(to->out, "Manual", topic->source);
    write_example(to->out, topic);
}

/* Writes the name in a list of names, with a heading before the first of its kind. */
static void list_name(explainer *to, const entry *e)
{
    if (to->kind == NULL || strcmp(to->kind, e->kind) != 0) {
        fprintf(to->out, "%s%s:", to->kind != NULL ? "\n\n" : "", e->kind);
        to->column = WIDTH;
    }
    unsigned length = (unsigned)strlen(e->name) + 2;
    if (to->column + length > WIDTH) {
        fputs("\n ", to->out);
        to->column = 1;
    } else {
        fputc(',', to->out);
    }
    fprintf(to->out, " %s", e->name);
    to->column += length;
    to->kind = e->kind;
}

/* Ends an entry. If the user wants all names, lists its name, or writes it as a row for programs. Otherwise writes the
 * entry if it is `wanted`, and offers its name as a similar one. */
static void entry_end(explainer *to, entry *e, bool wanted)
{
    if (memory_text_end(&e->what) != NULL) {
        const char *name = to->wanted != NULL ? arena_text(&to->names, e->name) : NULL;
        if (name != NULL)
            text_nearest_offer(&to->nearest, name);
        if (to->wanted == NULL && to->rows == NULL)
            list_name(to, e);
        else if (to->wanted == NULL || wanted)
            write_entry(to, e);
        to->count += to->wanted == NULL || wanted;
    }
    free(e->what.text);
}

static bool is_wanted(const explainer *to, const char *name)
{
    return to->wanted != NULL && text_same_name(to->wanted, name);
}

/* ---- The kinds ----
 * Each function makes the entries of a kind. If memory is out, the remaining ones are missing. */

/* Explains the owners of clocks: issue and the stall causes. Topics of the kind "count" explain owners and events. */
static void explain_owners(explainer *to)
{
    for (unsigned s = 0; s < P5_STALL_COUNT; s++) {
        entry e;
        char formula[SCAN_STALL_NAME];
        int event = p5_stall_event((p5_stall)s);
        if (!entry_begin(&e, "owner of clocks", p5_stall_name((p5_stall)s)))
            return;
        fputs(p5_stall_rule((p5_stall)s), e.what.out);
        if (event >= 0)
            fprintf(e.what.out, " The event %s counts such clocks or their causes.",
                    p5_event_describe((enum p5_event)event)->name);
        fprintf(e.what.out, " Reports, options and budgets call it %s.",
                scan_stall_name((p5_stall)s, formula));
        e.topic = words_find(&to->words, "count", e.name);
        entry_end(to, &e, is_wanted(to, e.name) || is_wanted(to, formula));
    }
}

static void explain_events(explainer *to)
{
    for (int id = 0; id < P5_EVENT_COUNT; id++) {
        const p5_event_info *event = p5_event_describe((enum p5_event)id);
        entry e;
        if (!entry_begin(&e, "event", event->name))
            return;
        e.title = event->title;
        fprintf(e.what.out, "%s %s%s(Code %02Xh on counter%s %s of %s; %s.)", event->rule, event->remarks,
                event->remarks[0] != '\0' ? " " : "", event->code,
                event->counters == (P5_ON_CTR0 | P5_ON_CTR1) ? "s" : "",
                event->counters == P5_ON_CTR0   ? "0"
                : event->counters == P5_ON_CTR1 ? "1"
                                                : "0 and 1",
                event->families == P5_FAMILY_P55C ? "the P55C" : "P54C and P55C",
                event_grade_text(event->grade));
        e.topic = words_find(&to->words, "count", e.name);
        entry_end(to, &e, id == to->event || event->code == to->code);
    }
}

/* Explains the topics of a kind that only words.tsv has; `title` is the kind in reports. The first name of a topic stands
 * for all. The # of an exception (#GP) may be omitted. */
static void explain_topics(explainer *to, const char *kind, const char *title)
{
    for (size_t i = 0; i < to->words.count; i++) {
        const words_topic *topic = &to->words.items[i];
        char first[128], other[128];
        entry e;
        bool wanted = false;
        if (strcmp(topic->kind, kind) != 0)
            continue;
        for (size_t n = 0; words_name(topic, n, other, sizeof other); n++)
            wanted = wanted || is_wanted(to, other) || (other[0] == '#' && is_wanted(to, other + 1));
        words_name(topic, 0, first, sizeof first);
        if (!entry_begin(&e, title, first))
            return;
        const char *also = strchr(topic->names, ';');
        e.topic = topic;
        fputs(topic->what, e.what.out);
        for (; also != NULL; also = strchr(also + 1, ';'))
            fprintf(e.what.out, "%s%.*s", also == strchr(topic->names, ';') ? " Other names: " : ", ",
                    (int)strcspn(also + 1, ";"), also + 1);
        if (strchr(topic->names, ';') != NULL)
            fputc('.', e.what.out);
        entry_end(to, &e, wanted);
    }
}

/* Explains the fields of a register. They share its topic. */
static void explain_fields(explainer *to, const p5_register *reg, const words_topic *topic)
{
    for (unsigned i = 0; i < reg->field_count; i++) {
        const p5_register_field *field = &reg->fields[i];
        entry e;
        char name[80];
        snprintf(name, sizeof name, "%s.%s", reg->name, field->name);
        if (!entry_begin(&e, "field of a register", name))
            return;
        e.topic = topic;
        if (field->high == field->low)
            fprintf(e.what.out, "Bit %u of %s: %s.", field->high, reg->name, field->meaning);
        else
            fprintf(e.what.out, "Bits %u to %u of %s: %s.", field->high, field->low, reg->name,
                    field->meaning);
        entry_end(to, &e, is_wanted(to, name) || is_wanted(to, field->name));
    }
}

static bool has_register(unsigned family, const char *name)
{
    const p5_register *reg;
    return p5_register_find(name, family, &reg, NULL) == P5_OK;
}

/* Explains the registers of a processor that no processor before it in the list `families` has. `family` is one of the
 * list. */
static void explain_registers(explainer *to, unsigned family, const unsigned *families)
{
    for (const p5_register *reg = p5_registers(family); reg->name != NULL; reg++) {
        entry e;
        bool known = false;
        for (const unsigned *other = families; *other != family && !known; other++)
            known = has_register(*other, reg->name);
        if (known)
            continue;
        if (!entry_begin(&e, "register", reg->name))
            return;
        e.title = reg->title;
        e.topic = words_find(&to->words, "register", reg->name);
        fprintf(e.what.out, "Model-specific register %02Xh.", reg->msr);
        for (unsigned i = 0; i < reg->field_count; i++)
            fprintf(e.what.out, "%s%s", i > 0 ? ", " : " Its fields are ", reg->fields[i].name);
        fprintf(e.what.out, "%s 'p5scope msr %s' shows its layout.", reg->field_count > 0 ? "." : "",
                reg->name);
        entry_end(to, &e, is_wanted(to, reg->name));
        explain_fields(to, reg, e.topic);
    }
}

/* Returns the topic of the formula's first variable if it has an example, or NULL. */
static const words_topic *formula_topic(const explainer *to, const metric_formula *formula)
{
    const unsigned v = metric_formula_first(formula);
    if (v == METRIC_VARIABLES)
        return NULL;
    const char *name = v < P5_EVENT_COUNT  ? p5_event_describe((enum p5_event)v)->name
                       : v >= METRIC_STALL ? p5_stall_name((p5_stall)(v - METRIC_STALL))
                                           : "clocks";
    const words_topic *topic = words_find(&to->words, NULL, name);
    return topic != NULL && topic->example[0] != '\0' ? topic : NULL;
}

static void explain_group(explainer *to, const metric_group *group)
{
    entry e;
    if (!entry_begin(&e, "metric group", group->name))
        return;
    fprintf(e.what.out, "%s. Its metrics are ", group->summary);
    for (size_t i = 0; i < group->metric_count; i++)
        fprintf(e.what.out, "%s%s", i > 0 ? ", " : "", group->metrics[i].name);
    fprintf(e.what.out, ". stat -M %s prints them.", group->name);
    e.when = group->description;
    entry_end(to, &e, is_wanted(to, group->name));
    for (size_t i = 0; i < group->metric_count; i++) {
        const metric *m = &group->metrics[i];
        if (!entry_begin(&e, "metric", m->name))
            return;
        fprintf(e.what.out, "%s%s%s. It belongs to the metric group %s; stat -M %s prints it.", m->text,
                m->unit[0] != '\0' ? ", in " : "", m->unit, group->name, group->name);
        e.topic = formula_topic(to, m->formula);
        e.when = group->description;
        entry_end(to, &e, is_wanted(to, m->name));
    }
}

static p5_status explain_all(explainer *to, p5_error *error)
{
    /* Processors by their model-specific registers: the last two have later performance monitors. */
    static const unsigned families[] = {P5_FAMILY_P55C, P5_FAMILY_P54C, P5_FAMILY_P55C | P5_MONITOR_P6,
                                        P5_FAMILY_P55C | P5_MONITOR_ARCH3};
    explain_owners(to);
    explain_topics(to, "reason", "reason for not pairing");
    explain_topics(to, "part", "part of the processor");
    explain_topics(to, "figure", "figure");
    explain_topics(to, "column", "column");
    explain_events(to);
    for (const embedded_file *file = metric_builtin_groups(); file->name != NULL; file++) {
        metric_group *group;
        p5_status status = metric_group_open(file->name, &group, error);
        if (status != P5_OK)
            return status;
        explain_group(to, group);
        metric_group_close(group);
    }
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        explain_registers(to, families[i], families);
    explain_topics(to, "exception", "exception");
    return P5_OK;
}

/* Returns the event select code that `name` is in the form 12h, 0x12 or r12; -1 if it is none. A code has 6 bits. */
static int event_code(const char *name)
{
    char *end;
    const bool raw = name[0] == 'r', prefix = raw || strncmp(name, "0x", 2) == 0;
    name += raw;
    const unsigned long code = strtoul(name, &end, 16);
    const bool suffix = (*end == 'h' || *end == 'H') && end[1] == '\0';
    return isxdigit((unsigned char)name[0]) && code <= 0x3f && (prefix ? *end == '\0' : suffix) ? (int)code
                                                                                                : -1;
}

p5_status p5_explain_write(FILE *out, const char *name, p5_row_format format, p5_error *error)
{
    row_writer rows;
    explainer to = {.out = out, .wanted = name, .event = -1, .code = name != NULL ? event_code(name) : -1};
    enum p5_event id;
    if (name != NULL && p5_event_find(name, &id, NULL) == P5_OK)
        to.event = (int)id;
    text_nearest_init(&to.nearest, name != NULL ? name : "");
    if (!words_open(&to.words)) {
        words_close(&to.words);
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    }
    if (format != P5_ROWS_TEXT) {
        rows_open_bare(&rows, out, format);
        to.rows = &rows;
    }
    p5_status status = explain_all(&to, error);
    if (to.kind != NULL)
        fputc('\n', out);
    words_close(&to.words);
    if (status == P5_OK && to.count == 0) {
        error_set_at(error, P5_ERR_NAME, (error_place){.where = "", .column = 1},
                     "there is nothing called '%s'", name);
        error_nearest(error, &to.nearest);
        status = P5_ERR_NAME;
    }
    arena_free_all(&to.names);
    return status != P5_OK ? status : error_unless_written(error, out, "the explanation");
}
