/* The write buffers: 8 bytes each, one per pipe (P54C) or a pool of four (P55C). Misses, writes to shared
 * lines and non-cacheable writes pass through them and go to the bus in program order; locked and I/O writes
 * never do. */
#ifndef CORE_WRITE_BUFFER_H
#define CORE_WRITE_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

enum { WRITE_BUFFERS = 4 };

typedef struct write_buffer {
    uint64_t free_at[WRITE_BUFFERS]; /* core clock at which the write of the entry has ended on the bus */
    uint32_t upgrade[WRITE_BUFFERS]; /* shared line that becomes exclusive with the end of that write, + 1; 0
                                        = none */
    unsigned entries, per_pipe;      /* per_pipe: entries of each pipe, 0 = a pool */
    uint64_t drained;                /* core clock at which the youngest write has ended */
} write_buffer;

void write_buffer_init(write_buffer *w, unsigned entries, bool per_pipe);
/* The entry that is free first for a write of the U or V pipe. */
unsigned write_buffer_next(const write_buffer *w, bool v_pipe);
/* True if a read that has to go to the bus in `clock` finds every entry taken. */
bool write_buffer_full(const write_buffer *w, uint64_t clock);
/* Clock at which the first entry is free. */
uint64_t write_buffer_first_free(const write_buffer *w);
/* Takes the entry for a write that ends on the bus in core clock `end`. */
void write_buffer_take(write_buffer *w, unsigned entry, uint64_t end, uint32_t upgrade_line, bool upgrade);

#endif
