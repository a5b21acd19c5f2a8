/* The Linux personality in snapshots. Page tables, descriptor tables and the guest's pages are in RAM, which
 * the engine saves. This file saves the kernel's other state. */
#include "machine/linux/abi.h"
#include "machine/linux/snapshot.h"

#include <stdlib.h>

#include "machine/linux/guest.h"

/* Returns true if the regions ascend, do not overlap, and lie in the user's part of the address space. */
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

static const snapshot_table region_state = {
    SNAPSHOT(linux_region, "region", FIELD_ANY(start, end, backed_end), FIELD_MOST(7, protection))};

/* A byte of linux_memory.frames, as a struct because the fields of a snapshot's table are members. */
typedef struct frame {
    uint8_t use; /* FRAME_* */
} frame;
static const snapshot_table frame_state = {
    SNAPSHOT(frame, "frame", FIELD_MOST(FRAME_USED | FRAME_DIRTY, use))};

/* Recomputes how many frames are free, and which is the first free one. */
static void count_frames(linux_memory *m)
{
    m->frames_free = 0;
    m->first_free = m->frame_count;
    for (uint32_t i = m->frame_count; i-- > 0;)
        if ((m->frames[i] & FRAME_USED) == 0) {
            m->frames_free++;
            m->first_free = i;
        }
}

/* Saves or loads the state of the frames and the list of mappings. */
static void transfer_memory(linux_process *p, snapshot *s)
{
    linux_memory *m = &p->memory;
    if (s->loading) {
        m->frame_count = p->machine->options.memory_bytes / PAGE_BYTES;
        m->frames = calloc(m->frame_count, 1);
        if (m->frames == NULL) {
            snapshot_no_memory(s);
            return;
        }
    }
    snapshot_states(s, &frame_state, m->frames, m->frame_count);
    snapshot_list(s, &region_state, &m->regions.items, &m->regions.count, &m->regions.capacity,
                  LINUX_REGIONS_AT_MOST);
    if (!s->loading || s->status != P5_OK)
        return;
    count_frames(m);
    if (!regions_fit(m))
        snapshot_refuse(s, "region.start: the mappings are not sorted or overlap");
    if ((m->frames[0] & FRAME_USED) == 0) /* it is marked as used, so that no page gets it */
        snapshot_refuse(s, "frame.use[0]: frame 0 must be marked as used");
    if (m->directory % PAGE_BYTES != 0 || m->directory / PAGE_BYTES >= m->frame_count)
        snapshot_refuse(s, "linux.memory.directory: %Xh is outside memory", m->directory);
    else if (s->status == P5_OK && !linux_kernel_find(p))
        snapshot_refuse(s, "linux.memory.directory: the page directory at %Xh does not map the kernel",
                        m->directory);
}

static const snapshot_table action_state = {
    SNAPSHOT(linux_action, "action", FIELD_ANY(handler, flags, restorer, mask))};

static const snapshot_table info_state = {
    SNAPSHOT(linux_siginfo, "info", FIELD_ANY(signo, code), FIELD_ANY_OF([0], value))};

static const snapshot_table signals_state = {
    SNAPSHOT(linux_signals, "signals", FIELD_TABLE(&action_state, actions), FIELD_TABLE(&info_state, info),
             FIELD_ANY(pending, blocked), FIELD_TABLE(&info_state, queue), FIELD_MOST(LINUX_QUEUED, queued),
             FIELD_ANY(saved_mask), FIELD_FLAG(mask_saved), FIELD_DERIVED(awaited /* 0 between calls */),
             FIELD_ANY(stack, stack_size, stack_flags, trap, error_code, cr2))};

static const snapshot_table timer_state = {SNAPSHOT(linux_timer, "timer", FIELD_ANY(clock, interval))};

static const snapshot_table time_state = {
    SNAPSHOT(linux_time, "time", FIELD_TABLE(&timer_state, timers), FIELD_MOST(SNAPSHOT_CLOCK_MOST, halted))};

static const snapshot_table registers_state = {SNAPSHOT(
    linux_registers, "registers", FIELD_ANY(eax, ecx, edx, ebx, esp, ebp, esi, edi, eip, eflags, cs, ss))};

static const snapshot_table process_state = {
    SNAPSHOT(linux_process, "linux", FIELD_ANY(memory.directory, memory.brk_start, memory.brk),
             FIELD_TABLE(&signals_state, signals), FIELD_TABLE(&time_state, time), FIELD_TEXT(files.cwd),
             FIELD_BITS(0777, files.umask), FIELD_TABLE(&registers_state, registers),
             FIELD_FLAG(entry_pending), FIELD_ANY(entry_vector), FIELD_FLAG(keep_registers, blocked),
             FIELD_TEXT(program), FIELD_ANY(random_state, clear_tid), FIELD_TEXT(name),
             FIELD_SINCE(3, FIELD_MOST(LINUX_NICE_MOST, nice))),
    .partial = true};

const snapshot_table *const linux_tables[] = {&process_state,          &frame_state,
                                              &region_state,           &linux_mount_state,
                                              &linux_node_state,       &linux_name_state,
                                              &linux_saved_file_state, &linux_chunk_state,
                                              &linux_descriptor_state, NULL};

/* Saves or loads the process. A load makes it, with open shares, which the files of the snapshot need. */
void linux_transfer(p5_machine *machine, snapshot *s)
{
    linux_process *p = machine->guest_state;
    if (s->loading) {
        p = linux_process_make(machine);
        if (p == NULL) {
            snapshot_no_memory(s);
            return;
        }
        machine->guest_state = p;
    }
    if (s->loading && s->status == P5_OK)
        s->status = linux_files_open(p, s->error);
    snapshot_state(s, &process_state, p);
    transfer_memory(p, s);
    linux_files_transfer(p, s);
}
