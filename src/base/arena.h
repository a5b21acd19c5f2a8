/* A bump allocator: many small objects that die together. */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stddef.h>

typedef struct arena {
    struct arena_chunk *chunk, *spare;
    size_t used_bytes; /* handed out since the last arena_clear, for budgets */
} arena;

/* Zeroed memory of `size` bytes aligned for any type; NULL when memory is out. */
void *arena_alloc(arena *from, size_t size);
/* ... that begins a cache line of the host. */
void *arena_alloc_line(arena *from, size_t size);
/* A copy of `text`, of at most `most` bytes of it; NULL when memory is out. */
char *arena_text(arena *from, const char *text);
char *arena_text_part(arena *from, const char *text, size_t most);
/* All objects die; their room is for those to come. */
void arena_clear(arena *from);
/* ... and goes back to the host; the arena may be used again. */
void arena_free_all(arena *from);

#endif
