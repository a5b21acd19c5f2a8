/* Loads cases, which are code and data that run without an operating system until an exit address (p5scope-case(5)):
 * flat segments, identity paging with 4 KB pages over 32 MB, a 64 KB stack, CPL 0 or 3.
 *
 * The last 112 KB of the 32 MB belong to p5scope. From the top down they hold a page with GDT and TSS, the page
 * directory, eight page tables, two pages for the TSS's CPL 0 stack, and the stack of the case. */
#include <string.h>

#include "base/error.h"
#include "machine/base/end.h"
#include "machine/load/guest.h"
#include "machine/load/segment.h"
#include "machine/machine.h"
#include "machine/run/open.h"
#include "machine/run/processor.h"
#include "machine/state.h"

enum {
    CASE_MEMORY = 32 << 20,
    CASE_TABLES = CASE_MEMORY - PAGE_BYTES, /* GDT, and from CASE_TSS on the TSS */
    CASE_TSS = 0x800,
    CASE_DIRECTORY = CASE_TABLES - PAGE_BYTES,
    CASE_PAGE_TABLES = CASE_DIRECTORY - 8 * PAGE_BYTES,
    CASE_STACK_TOP = CASE_PAGE_TABLES - 2 * PAGE_BYTES,
    CASE_STACK_BYTES = 64 * 1024,
    CASE_TOP = CASE_STACK_TOP - CASE_STACK_BYTES, /* end of what an image may occupy */
    PAGE_BITS = 0x67, /* present, writable, user, accessed, dirty: walks need not set bits */
    SELECTOR_CODE0 = 0x08,
    SELECTOR_DATA0 = 0x10,
    SELECTOR_CODE3 = 0x1b,
    SELECTOR_DATA3 = 0x23,
    SELECTOR_TSS = 0x28
};
_Static_assert((int)CASE_STACK_TOP == (int)P5_CASE_STACK_TOP, "the public header has the same value");

/* Stores why the run ended (machine_end_message): the exception in words, for example "page fault (exception 14),
 * writing F0000000h". */
static void store_exception_message(p5_machine *machine, const engine_event *event)
{
    static const char *const names[] = {[0] = "division error",  [1] = "debug exception",
                                        [3] = "breakpoint",      [4] = "overflow trap",
                                        [5] = "BOUND range",     [6] = "invalid opcode",
                                        [7] = "no x87",          [8] = "double fault",
                                        [10] = "invalid TSS",    [11] = "segment not present",
                                        [12] = "stack fault",    [13] = "general protection fault",
                                        [14] = "page fault",     [16] = "x87 error pending",
                                        [17] = "alignment check"};
    enum { WROTE = 2 }; /* bit of a page fault's error code */
    char did[48] = "";
    if (event->vector == VECTOR_PF)
        snprintf(did, sizeof did, ", %s %08Xh",
                 event->fault_address == event->eip ? "executing"
                 : (event->error_code & WROTE) != 0 ? "writing"
                                                    : "reading",
                 event->fault_address);
    else if (event->has_error_code)
        snprintf(did, sizeof did, ", error code %Xh", event->error_code);
    const machine_elsewhere *elsewhere =
        event->vector == VECTOR_UD ? machine_lacks(machine, event->eip) : NULL;
    if (elsewhere != NULL)
        snprintf(did, sizeof did, ", an instruction %s", elsewhere->of);
    const char *name = event->vector < sizeof names / sizeof names[0] ? names[event->vector] : NULL;
    machine_end_message(machine, "%s (exception %u)%s", name != NULL ? name : "interrupt", event->vector,
                        did);
}

/* Ends the run at any exception, because a case has no handlers. The exception is an error in the case unless
 * it is #UD at the exit address. */
static engine_action case_event(p5_machine *machine, const engine_event *event)
{
    if (event->vector == VECTOR_UD && event->eip == machine->case_exit && machine->case_exit != 0) {
        machine_end(machine, P5_END_EXIT, 0);
        return ENGINE_STOP;
    }
    machine_end(machine, P5_END_FAILED, 0);
    machine_end_at(machine, event->eip);
    machine->case_fault =
        (case_fault){true, event->vector, event->has_error_code ? event->error_code : 0, event->eip};
    store_exception_message(machine, event);
    return ENGINE_STOP;
}

const guest_kind case_guest = {.name = "case", .event = case_event};

/* Maps the 32 MB one to one. */
static void case_page_tables(engine *e)
{
    uint32_t *directory = (uint32_t *)(void *)engine_ram(e, CASE_DIRECTORY, PAGE_BYTES);
    uint32_t *entry = (uint32_t *)(void *)engine_ram(e, CASE_PAGE_TABLES, 8 * PAGE_BYTES);
    for (uint32_t i = 0; i < CASE_MEMORY / PAGE_BYTES; i++)
        entry[i] = i * PAGE_BYTES | PAGE_BITS;
    for (uint32_t i = 0; i < 8; i++)
        directory[i] = (CASE_PAGE_TABLES + i * PAGE_BYTES) | PAGE_BITS;
}

