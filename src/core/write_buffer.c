#include "core/write_buffer.h"

#include <string.h>

void write_buffer_init(write_buffer *w, unsigned entries, bool per_pipe)
{
    memset(w, 0, sizeof *w);
    w->entries = entries;
    w->per_pipe = per_pipe ? entries / 2 : 0;
    w->next[1] = (uint8_t)w->per_pipe;
    unsigned in_turn = per_pipe ? w->per_pipe : entries;
    for (unsigned entry = 0; entry < entries; entry++)
        w->after[entry] = (uint8_t)((entry + 1) % in_turn != 0 ? entry + 1 : entry + 1 - in_turn);
    w->upgrade_at = UINT64_MAX;
}

bool write_buffer_upgrade(write_buffer *w, uint64_t clock, uint32_t *line)
{
    if (clock < w->upgrade_at)
        return false;
    unsigned first = 0;
    uint64_t second_at = UINT64_MAX;
    for (unsigned i = 0; i < w->entries; i++) {
        if (w->upgrade[i] == 0)
            continue;
        if (w->free_at[i] == w->upgrade_at)
            first = i;
        else if (w->free_at[i] < second_at)
            second_at = w->free_at[i];
    }
    *line = w->upgrade[first] - 1;
    w->upgrade[first] = 0;
    w->upgrade_at = second_at;
    return true;
}

void write_buffer_keep_shared(write_buffer *w)
{
    memset(w->upgrade, 0, sizeof w->upgrade);
    w->upgrade_at = UINT64_MAX;
}
