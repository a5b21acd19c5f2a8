/* IDIV by a doubleword. Unicorn divides on the host without checking for the only 64-bit quotient that
 * overflows, -2^63 / -1, and the host's own divide error would end the program. (Manual: #DE if the quotient
 * is too large.) Its other divisions are safe: those of 8 and 16 bits use wider types, DIV is unsigned, and
 * AAM 0 is detected at translation. testprogs/checks/divide.asm tests all of them. */
#include "engine/internal.h"

/* Divides EDX:EAX: the quotient goes to EAX, the remainder to EDX. Unicorn finds the faulting instruction's EIP by the
 * return address. */
void WRAP(helper_idivl_EAX)(uc_env *env, uint32_t divisor)
{
    int64_t dividend = (int64_t)((uint64_t)(uint32_t)env->regs[ISA_EDX] << 32 | (uint32_t)env->regs[ISA_EAX]);
    int32_t by = (int32_t)divisor;
    bool fits = by != 0 && !(dividend == INT64_MIN && by == -1);
    int64_t quotient = fits ? dividend / by : 0;
    if (!fits || quotient != (int32_t)quotient)
        UC_INTERNAL(raise_exception_err_ra)(env, VECTOR_DE, 0, (uintptr_t)__builtin_return_address(0));
    env->regs[ISA_EAX] = (uint32_t)quotient;
    env->regs[ISA_EDX] = (uint32_t)(dividend % by);
}
