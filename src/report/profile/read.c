/* Reads a profile's file, p5scope-profile(5). It consists of lines of words; the first word is the line's
 * kind. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/lines.h"
#include "base/text.h"
#include "report/profile/profile_internal.h"

typedef struct reader {
    p5_profile *p;
    char *rest; /* unread part of the line */
    /* Quantities are things that are counted: events, stall causes... A file numbers them itself, and may be
     * of another version: for each of its numbers the quantity of this version, or PROFILE_NO_INDEX. Its size
     * leaves room for more. */
    int quantity[P5_PROFILE_QUANTITIES * 4];
    bool damaged; /* an error in the current line */
    bool out_of_memory;
    bool ended; /* the line "end" was read */
} reader;

/* The following functions read something from the rest of the line. After an error they set r->damaged, and
 * return 0 for a number. */

/* Returns the next word, "" at the end of the line. */
static char *word(reader *r)
{
    while (*r->rest == ' ')
        r->rest++;
    char *start = r->rest;
    r->rest += strcspn(r->rest, " ");
    if (*r->rest)
        *r->rest++ = '\0';
    return start;
}

/* Returns true if the line has another word. */
static bool more(const reader *r)
{
    return r->rest[strspn(r->rest, " ")] != '\0';
}

/* Converts the whole of `text` to a number of at most `largest`. */
static uint64_t number_in(reader *r, const char *text, int base, uint64_t largest)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, base);
    if (end == text || *end || errno || text[0] == '-' || value > largest) {
        r->damaged = true;
        return 0;
    }
    return value;
}

static uint64_t number(reader *r, uint64_t largest)
{
    return number_in(r, word(r), 10, largest);
}

/* Reads a hexadecimal address, with its address space above bit 31. */
static uint64_t address(reader *r)
{
    return number_in(r, word(r), 16, PROFILE_AT(PROFILE_SPACES, 0) - 1);
}

/* Copies a text into the profile's arena. NULL when memory is out, which r->out_of_memory then says. */
static char *keep(reader *r, const char *text)
{
    char *copy = arena_text(&r->p->texts, text);
    r->out_of_memory |= copy == NULL;
    return copy;
}

/* Reverses the escapes of write_text (write.c), in place. */
static void unescape(char *at)
{
    char *to = at;
    for (; *at; at++) {
        unsigned value;
        if (at[0] == '\\' && at[1] == '\\') {
            at++;
        } else if (at[0] == '\\' && at[1] == 'x' && isxdigit((unsigned char)at[2]) &&
                   isxdigit((unsigned char)at[3]) && sscanf(at + 2, "%2x", &value) == 1 && value != 0) {
            *to++ = (char)value;
            at += 3;
            continue;
        }
        *to++ = *at;
    }
    *to = '\0';
}

/* Reads TEXT, or "= TEXT" if `equals`, to the end of the line. */
static char *text(reader *r, bool equals)
{
    if (equals && strcmp(word(r), "=") != 0)
        r->damaged = true;
    unescape(r->rest);
    return keep(r, r->rest);
}

/* Reads a text that is only shown, and makes it printable. */
static char *shown_text(reader *r)
{
    unescape(r->rest);
    char *copy = profile_printable(r->p, r->rest);
    r->out_of_memory |= copy == NULL;
    return copy;
}

/* Reads a text that occurs once in a file. */
static void set_text(reader *r, char **place)
{
    if (*place)
        r->damaged = true;
    else
        *place = shown_text(r);
}

/* Reads QUANTITY:INCREMENTS[:ASSERTED], as many as were counted, and clocks in which the signal was on.
 * Returns false for an error, and for quantities that this version does not have. */
