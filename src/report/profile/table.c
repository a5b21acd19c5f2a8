/* Writes a table of the shares of functions, lines, addresses, files or privilege classes in all costs
 * (`p5scope report`). A *site* of a profile is an instruction in a calling context at a privilege class, with
 * its costs. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory_text.h"
#include "base/text.h"
#include "report/profile/profile_internal.h"
#include "report/profile/table.h"
#include "report/row_writer.h"

void table_free(table_rows *rows)
{
    for (size_t i = 0; i < rows->list.count; i++) {
        free(rows->list.items[i].name);
        free(rows->list.items[i].own);
    }
    free(rows->list.items);
}

/* Returns the name of the row to which an address belongs; the caller frees it. `user`: at CPL 3. NULL: out
 * of memory. */
static char *name_of(const p5_profile *p, p5_profile_key key, uint64_t address, bool user)
{
    char buffer[16];
    memory_text name;
    int insn = profile_insn_at(p, address), function = profile_function_at(p, address);
    const profile_insn *line = insn != PROFILE_NO_INDEX && p->insns.items[insn].file != PROFILE_NO_INDEX
                                   ? &p->insns.items[insn]
                                   : NULL;
    if (!memory_text_open(&name))
        return NULL;
    if (key == P5_PROFILE_BY_MODE)
        fputs(user ? "CPL 3" : "CPL 0-2", name.out);
    else if (key == P5_PROFILE_BY_FILE)
        fputs(line ? profile_file_name(p, line->file) : "???", name.out);
    else if (key == P5_PROFILE_BY_LINE)
        fprintf(name.out, "%s:%u",
                line ? profile_file_name(p, line->file) : profile_name_at(p, address, buffer),
                line ? line->line : 0);
    else if (key == P5_PROFILE_BY_ADDRESS && function != PROFILE_NO_INDEX)
        fprintf(name.out, "0x%08" PRIx32 " %s+0x%" PRIx64, (uint32_t)address,
                p->functions.items[function].name, address - p->functions.items[function].start);
    else
        fputs(profile_name_at(p, address, buffer), name.out);
    return memory_text_end(&name);
}

/* Returns true if costs at CPL 3 and at other levels have rows of their own. Text shows the level for symbols
 * only, so its other rows with equal names are merged. Rows for programs have a column for it. */
static bool separates_classes(const p5_profile_table *t)
{
    return t->format != P5_ROWS_TEXT || t->key == P5_PROFILE_BY_SYMBOL;
}

table_row *table_row_add(table_rows *rows, char *name, const char *object, bool user)
{
    table_row row = {name, object, user,
                     calloc(2 * rows->width + 1, sizeof(uint64_t)) /* not of size 0 without columns */, NULL};
    if (!row.name || !row.own || !ARRAY_ROOM(&rows->list)) {
        free(row.name);
        free(row.own);
        return NULL;
    }
    row.inclusive = row.own + rows->width;
    rows->list.items[rows->list.count] = row;
    return &rows->list.items[rows->list.count++];
}

static int by_name(const void *a, const void *b)
{
    const table_row *x = a, *y = b;
    return strcmp(x->name, y->name) ?: strcmp(x->object, y->object) ?: x->user - y->user;
}

/* Orders the costliest first, by the first column. */
static int by_cost(const void *a, const void *b)
{
    const table_row *x = a, *y = b;
    return ARRAY_ORDER(y->inclusive[0], x->inclusive[0]) ?: ARRAY_ORDER(y->own[0], x->own[0])
           ?: by_name(a, b);
}

void table_merge(table_rows *rows)
{
    size_t left = 0;
    ARRAY_SORT(&rows->list, by_name);
    for (size_t i = 0; i < rows->list.count; i++) {
        table_row *row = &rows->list.items[i];
        if (left == 0 || by_name(&rows->list.items[left - 1], row) != 0) {
            rows->list.items[left++] = *row;
            continue;
        }
        for (size_t v = 0; v < 2 * rows->width; v++)
            rows->list.items[left - 1].own[v] += row->own[v];
        free(row->name);
        free(row->own);
    }
    rows->list.count = left;
}

