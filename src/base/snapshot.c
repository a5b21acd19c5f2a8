/* Saves and loads the objects of a snapshot's stream; snapshot.h has their format. An object is an array of structures,
 * the *rows*. For each of their fields it has a *column*: that field's numbers of all rows. Nothing is
 * written or loaded once s->status is an error. */
#include "base/snapshot_field.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_ARE_BYTES = 0xffff, /* in object_header.fields */
    STRING_MOST = 65535      /* bytes of a string, with its NUL */
};

/* What follows an object's name. */
typedef struct object_header {
    uint64_t rows;
    uint16_t fields; /* number of columns; ROWS_ARE_BYTES: `rows` uninterpreted bytes follow instead */
} object_header;

/* What follows a field's name, before its numbers. */
typedef struct field_header {
    uint8_t type;   /* snapshot_type */
    uint16_t size;  /* bytes of one number, or of one text */
    uint64_t count; /* how many there are, in all rows together */
} field_header;

void snapshot_refuse(snapshot *s, const char *format, ...)
{
    char text[P5_ERROR_TEXT];
    if (s->status != P5_OK)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    s->status = error_set(s->error, P5_ERR_FORMAT, "%s", text);
}

void snapshot_no_memory(snapshot *s)
{
    if (s->status == P5_OK)
        s->status = error_set(s->error, P5_ERR_MEMORY, "out of memory");
}

/* ---- bytes of the stream ------------------------------------------------------------------------------- */

static void put(snapshot *s, const void *bytes, size_t size)
{
    if (s->status == P5_OK && size > 0 && !s->write(s->context, bytes, size))
        s->status = error_set(s->error, P5_ERR_IO, "the snapshot cannot be written");
}

/* Reads `size` bytes. A message names `object`. */
static void get(snapshot *s, void *bytes, size_t size, const char *object)
{
    if (s->status == P5_OK && size > 0 && !s->read(s->context, bytes, size))
        snapshot_refuse(s, "%s: the snapshot ends before it, or within it", object);
}

static void put_name(snapshot *s, const char *name)
{
    uint8_t length = (uint8_t)strlen(name);
    assert(length == strlen(name));
    put(s, &length, sizeof length);
    put(s, name, length);
}

