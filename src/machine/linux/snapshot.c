/* The Linux personality in snapshots. Page tables, descriptor tables and the guest's pages are in RAM, which
 * the engine keeps; here is what the kernel knows beside them. */
#include "machine/linux/snapshot.h"

#include <stdlib.h>

#include "base/error.h"

enum { REGIONS_AT_MOST = 65536 };

/* Ascending, apart from each other, in the user's part. */
static bool regions_fit(const linux_memory *m)
{
    uint32_t end = 0;
    for (size_t i = 0; i < m->regions.count; i++) {
        const linux_region *r = &m->regions.items[i];
        if (r->start < end || r->end <= r->start || r->end > LINUX_TASK_SIZE || r->backed_end < r->start ||
            r->backed_end > r->end || (r->start | r->end | r->backed_end) % PAGE_BYTES != 0)
            return false;
        end = r->end;
    }
    return true;
}

static void transfer_memory(linux_process *p, snapshot *s)
{
    linux_memory *m = &p->memory;
    uint32_t frames = (uint32_t)snapshot_number(s, "frames", m->frame_count, UINT32_MAX);
    if (s->loading && s->status == P5_OK) {
        if (frames != p->machine->options.memory_bytes / PAGE_BYTES) {
            snapshot_refuse(s, "part frames of the snapshot is for another size of memory");
            return;
        }
        m->frames = calloc(frames, 1);
        m->frame_count = frames;
        if (m->frames == NULL) {
            s->status = error_set(s->error, P5_ERR_MEMORY, "out of memory");
            return;
        }
    }
    snapshot_piece(s, "frames.used", m->frames, m->frame_count);
    m->frames_free = (uint32_t)snapshot_number(s, "frames.free", m->frames_free, frames);
    m->first_free = (uint32_t)snapshot_number(s, "frames.first_free", m->first_free, frames);
    m->directory = (uint32_t)snapshot_number(s, "directory", m->directory, UINT32_MAX);
    snapshot_array(s, "regions", &m->regions.items, &m->regions.count, &m->regions.capacity,
                   sizeof *m->regions.items, REGIONS_AT_MOST);
    snapshot_piece(s, "brk.start", &m->brk_start, sizeof m->brk_start);
    snapshot_piece(s, "brk", &m->brk, sizeof m->brk);
    if (s->loading && s->status == P5_OK && !regions_fit(m))
        snapshot_refuse(s, "part regions of the snapshot is no list of mappings");
    if (s->loading && s->status == P5_OK &&
        (m->directory % PAGE_BYTES != 0 || m->directory / PAGE_BYTES >= frames))
        snapshot_refuse(s, "part directory of the snapshot lies outside memory");
    else if (s->loading && s->status == P5_OK && !linux_kernel_find(p))
        snapshot_refuse(s, "part directory of the snapshot does not map the kernel");
}

void linux_transfer(p5_machine *machine, snapshot *s)
{
    linux_process *p = machine->guest_state;
    if (s->loading) {
        p = calloc(1, sizeof *p);
        if (p == NULL) {
            s->status = error_set(s->error, P5_ERR_MEMORY, "no memory for the guest");
            return;
        }
        p->machine = machine;
        p->engine = machine->engine;
        machine->guest_state = p;
    }
    transfer_memory(p, s);
    snapshot_piece(s, "signals", &p->signals, sizeof p->signals);
    snapshot_piece(s, "time", &p->time, sizeof p->time);
    snapshot_piece(s, "registers", &p->registers, sizeof p->registers);
    snapshot_piece(s, "entry", &p->entry_pending, sizeof p->entry_pending);
    snapshot_piece(s, "entry.vector", &p->entry_vector, sizeof p->entry_vector);
    snapshot_piece(s, "entry.keep", &p->keep_registers, sizeof p->keep_registers);
    snapshot_piece(s, "entry.blocked", &p->blocked, sizeof p->blocked);
    snapshot_piece(s, "random", &p->random_state, sizeof p->random_state);
    snapshot_piece(s, "clear_tid", &p->clear_tid, sizeof p->clear_tid);
    snapshot_piece(s, "name", p->name, sizeof p->name);
    linux_files_transfer(p, s);
}
