/* MMX instructions element by element, for hosts without SSE2 (mmx.c): a compiler makes of it what they have.
 */

#include "engine/x87/mmx.h"

#ifdef P5_SOFT_X87

typedef union elements {
    uint64_t q;
    uint8_t u8[8];
    int8_t s8[8];
    uint16_t u16[4];
    int16_t s16[4];
    uint32_t u32[2];
    int32_t s32[2];
} elements;

static inline elements load(const uc_fpreg *r)
{
    return (elements){.q = r->mmx};
}

static inline void store(uc_fpreg *to, elements result)
{
    to->mmx = result.q;
    to->exponent = MMX_EXPONENT;
}

/* `value` as the elements of r. Here and below `a` is the first operand, `b` the second, `i` the element. */
#define ALL(kind, value)                                                                                     \
    for (unsigned i = 0; i < sizeof r.kind / sizeof r.kind[0]; i++)                                          \
        r.kind[i] = (__typeof__(r.kind[0]))(value);
/* Counts of the width or more shift everything out. */
#define SHIFT(kind, bits, value)                                                                             \
    if (b.q < (bits))                                                                                        \
    ALL(kind, value)
#define SHIFT_SIGN(kind, bits)                                                                               \
    const uint64_t count = b.q < (bits) ? b.q : (bits)-1;                                                    \
    ALL(kind, a.kind[i] >> count)

/* Name, and what makes r of a and b. */
#define PLAIN(X)                                                                                             \
    X(paddb, ALL(u8, a.u8[i] + b.u8[i]))                                                                     \
    X(paddw, ALL(u16, a.u16[i] + b.u16[i]))                                                                  \
    X(paddl, ALL(u32, a.u32[i] + b.u32[i]))                                                                  \
    X(psubb, ALL(u8, a.u8[i] - b.u8[i]))                                                                     \
    X(psubw, ALL(u16, a.u16[i] - b.u16[i]))                                                                  \
    X(psubl, ALL(u32, a.u32[i] - b.u32[i]))                                                                  \
    X(pmaddwd,                                                                                               \
      ALL(u32, (uint32_t)(a.s16[2 * i] * b.s16[2 * i]) + (uint32_t)(a.s16[2 * i + 1] * b.s16[2 * i + 1])))   \
    X(pmulhw, ALL(u16, (a.s16[i] * b.s16[i]) >> 16))                                                         \
    X(pmullw, ALL(u16, a.s16[i] * b.s16[i]))                                                                 \
    X(pcmpeqb, ALL(u8, a.u8[i] == b.u8[i] ? 0xff : 0))                                                       \
    X(pcmpeqw, ALL(u16, a.u16[i] == b.u16[i] ? 0xffff : 0))                                                  \
    X(pcmpeql, ALL(u32, a.u32[i] == b.u32[i] ? 0xffffffffu : 0))                                             \
    X(pcmpgtb, ALL(u8, a.s8[i] > b.s8[i] ? 0xff : 0))                                                        \
    X(pcmpgtw, ALL(u16, a.s16[i] > b.s16[i] ? 0xffff : 0))                                                   \
    X(pcmpgtl, ALL(u32, a.s32[i] > b.s32[i] ? 0xffffffffu : 0))                                              \
    X(pand, r.q = a.q & b.q;)                                                                                \
    X(pandn, r.q = ~a.q & b.q;)                                                                              \
    X(por, r.q = a.q | b.q;)                                                                                 \
    X(pxor, r.q = a.q ^ b.q;)                                                                                \
    X(psllw, SHIFT(u16, 16, a.u16[i] << b.q))                                                                \
    X(pslld, SHIFT(u32, 32, a.u32[i] << b.q))                                                                \
    X(psllq, r.q = b.q < 64 ? a.q << b.q : 0;)                                                               \
    X(psrlw, SHIFT(u16, 16, a.u16[i] >> b.q))                                                                \
    X(psrld, SHIFT(u32, 32, a.u32[i] >> b.q))                                                                \
    X(psrlq, r.q = b.q < 64 ? a.q >> b.q : 0;)                                                               \
    X(psraw, SHIFT_SIGN(s16, 16))                                                                            \
    X(psrad, SHIFT_SIGN(s32, 32))                                                                            \
    X(punpcklbw, ALL(u8, i & 1 ? b.u8[i / 2] : a.u8[i / 2]))                                                 \
    X(punpcklwd, ALL(u16, i & 1 ? b.u16[i / 2] : a.u16[i / 2]))                                              \
    X(punpckldq, ALL(u32, i & 1 ? b.u32[i / 2] : a.u32[i / 2]))                                              \
    X(punpckhbw, ALL(u8, i & 1 ? b.u8[4 + i / 2] : a.u8[4 + i / 2]))                                         \
    X(punpckhwd, ALL(u16, i & 1 ? b.u16[2 + i / 2] : a.u16[2 + i / 2]))                                      \
    X(punpckhdq, ALL(u32, i & 1 ? b.u32[1 + i / 2] : a.u32[1 + i / 2]))

