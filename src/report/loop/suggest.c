/* Tries rewritings of a loop (rewrite.h) on the model, and suggests those that save clocks. Each is priced by
 * the difference of two runs with N1 and N2 trips, as every measurement; the second run is left out if the
 * first takes much longer than before. Then the best one is applied, and the search begins again. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "p5tool/loop.h"
#include "report/json_writer.h"
#include "report/loop/rewrite.h"

enum {
    MOST_STEPS = 16,   /* rewritings applied one after the other */
    MOST_SHOWN = 12,   /* alternatives in text; JSON has all */
    MOST_TRIED = 2000, /* rewritings that are priced in all */
    MOST_FIRST = 32    /* rewritings that are tried as the first of two */
};

/* A loop: its two programs, which make N1 and N2 trips. The programs are freed with it, except those of the
 * original loop. */
typedef struct priced_loop {
    p5_case_program *programs[2];
    uint64_t run_clocks[2]; /* clocks of the runs of N1 and of N2 trips */
    double clocks;          /* of a trip */
    /* Set of registers that the rewritings so far use because no instruction named them. The suggestion says that
     * they must be free, so no code reads them after the loop. */
    unsigned free_registers;
} priced_loop;

typedef struct suggestion {
    char text[820], changes[330]; /* rewrite_describe, of one rewriting or of two */
    unsigned number;              /* of the rewriting among those that are priced */
    double clocks;                /* of a trip of the rewritten loop */
    priced_loop loop;
} suggestion;

typedef struct suggester {
    const unsigned *trips;
    const p5_case_conditions *conditions;
    const loop_code *code;      /* of `edited` */
    const priced_loop *from;    /* the loop whose clocks are to be reduced */
    const priced_loop *edited;  /* the loop that rewritings are applied to: `from`, or that of `after` */
    const suggestion *after;    /* the first of two rewritings; NULL: only one is applied to `from` */
    ARRAY_OF(suggestion) found; /* rewritings that save clocks */
    /* Rewritings that save none and cost a clock at most: candidates for `after`. */
    ARRAY_OF(suggestion) first;
    unsigned tried; /* rewritings priced so far */
    p5_error *error;
    p5_status status; /* of the callback try_rewriting */
} suggester;

static void free_loop(priced_loop *loop)
{
    for (unsigned i = 0; i < 2; i++)
        p5_case_program_free(loop->programs[i]);
    *loop = (priced_loop){0};
}

/* Sets loop->run_clocks and loop->clocks. `most`: the run of N1 and the run of N2 trips fail if they take more
 * clocks; NULL: no limit. */
static p5_status price(const suggester *s, priced_loop *loop, const uint64_t most[2])
{
    for (unsigned i = 0; i < 2; i++) {
        p5_counts counts;
        p5_case_conditions conditions = *s->conditions;
        conditions.max_clocks = most != NULL ? most[i] : 0;
        p5_status status = p5_case_run(loop->programs[i], &conditions, NULL, &counts, s->error);
        if (status != P5_OK)
            return status;
        loop->run_clocks[i] = p5_counts_sum(counts.clocks, P5_CPL_MASK_ALL);
    }
    loop->clocks = ((double)loop->run_clocks[1] - (double)loop->run_clocks[0]) /
                   ((double)s->trips[1] - (double)s->trips[0]);
    return P5_OK;
}

/* Appends as much of the text as fits. */
static void append(char *to, size_t size, const char *text)
{
    const size_t used = strlen(to);
    strncat(to, text, size - used - 1);
}

/* Describes a rewriting, after the one of `s->after` if there is one. */
static void describe(const suggester *s, const rewriting *r, suggestion *to)
{
    char text[400], changes[160];
    rewrite_describe(s->code, r, text, sizeof text, changes, sizeof changes);
    if (s->after != NULL) {
        append(to->text, sizeof to->text, s->after->text);
        append(to->text, sizeof to->text, ", then ");
        append(to->changes, sizeof to->changes, s->after->changes);
        if (strcmp(s->after->changes, changes) == 0)
            changes[0] = '\0';
        else if (s->after->changes[0] != '\0' && changes[0] != '\0')
            append(to->changes, sizeof to->changes, ", ");
    }
    append(to->text, sizeof to->text, text);
    append(to->changes, sizeof to->changes, changes);
}

/* Adds a rewriting to s->found if it saves clocks, else to s->first; the suggestion then owns the loop.
 * Returns false when memory is out. */
