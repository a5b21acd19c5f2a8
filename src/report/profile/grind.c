/* Writes profiles in the formats of Valgrind's tools: Cachegrind's output file and Callgrind's profile
 * format, version 1 (keywords such as fl=, fn=, cfn= and calls= are of the latter). A *site* of a profile is
 * an instruction in a calling context at a privilege class, with its costs.
 *
 * Costs are written in address order. Inlined code from another file is part of the caller's function, marked
 * with `fi=` and `fe=`. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "isa/isa.h"
#include "report/profile/grind_columns.h"

/* Writes the names of the columns. */
static void write_events(FILE *out, const grind_columns *c)
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

/* Writes a line with the totals of the run, which begins with `tag`. */
static void write_totals(FILE *out, const p5_profile *p, const grind_columns *c, const char *tag)
{
    fputs(tag, out);
    for (size_t i = 0; i < c->count; i++)
        fprintf(out, " %" PRIu64, profile_total_value(p, &c->values[i]));
    fputc('\n', out);
}

/* Returns the index of a function's source file in p->files; PROFILE_NO_INDEX if no line is known to be from
 * it. */
static int source_number(const p5_profile *p, const profile_function *f)
{
    for (size_t i = 0; f->source && i < p->files.count; i++)
        if (strcmp(p->files.items[i], f->source) == 0)
            return (int)i;
    return PROFILE_NO_INDEX;
}

/* Returns the name of the source file of the function at an address, or that of the function's first instruction
 * whose line is known, or "???". */
static const char *file_of_function(const p5_profile *p, uint64_t address)
{
    int f = profile_function_at(p, address);
    if (f == PROFILE_NO_INDEX)
        return "???";
    int number = source_number(p, &p->functions.items[f]);
    if (number != PROFILE_NO_INDEX)
        return profile_file_name(p, number);
    size_t end = profile_insn_from(p, p->functions.items[f].end);
    for (size_t i = profile_insn_from(p, p->functions.items[f].start); i < end; i++)
        if (p->insns.items[i].file != PROFILE_NO_INDEX)
            return profile_file_name(p, p->insns.items[i].file);
    return "???";
}

/* ---- costs by address ---------------------------------------------------------------------------------- */

typedef struct cost_row {
    uint64_t address;
    int insn;              /* index of the instruction; PROFILE_NO_INDEX: unknown code, or the bus */
    const uint64_t *costs; /* one for each column, in costs.numbers */
} cost_row;

typedef struct costs {
    size_t count, width; /* of rows, of columns */
    cost_row *rows;      /* by address */
    uint64_t *numbers;
} costs;

static void costs_free(costs *c)
{
    free(c->rows);
    free(c->numbers);
    *c = (costs){0};
}

/* Makes a row for each address that has costs, with the sums over contexts and privilege classes. Sites are
 * sorted by address. Returns false when memory is out; *made is then empty. */
static bool costs_make(const p5_profile *p, const grind_columns *c, costs *made)
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
    grind_columns c;
    costs all;
    grind_columns_choose(p, &c);
    if (!costs_make(p, &c, &all))
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    fprintf(out, "desc: p5scope %s, model %s at %g MHz\ndesc: options: %s\ncmd: %s\n", p->version, p->model,
            p->clock_mhz, p->options, p->command);
    write_events(out, &c);
    const char *file = NULL;
    int function = PROFILE_NO_INDEX;
    for (size_t i = 0; i < all.count; i++) {
        const cost_row *row = &all.rows[i];
        char buffer[16];
        const char *now_file = file_of(p, row);
        int now = profile_function_at(p, row->address);
        if (!file || strcmp(file, now_file) != 0 || function != now) {
            file = now_file;
            function = now;
            fprintf(out, "fl=%s\nfn=%s\n", file, profile_name_at(p, row->address, buffer));
        }
        fprintf(out, "%u", line_of(p, row));
        write_numbers(out, row->costs, c.count);
    }
    write_totals(out, p, &c, "summary:");
    costs_free(&all);
    return error_unless_written(error, out, "the profile");
}

/* ---- callgrind ----------------------------------------------------------------------------------------- */

/* Calls from one call instruction to one function, in all contexts. */
typedef struct call_row {
    uint64_t call_site, function;
    uint64_t calls;
    uint64_t *costs; /* by column, including callees; recursive calls add nothing. In calls.numbers */
} call_row;

static int by_call(const void *a, const void *b)
{
    const call_row *x = a, *y = b;
    return ARRAY_ORDER(x->call_site, y->call_site) ?: ARRAY_ORDER(x->function, y->function);
}

