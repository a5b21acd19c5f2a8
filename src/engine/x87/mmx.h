/* Those MMX instructions that are calls in generated code, not generated code themselves. */
#ifndef ENGINE_X87_MMX_H
#define ENGINE_X87_MMX_H

#include "engine/internal.h"
#include "engine/x87/x87_operation.h"

/* Enters MMX mode before an MMX instruction (x87_control.c). */
void WRAP(helper_enter_mmx)(uc_env *env);
/* Only raises a pending x87 exception, before an MMX instruction with a reference that may fault. MMX mode is
 * entered after the reference. */
void mmx_wait(uc_env *env);

/* Sign and exponent of a register that an MMX instruction has written (241430, 8.2). */
enum { MMX_EXPONENT = 0xffff };

// clang-format off
#define MMX_INSTRUCTIONS(X) \
    X(paddb) X(paddw) X(paddl) X(psubb) X(psubw) X(psubl) X(pmaddwd) X(pmulhw) X(pmullw) X(paddsb) \
    X(paddsw) X(paddusb) X(paddusw) X(psubsb) X(psubsw) X(psubusb) X(psubusw) X(pcmpeqb) X(pcmpeqw) \
    X(pcmpeql) X(pcmpgtb) X(pcmpgtw) X(pcmpgtl) X(pand) X(pandn) X(por) X(pxor) X(psllw) X(pslld) \
    X(psllq) X(psrlw) X(psrld) X(psrlq) X(psraw) X(psrad) X(punpcklbw) X(punpcklwd) X(punpckldq) \
    X(punpckhbw) X(punpckhwd) X(punpckhdq) X(packsswb) X(packuswb) X(packssdw)
// clang-format on
#define MMX_DECLARE(name) void WRAP(helper_##name##_mmx)(uc_env * env, uc_fpreg * to, uc_fpreg * from);
MMX_INSTRUCTIONS(MMX_DECLARE)
#undef MMX_DECLARE
void WRAP(helper_movl_mm_T0_mmx)(uc_fpreg *to, uint32_t value);

/* Returns whether `function` is the address of one of these functions. They change neither tags and TOP nor where the
 * registers are (x87_place). */
bool mmx_computes(uintptr_t function);

#endif