/* Returns the object of a row: the file name of the program that contains the address, or "[board]" for costs
 * that belong to no instruction. Rows by file or mode, which can span several objects, get the guest's. */
static const char *object_of(const p5_profile *p, p5_profile_key key, uint64_t address)
{
    bool one = key != P5_PROFILE_BY_FILE && key != P5_PROFILE_BY_MODE;
    return address == 0 && one ? "[board]" : path_base(profile_object_at(p, one ? address : 0));
}

static bool is_user(const profile_site *site)
{
    return site->cpl_class == P5_CPL_USER;
}

/* Returns true if `address` belongs to the selected function, or if none is selected (PROFILE_NO_INDEX). */
static bool is_wanted(const p5_profile *p, int function, uint64_t address)
{
    return function == PROFILE_NO_INDEX || profile_function_at(p, address) == function;
}

/* Adds the own costs of all sites: a row for each address and privilege class. table_merge later merges rows
 * with the same name. Returns false when memory is out. */
static bool add_sites(const p5_profile *p, const p5_profile_table *t, const profile_value *values,
                      int function, table_rows *rows)
{
    table_row *row = NULL;
    for (size_t i = 0; i < p->sites.count; i++) {
        const profile_site *site = &p->sites.items[i];
        bool user = is_user(site);
        if (!is_wanted(p, function, site->address))
            continue;
        bool next = !row || site->address != site[-1].address || user != is_user(&site[-1]);
        if (next) {
            row = table_row_add(rows, name_of(p, t->key, site->address, user),
                                object_of(p, t->key, site->address), user && separates_classes(t));
        }
        if (!row)
            return false;
        for (size_t v = 0; v < rows->width; v++)
            row->own[v] += profile_amounts_value(site, &values[v]);
    }
    return true;
}

/* Returns whether a sample's address was executed at CPL 3. An address with several classes gets that of its first
 * site. An address that was not executed, which only the last sample can have, counts as CPL 3. */
static bool is_user_at(const p5_profile *p, uint64_t address)
{
    size_t site = ARRAY_SEARCH(p->sites.items, p->sites.count, address, address);
    bool found = site < p->sites.count && p->sites.items[site].address == address;
    return !found || is_user(&p->sites.items[site]);
}

/* Adds a row for each sample, which stands for as many events as the period has. Returns false when memory is
 * out. */
static bool add_samples(const p5_profile *p, const p5_profile_table *t, int function, table_rows *rows)
{
    for (size_t i = 0; i < p->samples.count; i++) {
        uint64_t address = p->samples.items[i].address;
        bool user = is_user_at(p, address);
        if (!is_wanted(p, function, address))
            continue;
        table_row *row = table_row_add(rows, name_of(p, t->key, address, user), object_of(p, t->key, address),
                                       user && separates_classes(t));
        if (!row)
            return false;
        row->own[0] = p->sample_period;
    }
    return true;
}

/* Returns whether the first site of the function at `address` is at CPL 3; true if there is none. */
static bool is_user_function(const p5_profile *p, uint64_t address)
{
    int f = profile_function_at(p, address);
    if (f == PROFILE_NO_INDEX)
        return true;
    const profile_function *function = &p->functions.items[f];
    size_t site = ARRAY_SEARCH(p->sites.items, p->sites.count, address, function->start);
    bool found = site < p->sites.count && p->sites.items[site].address < function->end;
    return !found || is_user(&p->sites.items[site]);
}

/* Adds a row with the inclusive cost of each context. Returns false when memory is out. A function that is on
 * the stack already continues its context, so no context is nested in one of the same function, and the sum
 * over a function's contexts is its inclusive cost. */
static bool add_inclusive(const p5_profile *p, const profile_value *values, int function, table_rows *rows)
{
    size_t width = rows->width;
    uint64_t *sums = profile_sum_by_context(p, values, width);
    bool fits = sums != NULL;
    for (size_t i = p->contexts.count; fits && i-- > PROFILE_ROOT + 1;) {
        const profile_context *c = &p->contexts.items[i];
        if (!is_wanted(p, function, c->function))
            continue;
        table_row *row =
            table_row_add(rows, name_of(p, P5_PROFILE_BY_SYMBOL, c->function, false),
                          object_of(p, P5_PROFILE_BY_SYMBOL, c->function), is_user_function(p, c->function));
        fits = row != NULL;
        if (fits)
            memcpy(row->inclusive, &sums[i * width], width * sizeof *sums);
    }
    free(sums);
    return fits;
}