static bool keep(suggester *s, const rewriting *r, const priced_loop *loop, bool saves)
{
    suggestion found = {.number = s->tried, .clocks = loop->clocks, .loop = *loop};
    describe(s, r, &found);
    const bool kept = saves ? ARRAY_ADD(&s->found, found) : ARRAY_ADD(&s->first, found);
    if (!kept)
        s->status = error_set(s->error, P5_ERR_MEMORY, "no memory for suggestions");
    return kept;
}

/* Prices the rewriting and keeps it if it saves at least a hundredth of a clock per trip, or if it costs a clock at
 * most and can be the first of two. Its runs end as soon as they cost more, because the rewritten loop may never
 * end: a loop that reads its own code can behave differently. The callback of rewrite_each; returns false to end
 * the search. */
static bool try_rewriting(void *context, const rewriting *r)
{
    suggester *s = context;
    priced_loop loop = {.programs = {code_edited(s->code, s->edited->programs[0], &r->edit),
                                     code_edited(s->code, s->edited->programs[1], &r->edit)}};
    loop.free_registers = s->edited->free_registers | (r->needs_free ? r->changes & CODE_REGISTERS : 0);
    bool good = loop.programs[0] != NULL && loop.programs[1] != NULL;
    s->tried += good;
    const uint64_t most[2] = {s->from->run_clocks[0] + s->trips[0], s->from->run_clocks[1] + s->trips[1]};
    good = good && price(s, &loop, most) == P5_OK;
    const bool saves = good && loop.clocks < s->from->clocks - 0.01;
    const bool first = good && !saves && s->after == NULL && s->first.count < MOST_FIRST;
    if ((!saves && !first) || !keep(s, r, &loop, saves))
        free_loop(&loop);
    return s->status == P5_OK && s->tried < MOST_TRIED;
}

/* Compares suggestions, for sorting: by clocks, then by the length of their descriptions, then by the descriptions,
 * then by the order of pricing. */
static int by_clocks(const void *a, const void *b)
{
    const suggestion *x = a, *y = b;
    const size_t of_x = strlen(x->changes) + strlen(x->text), of_y = strlen(y->changes) + strlen(y->text);
    return ARRAY_ORDER(x->clocks, y->clocks) ?: ARRAY_ORDER(of_x, of_y) ?: strcmp(x->text, y->text)
           ?: ARRAY_ORDER(x->number, y->number);
}

/* Tries all rewritings of the loop `edited`. */
static p5_status try_all(suggester *s, const priced_loop *edited)
{
    p5_window *window;
    loop_code code;
    const p5_trip_range trips = {.count = 4};
    s->edited = edited;
    s->code = &code;
    s->status = p5_window_capture(edited->programs, s->trips, s->conditions, trips, &window, s->error);
    if (s->status != P5_OK)
        return s->status;
    if (code_open(&code, edited->programs[0], window, edited->free_registers))
        rewrite_each(&code, try_rewriting, s);
    code_close(&code);
    p5_window_free(window);
    return s->status;
}

/* Frees the loops of all items but item `kept` (SIZE_MAX: of all). */
static void free_all(suggestion *items, size_t count, size_t kept)
{
    for (size_t i = 0; i < count; i++)
        if (i != kept)
            free_loop(&items[i].loop);
}

/* Sets s->found to the rewritings of `from` that save clocks, best first. If there is none, looks for two
 * that do so together, the first of which can cost a clock by itself. */
static p5_status search(suggester *s, const priced_loop *from)
{
    s->found.count = s->first.count = 0;
    s->from = from;
    s->after = NULL;
    p5_status status = try_all(s, from);
    for (size_t i = 0; i < s->first.count && s->found.count == 0 && status == P5_OK && s->tried < MOST_TRIED;
         i++) {
        const suggestion one = s->first.items[i];
        s->after = &one;
        status = try_all(s, &one.loop);
    }
    free_all(s->first.items, s->first.count, SIZE_MAX);
    s->first.count = 0;
    ARRAY_SORT(&s->found, by_clocks);
    return status;
}

/* ---- Output -------------------------------------------------------------------------------------------- */

typedef struct output {
    FILE *out;
    bool json;
} output;

/* Writes a suggestion for a loop that takes `before` clocks per trip. `step`: its number among
 * those that are applied, from 1; 0: it is an alternative for the original loop. */
