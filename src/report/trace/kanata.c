/* kanata.h explains the commands of the log. An instruction's id is its number from 0, in program order. */
#include "report/trace/kanata.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/trace/time_queue.h"
#include "p5tool/event.h"

enum {
    RECENT = 64, /* instructions that are kept as sources of arrows */
    TEXT = 96,   /* bytes of a disassembly */
    LINE = 400   /* bytes of a line; names, labels and reasons are shorter than half of it */
};
#define HEADER "Kanata\t0004"

/* What an instruction does at a clock. Steps at the same clock are written in the order of their instructions, and those
 * of one instruction in the order in which they were added. */
typedef enum step_kind {
    STEP_END_STALL,
    STEP_OPEN, /* first step: the instruction gets its line I and its labels */
    STEP_STAGE,
    STEP_STALL,
    STEP_SOURCES, /* arrows from the instructions whose results it needs */
    STEP_RETIRE   /* last step: its last stage ends */
} step_kind;

/* A step's order (timed.order): the instruction's id, and in the low STEP_BITS bits the step's number within it. An
 * instruction has fewer than 20 steps. */
enum { STEP_BITS = 6 };

/* An instruction that is kept until its STEP_OPEN is written, and for some time after that as a source of arrows. */
typedef struct in_flight {
    p5_trace_insn insn;
    char text[TEXT];
} in_flight;

struct kanata {
    void (*put)(void *context, const char *text, size_t size);
    void *context;
    uint64_t count;    /* instructions added; the id of the next one */
    uint64_t retired;  /* instructions whose STEP_RETIRE has been written */
    bool started;      /* the header has been written */
    uint64_t clock;    /* of the last line written */
    uint64_t pf;       /* clock at which the last instruction was prefetched */
    uint32_t order;    /* number of the next step within its instruction */
    time_queue steps;  /* not written yet; `what` is the kind, `name` a stage or stall */
    in_flight *recent; /* ring: by id modulo `capacity` */
    uint64_t capacity;
    uint64_t opened; /* ids below this have their line I, because instructions open in program order */
    bool out_of_memory;
};

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Returns the name of the event that counts the stall, or the stall's own name. */
static const char *stall_name(unsigned cause)
{
    int event = p5_stall_event((p5_stall)cause);
    return event >= 0 ? p5_event_describe((enum p5_event)event)->name : p5_stall_name((p5_stall)cause);
}

/* Queues a step of the instruction with the id k->count. */
static void add_step(kanata *k, uint64_t clock, step_kind kind, const char *name)
{
    const timed step = {
        .clock = clock, .order = k->count << STEP_BITS | k->order++, .name = name, .what = kind};
    k->out_of_memory |= !time_queue_add(&k->steps, &step);
}

/* ---- lines --------------------------------------------------------------------------------------------- */

/* Appends a tab and a number to a line. Lines are built by hand, because printf would take half of the time. Returns the
 * end. */
static char *put_number(char *to, uint64_t number)
{
    *to++ = '\t';
    return text_put_unsigned(to, number);
}

/* Ends the line at `to` and passes it on. */
static void end_line(kanata *k, const char *line, char *to)
{
    *to++ = '\n';
    k->put(k->context, line, (size_t)(to - line));
}

/* Writes COMMAND, the id, another number, 0: commands I, R and W. */
static void write_numbers(kanata *k, const char *command, uint64_t id, uint64_t other)
{
    char line[LINE];
    end_line(k, line, stpcpy(put_number(put_number(stpcpy(line, command), id), other), "\t0"));
}

/* Writes COMMAND, the id, lane or kind of label, text: commands L, S and E. */
static void write_named(kanata *k, const char *command, uint64_t id, unsigned lane, const char *text)
{
    char line[LINE];
    char *to = put_number(put_number(stpcpy(line, command), id), lane);
    *to++ = '\t';
    end_line(k, line, stpcpy(to, text));
}

/* Writes COMMAND and a number of clocks: commands C= and C. */
static void write_clocks(kanata *k, const char *command, uint64_t clocks)
{
    char line[LINE];
    end_line(k, line, put_number(stpcpy(line, command), clocks));
}

/* Writes the first lines of an instruction: the number that the viewer shows, which is its clock of EX; address, pipe,
 * disassembly; why it is alone. */
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

/* Writes arrows from the instructions whose results this one needs, if they were still in the pipe when it entered D1.
 * Flags get no arrows: no instruction waits for them. */
