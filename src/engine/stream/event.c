/* Faults, traps, software and external interrupts. Unicorn stops at each and calls event_interrupt. What was
 * interrupted is retired first, then the owner is asked, then delivery.c delivers through the guest's IDT or
 * vector table. A fault during delivery leaves the delivery by longjmp and comes back here as the next event,
 * so no resource is held across a delivery. */
#include "engine/control/callback.h"

#include <assert.h>
#include "engine/memory/guard.h"
#include "engine/memory/mmu.h"
#include "engine/memory/operand.h"
#include "engine/segment/segmentation.h"
#include "engine/stream/stream_internal.h"
#include "engine/stretch/leave.h"
#include "engine/stretch/stretch.h"

/* An exception number of p5scope's own: an interrupt was injected between two runs. */
enum { EXCEPTION_INJECTED = 0x200 };

/* Checks the gate of INT n. The processor checks it before it pushes anything, and faults at the INT itself,
 * but Unicorn has already advanced EIP. Manual: interrupt delivery in protected mode. Returns true with the
 * fault. */
static bool software_fault(engine *e, unsigned vector, uint8_t *fault, uint32_t *code)
{
    uint8_t access;
    if (engine_mode(e) == P5_MODE_REAL)
        return false; /* real mode has no gates */
    *code = vector * 8 + 2;
    *fault = VECTOR_GP;
    if (vector * 8 + 7 > e->env->idt.limit)
        return true;
    if (!delivery_gate_access(e, vector, &access))
        return false;
    unsigned type = access & 0x1f;
    if (type != SYSTEM_TASK_GATE && (type & ~9u) != 6) /* interrupt and trap gates: 6, 7, 14, 15 */
        return true;
    if ((access >> 5 & 3u) < (e->env->hflags & UC_HF_CPL))
        return true;
    *fault = VECTOR_NP;
    return !(access & 0x80);
}

/* Returns how INT n passes through a gate that software_fault has accepted. The delivery itself finds other
 * errors. */
static p5_gate gate_way(engine *e, unsigned vector)
{
    enum { CONFORMING_CODE = 0x0c, LDT = 4 };
    const uc_env *env = e->env;
    uint8_t gate[6] = {0}, code = 0;
    if (engine_mode(e) == P5_MODE_REAL)
        return P5_GATE_VECTOR;
    engine_read_linear(e, (uint32_t)env->idt.base + vector * 8, gate, sizeof gate);
    if ((gate[5] & 0x1f) == SYSTEM_TASK_GATE)
        return P5_GATE_TASK;
    if (engine_mode(e) == P5_MODE_V86)
        return P5_GATE_V86;
    const uc_segment *table = gate[2] & LDT ? &env->ldt : &env->gdt;
    uint32_t offset = (gate[2] | (uint32_t)gate[3] << 8) & 0xfff8;
    engine_read_linear(e, (uint32_t)table->base + offset + 5, &code, 1);
    bool inner = (code & CONFORMING_CODE) != CONFORMING_CODE && (code >> 5 & 3u) < (env->hflags & UC_HF_CPL);
    return inner ? P5_GATE_INNER : P5_GATE_SAME;
}

/* Reports the first of two faults of CMPS: the processor reads through ESI first, Unicorn through EDI. */
static void compare_source(engine *e, const isa_insn *insn, uint32_t *code)
{
    bool user = engine_at_user_level(e->env);
    if (isa_forms[insn->form].engine != ISA_E_CMPS)
        return;
    engine_segment_name segment = operand_segment(insn, false, 1);
    uint32_t first = (uint32_t)e->env->segs[segment].base + operand_source_offset(e, insn);
    uint32_t last = first + insn->operand_bytes - 1;
    if (mmu_faults(e, first, MMU_READ, user, code))
        e->env->cr[2] = first;
    else if (mmu_faults(e, last, MMU_READ, user, code))
        e->env->cr[2] = last & ~(uint32_t)ENGINE_PAGE_MASK;
}

/* Refines the fault of an operand that is read to be written. If the operand crosses into a second page, the
 * first page must be writable before the second is checked. `across` is the address of such a load, or 0. */
static void modified_operand(engine *e, uint32_t across, uint32_t *code)
{
    *code |= PF_WRITE;
    if (across != 0 && mmu_faults(e, across, MMU_WRITE, engine_at_user_level(e->env), code))
        e->env->cr[2] = across;
}

/* Converts a page fault of the running block's instruction at EIP to what the processor reports. */
static void refine_page_fault(engine *e, uint32_t across, uint32_t *code)
{
    const isa_block *running = e->current->code;
    const isa_insn *insn = running ? block_insn(running->insns, running->count, engine_linear_eip(e)) : NULL;
    if (!insn)
        return;
    if (operand_modified(insn))
        modified_operand(e, across, code);
    compare_source(e, insn, code);
}

/* Handles what is due at the boundary before an instruction that cannot be fetched, including an interrupt,
 * because the instruction has not begun. Manual: priority among simultaneous exceptions and interrupts. May
 * not return. */
static void attention_before_fetch(engine *e)
{
    assert(e->current == NULL);
    const int faulting = e->env->old_exception;
    e->env->old_exception = -1;
    if (e->stepping)
        engine_request_attention(e);
    stream_attention_if_wanted(e);
    e->env->old_exception = faulting;
}

