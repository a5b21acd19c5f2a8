#include "report/trace/kanata.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/trace/time_queue.h"
#include "p5tool/event.h"

enum { RECENT = 64, TEXT = 96, LINE = 400 }; /* names, labels and reasons are shorter than half a line */
#define HEADER "Kanata\t0004"

/* A step of an instruction at a clock. Steps at the same clock are written in this order. */
typedef enum step_kind {
    STEP_END_STALL,
    STEP_OPEN,
    STEP_STAGE,
    STEP_STALL,
    STEP_SOURCES,
    STEP_RETIRE
} step_kind;

/* A step's order: the instruction's number, from 0, and in the low STEP_BITS the step's number within it. */
enum { STEP_BITS = 6 };

/* An instruction that is kept until it is opened, and for some time after that as a source of arrows. */
typedef struct in_flight {
    p5_trace_insn insn;
    char text[TEXT];
} in_flight;

struct kanata {
    void (*put)(void *context, const char *text, size_t size);
    void *context;
    uint64_t count, retired;
    bool started;
    uint64_t clock; /* of the last line written */
    uint64_t pf;    /* of the last instruction */
    uint32_t order;
    time_queue steps;  /* `what` is the kind, `name` a stage or stall */
    in_flight *recent; /* by id modulo `capacity` */
    uint64_t capacity;
    uint64_t opened; /* instructions below this id have their I line; they open in program order */
    bool out_of_memory;
};

/* Returns the name of the event that counts the stall, or the stall's own name. */
static const char *stall_name(unsigned cause)
{
    int event = p5_stall_event((p5_stall)cause);
    return event >= 0 ? p5_event_describe((enum p5_event)event)->name : p5_stall_name((p5_stall)cause);
}

static void add(kanata *k, uint64_t clock, step_kind kind, const char *name)
{
    const timed step = {
        .clock = clock, .order = k->count << STEP_BITS | k->order++, .name = name, .what = kind};
    k->out_of_memory |= !time_queue_add(&k->steps, &step);
}

/* ---- lines --------------------------------------------------------------------------------------------- */

/* Builds a line from left to right; printf would take half of the time. */
static char *put_number(char *to, uint64_t number)
{
    *to++ = '\t';
    return text_put_unsigned(to, number);
}

static void end_line(kanata *k, const char *line, char *to)
{
    *to++ = '\n';
    k->put(k->context, line, (size_t)(to - line));
}

/* Writes COMMAND, the number of instruction `id`, another number, 0. */
static void write_numbers(kanata *k, const char *command, uint64_t id, uint64_t other)
{
    char line[LINE];
    end_line(k, line, stpcpy(put_number(put_number(stpcpy(line, command), id), other), "\t0"));
}

/* Writes COMMAND, the number of instruction `id`, lane or kind of label, text. */
static void write_named(kanata *k, const char *command, uint64_t id, unsigned lane, const char *text)
{
    char line[LINE];
    char *to = put_number(put_number(stpcpy(line, command), id), lane);
    *to++ = '\t';
    end_line(k, line, stpcpy(to, text));
}

static void write_clocks(kanata *k, const char *command, uint64_t clocks)
{
    char line[LINE];
    end_line(k, line, put_number(stpcpy(line, command), clocks));
}

static void open_insn(kanata *k, uint64_t id)
{
    const in_flight *item = &k->recent[id % k->capacity];
    const p5_trace_insn *insn = &item->insn;
    char label[LINE / 2];
    write_numbers(k, "I", id, insn->ex);
    snprintf(label, sizeof label, "%08" PRIx32 " %c %s", insn->address, insn->pipe == 0 ? 'U' : 'V',
             item->text);
    write_named(k, "L", id, 0, label);
    const char *why = p5_unpaired_text(insn->unpaired);
    if (insn->pipe == 0 && why[0] != '\0') {
        snprintf(label, sizeof label, "alone: %s", why);
        write_named(k, "L", id, 1, label);
    }
    k->opened = id + 1;
}

/* Writes arrows from the instructions whose results this one needed while they were in the pipe. */
static void write_sources(kanata *k, uint64_t id)
{
    const p5_trace_insn *insn = &k->recent[id % k->capacity].insn;
    for (unsigned i = 0; i < P5_TRACE_SOURCES; i++) {
        uint64_t distance = insn->sources[i].distance;
        if (distance == 0 || insn->sources[i].kind == P5_SOURCE_FLAGS || distance > id || distance >= RECENT)
            continue;
        const p5_trace_insn *source = &k->recent[(id - distance) % k->capacity].insn;
        uint64_t left = (source->ready > source->end ? source->ready : source->end) + 1;
        if (left >= insn->d1)
            write_numbers(k, "W", id, id - distance);
    }
}

static void write_step(kanata *k, const timed *s)
{
    uint64_t id = s->order >> STEP_BITS;
    if (!k->started)
        write_clocks(k, HEADER "\nC=", s->clock);
    else if (s->clock > k->clock)
        write_clocks(k, "C", s->clock - k->clock);
    k->started = true;
    if (s->clock > k->clock)
        k->clock = s->clock;
    switch ((step_kind)s->what) {
    case STEP_OPEN:
        open_insn(k, id);
        break;
    case STEP_STAGE:
        write_named(k, "S", id, 0, s->name);
        break;
    case STEP_STALL:
        write_named(k, "S", id, 1, s->name);
        break;
    case STEP_END_STALL:
        write_named(k, "E", id, 1, s->name);
        break;
    case STEP_SOURCES:
        write_sources(k, id);
        break;
    case STEP_RETIRE:
        write_named(k, "E", id, 0, s->name);
        write_numbers(k, "R", id, k->retired++);
        break;
    }
}

