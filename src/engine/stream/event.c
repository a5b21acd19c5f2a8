/* Faults, traps, software and external interrupts. Unicorn stops at each and calls event_interrupt. What was
 * executed of the running block is retired first (reported to the engine's owner), then the owner's event()
 * decides, then delivery.c delivers through the guest's IDT or vector table. A fault during delivery leaves the
 * delivery by longjmp and comes back here as the next event, so no resource is held across a delivery. "Attention"
 * is a call of the owner's attention(). */
#include <assert.h>

#include "engine/control/callback.h"
#include "engine/memory/guard.h"
#include "engine/memory/mmu.h"
#include "engine/memory/operand.h"
#include "engine/segment/segmentation.h"
#include "engine/stream/stream_internal.h"
#include "engine/stretch/stretch.h"

/* An exception number of p5scope's own: an interrupt was injected between two runs. */
enum { EXCEPTION_INJECTED = 0x200 };

/* Checks the gate of INT n. The processor checks it before it pushes anything, and faults at the INT itself,
 * but Unicorn has already advanced EIP. Manual: interrupt delivery in protected mode. Returns true if it faults, with
 * vector and error code. */
static bool software_fault(engine *e, unsigned vector, uint8_t *fault, uint32_t *code)
{
    uint8_t access;
    if (engine_mode(e) == P5_MODE_REAL)
        return false;       /* real mode has no gates */
    *code = vector * 8 + 2; /* the IDT bit is set */
    *fault = VECTOR_GP;
    if (vector * 8 + 7 > e->env->idt.limit)
        return true;
    if (!delivery_gate_access(e, vector, &access))
        return false; /* the delivery page-faults */
    unsigned type = access & 0x1f;
    if (type != SYSTEM_TASK_GATE &&
        (type & ~9u) != SYSTEM_INTERRUPT_GATE16) /* interrupt and trap gates: 6, 7, 14, 15 */
        return true;
    if ((access >> 5 & 3u) < engine_cpl(e))
        return true;
    *fault = VECTOR_NP;
    return !(access & 0x80); /* P */
}

/* Returns how INT n passes through a gate that software_fault has accepted, which decides its clocks. Takes what is in
 * no present page as zero, because the delivery itself finds such errors. */
static p5_gate gate_way(engine *e, unsigned vector)
{
    enum { CONFORMING_CODE = 0x0c, LDT = 4 }; /* bits of an access byte, of a selector */
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
    bool inner = (code & CONFORMING_CODE) != CONFORMING_CODE && (code >> 5 & 3u) < engine_cpl(e);
    return inner ? P5_GATE_INNER : P5_GATE_SAME;
}

/* An interruption of the guest: first what Unicorn reports, then, step by step, what the processor delivers. */
typedef struct interruption {
    p5_transfer kind;
    uint8_t vector;
    uint32_t code;             /* error code */
    bool write;                /* #PF: Unicorn's reference was a write */
    bool locks_up;             /* engine_event.locks_up */
    memory_fault fault;        /* about the reference that faulted; zeros if the fault is of something else */
    const engine_block *block; /* of the faulting instruction; NULL: none faulted, or its fetch did */
    const isa_insn *insn;      /* the faulting instruction, or NULL */
} interruption;

/* If `insn` is a CMPS that has page-faulted: changes CR2 and error code to the fault of its first string, if that
 * has one, too. The processor reads through ESI first, Unicorn through EDI. */
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
 * first page must be writable before the second is checked. `across` is the address of a load that has faulted in its
 * second page, or 0. */
static void modified_operand(engine *e, uint32_t across, uint32_t *code)
{
    *code |= PF_WRITE;
    if (across != 0 && mmu_faults(e, across, MMU_WRITE, engine_at_user_level(e->env), code))
        e->env->cr[2] = across;
}

/* Converts a page fault of a read to what the processor reports: Unicorn reads an operand before it writes it, and
 * the strings of CMPS in the other order. */
static void refine_page_fault(engine *e, interruption *x)
{
    assert(x->vector == VECTOR_PF && x->insn != NULL);
    if (operand_modified(x->insn))
        modified_operand(e, x->fault.across, &x->code);
    compare_source(e, x->insn, &x->code);
}

/* Calls attention() if it was requested, and delivers a waiting interrupt, before an instruction that cannot be
 * fetched, because the instruction has not begun. Manual: priority among simultaneous exceptions and interrupts. May
 * not return. */
static void attention_before_fetch(engine *e)
{
    assert(stretch_block(e) == NULL);
    /* An interrupt may be delivered here first. If that faults, it is no double fault. */
    const int faulting = e->env->old_exception;
    e->env->old_exception = -1;
    if (guard_steps(e))
        engine_request_attention(e);
    stream_attention_if_wanted(e);
    e->env->old_exception = faulting;
}

/* Returns and clears what Unicorn and the engine's helpers have recorded about exception `vector`. */
static interruption interruption_take(engine *e, uint8_t vector)
{
    interruption x = {.vector = vector,
                      .code = (uint32_t)e->env->error_code,
                      .locks_up = e->stream.locked_up,
                      .fault = mmu_take_fault(e)};
    x.kind = e->env->exception_is_int                ? P5_TRANSFER_SOFTWARE
             : vector == VECTOR_DB && !x.fault.debug ? P5_TRANSFER_TRAP
                                                     : P5_TRANSFER_FAULT;
    e->stream.locked_up = false;
    segmentation_interrupted(e);
    stretch_restarted(e);
    return x;
}

/* Retires INT n, or changes the interruption to the fault that the INT raises. Returns true if attention is
 * wanted. */