static void put(const output *o, unsigned step, const suggestion *x, double before)
{
    if (!o->json) {
        fprintf(o->out, "%14.3f %+10.3f  %s\n", x->clocks, x->clocks - before, x->text);
        if (x->changes[0] != '\0')
            fprintf(o->out, "%26s(changes %s)\n", "", x->changes);
        return;
    }
    json_writer json;
    json_init(&json, o->out);
    json_open_object(&json);
    json_key_string(&json, "what", "suggestion");
    json_key_unsigned(&json, "step", step);
    json_key_double(&json, "clocks", x->clocks);
    json_key_double(&json, "saves", before - x->clocks);
    json_key_string(&json, "text", x->text);
    json_key_string(&json, "changes", x->changes);
    json_close_object(&json);
}

/* Writes the alternatives for the original loop, which takes `before` clocks per trip. */
static void put_found(const output *o, const suggester *s, double before)
{
    if (s->found.count == 0 && !o->json)
        fprintf(
            o->out,
            s->tried > 0
                ? "None of %u rewritings of this loop saves a clock by the model.\n"
                : "This loop cannot be rewritten within a trip: no instruction has another form or place.\n",
            s->tried);
    if (s->found.count == 0)
        return;
    if (!o->json)
        fprintf(o->out,
                "Rewritings that save clocks: %zu of %u that were priced, out of %.3f clocks per trip.\n\n",
                s->found.count, s->tried, before);
    const size_t shown = s->found.count < MOST_SHOWN || o->json ? s->found.count : MOST_SHOWN;
    for (size_t i = 0; i < shown; i++)
        put(o, 0, &s->found.items[i], before);
    if (shown < s->found.count)
        fprintf(o->out, "%14s and %zu that save less\n", "", s->found.count - shown);
}

/* Returns the last execution in the window of the instruction at `address`, which was executed. */
static const window_insn *last_execution(const p5_window *window, uint32_t address)
{
    size_t i = window->count - 1;
    while (i > 0 && window->items[i].trace.address != address)
        i--;
    return &window->items[i];
}

/* Writes the loop after all steps: each instruction that a trip executes once, although a loop inside may execute it
 * often, with the pipe of its last execution. Leaves out the generated loop that calls a function. */
static p5_status put_loop(const output *o, suggester *s, const priced_loop *loop)
{
    p5_window *window;
    loop_code code;
    const p5_trip_range one = {.count = 1};
    p5_status status = p5_window_capture(loop->programs, s->trips, s->conditions, one, &window, s->error);
    if (status != P5_OK)
        return status;
    if (!code_open(&code, loop->programs[0], window, loop->free_registers))
        status = error_set(s->error, P5_ERR_MEMORY, "no memory for the rewritten loop");
    else
        fprintf(o->out, "\n%s is then\n", code.has_harness ? "The function" : "The loop");
    for (size_t i = 0; status == P5_OK && i < code.count; i++) {
        const code_insn *item = &code.items[i];
        if (!item->executed || item->fixed)
            continue;
        const window_insn *insn = last_execution(window, item->insn.address);
        fprintf(o->out, "    %s %s\n", insn->trace.pipe == 0 ? "U " : " V", insn->text);
    }
    code_close(&code);
    p5_window_free(window);
    return status;
}

/* Applies the best rewriting in s->found and searches again, until nothing saves clocks, and writes each
 * step. */
static p5_status apply_steps(const output *o, suggester *s)
{
    priced_loop now = {0};
    p5_status status = P5_OK;
    unsigned steps = 0;
    while (s->found.count > 0 && steps < MOST_STEPS && status == P5_OK) {
        const suggestion best = s->found.items[0];
        const double before = s->from->clocks;
        if (++steps == 1 && !o->json)
            fprintf(o->out, "\nStep by step, the best one each time:\n\n");
        put(o, steps, &best, before);
        free_all(s->found.items, s->found.count, 0);
        free_loop(&now);
        now = best.loop;
        status = search(s, &now);
    }
    free_all(s->found.items, s->found.count, SIZE_MAX);
    if (steps > 0 && status == P5_OK && !o->json)
        status = put_loop(o, s, &now);
    free_loop(&now);
    return status;
}

p5_status p5_suggest_write(FILE *out, p5_row_format format, p5_case_program *const programs[2],
                           const unsigned trips[2], const p5_case_conditions *conditions, p5_error *error)
{
    const output o = {out, format == P5_ROWS_JSON};
    suggester s = {.trips = trips, .conditions = conditions, .error = error};
    priced_loop original = {.programs = {programs[0], programs[1]}};
    p5_status status = price(&s, &original, NULL);
    if (status == P5_OK)
        status = search(&s, &original);
    if (status == P5_OK) {
        put_found(&o, &s, original.clocks);
        status = apply_steps(&o, &s);
    }
    free(s.found.items);
    free(s.first.items);
    return status;
}
