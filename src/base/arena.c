/* A bump allocator: large chunks of memory, from which objects are taken one after another. */
#include "base/arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/area.h"
#include "base/bits.h"
#include "base/host_line.h"

struct arena_chunk {
    struct arena_chunk *next; /* in the list of the arena: the chunks with objects, or the unused ones */
    size_t area_bytes;        /* bytes allocated by area_open, this header included; 0: allocated by malloc */
    size_t size;              /* of `bytes` */
    size_t used;              /* of `bytes` */
    alignas(max_align_t) unsigned char bytes[];
};

/* Allocates a chunk in huge pages. A large arena is accessed all over, and small pages would miss the host's
 * TLB most of the time. malloc is not used, because it rarely finds a place for another huge page where one
 * was. */
static struct arena_chunk *huge_chunk(size_t least)
{
    size_t bytes = round_up(sizeof(struct arena_chunk) + least, HUGE_PAGE);
    struct arena_chunk *chunk = area_open(bytes);
    if (chunk == NULL)
        return NULL;
    area_request_huge_pages(chunk, bytes);
    chunk->area_bytes = bytes;
    chunk->size = bytes - sizeof *chunk;
    assert(chunk->size >= least);
    return chunk;
}

/* Returns a chunk of at least `least` bytes. Once an arena is large, its chunks are huge pages. */
static struct arena_chunk *new_chunk(const arena *from, size_t least)
{
    enum { CHUNK_BYTES = 64 * 1024, LARGE_BYTES = 1 << 20 };
    if (from->used_bytes >= LARGE_BYTES)
        return huge_chunk(least);
    if (least < CHUNK_BYTES)
        least = CHUNK_BYTES;
    struct arena_chunk *chunk = malloc(sizeof *chunk + least);
    if (chunk == NULL)
        return NULL;
    chunk->area_bytes = 0;
    chunk->size = least;
    return chunk;
}

/* Returns `size` zeroed bytes aligned to `unit`, a power of two. Only the newest chunk is searched for space. If it
 * has too little, the first unused chunk becomes the newest, or a new one if that is too small. `unit` bytes more
 * than `size` leave room for the gap before an aligned object. */
static void *alloc(arena *from, size_t size, size_t unit)
{
    if (size > (size_t)-1 / 2)
        return NULL;
    assert(unit != 0 && (unit & (unit - 1)) == 0);
    struct arena_chunk *chunk = from->chunk;
    assert(chunk == NULL || chunk->used <= chunk->size);
    size_t gap = chunk != NULL ? -(uintptr_t)(chunk->bytes + chunk->used) % unit : 0;
    if (chunk == NULL || chunk->size - chunk->used < gap + size) {
        chunk = from->unused;
        if (chunk != NULL && chunk->size >= size + unit)
            from->unused = chunk->next;
        else
            chunk = new_chunk(from, size + unit);
        if (chunk == NULL)
            return NULL;
        chunk->next = from->chunk;
        chunk->used = 0;
        from->chunk = chunk;
        gap = -(uintptr_t)chunk->bytes % unit;
    }
    assert(chunk->size - chunk->used >= gap + size);
    void *memory = chunk->bytes + chunk->used + gap;
    chunk->used += gap + size;
    from->used_bytes += gap + size;
    return memset(memory, 0, size);
}

void *arena_alloc(arena *from, size_t size)
{
    return alloc(from, size, alignof(max_align_t));
}

void *arena_alloc_line(arena *from, size_t size)
{
    return alloc(from, size, HOST_LINE);
}

char *arena_text(arena *from, const char *text)
{
    return arena_text_part(from, text, SIZE_MAX);
}

char *arena_text_part(arena *from, const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = arena_alloc(from, length + 1); /* zeroed, so the copy ends with a NUL */
    return copy != NULL ? memcpy(copy, text, length) : NULL;
}

void arena_clear(arena *from)
{
    while (from->chunk != NULL) {
        struct arena_chunk *next = from->chunk->next;
        from->chunk->next = from->unused;
        from->unused = from->chunk;
        from->chunk = next;
    }
    from->used_bytes = 0;
}

void arena_free_all(arena *from)
{
    arena_clear(from);
    while (from->unused != NULL) {
        struct arena_chunk *next = from->unused->next;
        if (from->unused->area_bytes != 0)
            area_close(from->unused, from->unused->area_bytes);
        else
            free(from->unused);
        from->unused = next;
    }
}
