/* The MMX instructions that compute, as calls in generated code (mmx.c; those that saturate in value.c). */
#ifndef ENGINE_MMX_H
#define ENGINE_MMX_H

#include <emmintrin.h>

#include "engine/internal.h"

/* The eight bytes of an operand, in the lower half. */
static inline __m128i mmx_load(const uc_fpreg *r)
{
    return _mm_loadl_epi64((const __m128i *)(const void *)r->bytes);
}

static inline void mmx_store(uc_fpreg *to, __m128i result)
{
    _mm_storel_epi64((__m128i *)(void *)to->bytes, result);
}

#define MMX_OPERATION(name)                                                                                  \
    void WRAP(helper_##name##_mmx)(uc_env * env, uc_fpreg * to, uc_fpreg * from);                            \
    void WRAP(helper_##name##_mmx)(uc_env * env, uc_fpreg * to, uc_fpreg * from)

/* In front of every MMX instruction: takes the registers over from the x87 (x87_control.c). */
void WRAP(helper_enter_mmx)(uc_env *env);

/* `function` is one of them: it leaves alone where the registers are, and tags and TOP. */
bool mmx_computes(uintptr_t function);

#endif
