/* Prices instructions whose clocks depend on more than their encoding. `clocks` is always the clocks of the form in
 * the instruction table, and f->cost_args are the further numbers of its row, in the order that isa_cost (isa.h)
 * gives. A p5_value holds doubles by their bits. */
#include "core/pipe/cost.h"

#include <string.h>

#include "base/bits.h"

enum { PRECISION_SINGLE = 0, PRECISION_DOUBLE = 2 }; /* control word bits 9..8 */
enum { ENTER_LEVELS = 32 };
enum { LEAF_SIGNATURE = 1, MSR_TSC = 0x10, MSR_CTR0 = 0x12, MSR_CTR1 = 0x13 };

/* Returns true for real and V86 mode. */
static bool real_mode(const cost_context *c)
{
    return c->mode != P5_MODE_PROTECTED;
}

/* Returns the double that has these bits. */
static double as_double(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

/* Prices BSF and BSR, which search bit by bit; BSF first searches for a byte that is not 0. */
static uint32_t bit_scan(const op *o, const isa_form *f, uint32_t clocks, uint64_t source)
{
    if (source == 0)
        return clocks;
    if (f->cost == ISA_COST_BSF) {
        unsigned n = (unsigned)__builtin_ctzll(source);
        return f->cost_args[0] + f->cost_args[1] * (n / 8) + f->cost_args[2] * (n % 8);
    }
    unsigned width = o->operand_bytes * 8u;
    unsigned zeros = width > 0 ? width - 1 - highest_bit(source) : 0;
    return f->cost_args[0] + f->cost_args[1] * zeros;
}

/* Prices RCL and RCR by count. The manual gives a range of clocks; its ends differ by 17. The smaller one was measured
 * for counts up to at least 3, and the greater one is taken for count 31. The model reproduces both ends: the clocks
 * are constant up to count 14, and each further bit takes one clock. */
static uint32_t rotate_carry(const isa_form *f, uint32_t clocks, unsigned rotate)
{
    unsigned range = f->cost_args[1] > clocks ? f->cost_args[1] - clocks : 0;
    unsigned constant_up_to = 31 > range ? 31 - range : 0;
    rotate &= 31;
    return rotate > constant_up_to ? clocks + f->cost_args[0] * (rotate - constant_up_to) : clocks;
}

/* Prices FDIV by precision control. Measured at extended precision on the P54C and the P55C: 41 clocks with
 * divisors 1.0, 1.1 and 2.0, but 39 with 0.5. This is modelled as a rule on the divisor's exponent
 * (x87.divide_small_gain). */
static uint32_t divide(const timing *t, const op *o, const isa_form *f, uint32_t clocks, const p5_value *v)
{
    bool reversed = (f->traits & ISA_T_REVERSED) != 0;
    bool other_is_dividend = reversed != (o->fp_to_sti != 0); /* b is divided by ST(0), which is a */
    double dividend = as_double(other_is_dividend ? v->b : v->a);
    double divisor = as_double(other_is_dividend ? v->a : v->b);
    if (dividend == 0)
        return f->cost_args[2];
    switch (v->fpu_control >> 8 & 3) {
    case PRECISION_SINGLE:
        return f->cost_args[0];
    case PRECISION_DOUBLE:
        return f->cost_args[1];
    default:
        return divisor > -1 && divisor < 1 ? clocks - t->divide_small_gain : clocks;
    }
}

/* Prices FSIN, FCOS, FSINCOS and FPTAN. Measured clocks of FSIN / FCOS, without the FADD that followed:
 *
 *   pi/32, pi/16  63 / 63      pi/4  88 / 86      pi    72 / 77
 *   pi/8          81 / 83      pi/2  71 / 71      4 pi   - / 73
 *   0.739          - / 83      1.0   96 / 94
 *
 * An argument up to pi/4 needs no reduction and falls into one of three ranges; the second ends between 0.739
 * and pi/4. A larger argument is reduced first. The remainder is either small or costs as much as the third
 * range, and each further bit of the quotient takes a clock (pi, 4 pi). A cosine whose sign changes takes
 * some clocks more (compare pi with pi/2 and 4 pi). */
static uint32_t trigonometric(const timing *t, const isa_form *f, const p5_value *v)
{
    /* from 2^52 on, doubles have no bits for fractions, so no quotient is computed */
    static const double half_pi = 1.57079632679489661923, reducible = 4503599627370496.0;
    double x = as_double(v->a);
    if (x < 0)
        x = -x;
    if (x == 0)
        return f->cost_args[0];
    uint32_t small = f->cost_args[1], middle = f->cost_args[2], large = f->cost_args[3];
    if (x <= half_pi / 2)
        return x <= t->trig_small ? small : x <= t->trig_middle ? middle : large;
    if (!(x < reducible))
        return large + f->cost_args[4];
    int64_t quadrant = (int64_t)(x / half_pi + 0.5);
    double r = x - half_pi * (double)quadrant;
    bool cosine = (f->traits & ISA_T_COSINE) != 0;
    bool negated = cosine ? quadrant % 4 == 2 : quadrant % 4 == 3;
    uint32_t clocks = (r < 0 ? -r : r) <= t->trig_small ? small : large;
    return clocks + f->cost_args[4] + highest_bit((uint64_t)quadrant) + (negated ? t->trig_negated : 0);
}

/* Prices FPREM and FPREM1, which take one step per bit of exponent difference, at most 63. From no step to 63 steps, the
 * clocks grow linearly from `clocks` to cost_args[0]. */
static uint32_t remainder_steps(const isa_form *f, uint32_t clocks, const p5_value *v)
{
    enum { STEPS = 63 };
    int difference = (int)(v->a >> 52 & 0x7ff) - (int)(v->b >> 52 & 0x7ff); /* of a double's exponents */
    if (difference <= 0)
        return clocks;
    if (difference > STEPS)
        difference = STEPS;
    return clocks + ((uint32_t)f->cost_args[0] - clocks) * (uint32_t)difference / STEPS;
}

/* Prices IN, OUT, INS and OUTS by mode. In protected mode they are slower with CPL above IOPL, because the I/O
 * permission bit map is read. With REP, each iteration adds clocks. */
static uint32_t port_io(const op *o, const isa_form *f, uint32_t clocks, const cost_context *c)
{
    if (c->mode == P5_MODE_V86)
        clocks = f->cost_args[2];
    else if (c->mode == P5_MODE_PROTECTED)
        clocks = c->cpl <= c->iopl ? f->cost_args[0] : f->cost_args[1];
    return o->rep ? clocks + f->cost_args[3] * c->repeats : clocks;
}

uint32_t cost_clocks(const timing *t, const op *o, const cost_context *c)
{
    const isa_form *f = &isa_forms[o->form];
    uint32_t clocks = o->clocks;
    unsigned column = t->index; /* of cost_args, in rows that have a number for each processor */
    switch (f->cost) {
    case ISA_COST_SEGMENT_LOAD:
        return real_mode(c)    ? clocks
               : c->descriptor ? (uint32_t)f->cost_args[0] + f->cost_args[1]
                               : f->cost_args[0];
    case ISA_COST_FAR:
    case ISA_COST_IRET:
        return real_mode(c) ? clocks : c->cpl_after == c->cpl ? f->cost_args[0] : f->cost_args[1];
    case ISA_COST_INT:
        return c->gate == P5_GATE_NONE ? clocks : f->cost_args[c->gate - P5_GATE_VECTOR];
    case ISA_COST_IO:
        return port_io(o, f, clocks, c);
    case ISA_COST_MODE: {
        const bool wide = o->operand_bytes == 4;
        return real_mode(c) ? f->cost_args[wide] : wide ? clocks : f->cost_args[2];
    }
    case ISA_COST_REP:
        return c->repeats == 0 ? f->cost_args[1] : clocks + f->cost_args[0] * c->repeats;
    case ISA_COST_ENTER: {
        unsigned level = o->imm8 % ENTER_LEVELS;
        return level == 0 ? clocks : level == 1 ? f->cost_args[0] : f->cost_args[1] + f->cost_args[2] * level;
    }
    case ISA_COST_BSF:
    case ISA_COST_BSR:
        return c->value ? bit_scan(o, f, clocks, c->value->a) : clocks;
    case ISA_COST_RCX:
        return rotate_carry(f, clocks, c->value ? (unsigned)c->value->a : o->imm8);
    case ISA_COST_FDIV:
        return c->value ? divide(t, o, f, clocks, c->value) : clocks;
    case ISA_COST_FSQRT:
        return c->value && as_double(c->value->a) == 0 ? f->cost_args[0] : clocks;
    case ISA_COST_TRIG:
        return c->value ? trigonometric(t, f, c->value) : clocks;
    case ISA_COST_FPREM:
        return c->value ? remainder_steps(f, clocks, c->value) : clocks;
    case ISA_COST_RDTSC:
        return c->mode != P5_MODE_REAL && c->cpl != 0 ? clocks + f->cost_args[column] : clocks;
    case ISA_COST_CPUID:
        return c->value && c->value->a == LEAF_SIGNATURE ? f->cost_args[column] : clocks;
    case ISA_COST_MSR: {
        uint64_t number = c->value ? c->value->a : 0;
        bool counter = number == MSR_TSC || number == MSR_CTR0 || number == MSR_CTR1;
        return counter ? clocks + f->cost_args[column] : clocks;
    }
    case ISA_COST_LOOP:
        return c->taken ? f->cost_args[0] : clocks;
    default:
        return clocks;
    }
}

uint32_t cost_dispatch(const timing *t, const p5_exception *e)
{
    if (e->task_gate)
        return t->dispatch_task;
    if (e->mode == P5_MODE_REAL)
        return t->dispatch_real;
    if (e->mode == P5_MODE_V86)
        return t->dispatch_v86;
    return e->cpl_after != e->cpl ? t->dispatch_inner : t->dispatch_same;
}

unsigned cost_flops(const timing *t, const op *o, uint32_t clocks)
{
    /* The manual says that transcendentals count their internal adds and multiplies but gives no number. */
    if (!(o->flags & ISA_FLOP))
        return 0;
    if (o->fp != ISA_FP_TRANSCENDENTAL)
        return 1;
    unsigned n = clocks / t->flop_clocks;
    return n > t->flop_most ? t->flop_most : n > 0 ? n : 1;
}
