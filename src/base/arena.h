/* A bump allocator for many small objects that are freed together. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

/* An arena of zeros is empty and ready for use. */
typedef struct arena {
    struct arena_chunk *chunk;  /* list of the chunks that hold objects, the newest first */
    struct arena_chunk *unused; /* list of the chunks that arena_clear has kept for new objects */
    size_t used_bytes;          /* allocated since the last arena_clear, for budgets */
} arena;

/* Returns zeroed memory of `size` bytes aligned for any type, or NULL if memory runs out. */
void *arena_alloc(arena *from, size_t size);
/* Does the same, aligned to a cache line of the host (64 bytes). */
void *arena_alloc_line(arena *from, size_t size);
/* Return a NUL-terminated copy of `text`, or of its first `most` bytes if it is longer; NULL if memory runs out. */
char *arena_text(arena *from, const char *text);
char *arena_text_part(arena *from, const char *text, size_t most);
/* Frees all objects and keeps the memory for new ones. */
void arena_clear(arena *from);
/* Frees all objects and the memory. The arena may be used again. */
void arena_free_all(arena *from);

#endif
