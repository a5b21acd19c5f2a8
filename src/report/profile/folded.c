/* Writes folded stacks, the input of flame graph programs (`p5scope report -o FILE.folded`): for each stack
 * of calling functions, a line "OUTER;INNER COST". */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory_text.h"
#include "report/profile/profile_internal.h"
#include "report/profile/table.h"

/* Bytes of all stacks together. Each line repeats the whole stack, so a small profile with deep stacks could
 * otherwise take all memory. */
enum { MOST_TEXT = 1 << 30 };

/* Writes the functions of the stack that ends in a context, from the outermost on, separated by ';'. In
 * names, _ replaces semicolons and blanks. `frames` is memory for as many numbers as there are contexts. */
static void write_stack(FILE *out, const p5_profile *p, uint32_t context, uint32_t *frames)
{
    size_t depth = 0;
    for (uint32_t c = context; c != PROFILE_ROOT; c = p->contexts.items[c].parent)
        frames[depth++] = c;
    while (depth-- > 0) {
        char buffer[16];
        for (const char *n = profile_name_at(p, p->contexts.items[frames[depth]].function, buffer); *n; n++)
            fputc(*n == ';' || *n == ' ' ? '_' : *n, out);
        if (depth > 0)
            fputc(';', out);
    }
}

/* Returns the name of a context's row: its stack, or "[bus]" for the root, and _[k] if it is for costs at CPL 0-2.
 * The caller frees it. NULL: out of memory. */
static char *row_name(const p5_profile *p, uint32_t context, bool user, uint32_t *frames)
{
    memory_text text;
    if (!memory_text_open(&text))
        return NULL;
    if (context == PROFILE_ROOT)
        fputs("[bus]", text.out);
    else
        write_stack(text.out, p, context, frames);
    if (!user)
        fputs("_[k]", text.out);
    return memory_text_end(&text);
}

/* Returns whether the rows of all contexts with costs of their own take more than MOST_TEXT. `own`: these costs. `bytes`
 * is memory for a number of each context: the length of its stack. */
static bool takes_too_much(const p5_profile *p, uint64_t (*own)[2], uint64_t *bytes)
{
    uint64_t all = 0;
    for (uint32_t i = PROFILE_ROOT + 1; i < p->contexts.count && all <= MOST_TEXT; i++) {
        char buffer[16];
        const profile_context *c = &p->contexts.items[i]; /* its parent comes before it */
        bytes[i] = bytes[c->parent] + strlen(profile_name_at(p, c->function, buffer)) + 1;
        all += (own[i][0] != 0 ? bytes[i] : 0) + (own[i][1] != 0 ? bytes[i] : 0);
    }
    return all > MOST_TEXT;
}

/* Adds a row for each context that has costs of its own; table_merge then joins stacks of the same functions.
 * Costs at CPL 0-2 have rows of their own. */
static p5_status add_stacks(const p5_profile *p, const profile_value *value, table_rows *rows,
                            p5_error *error)
{
    uint64_t(*own)[2] = calloc(p->contexts.count, sizeof *own);
    uint32_t *frames = calloc(p->contexts.count, sizeof *frames);
    uint64_t *bytes = calloc(p->contexts.count, sizeof *bytes);
    bool fits = own != NULL && frames != NULL && bytes != NULL;
    for (size_t i = 0; fits && i < p->sites.count; i++)
        own[p->sites.items[i].context][p->sites.items[i].cpl_class == P5_CPL_USER] +=
            profile_amounts_value(&p->sites.items[i], value);
    const bool short_enough = fits && !takes_too_much(p, own, bytes);
    for (uint32_t i = PROFILE_ROOT; fits && short_enough && i < p->contexts.count; i++)
        for (unsigned user = 0; fits && user < 2; user++) {
            if (own[i][user] == 0)
                continue;
            table_row *row = table_row_add(rows, row_name(p, i, user, frames), "", user);
            fits = row != NULL;
            if (fits)
                row->own[0] = own[i][user];
        }
    free(bytes);
    free(frames);
    free(own);
    if (!fits)
        return error_set(error, P5_ERR_MEMORY, "out of memory");
    if (!short_enough) {
        error_set(error, P5_ERR_RANGE, "the stacks are too deep: they take more than %d MB as text",
                  MOST_TEXT >> 20);
        error_hint(error, "-o FILE.svg and -o FILE.html show the stacks in less space");
        return P5_ERR_RANGE;
    }
    return P5_OK;
}

p5_status p5_profile_write_folded(FILE *out, const p5_profile *p, const char *event, p5_error *error)
{
    profile_value value;
    if (event == NULL)
        return error_null(error, "event");
    p5_status status = profile_value_find(p->family, event, &value, error);
    if (status != P5_OK)
        return status;
    table_rows rows = {.width = 1};
    status = add_stacks(p, &value, &rows, error);
    if (status == P5_OK)
        table_merge(&rows);
    for (size_t i = 0; status == P5_OK && i < rows.list.count; i++)
        fprintf(out, "%s %" PRIu64 "\n", rows.list.items[i].name, rows.list.items[i].own[0]);
    table_free(&rows);
    return status != P5_OK ? status : error_unless_written(error, out, "the report");
}
