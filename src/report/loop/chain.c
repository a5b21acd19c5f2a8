#include "report/loop/chain.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = -1, AGI_CLOCKS = 1, MULTIPLY_EXTRA = 2, ESP = 4 };

/* When an instruction could begin if nothing but results held it back. */
typedef struct earliest {
    uint64_t clock;
    ptrdiff_t after; /* index of the instruction that it waits for, or NONE */
} earliest;

/* Returns the clocks from the beginning of `by` to that of an instruction `of` that needs its result: the latencies
 * of the model. An exception to a rule, as for string instructions, shows in the clocks. D2 forwards ESP. */
static uint64_t latency(const p5_trace_insn *by, const p5_trace_insn *of, const p5_trace_source *source)
{
    const uint64_t in_ex = by->end - by->begin, apart = of->begin > by->begin ? of->begin - by->begin : 0;
    uint64_t clocks = source->kind != P5_SOURCE_X87 && in_ex < by->clocks ? in_ex : by->clocks;
    if (source->kind == P5_SOURCE_ADDRESS)
        clocks = source->number == ESP ? 0 : clocks + AGI_CLOCKS;
    else if (source->kind == P5_SOURCE_MMX && by->kind == P5_PIPE_MMX_MULTIPLY)
        clocks += MULTIPLY_EXTRA;
    return clocks < apart ? clocks : apart;
}

static void find_earliest(const p5_window *w, earliest *at)
{
    for (size_t i = 0; i < w->count; i++) {
        at[i] = (earliest){0, NONE};
        for (unsigned s = 0; s < P5_TRACE_SOURCES; s++) {
            const p5_trace_source *source = &w->items[i].trace.sources[s];
            if (source->distance == 0 || source->distance > i)
                continue;
            const size_t by = i - source->distance;
            const uint64_t clock = at[by].clock + latency(&w->items[by].trace, &w->items[i].trace, source);
            if (at[i].after == NONE || clock > at[i].clock)
                at[i] = (earliest){clock, (ptrdiff_t)by};
        }
    }
}

/* Two executions of an instruction on the longest path. */
typedef struct span {
    size_t late, early;
    unsigned trips;
} span;

/* Finds the widest span on the path that ends at `end`. */
static span widest(const p5_window *w, const earliest *at, size_t end)
{
    span best = {0, 0, 0};
    const unsigned first_trip = w->items[0].trip;
    for (ptrdiff_t late = (ptrdiff_t)end; late != NONE; late = at[late].after) {
        if (w->items[late].trip - first_trip <= best.trips)
            break; /* what is earlier on the path has no wider span */
        for (ptrdiff_t early = at[late].after; early != NONE; early = at[early].after) {
            const unsigned trips = w->items[late].trip - w->items[early].trip;
            if (w->items[early].trace.address == w->items[late].trace.address && trips > best.trips)
                best = (span){(size_t)late, (size_t)early, trips};
        }
    }
    return best;
}

/* Writes the instructions from one execution of the span's instruction to the next, in program order. */
static void name_chain(const p5_window *w, const earliest *at, size_t late, char *text, size_t size)
{
    enum { MOST = 8 };
    size_t on_path[MOST], count = 0, used = 0;
    for (ptrdiff_t i = (ptrdiff_t)late; i != NONE; i = at[i].after) {
        if (count > 0 && w->items[i].trace.address == w->items[late].trace.address)
            break;
        if (count < MOST)
            on_path[count] = (size_t)i;
        count++;
    }
    text[0] = '\0';
    for (size_t n = count < MOST ? count : MOST; n-- > 0 && used < size;)
        used += (size_t)snprintf(text + used, size - used, "%s%s",
                                 used > 0       ? " -> "
                                 : count > MOST ? "... -> "
                                                : "",
                                 w->items[on_path[n]].text);
}

double chain_find(const p5_window *window, char *text, size_t size)
{
    earliest *at = calloc(window->count + 1, sizeof *at);
    text[0] = '\0';
    if (at == NULL)
        return -1;
    find_earliest(window, at);
    size_t end = 0;
    for (size_t i = 0; i < window->count; i++)
        end = at[i].clock >= at[end].clock ? i : end;
    double clocks = 0;
    if (window->count > 0) {
        const span s = widest(window, at, end);
        if (s.trips > 0) {
            clocks = (double)(at[s.late].clock - at[s.early].clock) / s.trips;
            name_chain(window, at, s.late, text, size);
        }
    }
    free(at);
    return clocks;
}
