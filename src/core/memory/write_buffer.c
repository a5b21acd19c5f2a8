/* The write buffers: rarer operations, and snapshots (write_buffer.h). */
#include "core/memory/write_buffer.h"

#include <string.h>

/* Makes `entries` free buffers, half of them for each pipe if `per_pipe`. The entries of a pipe (or of the pool) are
 * taken in turn: keep[] and put[] replace the bytes of `next` for the pipes that use the entry. */
void write_buffer_init(write_buffer *w, unsigned entries, bool per_pipe)
{
    memset(w, 0, sizeof *w);
    w->entries = entries;
    /* entries that a pipe takes in turn */
    unsigned in_turn = per_pipe ? entries / 2 : entries;
    w->next[1] = (uint8_t)(entries - in_turn);
    for (unsigned entry = 0; entry < entries; entry++) {
        uint8_t after = (uint8_t)((entry + 1) % in_turn != 0 ? entry + 1 : entry + 1 - in_turn);
        uint8_t keep[2], put[2];
        for (unsigned pipe = 0; pipe < 2; pipe++) {
            bool taken = !per_pipe || pipe == entry / in_turn;
            keep[pipe] = taken ? 0 : UINT8_MAX;
            put[pipe] = taken ? after : 0;
        }
        memcpy(&w->keep[entry], keep, sizeof keep);
        memcpy(&w->put[entry], put, sizeof put);
    }
    w->upgrade_at = UINT64_MAX;
}

/* If the first pending change of a line to exclusive is due by `clock`, removes it, stores the line in `*line` and
 * returns true. */
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

/* Cancels all pending changes of lines to exclusive. */
void write_buffer_keep_shared(write_buffer *w)
{
    memset(w->upgrade, 0, sizeof w->upgrade);
    w->upgrade_at = UINT64_MAX;
}

/* ---- snapshots ----------------------------------------------------------------------------------------- */

/* Refuses a snapshot with an entry that does not exist, or an `upgrade` that is not a line + 1. */
static void check_buffer(const void *row, snapshot *s)
{
    const write_buffer *w = row;
    for (unsigned pipe = 0; pipe < 2; pipe++)
        if (w->next[pipe] >= w->entries)
            snapshot_refuse(s, "write_buffer.next: %u is not 0..%u", (unsigned)w->next[pipe], w->entries - 1);
    for (unsigned entry = 0; entry < WRITE_BUFFERS; entry++)
        if (w->upgrade[entry] != 0 && (w->upgrade[entry] & 1) == 0)
            snapshot_refuse(s, "write_buffer.upgrade: %08Xh is not a line + 1", w->upgrade[entry]);
}

const snapshot_table write_buffer_state = {
    SNAPSHOT(write_buffer, "write_buffer", FIELD_TIME_OF([0], free_at),
             FIELD_BITS_OF([0], 0xffffffe1u, upgrade), FIELD_DEADLINE(upgrade_at), FIELD_TIME(drained),
             FIELD_DERIVED(entries), FIELD_MOST_OF([0], WRITE_BUFFERS - 1, next), FIELD_DERIVED(keep, put)),
    .check = check_buffer};
