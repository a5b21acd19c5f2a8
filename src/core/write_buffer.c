#include "core/write_buffer.h"

#include <string.h>

void write_buffer_init(write_buffer *w, unsigned entries, bool per_pipe)
{
    memset(w, 0, sizeof *w);
    w->entries = entries;
    w->per_pipe = per_pipe ? entries / 2 : 0;
}

unsigned write_buffer_next(const write_buffer *w, bool v_pipe)
{
    unsigned first = w->per_pipe != 0 && v_pipe ? w->per_pipe : 0;
    unsigned count = w->per_pipe != 0 ? w->per_pipe : w->entries;
    unsigned best = first;
    for (unsigned i = first + 1; i < first + count; i++)
        if (w->free_at[i] < w->free_at[best])
            best = i;
    return best;
}

uint64_t write_buffer_first_free(const write_buffer *w)
{
    uint64_t first = w->free_at[0];
    for (unsigned i = 1; i < w->entries; i++)
        if (w->free_at[i] < first)
            first = w->free_at[i];
    return first;
}

bool write_buffer_full(const write_buffer *w, uint64_t clock)
{
    return write_buffer_first_free(w) > clock;
}

void write_buffer_take(write_buffer *w, unsigned entry, uint64_t end, uint32_t upgrade_line, bool upgrade)
{
    w->free_at[entry] = end;
    w->upgrade[entry] = upgrade ? upgrade_line + 1 : 0;
    if (end > w->drained)
        w->drained = end;
}
