/* Descriptor tables and the kernel entry.
 *
 * The kernel's pages lie at LINUX_KERNEL_BASE (supervisor only): GDT and TSS; IDT; the entry code; the kernel
 * stack. Descriptors are those of Linux: TLS in entries 6-8; selectors 60h/68h for the kernel, 73h/7Bh for the user. */
#include "machine/linux/linux_internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/base/end.h"
#include "machine/linux/guest.h"
#include "machine/load/segment.h"
#include "machine/run/run.h"

enum { PAGE_GDT, PAGE_IDT, PAGE_ENTRY, PAGE_STACK }; /* numbers of the kernel's pages */
_Static_assert(PAGE_STACK + 1 == LINUX_KERNEL_PAGES, "one frame each");
enum { TSS_OFFSET = 0x800, TSS_LIMIT = 0x67, ENTRY_BYTES = 8, VECTORS = 256 };
#define KERNEL_ADDRESS(page) (LINUX_KERNEL_BASE + (uint32_t)(page)*PAGE_BYTES)
#define KERNEL_STACK_TOP     KERNEL_ADDRESS(PAGE_STACK + 1)
/* The frame that INT leaves at the top of the kernel stack: EIP, CS, EFLAGS, ESP, SS. */
#define KERNEL_FRAME (KERNEL_STACK_TOP - 20)

/* Returns the host address of kernel memory. It uses the frames directly, because CR3 and the page tables may
 * have been changed. */
static uint8_t *kernel_memory(const linux_process *p, uint32_t linear)
{
    uint32_t offset = linear - LINUX_KERNEL_BASE;
    return engine_ram(p->engine, p->kernel_frames[offset / PAGE_BYTES] + offset % PAGE_BYTES, 1);
}

bool linux_kernel_find(linux_process *p)
{
    for (unsigned i = 0; i < LINUX_KERNEL_PAGES; i++) {
        p->kernel_frames[i] = linux_frame_of(p, KERNEL_ADDRESS(i));
        if (p->kernel_frames[i] == LINUX_NO_FRAME)
            return false;
    }
    return true;
}

uint64_t *linux_gdt_entry(linux_process *p, unsigned index)
{
    return (uint64_t *)(void *)kernel_memory(p, KERNEL_ADDRESS(PAGE_GDT) + index * 8);
}

/* Writes GDT and TSS: ESP0 and SS0 at offset 4, the offset of the I/O bitmap at 66h. */
static void kernel_build_gdt(linux_process *p, uint8_t *page)
{
    engine_segment segments[] = {segment_flat(LINUX_KERNEL_CODE, true, 0),
                                 segment_flat(LINUX_KERNEL_DATA, false, 0),
                                 segment_flat(LINUX_USER_CODE, true, 3),
                                 segment_flat(LINUX_USER_DATA, false, 3),
                                 {.selector = LINUX_TSS,
                                  .base = KERNEL_ADDRESS(PAGE_GDT) + TSS_OFFSET,
                                  .limit = TSS_LIMIT,
                                  .flags = SEGMENT_TSS}};
    segment_table(p->engine, page, KERNEL_ADDRESS(PAGE_GDT), LINUX_GDT_ENTRIES, segments,
                  sizeof segments / sizeof segments[0]);
    uint32_t stack[2] = {KERNEL_STACK_TOP, LINUX_KERNEL_DATA};
    memcpy(page + TSS_OFFSET + 4, stack, sizeof stack);
    uint16_t no_io_bitmap = TSS_LIMIT + 1;
    memcpy(page + TSS_OFFSET + 0x66, &no_io_bitmap, sizeof no_io_bitmap);
    engine_set_segment(p->engine, ENGINE_TR, &segments[4]);
}

