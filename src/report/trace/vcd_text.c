#include "report/trace/vcd_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/trace/vcd_bus.h"
#include "report/trace/vcd_time.h"

enum { STRINGS = 1 << 12, PROBES = 32, USES = 64, EDGES = 64 };
/* Text of a change of one signal, and of the bus. */
enum {
    STRING_BYTES = 100,
    CHANGE_BYTES = VCD_TIME_BYTES + STRING_BYTES + 10,
    LEVEL_BYTES = 3,
    EDGE_BYTES = VCD_TIME_BYTES + 3 * LEVEL_BYTES + 1
};

const vcd_signal vcd_signals[VCD_COLUMNS] = {
    [VCD_PM0] = {"pins", "wire", "PM0", 1, VCD_UNKNOWN},
    [VCD_PM1] = {"pins", "wire", "PM1", 1, VCD_UNKNOWN},
    [VCD_BP] = {"pins", "wire", "BP", 4, 0},
    [VCD_IERR] = {"pins", "wire", "IERR_n", 1, VCD_UNKNOWN},
    [VCD_BUS_CLOCK] = {"bus", "wire", "CLK", 1, 0},
    [VCD_BUS_BUSY] = {"bus", "wire", "busy", 1, 0},
    [VCD_BUS_OTHER] = {"bus", "wire", "other", 1, 0},
    [VCD_BTM] = {"bus", "wire", "btm", 2, 0},
    [VCD_BTM_ADDRESS] = {"bus", "wire", "btm_address", 32, VCD_UNKNOWN},
    [VCD_CESR] = {"pmu", "reg", "CESR", 32, VCD_UNKNOWN},
    [VCD_CTR0] = {"pmu", "reg", "CTR0", 40, VCD_UNKNOWN},
    [VCD_CTR1] = {"pmu", "reg", "CTR1", 40, VCD_UNKNOWN},
    [VCD_CPL] = {"cpu", "reg", "CPL", 2, VCD_UNKNOWN},
    [VCD_ADDRESS] = {"cpu", "reg", "address", 32, VCD_UNKNOWN},
    [VCD_INSN] = {"cpu", "string", "instruction", 1, VCD_UNKNOWN},
    [VCD_PIPE_ADDRESS] = {"cpu", "reg", "U_address", 32, VCD_UNKNOWN},
    [VCD_PIPE_INSN] = {"cpu", "string", "U", 1, VCD_UNKNOWN},
    [VCD_V_ADDRESS] = {"cpu", "reg", "V_address", 32, VCD_UNKNOWN},
    [VCD_V_INSN] = {"cpu", "string", "V", 1, VCD_UNKNOWN},
};

struct vcd_text {
    trace_file *file;
    time_queue queue; /* all but the bus */
    vcd_bus bus;
    size_t signal_count;
    uint32_t left_out; /* bits of signals that are not there */
    uint64_t *shown;   /* values as last written, but for */
    vcd_levels levels; /* ... those of the bus */
    vcd_time time;
    vcd_digits digits;
    char *strings[STRINGS]; /* values of VCD_INSN and the like, by hash; who tells adds to them, and none
                               changes */
};

vcd_text *vcd_text_open(trace_file *file, size_t signals, unsigned half_ratio)
{
    vcd_text *v = calloc(1, sizeof *v);
    if (v == NULL)
        return NULL;
    v->file = file;
    v->signal_count = signals;
    v->shown = calloc(signals, sizeof *v->shown);
    if (v->shown == NULL) {
        vcd_text_close(v);
        return NULL;
    }
    for (uint32_t i = 0; i < signals; i++)
        v->shown[i] = i < VCD_COLUMNS ? vcd_signals[i].initial : VCD_UNKNOWN;
    vcd_digits_make(&v->digits);
    v->time.digits = &v->digits;
    vcd_bus_init(&v->bus, half_ratio);
    return v;
}

void vcd_text_close(vcd_text *v)
{
    if (v == NULL)
        return;
    for (size_t i = 0; i < STRINGS; i++)
        free(v->strings[i]);
    free(v->queue.heap.items);
    vcd_bus_free(&v->bus);
    free(v->shown);
    free(v);
}