void event_interrupt(uc_engine *uc, uint32_t number, void *owner)
{
    (void)uc;
    engine *e = owner;
    uc_env *env = e->env;
    if (number == EXCEPTION_INJECTED) {
        delivery_injected(e);
        return;
    }
    bool software = env->exception_is_int, fetch = e->fetch_fault, attention = false;
    uint8_t vector = (uint8_t)number;
    uint32_t code = (uint32_t)env->error_code;
    bool debug_fault = e->debug_fault;
    const uint32_t across = e->load_across;
    e->return_address = e->load_across = 0;
    const bool locked_up = e->locked_up;
    e->fetch_fault = e->restart = e->debug_fault = e->locked_up = false;

    if (software) {
        uint32_t next = (uint32_t)env->eip;
        engine_at_block(e); /* a fault of the delivery belongs to the INT */
        uint8_t fault;
        uint32_t fault_code;
        if (software_fault(e, vector, &fault, &fault_code)) {
            vector = fault;
            code = fault_code;
            software = false;
            *uc_exception_index(engine_cpu(e)) = vector;
            env->exception_is_int = 0;
            env->error_code = (int32_t)code;
            env->old_exception = vector;
        }
        if (software) {
            e->retired.gate = (uint8_t)gate_way(e, vector);
            attention = stretch_end_all(e, (uint32_t)env->segs[ENGINE_CS].base + next);
            e->retired.gate = P5_GATE_NONE;
        }
    }
    bool write = code & PF_WRITE;
    bool trap = vector == VECTOR_DB && !debug_fault;
    const engine_block *running = fetch ? NULL : e->current;
    const isa_insn *faulted =
        running && running->code
            ? block_insn(running->code->insns, running->code->count, engine_linear_eip(e))
            : NULL;
    if (e->current && (!trap || engine_linear_eip(e) == e->current->linear))
        delivery_restore_flags(e, e->current);
    if (vector == VECTOR_PF && !fetch && !write && e->current)
        refine_page_fault(e, across, &code);
    if (!software && !trap && !fetch)
        guard_faulted(e);
    if (e->current) {
        bool after = fetch || trap;
        attention =
            after ? stretch_end_all(e, engine_linear_eip(e)) : stretch_end_before(e, engine_linear_eip(e));
    }
    if (attention)
        engine_request_attention(e);
    if (fetch)
        attention_before_fetch(e);

    engine_event event = {.kind = software ? P5_TRANSFER_SOFTWARE
                                  : trap   ? P5_TRANSFER_TRAP
                                           : P5_TRANSFER_FAULT,
                          .vector = vector,
                          .has_error_code = !software && vector_has_error_code(vector),
                          .error_code = code,
                          .locks_up = locked_up,
                          .fault_address = (uint32_t)env->cr[2],
                          .eip = (uint32_t)(software ? env->exception_next_eip : env->eip)};
    uint64_t at = env->eip;
    if (software)
        env->eip = env->exception_next_eip; /* what the owner sees as EIP */
    e->redirected = false;
    engine_before_callback(e);
    switch (e->callbacks.event(e->callbacks.context, &event)) {
    case ENGINE_DELIVER:
        if (software)
            env->eip = at;
        delivery_begin(e, event.kind, vector);
        if (faulted) {
            e->exception.block = running->block;
            e->exception.index = (uint32_t)(faulted - running->code->insns);
        }
        if (!software && vector == VECTOR_PF) {
            e->exception.reference = fetch   ? P5_REFERENCE_CODE
                                     : write ? P5_REFERENCE_WRITE
                                             : P5_REFERENCE_READ;
            e->exception.reference_linear = event.fault_address;
        }
        delivery d = {event.kind, vector, event.has_error_code, code, event.eip};
        delivery_run(e, &d);
        env->old_exception = -1;
        delivery_end(e);
        stream_attention_if_wanted(e); /* the handler may fault before it has executed anything */
        return;
    case ENGINE_STOP:
        env->old_exception = -1;
        engine_leave(e, ENGINE_STOPPED);
    default:
        env->old_exception = -1;
        return;
    }
}

/* Shuts down after a third fault in a row. */
void __wrap_qemu_system_reset_request(uc_engine *uc)
{
    engine *e = engine_of(uc_env_of(uc_cpu_of_handle(uc)));
    e->stop = ENGINE_SHUTDOWN;
    e->stopping = true;
    e->env->old_exception = -1;
}

/* Raises #TS with the TSS's selector when a stack is to be taken from an invalid TSS; Unicorn would abort. */
_Noreturn void WRAP(cpu_abort)(uc_cpu *cpu, const char *format, ...)
{
    (void)format;
    engine *e = engine_of(uc_env_of(cpu));
    if (e->current) /* a far transfer, alone in its block */
        engine_at_block(e);
    engine_raise(e, VECTOR_TS, e->env->tr.selector & 0xfffcu);
}

/* Delivers an interrupt that was injected between two runs, before the first instruction. */
int REAL(cpu_exec)(uc_engine *uc, uc_cpu *cpu);
int WRAP(cpu_exec)(uc_engine *uc, uc_cpu *cpu)
{
    engine *e = engine_of(uc_env_of(cpu));
    if (e->injected) {
        e->env->exception_is_int = 0;
        *uc_exception_index(cpu) = EXCEPTION_INJECTED;
    }
    return REAL(cpu_exec)(uc, cpu);
}
