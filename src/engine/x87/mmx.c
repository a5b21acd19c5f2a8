/* MMX instructions, computed by the compiler's vector types. On x86-64 these become SSE2 instructions of 128 bits,
 * of which the upper half is not used. SSE2 instructions that compilers do not find are requested by name. The
 * functions replace Unicorn's helper functions of the same names (paddl: PADDD, psubl: PSUBD, pcmpeql: PCMPEQD,
 * pcmpgtl: PCMPGTD). */
#include "engine/stretch/value.h"
#include "engine/x87/mmx.h"

/* Compute r by the SSE2 intrinsic _mm_`instruction` of a and b, or of the 128-bit vector `wide` twice. On other
 * hosts the statement in the last argument computes r element by element. */
#ifdef P5_SOFT_X87
#define SSE2(instruction, ...)       __VA_ARGS__
#define PACK(instruction, wide, ...) __VA_ARGS__
#else
#include <emmintrin.h>
#define SSE2(instruction, ...)       r = from_sse2(_mm_##instruction(to_sse2(a), to_sse2(b)))
#define PACK(instruction, wide, ...) r = from_sse2(_mm_##instruction((__m128i)(wide), (__m128i)(wide)))
#endif

#define VECTOR(type, bytes) type __attribute__((vector_size(bytes)))
typedef union elements {
    uint64_t q;
    VECTOR(uint8_t, 8) u8;
    VECTOR(int8_t, 8) s8;
    VECTOR(uint16_t, 8) u16;
    VECTOR(int16_t, 8) s16;
    VECTOR(uint32_t, 8) u32;
    VECTOR(int32_t, 8) s32;
} elements;
typedef VECTOR(uint16_t, 16) words;
typedef VECTOR(uint32_t, 16) dwords;
typedef VECTOR(uint64_t, 16) qwords;

#ifndef P5_SOFT_X87
static inline __m128i to_sse2(elements value)
{
    return _mm_cvtsi64_si128((int64_t)value.q);
}

static inline elements from_sse2(__m128i value)
{
    return (elements){.q = (uint64_t)_mm_cvtsi128_si64(value)};
}
#endif

static inline elements load(const uc_fpreg *r)
{
    return (elements){.q = r->mmx};
}

static inline void store(uc_fpreg *to, elements result)
{
    to->mmx = result.q;
    to->exponent = MMX_EXPONENT;
}

/* Returns whether any bit is set. */
static inline bool any(qwords bits)
{
    return (bits[0] | bits[1]) != 0;
}

/* Sets each element of r to `value`. Here and below `a` is the first operand, `b` the second, `i` the element. */
#define ALL(kind, value)                                                                                     \
    for (unsigned i = 0; i < sizeof r.kind / sizeof r.kind[0]; i++)                                          \
    r.kind[i] = (__typeof__(r.kind[0]))(value)
/* Counts of the width or more shift everything out. */
#define SHIFT(kind, bits, operator)                                                                          \
    if (b.q < (bits))                                                                                        \
    r.kind = a.kind operator(__typeof__(r.kind[0])) b.q
#define SHIFT_SIGN(kind, bits) r.kind = a.kind >> (__typeof__(r.kind[0]))(b.q < (bits) ? b.q : (bits)-1)
#define UNPACK(kind, ...)      r.kind = __builtin_shufflevector(a.kind, b.kind, __VA_ARGS__)

/* Instructions whose results wrap around. Columns: the name, and the computation of r, which is 0 before, from a and
 * b. */
#define WRAPPING(X)                                                                                          \
    X(paddb, r.u8 = a.u8 + b.u8)                                                                             \
    X(paddw, r.u16 = a.u16 + b.u16)                                                                          \
    X(paddl, r.u32 = a.u32 + b.u32)                                                                          \
    X(psubb, r.u8 = a.u8 - b.u8)                                                                             \
    X(psubw, r.u16 = a.u16 - b.u16)                                                                          \
    X(psubl, r.u32 = a.u32 - b.u32)                                                                          \
    X(pmaddwd, SSE2(madd_epi16, ALL(u32, (uint32_t)(a.s16[2 * i] * b.s16[2 * i]) +                           \
                                             (uint32_t)(a.s16[2 * i + 1] * b.s16[2 * i + 1]))))              \
    X(pmulhw, SSE2(mulhi_epi16, ALL(u16, (a.s16[i] * b.s16[i]) >> 16)))                                      \
    X(pmullw, r.u16 = a.u16 * b.u16)                                                                         \
    X(pcmpeqb, r.s8 = a.s8 == b.s8)                                                                          \
    X(pcmpeqw, r.s16 = a.s16 == b.s16)                                                                       \
    X(pcmpeql, r.s32 = a.s32 == b.s32)                                                                       \
    X(pcmpgtb, r.s8 = a.s8 > b.s8)                                                                           \
    X(pcmpgtw, r.s16 = a.s16 > b.s16)                                                                        \
    X(pcmpgtl, r.s32 = a.s32 > b.s32)                                                                        \
    X(pand, r.q = a.q & b.q)                                                                                 \
    X(pandn, r.q = ~a.q & b.q)                                                                               \
    X(por, r.q = a.q | b.q)                                                                                  \
    X(pxor, r.q = a.q ^ b.q)                                                                                 \
    X(psllw, SSE2(sll_epi16, SHIFT(u16, 16, <<)))                                                            \
    X(pslld, SSE2(sll_epi32, SHIFT(u32, 32, <<)))                                                            \
    X(psllq, r.q = b.q < 64 ? a.q << b.q : 0)                                                                \
    X(psrlw, SSE2(srl_epi16, SHIFT(u16, 16, >>)))                                                            \
    X(psrld, SSE2(srl_epi32, SHIFT(u32, 32, >>)))                                                            \
    X(psrlq, r.q = b.q < 64 ? a.q >> b.q : 0)                                                                \
    X(psraw, SSE2(sra_epi16, SHIFT_SIGN(s16, 16)))                                                           \
    X(psrad, SSE2(sra_epi32, SHIFT_SIGN(s32, 32)))                                                           \
    X(punpcklbw, UNPACK(u8, 0, 8, 1, 9, 2, 10, 3, 11))                                                       \
    X(punpcklwd, UNPACK(u16, 0, 4, 1, 5))                                                                    \
    X(punpckldq, UNPACK(u32, 0, 2))                                                                          \
    X(punpckhbw, UNPACK(u8, 4, 12, 5, 13, 6, 14, 7, 15))                                                     \
    X(punpckhwd, UNPACK(u16, 2, 6, 3, 7))                                                                    \
    X(punpckhdq, UNPACK(u32, 1, 3))

