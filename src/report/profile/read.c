/* Reads a profile's file, p5scope-profile(5). It consists of lines of words; the first word is the line's
 * kind. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/lines.h"
#include "base/text.h"
#include "report/profile/line_reader.h"

/* Reads QUANTITY:INCREMENTS[:ASSERTED], as many as were counted, and clocks in which the signal was on.
 * Returns false for an error, and for quantities that this version does not have. */
static bool read_amount(reader *r, profile_amount *a)
{
    char *cursor = reader_word(r);
    char *which = text_field(&cursor, ':'), *increments = text_field(&cursor, ':');
    char *asserted = text_field(&cursor, ':');
    if (!which || !increments) {
        r->damaged = true;
        return false;
    }
    uint64_t quantity = reader_convert(r, which, 10, sizeof r->quantity / sizeof *r->quantity - 1);
    a->increments = reader_convert(r, increments, 10, UINT64_MAX);
    a->asserted = asserted ? reader_convert(r, asserted, 10, UINT64_MAX) : a->increments;
    int ours = r->quantity[quantity];
    a->quantity = (uint32_t)ours;
    return !r->damaged && ours != PROFILE_NO_INDEX;
}

/* ---- Kinds of lines: each function reads what follows the first word ---- */

/* Reads the name that one of the file's numbers of quantities stands for. */
static void read_quantity(reader *r)
{
    uint64_t theirs = reader_number(r, sizeof r->quantity / sizeof *r->quantity - 1);
    const char *name = reader_word(r);
    char buffer[48];
    for (unsigned q = 0; q < P5_PROFILE_QUANTITIES; q++)
        if (strcmp(profile_quantity_name(q, buffer), name) == 0)
            r->quantity[theirs] = (int)q;
}

/* Reads the totals of the run at a privilege class. */
static void read_total(reader *r)
{
    uint64_t class = reader_number(r, P5_CPL_CLASSES - 1);
    while (reader_has_more(r) && !r->damaged) {
        profile_amount a;
        if (read_amount(r, &a)) {
            r->p->total[a.quantity][class] = a.increments;
            r->p->asserted[a.quantity][class] = a.asserted;
        }
    }
}

/* Appends an element to an array of the profile. */
#define APPEND(r, array, ...) ((r)->out_of_memory |= !ARRAY_ADD(array, __VA_ARGS__))

