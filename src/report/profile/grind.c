/* Profiles as Valgrind's tools write them: cachegrind's output file and callgrind's profile format,
 * version 1.
 *
 * Costs are written in address order. What an inlined function contributed has its own file: the caller's
 * function goes on with `fi=`, `fe=`. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "isa/isa.h"
#include "report/profile/profile_internal.h"

enum { MOST_SHOWN = 64 };

/* Columns: clocks, the events of the processor, the owners of clocks, executions. */
typedef struct columns {
    profile_value values[2 + P5_EVENT_COUNT + P5_STALL_COUNT];
    size_t count;
} columns;

static void add_column(columns *c, int quantity, const char *name)
{
    profile_value *v = &c->values[c->count++];
    *v = (profile_value){.quantity = quantity, .cpl_mask = P5_CPL_MASK_ALL};
    snprintf(v->name, sizeof v->name, "%s", name);
}

/* Names of columns are words: a colon becomes an underscore. */
static void add_value(columns *c, const profile_value *value)
{
    profile_value *v = &c->values[c->count++];
    *v = *value;
    for (char *colon = v->name; (colon = strchr(colon, ':')) != NULL;)
        *colon = '_';
}

static void choose_columns(const p5_profile *p, columns *c)
{
    char room[48];
    c->count = 0;
    add_column(c, P5_PROFILE_CLOCKS, "clocks");
    add_column(c, P5_EVENT_INSTRUCTIONS_EXECUTED,
               profile_quantity_name(P5_EVENT_INSTRUCTIONS_EXECUTED, room));
    for (size_t i = 0; i < p->shown.count; i++) {
        bool there = false;
        for (size_t column = 0; column < c->count; column++)
            there |= strcmp(c->values[column].name, p->shown.items[i].name) == 0;
        if (!there)
            add_value(c, &p->shown.items[i]);
    }
    if (p->shown.count > 0)
        return;
    for (unsigned e = 0; e < P5_EVENT_COUNT; e++)
        if (e != P5_EVENT_INSTRUCTIONS_EXECUTED &&
            (p5_event_describe((enum p5_event)e)->families & p->family) != 0)
            add_column(c, (int)e, profile_quantity_name(e, room));
    for (unsigned q = P5_PROFILE_STALLS; q < P5_PROFILE_EXECUTIONS; q++)
        add_column(c, (int)q, profile_quantity_name(q, room));
}

p5_status p5_profile_show_events(p5_profile *p, const char *const *events, p5_error *error)
{
    p->shown.count = 0;
    for (; events != NULL && *events != NULL; events++) {
        profile_value value;
        p5_status status = profile_value_find(p->family, *events, &value, error);
        if (status != P5_OK)
            return status;
        if (p->shown.count == MOST_SHOWN || !ARRAY_ADD(&p->shown, value))
            return error_set(error, P5_ERR_RANGE, "more than %d events", MOST_SHOWN);
    }
    return P5_OK;
}

static void write_events(FILE *out, const columns *c)
{
    fputs("events:", out);
    for (size_t i = 0; i < c->count; i++)
        fprintf(out, " %s", c->values[i].name);
    fputc('\n', out);
}

static void write_numbers(FILE *out, const uint64_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, " %" PRIu64, numbers[i]);
    fputc('\n', out);
}

static void write_totals(FILE *out, const p5_profile *p, const columns *c, const char *tag)
{
    fputs(tag, out);
    for (size_t i = 0; i < c->count; i++)
        fprintf(out, " %" PRIu64, profile_total_value(p, &c->values[i]));
    fputc('\n', out);
}

static p5_status written(FILE *out, p5_error *error)
{
    return error_unless_written(error, out, "the profile");
}

/* File of the function that an address belongs to: of its first known line. */
static const char *file_of_function(const p5_profile *p, uint64_t address)
{
    int f = profile_function_at(p, address);
    if (f == PROFILE_NO_INDEX)
        return "???";
    size_t end = profile_insn_from(p, p->functions.items[f].end);
    for (size_t i = profile_insn_from(p, p->functions.items[f].start); i < end; i++)
        if (p->insns.items[i].file != PROFILE_NO_INDEX)
            return profile_file_name(p, p->insns.items[i].file);
    return "???";
}

