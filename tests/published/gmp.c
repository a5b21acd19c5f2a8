/* GMP: numbers of 32-bit limbs. A function stands in up to three of its folders: x86_ is mpn/x86, p5_
 * mpn/x86/pentium, p55_ its mmx. */
#include "driver.h"

enum {
    SMALL = 48,
    LARGE = 240, /* limbs: multiples of every loop's step, in L1 */
    SQUARE = 20, /* by 20: the size that GMP names for squares */
    ODD = 0x12345679,
    EVEN = 0x12345678,
    WORD = 0x1235
};

#define A ((const uint32_t *)area[0])
#define B ((const uint32_t *)area[1])
#define R ((uint32_t *)area[2])

uint8_t p5___gmp_binvert_limb_table[128];
extern uint8_t x86___gmp_binvert_limb_table[128] __attribute__((alias("p5___gmp_binvert_limb_table")));

/* Entry i is the inverse of 2i + 1 modulo 256. */
void prepare(void)
{
    for (unsigned i = 0; i < 128; i++) {
        unsigned odd = 2 * i + 1, inverse = odd; /* right to 3 bits; each step doubles them */
        for (unsigned bits = 3; bits < 8; bits *= 2)
            inverse *= 2 - odd * inverse;
        p5___gmp_binvert_limb_table[i] = (uint8_t)inverse;
    }
}

/* NAME(ARGUMENTS) of `n` limbs as a routine. */
#define CALL(alias, name, ...)                                                                               \
    extern uint32_t name();                                                                                  \
    static void alias(unsigned n)                                                                            \
    {                                                                                                        \
        name(__VA_ARGS__);                                                                                   \
    }
#define P5(name, ...) CALL(p5_##name, p5___gmpn_##name, __VA_ARGS__)
P5(add_n, R, A, B, n)
P5(sub_n, R, A, B, n)
P5(addmul_1, R, A, n, ODD)
P5(submul_1, R, A, n, ODD)
P5(mul_1, R, A, n, ODD)
P5(mul_2, R, A, n, B)
P5(com, R, A, n)
P5(copyi, R, A, n)
P5(copyd, R, A, n)
P5(and_n, R, A, B, n)
P5(ior_n, R, A, B, n)
P5(xor_n, R, A, B, n)
P5(andn_n, R, A, B, n)
P5(iorn_n, R, A, B, n)
P5(nand_n, R, A, B, n)
P5(nior_n, R, A, B, n)
P5(xnor_n, R, A, B, n)
P5(lshift, R, A, n, 5)
P5(rshift, R, A, n, 5)
P5(hamdist, A, B, n)
P5(popcount, A, n)
P5(mod_34lsub1, A, n)
P5(modexact_1_odd, A, n, ODD)
P5(mul_basecase, R, A, n, B, n)
P5(sqr_basecase, R, A, n)
CALL(p5_lshift_by_1, p5___gmpn_lshift, R, A, n, 1)
CALL(p5_rshift_by_1, p5___gmpn_rshift, R, A, n, 1)
CALL(p5_divexact_1_odd, p5___gmpn_divexact_1, R, A, n, ODD)
CALL(p5_divexact_1_even, p5___gmpn_divexact_1, R, A, n, EVEN)
CALL(p5_bdiv_q_1_odd, p5___gmpn_bdiv_q_1, R, A, n, ODD)
CALL(p5_bdiv_q_1_even, p5___gmpn_bdiv_q_1, R, A, n, EVEN)

#define P55(name, ...) CALL(p55_##name, p55___gmpn_##name, __VA_ARGS__)
P55(lshift, R, A, n, 5)
P55(rshift, R, A, n, 5)
P55(hamdist, A, B, n)
P55(popcount, A, n)
P55(mul_1, R, A, n, ODD)
CALL(p55_mul_1_word, p55___gmpn_mul_1, R, A, n, WORD)

#define X86(name, ...) CALL(x86_##name, x86___gmpn_##name, __VA_ARGS__)
X86(add_n, R, A, B, n)
X86(sub_n, R, A, B, n)
X86(addmul_1, R, A, n, ODD)
X86(mul_1, R, A, n, ODD)
X86(copyi, R, A, n)
X86(copyd, R, A, n)
X86(lshift, R, A, n, 5)
X86(rshift, R, A, n, 5)
X86(mod_34lsub1, A, n)
X86(mul_basecase, R, A, n, B, n)
X86(divrem_1, R, 0, A, n, EVEN)
X86(divexact_1, R, A, n, ODD)
X86(bdiv_q_1, R, A, n, ODD)

#define LIMBS(prefix, name)                                                                                  \
    {                                                                                                        \
        "gmp." #prefix "." #name, prefix##_##name, SMALL, LARGE, 0, false                                    \
    }
#define MMX(name)                                                                                            \
    {                                                                                                        \
        "gmp.p55." #name, p55_##name, SMALL, LARGE, 0, true                                                  \
    }
#define PRODUCT(prefix, name, count)                                                                         \
    {                                                                                                        \
        "gmp." #prefix "." #name, prefix##_##name, 0, SQUARE, count, false                                   \
    }

const routine routines[] = {LIMBS(p5, add_n),
                            LIMBS(p5, sub_n),
                            LIMBS(p5, addmul_1),
                            LIMBS(p5, submul_1),
                            LIMBS(p5, mul_1),
                            LIMBS(p5, mul_2),
                            LIMBS(p5, com),
                            LIMBS(p5, copyi),
                            LIMBS(p5, copyd),
                            LIMBS(p5, and_n),
                            LIMBS(p5, ior_n),
                            LIMBS(p5, xor_n),
                            LIMBS(p5, andn_n),
                            LIMBS(p5, iorn_n),
                            LIMBS(p5, nand_n),
                            LIMBS(p5, nior_n),
                            LIMBS(p5, xnor_n),
                            LIMBS(p5, lshift),
                            LIMBS(p5, rshift),
                            LIMBS(p5, lshift_by_1),
                            LIMBS(p5, rshift_by_1),
                            LIMBS(p5, hamdist),
                            LIMBS(p5, popcount),
                            LIMBS(p5, mod_34lsub1),
                            LIMBS(p5, modexact_1_odd),
                            LIMBS(p5, divexact_1_odd),
                            LIMBS(p5, divexact_1_even),
                            LIMBS(p5, bdiv_q_1_odd),
                            LIMBS(p5, bdiv_q_1_even),
                            PRODUCT(p5, mul_basecase, SQUARE *SQUARE),
                            PRODUCT(p5, sqr_basecase, SQUARE *(SQUARE + 1) / 2),
                            MMX(lshift),
                            MMX(rshift),
                            MMX(hamdist),
                            MMX(popcount),
                            MMX(mul_1),
                            MMX(mul_1_word),
                            LIMBS(x86, add_n),
                            LIMBS(x86, sub_n),
                            LIMBS(x86, addmul_1),
                            LIMBS(x86, mul_1),
                            LIMBS(x86, copyi),
                            LIMBS(x86, copyd),
                            LIMBS(x86, lshift),
                            LIMBS(x86, rshift),
                            LIMBS(x86, mod_34lsub1),
                            PRODUCT(x86, mul_basecase, SQUARE *SQUARE),
                            LIMBS(x86, divrem_1),
                            LIMBS(x86, divexact_1),
                            LIMBS(x86, bdiv_q_1),
                            {0}};