/* Raises each inclusive cost to at least the own cost. It can be less, because a function that runs at several
 * privilege levels has its calls in one row only, and because code that was reached without a call is included in
 * the row of the function that control came from. */
static void include_own(table_rows *rows)
{
    for (size_t i = 0; i < rows->list.count; i++) {
        table_row *row = &rows->list.items[i];
        for (size_t v = 0; v < rows->width; v++)
            if (row->inclusive[v] < row->own[v])
                row->inclusive[v] = row->own[v];
    }
}

/* Writes the comment lines above the rows, as perf does. `totals`: of the run, by column. */
static void write_head(FILE *out, const p5_profile *p, const p5_profile_table *t, const profile_value *values,
                       const uint64_t *totals, size_t width)
{
    char grouped[32];
    fprintf(out, "# p5scope %s, model %s, options: %s\n# Command: %s\n", p->version, p->model, p->options,
            p->command);
    if (p->ending != NULL)
        fprintf(out, "# %s\n", p->ending);
    for (size_t v = 0; v < width; v++)
        fprintf(out, "# Event '%s'%s: %s\n", values[v].name, t->samples ? ", samples times period" : "",
                text_grouped(totals[v], grouped, sizeof grouped));
    if (t->samples)
        fprintf(out,
                "# %zu samples, one every %" PRIu64
                " %s, taken at the first instruction boundary %u clocks or "
                "more after the overflow\n",
                p->samples.count, p->sample_period, p->sample_event, p->sample_latency);
    fputs("#\n#", out);
    for (size_t v = 0; v < width; v++)
        fprintf(out, "%s Overhead%s", t->inclusive ? " Children     " : "",
                t->counts ? "            Count" : "");
    static const char *const titles[] = {"Symbol", "Line", "Address", "File", "Mode"};
    fprintf(out, "  Command          Shared Object    %s\n#\n", titles[t->key]);
}

/* Writes a row for programs. */
static void put_row(row_writer *out, const p5_profile_table *t, const table_row *row,
                    const profile_value *values, const uint64_t *totals, size_t width)
{
    static const char *const keys[] = {"symbol", "line", "address", "file", "mode"};
    rows_begin(out);
    rows_text(out, keys[t->key], row->name);
    rows_text(out, "object", row->object);
    rows_text(out, "cpl", row->user ? "u" : "k");
    for (size_t v = 0; v < width; v++) {
        char key[160];
        rows_unsigned(out, values[v].name, row->own[v]);
        snprintf(key, sizeof key, "%s_percent", values[v].name);
        rows_double(out, key, profile_percent(row->own[v], totals[v]));
        snprintf(key, sizeof key, "%s_children", values[v].name);
        if (t->inclusive)
            rows_unsigned(out, key, row->inclusive[v]);
    }
    rows_end(out);
}

/* Writes a field of a table whose fields a separator divides. As in perf's output, a dot replaces each
 * separator in the text. */
static void write_field(FILE *out, const char *text, const char *separator)
{
    size_t length = strlen(separator);
    for (const char *at; length > 0 && (at = strstr(text, separator)) != NULL; text = at + length)
        fprintf(out, "%.*s.", (int)(at - text), text);
    fputs(text, out);
}

