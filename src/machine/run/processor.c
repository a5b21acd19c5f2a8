/* Instructions that read or change processor state: performance monitor, CPUID, control and debug registers,
 * cache and TLB control. */
#include <stdbool.h>
#include <string.h>

#include "core/model/model.h"
#include "machine/observe/observe.h"
#include "machine/run/run_internal.h"
#include "machine/state.h"

/* Makes the engine raise a fault, with error code 0, instead of the instruction. */
static engine_action processor_fault(engine_special_call *call, unsigned vector)
{
    call->vector = (uint8_t)vector;
    call->error_code = 0;
    return ENGINE_FAULT;
}

/* Converts the monitor's verdict on an instruction: it was executed, or it raises a fault. */
static engine_action processor_outcome(engine_special_call *call, p5_fault fault)
{
    switch (fault) {
    case P5_NO_FAULT:
        return ENGINE_CONTINUE;
    case P5_FAULT_UD:
        return processor_fault(call, VECTOR_UD);
    case P5_FAULT_GP:
        break;
    }
    return processor_fault(call, VECTOR_GP);
}

static p5_privilege processor_privilege(const engine *e)
{
    uint32_t cr4 = engine_get(e, ENGINE_CR4);
    return (p5_privilege){.mode = (uint8_t)engine_mode(e),
                          .cpl = (uint8_t)engine_cpl(e),
                          .tsd = (cr4 & CR4_TSD) != 0,
                          .pce = (cr4 & CR4_PCE) != 0};
}

/* Writes a 64-bit result to EDX:EAX. */
static void processor_result(engine *e, uint64_t value)
{
    engine_set(e, ENGINE_EAX, (uint32_t)value);
    engine_set(e, ENGINE_EDX, (uint32_t)(value >> 32));
}

/* Returns whether the MSR is one of TR1 to TR12. The P54C has them under the numbers from 80000000h on, too (erratum
 * 33). */
static bool processor_is_test_register(uint32_t ecx)
{
    uint32_t number = ecx & 0x7fffffff;
    return number >= P5_MSR_TR1 && number <= P5_MSR_TR12;
}

/* Postpones a command of the test registers until the WRMSR has been priced, because the instruction itself
 * and those before it must pass through the caches first. */
static void processor_defer(p5_machine *machine, uint32_t ecx, uint64_t value)
{
    machine->after |= AFTER_TEST | AFTER_CONTROL;
    machine->after_msr = ecx;
    machine->after_value = value;
}

/* Executes the postponed command. processor_monitor has checked its rights, so it runs as at CPL 0. */
static void processor_test_register(p5_machine *machine)
{
    p5_privilege privilege = {.mode = P5_MODE_PROTECTED};
    p5_pmu_wrmsr(machine->pmu, &privilege, machine->after_msr, machine->after_value);
}