static void write_sources(kanata *k, uint64_t id)
{
    const p5_trace_insn *insn = &k->recent[id % k->capacity].insn;
    for (unsigned i = 0; i < P5_TRACE_SOURCES; i++) {
        uint64_t distance = insn->sources[i].distance;
        if (distance == 0 || insn->sources[i].kind == P5_SOURCE_FLAGS || distance > id || distance >= RECENT)
            continue;
        const p5_trace_insn *source = &k->recent[(id - distance) % k->capacity].insn;
        if (greater(source->ready, source->end) + 1 >= insn->d1) /* it left the pipe in D1 or later */
            write_numbers(k, "W", id, id - distance);
    }
}

/* Writes a step, after the clocks that have passed since the last one. */
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

static void write_before(kanata *k, uint64_t clock)
{
    timed s;
    while (time_queue_take(&k->steps, clock, &s))
        write_step(k, &s);
}

/* ---- instructions -------------------------------------------------------------------------------------- */

/* Queues a stall in the clocks [from, to), unless there is none. */
static void add_stall(kanata *k, unsigned cause, uint64_t from, uint64_t to)
{
    if (from >= to || cause == P5_STALL_ISSUE)
        return;
    add_step(k, from, STEP_STALL, stall_name(cause));
    add_step(k, to, STEP_END_STALL, stall_name(cause));
}

/* Queues the stages after EX, which the instruction leaves at `end`. Returns the clock after the last stage, whose name
 * goes to *last. */
static uint64_t add_tail(kanata *k, const p5_trace_insn *insn, uint64_t end, const char **last)
{
    switch (insn->kind) {
    case P5_PIPE_X87: {
        /* Stages E, X1, X2, WF, ER. Later instructions get the result from WF, which follows X2 as soon as
         * the result is ready. */
        uint64_t e = greater(insn->begin, insn->ex);
        add_step(k, e + 1, STEP_STAGE, "X1");
        add_step(k, e + 2, STEP_STAGE, "X2");
        uint64_t wf = greater(e + 3, insn->ready);
        add_step(k, wf, STEP_STAGE, "WF");
        add_step(k, wf + 1, STEP_STAGE, *last = "ER");
        return wf + 2;
    }
    case P5_PIPE_MMX_MULTIPLY:
        add_step(k, end, STEP_STAGE, "M2");
        add_step(k, end + 1, STEP_STAGE, "M3");
        add_step(k, end + 2, STEP_STAGE, *last = "Mw");
        return end + 3;
    case P5_PIPE_MMX:
        add_step(k, end, STEP_STAGE, *last = "Mw");
        return end + 1;
    default:
        add_step(k, end, STEP_STAGE, *last = "WB");
        return end + 1;
    }
}

/* Makes room in `recent` for the next instruction. `recent` holds the instructions that are not opened yet, which are
 * those whose PF begins at clock k->pf, and RECENT more as sources of arrows. It grows, because nothing here limits how
 * many begin at one clock. Returns false if memory is out. */
static bool make_room(kanata *k)
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
    if (!make_room(k)) {
        k->out_of_memory = true;
        return;
    }
    in_flight *item = &k->recent[k->count % k->capacity];
    item->insn = *insn;
    snprintf(item->text, sizeof item->text, "%s", text);
    k->order = 0;
    /* No stage begins before the one before it. */
    uint64_t d1 = greater(insn->d1, pf), d2 = greater(insn->d2, d1), ex = greater(insn->ex, d2);
    uint64_t end = greater(insn->end, ex + 1);
    add_step(k, pf, STEP_OPEN, NULL);
    if (pf < d1)
        add_step(k, pf, STEP_STAGE, "PF");
    if (insn->f != 0 && insn->f < d1) /* 0: the P54C has no F */
        add_step(k, greater(insn->f, pf), STEP_STAGE, "F");
    add_step(k, d1, STEP_STAGE, "D1");
    if (d2 > d1)
        add_step(k, d2, STEP_STAGE, "D2");
    if (insn->stall != P5_STALL_FPU)
        add_stall(k, insn->stall, greater(ex - (insn->stall_clocks < ex ? insn->stall_clocks : ex), pf), ex);
    add_step(k, ex, STEP_STAGE, "EX");
    add_step(k, ex, STEP_SOURCES, NULL);
    uint64_t begin = greater(insn->begin, ex);
    if (begin < end && insn->stall == P5_STALL_FPU) /* it waits for the x87 unit in E */
        add_stall(k, insn->stall, ex, begin);
    /* The waits of a pair's references are added, though they may overlap. A sum that does not fit into EX is left
     * out. */
    if (begin + insn->hold_clocks <= end)
        add_stall(k, insn->hold, begin, begin + insn->hold_clocks);
    const char *last;
    uint64_t after = add_tail(k, insn, end, &last);
    add_step(k, after, STEP_RETIRE, last);
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