/* Builds one gate and one piece of entry code per vector. Users may execute INT3, INTO and INT 80h. */
static void kernel_build_entries(linux_process *p, uint8_t *idt, uint8_t *code)
{
    static const uint8_t no_error[ENTRY_BYTES] = {0xcf};                     /* iret */
    static const uint8_t with_error[ENTRY_BYTES] = {0x83, 0xc4, 0x04, 0xcf}; /* add esp, 4; iret */
    for (unsigned vector = 0; vector < VECTORS; vector++) {
        bool user = vector == 3 || vector == 4 || vector == LINUX_VECTOR_SYSCALL;
        uint64_t gate =
            segment_gate(LINUX_KERNEL_CODE, KERNEL_ADDRESS(PAGE_ENTRY) + vector * ENTRY_BYTES, user ? 3 : 0);
        memcpy(idt + vector * 8, &gate, sizeof gate);
        memcpy(code + vector * ENTRY_BYTES, vector_has_error_code(vector) ? with_error : no_error,
               ENTRY_BYTES);
    }
    engine_set_table(p->engine, true, KERNEL_ADDRESS(PAGE_IDT), VECTORS * 8 - 1);
}

bool linux_kernel_build(linux_process *p)
{
    engine *e = p->engine;
    uint8_t *pages[LINUX_KERNEL_PAGES];
    for (unsigned i = 0; i < LINUX_KERNEL_PAGES; i++) {
        uint32_t frame = linux_frame_allocate(p);
        if (frame == LINUX_NO_FRAME || !linux_map_kernel(p, KERNEL_ADDRESS(i), frame))
            return false;
        p->kernel_frames[i] = frame;
        pages[i] = engine_ram(e, frame, PAGE_BYTES);
    }
    engine_set(e, ENGINE_CR0, CR0_PE | CR0_ET | CR0_NE);
    engine_set(e, ENGINE_CR4, p->machine->options.pce ? CR4_PCE : 0);
    engine_set(e, ENGINE_CR3, p->memory.directory);
    engine_set(e, ENGINE_CR0, CR0_PE | CR0_MP | CR0_ET | CR0_NE | CR0_WP | CR0_AM | CR0_PG);
    engine_flush_translations(e);
    kernel_build_gdt(p, pages[PAGE_GDT]);
    kernel_build_entries(p, pages[PAGE_IDT], pages[PAGE_ENTRY]);
    segment_load_flat(e, LINUX_USER_CODE, LINUX_USER_DATA, 3);
    /* FS and GS are null, as after exec. */
    engine_segment null_segment = {0};
    engine_set_segment(e, ENGINE_FS, &null_segment);
    engine_set_segment(e, ENGINE_GS, &null_segment);
    return true;
}

/* --- Kernel entry --- */

/* Copies the user's registers from the processor and the frame on the kernel stack to p->registers. */
static void registers_load(linux_process *p)
{
    engine *e = p->engine;
    uint32_t frame[5];
    memcpy(frame, kernel_memory(p, KERNEL_FRAME), sizeof frame);
    p->registers = (linux_registers){.eax = engine_get(e, ENGINE_EAX),
                                     .ecx = engine_get(e, ENGINE_ECX),
                                     .edx = engine_get(e, ENGINE_EDX),
                                     .ebx = engine_get(e, ENGINE_EBX),
                                     .ebp = engine_get(e, ENGINE_EBP),
                                     .esi = engine_get(e, ENGINE_ESI),
                                     .edi = engine_get(e, ENGINE_EDI),
                                     .eip = frame[0],
                                     .cs = (uint16_t)frame[1],
                                     .eflags = frame[2],
                                     .esp = frame[3],
                                     .ss = (uint16_t)frame[4]};
}

/* Copies p->registers back, so that the entry code's IRET returns to the user with them. */
static void registers_store(linux_process *p)
{
    engine *e = p->engine;
    const linux_registers *r = &p->registers;
    uint32_t frame[5] = {r->eip, r->cs, r->eflags, r->esp, r->ss};
    memcpy(kernel_memory(p, KERNEL_FRAME), frame, sizeof frame);
    engine_set(e, ENGINE_EAX, r->eax);
    engine_set(e, ENGINE_ECX, r->ecx);
    engine_set(e, ENGINE_EDX, r->edx);
    engine_set(e, ENGINE_EBX, r->ebx);
    engine_set(e, ENGINE_EBP, r->ebp);
    engine_set(e, ENGINE_ESI, r->esi);
    engine_set(e, ENGINE_EDI, r->edi);
}