/* Reads an instruction and its source line. */
static void read_code(reader *r)
{
    profile_insn x = {0};
    x.code.address = reader_address(r);
    x.code.target = reader_address(r);
    x.code.branch = (uint8_t)reader_number(r, 255);
    x.code.code32 = reader_number(r, 32) == 32;
    const char *file = reader_word(r);
    x.file = strcmp(file, "-1") == 0 ? PROFILE_NO_INDEX : (int)reader_convert(r, file, 10, INT32_MAX);
    x.line = (unsigned)reader_number(r, UINT32_MAX);
    const char *hex = reader_word(r);
    size_t digits = strlen(hex);
    if (digits % 2 || digits / 2 > sizeof x.code.bytes) {
        r->damaged = true;
        return;
    }
    x.code.length = (uint8_t)(digits / 2);
    for (unsigned i = 0; i < x.code.length; i++) {
        const char two[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        x.code.bytes[i] = (uint8_t)reader_convert(r, two, 16, 255);
    }
    APPEND(r, &r->p->insns, x);
}

/* Reads the costs of an instruction in a context at a privilege class. */
static void read_site(reader *r)
{
    profile_site s = {0};
    s.address = reader_address(r);
    s.context = (uint32_t)reader_number(r, UINT32_MAX);
    s.cpl_class = (uint32_t)reader_number(r, P5_CPL_CLASSES - 1);
    while (reader_has_more(r) && !r->damaged) {
        profile_amount a;
        if (read_amount(r, &a))
            APPEND(r, &s.amounts, a);
    }
    if (!ARRAY_ADD(&r->p->sites, s)) {
        free(s.amounts.items);
        r->out_of_memory = true;
    }
}

/* Reads a calling context: parent, function and call site. Contexts are numbered in order. */
static void read_context(reader *r)
{
    if (reader_number(r, UINT32_MAX) != r->p->contexts.count)
        r->damaged = true;
    profile_context c;
    c.parent = (uint32_t)reader_number(r, UINT32_MAX);
    c.function = reader_address(r);
    c.call_site = reader_address(r);
    APPEND(r, &r->p->contexts, c);
}

/* Reads how often a context was called from another one. */
static void read_calls(reader *r)
{
    profile_edge e;
    e.from = (uint32_t)reader_number(r, UINT32_MAX);
    e.to = (uint32_t)reader_number(r, UINT32_MAX);
    e.call_site = reader_address(r);
    e.function = reader_address(r);
    e.calls = reader_number(r, UINT64_MAX);
    APPEND(r, &r->p->edges, e);
}

/* Reads the end of an interval, and the totals from the beginning of the run until then. */
static void read_interval(reader *r)
{
    profile_interval x = {.clock = reader_number(r, UINT64_MAX)};
    while (reader_has_more(r) && !r->damaged) {
        profile_amount a;
        if (read_amount(r, &a) && a.quantity < P5_PROFILE_EXECUTIONS)
            x.totals[a.quantity] = a.increments;
    }
    APPEND(r, &r->p->intervals, x);
}

static void read_marker(reader *r)
{
    profile_marker x = {.clock = reader_number(r, UINT64_MAX)};
    x.begins = strcmp(reader_word(r), "begin") == 0;
    x.id = (uint32_t)reader_number(r, UINT32_MAX);
    APPEND(r, &r->p->markers, x);
}

/* Reads the misses of a cache by set. Other kinds and further sets are skipped. */
static void read_sets(reader *r)
{
    const char *which = reader_word(r);
    p5_profile *p = r->p;
    for (unsigned i = 0; reader_has_more(r) && !r->damaged; i++) {
        uint64_t value = reader_number(r, UINT64_MAX);
        if (strcmp(which, "data-misses") == 0 && i < PROFILE_SETS)
            p->data_misses[i] = value;
        else if (strcmp(which, "code-misses") == 0 && i < PROFILE_SETS)
            p->code_misses[i] = value;
    }
}

/* Reads an entry of the branch target buffer at the end of the run. */
static void read_btb(reader *r)
{
    core_btb_entry e = {.set = (unsigned)reader_number(r, CORE_BTB_SETS - 1),
                        .way = (unsigned)reader_number(r, CORE_BTB_WAYS - 1)};
    e.key = (uint32_t)reader_address(r);
    e.target = (uint32_t)reader_address(r);
    e.taken = reader_number(r, 1) != 0;
    e.detail = (unsigned)reader_number(r, 15);
    e.type = (unsigned)reader_number(r, CORE_BTB_TYPES - 1);
    APPEND(r, &r->p->btb, e);
}

/* Reads how samples were taken: event, period, clocks to the interrupt, number of overflows. */
static void read_sampling(reader *r)
{
    r->p->sample_event = reader_keep(r, reader_word(r));
    r->p->sample_period = reader_number(r, UINT64_MAX);
    r->p->sample_latency = (unsigned)reader_number(r, UINT32_MAX);
    r->p->overflows = reader_number(r, UINT64_MAX);
}

static void read_field(reader *r)
{
    profile_field f = {.section = reader_keep(r, reader_word(r))};
    f.key = reader_keep(r, reader_word(r));
    f.value = reader_text(r, true);
    APPEND(r, &r->p->fields, f);
}

static void read_function(reader *r)
{
    profile_function f = {0};
    f.start = reader_address(r);
    f.end = reader_address(r);
    f.symbol = reader_text(r, true);
    APPEND(r, &r->p->functions, f);
}

/* Returns the last function of the file so far, which the current line describes further. NULL: there is none, so
 * the file is damaged. */
static profile_function *last_function(reader *r)
{
    r->damaged |= r->p->functions.count == 0;
    return r->damaged ? NULL : &r->p->functions.items[r->p->functions.count - 1];
}

static void read_source(reader *r)
{
    profile_function *f = last_function(r);
    if (f != NULL)
        f->source = reader_text(r, false);
}

static void read_qualifier(reader *r)
{
    profile_function *f = last_function(r);
    if (f != NULL)
        f->qualifier = reader_text(r, false);
}

static void read_family(reader *r)
{
    r->p->family = strcmp(reader_word(r), "p54c") == 0 ? P5_FAMILY_P54C : P5_FAMILY_P55C;
}

static void read_clock(reader *r)
{
    r->damaged |= !text_to_double(reader_word(r), &r->p->clock_mhz);
}

static void read_file(reader *r)
{
    APPEND(r, &r->p->files, reader_text(r, false));
}

static void read_object(reader *r)
{
    APPEND(r, &r->p->objects, reader_shown_text(r));
}

static void read_ways(reader *r)
{
    r->p->data_ways = (unsigned)reader_number(r, 64);
    r->p->code_ways = (unsigned)reader_number(r, 64);
}

static void read_sample(reader *r)
{
    profile_sample s = {.address = reader_address(r)};
    s.context = (uint32_t)reader_number(r, UINT32_MAX);
    s.clock = reader_number(r, UINT64_MAX);
    APPEND(r, &r->p->samples, s);
}

static void read_end(reader *r)
{
    r->ended = true;
}

/* Reads one line. Unknown kinds of lines are skipped, because later versions may add some. */
static void read_line(reader *r)
{
    p5_profile *p = r->p;
    const struct {
        const char *tag;
        char **text;
    } texts[] = {{"version", &p->version}, {"model", &p->model},     {"command", &p->command},
                 {"options", &p->options}, {"program", &p->program}, {"identity", &p->identity},
                 {"ending", &p->ending}};
    static const struct {
        const char *tag;
        void (*read)(reader *r);
    } others[] = {{"family", read_family},
                  {"clock-mhz", read_clock},
                  {"field", read_field},
                  {"quantity", read_quantity},
                  {"total", read_total},
                  {"function", read_function},
                  {"object", read_object},
                  {"file", read_file},
                  {"code", read_code},
                  {"context", read_context},
                  {"calls", read_calls},
                  {"site", read_site},
                  {"ways", read_ways},
                  {"sets", read_sets},
                  {"btb", read_btb},
                  {"sampling", read_sampling},
                  {"sample", read_sample},
                  {"interval", read_interval},
                  {"marker", read_marker},
                  {"source", read_source},
                  {"qualifier", read_qualifier},
                  {"end", read_end}};
    const char *tag = reader_word(r);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(tag, texts[i].tag) == 0) {
            r->damaged |= *texts[i].text != NULL; /* each occurs once in a file */
            *texts[i].text = reader_shown_text(r);
        }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(tag, others[i].tag) == 0)
            others[i].read(r);
}

