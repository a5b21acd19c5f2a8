/* The MMX instructions that compute, as calls in generated code. */
#ifndef ENGINE_MMX_H
#define ENGINE_MMX_H

#include "engine/internal.h"

/* In front of every MMX instruction: takes the registers over from the x87 (x87_control.c). */
void WRAP(helper_enter_mmx)(uc_env *env);

/* `function` is one of them: it leaves alone where the registers are, and tags and TOP. */
bool mmx_computes(uintptr_t function);

#endif
