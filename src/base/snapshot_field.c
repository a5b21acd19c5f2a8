/* Expands a table of fields, which may contain tables of nested structures, into columns. A column has one field's
 * numbers in all structures of the arrays around it. Each of these arrays is a *level* of the column; the outermost one
 * are the rows of the object that is saved or loaded. */
#include "base/snapshot_field.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- columns ------------------------------------------------------------------------------------------- */

static bool expand_table(snapshot_columns *columns, const snapshot_table *table,
                         const snapshot_column *outer);

/* Adds an array of `count` elements, `stride` bytes from one to the next, inside the column's present levels. */
static void add_level(snapshot_column *column, size_t count, size_t stride)
{
    assert(column->levels < SNAPSHOT_DEPTH);
    column->level[column->levels].count = count;
    column->level[column->levels++].stride = stride;
    column->count *= count;
}

/* Appends ".name" to the column's name. */
static void add_name(snapshot_column *column, const char *name)
{
    char *end = column->name + strlen(column->name);
    assert(strlen(column->name) + 1 + strlen(name) < sizeof column->name);
    if (end != column->name)
        *end++ = '.';
    strcpy(end, name);
}

static bool add_column(snapshot_columns *columns, const snapshot_column *column)
{
    return ARRAY_ADD(&columns->of, *column);
}

/* Adds a column for each index of the first dimension of the field that `column` describes (snapshot_field.each). */
static bool expand_each(snapshot_columns *columns, const snapshot_column *column)
{
    const snapshot_field *f = column->field;
    size_t bytes = f->bytes / f->each_count;
    for (unsigned i = 0; i < f->each_count; i++) {
        snapshot_column one = *column;
        add_name(&one, f->each(i));
        one.offset += (uint32_t)(i * bytes);
        if (bytes > f->element)
            add_level(&one, bytes / f->element, f->element);
        if (!add_column(columns, &one))
            return false;
    }
    return true;
}

/* Adds the columns of a field of the structure that `outer` describes: its name, offset and levels. */
static bool expand_field(snapshot_columns *columns, const snapshot_field *f, const snapshot_column *outer)
{
    snapshot_column column = *outer;
    if (f->kind != FIELD_KIND_TABLE || f->of->name != NULL)
        add_name(&column, f->name);
    column.field = f;
    column.offset += f->offset;
    column.since = f->since > outer->since ? f->since : outer->since;
    if (f->kind == FIELD_KIND_TABLE) {
        if (f->bytes > f->of->bytes)
            add_level(&column, f->bytes / f->of->bytes, f->of->bytes);
        return expand_table(columns, f->of, &column);
    }
    if (f->each != NULL)
        return expand_each(columns, &column);
    if (f->bytes > f->element)
        add_level(&column, f->bytes / f->element, f->element);
    return add_column(columns, &column);
}

/* Adds the columns of all fields that are saved. Returns false if memory runs out, as the functions above do. */
static bool expand_table(snapshot_columns *columns, const snapshot_table *table, const snapshot_column *outer)
{
    for (unsigned i = 0; i < table->count; i++)
        if (table->fields[i].kind != FIELD_KIND_DERIVED && !expand_field(columns, &table->fields[i], outer))
            return false;
    return true;
}

bool snapshot_spread(const snapshot_table *table, size_t rows, snapshot_columns *columns)
{
    snapshot_column whole = {.count = 1};
    *columns = (snapshot_columns){0};
    add_level(&whole, rows, table->bytes);
    if (expand_table(columns, table, &whole))
        return true;
    free(columns->of.items);
    return false;
}

/* ---- numbers and their places -------------------------------------------------------------------------- */

/* Copies the numbers of level `level`, which begins at `place`, and of the levels inside it: to `packed` with `gather`,
 * else from it. An innermost level without gaps is copied at once. Returns the position after the numbers in
 * `packed`. */
static char *move(const snapshot_column *c, unsigned level, char *place, char *packed, bool gather)
{
    size_t size = c->field->element;
    if (level == c->levels || (level + 1 == c->levels && c->level[level].stride == size)) {
        size *= level == c->levels ? 1 : c->level[level].count;
        if (size > 0) /* an empty array may have a null pointer */
            memcpy(gather ? packed : place, gather ? place : packed, size);
        return packed + size;
    }
    for (size_t i = 0; i < c->level[level].count; i++)
        packed = move(c, level + 1, place + i * c->level[level].stride, packed, gather);
    return packed;
}

void snapshot_gather(const snapshot_column *column, const void *state, void *packed)
{
    move(column, 0, (char *)(uintptr_t)state + column->offset, packed, true);
}

void snapshot_scatter(const snapshot_column *column, const void *packed, void *state)
{
    move(column, 0, (char *)state + column->offset, (char *)(uintptr_t)packed, false);
}

/* ---- what a field may be ------------------------------------------------------------------------------- */

snapshot_type snapshot_type_of(const snapshot_field *field)
{
    return field->kind == FIELD_KIND_TEXT     ? SNAPSHOT_TEXT
           : field->kind == FIELD_KIND_STRING ? SNAPSHOT_STRING
           : field->is_signed                 ? SNAPSHOT_SIGNED
                                              : SNAPSHOT_UNSIGNED;
}

bool snapshot_permits(const snapshot *s, const snapshot_field *field, uint64_t value, bool negative)
{
    switch (field->kind) {
    case FIELD_KIND_NUMBER:
        return negative ? (int64_t)value >= field->least
                        : value <= field->most && (field->least <= 0 || value >= (uint64_t)field->least);
    case FIELD_KIND_BITS:
        return (value & ~field->most) == 0;
    case FIELD_KIND_TIME:
        return value <= s->clock + SNAPSHOT_AHEAD;
    case FIELD_KIND_DEADLINE:
        return value <= s->clock + SNAPSHOT_WAIT || value == UINT64_MAX;
    default:
        return true;
    }
}

void snapshot_permitted(const snapshot_field *f, char *text, size_t size)
{
    /* The greatest unsigned number of the field's width. */
    uint64_t all = UINT64_MAX >> (64 - 8 * (f->element < 8 ? f->element : 8));
    switch (f->kind) {
    case FIELD_KIND_NUMBER:
        if (!f->is_signed && f->most == all)
            snprintf(text, size, "any number of %u bits", 8u * f->element);
        else if (f->is_signed)
            snprintf(text, size, "%" PRId64 "..%" PRId64, f->least, (int64_t)f->most);
        else
            snprintf(text, size, "%" PRId64 "..%" PRIu64, f->least, f->most);
        break;
    case FIELD_KIND_BITS:
        snprintf(text, size, "within the bits %" PRIX64 "h", f->most);
        break;
    case FIELD_KIND_TIME:
        snprintf(text, size, "a clock near the snapshot's or before");
        break;
    case FIELD_KIND_DEADLINE:
        snprintf(text, size, "a clock that a guest can wait for, or never");
        break;
    case FIELD_KIND_TEXT:
        snprintf(text, size, "a text of less than %u characters", (unsigned)f->element);
        break;
    default:
        snprintf(text, size, "a text or none");
        break;
    }
}

bool snapshot_each_field(const snapshot_table *table,
                         void (*visit)(void *context, const char *name, const snapshot_field *field),
                         void *context)
{
    snapshot_columns columns;
    if (!snapshot_spread(table, 1, &columns))
        return false;
    for (size_t i = 0; i < columns.of.count; i++)
        visit(context, columns.of.items[i].name, columns.of.items[i].field);
    free(columns.of.items);
    return true;
}