/* ---- costs by address ---------------------------------------------------------------------------------- */

typedef struct cost_row {
    uint64_t address;
    int insn; /* PROFILE_NO_INDEX: code that is not known, or the bus */
    const uint64_t *costs;
} cost_row;

typedef struct costs {
    size_t count, width;
    cost_row *rows;
    uint64_t *numbers;
} costs;

static void costs_free(costs *c)
{
    free(c->rows);
    free(c->numbers);
    *c = (costs){0};
}

/* Sums contexts and privilege classes; sites are sorted by address. */
static bool costs_make(const p5_profile *p, const columns *c, costs *made)
{
    *made = (costs){.width = c->count};
    made->rows = calloc(p->sites.count + 1, sizeof *made->rows);
    made->numbers = calloc((p->sites.count + 1) * c->count, sizeof *made->numbers);
    if (!made->rows || !made->numbers) {
        costs_free(made);
        return false;
    }
    for (size_t i = 0; i < p->sites.count; i++) {
        const profile_site *site = &p->sites.items[i];
        if (i == 0 || site->address != site[-1].address)
            made->rows[made->count++] = (cost_row){site->address, profile_insn_at(p, site->address), NULL};
        uint64_t *numbers = &made->numbers[(made->count - 1) * c->count];
        made->rows[made->count - 1].costs = numbers;
        for (size_t v = 0; v < c->count; v++)
            numbers[v] += profile_amounts_value(site, &c->values[v]);
    }
    return true;
}

static unsigned line_of(const p5_profile *p, const cost_row *row)
{
    return row->insn == PROFILE_NO_INDEX ? 0 : p->insns.items[row->insn].line;
}

static const char *file_of(const p5_profile *p, const cost_row *row)
{
    return row->insn == PROFILE_NO_INDEX ? "???" : profile_file_name(p, p->insns.items[row->insn].file);
}

/* ---- cachegrind ---------------------------------------------------------------------------------------- */

p5_status p5_profile_write_cachegrind(FILE *out, const p5_profile *p, p5_error *error)
{
    columns c;
    costs all;
    choose_columns(p, &c);
    if (!costs_make(p, &c, &all))
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    fprintf(out, "desc: p5scope %s, model %s at %g MHz\ndesc: options: %s\ncmd: %s\n", p->version, p->model,
            p->clock_mhz, p->options, p->command);
    write_events(out, &c);
    const char *file = NULL;
    char name[512] = "", room[16];
    for (size_t i = 0; i < all.count; i++) {
        const cost_row *row = &all.rows[i];
        const char *now = profile_name_at(p, row->address, room), *now_file = file_of(p, row);
        if (!file || strcmp(file, now_file) != 0 || strcmp(name, now) != 0) {
            file = now_file;
            snprintf(name, sizeof name, "%s", now);
            fprintf(out, "fl=%s\nfn=%s\n", file, now);
        }
        fprintf(out, "%u", line_of(p, row));
        write_numbers(out, row->costs, c.count);
    }
    write_totals(out, p, &c, "summary:");
    costs_free(&all);
    return written(out, error);
}

/* ---- callgrind ----------------------------------------------------------------------------------------- */

/* Calls between two places, all contexts together. */
typedef struct call_row {
    uint64_t call_site, function;
    uint64_t calls;
    uint64_t *costs; /* inclusive; calls into what is on the stack already add nothing */
} call_row;

static int by_call(const void *a, const void *b)
{
    const call_row *x = a, *y = b;
    if (x->call_site != y->call_site)
        return x->call_site < y->call_site ? -1 : 1;
    return (x->function > y->function) - (x->function < y->function);
}

/* Merges rows of one place. */
static size_t merge_calls(call_row *rows, size_t count, size_t width)
{
    size_t left = 0;
    if (count > 1)
        qsort(rows, count, sizeof *rows, by_call);
    for (size_t i = 0; i < count; i++) {
        if (left > 0 && by_call(&rows[left - 1], &rows[i]) == 0) {
            rows[left - 1].calls += rows[i].calls;
            for (size_t v = 0; v < width; v++)
                rows[left - 1].costs[v] += rows[i].costs[v];
        } else {
            rows[left++] = rows[i];
        }
    }
    return left;
}