static bool amount(reader *r, profile_amount *a)
{
    char *cursor = word(r);
    char *which = text_field(&cursor, ':'), *increments = text_field(&cursor, ':');
    char *asserted = text_field(&cursor, ':');
    if (!which || !increments) {
        r->damaged = true;
        return false;
    }
    uint64_t quantity = number_in(r, which, 10, sizeof r->quantity / sizeof *r->quantity - 1);
    a->increments = number_in(r, increments, 10, UINT64_MAX);
    a->asserted = asserted ? number_in(r, asserted, 10, UINT64_MAX) : a->increments;
    int ours = r->quantity[quantity];
    a->quantity = (uint32_t)ours;
    return !r->damaged && ours != PROFILE_NO_INDEX;
}

/* ---- Kinds of lines: each function reads what follows the first word ---- */

static void read_quantity(reader *r)
{
    uint64_t theirs = number(r, sizeof r->quantity / sizeof *r->quantity - 1);
    const char *name = word(r);
    char buffer[48];
    for (unsigned q = 0; q < P5_PROFILE_QUANTITIES; q++)
        if (strcmp(profile_quantity_name(q, buffer), name) == 0)
            r->quantity[theirs] = (int)q;
}

static void read_total(reader *r)
{
    uint64_t class = number(r, P5_CPL_CLASSES - 1);
    while (more(r) && !r->damaged) {
        profile_amount a;
        if (amount(r, &a)) {
            r->p->total[a.quantity][class] = a.increments;
            r->p->asserted[a.quantity][class] = a.asserted;
        }
    }
}

/* Appends an element to an array of the profile. */
#define APPEND(r, array, ...) ((r)->out_of_memory |= !ARRAY_ADD(array, __VA_ARGS__))

