/* Finds the dependence chain of a loop: the longest path of results from one execution of an instruction to its
 * execution in a later trip. */
#include "report/loop/chain.h"

#include <stdlib.h>
#include <string.h>

#include "report/loop/rewrite.h"

enum {
    NONE = -1,
    AGI_CLOCKS = 1,    /* an address is needed in D2, a clock before EX */
    MULTIPLY_EXTRA = 2 /* an MMX multiplication has 3 stages */
};

/* When an instruction could begin if nothing but results held it back. */
typedef struct earliest {
    uint64_t clock;
    ptrdiff_t after; /* index of the instruction that it waits for, or NONE */
} earliest;

/* Returns the clocks from the beginning of `by` to that of an instruction `of` that needs its result, by the rules
 * of the model. The clocks that passed between the two in the window are the maximum, because some results are
 * exceptions to a rule. */
static uint64_t latency(const p5_trace_insn *by, const p5_trace_insn *of, const p5_trace_source *source)
{
    const uint64_t in_ex = by->end - by->begin, passed = of->begin > by->begin ? of->begin - by->begin : 0;
    uint64_t clocks = source->kind != P5_SOURCE_X87 && in_ex < by->clocks ? in_ex : by->clocks;
    if (source->kind == P5_SOURCE_ADDRESS)
        clocks += AGI_CLOCKS;
    else if (source->kind == P5_SOURCE_MMX && by->kind == P5_PIPE_MMX_MULTIPLY)
        clocks += MULTIPLY_EXTRA;
    return clocks < passed ? clocks : passed;
}

/* Returns the clocks from the beginning of the store `by` to that of the load `of` that reads what it has written.
 * If the store takes several clocks, another instruction's load can pair with its last clock. */
static uint64_t memory_latency(const p5_trace_insn *by, const p5_trace_insn *of)
{
    const p5_trace_source value = {.kind = P5_SOURCE_REGISTER};
    const uint64_t clocks = latency(by, of, &value);
    return clocks > 1 && by->address != of->address ? clocks - 1 : clocks;
}

/* The program's code, and where the instructions of the window are in it. */
typedef struct window_code {
    loop_code code;          /* without items if instructions overlap */
    const code_insn **items; /* by index in the window; NULL: not found */
} window_code;

/* Returns the instruction that stored what instruction `i` loads: the last store before it, of the same address
 * expression, whose registers nothing has written since. NONE if there is none, or if a store between may be to the
 * same place. */
static ptrdiff_t stored_by(const window_code *m, size_t i)
{
    enum { FARTHEST = 256 };
    const code_insn *load = m->items[i];
    if (load == NULL || !load->insn.memory || isa_forms[load->insn.form].data_reads == 0)
        return NONE;
    for (size_t k = i; k-- > 0 && i - k <= FARTHEST;) {
        const code_insn *item = m->items[k];
        if (item == NULL || code_writes(&item->insn) & load->insn.address_gpr)
            return NONE;
        const bool stores = isa_forms[item->insn.form].data_writes > 0;
        const rewrite_places places = stores ? rewrite_compare(item, load) : REWRITE_DISJOINT;
        if (places != REWRITE_DISJOINT)
            return places == REWRITE_OVERLAPPING ? (ptrdiff_t)k : NONE;
    }
    return NONE;
}

/* Returns false if memory is out. The caller calls window_code_close in any case. */
static bool window_code_open(window_code *m, const p5_window *w, const p5_case_program *program)
{
    const bool good = code_open(&m->code, program, w, 0) || m->code.count == 0;
    m->items = calloc(w->count + 1, sizeof *m->items);
    for (size_t i = 0; m->items != NULL && i < w->count; i++) {
        const size_t at = code_find(&m->code, w->items[i].trace.address);
        m->items[i] = at < m->code.count ? &m->code.items[at] : NULL;
    }
    return good && m->items != NULL;
}

static void window_code_close(window_code *m)
{
    code_close(&m->code);
    free(m->items);
}

/* Returns whether both instructions step ESP in D2, which forwards it from one to the other without a clock. */
static bool both_step_esp(const window_code *m, size_t by, size_t of)
{
    return (m->items[by] == NULL || m->items[by]->insn.flags & ISA_STACK) &&
           (m->items[of] == NULL || m->items[of]->insn.flags & ISA_STACK);
}

/* Records that instruction `i` of the window begins at least `clocks` after instruction `by`. */
static void wait_for(earliest *at, size_t i, size_t by, uint64_t clocks)
{
    const uint64_t clock = at[by].clock + clocks;
    if (at[i].after == NONE || clock > at[i].clock)
        at[i] = (earliest){clock, (ptrdiff_t)by};
}

/* Fills in `at` for each instruction of the window, in program order: the instructions that it waits for come
 * before. */
static void find_earliest(const p5_window *w, const window_code *m, earliest *at)
{
    for (size_t i = 0; i < w->count; i++) {
        at[i] = (earliest){0, NONE};
        for (unsigned s = 0; s < P5_TRACE_SOURCES; s++) {
            const p5_trace_source *source = &w->items[i].trace.sources[s];
            if (source->distance == 0 || source->distance > i)
                continue;
            const size_t by = i - source->distance;
            const bool stepped =
                source->kind == P5_SOURCE_REGISTER && source->number == ISA_ESP && both_step_esp(m, by, i);
            wait_for(at, i, by, stepped ? 0 : latency(&w->items[by].trace, &w->items[i].trace, source));
        }
        const ptrdiff_t by = stored_by(m, i);
        if (by != NONE)
            wait_for(at, i, (size_t)by, memory_latency(&w->items[by].trace, &w->items[i].trace));
    }
}

/* Two executions of one instruction on a path, and the number of trips from the early to the late one. */
typedef struct span {
    size_t late, early;
    unsigned trips;
} span;

/* Finds the span of the most trips on the path that ends at `end`; trips 0: there is none. */
static span widest(const p5_window *w, const earliest *at, size_t end)
{
    span best = {0, 0, 0};
    const unsigned first_trip = w->items[0].trip;
    for (ptrdiff_t late = (ptrdiff_t)end; late != NONE; late = at[late].after) {
        if (w->items[late].trip - first_trip <= best.trips)
            break; /* a span that ends earlier has no more trips */
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

double chain_find(const p5_window *window, const p5_case_program *program, char *text, size_t size)
{
    window_code m = {0};
    earliest *at = calloc(window->count + 1, sizeof *at);
    double clocks = 0;
    size_t end = 0;
    text[0] = '\0';
    if (!window_code_open(&m, window, program) || at == NULL)
        clocks = -1;
    else
        find_earliest(window, &m, at);
    for (size_t i = 0; clocks == 0 && i < window->count; i++)
        end = at[i].clock >= at[end].clock ? i : end;
    if (clocks == 0 && window->count > 0) {
        const span s = widest(window, at, end);
        if (s.trips > 0) {
            clocks = (double)(at[s.late].clock - at[s.early].clock) / s.trips;
            name_chain(window, at, s.late, text, size);
        }
    }
    window_code_close(&m);
    free(at);
    return clocks;
}