/* Writes all steps before `clock`. */
static void write_before(kanata *k, uint64_t clock)
{
    timed s;
    while (time_queue_take(&k->steps, clock, &s))
        write_step(k, &s);
}

/* ---- instructions -------------------------------------------------------------------------------------- */

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void add_stall(kanata *k, unsigned cause, uint64_t from, uint64_t to)
{
    if (from >= to || cause == P5_STALL_ISSUE)
        return;
    add(k, from, STEP_STALL, stall_name(cause));
    add(k, to, STEP_END_STALL, stall_name(cause));
}

/* Adds the stages after EX. Returns the clock after the last stage, whose name goes to *last. */
static uint64_t add_tail(kanata *k, const p5_trace_insn *insn, uint64_t end, const char **last)
{
    switch (insn->kind) {
    case P5_PIPE_X87: {
        /* Stages E, X1, X2, WF, ER. Later instructions get the result from WF, which follows X2 as soon as
         * the result is ready. */
        uint64_t e = greater(insn->begin, insn->ex);
        add(k, e + 1, STEP_STAGE, "X1");
        add(k, e + 2, STEP_STAGE, "X2");
        uint64_t wf = greater(e + 3, insn->ready);
        add(k, wf, STEP_STAGE, "WF");
        add(k, wf + 1, STEP_STAGE, *last = "ER");
        return wf + 2;
    }
    case P5_PIPE_MMX_MULTIPLY:
        add(k, end, STEP_STAGE, "M2");
        add(k, end + 1, STEP_STAGE, "M3");
        add(k, end + 2, STEP_STAGE, *last = "Mw");
        return end + 3;
    case P5_PIPE_MMX:
        add(k, end, STEP_STAGE, *last = "Mw");
        return end + 1;
    default:
        add(k, end, STEP_STAGE, *last = "WB");
        return end + 1;
    }
}

/* Makes room for the next instruction. `recent` holds the instructions that are not opened yet, and RECENT
 * more as sources of arrows. A long instruction can delay many later ones, so it grows. */
static bool keep(kanata *k)
{
    if (k->recent != NULL && k->count - k->opened + RECENT < k->capacity)
        return true;
    uint64_t capacity = k->capacity == 0 ? 4 * RECENT : 2 * k->capacity;
    in_flight *larger = calloc(capacity, sizeof *larger);
    if (larger == NULL)
        return false;
    for (uint64_t id = k->count > k->capacity ? k->count - k->capacity : 0; id < k->count; id++)
        larger[id % capacity] = k->recent[id % k->capacity];
    free(k->recent);
    k->recent = larger;
    k->capacity = capacity;
    return true;
}

void kanata_insn(kanata *k, const p5_trace_insn *insn, const char *text)
{
    /* Prefetch is in program order, so no later step is earlier than this. (For bytes that were prefetched
     * long ago the core knows only that they are present, so their clock may be earlier than their
     * predecessor's.) */
    uint64_t pf = greater(insn->pf < insn->d1 ? insn->pf : insn->d1, k->pf);
    k->pf = pf;
    write_before(k, pf);
    if (!keep(k)) {
        k->out_of_memory = true;
        return;
    }
    in_flight *item = &k->recent[k->count % k->capacity];
    item->insn = *insn;
    snprintf(item->text, sizeof item->text, "%s", text);
    k->order = 0;
    uint64_t d1 = greater(insn->d1, pf), d2 = greater(insn->d2, d1), ex = greater(insn->ex, d2);
    uint64_t end = greater(insn->end, ex + 1);
    add(k, pf, STEP_OPEN, NULL);
    if (pf < d1)
        add(k, pf, STEP_STAGE, "PF");
    if (insn->f != 0 && insn->f < d1)
        add(k, greater(insn->f, pf), STEP_STAGE, "F");
    add(k, d1, STEP_STAGE, "D1");
    if (d2 > d1)
        add(k, d2, STEP_STAGE, "D2");
    if (insn->stall != P5_STALL_FPU)
        add_stall(k, insn->stall, greater(ex - (insn->stall_clocks < ex ? insn->stall_clocks : ex), pf), ex);
    add(k, ex, STEP_STAGE, "EX");
    add(k, ex, STEP_SOURCES, NULL);
    uint64_t begin = greater(insn->begin, ex);
    if (begin < end && insn->stall == P5_STALL_FPU) /* it waits for the x87 unit in E */
        add_stall(k, insn->stall, ex, begin);
    if (begin + insn->hold_clocks <= end)
        add_stall(k, insn->hold, begin, begin + insn->hold_clocks);
    const char *last;
    uint64_t after = add_tail(k, insn, end, &last);
    add(k, after, STEP_RETIRE, last);
    k->count++;
}

kanata *kanata_open(void (*put)(void *context, const char *text, size_t size), void *context)
{
    kanata *k = calloc(1, sizeof *k);
    if (k == NULL)
        return NULL;
    k->put = put;
    k->context = context;
    return k;
}

bool kanata_close(kanata *k)
{
    if (!k->started && k->steps.heap.count == 0)
        k->put(k->context, HEADER "\n", sizeof HEADER);
    write_before(k, UINT64_MAX);
    bool good = !k->out_of_memory;
    free(k->steps.heap.items);
    free(k->recent);
    free(k);
    return good;
}