/* Executes RDTSC, RDPMC, RDMSR or WRMSR, and notifies observers. */
static engine_action processor_monitor(p5_machine *machine, engine_special_call *call)
{
    engine *e = machine->engine;
    p5_privilege privilege = processor_privilege(e);
    uint32_t ecx = engine_get(e, ENGINE_ECX);
    uint64_t value = 0;
    p5_fault fault;
    switch (call->which) {
    case ENGINE_RDTSC:
        fault = p5_pmu_rdtsc(machine->pmu, &privilege, &value);
        break;
    case ENGINE_RDPMC:
        fault = p5_pmu_rdpmc(machine->pmu, &privilege, ecx, &value);
        break;
    case ENGINE_RDMSR:
        fault = p5_pmu_rdmsr(machine->pmu, &privilege, ecx, &value);
        break;
    default: /* ENGINE_WRMSR */
        value = (uint64_t)engine_get(e, ENGINE_EDX) << 32 | engine_get(e, ENGINE_EAX);
        if (processor_is_test_register(ecx)) {
            fault = p5_pmu_wrmsr_fault(machine->pmu, &privilege, ecx, value);
            if (fault == P5_NO_FAULT)
                processor_defer(machine, ecx, value);
            return processor_outcome(call, fault);
        }
        fault = p5_pmu_wrmsr(machine->pmu, &privilege, ecx, value);
        if (fault == P5_NO_FAULT)
            machine->after |= AFTER_CONTROL;                  /* TR12 may have changed */
        machine->attention_wanted |= machine->wires_followed; /* CESR may have changed; see run_plan */
        if (fault == P5_NO_FAULT && machine->observers != NULL)
            observers_pmu(machine, P5_OBSERVE_WRMSR, ecx, value);
        return processor_outcome(call, fault);
    }
    if (fault == P5_NO_FAULT)
        processor_result(e, value);
    if (fault == P5_NO_FAULT && machine->observers != NULL && call->which != ENGINE_RDTSC)
        observers_pmu(machine, call->which == ENGINE_RDPMC ? P5_OBSERVE_RDPMC : P5_OBSERVE_RDMSR, ecx, value);
    return processor_outcome(call, fault);
}

/* Answers CPUID. The highest leaf is 1 (0AH with architectural performance monitoring); other leaves return
 * zeros. */
static engine_action processor_cpuid(p5_machine *machine)
{
    engine *e = machine->engine;
    uint32_t leaf = engine_get(e, ENGINE_EAX), eax = 0, ebx = 0, ecx = 0, edx = 0;
    bool perfmon = p5_model_monitor(machine->model) == P5_MONITOR_ARCH3;
    if (leaf == 0) {
        eax = perfmon ? 0xa : 1;
        memcpy(&ebx, "Genu", 4);
        memcpy(&edx, "ineI", 4);
        memcpy(&ecx, "ntel", 4);
    } else if (leaf == 1) {
        eax = p5_model_signature(machine->model);
        edx = model_features(machine->model);
    } else if (leaf == 0xa && perfmon) {
        uint32_t words[4];
        p5_pmu_cpuid_0a(machine->pmu, words);
        eax = words[0];
        ebx = words[1];
        edx = words[3];
    }
    engine_set(e, ENGINE_EAX, eax);
    engine_set(e, ENGINE_EBX, ebx);
    engine_set(e, ENGINE_ECX, ecx);
    engine_set(e, ENGINE_EDX, edx);
    return ENGINE_CONTINUE;
}

/* Requests what a MOV to a control register changes in the core. The engine has checked the value and executes the
 * MOV itself. */
static engine_action processor_mov_to_cr(p5_machine *machine, engine_special_call *call)
{
    uint32_t value = call->value;
    switch (call->operand) {
    case 0:
        machine->after |= AFTER_CONTROL;
        if (((value ^ engine_get(machine->engine, ENGINE_CR0)) & (CR0_PG | CR0_PE)) != 0)
            machine->after |= AFTER_CR3; /* a change of paging flushes the TLBs */
        return ENGINE_CONTINUE;
    case 2: /* the model does not depend on CR2 */
        return ENGINE_CONTINUE;
    case 3:
        machine->after |= AFTER_CR3;
        return ENGINE_CONTINUE;
    case 4:
        machine->after |= machine->debug_written ? AFTER_DEBUG : 0; /* CR4.DE */
        return ENGINE_CONTINUE;
    default:
        return processor_fault(call, VECTOR_UD);
    }
}

/* Passes the debug registers to the core: events 23h-26h compare with DR0-DR3, whether or not DR7 enables
 * them. */
static void processor_set_debug(p5_machine *machine)
{
    p5_debug debug = {.size = sizeof debug,
                      .dr7 = machine->dr[7],
                      .extensions = (engine_get(machine->engine, ENGINE_CR4) & CR4_DE) != 0};
    memcpy(debug.dr, machine->dr, sizeof debug.dr);
    p5_core_set_debug(machine->core, &debug);
}

