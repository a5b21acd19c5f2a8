#include "base/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

struct arena_chunk {
    struct arena_chunk *next;
    size_t size;
    size_t used;
    alignas(max_align_t) unsigned char bytes[];
};

void *arena_alloc(arena *from, size_t size)
{
    enum { CHUNK_BYTES = 64 * 1024 };
    size_t unit = alignof(max_align_t);
    if (size > (size_t)-1 / 2)
        return NULL;
    size = (size + unit - 1) / unit * unit;
    if (from->chunk == NULL || from->chunk->size - from->chunk->used < size) {
        size_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        struct arena_chunk *chunk = malloc(sizeof *chunk + room);
        if (chunk == NULL)
            return NULL;
        chunk->next = from->chunk;
        chunk->size = room;
        chunk->used = 0;
        from->chunk = chunk;
    }
    void *memory = from->chunk->bytes + from->chunk->used;
    from->chunk->used += size;
    from->used_bytes += size;
    return memset(memory, 0, size);
}

void arena_free_all(arena *from)
{
    while (from->chunk != NULL) {
        struct arena_chunk *next = from->chunk->next;
        free(from->chunk);
        from->chunk = next;
    }
    from->used_bytes = 0;
}