typedef struct calls {
    size_t count;
    call_row *rows;
    uint64_t *numbers;
} calls;

/* A context may lie inside another one of the same call (f calls g calls h calls g at one place): only the
 * outermost adds its cost. */
static bool is_nested(const p5_profile *p, uint32_t context)
{
    const profile_context *c = &p->contexts.items[context];
    for (uint32_t at = c->parent; at != PROFILE_ROOT; at = p->contexts.items[at].parent)
        if (p->contexts.items[at].function == c->function && p->contexts.items[at].call_site == c->call_site)
            return true;
    return false;
}

static bool calls_make(const p5_profile *p, const columns *c, calls *made)
{
    *made = (calls){.rows = calloc(p->edges.count + 1, sizeof *made->rows),
                    .numbers = calloc((p->edges.count + 1) * c->count, sizeof *made->numbers)};
    uint64_t *inclusive = profile_sum_by_context(p, c->values, c->count);
    bool fits = made->rows && made->numbers && inclusive;
    for (size_t i = 0; fits && i < p->edges.count; i++) {
        const profile_edge *e = &p->edges.items[i];
        if (e->from == PROFILE_ROOT && e->call_site == 0)
            continue; /* nobody called the first function */
        call_row *row = &made->rows[made->count];
        *row = (call_row){e->call_site, e->function, e->calls, &made->numbers[made->count * c->count]};
        made->count++;
        const profile_context *to = &p->contexts.items[e->to];
        bool child = to->parent == e->from && to->call_site == e->call_site && to->function == e->function;
        if (child && !is_nested(p, e->to))
            memcpy(row->costs, &inclusive[e->to * c->count], c->count * sizeof *row->costs);
    }
    free(inclusive);
    if (fits)
        made->count = merge_calls(made->rows, made->count, c->count);
    return fits;
}

/* Names once defined are referred to by number. */
typedef struct names {
    ARRAY_OF(char *) list;
} names;

static void write_name(FILE *out, names *n, const char *tag, const char *name)
{
    for (size_t i = 0; i < n->list.count; i++) {
        if (strcmp(n->list.items[i], name) == 0) {
            fprintf(out, "%s=(%zu)\n", tag, i + 1);
            return;
        }
    }
    char *copy = strdup(name);
    if (copy && ARRAY_ROOM(&n->list)) {
        n->list.items[n->list.count++] = copy;
        fprintf(out, "%s=(%zu) %s\n", tag, n->list.count, name);
    } else {
        free(copy);
        fprintf(out, "%s=%s\n", tag, name); /* longer, not wrong */
    }
}

static void names_free(names *n)
{
    for (size_t i = 0; i < n->list.count; i++)
        free(n->list.items[i]);
    free(n->list.items);
}

static uint64_t amount_at(const p5_profile *p, uint64_t address, unsigned quantity)
{
    uint64_t sum = 0;
    const profile_value value = {.quantity = (int)quantity, .cpl_mask = P5_CPL_MASK_ALL};
    size_t i = ARRAY_SEARCH(p->sites.items, p->sites.count, address, address);
    for (; i < p->sites.count && p->sites.items[i].address == address; i++)
        sum += profile_amounts_value(&p->sites.items[i], &value);
    return sum;
}

static void write_place(FILE *out, const p5_profile *p, uint64_t address)
{
    int insn = profile_insn_at(p, address);
    fprintf(out, "0x%" PRIx64 " %u", address, insn == PROFILE_NO_INDEX ? 0 : p->insns.items[insn].line);
}

/* Conditional jumps: how often executed and taken. The readers want the target's file and function only if
 * they differ; a conditional jump stays in its function. */
