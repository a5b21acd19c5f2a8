/* Operands of instructions whose clocks depend on them, except those of the x87 and of saturation (mmx.c). */
#include "engine/stretch/value.h"

/* Records the operand of BSF or BSR, which end their blocks. The result is the position of the lowest or
 * highest set bit of the source, and ZF means that there was none. The recorded value is a number with just
 * that bit, because the clocks depend on nothing else. */
void value_scan(engine *e, const engine_block *b)
{
    enum { ZF = 0x40 };
    bool zero = UC_INTERNAL(cpu_cc_compute_all)(e->env, (int)e->env->cc_op) & ZF;
    unsigned bit = (unsigned)e->env->regs[b->scan_register] & (b->scan_bits - 1u);
    value_add(e, ISA_VALUE_SOURCE, zero ? 0 : 1ull << bit);
}
