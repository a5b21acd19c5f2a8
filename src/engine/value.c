/* Operands of instructions whose clocks depend on them, beside the x87's: counts, scanned numbers,
 * saturation. */
#include <string.h>

#include "engine/internal.h"

void value_add(engine *e, isa_value_kind kind, uint64_t a)
{
    *e->value_next++ = (p5_value){.a = a, .kind = (uint8_t)kind};
}

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

static inline int64_t element(const uc_fpreg *r, unsigned i, unsigned bytes, bool is_signed)
{
    uint64_t raw = 0;
    memcpy(&raw, r->bytes + i * bytes, bytes);
    unsigned unused = 64 - 8 * bytes;
    return is_signed ? (int64_t)(raw << unused) >> unused : (int64_t)raw;
}

/* True if a + sign * b is not representable for any pair of elements. */
static bool sum_clips(const uc_fpreg *a, const uc_fpreg *b, unsigned bytes, bool is_signed, int sign)
{
    int64_t high = is_signed ? (1 << (8 * bytes - 1)) - 1 : (1 << 8 * bytes) - 1;
    int64_t low = is_signed ? -high - 1 : 0;
    bool clips = false;
    for (unsigned i = 0; i < 8 / bytes; i++) {
        int64_t exact = element(a, i, bytes, is_signed) + sign * element(b, i, bytes, is_signed);
        clips |= exact < low || exact > high;
    }
    return clips;
}

/* True if any element of `bytes` bytes does not fit into half of them. */
static bool pack_clips(const uc_fpreg *a, const uc_fpreg *b, unsigned bytes, bool to_signed)
{
    int64_t high = to_signed ? (1 << (4 * bytes - 1)) - 1 : (1 << 4 * bytes) - 1;
    int64_t low = to_signed ? -high - 1 : 0;
    bool clips = false;
    for (unsigned i = 0; i < 8 / bytes; i++) {
        int64_t x = element(a, i, bytes, true), y = element(b, i, bytes, true);
        clips |= x < low || x > high || y < low || y > high;
    }
    return clips;
}

#define SATURATING(name, clips)                                                                              \
    void REAL(name)(uc_env * env, uc_fpreg * to, uc_fpreg * from);                                           \
    void WRAP(name)(uc_env * env, uc_fpreg * to, uc_fpreg * from);                                           \
    void WRAP(name)(uc_env * env, uc_fpreg * to, uc_fpreg * from)                                            \
    {                                                                                                        \
        value_add(engine_of(env), ISA_VALUE_SATURATED, clips);                                               \
        REAL(name)(env, to, from);                                                                           \
    }
SATURATING(helper_paddsb_mmx, sum_clips(to, from, 1, true, 1))
SATURATING(helper_paddsw_mmx, sum_clips(to, from, 2, true, 1))
SATURATING(helper_paddusb_mmx, sum_clips(to, from, 1, false, 1))
SATURATING(helper_paddusw_mmx, sum_clips(to, from, 2, false, 1))
SATURATING(helper_psubsb_mmx, sum_clips(to, from, 1, true, -1))
SATURATING(helper_psubsw_mmx, sum_clips(to, from, 2, true, -1))
SATURATING(helper_psubusb_mmx, sum_clips(to, from, 1, false, -1))
SATURATING(helper_psubusw_mmx, sum_clips(to, from, 2, false, -1))
SATURATING(helper_packsswb_mmx, pack_clips(to, from, 2, true))
SATURATING(helper_packuswb_mmx, pack_clips(to, from, 2, false))
SATURATING(helper_packssdw_mmx, pack_clips(to, from, 4, true))