static p5_status read_all(FILE *in, reader *r, const char *path, p5_error *error)
{
    char *line = NULL;
    size_t capacity = 0;
    unsigned at = 0;
    ssize_t length;
    p5_status status = P5_OK;
    while (status == P5_OK && !r->ended && (length = lines_next(&line, &capacity, in)) >= 0) {
        at++;
        if (length > 0 && line[length - 1] == '\n')
            line[length - 1] = '\0';
        if (at == 1 && strcmp(line, PROFILE_FORMAT) != 0) {
            status = error_set(error, P5_ERR_FORMAT, "this is not a profile of format '" PROFILE_FORMAT "'");
            error_hint(error, "profiles are made by 'p5scope record'");
            break;
        }
        r->rest = line;
        if (at > 1)
            read_line(r);
        if (r->out_of_memory)
            status = error_set(error, P5_ERR_MEMORY, "out of memory");
        else if (r->damaged)
            status = error_set(error, P5_ERR_FORMAT, "the profile is damaged here");
    }
    if (status == P5_OK && !r->ended)
        status = lines_end(in, error);
    free(line);
    const p5_profile *p = r->p;
    if (status == P5_OK && (!r->ended || !p->version || !p->model || !p->command || !p->options))
        status = error_set(error, P5_ERR_FORMAT, "the profile is not complete");
    if (status == P5_OK && !profile_make_names(r->p))
        status = error_set(error, P5_ERR_MEMORY, "out of memory");
    if (status == P5_OK && !profile_finish(r->p))
        status = error_set(error, P5_ERR_FORMAT, "the profile contradicts itself");
    if (status != P5_OK)
        error_at(error, path, at, 0);
    return status;
}

p5_status p5_profile_read(const char *path, p5_profile **profile, p5_error *error)
{
    *profile = NULL;
    if (path == NULL)
        return error_null(error, "path");
    FILE *in = fopen(path, "re");
    if (!in)
        return error_set(error, P5_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    reader r = {.p = calloc(1, sizeof *r.p)};
    struct stat about;
    if (r.p && fstat(fileno(in), &about) == 0 && S_ISREG(about.st_mode))
        r.p->written = about.st_mtim;
    for (size_t i = 0; i < sizeof r.quantity / sizeof *r.quantity; i++)
        r.quantity[i] = PROFILE_NO_INDEX;
    p5_status status;
    if (r.p && array_reserve(&r.p->contexts.items, &r.p->contexts.capacity, 2, sizeof *r.p->contexts.items)) {
        /* context 0, which is not used, and the root; files contain neither */
        r.p->contexts.items[0] = r.p->contexts.items[1] = (profile_context){.parent = PROFILE_ROOT};
        r.p->contexts.count = 2;
        status = read_all(in, &r, path, error);
    } else {
        status = error_set(error, P5_ERR_MEMORY, "out of memory");
    }
    fclose(in);
    if (status == P5_OK)
        *profile = r.p;
    else
        p5_profile_free(r.p);
    return status;
}
