/* The MMX instructions that compute or move dwords, as calls in generated code. */
#ifndef ENGINE_X87_MMX_H
#define ENGINE_X87_MMX_H

#include "engine/internal.h"

/* In front of every MMX instruction: takes the registers over from the x87 (x87_control.c). */
void WRAP(helper_enter_mmx)(uc_env *env);
/* The same in front of one with a reference that may fault: only waits and takes the registers. */
void mmx_wait(uc_env *env);

/* Sign and exponent of a register that an MMX instruction has written (241430, 8.2). */
enum { MMX_EXPONENT = 0xffff };

/* `function` is one of them, or MOVD into a register: it leaves alone where the registers are, and tags and
 * TOP. */
bool mmx_computes(uintptr_t function);

#endif
