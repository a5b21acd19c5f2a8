/* The host's accesses to a guest's memory and registers (p5scope/inspect.h). The server for gdb uses them, too. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "machine/linux/guest.h"
#include "machine/run/processor.h"
#include "machine/state.h"
#include "p5scope/inspect.h"

static p5_status check_guest(const p5_machine *machine, p5_error *error)
{
    return machine->guest != NULL ? P5_OK : error_set(error, P5_ERR_STATE, "the machine has no guest yet");
}

/* Checks that the guest's state may be written: between runs, and before the guest's end. */
static p5_status check_writable(const p5_machine *machine, p5_error *error)
{
    p5_status status = check_guest(machine, error);
    if (status == P5_OK && machine->running)
        status =
            error_set(error, P5_ERR_STATE, "the machine is running; its state can be written between runs");
    if (status == P5_OK && machine->ended)
        status = error_set(error, P5_ERR_STATE, "the guest has ended; its state can be read but not written");
    return status;
}

/* --- Memory --- */

/* Checks that memory answers in each page of the bytes. For a write, also checks that no page belongs to the emulated
 * kernel of a Linux program, which depends on its contents. */
static p5_status check_memory(const p5_machine *machine, uint32_t address, size_t size, bool write,
                              p5_error *error)
{
    engine *e = machine->engine;
    const uint64_t end = (uint64_t)address + size;
    if (size > (UINT64_C(1) << 32) || end > UINT64_C(1) << 32)
        return error_set(error, P5_ERR_RANGE, "%zu bytes from 0x%08" PRIx32 " on reach beyond 4 GB", size,
                         address);
    for (uint64_t at = address; at < end; at = (at | (PAGE_BYTES - 1)) + 1) {
        const uint32_t linear = (uint32_t)at;
        uint32_t physical;
        if (!engine_translate(e, linear, &physical))
            return error_set(error, P5_ERR_RANGE, "no page is present at linear address 0x%08" PRIx32,
                             linear);
        if (!engine_answers(e, physical))
            return error_set(error, P5_ERR_RANGE,
                             "no memory answers at linear address 0x%08" PRIx32 " (physical 0x%08" PRIx32 ")",
                             linear, physical);
        if (write && machine->guest == &linux_guest &&
            (engine_page_rights(e, linear) & P5_PAGE_SUPERVISOR) != 0)
            return error_set(error, P5_ERR_UNSUPPORTED,
                             "linear address 0x%08" PRIx32 " belongs to the emulated kernel", linear);
    }
    return P5_OK;
}

p5_status p5_machine_read_memory(const p5_machine *machine, uint32_t address, void *bytes, size_t size,
                                 p5_error *error)
{
    p5_status status = check_guest(machine, error);
    if (status == P5_OK)
        status = check_memory(machine, address, size, false, error);
    if (status == P5_OK)
        engine_read_linear(machine->engine, address, bytes, size);
    return status;
}

p5_status p5_machine_write_memory(p5_machine *machine, uint32_t address, const void *bytes, size_t size,
                                  p5_error *error)
{
    p5_status status = check_writable(machine, error);
    if (status == P5_OK)
        status = check_memory(machine, address, size, true, error);
    if (status == P5_OK)
        engine_write_linear(machine->engine, address, bytes, size);
    return status;
}

/* --- Registers --- */

/* Returns the address of a register in the public struct, whose members have the order of engine_register. */
static uint32_t *register_in(p5_machine_registers *r, engine_register which)
{
    const size_t offset = which < ENGINE_CR0
                              ? offsetof(p5_machine_registers, eax) + which * sizeof r->eax
                              : offsetof(p5_machine_registers, cr0) + (which - ENGINE_CR0) * sizeof r->cr0;
    return (uint32_t *)(void *)((char *)r + offset);
}

/* Returns the address of a segment register in the public struct, whose members have the order of
 * engine_segment_name. */
static p5_segment_register *segment_in(p5_machine_registers *r, engine_segment_name which)
{
    return (p5_segment_register *)(void *)((char *)r + offsetof(p5_machine_registers, es)) + which;
}

/* Reads all registers, in this library's version of the struct. */
static void read_all(const engine *e, p5_machine_registers *r)
{
    *r = (p5_machine_registers){.size = sizeof *r};
    for (engine_register i = ENGINE_EAX; i <= ENGINE_CR4; i++)
        *register_in(r, i) = engine_get(e, i);
    for (engine_segment_name i = ENGINE_ES; i <= ENGINE_TR; i++) {
        engine_segment s;
        engine_get_segment(e, i, &s);
        *segment_in(r, i) = (p5_segment_register){s.selector, s.base, s.limit, s.flags};
    }
    engine_get_x87(e, r->x87);
}

p5_status p5_machine_read_registers(const p5_machine *machine, p5_machine_registers *registers,
                                    p5_error *error)
{
    p5_machine_registers own;
    p5_status status = SIZED_CHECK(p5_machine_registers, registers, error);
    if (status == P5_OK)
        status = check_guest(machine, error);
    if (status == P5_OK) {
        read_all(machine->engine, &own);
        SIZED_COPY_OUT(registers, &own);
    }
    return status;
}

/* Checks a segment register that differs: only the selector of ES to GS may differ, and only in real and V86 mode, where
 * no descriptor has to be loaded. */
