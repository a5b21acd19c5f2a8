/* Checks, when an engine opens, that Unicorn's structures have the layout of unicorn_state.h and the offsets
 * that layout_gen.c found. Values written through the public interface must appear at the expected places, so
 * that a wrong build ends in one clear error. */
#include <string.h>

#include "base/error.h"
#include "engine/unicorn/inside.h"
#include "isa/isa.h"

/* Each of the following functions returns whether a part of the state lies where it is expected, and sets it to 0 again
 * if the engine depends on that. */
static bool general_registers(uc_engine *uc, const uc_env *env)
{
    static const int ids[] = {UC_X86_REG_EAX, UC_X86_REG_ECX, UC_X86_REG_EDX, UC_X86_REG_EBX,
                              UC_X86_REG_ESP, UC_X86_REG_EBP, UC_X86_REG_ESI, UC_X86_REG_EDI};
    uint32_t zero = 0;
    for (unsigned i = 0; i < 8; i++) {
        uint32_t value = 0x5a000000u + i;
        if (uc_reg_write(uc, ids[i], &value) != UC_ERR_OK || (uint32_t)env->regs[i] != value)
            return false;
        uc_reg_write(uc, ids[i], &zero);
    }
    uint32_t eip = 0x12345678;
    if (uc_reg_write(uc, UC_X86_REG_EIP, &eip) != UC_ERR_OK || env->eip != eip)
        return false;
    return uc_reg_write(uc, UC_X86_REG_EIP, &zero) == UC_ERR_OK;
}

static bool control_registers(uc_engine *uc, uc_env *env)
{
    uint32_t value = 0x00123000, zero = 0;
    if (uc_reg_write(uc, UC_X86_REG_CR2, &value) != UC_ERR_OK || env->cr[2] != value)
        return false;
    uc_reg_write(uc, UC_X86_REG_CR2, &zero);
    value = 0x0badf00d;
    if (uc_reg_write(uc, UC_X86_REG_DR0, &value) != UC_ERR_OK || env->dr[0] != value)
        return false;
    uc_reg_write(uc, UC_X86_REG_DR0, &zero);
    uc_x86_mmr table = {.base = 0x00abc000, .limit = 0x7f7};
    if (uc_reg_write(uc, UC_X86_REG_IDTR, &table) != UC_ERR_OK || env->idt.base != table.base ||
        env->idt.limit != table.limit)
        return false;
    table = (uc_x86_mmr){.base = 0x00def000, .limit = 0x6f7};
    if (uc_reg_write(uc, UC_X86_REG_GDTR, &table) != UC_ERR_OK || env->gdt.base != table.base ||
        env->gdt.limit != table.limit)
        return false;
    env->gdt.base = env->gdt.limit = 0;
    return true;
}

static bool x87(uc_engine *uc, const uc_env *env)
{
    uint16_t word = 0x1234;
    if (uc_reg_write(uc, UC_X86_REG_FPCW, &word) != UC_ERR_OK || env->fpuc != word)
        return false;
    uint8_t number[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    return uc_reg_write(uc, UC_X86_REG_FP0, number) == UC_ERR_OK &&
           memcmp(env->fpregs[0].bytes, number, sizeof number) == 0;
}

/* Checks that uc_env.owner is the place of the MSR KernelGSBase, which no 32-bit instruction uses. */
void REAL(helper_wrmsr)(uc_env *env);
static bool owner_field(uc_env *env)
{
    enum { KERNEL_GS_BASE = 0xc0000102 };
    env->regs[ISA_ECX] = (uint32_t)KERNEL_GS_BASE;
    env->regs[ISA_EAX] = 0x89abcdef;
    env->regs[ISA_EDX] = 0x01234567;
    REAL(helper_wrmsr)(env);
    env->regs[ISA_ECX] = env->regs[ISA_EAX] = env->regs[ISA_EDX] = 0;
    return (uintptr_t)env->owner == 0x0123456789abcdef;
}

/* Checks the list of operations by generating one and removing it. */
static bool translator(uc_engine *uc)
{
    uc_translator *s = uc_translator_of(uc);
    /* The word at UC_TCG_ENV is the offset of a temporary, and temporaries lie in the translator before its list. */
    if (!s || uc_translator_field(s, UC_TCG_ENV) >= UC_TCG_OPS)
        return false;
    UC_INTERNAL(tcg_func_start)(s);
    if (uc_last_op(s))
        return false;
    uc_op *op = UC_INTERNAL(tcg_emit_op)(s, UC_OP_CALL);
    bool found = uc_last_op(s) == op && op->opcode == UC_OP_CALL && !op->inputs && !op->outputs;
    UC_INTERNAL(tcg_op_remove)(s, op);
    return found && !uc_last_op(s);
}

/* Checks the layout of a newly opened Unicorn, and returns its processor state in *state. */
p5_status layout_check(uc_engine *uc, uc_env **state, p5_error *error)
{
    uint32_t eax;
    if (uc_reg_read(uc, UC_X86_REG_EAX, &eax) != UC_ERR_OK) /* Unicorn initialises itself on first use */
        return error_set(error, P5_ERR_ENGINE, "Unicorn does not initialise");
    uc_cpu *cpu = uc_cpu_of_handle(uc);
    uc_env *env = uc_env_of(cpu);
    bool pointers = *(uc_engine **)(void *)((char *)cpu + UC_CPU_UC) == uc &&
                    *(uc_env **)(void *)((char *)cpu + UC_CPU_ENV_POINTER) == env && env->uc == uc;
    if (!pointers || !general_registers(uc, env) || !control_registers(uc, env) || !x87(uc, env) ||
        !owner_field(env) || !translator(uc))
        return error_set(error, P5_ERR_ENGINE,
                         "Unicorn's processor state is not laid out as it was when p5scope was built");
    /* Unicorn asks this function whether an exception ends the run: it does for #UD (6), but not for #GP (13).
     * Without the function, #UD is raised like all others. */
    bool (**stop_interrupt)(uc_engine *, uint32_t) = (void *)((char *)uc + UC_UC_STOP_INTERRUPT);
    if (!*stop_interrupt || !(*stop_interrupt)(uc, 6) || (*stop_interrupt)(uc, 13))
        return error_set(error, P5_ERR_ENGINE,
                         "Unicorn does not treat undefined instructions as it did when p5scope was built");
    *stop_interrupt = NULL;
    *state = env;
    return P5_OK;
}