static bool end_software(engine *e, interruption *x)
{
    uc_env *env = e->env;
    const uint32_t next = engine_linear_eip(e);
    uint8_t fault;
    uint32_t code;
    stretch_set_eip(e); /* a fault of the delivery belongs to the INT */
    if (!software_fault(e, x->vector, &fault, &code))
        return stretch_end_interrupt(e, next, gate_way(e, x->vector));
    x->kind = P5_TRANSFER_FAULT;
    x->vector = fault;
    x->code = code;
    *uc_exception_index(engine_cpu(e)) = fault;
    env->exception_is_int = 0;
    env->error_code = (int32_t)code;
    env->old_exception = fault;
    return false;
}

/* Finds the faulting instruction, and refines what a page fault reports. Restores the flags if it is a REP string,
 * and drops its breakpoint traps. */
static void find_instruction(engine *e, interruption *x)
{
    const uint32_t eip = engine_linear_eip(e);
    const engine_block *running = stretch_block(e);
    x->write = x->code & PF_WRITE;
    x->block = x->kind == P5_TRANSFER_FAULT && !x->fault.fetch ? running : NULL;
    if (x->block != NULL && x->block->code != NULL)
        x->insn = block_insn(x->block->code->insns, x->block->code->count, eip);
    if (running != NULL && (x->kind != P5_TRANSFER_TRAP || eip == running->linear))
        delivery_restore_flags(e, running);
    if (x->vector == VECTOR_PF && x->insn != NULL && !x->write)
        refine_page_fault(e, x);
    if (x->kind == P5_TRANSFER_FAULT && !x->fault.fetch)
        guard_faulted(e);
}

/* Retires the running block: all of it before a fetch fault and a trap, else the instructions before the faulting
 * one. Returns true if attention is wanted. */
static bool end_interrupted(engine *e, const interruption *x)
{
    if (stretch_block(e) == NULL)
        return false;
    if (x->fault.fetch || x->kind == P5_TRANSFER_TRAP)
        return stretch_end_all(e, engine_linear_eip(e));
    return stretch_end_before(e, engine_linear_eip(e));
}

/* Delivers the interruption as `event` has reported it to the owner. */
static void deliver(engine *e, const interruption *x, const engine_event *event)
{
    delivery d = {.kind = x->kind,
                  .vector = x->vector,
                  .has_error_code = event->has_error_code,
                  .error_code = x->code,
                  .eip = event->eip};
    if (x->insn != NULL) {
        d.block = x->block->block;
        d.index = (uint32_t)(x->insn - x->block->code->insns);
    }
    if (x->kind != P5_TRANSFER_SOFTWARE && x->vector == VECTOR_PF) {
        d.reference = x->fault.fetch ? P5_REFERENCE_CODE : x->write ? P5_REFERENCE_WRITE : P5_REFERENCE_READ;
        d.reference_linear = event->fault_address;
    }
    delivery_run(e, &d);
    stream_attention_if_wanted(e); /* the handler may fault before it has executed anything */
}

/* Reports the interruption to the owner, and does what the owner requests: delivers it, stops the run, or just
 * continues. During the callback EIP is the one that delivery would push. */
static void report(engine *e, const interruption *x)
{
    uc_env *env = e->env;
    const bool software = x->kind == P5_TRANSFER_SOFTWARE;
    const engine_event event = {.kind = x->kind,
                                .vector = x->vector,
                                .has_error_code = !software && vector_has_error_code(x->vector),
                                .error_code = x->code,
                                .locks_up = x->locks_up,
                                .fault_address = (uint32_t)env->cr[2],
                                .eip = (uint32_t)(software ? env->exception_next_eip : env->eip)};
    const uint64_t at = env->eip;
    if (software)
        env->eip = env->exception_next_eip;
    engine_clear_redirected(e);
    engine_before_callback(e);
    const engine_action action = e->callbacks.event(e->callbacks.context, &event);
    if (action == ENGINE_DELIVER) {
        if (software)
            env->eip = at;
        deliver(e, x, &event);
        return;
    }
    env->old_exception = -1;
    if (action == ENGINE_STOP)
        engine_leave(e, ENGINE_STOPPED);
}

/* Unicorn calls this for each exception and interrupt: `number` is its vector, or EXCEPTION_INJECTED. */
void event_interrupt(uc_engine *uc, uint32_t number, void *owner)
{
    (void)uc;
    engine *e = owner;
    if (number == EXCEPTION_INJECTED) {
        delivery_injected(e);
        return;
    }
    interruption x = interruption_take(e, (uint8_t)number);
    bool attention = x.kind == P5_TRANSFER_SOFTWARE && end_software(e, &x);
    find_instruction(e, &x);
    attention |= end_interrupted(e, &x);
    if (attention)
        engine_request_attention(e);
    if (x.fault.fetch)
        attention_before_fetch(e);
    report(e, &x);
}

/* Unicorn calls this after a third fault in a row: the processor shuts down. */
void __wrap_qemu_system_reset_request(uc_engine *uc)
{
    engine *e = engine_of(uc_env_of(uc_cpu_of_handle(uc)));
    engine_set_stop(e, ENGINE_SHUTDOWN);
    e->env->old_exception = -1;
}

/* Unicorn calls this to execute until something ends its loop. Before the first instruction, has an interrupt
 * delivered that was injected between two runs. */
int REAL(cpu_exec)(uc_engine *uc, uc_cpu *cpu);
int WRAP(cpu_exec)(uc_engine *uc, uc_cpu *cpu)
{
    engine *e = engine_of(uc_env_of(cpu));
    if (delivery_waits(e)) {
        e->env->exception_is_int = 0;
        *uc_exception_index(cpu) = EXCEPTION_INJECTED;
    }
    return REAL(cpu_exec)(uc, cpu);
}
