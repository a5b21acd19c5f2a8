/* Operands of instructions whose clocks depend on them, beside the x87's: counts, scanned numbers,
 * saturation. */
#include "engine/mmx.h"

/* BSF and BSR end their blocks: the result says where the lowest or highest set bit of the source was, ZF
 * that there was none. What is handed over is a number with that bit, which is all that its clocks depend on.
 */
void value_scan(engine *e, const engine_block *b)
{
    enum { ZF = 0x40 };
    bool zero = UC_INTERNAL(cpu_cc_compute_all)(e->env, (int)e->env->cc_op) & ZF;
    unsigned bit = (unsigned)e->env->regs[b->scan_register] & (b->scan_bits - 1u);
    value_add(e, ISA_VALUE_SOURCE, zero ? 0 : 1ull << bit);
}

/* --- Saturating MMX instructions: was an element clipped? --- */

/* The host's SSE2 does the same on twice as many elements: it gives the result, and where that is not what
 * the unclipped operation gives, an element was clipped. */

static inline void store_clipped(uc_env *env, uc_fpreg *to, __m128i result, __m128i as_if, __m128i exact)
{
    bool clips = _mm_movemask_epi8(_mm_cmpeq_epi8(as_if, exact)) != 0xffff;
    value_add(engine_of(env), ISA_VALUE_SATURATED, clips);
    mmx_store(to, result);
}

#define SUM(name, saturating, wrapping)                                                                      \
    MMX_OPERATION(name)                                                                                      \
    {                                                                                                        \
        __m128i a = mmx_load(to), b = mmx_load(from), sum = saturating(a, b);                                \
        store_clipped(env, to, sum, sum, wrapping(a, b));                                                    \
    }
SUM(paddsb, _mm_adds_epi8, _mm_add_epi8)
SUM(paddsw, _mm_adds_epi16, _mm_add_epi16)
SUM(paddusb, _mm_adds_epu8, _mm_add_epi8)
SUM(paddusw, _mm_adds_epu16, _mm_add_epi16)
SUM(psubsb, _mm_subs_epi8, _mm_sub_epi8)
SUM(psubsw, _mm_subs_epi16, _mm_sub_epi16)
SUM(psubusb, _mm_subs_epu8, _mm_sub_epi8)
SUM(psubusw, _mm_subs_epu16, _mm_sub_epi16)

/* Packing: both operands, one above the other; unpacked again, what was not clipped is what it was. */
#define PACK(name, pack, unpack)                                                                             \
    MMX_OPERATION(name)                                                                                      \
    {                                                                                                        \
        __m128i wide = _mm_unpacklo_epi64(mmx_load(to), mmx_load(from)), narrow = pack(wide, wide);          \
        store_clipped(env, to, narrow, unpack, wide);                                                        \
    }
PACK(packsswb, _mm_packs_epi16, _mm_srai_epi16(_mm_unpacklo_epi8(narrow, narrow), 8))
PACK(packuswb, _mm_packus_epi16, _mm_unpacklo_epi8(narrow, _mm_setzero_si128()))
PACK(packssdw, _mm_packs_epi32, _mm_srai_epi32(_mm_unpacklo_epi16(narrow, narrow), 16))