/* Writes a row as text. `command`: the program that was run. */
static void write_row(FILE *out, const p5_profile_table *t, const table_row *row, const uint64_t *totals,
                      size_t width, const char *command)
{
    char number[24];
    const char *s = t->separator;
    const char *colour = profile_colour(t->colour && s == NULL, profile_percent(row->own[0], totals[0]));
    fputs(colour, out);
    for (size_t v = 0; v < width; v++) {
        if (t->inclusive)
            fprintf(out, s ? "%.2f%%%s" : "  %7.2f%%%s", profile_percent(row->inclusive[v], totals[v]),
                    s ? s : "    ");
        fprintf(out, s ? "%.2f%%%s" : "  %7.2f%%%s", profile_percent(row->own[v], totals[v]), s ? s : "");
        snprintf(number, sizeof number, "%" PRIu64, row->own[v]);
        if (t->counts)
            fprintf(out, s ? "%s%s" : "  %15s%s", number, s ? s : "");
    }
    const char *mode = t->key == P5_PROFILE_BY_SYMBOL ? row->user ? "[.] " : "[k] " : "";
    if (s) {
        write_field(out, command, s);
        fputs(s, out);
        write_field(out, row->object, s);
        fprintf(out, "%s%s", s, mode);
        write_field(out, row->name, s);
        fputc('\n', out);
    } else {
        fprintf(out, "  %-15s  %-15s  %s%s%s\n", command, row->object, mode, row->name,
                colour[0] != '\0' ? "\033[0m" : "");
    }
}

/* Returns true if the row has a cost and one of its shares in `totals` is at least `least_percent`. */
static bool is_shown(const table_row *row, const uint64_t *totals, size_t width, double least_percent)
{
    for (size_t v = 0; v < width; v++) {
        uint64_t cost = row->own[v] > row->inclusive[v] ? row->own[v] : row->inclusive[v];
        if (cost > 0 && profile_percent(cost, totals[v]) >= least_percent)
            return true;
    }
    return false;
}

p5_status p5_profile_write_table(FILE *out, const p5_profile *p, const p5_profile_table *t, p5_error *error)
{
    static const char *const clocks_only[] = {"clocks", NULL};
    const char *const sampled[] = {p->sample_event, NULL};
    const char *const *events = t->samples ? sampled : t->events && t->events[0] ? t->events : clocks_only;
    enum { MOST = 64 };
    profile_value values[MOST];
    uint64_t totals[MOST];
    size_t width = 0;
    if (t->samples && !p->sample_event) {
        error_set(error, P5_ERR_STATE, "the profile has no samples");
        error_hint(error, "'p5scope record --period EVENT/N' takes them");
        return P5_ERR_STATE;
    }
    for (; events[width]; width++) {
        if (width == MOST)
            return error_set(error, P5_ERR_RANGE, "more than %d events in one table", MOST);
        p5_status status = profile_value_find(p->family, events[width], &values[width], error);
        if (status != P5_OK)
            return status;
        totals[width] = profile_total_value(p, &values[width]);
    }
    int function = PROFILE_NO_INDEX;
    if (t->function) {
        p5_status status = profile_find_function(p, t->function, &function, error);
        if (status != P5_OK)
            return status;
    }
    if (t->samples)
        totals[0] = p->samples.count * p->sample_period;
    table_rows rows = {.width = width};
    bool inclusive = t->inclusive && t->key == P5_PROFILE_BY_SYMBOL && !t->samples;
    p5_profile_table shown = *t;
    shown.inclusive = inclusive;
    bool fits = t->samples ? add_samples(p, t, function, &rows) : add_sites(p, t, values, function, &rows);
    fits = fits && (!inclusive || add_inclusive(p, values, function, &rows));
    if (fits) {
        table_merge(&rows);
        if (inclusive)
            include_own(&rows);
        ARRAY_SORT(&rows.list, by_cost);
        const char *command = p->program != NULL ? p->program : profile_object_at(p, 0);
        row_writer writer;
        bool for_programs = t->format != P5_ROWS_TEXT;
        if (for_programs)
            rows_open(&writer, out, t->format, "report", "command", p->command, "model", p->model, NULL);
        else
            write_head(out, p, &shown, values, totals, width);
        for (size_t i = 0; i < rows.list.count; i++) {
            const table_row *row = &rows.list.items[i];
            if (!is_shown(row, totals, width, t->least_percent))
                continue;
            if (for_programs)
                put_row(&writer, &shown, row, values, totals, width);
            else
                write_row(out, &shown, row, totals, width, path_base(command));
        }
    }
    table_free(&rows);
    if (!fits)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    return error_unless_written(error, out, "the report");
}