static void write_jump(FILE *out, const p5_profile *p, const cost_row *row)
{
    if (row->insn == PROFILE_NO_INDEX)
        return;
    const profile_code *code = &p->insns.items[row->insn].code;
    if ((code->branch != ISA_JCC && code->branch != ISA_LOOP) ||
        profile_function_at(p, code->target) != profile_function_at(p, code->address))
        return;
    fprintf(out, "jcnd=%" PRIu64 "/%" PRIu64 " ", amount_at(p, code->address, P5_PROFILE_EXECUTIONS),
            amount_at(p, code->address, P5_EVENT_TAKEN_BRANCHES));
    write_place(out, p, code->target);
    fputc('\n', out);
    write_place(out, p, code->address);
    fputc('\n', out);
}

static void write_call(FILE *out, const p5_profile *p, const call_row *call, size_t width, names *files,
                       names *functions)
{
    char room[16];
    if (PROFILE_SPACE(call->function) != PROFILE_SPACE(call->call_site))
        fprintf(out, "cob=%s\n", profile_object_at(p, call->function));
    write_name(out, files, "cfi", file_of_function(p, call->function));
    write_name(out, functions, "cfn", profile_name_at(p, call->function, room));
    fprintf(out, "calls=%" PRIu64 " ", call->calls);
    write_place(out, p, call->function);
    fputc('\n', out);
    write_place(out, p, call->call_site);
    write_numbers(out, call->costs, width);
}

static void write_callgrind_head(FILE *out, const p5_profile *p, const columns *c)
{
    fprintf(out, "# callgrind format\nversion: 1\ncreator: p5scope %s\npid: 1\ncmd: %s\npart: 1\n\n",
            p->version, p->command);
    fprintf(out, "desc: Model: %s at %g MHz\ndesc: Options: %s\n\npositions: instr line\n", p->model,
            p->clock_mhz, p->options);
    for (size_t i = 0; i < c->count; i++) {
        int q = c->values[i].quantity;
        if (q >= 0 && q < P5_EVENT_COUNT)
            fprintf(out, "event: %s : %s\n", c->values[i].name, p5_event_describe((enum p5_event)q)->title);
    }
    write_events(out, c);
    write_totals(out, p, c, "summary:");
}

p5_status p5_profile_write_callgrind(FILE *out, const p5_profile *p, p5_error *error)
{
    columns c;
    costs all = {0};
    calls edges = {0};
    choose_columns(p, &c);
    bool fits = costs_make(p, &c, &all) && calls_make(p, &c, &edges);
    names files = {{0}}, functions = {{0}};
    char name[512] = "", room[16];
    const char *file = NULL;
    size_t call = 0;
    unsigned space = PROFILE_SPACES;
    if (fits)
        write_callgrind_head(out, p, &c);
    for (size_t i = 0; fits && i < all.count; i++) {
        const cost_row *row = &all.rows[i];
        const char *now = profile_name_at(p, row->address, room), *now_file = file_of(p, row);
        if (strcmp(name, now) != 0 || PROFILE_SPACE(row->address) != space) {
            snprintf(name, sizeof name, "%s", now);
            fputc('\n', out);
            if (PROFILE_SPACE(row->address) != space)
                fprintf(out, "ob=%s\n", profile_object_at(p, row->address));
            space = PROFILE_SPACE(row->address);
            write_name(out, &files, "fl", file_of_function(p, row->address));
            write_name(out, &functions, "fn", now);
            file = file_of_function(p, row->address);
        }
        if (strcmp(file, now_file) != 0) {
            write_name(out, &files, strcmp(now_file, file_of_function(p, row->address)) == 0 ? "fe" : "fi",
                       now_file);
            file = now_file;
        }
        write_place(out, p, row->address);
        write_numbers(out, row->costs, c.count);
        write_jump(out, p, row);
        while (call < edges.count && edges.rows[call].call_site < row->address)
            call++;
        for (; call < edges.count && edges.rows[call].call_site == row->address; call++)
            write_call(out, p, &edges.rows[call], c.count, &files, &functions);
    }
    if (fits)
        write_totals(out, p, &c, "\ntotals:");
    names_free(&files);
    names_free(&functions);
    costs_free(&all);
    free(edges.rows);
    free(edges.numbers);
    return fits ? written(out, error) : error_set(error, P5_ERR_MEMORY, "out of memory");
}