/* Follows a task switch. It sets CR0.TS, loads CR3, which flushes the TLBs, and turns local breakpoints off.
 * Manual: task switching. */
static engine_action processor_task_switched(p5_machine *machine)
{
    machine->after |= AFTER_CONTROL | (machine->debug_written ? AFTER_DEBUG : 0u);
    if ((engine_get(machine->engine, ENGINE_CR0) & CR0_PG) != 0)
        machine->after |= AFTER_CR3;
    machine->dr[7] = engine_get_debug(machine->engine, 7);
    return ENGINE_CONTINUE;
}

/* The engine's callback before an instruction that uses processor state outside the engine (engine_special). */
engine_action processor_special(void *context, engine_special_call *call)
{
    p5_machine *machine = context;
    if (call->which <= ENGINE_WRMSR) /* the first four */
        return processor_monitor(machine, call);
    if (call->which == ENGINE_CPUID)
        return processor_cpuid(machine);
    if (call->which == ENGINE_TASK_SWITCH)
        return processor_task_switched(machine);
    if (call->which == ENGINE_MARK) {
        if (machine->observers != NULL)
            observers_marker(machine, call->operand != 0, call->value);
        return ENGINE_CONTINUE;
    }
    if (engine_cpl(machine->engine) != 0)
        return processor_fault(call, VECTOR_GP);
    switch (call->which) {
    case ENGINE_MOV_TO_CR:
        return processor_mov_to_cr(machine, call);
    case ENGINE_MOV_TO_DR:
        machine->dr[call->operand] = call->value;
        machine->debug_written = true;
        machine->after |= AFTER_DEBUG;
        return ENGINE_CONTINUE;
    case ENGINE_INVLPG:
        machine->after |= AFTER_INVLPG;
        machine->after_linear = call->value;
        return ENGINE_CONTINUE;
    case ENGINE_INVD:
        machine->after |= AFTER_INVD;
        return ENGINE_CONTINUE;
    case ENGINE_WBINVD:
        machine->after |= AFTER_WBINVD;
        return ENGINE_CONTINUE;
    default:
        return processor_fault(call, VECTOR_UD);
    }
}

void processor_set_control(p5_machine *machine)
{
    uint32_t cr0 = engine_get(machine->engine, ENGINE_CR0);
    p5_control control = {.size = sizeof control,
                          .cache_disable = (cr0 & CR0_CD) != 0,
                          .not_write_through = (cr0 & CR0_NW) != 0,
                          .paging = (cr0 & CR0_PG) != 0,
                          .trap_flag = (engine_get(machine->engine, ENGINE_EFLAGS) & EFLAGS_TF) != 0,
                          .fpu_trap = (cr0 & (CR0_EM | CR0_TS)) != 0};
    p5_pmu_control(machine->pmu, &control);
    p5_core_set_control(machine->core, &control);
}

/* Does the postponed work of the instruction that has just been priced. The test register comes first, because TR12 is
 * among the control inputs. */
void processor_after(p5_machine *machine)
{
    uint32_t after = machine->after;
    machine->after = after & AFTER_CHECK; /* stays set */
    if ((after & AFTER_TEST) != 0)
        processor_test_register(machine);
    if ((after & AFTER_CONTROL) != 0)
        processor_set_control(machine);
    if ((after & AFTER_DEBUG) != 0)
        processor_set_debug(machine);
    if ((after & AFTER_CR3) != 0)
        p5_core_load_cr3(machine->core, engine_get(machine->engine, ENGINE_CR3));
    if ((after & AFTER_INVLPG) != 0)
        p5_core_invlpg(machine->core, machine->after_linear);
    if ((after & AFTER_INVD) != 0)
        p5_core_invd(machine->core);
    if ((after & AFTER_WBINVD) != 0)
        p5_core_wbinvd(machine->core);
    contents_update_watching(machine);
}
