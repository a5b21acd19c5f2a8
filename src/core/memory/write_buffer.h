/* The write buffers: 8 bytes each, one per pipe (P54C) or a pool of four (P55C). Misses, writes to shared
 * lines and non-cacheable writes pass through them to the bus in program order; locked and I/O writes never
 * do. */
#ifndef CORE_MEMORY_WRITE_BUFFER_H
#define CORE_MEMORY_WRITE_BUFFER_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/snapshot.h"

enum { WRITE_BUFFERS = 4 /* the most entries */ };

typedef struct write_buffer {
    uint64_t free_at[WRITE_BUFFERS]; /* core clock at which the entry's write has ended on the bus */
    uint32_t upgrade[WRITE_BUFFERS]; /* shared line that becomes exclusive at the end of that write, + 1; 0 =
                                        none */
    uint64_t upgrade_at;             /* core clock of the first such end; UINT64_MAX: there is none */
    uint64_t drained;                /* core clock at which the last write has ended */
    unsigned entries;                /* how many there are */
    uint8_t next[2]; /* entry that is free first, for the U and V pipe; both are the same in a pool */
    /* Taking an entry updates `next` as one word: `keep` masks the pipes that are not affected, and `put` is
     * the next entry of the others. */
    uint16_t keep[WRITE_BUFFERS], put[WRITE_BUFFERS];
} write_buffer;

/* Makes `entries` free buffers, half of them for each pipe if `per_pipe`. */
void write_buffer_init(write_buffer *w, unsigned entries, bool per_pipe);
extern const snapshot_table write_buffer_state; /* what a snapshot contains of it */

/* Returns the entry that is free first for a write of the U or V pipe; it may still be in use. Writes end in the
 * order in which they entered the buffers, so it is the entry taken longest ago. */
static inline unsigned write_buffer_next(const write_buffer *w, bool v_pipe)
{
    assert(w->next[v_pipe] < w->entries);
    return w->next[v_pipe];
}

/* Returns the clock at which the first entry is free. */
static inline uint64_t write_buffer_first_free(const write_buffer *w)
{
    uint64_t u = w->free_at[w->next[0]], v = w->free_at[w->next[1]];
    return u < v ? u : v;
}

/* Takes `entry`, which write_buffer_next returned, for a write that ends on the bus at core clock `end`, not before
 * the writes taken earlier. `upgrade`: the line at physical address `line` is shared and becomes exclusive then. */
static inline void write_buffer_take(write_buffer *w, unsigned entry, uint64_t end, uint32_t line,
                                     bool upgrade)
{
    assert(entry < w->entries && end >= w->drained);
    uint16_t next;
    memcpy(&next, w->next, sizeof next);
    next = (uint16_t)((next & w->keep[entry]) | w->put[entry]);
    memcpy(w->next, &next, sizeof next);
    w->free_at[entry] = end;
    w->upgrade[entry] = upgrade ? line + 1 : 0;
    if (upgrade && end < w->upgrade_at)
        w->upgrade_at = end;
    w->drained = end;
}

/* If a line's write has ended by `clock`, so that it becomes exclusive, removes the line from the buffers,
 * stores it in `*line` and returns true. */
bool write_buffer_upgrade(write_buffer *w, uint64_t clock, uint32_t *line);
/* Cancels all pending changes of lines to exclusive. */
void write_buffer_keep_shared(write_buffer *w);

#endif
