#include "base/snapshot.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

typedef struct piece_header {
    char name[SNAPSHOT_NAME];
    uint64_t size;
} piece_header;

static void write_piece(snapshot *s, const piece_header *header, const void *data)
{
    if (!s->write(s->context, header, sizeof *header) ||
        (header->size > 0 && !s->write(s->context, data, (size_t)header->size)))
        s->status = error_set(s->error, P5_ERR_IO, "the snapshot cannot be written");
}

static void read_piece(snapshot *s, const piece_header *wanted, void *data)
{
    piece_header found;
    if (!s->read(s->context, &found, sizeof found)) {
        s->status = error_set(s->error, P5_ERR_FORMAT, "the snapshot ends before its part %s", wanted->name);
        return;
    }
    found.name[SNAPSHOT_NAME - 1] = '\0';
    if (strcmp(found.name, wanted->name) != 0)
        snapshot_refuse(s, "the snapshot has a part '%s' where %s should be", found.name, wanted->name);
    else if (found.size != wanted->size)
        snapshot_refuse(s, "part %s of the snapshot has %llu bytes, not %llu", wanted->name,
                        (unsigned long long)found.size, (unsigned long long)wanted->size);
    else if (wanted->size > 0 && !s->read(s->context, data, (size_t)wanted->size))
        s->status = error_set(s->error, P5_ERR_FORMAT, "the snapshot ends within its part %s", wanted->name);
}

void snapshot_piece(snapshot *s, const char *name, void *data, size_t size)
{
    if (s->status != P5_OK)
        return;
    piece_header header = {.size = size};
    snprintf(header.name, sizeof header.name, "%s", name);
    if (s->loading)
        read_piece(s, &header, data);
    else
        write_piece(s, &header, data);
}

uint64_t snapshot_number(snapshot *s, const char *name, uint64_t value, uint64_t most)
{
    snapshot_piece(s, name, &value, sizeof value);
    if (s->status == P5_OK && s->loading && value > most)
        snapshot_refuse(s, "part %s of the snapshot is %llu, above %llu", name, (unsigned long long)value,
                        (unsigned long long)most);
    return s->status == P5_OK ? value : 0;
}

void snapshot_text(snapshot *s, const char *name, char **text)
{
    enum { MOST = 65535 };
    size_t length = !s->loading && *text != NULL ? strlen(*text) + 1 : 0; /* 0 is NULL */
    length = (size_t)snapshot_number(s, name, length, MOST);
    if (!s->loading) {
        snapshot_piece(s, name, *text, length);
        return;
    }
    char *copy = length > 0 ? calloc(length, 1) : NULL;
    if (length > 0 && copy == NULL)
        s->status = error_set(s->error, P5_ERR_MEMORY, "out of memory");
    snapshot_piece(s, name, copy, length);
    if (s->status == P5_OK && length > 0 && memchr(copy, '\0', length) != copy + length - 1)
        snapshot_refuse(s, "part %s of the snapshot is no text", name);
    if (s->status != P5_OK) {
        free(copy);
        return;
    }
    free(*text);
    *text = copy;
}

void snapshot_array(snapshot *s, const char *name, void *items, size_t *count, size_t *capacity,
                    size_t element_size, size_t most)
{
    void *array;
    size_t held = (size_t)snapshot_number(s, name, *count, most);
    if (s->loading && s->status == P5_OK && held > *capacity &&
        !array_reserve(items, capacity, held, element_size))
        s->status = error_set(s->error, P5_ERR_MEMORY, "out of memory");
    memcpy(&array, items, sizeof array);
    if (s->status == P5_OK)
        snapshot_piece(s, name, array, held * element_size);
    if (s->loading)
        *count = s->status == P5_OK ? held : 0;
}

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
