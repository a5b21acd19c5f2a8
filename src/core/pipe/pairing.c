/* The pairing rules. Tags such as P2 and M7 are those of docs/rules.tsv. `a` comes first and would issue in U, `b`
 * follows and would issue in V. */
#include "core/pipe/pairing.h"

/* P2b: two pushes, a push and a near call, and two pops pair although all of them change ESP: D2 has the sum
 * of both steps. */
static bool stack_exception(const op *a, const op *b)
{
    return (a->stack_group == STACK_PUSH && (b->stack_group == STACK_PUSH || b->stack_group == STACK_CALL)) ||
           (a->stack_group == STACK_POP && b->stack_group == STACK_POP);
}

/* P2: the second may neither read nor write a register that the first writes; write after read is fine. */
static bool registers_clash(const op *a, const op *b)
{
    unsigned written = a->def_gpr;
    unsigned touched = (unsigned)b->use_gpr | b->def_gpr;
    if (stack_exception(a, b))
        written &= ~(1u << ISA_ESP);
    if (written & touched)
        return true;
    return (a->write_mm & (b->read_mm | b->write_mm)) != 0; /* M7 */
}

static bool is_mmx(const op *o)
{
    return (o->flags & ISA_MMX) != 0;
}

/* Returns whether an MMX instruction refers to memory or to an integer register. Only the U pipe has a path there
 * (M4). */
static bool mmx_outside(const op *o)
{
    return o->memory || o->unit == ISA_MMX_INT;
}

/* Checks a pair with at least one MMX instruction. */
static unpaired mmx_check(const op *a, const op *b)
{
    if (is_mmx(b) && mmx_outside(b))
        return UNPAIRED_MMX_MEMORY; /* M4 */
    if (is_mmx(a) && mmx_outside(a) && !is_mmx(b))
        return UNPAIRED_MMX_MEMORY; /* M5 */
    if (is_mmx(a) && is_mmx(b) && a->unit == b->unit && (a->unit == ISA_MMX_MUL || a->unit == ISA_MMX_SHIFT))
        return UNPAIRED_MMX_UNIT; /* M2, M3 */
    return PAIRED;                /* M1 */
}

unpaired pairing_check(const op *a, const op *b)
{
    const bool exchange = b->fp == ISA_FP_XCH;
    if (exchange != (a->pair == ISA_FX))
        return exchange ? UNPAIRED_CLASS_V : UNPAIRED_FXCH; /* F1, M8 */
    if (!exchange && a->pair != ISA_U && a->pair != ISA_UV)
        return UNPAIRED_CLASS_U; /* P1, P6 */
    if (!exchange && b->pair != ISA_V && b->pair != ISA_UV)
        return UNPAIRED_CLASS_V;
    if (!a->first || b->long_second)
        return UNPAIRED_LENGTH; /* P3 */
    if (exchange)
        return PAIRED;
    if (b->prefixed_second)
        return UNPAIRED_PREFIX; /* P5 */
    if (is_mmx(a) || is_mmx(b)) {
        unpaired why = mmx_check(a, b);
        if (why != PAIRED)
            return why;
    }
    return registers_clash(a, b) ? UNPAIRED_REGISTER : PAIRED;
}

/* Returns whether the pipe can price the instruction only alone: it changes the pipe or the processor's state, or the
 * number of its references varies. */
static bool stays_alone(const op *o)
{
    return (o->flags & (ISA_SERIALISING | ISA_SYSTEM | ISA_VARIABLE_ACCESSES | ISA_FAR_TRANSFER |
                        ISA_SEGMENT_LOAD | ISA_IO)) != 0 ||
           o->lock != 0 || o->accesses > 2;
}

bool pairing_ideal_first(const op *o)
{
    return !stays_alone(o) && o->branch == ISA_NOT_BRANCH;
}

unpaired pairing_check_ideal(const op *a, const op *b)
{
    if (pairing_check(a, b) == PAIRED)
        return PAIRED;
    if (!pairing_ideal_first(a))
        return UNPAIRED_CLASS_U;
    const bool direct = b->branch <= ISA_CALL; /* no branch, or JCC, JMP, CALL: the first of isa_branch */
    if (stays_alone(b) || !direct || ((b->flags & ISA_X87) && b->fp != ISA_FP_XCH) ||
        (b->fp == ISA_FP_XCH && !(a->flags & ISA_X87)))
        return UNPAIRED_CLASS_V;
    const bool flags = (a->flags & ISA_WRITES_FLAGS) && b->branch == ISA_NOT_BRANCH &&
                       (b->flags & (ISA_READS_FLAGS | ISA_READS_CARRY));
    const unsigned written = a->def_gpr & ~(stack_exception(a, b) ? 1u << ISA_ESP : 0);
    return flags || (written & b->use_gpr) || (a->write_mm & b->read_mm) ? UNPAIRED_REGISTER : PAIRED;
}
