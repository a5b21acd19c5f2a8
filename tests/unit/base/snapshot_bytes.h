/* A snapshot in memory, for tests that save and load one. */
#ifndef TEST_SNAPSHOT_BYTES_H
#define TEST_SNAPSHOT_BYTES_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* All zero: empty. */
typedef struct snapshot_bytes {
    unsigned char *data;
    size_t size, room;
    size_t at;    /* where reading continues */
    bool too_far; /* more was to be read than there is */
} snapshot_bytes;

static inline bool snapshot_bytes_put(void *context, const void *data, size_t size)
{
    snapshot_bytes *b = context;
    if (b->size + size > b->room) {
        b->room = (b->size + size) * 2;
        b->data = realloc(b->data, b->room);
        if (b->data == NULL)
            abort();
    }
    memcpy(b->data + b->size, data, size);
    b->size += size;
    return true;
}

static inline bool snapshot_bytes_get(void *context, void *data, size_t size)
{
    snapshot_bytes *b = context;
    if (b->size - b->at < size) {
        b->too_far = true;
        return false;
    }
    memcpy(data, b->data + b->at, size);
    b->at += size;
    return true;
}

#endif
