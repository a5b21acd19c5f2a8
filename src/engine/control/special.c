/* Instructions that observe or change processor state. Before each, the engine's owner is called
 * (engine_callbacks.special). Each is the only instruction of its block, so everything before it has been retired. */
#include <assert.h>

#include "engine/control/callback.h"
#include "engine/control/special.h"
#include "engine/memory/guard.h"
#include "engine/memory/mmu.h"
#include "engine/stretch/stretch.h"
#include "engine/stretch/value.h"
#include "p5tool/pmu.h"

/* Calls the owner before the running instruction. Returns if the instruction is to be executed. Otherwise this
 * raises the fault that the owner requests, leaves the run, or continues where the owner has set EIP: then the
 * instruction counts as executed. */
void special_call(engine *e, engine_special_call *call)
{
    if (stretch_block(e)) /* else the block has not started yet, and the state's EIP is current */
        stretch_set_eip(e);
    engine_clear_redirected(e);
    engine_before_callback(e);
    engine_action action = e->callbacks.special(e->callbacks.context, call);
    if (action == ENGINE_FAULT)
        engine_raise(e, call->vector, call->error_code);
    if (action == ENGINE_STOP) {
        stretch_run(e, NULL); /* the instruction has not been executed, and its block is in no batch */
        engine_leave(e, ENGINE_STOPPED);
    }
    if (engine_redirected(e)) {
        if (stretch_block(e) && stretch_end_all(e, engine_linear_eip(e)))
            engine_request_attention(e);
        engine_resume(e);
    }
}

/* Retires the running block, whose only instruction the engine has executed instead of Unicorn, and continues at EIP
 * `next`. The shadow of STI ends, and a single step traps. */
void special_executed(engine *e, uint32_t next)
{
    bool stepping = e->env->eflags & EFLAGS_TF;
    e->env->eip = next;
    e->env->hflags &= ~(uint32_t)UC_HF_INHIBIT_IRQ;
    if (stretch_end_all(e, engine_linear_eip(e)))
        engine_request_attention(e);
    if (stepping)
        guard_trap(e, DR6_BS);
    engine_resume(e);
}

/* Calls the owner for an instruction whose only operands are registers; the owner does its work. If its clocks
 * depend on CPUID's leaf (EAX) or on the number of the MSR or counter (ECX), records that number. */
static void call_owner(engine *e, engine_special which)
{
    assert(stretch_block(e)->count == 1);
    engine_special_call call = {.which = which};
    if (stretch_block(e)->marks[1].values) /* values of the instructions before the second: of the only one */
        value_add(e, ISA_VALUE_SOURCE,
                  (uint32_t)e->env->regs[which == ENGINE_CPUID ? ENGINE_EAX : ENGINE_ECX]);
    special_call(e, &call);
}

#define SPECIAL(name, kind)                                                                                  \
    void WRAP(name)(uc_env * env)                                                                            \
    {                                                                                                        \
        call_owner(engine_of(env), kind);                                                                    \
    }
SPECIAL(helper_rdtsc, ENGINE_RDTSC)
SPECIAL(helper_rdpmc, ENGINE_RDPMC)
SPECIAL(helper_rdmsr, ENGINE_RDMSR)
SPECIAL(helper_wrmsr, ENGINE_WRMSR)
SPECIAL(helper_cpuid, ENGINE_CPUID)

/* Executes MOV CR, LMSW and CLTS. A value that no processor of the family accepts raises #GP(0) before the
 * callback: paging without protection, NW without CD, a bit that CR4 does not have. SDM vol. 3, 2.5. */
static void write_control(engine *e, unsigned number, uint32_t value)
{
    stretch_set_eip(e);
    if (number == 0) {
        if ((value & CR0_PG && !(value & CR0_PE)) || (value & CR0_NW && !(value & CR0_CD)))
            engine_raise(e, VECTOR_GP, 0);
        value &= CR0_ALL;
    }
    if (number == 4 && value & ~(uint32_t)(p5_pmu_cr4_mask(e->options.family)))
        engine_raise(e, VECTOR_GP, 0);
    engine_special_call call = {.which = ENGINE_MOV_TO_CR, .operand = number, .value = value};
    special_call(e, &call);
    mmu_write_control(e, number, value);
    if (number == 4)
        guard_debug_written(e); /* CR4.DE enables I/O breakpoints */
    else
        guard_update(e); /* CR0.AM enables alignment checks */
}

void WRAP(helper_write_crN)(uc_env *env, int number, uint64_t value)
{
    write_control(engine_of(env), (unsigned)number, (uint32_t)value);
}

