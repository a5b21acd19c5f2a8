/* The stream of a snapshot (base/snapshot.h) part by part, for tests that compare or change one. */
#ifndef TEST_SNAPSHOT_PARTS_H
#define TEST_SNAPSHOT_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/snapshot.h"

/* A field of an object, or an object that is raw bytes (snapshot_raw), whose `field` is "". */
typedef struct snapshot_part {
    char table[256], field[256];
    uint8_t type;   /* snapshot_type; 0: raw bytes */
    uint16_t size;  /* bytes of a number */
    uint64_t count; /* number of numbers */
    size_t at;      /* offset of the first one in the stream */
} snapshot_part;

/* A stream that is read part by part. The caller sets `data` and `size`; the other members are zero at first. */
typedef struct snapshot_parts {
    const unsigned char *data;
    size_t size, at; /* bytes of the stream, and how many of them have been read */
    unsigned fields; /* of the current object that have not been read */
    char table[256]; /* name of the current object */
} snapshot_parts;

static inline bool snapshot_parts_take(snapshot_parts *p, void *to, size_t size)
{
    if (p->size - p->at < size)
        return false;
    memcpy(to, p->data + p->at, size);
    p->at += size;
    return true;
}

static inline bool snapshot_parts_name(snapshot_parts *p, char name[256])
{
    uint8_t length;
    if (!snapshot_parts_take(p, &length, 1) || !snapshot_parts_take(p, name, length))
        return false;
    name[length] = '\0';
    return true;
}

/* Reads the next part. Returns false at the end, or if the bytes are not a valid stream. */
static inline bool snapshot_parts_next(snapshot_parts *p, snapshot_part *part)
{
    uint64_t rows;
    uint16_t fields;
    memset(part, 0, sizeof *part);
    while (p->fields == 0) {
        if (!snapshot_parts_name(p, p->table) || !snapshot_parts_take(p, &rows, sizeof rows) ||
            !snapshot_parts_take(p, &fields, sizeof fields))
            return false;
        p->fields = fields;
        if (fields != 0xffff)
            continue;
        p->fields = 0;
        memcpy(part->table, p->table, sizeof part->table);
        part->size = 1;
        part->count = rows;
        part->at = p->at;
        if (p->size - p->at < rows)
            return false;
        p->at += rows;
        return true;
    }
    p->fields--;
    memcpy(part->table, p->table, sizeof part->table);
    if (!snapshot_parts_name(p, part->field) || !snapshot_parts_take(p, &part->type, 1) ||
        !snapshot_parts_take(p, &part->size, 2) || !snapshot_parts_take(p, &part->count, 8))
        return false;
    part->at = p->at;
    if (part->size != 0 && part->count > (p->size - p->at) / part->size)
        return false;
    p->at += (size_t)part->count * part->size;
    return true;
}

typedef struct snapshot_field_search {
    const char *name;
    const snapshot_field *found;
} snapshot_field_search;

static inline void snapshot_field_look(void *context, const char *name, const snapshot_field *field)
{
    snapshot_field_search *search = context;
    if (strcmp(name, search->name) == 0)
        search->found = field;
}

/* Returns the field that a part has in one of the tables, whose list ends with NULL; NULL: it has none. */
static inline const snapshot_field *snapshot_field_of(const snapshot_table *const *tables,
                                                      const snapshot_part *part)
{
    snapshot_field_search search = {part->field, NULL};
    for (; *tables != NULL; tables++)
        if (strcmp((*tables)->name, part->table) == 0)
            snapshot_each_field(*tables, snapshot_field_look, &search);
    return search.found;
}

/* Sets number `index` of the part, whose numbers are at `at`, to a value that the field may not have. Returns false if the
 * field may have any value. */
static inline bool snapshot_forbid(const snapshot_field *f, const snapshot_part *part, uint64_t index,
                                   unsigned char *at)
{
    const uint64_t all = UINT64_MAX >> (64 - 8 * (part->size < 8 ? part->size : 8));
    uint64_t value = 0;
    switch (f->kind) {
    case FIELD_KIND_NUMBER:
        if (f->most < (f->is_signed ? all >> 1 : all))
            value = f->most + 1;
        else if (f->is_signed ? f->least > -(int64_t)(all >> 1) - 1 : f->least > 0)
            value = (uint64_t)(f->least - 1);
        else
            return false;
        break;
    case FIELD_KIND_BITS:
        value = all & ~f->most;
        value &= -value; /* one of the forbidden bits */
        if (value == 0)
            return false;
        break;
    case FIELD_KIND_TIME:
    case FIELD_KIND_DEADLINE:
        value = UINT64_MAX - 1;
        break;
    case FIELD_KIND_TEXT:
        memset(at + index * part->size, 'x', part->size);
        return true;
    case FIELD_KIND_STRING:
        at[part->count - 1] = 'x';
        return true;
    default:
        return false;
    }
    memcpy(at + index * part->size, &value, part->size);
    return true;
}

#endif