uint64_t vcd_text_string(vcd_text *v, const char *string)
{
    char plain[STRING_BYTES];
    size_t length = 0;
    uint64_t hash = 0xcbf29ce484222325u;
    for (; string[length] != '\0' && length + 1 < sizeof plain; length++) {
        plain[length] = string[length] == ' ' ? '_' : string[length];
        hash = (hash ^ (unsigned char)plain[length]) * 0x100000001b3u;
    }
    plain[length] = '\0';
    for (uint64_t probe = 0; probe < PROBES; probe++) {
        uint64_t at = (hash + probe) % STRINGS;
        if (v->strings[at] == NULL)
            v->strings[at] = strdup(plain);
        if (v->strings[at] != NULL && strcmp(v->strings[at], plain) == 0)
            return at;
    }
    return VCD_UNKNOWN; /* more different instructions than there is room for */
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static unsigned bits_of(uint32_t signal)
{
    return signal < VCD_COLUMNS ? vcd_signals[signal].bits : 64;
}

enum { FIRST_IDENTIFIER = '!', IDENTIFIERS = 94 };

/* Printable characters from ! on, lowest digit first. */
const char *vcd_identifier(uint32_t signal, char text[VCD_IDENTIFIER_BYTES])
{
    size_t at = 0;
    do {
        text[at++] = (char)(FIRST_IDENTIFIER + signal % IDENTIFIERS);
        signal /= IDENTIFIERS;
    } while (signal != 0);
    text[at] = '\0';
    return text;
}

static bool is_text(uint32_t signal)
{
    return signal < VCD_COLUMNS && vcd_signals[signal].type[0] == 's';
}

/* A change of `signal`, without its time, into CHANGE_BYTES; answers where the text goes on. */
static char *put_value(const vcd_text *v, char *to, uint32_t signal, uint64_t value)
{
    char id[VCD_IDENTIFIER_BYTES];
    if (is_text(signal)) {
        const char *text = value < STRINGS && v->strings[value] != NULL ? v->strings[value] : "-";
        *to++ = 's';
        to = stpcpy(to, text);
        *to++ = ' ';
    } else if (bits_of(signal) == 1) {
        *to++ = value == VCD_UNKNOWN ? 'x' : value != 0 ? '1' : '0';
    } else if (value == VCD_UNKNOWN) {
        to = stpcpy(to, "bx ");
    } else {
        *to++ = 'b';
        for (int bit = value != 0 ? 63 - __builtin_clzll(value) : 0; bit >= 0; bit--)
            *to++ = (char)('0' + (value >> bit & 1));
        *to++ = ' ';
    }
    to = stpcpy(to, vcd_identifier(signal, id));
    *to++ = '\n';
    return to;
}

static void show(vcd_text *v, uint64_t clock, uint32_t signal, uint64_t value)
{
    if (v->shown[signal] == value)
        return;
    v->shown[signal] = value;
    char *to = trace_room(v->file, CHANGE_BYTES);
    if (to == NULL)
        return;
    trace_wrote(v->file, put_value(v, vcd_time_put(&v->time, to, clock), signal, value));
}

/* ---- the bus: most of the file, and written in place ---- */

static inline char *put_level(char *to, uint32_t signal, bool level)
{
    _Static_assert((int)VCD_COLUMNS <= (int)IDENTIFIERS, "an identifier is one character");
    const char text[LEVEL_BYTES + 1] = {level ? '1' : '0', (char)(FIRST_IDENTIFIER + signal), '\n'};
    memcpy(to, text, sizeof text); /* a word at once */
    return to + LEVEL_BYTES;
}

static char *put_levels(char *to, const vcd_levels *before, const vcd_levels *levels)
{
    if (levels->bus_clock != before->bus_clock)
        to = put_level(to, VCD_BUS_CLOCK, levels->bus_clock);
    if (levels->busy != before->busy)
        to = put_level(to, VCD_BUS_BUSY, levels->busy);
    if (levels->other != before->other)
        to = put_level(to, VCD_BUS_OTHER, levels->other);
    return to;
}

/* An edge of whatever signal before `clock`. */
static bool put_edge(vcd_text *v, uint64_t clock, char **to)
{
    vcd_levels next = v->levels;
    if (!vcd_bus_take(&v->bus, clock, &next))
        return false;
    char changes[3 * LEVEL_BYTES + 1], *end = put_levels(changes, &v->levels, &next);
    v->levels = next;
    if (end == changes)
        return true;
    *to = vcd_time_put(&v->time, *to, next.clock);
    memcpy(*to, changes, sizeof changes);
    *to += end - changes;
    return true;
}

/* Uses as wholes, as long as no more than the last digits of the time change. */
static char *put_near_uses(vcd_time *time, vcd_uses *uses, char *to)
{
    static const char up[VCD_EDGE_BYTES] = {'\n', '1', FIRST_IDENTIFIER + VCD_BUS_BUSY, '\n'};
    static const char down[VCD_EDGE_BYTES] = {'\n', '0', FIRST_IDENTIFIER + VCD_BUS_BUSY, '\n'};
    const vcd_time same = *time; /* a copy, which writing characters cannot change */
    vcd_uses near = *uses;
    vcd_span span;
    if (near.next >= near.end || near.next->from <= same.value || !vcd_span_make(&span, &same, up, down))
        return to;
    if (near.limit > same.end)
        near.limit = same.end;
    for (uint64_t from, until; vcd_uses_take(&near, &from, &until); time->value = until)
        to = vcd_span_put(&span, &same, to, from, until);
    uses->next = near.next;
    return to;
}

/* Uses as wholes, as long as nothing else happens; at most `most`. Answers where the text goes on. */
static char *put_uses(vcd_text *v, uint64_t clock, char *to, unsigned most)
{
    vcd_time *time = &v->time;
    vcd_uses uses = vcd_bus_uses(&v->bus, clock, most);
    for (uint64_t from, until;;) {
        to = put_near_uses(time, &uses, to);
        if (!vcd_uses_take(&uses, &from, &until))
            break;
        to = put_level(vcd_time_put(time, to, from), VCD_BUS_BUSY, true);
        to = put_level(vcd_time_put(time, to, until), VCD_BUS_BUSY, false);
    }
    v->bus.next = uses.next;
    return to;
}

/* The bus up to before `clock`. */
static void show_bus(vcd_text *v, uint64_t clock)
{
    for (bool more = true; more;) {
        char *to = trace_room(v->file, (2 * USES + EDGES) * EDGE_BYTES);
        if (to == NULL) {
            vcd_bus_drop(&v->bus);
            return;
        }
        char *end = put_uses(v, clock, to, USES);
        for (unsigned left = v->bus.clock_at < clock ? EDGES : 1; more && left > 0; left--)
            more = put_edge(v, clock, &end);
        if (end == to)
            continue;
        trace_wrote(v->file, end);
        trace_end_record(v->file);
    }
}

/* ---- in order of time ---- */

/* Writes everything that happens before `clock`. */
static void write_before(vcd_text *v, uint64_t clock)
{
    timed next;
    while (time_queue_take(&v->queue, clock, &next)) {
        show_bus(v, next.clock);
        show(v, next.clock, next.what, next.value);
    }
    show_bus(v, clock);
    trace_end_record(v->file);
}

/* All signals, as `section`. */
static void put_all(vcd_text *v, const char *section, bool known)
{
    trace_put_format(v->file, "%s\n", section);
    for (uint32_t i = 0; i < v->signal_count; i++) {
        bool there = i >= VCD_COLUMNS || (v->left_out >> i & 1) == 0;
        char *to = there ? trace_room(v->file, CHANGE_BYTES) : NULL;
        if (to != NULL)
            trace_wrote(v->file, put_value(v, to, i, known ? v->shown[i] : VCD_UNKNOWN));
    }
    trace_put(v->file, "$end\n");
    trace_end_record(v->file);
}

void vcd_text_begin(vcd_text *v, uint64_t clock, uint32_t left_out)
{
    v->time.value = clock;
    v->left_out = left_out;
    trace_put_format(v->file, "#%" PRIu64 "\n", clock);
    put_all(v, "$dumpvars", true);
}

void vcd_text_end(vcd_text *v, uint64_t clock)
{
    if (v->time.value < clock)
        trace_put_format(v->file, "#%" PRIu64 "\n", clock);
    put_all(v, "$dumpoff", false);
}

bool vcd_text_write(vcd_text *v, const vcd_told *told)
{
    bool room = vcd_bus_add(&v->bus, told->uses, told->use_count);
    for (size_t i = 0; i < told->changes.count && room; i++)
        room = time_queue_add(&v->queue, &told->changes.items[i]);
    if (told->bus_clock == VCD_CLOCK_STARTS)
        vcd_bus_clock_start(&v->bus, told->bus_clock_from);
    else if (told->bus_clock == VCD_CLOCK_STOPS)
        vcd_bus_clock_stop(&v->bus);
    write_before(v, told->before);
    return room;
}