/* Does the kernel's work when the processor is before the first instruction of the entry code. Stops the run if the guest
 * has ended, or if a call waits for the host while the run is to pause: then the next run comes here again. */
static engine_action linux_attention(p5_machine *machine)
{
    linux_process *p = machine->guest_state;
    if (!p->entry_pending)
        return ENGINE_CONTINUE;
    if (engine_cpl(p->engine) != 0) { /* the delivery is still to come */
        machine->attention_wanted = true;
        return ENGINE_CONTINUE;
    }
    unsigned vector = p->entry_vector;
    registers_load(p);
    p->blocked = p->keep_registers = false;
    p->interrupted = 0;
    if (vector == LINUX_VECTOR_SYSCALL) {
        linux_syscall(p);
    } else if (vector == LINUX_VECTOR_TIMER) {
        linux_run_timers(p);
    } else {
        uint32_t error_code = 0;
        if (vector_has_error_code(vector))
            memcpy(&error_code, kernel_memory(p, KERNEL_FRAME - 4), sizeof error_code);
        linux_fault(p, vector, error_code);
    }
    if (p->blocked)
        return ENGINE_STOP;
    p->waited_ms = 0;
    if (!machine->ended)
        linux_deliver_signals(p);
    registers_store(p);
    p->entry_pending = false;
    return machine->ended ? ENGINE_STOP : ENGINE_CONTINUE;
}

/* Makes linux_attention do the kernel's work when the delivery of `vector` has reached the entry code. */
static void entry_expect(linux_process *p, unsigned vector)
{
    p->entry_pending = true;
    p->entry_vector = (uint8_t)vector;
    p->machine->attention_wanted = true;
    engine_request_attention(p->engine);
}

/* Prepares the kernel's work for an exception or INT of the user, before its delivery. */
static engine_action linux_event(p5_machine *machine, const engine_event *event)
{
    linux_process *p = machine->guest_state;
    if (engine_cpl(p->engine) == 0) {
        machine_end(machine, P5_END_FAILED, 0);
        machine_end_at(machine, event->eip);
        machine_end_message(machine, "exception %u in the kernel entry of the Linux personality",
                            event->vector);
        return ENGINE_STOP;
    }
    entry_expect(p, event->vector);
    return ENGINE_DELIVER;
}

static uint64_t linux_deadline(p5_machine *machine)
{
    return linux_next_timer(machine->guest_state);
}

static void linux_due(p5_machine *machine)
{
    linux_process *p = machine->guest_state;
    if (run_inject(machine, LINUX_VECTOR_TIMER, P5_TRANSFER_INTERRUPT))
        entry_expect(p, LINUX_VECTOR_TIMER);
}

linux_process *linux_process_make(p5_machine *machine)
{
    linux_process *p = calloc(1, sizeof *p);
    if (p == NULL)
        return NULL;
    p->machine = machine;
    p->engine = machine->engine;
    p->program_file = -1;
    return p;
}

static void linux_close(p5_machine *machine)
{
    linux_process *p = machine->guest_state;
    linux_memory_close(p);
    linux_files_close(p);
    if (p->program_file >= 0)
        close(p->program_file);
    free(p);
}

static bool linux_next_own_code(uint32_t linear, machine_own_code *own)
{
    (void)linear; /* the kernel ends at 4 GB */
    *own = (machine_own_code){LINUX_KERNEL_BASE, UINT32_MAX, "[kernel]"};
    return true;
}

const guest_kind linux_guest = {.name = "linux",
                                .next_own_code = linux_next_own_code,
                                .attention = linux_attention,
                                .end_by_signal = linux_end_by_signal,
                                .event = linux_event,
                                .deadline = linux_deadline,
                                .due = linux_due,
                                .close = linux_close,
                                .transfer = linux_transfer};
