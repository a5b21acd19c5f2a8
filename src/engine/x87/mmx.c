/* MMX instructions by the host's SSE2, which does the same on twice as many elements: what is in the upper
 * half does not matter. Hosts without it have mmx_elements.c. */
#include "engine/x87/mmx.h"

#ifndef P5_SOFT_X87
#include <emmintrin.h>

/* Name, and what becomes of `a`, the first operand, and `b`. */
#define PLAIN(X)                                                                                             \
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

/* Name; the result `r` of `a` and `b`, or of `both`, the second above the first; and two numbers of whole
 * registers that differ if an element was clipped: the result and what it would have been otherwise, or the
 * result unpacked again and what it was. */
#define SATURATING(X)                                                                                        \
    X(paddsb, _mm_adds_epi8(a, b), r, _mm_add_epi8(a, b))                                                    \
    X(paddsw, _mm_adds_epi16(a, b), r, _mm_add_epi16(a, b))                                                  \
    X(paddusb, _mm_adds_epu8(a, b), r, _mm_add_epi8(a, b))                                                   \
    X(paddusw, _mm_adds_epu16(a, b), r, _mm_add_epi16(a, b))                                                 \
    X(psubsb, _mm_subs_epi8(a, b), r, _mm_sub_epi8(a, b))                                                    \
    X(psubsw, _mm_subs_epi16(a, b), r, _mm_sub_epi16(a, b))                                                  \
    X(psubusb, _mm_subs_epu8(a, b), r, _mm_sub_epi8(a, b))                                                   \
    X(psubusw, _mm_subs_epu16(a, b), r, _mm_sub_epi16(a, b))                                                 \
    X(packsswb, _mm_packs_epi16(both, both), _mm_srai_epi16(_mm_unpacklo_epi8(r, r), 8), both)               \
    X(packuswb, _mm_packus_epi16(both, both), _mm_unpacklo_epi8(r, _mm_setzero_si128()), both)               \
    X(packssdw, _mm_packs_epi32(both, both), _mm_srai_epi32(_mm_unpacklo_epi16(r, r), 16), both)

/* The eight bytes of an operand, in the lower half. */
static inline __m128i load(const uc_fpreg *r)
{
    return _mm_loadl_epi64((const __m128i *)(const void *)r->bytes);
}

static inline void store(uc_fpreg *to, __m128i result)
{
    _mm_storel_epi64((__m128i *)(void *)to->bytes, result);
    to->exponent = MMX_EXPONENT;
}

static inline __m128i upper(__m128i pair)
{
    return _mm_srli_si128(pair, 8);
}

static inline void tell(uc_env *env, __m128i as_if, __m128i exact)
{
    bool clips = _mm_movemask_epi8(_mm_cmpeq_epi8(as_if, exact)) != 0xffff;
    value_add(engine_of(env), ISA_VALUE_SATURATED, clips);
}

#define DEFINE_PLAIN(name, result)                                                                           \
    void WRAP(helper_##name##_mmx)(uc_env * env, uc_fpreg * to, uc_fpreg * from)                             \
    {                                                                                                        \
        (void)env;                                                                                           \
        const __m128i a = load(to), b = load(from);                                                          \
        store(to, result);                                                                                   \
    }
PLAIN(DEFINE_PLAIN)

#define DEFINE_SATURATING(name, result, as_if, exact)                                                        \
    void WRAP(helper_##name##_mmx)(uc_env * env, uc_fpreg * to, uc_fpreg * from)                             \
    {                                                                                                        \
        const __m128i a = load(to), b = load(from), both = _mm_unpacklo_epi64(a, b), r = result;             \
        (void)both;                                                                                          \
        tell(env, as_if, exact);                                                                             \
        store(to, r);                                                                                        \
    }
SATURATING(DEFINE_SATURATING)

void WRAP(helper_movl_mm_T0_mmx)(uc_fpreg *to, uint32_t value)
{
    store(to, _mm_cvtsi32_si128((int)value));
}
#endif

bool mmx_computes(uintptr_t function)
{
#define ADDRESS(name) (uintptr_t) WRAP(helper_##name##_mmx),
    static const uintptr_t all[] = {MMX_INSTRUCTIONS(ADDRESS)(uintptr_t) WRAP(helper_movl_mm_T0_mmx)};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] == function)
            return true;
    return false;
}
