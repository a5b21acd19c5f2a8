/* Finds what held an instruction back, by the rules of the pipe and the clocks of the instructions before it. */
#include <stdio.h>

#include "report/timeline/window.h"

static const char *const kind_names[] = {"register", "address", "x87", "unit", "mmx", "write_buffer"};

const char *window_wait_name(window_wait_kind kind)
{
    return kind_names[kind];
}

/* Returns the clocks of instruction `i`. */
static const p5_trace_insn *trace_of(const p5_window *w, size_t i)
{
    return &w->items[i].trace;
}

/* Writes the name of a source register. */
static void name_source(const p5_trace_source *source, char name[8])
{
    if (source->kind == P5_SOURCE_X87)
        snprintf(name, 8, "st(%u)", source->number & 7u);
    else if (source->kind == P5_SOURCE_MMX)
        snprintf(name, 8, "mm%u", source->number & 7u);
    else
        snprintf(name, 8, "%s", isa_gpr_names[source->number & 7]);
}

/* Returns the source of `kind` that instruction `i` got last, or NULL if the window has none. A source's `distance`
 * counts instructions back to the one that wrote it; 0: it is not in the trace. */
static const p5_trace_source *latest(const p5_window *w, size_t i, p5_source_kind kind)
{
    const p5_trace_source *found = NULL;
    for (unsigned s = 0; s < P5_TRACE_SOURCES; s++) {
        const p5_trace_source *source = &trace_of(w, i)->sources[s];
        if (source->distance == 0 || source->distance > i || source->kind != kind)
            continue;
        if (found == NULL ||
            trace_of(w, i - source->distance)->ready > trace_of(w, i - found->distance)->ready)
            found = source;
    }
    return found;
}

/* Fills in a wait for instruction `by`. `source` NULL: the wait is not for a register. Returns true. */
static bool set_wait(window_wait *to, size_t by, window_wait_kind kind, const p5_trace_source *source)
{
    *to = (window_wait){.by = by, .kind = kind};
    if (source != NULL)
        name_source(source, to->reg);
    return true;
}

/* Each of the following functions returns whether instruction `i` waited for that reason, and fills in *to if so. */

/* The instruction before was alone in U, and this one could have been its partner in V but for a register. */
static bool waits_for_partner(const p5_window *w, size_t i, window_wait *to)
{
    if (i == 0 || trace_of(w, i)->pipe != 0 || trace_of(w, i - 1)->unpaired != P5_UNPAIRED_REGISTER)
        return false;
    const p5_trace_source *source = NULL;
    for (unsigned s = 0; s < P5_TRACE_SOURCES && source == NULL; s++)
        if (trace_of(w, i)->sources[s].distance == 1 && trace_of(w, i)->sources[s].kind <= P5_SOURCE_MMX)
            source = &trace_of(w, i)->sources[s];
    return set_wait(to, i - 1, WAIT_REGISTER, source);
}

/* AGI: D2 waits for a register that an instruction in EX wrote one clock before this one entered EX. */
static bool waits_for_address(const p5_window *w, size_t i, window_wait *to)
{
    const p5_trace_insn *t = trace_of(w, i);
    for (unsigned s = 0; s < P5_TRACE_SOURCES && t->stall == P5_STALL_AGI; s++) {
        const p5_trace_source *source = &t->sources[s];
        if (source->kind == P5_SOURCE_ADDRESS && source->distance > 0 && source->distance <= i &&
            trace_of(w, i - source->distance)->end + 1 == t->ex)
            return set_wait(to, i - source->distance, WAIT_ADDRESS, source);
    }
    return false;
}

/* An instruction in E, the first x87 stage, waits for an x87 result, or for the unit. The + 1 is for stores, which
 * can read a result one clock later than others. */
static bool waits_for_x87(const p5_window *w, size_t i, window_wait *to)
{
    const p5_trace_insn *t = trace_of(w, i);
    if (t->stall != P5_STALL_FPU || t->pipe != 0)
        return false;
    const p5_trace_source *source = latest(w, i, P5_SOURCE_X87);
    if (source != NULL && trace_of(w, i - source->distance)->ready + 1 >= t->begin)
        return set_wait(to, i - source->distance, WAIT_X87, source);
    for (size_t by = i; by-- > 0;)
        if (trace_of(w, by)->kind == P5_PIPE_X87)
            return set_wait(to, by, WAIT_UNIT, NULL);
    return false;
}

/* An instruction waits for the result of an MMX multiplication, or an MMX store for its data. */
static bool waits_for_mmx(const p5_window *w, size_t i, window_wait *to)
{
    const p5_trace_insn *t = trace_of(w, i);
    const p5_trace_source *source = t->stall == P5_STALL_MMX_MULTIPLY || t->stall == P5_STALL_MMX_STORE
                                        ? latest(w, i, P5_SOURCE_MMX)
                                        : NULL;
    return source != NULL && trace_of(w, i - source->distance)->ready + 1 >= t->ex &&
           set_wait(to, i - source->distance, WAIT_MMX, source);
}

/* A write waits until the write that entered its buffer last has left it. The P54C has a buffer for each pipe,
 * the P55C, which has an F stage, a pool of four. */
static bool waits_for_buffer(const p5_window *w, size_t i, window_wait *to)
{
    enum { POOL = 4 };
    const p5_trace_insn *t = trace_of(w, i);
    unsigned writes = 0; /* that missed the cache and so needed a buffer */
    for (size_t by = i; by-- > 0 && t->hold == P5_STALL_WRITE_BUFFER;) {
        const bool pool = t->f != 0, same = pool || trace_of(w, by)->pipe == t->pipe;
        writes += same ? trace_of(w, by)->write_misses : 0;
        if (writes >= (pool ? POOL : 1))
            return set_wait(to, by, WAIT_WRITE_BUFFER, NULL);
    }
    return false;
}

/* At most one of AGI, x87 and MMX applies, because each needs another cause as the stall of the instruction. */
size_t window_waits(const p5_window *window, size_t i, window_wait waits[WINDOW_WAITS])
{
    size_t count = 0;
    count += waits_for_partner(window, i, &waits[count]);
    if (waits_for_address(window, i, &waits[count]) || waits_for_x87(window, i, &waits[count]) ||
        waits_for_mmx(window, i, &waits[count]))
        count++;
    count += waits_for_buffer(window, i, &waits[count]);
    return count;
}

window_gap window_gap_before(const p5_window *window, size_t i)
{
    const p5_trace_insn *t = trace_of(window, i);
    /* D1 is free from the clock at which the instruction before enters D2. */
    if (i == 0 || t->pipe != 0 || trace_of(window, i - 1)->d2 >= t->d1)
        return (window_gap){t->d1, t->d1, P5_STALL_ISSUE};
    const bool lost =
        t->stall == P5_STALL_BRANCH || t->stall == P5_STALL_CODE_FETCH || t->stall == P5_STALL_DECODE;
    return (window_gap){trace_of(window, i - 1)->d2, t->d1, lost ? (p5_stall)t->stall : P5_STALL_ISSUE};
}