/* Sorts the rows, merges those with the same call site and function, and returns the number of rows left. */
static size_t merge_calls(call_row *rows, size_t count, size_t width)
{
    size_t left = 0;
    array_sort(rows, count, sizeof *rows, by_call);
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
    call_row *rows; /* by call site and function */
    uint64_t *numbers;
} calls;

/* Makes the rows of all calls. Returns false when memory is out; the caller frees rows and numbers in any
 * case. */
static bool calls_make(const p5_profile *p, const grind_columns *c, calls *made)
{
    *made = (calls){.rows = calloc(p->edges.count + 1, sizeof *made->rows),
                    .numbers = calloc((p->edges.count + 1) * c->count, sizeof *made->numbers)};
    uint64_t *inclusive = profile_sum_by_context(p, c->values, c->count);
    bool fits = made->rows && made->numbers && inclusive;
    for (size_t i = 0; fits && i < p->edges.count; i++) {
        const profile_edge *e = &p->edges.items[i];
        if (e->from == PROFILE_ROOT && e->call_site == 0)
            continue; /* the first function has no caller */
        call_row *row = &made->rows[made->count];
        *row = (call_row){e->call_site, e->function, e->calls, &made->numbers[made->count * c->count]};
        made->count++;
        const profile_context *to = &p->contexts.items[e->to];
        /* A recursive call continues a context that exists already, because no context lies inside another one of the
         * same function. It adds no costs. */
        bool child = to->parent == e->from && to->call_site == e->call_site && to->function == e->function;
        if (child)
            memcpy(row->costs, &inclusive[e->to * c->count], c->count * sizeof *row->costs);
    }
    free(inclusive);
    if (fits)
        made->count = merge_calls(made->rows, made->count, c->count);
    return fits;
}

/* Which names were written so far. The first reference to a file or function has its number and its name,
 * later ones only the number. Functions have distinct numbers even if their names are equal. */
typedef struct names {
    const p5_profile *p;
    /* By index in the profile plus 1, and 0 for an unknown one: the name was written. */
    bool *files, *functions;
} names;

/* Returns false when memory is out; the caller calls names_close in any case. */
static bool names_open(names *n, const p5_profile *p)
{
    *n = (names){p, calloc(p->files.count + 1, sizeof *n->files),
                 calloc(p->functions.count + 1, sizeof *n->functions)};
    return n->files && n->functions;
}

static void names_close(names *n)
{
    free(n->files);
    free(n->functions);
}

/* Writes a reference "TAG=(NUMBER)", with the name if it is the first. The number in the file is `number` +
 * 1. */
static void write_name(FILE *out, bool *defined, const char *tag, size_t number, const char *name)
{
    fprintf(out, "%s=(%zu)", tag, number + 1);
    if (!*defined)
        fprintf(out, " %s", name);
    fputc('\n', out);
    *defined = true;
}

/* Writes a file's name or number. `file` is a pointer that profile_file_name has returned. */
static void write_file(FILE *out, names *n, const char *tag, const char *file)
{
    size_t number = 0;
    for (size_t i = 0; i < n->p->files.count && number == 0; i++)
        if (n->p->file_names.items[i] == file)
            number = i + 1;
    write_name(out, &n->files[number], tag, number, file);
}

/* Returns true if the function's source file distinguishes it from others with the same symbol, or if no other has
 * its symbol. The format shows the file next to the name, which then needs no qualifier. */
static bool file_distinguishes(const p5_profile *p, const profile_function *f)
{
    return f->qualifier == NULL ||
           (source_number(p, f) != PROFILE_NO_INDEX &&
            (strcmp(f->qualifier, f->source) == 0 || strcmp(f->qualifier, path_base(f->source)) == 0));
}

/* Writes the name or number of the function at `address`. Code without a function has its address as the
 * name. */
static void write_function(FILE *out, names *n, const char *tag, uint64_t address)
{
    char buffer[16];
    int f = profile_function_at(n->p, address);
    const profile_function *function = f != PROFILE_NO_INDEX ? &n->p->functions.items[f] : NULL;
    char *unqualified = function && file_distinguishes(n->p, function)
                            ? function_unqualified_name(function, n->p->mangled)
                            : NULL;
    if (!function && address != 0)
        fprintf(out, "%s=%s\n", tag, profile_name_at(n->p, address, buffer));
    else
        write_name(out, &n->functions[f + 1], tag, (size_t)(f + 1),
                   unqualified ? unqualified : profile_name_at(n->p, address, buffer));
    free(unqualified);
}