/* What exact values become; `clips` if one does not fit. */
#define CLIPPED(kind, least, most, value)                                                                    \
    for (unsigned i = 0; i < sizeof r.kind / sizeof r.kind[0]; i++) {                                        \
        const int32_t exact = (value), fits = exact < (least) ? (least) : exact > (most) ? (most) : exact;   \
        r.kind[i] = (__typeof__(r.kind[0]))fits;                                                             \
        clips |= fits != exact;                                                                              \
    }
#define SATURATING(X)                                                                                        \
    X(paddsb, CLIPPED(s8, INT8_MIN, INT8_MAX, a.s8[i] + b.s8[i]))                                            \
    X(paddsw, CLIPPED(s16, INT16_MIN, INT16_MAX, a.s16[i] + b.s16[i]))                                       \
    X(paddusb, CLIPPED(u8, 0, UINT8_MAX, a.u8[i] + b.u8[i]))                                                 \
    X(paddusw, CLIPPED(u16, 0, UINT16_MAX, a.u16[i] + b.u16[i]))                                             \
    X(psubsb, CLIPPED(s8, INT8_MIN, INT8_MAX, a.s8[i] - b.s8[i]))                                            \
    X(psubsw, CLIPPED(s16, INT16_MIN, INT16_MAX, a.s16[i] - b.s16[i]))                                       \
    X(psubusb, CLIPPED(u8, 0, UINT8_MAX, a.u8[i] - b.u8[i]))                                                 \
    X(psubusw, CLIPPED(u16, 0, UINT16_MAX, a.u16[i] - b.u16[i]))                                             \
    X(packsswb, CLIPPED(s8, INT8_MIN, INT8_MAX, i < 4 ? a.s16[i] : b.s16[i - 4]))                            \
    X(packuswb, CLIPPED(u8, 0, UINT8_MAX, i < 4 ? a.s16[i] : b.s16[i - 4]))                                  \
    X(packssdw, CLIPPED(s16, INT16_MIN, INT16_MAX, i < 2 ? a.s32[i] : b.s32[i - 2]))

#define DEFINE_PLAIN(name, ...)                                                                              \
    void WRAP(helper_##name##_mmx)(uc_env * env, uc_fpreg * to, uc_fpreg * from)                             \
    {                                                                                                        \
        const elements a = load(to), b = load(from);                                                         \
        elements r = {.q = 0};                                                                               \
        (void)env;                                                                                           \
        __VA_ARGS__                                                                                          \
        store(to, r);                                                                                        \
    }
PLAIN(DEFINE_PLAIN)

#define DEFINE_SATURATING(name, ...)                                                                         \
    void WRAP(helper_##name##_mmx)(uc_env * env, uc_fpreg * to, uc_fpreg * from)                             \
    {                                                                                                        \
        const elements a = load(to), b = load(from);                                                         \
        elements r = {.q = 0};                                                                               \
        bool clips = false;                                                                                  \
        __VA_ARGS__                                                                                          \
        value_add(engine_of(env), ISA_VALUE_SATURATED, clips);                                               \
        store(to, r);                                                                                        \
    }
SATURATING(DEFINE_SATURATING)

void WRAP(helper_movl_mm_T0_mmx)(uc_fpreg *to, uint32_t value)
{
    store(to, (elements){.q = value});
}

#endif
