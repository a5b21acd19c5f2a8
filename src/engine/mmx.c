/* MMX instructions that do not saturate, by the host's SSE2, which does the same on twice as many elements:
 * what is in the upper half does not matter. */
#include "engine/mmx.h"

/* Name, and what becomes of `a`, the first operand, and `b`. */
#define OPERATIONS(X)                                                                                        \
    X(paddb, _mm_add_epi8(a, b))                                                                             \
    X(paddw, _mm_add_epi16(a, b))                                                                            \
    X(paddl, _mm_add_epi32(a, b))                                                                            \
    X(psubb, _mm_sub_epi8(a, b))                                                                             \
    X(psubw, _mm_sub_epi16(a, b))                                                                            \
    X(psubl, _mm_sub_epi32(a, b))                                                                            \
    X(pmaddwd, _mm_madd_epi16(a, b))                                                                         \
    X(pmulhw, _mm_mulhi_epi16(a, b))                                                                         \
    X(pmullw, _mm_mullo_epi16(a, b))                                                                         \
    X(pcmpeqb, _mm_cmpeq_epi8(a, b))                                                                         \
    X(pcmpeqw, _mm_cmpeq_epi16(a, b))                                                                        \
    X(pcmpeql, _mm_cmpeq_epi32(a, b))                                                                        \
    X(pcmpgtb, _mm_cmpgt_epi8(a, b))                                                                         \
    X(pcmpgtw, _mm_cmpgt_epi16(a, b))                                                                        \
    X(pcmpgtl, _mm_cmpgt_epi32(a, b))                                                                        \
    X(pand, _mm_and_si128(a, b))                                                                             \
    X(pandn, _mm_andnot_si128(a, b))                                                                         \
    X(por, _mm_or_si128(a, b))                                                                               \
    X(pxor, _mm_xor_si128(a, b))                                                                             \
    X(psllw, _mm_sll_epi16(a, b))                                                                            \
    X(pslld, _mm_sll_epi32(a, b))                                                                            \
    X(psllq, _mm_sll_epi64(a, b))                                                                            \
    X(psrlw, _mm_srl_epi16(a, b))                                                                            \
    X(psrld, _mm_srl_epi32(a, b))                                                                            \
    X(psrlq, _mm_srl_epi64(a, b))                                                                            \
    X(psraw, _mm_sra_epi16(a, b))                                                                            \
    X(psrad, _mm_sra_epi32(a, b))                                                                            \
    X(punpcklbw, _mm_unpacklo_epi8(a, b))                                                                    \
    X(punpcklwd, _mm_unpacklo_epi16(a, b))                                                                   \
    X(punpckldq, _mm_unpacklo_epi32(a, b))                                                                   \
    X(punpckhbw, upper(_mm_unpacklo_epi8(a, b)))                                                             \
    X(punpckhwd, upper(_mm_unpacklo_epi16(a, b)))                                                            \
    X(punpckhdq, upper(_mm_unpacklo_epi32(a, b)))

static inline __m128i upper(__m128i pair)
{
    return _mm_srli_si128(pair, 8);
}

#define DEFINE(name, result)                                                                                 \
    MMX_OPERATION(name)                                                                                      \
    {                                                                                                        \
        (void)env;                                                                                           \
        const __m128i a = mmx_load(to), b = mmx_load(from);                                                  \
        mmx_store(to, result);                                                                               \
    }
OPERATIONS(DEFINE)

#define SATURATING(X)                                                                                        \
    X(paddsb, )                                                                                              \
    X(paddsw, )                                                                                              \
    X(paddusb, )                                                                                             \
    X(paddusw, )                                                                                             \
    X(psubsb, )                                                                                              \
    X(psubsw, )                                                                                              \
    X(psubusb, )                                                                                             \
    X(psubusw, )                                                                                             \
    X(packsswb, )                                                                                            \
    X(packuswb, )                                                                                            \
    X(packssdw, )
#define DECLARE(name, result) void WRAP(helper_##name##_mmx)(uc_env * env, uc_fpreg * to, uc_fpreg * from);
SATURATING(DECLARE)

bool mmx_computes(uintptr_t function)
{
#define ADDRESS(name, result) (uintptr_t) WRAP(helper_##name##_mmx),
    static const uintptr_t all[] = {OPERATIONS(ADDRESS) SATURATING(ADDRESS)};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] == function)
            return true;
    return false;
}