/* Makes the GDT and the TSS. There is no IDT, because an exception ends the run before its delivery. */
static void case_descriptors(engine *e)
{
    const engine_segment tss = {.selector = SELECTOR_TSS,
                                .base = CASE_TABLES + CASE_TSS,
                                .limit = 0x67, /* a 32-bit TSS without an I/O bitmap */
                                .flags = SEGMENT_TSS};
    const engine_segment segments[] = {
        segment_flat(SELECTOR_CODE0, true, 0), segment_flat(SELECTOR_DATA0, false, 0),
        segment_flat(SELECTOR_CODE3, true, 3), segment_flat(SELECTOR_DATA3, false, 3), tss};
    uint8_t *tables = engine_ram(e, CASE_TABLES, PAGE_BYTES);
    segment_table(e, tables, CASE_TABLES, 6, segments, 5);
    uint32_t stack0[2] = {CASE_PAGE_TABLES, SELECTOR_DATA0}; /* ESP0 and SS0 */
    memcpy(tables + CASE_TSS + 4, stack0, sizeof stack0);
    engine_set_table(e, true, 0, 0);
    engine_set_segment(e, ENGINE_TR, &tss);
}

/* Copies a section of the image to `address`; zeros if `bytes` is NULL. `what` names it in messages. */
static p5_status case_place(engine *e, const char *what, const uint8_t *bytes, size_t size, uint32_t address,
                            p5_error *error)
{
    if (size == 0)
        return P5_OK;
    if (address > CASE_TOP || size > CASE_TOP - address)
        return error_set(error, P5_ERR_FORMAT, "the %s from %Xh on ends above %Xh, where the stack begins",
                         what, address, CASE_TOP);
    uint8_t *ram = engine_ram(e, address, (uint32_t)size);
    if (bytes != NULL)
        memcpy(ram, bytes, size);
    else
        memset(ram, 0, size);
    return P5_OK;
}

/* Sets the processor to the entry state of a case. */
static void case_start(p5_machine *machine, const p5_case_image *image)
{
    engine *e = machine->engine;
    bool user = image->cpl == 3;
    engine_set(e, ENGINE_CR0, CR0_PE | CR0_ET | CR0_NE);
    case_descriptors(e);
    case_page_tables(e);
    engine_set(e, ENGINE_CR4, image->cr4);
    engine_set(e, ENGINE_CR3, CASE_DIRECTORY);
    engine_set(e, ENGINE_CR0, CR0_PE | CR0_ET | CR0_NE | CR0_PG);
    engine_flush_translations(e);
    segment_load_flat(e, user ? SELECTOR_CODE3 : SELECTOR_CODE0, user ? SELECTOR_DATA3 : SELECTOR_DATA0,
                      image->cpl);
    if (image->stack_end != 0) {
        engine_segment ss;
        engine_get_segment(e, ENGINE_SS, &ss);
        ss.limit = image->stack_end - 1;
        engine_set_segment(e, ENGINE_SS, &ss);
    }
    segment_start(e, image->entry, CASE_STACK_TOP, EFLAGS_FIXED | (user ? EFLAGS_IOPL : 0));
    processor_set_control(machine);
    machine->case_exit = image->exit_address;
    machine->guest = &case_guest;
}

p5_status p5_machine_load_case(p5_machine *machine, const p5_case_image *image, p5_error *error)
{
    unsigned family = p5_model_family(machine->model);
    if (image->cpl != 0 && image->cpl != 3)
        return error_set(error, P5_ERR_RANGE, "a case runs at privilege level 0 or 3, not %u", image->cpl);
    if ((image->cr4 & ~p5_pmu_cr4_mask(family)) != 0)
        return error_set(error, P5_ERR_RANGE, "CR4 = %Xh: the model supports only the bits %Xh", image->cr4,
                         p5_pmu_cr4_mask(family));
    p5_status status = machine_open_engine(machine, CASE_MEMORY, CASE_MEMORY, error);
    if (status == P5_OK)
        status =
            case_place(machine->engine, "code", image->text, image->text_size, image->text_address, error);
    if (status == P5_OK)
        status =
            case_place(machine->engine, "data", image->data, image->data_size, image->data_address, error);
    if (status == P5_OK)
        status = case_place(machine->engine, "zeroed data", NULL, image->bss_size, image->bss_address, error);
    if (status == P5_OK)
        case_start(machine, image);
    return status;
}

void machine_case_left(p5_machine *machine, case_left *left)
{
    engine_x87_faults(machine->engine, &left->x87_underflows, &left->x87_overflows);
    for (unsigned i = 0; i < 8; i++)
        left->registers[i] = engine_get(machine->engine, (engine_register)(ENGINE_EAX + i));
    left->eflags = engine_get(machine->engine, ENGINE_EFLAGS);
    left->fault = machine->case_fault;
    /* FSAVE's image: the status word at byte 4 holds TOP, and the stack's registers begin at byte 28. MMX
     * registers are the mantissas of the physical registers. */
    uint8_t image[108];
    engine_get_x87(machine->engine, image);
    const unsigned top = image[5] >> 3 & 7;
    for (unsigned i = 0; i < 8; i++)
        memcpy(&left->mmx[i], image + 28 + 10 * ((i - top) & 7), sizeof left->mmx[i]);
}

bool machine_case_memory(p5_machine *machine, uint32_t address, uint8_t *bytes, uint32_t size)
{
    if (address > CASE_MEMORY || size > CASE_MEMORY - address)
        return false;
    memcpy(bytes, engine_ram(machine->engine, address, size), size);
    return true;
}