/* LMSW loads PE, MP, EM and TS, and cannot clear PE. */
void WRAP(helper_lmsw)(uc_env *env, uint64_t value)
{
    write_control(engine_of(env), 0,
                  ((uint32_t)env->cr[0] & ~(uint32_t)(CR0_MP | CR0_EM | CR0_TS)) |
                      ((uint32_t)value & (CR0_PE | CR0_MP | CR0_EM | CR0_TS)));
}

void WRAP(helper_clts)(uc_env *env)
{
    write_control(engine_of(env), 0, (uint32_t)env->cr[0] & ~(uint32_t)CR0_TS);
}

void REAL(helper_invlpg)(uc_env *env, uint64_t address);
void WRAP(helper_invlpg)(uc_env *env, uint64_t address)
{
    engine_special_call call = {.which = ENGINE_INVLPG, .value = (uint32_t)address};
    special_call(engine_of(env), &call);
    REAL(helper_invlpg)(env, (uint32_t)address);
}

/* Reports a task switch to the owner, whose answer is ignored. */
void special_task_switched(engine *e)
{
    engine_special_call call = {.which = ENGINE_TASK_SWITCH, .value = (uint32_t)e->env->cr[3]};
    guard_debug_written(e); /* the local enables are cleared */
    engine_before_callback(e);
    e->callbacks.special(e->callbacks.context, &call);
}

/* --- MOV from and to DR. Breakpoints are not passed to Unicorn, which cannot run with them --- */

/* Begins a MOV from or to a debug register: raises #UD or, with DR7.GD, #DB. Returns the register's number. DR4 and
 * DR5 are DR6 and DR7 unless CR4.DE is set. */
static unsigned debug_register(engine *e, int number)
{
    stretch_set_eip(e);
    if ((number == 4 || number == 5) && e->env->cr[4] & CR4_DE)
        engine_raise(e, VECTOR_UD, 0);
    guard_general_detect(e);
    return (unsigned)number | (number >= 4 ? 2u : 0u);
}

void WRAP(helper_set_dr)(uc_env *env, int number, uint64_t value)
{
    engine *e = engine_of(env);
    unsigned target = debug_register(e, number);
    assert(target != 4 && target != 5);
    /* Reserved bits of DR6 and DR7 do not change. Manual: debug registers. */
    enum { DR6_WRITABLE = 0xe00f, DR7_ONE = 0x400 };
    const uint32_t dr6_ones = 0xffff0ff0, dr7_writable = 0xffff2fff;
    uint32_t held = target == 6   ? ((uint32_t)value & DR6_WRITABLE) | dr6_ones
                    : target == 7 ? ((uint32_t)value & dr7_writable) | DR7_ONE
                                  : (uint32_t)value;
    engine_special_call call = {.which = ENGINE_MOV_TO_DR, .operand = target, .value = held};
    special_call(e, &call);
    env->dr[target] = held;
    guard_debug_written(e);
}

uint64_t WRAP(helper_get_dr)(uc_env *env, int number)
{
    return env->dr[debug_register(engine_of(env), number)];
}

/* Returns EFLAGS for PUSHF, which pushes VM and RF as 0 (manual, PUSHF). */
uint64_t REAL(helper_read_eflags)(uc_env *env);
uint64_t WRAP(helper_read_eflags)(uc_env *env)
{
    return REAL(helper_read_eflags)(env) & ~(uint64_t)(EFLAGS_VM | EFLAGS_RF);
}

/* Loads the flags of `mask` for POPF, which does not load RF, and may enable or disable alignment checks (AC). */
void REAL(helper_write_eflags)(uc_env *env, uint64_t value, uint32_t mask);
void WRAP(helper_write_eflags)(uc_env *env, uint64_t value, uint32_t mask)
{
    REAL(helper_write_eflags)(env, value & ~(uint64_t)EFLAGS_RF, mask);
    guard_update(engine_of(env));
}

/* Executes HLT, an instruction of `length` bytes: retires it and leaves the run with EIP after it. */
void WRAP(helper_hlt)(uc_env *env, int length)
{
    engine *e = engine_of(env);
    env->eip = (uint32_t)(stretch_block(e)->linear - env->segs[ENGINE_CS].base + (uint32_t)length);
    env->hflags &= ~(uint32_t)UC_HF_INHIBIT_IRQ;
    if (stretch_end_all(e, engine_linear_eip(e)))
        engine_request_attention(e);
    engine_leave(e, ENGINE_HALTED);
}