static p5_status check_segment(const p5_machine *machine, engine_segment_name which,
                               const p5_segment_register *before, const p5_segment_register *after,
                               p5_error *error)
{
    static const char *const names[ENGINE_TR + 1] = {"es", "cs", "ss", "ds", "fs", "gs", "ldtr", "tr"};
    if (which > ENGINE_GS)
        return error_set(error, P5_ERR_UNSUPPORTED, "%s can only be read", names[which]);
    if (engine_mode(machine->engine) == P5_MODE_PROTECTED)
        return error_set(error, P5_ERR_UNSUPPORTED,
                         "%s cannot be written in protected mode, where the guest has to load a descriptor",
                         names[which]);
    if (after->base != before->base || after->limit != before->limit || after->rights != before->rights)
        return error_set(error, P5_ERR_UNSUPPORTED, "only the selector of %s can be written", names[which]);
    if (after->selector > UINT16_MAX)
        return error_set(error, P5_ERR_RANGE, "%s has 16 bits, not 0x%" PRIx32, names[which],
                         after->selector);
    return P5_OK;
}

/* Checks a control register that differs. CR0 would change the mode. */
static p5_status check_control(const p5_machine *machine, engine_register which, uint32_t value,
                               p5_error *error)
{
    static const unsigned numbers[] = {0, 2, 3, 4};
    const unsigned number = numbers[which - ENGINE_CR0];
    if (which == ENGINE_CR0)
        return error_set(error, P5_ERR_UNSUPPORTED, "cr0 can only be read");
    if (machine->guest == &linux_guest)
        return error_set(error, P5_ERR_UNSUPPORTED, "cr%u of a Linux program can only be read", number);
    if (which == ENGINE_CR4 && (value & ~p5_pmu_cr4_mask(p5_model_family(machine->model))) != 0)
        return error_set(error, P5_ERR_RANGE, "0x%" PRIx32 " has bits that cr4 of this processor lacks",
                         value);
    return P5_OK;
}

/* Checks that what differs between `before` and `after` can be written. */
static p5_status check_registers(const p5_machine *machine, p5_machine_registers *before,
                                 p5_machine_registers *after, p5_error *error)
{
    if (machine->guest == &linux_guest && engine_cpl(machine->engine) == 0)
        return error_set(error, P5_ERR_STATE,
                         "the program is in a system call, where its registers cannot be written");
    p5_status status = P5_OK;
    for (engine_segment_name i = ENGINE_ES; i <= ENGINE_TR && status == P5_OK; i++)
        if (memcmp(segment_in(before, i), segment_in(after, i), sizeof(p5_segment_register)) != 0)
            status = check_segment(machine, i, segment_in(before, i), segment_in(after, i), error);
    for (engine_register i = ENGINE_CR0; i <= ENGINE_CR4 && status == P5_OK; i++)
        if (*register_in(before, i) != *register_in(after, i))
            status = check_control(machine, i, *register_in(after, i), error);
    return status;
}

/* Returns the value to write to EFLAGS. Bits that the processor lacks stay, and so does VM, which would change the mode.
 * In a Linux program, only the flags change that ptrace permits. */
static uint32_t writable_flags(const p5_machine *machine, uint32_t before, uint32_t after)
{
    const uint32_t may = machine->guest == &linux_guest ? EFLAGS_USER : EFLAGS_ALL & ~(uint32_t)EFLAGS_VM;
    return (before & ~may) | (after & may);
}

/* Writes what differs. In real and V86 mode, a selector also determines the base. */
static void write_all(p5_machine *machine, p5_machine_registers *before, p5_machine_registers *after)
{
    engine *e = machine->engine;
    after->eflags = writable_flags(machine, before->eflags, after->eflags);
    for (engine_register i = ENGINE_EAX; i <= ENGINE_CR4; i++)
        if (*register_in(before, i) != *register_in(after, i))
            engine_set(e, i, *register_in(after, i));
    for (engine_segment_name i = ENGINE_ES; i <= ENGINE_GS; i++) {
        const uint32_t selector = segment_in(after, i)->selector;
        engine_segment s;
        if (selector == segment_in(before, i)->selector)
            continue;
        engine_get_segment(e, i, &s);
        s.selector = (uint16_t)selector;
        s.base = selector << 4;
        engine_set_segment(e, i, &s);
    }
    if (memcmp(before->x87, after->x87, sizeof before->x87) != 0)
        engine_set_x87(e, after->x87);
    processor_set_control(machine); /* TF or CR4 may have changed */
}

p5_status p5_machine_write_registers(p5_machine *machine, const p5_machine_registers *registers,
                                     p5_error *error)
{
    p5_machine_registers before, after;
    p5_status status = SIZED_COPY_IN(p5_machine_registers, &after, registers, error);
    if (status == P5_OK)
        status = check_writable(machine, error);
    if (status != P5_OK)
        return status;
    read_all(machine->engine, &before);
    if (registers->size < sizeof before) /* an earlier version's struct: the rest stays */
        memcpy((char *)&after + registers->size, (const char *)&before + registers->size,
               sizeof before - registers->size);
    after.size = before.size;
    if (memcmp(&before, &after, offsetof(p5_machine_registers, x87) + sizeof before.x87) == 0)
        return P5_OK; /* nothing differs, which is no error in a system call either (check_registers) */
    status = check_registers(machine, &before, &after, error);
    if (status == P5_OK)
        write_all(machine, &before, &after);
    return status;
}
