/* The Linux personality in snapshots. Page tables, descriptor tables and the guest's pages are in RAM, which
 * the engine keeps; here is what the kernel knows beside them. */
#include "machine/linux/snapshot.h"

#include <stdlib.h>

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

static const snapshot_field region_fields[] = {
    FIELD_ANY(linux_region, start),      FIELD_ANY(linux_region, end),
    FIELD_ANY(linux_region, backed_end), FIELD_MOST(linux_region, protection, 7),
    FIELD_ANY(linux_region, page),       FIELD_ANY(linux_region, mapped),
};
static const snapshot_table region_state = {SNAPSHOT_TABLE(linux_region, "region", region_fields)};

typedef struct frame {
    uint8_t use;
} frame;
static const snapshot_field frame_fields[] = {
    FIELD_MOST(frame, use, FRAME_USED | FRAME_DIRTY),
};
static const snapshot_table frame_state = {SNAPSHOT_TABLE(frame, "frame", frame_fields)};

/* How many frames are free, and from where on there may be one. */
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
                  REGIONS_AT_MOST);
    if (!s->loading || s->status != P5_OK)
        return;
    count_frames(m);
    if (!regions_fit(m))
        snapshot_refuse(s, "region.start: this is no list of mappings");
    if ((m->frames[0] & FRAME_USED) == 0)
        snapshot_refuse(s, "frame.use[0]: nothing of the guest's lies at 0");
    if (m->directory % PAGE_BYTES != 0 || m->directory / PAGE_BYTES >= m->frame_count)
        snapshot_refuse(s, "linux.memory.directory: %Xh lies outside memory", m->directory);
    else if (s->status == P5_OK && !linux_kernel_find(p))
        snapshot_refuse(s, "linux.memory.directory: what lies at %Xh does not map the kernel", m->directory);
}

static const snapshot_field action_fields[] = {
    FIELD_ANY(linux_action, handler),
    FIELD_ANY(linux_action, flags),
    FIELD_ANY(linux_action, restorer),
    FIELD_ANY(linux_action, mask),
};
static const snapshot_table action_state = {SNAPSHOT_TABLE(linux_action, "action", action_fields)};

static const snapshot_field info_fields[] = {
    FIELD_ANY(linux_siginfo, signo),
    FIELD_ANY(linux_siginfo, code),
    FIELD_ANY(linux_siginfo, value, [0]),
};
static const snapshot_table info_state = {SNAPSHOT_TABLE(linux_siginfo, "info", info_fields)};

static const snapshot_field signals_fields[] = {
    FIELD_TABLE(linux_signals, actions, &action_state),
    FIELD_TABLE(linux_signals, info, &info_state),
    FIELD_ANY(linux_signals, pending),
    FIELD_ANY(linux_signals, blocked),
    FIELD_ANY(linux_signals, saved_mask),
    FIELD_FLAG(linux_signals, mask_saved),
    FIELD_ANY(linux_signals, stack),
    FIELD_ANY(linux_signals, stack_size),
    FIELD_ANY(linux_signals, stack_flags),
    FIELD_ANY(linux_signals, trap),
    FIELD_ANY(linux_signals, error_code),
    FIELD_ANY(linux_signals, cr2),
};
static const snapshot_table signals_state = {SNAPSHOT_TABLE(linux_signals, "signals", signals_fields)};

static const snapshot_field timer_fields[] = {
    FIELD_ANY(linux_timer, clock),
    FIELD_ANY(linux_timer, interval),
    FIELD_FLAG(linux_timer, made),
    FIELD_ANY(linux_timer, which),
    FIELD_MOST(linux_timer, signal, LINUX_SIGNALS),
    FIELD_ANY(linux_timer, value),
    FIELD_ANY(linux_timer, overrun),
};
static const snapshot_table timer_state = {SNAPSHOT_TABLE(linux_timer, "timer", timer_fields)};

static const snapshot_field time_fields[] = {
    FIELD_TABLE(linux_time, timers, &timer_state),
    FIELD_MOST(linux_time, halted, SNAPSHOT_CLOCK_MOST),
};
static const snapshot_table time_state = {SNAPSHOT_TABLE(linux_time, "time", time_fields)};

static const snapshot_field registers_fields[] = {
    FIELD_ANY(linux_registers, eax),    FIELD_ANY(linux_registers, ecx), FIELD_ANY(linux_registers, edx),
    FIELD_ANY(linux_registers, ebx),    FIELD_ANY(linux_registers, esp), FIELD_ANY(linux_registers, ebp),
    FIELD_ANY(linux_registers, esi),    FIELD_ANY(linux_registers, edi), FIELD_ANY(linux_registers, eip),
    FIELD_ANY(linux_registers, eflags), FIELD_ANY(linux_registers, cs),  FIELD_ANY(linux_registers, ss),
};
static const snapshot_table registers_state = {
    SNAPSHOT_TABLE(linux_registers, "registers", registers_fields)};

static const snapshot_field process_fields[] = {
    FIELD_ANY(linux_process, memory.directory),
    FIELD_ANY(linux_process, memory.brk_start),
    FIELD_ANY(linux_process, memory.brk),
    FIELD_TABLE(linux_process, signals, &signals_state),
    FIELD_TABLE(linux_process, time, &time_state),
    FIELD_TEXT(linux_process, files.cwd),
    FIELD_BITS(linux_process, files.umask, 0777),
    FIELD_TABLE(linux_process, registers, &registers_state),
    FIELD_FLAG(linux_process, entry_pending),
    FIELD_ANY(linux_process, entry_vector),
    FIELD_FLAG(linux_process, keep_registers),
    FIELD_FLAG(linux_process, blocked),
    FIELD_TEXT(linux_process, program),
    FIELD_ANY(linux_process, random_state),
    FIELD_ANY(linux_process, clear_tid),
    FIELD_TEXT(linux_process, name),
};
static const snapshot_table process_state = {SNAPSHOT_TABLE(linux_process, "linux", process_fields),
                                             .partial = true};

const snapshot_table *const linux_tables[] = {&process_state,
                                              &frame_state,
                                              &region_state,
                                              &linux_mount_state,
                                              &linux_node_state,
                                              &linux_name_state,
                                              &linux_saved_file_state,
                                              &linux_chunk_state,
                                              &linux_descriptor_state,
                                              &linux_interest_state,
                                              NULL};

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
    linux_files_number(p, s);
    transfer_memory(p, s);
    linux_files_transfer(p, s);
}