/* Returns the sum of a quantity at an address over contexts and privilege classes. */
static uint64_t amount_at(const p5_profile *p, uint64_t address, unsigned quantity)
{
    uint64_t sum = 0;
    const profile_value value = {.quantity = (int)quantity, .cpl_mask = P5_CPL_MASK_ALL};
    size_t i = ARRAY_SEARCH(p->sites.items, p->sites.count, address, address);
    for (; i < p->sites.count && p->sites.items[i].address == address; i++)
        sum += profile_amounts_value(&p->sites.items[i], &value);
    return sum;
}

/* Writes the position of an address: address and source line. */
static void write_place(FILE *out, const p5_profile *p, uint64_t address)
{
    int insn = profile_insn_at(p, address);
    fprintf(out, "0x%" PRIx64 " %u", address, insn == PROFILE_NO_INDEX ? 0 : p->insns.items[insn].line);
}

/* Writes how often a conditional jump was taken and executed. The format needs the target's file and function
 * only if they differ from the jump's, so only jumps within a function are written. */
static void write_jump(FILE *out, const p5_profile *p, const cost_row *row)
{
    if (row->insn == PROFILE_NO_INDEX)
        return;
    const profile_code *code = &p->insns.items[row->insn].code;
    if ((code->branch != ISA_JCC && code->branch != ISA_LOOP) ||
        profile_function_at(p, code->target) != profile_function_at(p, code->address))
        return;
    fprintf(out, "jcnd=%" PRIu64 "/%" PRIu64 " ", amount_at(p, code->address, P5_EVENT_TAKEN_BRANCHES),
            amount_at(p, code->address, P5_PROFILE_EXECUTIONS));
    write_place(out, p, code->target);
    fputc('\n', out);
    write_place(out, p, code->address);
    fputc('\n', out);
}

/* Writes the calls of a row: the called function, and the costs, which belong to the call site. */
static void write_call(FILE *out, const p5_profile *p, const call_row *call, size_t width, names *n)
{
    if (PROFILE_SPACE(call->function) != PROFILE_SPACE(call->call_site))
        fprintf(out, "cob=%s\n", profile_object_at(p, call->function));
    write_file(out, n, "cfi", file_of_function(p, call->function));
    write_function(out, n, "cfn", call->function);
    fprintf(out, "calls=%" PRIu64 " ", call->calls);
    write_place(out, p, call->function);
    fputc('\n', out);
    write_place(out, p, call->call_site);
    write_numbers(out, call->costs, width);
}

/* Writes what comes before the costs: the run, and the columns with their titles. */
static void write_callgrind_head(FILE *out, const p5_profile *p, const grind_columns *c)
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

/* Writes costs, jumps and calls in address order. */
static void write_body(FILE *out, const p5_profile *p, const costs *all, const calls *edges, size_t width,
                       names *n)
{
    const char *file = NULL;
    int function = PROFILE_NO_INDEX;
    unsigned space = PROFILE_SPACES;
    size_t call = 0;
    for (size_t i = 0; i < all->count; i++) {
        const cost_row *row = &all->rows[i];
        const char *now_file = file_of(p, row);
        int now = profile_function_at(p, row->address);
        if (now != function || now == PROFILE_NO_INDEX || PROFILE_SPACE(row->address) != space) {
            function = now;
            fputc('\n', out);
            if (PROFILE_SPACE(row->address) != space)
                fprintf(out, "ob=%s\n", profile_object_at(p, row->address));
            space = PROFILE_SPACE(row->address);
            file = file_of_function(p, row->address);
            write_file(out, n, "fl", file);
            write_function(out, n, "fn", row->address);
        }
        if (strcmp(file, now_file) != 0) {
            bool back = strcmp(now_file, file_of_function(p, row->address)) == 0;
            write_file(out, n, back ? "fe" : "fi", now_file);
            file = now_file;
        }
        write_place(out, p, row->address);
        write_numbers(out, row->costs, width);
        write_jump(out, p, row);
        while (call < edges->count && edges->rows[call].call_site < row->address)
            call++;
        for (; call < edges->count && edges->rows[call].call_site == row->address; call++)
            write_call(out, p, &edges->rows[call], width, n);
    }
}

p5_status p5_profile_write_callgrind(FILE *out, const p5_profile *p, p5_error *error)
{
    grind_columns c;
    costs all = {0};
    calls edges = {0};
    names n = {0};
    grind_columns_choose(p, &c);
    bool fits = costs_make(p, &c, &all) && calls_make(p, &c, &edges) && names_open(&n, p);
    if (fits) {
        write_callgrind_head(out, p, &c);
        write_body(out, p, &all, &edges, c.count, &n);
        write_totals(out, p, &c, "\ntotals:");
    }
    names_close(&n);
    costs_free(&all);
    free(edges.rows);
    free(edges.numbers);
    return fits ? error_unless_written(error, out, "the profile")
                : error_set(error, P5_ERR_MEMORY, "out of memory");
}