/* Reads a name. Messages print names, so only printable characters are kept. */
static void get_name(snapshot *s, char name[256], const char *object)
{
    uint8_t length = 0;
    get(s, &length, sizeof length, object);
    get(s, name, length, object);
    if (s->status != P5_OK)
        length = 0;
    for (char *c = name; c < name + length; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    name[length] = '\0';
}

static void put_object(snapshot *s, const char *name, const object_header *header)
{
    assert(header->fields > 0);
    put_name(s, name);
    put(s, &header->rows, sizeof header->rows);
    put(s, &header->fields, sizeof header->fields);
}

/* Reads the header of the next object, which must have the name `wanted`. snapshot_begin may have read the name
 * already: it is then in s->ahead. */
static void get_object(snapshot *s, const char *wanted, object_header *header)
{
    if (s->ahead[0] == '\0')
        get_name(s, s->ahead, wanted);
    get(s, &header->rows, sizeof header->rows, wanted);
    get(s, &header->fields, sizeof header->fields, wanted);
    if (s->status == P5_OK && strcmp(s->ahead, wanted) != 0)
        snapshot_refuse(s, "%s: the snapshot has '%s' in its place", wanted, s->ahead);
    s->ahead[0] = '\0';
}

/* ---- saving -------------------------------------------------------------------------------------------- */

/* Writes a column of the structures at `state`. */
static void save_column(snapshot *s, const snapshot_column *c, const void *state)
{
    const snapshot_field *f = c->field;
    field_header h = {(uint8_t)snapshot_type_of(f), f->element, c->count};
    char *text = NULL;
    if (h.type == SNAPSHOT_STRING) {
        assert(c->count == 1); /* structures with strings are saved one by one */
        snapshot_gather(c, state, &text);
        h.size = 1;
        h.count = text != NULL ? strlen(text) + 1 : 0;
        if (h.count > STRING_MOST)
            s->status = error_set(s->error, P5_ERR_IO, "%s is too long for a snapshot", c->name);
    }
    put_name(s, c->name);
    put(s, &h.type, sizeof h.type);
    put(s, &h.size, sizeof h.size);
    put(s, &h.count, sizeof h.count);
    if (h.type == SNAPSHOT_STRING) {
        put(s, text, h.count);
        return;
    }
    void *packed = malloc(h.count * h.size + 1);
    if (packed == NULL) {
        snapshot_no_memory(s);
        return;
    }
    snapshot_gather(c, state, packed);
    put(s, packed, h.count * h.size);
    free(packed);
}

/* Writes the structures at `states` as an object. */
static void save(snapshot *s, const snapshot_table *table, const snapshot_columns *columns,
                 const void *states, size_t rows)
{
    put_object(s, table->name, &(object_header){rows, (uint16_t)columns->of.count});
    for (size_t i = 0; i < columns->of.count && s->status == P5_OK; i++)
        save_column(s, &columns->of.items[i], states);
}

/* ---- loading ------------------------------------------------------------------------------------------- */

/* An object that is being loaded. */
typedef struct load {
    snapshot *s;
    const snapshot_table *table;
    const snapshot_columns *columns; /* of the table */
    void *states;                    /* the structures to be filled in */
    bool *seen;                      /* by column: the stream had it */
    size_t next;                     /* the column that comes next if the stream has the table's order */
} load;

/* Reports that number `index` of a column, which is `value`, is not permitted. */
static void refuse_value(load *l, const snapshot_column *c, size_t index, uint64_t value, bool negative)
{
    char permitted[100], place[32] = "", number[32];
    snapshot_permitted(c->field, permitted, sizeof permitted);
    if (c->count > 1)
        snprintf(place, sizeof place, "[%zu]", index);
    if (negative)
        snprintf(number, sizeof number, "%" PRId64, (int64_t)value);
    else if (c->field->kind == FIELD_KIND_BITS)
        snprintf(number, sizeof number, "%" PRIX64 "h", value);
    else
        snprintf(number, sizeof number, "%" PRIu64, value);
    snapshot_refuse(l->s, "%s.%s%s: %s is not %s", l->table->name, c->name, place, number, permitted);
}

/* Returns the number of h->size bytes at `from`, sign-extended if its type is signed. */
static uint64_t number_at(const char *from, const field_header *h, bool *negative)
{
    uint64_t value = 0;
    memcpy(&value, from, h->size);
    unsigned above = 64 - 8u * h->size; /* bits above those of the number */
    *negative = h->type == SNAPSHOT_SIGNED && (value >> (8u * h->size - 1)) != 0;
    return *negative ? (uint64_t)((int64_t)(value << above) >> above) : value;
}

/* Checks a column's numbers and converts them from the width that they have in the file, at `from`, to that of the
 * structure's field, at `to`. */
static void load_numbers(load *l, const snapshot_column *c, const field_header *h, const char *from, char *to)
{
    for (size_t i = 0; i < h->count && l->s->status == P5_OK; i++) {
        bool negative;
        uint64_t value = number_at(from + i * h->size, h, &negative);
        if (!snapshot_permits(l->s, c->field, value, negative))
            refuse_value(l, c, i, value, negative);
        memcpy(to + i * c->field->element, &value, c->field->element);
    }
}

/* Checks that each text of a column has a NUL. Texts are char arrays of the same size in file and structure. */
static void check_texts(load *l, const snapshot_column *c, const field_header *h, const char *from)
{
    for (size_t i = 0; i < h->count; i++)
        if (memchr(from + i * h->size, '\0', h->size) == NULL)
            snapshot_refuse(l->s, "%s.%s: this is no text of less than %u characters", l->table->name,
                            c->name, (unsigned)h->size);
}

/* Replaces the structure's string, which is freed, by a copy of `from`, which has h->count bytes with the NUL; 0: by
 * NULL. */
static void load_string(load *l, const snapshot_column *c, const field_header *h, char *from)
{
    char *text = NULL;
    if (h->count > 0 && memchr(from, '\0', h->count) != from + h->count - 1)
        snapshot_refuse(l->s, "%s.%s: this is no text", l->table->name, c->name);
    if (l->s->status == P5_OK && h->count > 0) {
        text = strdup(from);
        if (text == NULL)
            snapshot_no_memory(l->s);
    }
    if (l->s->status != P5_OK)
        return;
    char *old;
    assert(c->count == 1);
    snapshot_gather(c, l->states, &old);
    free(old);
    snapshot_scatter(c, &text, l->states);
}

/* Returns whether a field of the file has a form that can be loaded into the column. The widths of numbers may
 * differ. */
static bool fits(const snapshot_column *c, const field_header *h)
{
    const snapshot_field *f = c->field;
    switch (snapshot_type_of(f)) {
    case SNAPSHOT_STRING:
        return h->type == SNAPSHOT_STRING && h->size == 1 && h->count <= STRING_MOST;
    case SNAPSHOT_TEXT:
        return h->type == SNAPSHOT_TEXT && h->size == f->element && h->count == c->count;
    default:
        return (h->type == SNAPSHOT_UNSIGNED || h->type == SNAPSHOT_SIGNED) && h->count == c->count &&
               (h->size == 1 || h->size == 2 || h->size == 4 || h->size == 8);
    }
}

/* Reads a field's numbers, checks them and stores them in the structures. */
static void load_column(load *l, const snapshot_column *c, const field_header *h)
{
    if (!fits(c, h)) {
        snapshot_refuse(l->s, "%s.%s: %" PRIu64 " of %u bytes and type %u do not fit the field",
                        l->table->name, c->name, h->count, (unsigned)h->size, (unsigned)h->type);
        return;
    }
    size_t width = h->size > c->field->element ? h->size : c->field->element;
    /* The numbers as read, and after them as converted. */
    char *packed = malloc(2 * (size_t)h->count * width + 1), *to = packed;
    if (packed == NULL) {
        snapshot_no_memory(l->s);
        return;
    }
    get(l->s, packed, (size_t)h->count * h->size, c->name);
    if (l->s->status != P5_OK) {
        /* `packed` was not read */
    } else if (h->type == SNAPSHOT_STRING) {
        load_string(l, c, h, packed);
    } else if (h->type == SNAPSHOT_TEXT) {
        check_texts(l, c, h, packed);
    } else {
        to = packed + (size_t)h->count * width;
        load_numbers(l, c, h, packed, to);
    }
    if (l->s->status == P5_OK && h->type != SNAPSHOT_STRING)
        snapshot_scatter(c, to, l->states);
    free(packed);
}

/* Reads the next field and finds its column by name. */
static void load_field(load *l)
{
    char name[256];
    field_header h = {0};
    const snapshot_columns *all = l->columns;
    get_name(l->s, name, l->table->name);
    get(l->s, &h.type, sizeof h.type, l->table->name);
    get(l->s, &h.size, sizeof h.size, l->table->name);
    get(l->s, &h.count, sizeof h.count, l->table->name);
    for (size_t n = 0; n < all->of.count && l->s->status == P5_OK; n++) {
        size_t i = (l->next + n) % all->of.count;
        if (strcmp(all->of.items[i].name, name) != 0)
            continue;
        if (l->seen[i])
            snapshot_refuse(l->s, "%s.%s: the snapshot has the field twice", l->table->name, name);
        else
            load_column(l, &all->of.items[i], &h);
        l->seen[i] = true;
        l->next = i + 1;
        return;
    }
    snapshot_refuse(l->s, "%s.%s: this p5scope does not know the field; the snapshot was made by %s",
                    l->table->name, name, l->s->version != NULL ? l->s->version : "another one");
}

/* Loads an object of `fields` fields. A column that the object lacks is not loaded if it is newer than the file's
 * revision, or if its field has a name for each index (snapshot_field.each). Without any other the object is refused. */
static void load_fields(snapshot *s, const snapshot_table *table, const snapshot_columns *columns,
                        void *states, unsigned fields)
{
    bool *seen = calloc(columns->of.count + 1, sizeof *seen);
    load l = {s, table, columns, states, seen, 0};
    if (seen == NULL)
        snapshot_no_memory(s);
    for (unsigned i = 0; i < fields && s->status == P5_OK; i++)
        load_field(&l);
    for (size_t i = 0; i < columns->of.count && s->status == P5_OK; i++) {
        const snapshot_column *c = &columns->of.items[i];
        if (!seen[i] && c->since <= s->revision && c->field->each == NULL)
            snapshot_refuse(s, "%s.%s: the snapshot does not have it", table->name, c->name);
    }
    free(seen);
}

/* ---- objects ------------------------------------------------------------------------------------------- */

/* Calls the tables' checks for each row: first those of the structures that it contains, then its own. */
static void check_rows(snapshot *s, const snapshot_table *table, const char *states, size_t rows)
{
    for (const char *row = states; row < states + rows * table->bytes; row += table->bytes) {
        for (const snapshot_field *f = table->fields; f < table->fields + table->count; f++)
            if (f->kind == FIELD_KIND_TABLE)
                check_rows(s, f->of, row + f->offset, f->bytes / f->of->bytes);
        if (table->check != NULL && s->status == P5_OK)
            table->check(row, s);
    }
}

/* Saves or loads the fields of `rows` structures. The object's header has already been read or written. */
static void move_fields(snapshot *s, const snapshot_table *table, void *states, size_t rows, unsigned fields)
{
    snapshot_columns columns;
    if (!snapshot_spread(table, rows, &columns)) {
        snapshot_no_memory(s);
        return;
    }
    if (s->loading) {
        load_fields(s, table, &columns, states, fields);
        check_rows(s, table, states, rows);
    } else {
        save(s, table, &columns, states, rows);
    }
    free(columns.of.items);
}

/* Returns whether the snapshot that is being loaded is older than the table, and so does not have its object. */
static bool lacks(const snapshot *s, const snapshot_table *table)
{
    return s->loading && table->since > s->revision;
}

void snapshot_states(snapshot *s, const snapshot_table *table, void *states, size_t count)
{
    object_header header = {0};
    if (s->status != P5_OK || lacks(s, table))
        return;
    if (s->loading)
        get_object(s, table->name, &header);
    if (s->loading && s->status == P5_OK && (header.rows != count || header.fields == ROWS_ARE_BYTES))
        snapshot_refuse(s, "%s: the snapshot has %" PRIu64 " of them, not %zu", table->name, header.rows,
                        count);
    if (s->status == P5_OK)
        move_fields(s, table, states, count, header.fields);
}

void snapshot_state(snapshot *s, const snapshot_table *table, void *state)
{
    snapshot_states(s, table, state, 1);
}

void snapshot_list(snapshot *s, const snapshot_table *table, void *items, size_t *count, size_t *capacity,
                   size_t most)
{
    object_header header = {0};
    void *array;
    if (s->status != P5_OK || lacks(s, table))
        return;
    if (s->loading) {
        get_object(s, table->name, &header);
        if (s->status == P5_OK && (header.rows > most || header.fields == ROWS_ARE_BYTES))
            snapshot_refuse(s, "%s: %" PRIu64 " of them are not 0..%zu", table->name, header.rows, most);
        if (s->status == P5_OK && header.rows > *capacity &&
            !array_reserve(items, capacity, (size_t)header.rows, table->bytes))
            snapshot_no_memory(s);
        if (s->status != P5_OK)
            return;
        *count = (size_t)header.rows;
    }
    memcpy(&array, items, sizeof array);
    if (s->loading && *count > 0)
        memset(array, 0, *count * table->bytes);
    move_fields(s, table, array, *count, header.fields);
}

void snapshot_raw(snapshot *s, const char *name, void *bytes, size_t size)
{
    object_header header = {size, ROWS_ARE_BYTES};
    if (s->status != P5_OK)
        return;
    if (!s->loading) {
        put_object(s, name, &header);
        put(s, bytes, size);
        return;
    }
    get_object(s, name, &header);
    if (s->status == P5_OK && (header.rows != size || header.fields != ROWS_ARE_BYTES))
        snapshot_refuse(s, "%s: the snapshot has %" PRIu64 " bytes, not %zu", name, header.rows, size);
    get(s, bytes, size, name);
}

/* Saves or loads a number as an object with one row and one field. */
uint64_t snapshot_number(snapshot *s, const char *name, uint64_t value, uint64_t most)
{
    const snapshot_field field = {
        .name = "number", .element = sizeof value, .bytes = sizeof value, .most = most};
    const snapshot_table table = {.name = name, .fields = &field, .count = 1, .bytes = sizeof value};
    snapshot_state(s, &table, &value);
    return s->status == P5_OK ? value : 0;
}

void snapshot_begin(snapshot *s)
{
    static const char name[] = "revision";
    s->revision = 1;
    if (s->loading)
        get_name(s, s->ahead, name); /* "revision", or the next object's name in a stream of revision 1 */
    if (!s->loading || strcmp(s->ahead, name) == 0)
        s->revision = (unsigned)snapshot_number(s, name, SNAPSHOT_REVISION, UINT32_MAX);
}