/* Sets each element of r to `value`, limited to `least` to `most`. */
#define CLIPPED(kind, least, most, value)                                                                    \
    ALL(kind, (value) < (least) ? (least) : (value) > (most) ? (most) : (value))
/* Whether the result differs from that of the operation without saturation. */
#define DIFFERS(kind, operator) (r.q != (elements){.kind = a.kind operator b.kind}.q)
/* Instructions with saturation, whose clocks depend on it. Columns: the name; the computation of r from a and b, or
 * from the words (w) or dwords (d) of both; and whether an element was clipped, which is recorded as a value. */
#define SATURATING(X)                                                                                        \
    X(paddsb, SSE2(adds_epi8, CLIPPED(s8, INT8_MIN, INT8_MAX, a.s8[i] + b.s8[i])), DIFFERS(u8, +))           \
    X(paddsw, SSE2(adds_epi16, CLIPPED(s16, INT16_MIN, INT16_MAX, a.s16[i] + b.s16[i])), DIFFERS(u16, +))    \
    X(paddusb, SSE2(adds_epu8, CLIPPED(u8, 0, UINT8_MAX, a.u8[i] + b.u8[i])), DIFFERS(u8, +))                \
    X(paddusw, SSE2(adds_epu16, CLIPPED(u16, 0, UINT16_MAX, a.u16[i] + b.u16[i])), DIFFERS(u16, +))          \
    X(psubsb, SSE2(subs_epi8, CLIPPED(s8, INT8_MIN, INT8_MAX, a.s8[i] - b.s8[i])), DIFFERS(u8, -))           \
    X(psubsw, SSE2(subs_epi16, CLIPPED(s16, INT16_MIN, INT16_MAX, a.s16[i] - b.s16[i])), DIFFERS(u16, -))    \
    X(psubusb, SSE2(subs_epu8, CLIPPED(u8, 0, UINT8_MAX, a.u8[i] - b.u8[i])), DIFFERS(u8, -))                \
    X(psubusw, SSE2(subs_epu16, CLIPPED(u16, 0, UINT16_MAX, a.u16[i] - b.u16[i])), DIFFERS(u16, -))          \
    X(packsswb, PACK(packs_epi16, w, CLIPPED(s8, INT8_MIN, INT8_MAX, (int16_t)w[i])),                        \
      any((qwords)((w + 0x80) & 0xff00)))                                                                    \
    X(packuswb, PACK(packus_epi16, w, CLIPPED(u8, 0, UINT8_MAX, (int16_t)w[i])), any((qwords)(w & 0xff00)))  \
    X(packssdw, PACK(packs_epi32, d, CLIPPED(s16, INT16_MIN, INT16_MAX, (int32_t)d[i])),                     \
      any((qwords)((d + 0x8000) & 0xffff0000)))

#define DEFINE_WRAPPING(name, compute)                                                                       \
    void WRAP(helper_##name##_mmx)(uc_env * env, uc_fpreg * to, uc_fpreg * from)                             \
    {                                                                                                        \
        const elements a = load(to), b = load(from);                                                         \
        elements r = {.q = 0};                                                                               \
        (void)env;                                                                                           \
        compute;                                                                                             \
        store(to, r);                                                                                        \
    }
WRAPPING(DEFINE_WRAPPING)

#define DEFINE_SATURATING(name, compute, clips)                                                              \
    void WRAP(helper_##name##_mmx)(uc_env * env, uc_fpreg * to, uc_fpreg * from)                             \
    {                                                                                                        \
        const elements a = load(to), b = load(from);                                                         \
        const words w = __builtin_shufflevector(a.u16, b.u16, 0, 1, 2, 3, 4, 5, 6, 7);                       \
        const dwords d = __builtin_shufflevector(a.u32, b.u32, 0, 1, 2, 3);                                  \
        elements r;                                                                                          \
        (void)w, (void)d;                                                                                    \
        compute;                                                                                             \
        value_add(engine_of(env), ISA_VALUE_SATURATED, clips);                                               \
        store(to, r);                                                                                        \
    }
SATURATING(DEFINE_SATURATING)

/* Executes MOVD to a register. */
void WRAP(helper_movl_mm_T0_mmx)(uc_fpreg *to, uint32_t value)
{
    store(to, (elements){.q = value});
}

bool mmx_computes(uintptr_t function)
{
#define ADDRESS(name) (uintptr_t) WRAP(helper_##name##_mmx),
    static const uintptr_t all[] = {MMX_INSTRUCTIONS(ADDRESS)(uintptr_t) WRAP(helper_movl_mm_T0_mmx)};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (all[i] == function)
            return true;
    return false;
}
