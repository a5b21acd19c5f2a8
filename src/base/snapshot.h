/* Saving and restoring state, piece by piece. One function describes a structure for both directions: it
 * hands each of its parts to snapshot_piece, which writes it or fills it in. A piece carries its name and its
 * size, so that a file of another layout is found out where it begins to differ. Pieces are images of memory:
 * a snapshot belongs to the build that made it; who keeps files checks the version first. */
#ifndef BASE_SNAPSHOT_H
#define BASE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct snapshot {
    bool loading;
    bool (*write)(void *context, const void *bytes, size_t size); /* saving; false: it cannot */
    bool (*read)(void *context, void *bytes, size_t size);        /* loading; false: the end, or it cannot */
    void *context;
    p5_status status; /* of the first thing that failed; from then on nothing is moved */
    p5_error *error;
} snapshot;

enum { SNAPSHOT_NAME = 24 };

/* Moves `size` bytes at `data`. `name` has fewer than SNAPSHOT_NAME characters. After a failure `data` keeps
 * what it held. */
void snapshot_piece(snapshot *s, const char *name, void *data, size_t size);
/* A single number: saves `value`, or answers what was saved, which must be at most `most`. 0 after a failure.
 */
uint64_t snapshot_number(snapshot *s, const char *name, uint64_t value, uint64_t most);
/* A text of less than 64 KB or NULL. Loading: an allocated copy in the place of *text, which is freed. */
void snapshot_text(snapshot *s, const char *name, char **text);
/* The whole of a growable array's items (base/array.h); `items` is the address of its pointer. */
void snapshot_array(snapshot *s, const char *name, void *items, size_t *count, size_t *capacity,
                    size_t element_size, size_t most);
/* Notes that what was loaded cannot be: the first failure counts. */
void snapshot_refuse(snapshot *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