static void read_code(reader *r)
{
    profile_insn x = {0};
    x.code.address = address(r);
    x.code.target = address(r);
    x.code.branch = (uint8_t)number(r, 255);
    x.code.code32 = number(r, 32) == 32;
    const char *file = word(r);
    x.file = strcmp(file, "-1") == 0 ? PROFILE_NO_INDEX : (int)number_in(r, file, 10, INT32_MAX);
    x.line = (unsigned)number(r, UINT32_MAX);
    const char *hex = word(r);
    size_t digits = strlen(hex);
    if (digits % 2 || digits / 2 > sizeof x.code.bytes) {
        r->damaged = true;
        return;
    }
    x.code.length = (uint8_t)(digits / 2);
    for (unsigned i = 0; i < x.code.length; i++) {
        const char two[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        x.code.bytes[i] = (uint8_t)number_in(r, two, 16, 255);
    }
    APPEND(r, &r->p->insns, x);
}

/* Reads the costs of an instruction in a context at a privilege class. */
static void read_site(reader *r)
{
    profile_site s = {0};
    s.address = address(r);
    s.context = (uint32_t)number(r, UINT32_MAX);
    s.cpl_class = (uint32_t)number(r, P5_CPL_CLASSES - 1);
    while (more(r) && !r->damaged) {
        profile_amount a;
        if (amount(r, &a))
            APPEND(r, &s.amounts, a);
    }
    if (!ARRAY_ADD(&r->p->sites, s)) {
        free(s.amounts.items);
        r->out_of_memory = true;
    }
}

static void read_context(reader *r)
{
    if (number(r, UINT32_MAX) != r->p->contexts.count)
        r->damaged = true;
    profile_context c;
    c.parent = (uint32_t)number(r, UINT32_MAX);
    c.function = address(r);
    c.call_site = address(r);
    APPEND(r, &r->p->contexts, c);
}

static void read_calls(reader *r)
{
    profile_edge e;
    e.from = (uint32_t)number(r, UINT32_MAX);
    e.to = (uint32_t)number(r, UINT32_MAX);
    e.call_site = address(r);
    e.function = address(r);
    e.calls = number(r, UINT64_MAX);
    APPEND(r, &r->p->edges, e);
}

static void read_interval(reader *r)
{
    profile_interval x = {.clock = number(r, UINT64_MAX)};
    while (more(r) && !r->damaged) {
        profile_amount a;
        if (amount(r, &a) && a.quantity < P5_PROFILE_EXECUTIONS)
            x.totals[a.quantity] = a.increments;
    }
    APPEND(r, &r->p->intervals, x);
}

static void read_marker(reader *r)
{
    profile_marker x = {.clock = number(r, UINT64_MAX)};
    x.begins = strcmp(word(r), "begin") == 0;
    x.id = (uint32_t)number(r, UINT32_MAX);
    APPEND(r, &r->p->markers, x);
}

/* Reads the misses of a cache by set. Other kinds and further sets are skipped. */
static void read_sets(reader *r)
{
    const char *which = word(r);
    p5_profile *p = r->p;
    for (unsigned i = 0; more(r) && !r->damaged; i++) {
        uint64_t value = number(r, UINT64_MAX);
        if (strcmp(which, "data-misses") == 0 && i < PROFILE_SETS)
            p->data_misses[i] = value;
        else if (strcmp(which, "code-misses") == 0 && i < PROFILE_SETS)
            p->code_misses[i] = value;
    }
}

static void read_btb(reader *r)
{
    core_btb_entry e = {.set = (unsigned)number(r, CORE_BTB_SETS - 1),
                        .way = (unsigned)number(r, CORE_BTB_WAYS - 1)};
    e.key = (uint32_t)address(r);
    e.target = (uint32_t)address(r);
    e.taken = number(r, 1) != 0;
    e.detail = (unsigned)number(r, 15);
    e.type = (unsigned)number(r, CORE_BTB_TYPES - 1);
    APPEND(r, &r->p->btb, e);
}

static void read_sampling(reader *r)
{
    r->p->sample_event = keep(r, word(r));
    r->p->sample_period = number(r, UINT64_MAX);
    r->p->sample_latency = (unsigned)number(r, UINT32_MAX);
    r->p->overflows = number(r, UINT64_MAX);
}

static void read_field(reader *r)
{
    profile_field f = {.section = keep(r, word(r))};
    f.key = keep(r, word(r));
    f.value = text(r, true);
    APPEND(r, &r->p->fields, f);
}

static void read_function(reader *r)
{
    profile_function f = {0};
    f.start = address(r);
    f.end = address(r);
    f.symbol = text(r, true);
    APPEND(r, &r->p->functions, f);
}

/* Returns the last function of the file so far, which the current line describes further. */
static profile_function *last_function(reader *r)
{
    static profile_function none; /* never read; takes what a damaged file says */
    r->damaged |= r->p->functions.count == 0;
    return r->p->functions.count ? &r->p->functions.items[r->p->functions.count - 1] : &none;
}

static void read_source(reader *r)
{
    last_function(r)->source = text(r, false);
}

static void read_qualifier(reader *r)
{
    last_function(r)->qualifier = text(r, false);
}

static void read_family(reader *r)
{
    r->p->family = strcmp(word(r), "p54c") == 0 ? P5_FAMILY_P54C : P5_FAMILY_P55C;
}

static void read_clock(reader *r)
{
    r->damaged |= !text_to_double(word(r), &r->p->clock_mhz);
}

static void read_file(reader *r)
{
    APPEND(r, &r->p->files, text(r, false));
}

static void read_object(reader *r)
{
    APPEND(r, &r->p->objects, shown_text(r));
}

static void read_ways(reader *r)
{
    r->p->data_ways = (unsigned)number(r, 64);
    r->p->code_ways = (unsigned)number(r, 64);
}

static void read_sample(reader *r)
{
    profile_sample s = {.address = address(r)};
    s.context = (uint32_t)number(r, UINT32_MAX);
    s.clock = number(r, UINT64_MAX);
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
    const char *tag = word(r);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(tag, texts[i].tag) == 0)
            set_text(r, texts[i].text);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(tag, others[i].tag) == 0)
            others[i].read(r);
}

/* Reads the whole file into r->p, and checks it. */
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
    FILE *in = fopen(path, "re");
    if (!in)
        return error_set(error, P5_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    reader r = {.p = profile_new()};
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
