/* Operands of instructions whose clocks depend on them, beside the x87's and saturation (mmx.c). */
#include "engine/stretch/value.h"

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
