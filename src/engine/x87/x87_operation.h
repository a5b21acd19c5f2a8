/* What x87_exact runs: one instruction each on an x87 that holds an image as FNSAVE writes it, with TOP 0. By
 * the host's x87 (x87_by_host.c), or by integers where it has none, or where P5_SOFT_X87 asks for it
 * (soft_operate.c): with the same results and status. */
#ifndef ENGINE_X87_X87_OPERATION_H
#define ENGINE_X87_X87_OPERATION_H

#include "engine/unicorn/unicorn_state.h"

#if !defined __x86_64__ && !defined P5_SOFT_X87
#define P5_SOFT_X87
#endif
#ifdef P5_SOFT_X87
enum { X87_BY_HOST = 0 };
#else
enum { X87_BY_HOST = 1 };
#endif

enum { X87_IMAGE_STATUS = 4, X87_IMAGE_TAGS = 8, X87_IMAGE_REGISTERS = 28, X87_IMAGE_BYTES = 108 };
enum { X87_REGISTER_BYTES = 10 };

typedef void x87_operation(uint8_t image[X87_IMAGE_BYTES], const void *memory);

/* Name, and the host's instruction, %1 its operand in memory. */
#define X87_WITH_OPERAND(X, name, op, integer_op)                                                            \
    X(name##_register, op " %%st(1), %%st")                                                                  \
    X(name##_m32, op "s (%1)") X(name##_m64, op "l (%1)") X(name##_i32, integer_op "l (%1)")
#define X87_OPERATIONS(X)                                                                                    \
    X87_WITH_OPERAND(X, fadd, "fadd", "fiadd")                                                               \
    X87_WITH_OPERAND(X, fsub, "fsub", "fisub")                                                               \
    X87_WITH_OPERAND(X, fsubr, "fsubr", "fisubr")                                                            \
    X87_WITH_OPERAND(X, fmul, "fmul", "fimul")                                                               \
    X87_WITH_OPERAND(X, fdiv, "fdiv", "fidiv")                                                               \
    X87_WITH_OPERAND(X, fdivr, "fdivr", "fidivr")                                                            \
    X(fcom_register, "fcom %%st(1)")                                                                         \
    X(fcom_m32, "fcoms (%1)")                                                                                \
    X(fcom_m64, "fcoml (%1)")                                                                                \
    X(fcom_i32, "ficoml (%1)") X(ftst, "ftst") X(fucom, "fucom %%st(1)") X87_FUNCTIONS(X)
/* On ST(0), and perhaps ST(1). */
#define X87_FUNCTIONS(X)                                                                                     \
    X(fsqrt, "fsqrt")                                                                                        \
    X(frndint, "frndint")                                                                                    \
    X(fscale, "fscale") X(fprem, "fprem") X(fprem1, "fprem1") X(fxtract, "fxtract") X(f2xm1, "f2xm1")        \
        X(fyl2x, "fyl2x") X(fyl2xp1, "fyl2xp1") X(fpatan, "fpatan") X(fptan, "fptan") X(fsin, "fsin")        \
            X(fcos, "fcos") X(fsincos, "fsincos")

#define X87_DECLARE(name, insn) x87_operation x87_##name;
X87_OPERATIONS(X87_DECLARE)
#undef X87_DECLARE

/* Stores of `value`, which is not empty, in another format, as these control word and masks have it: the
 * status word afterwards. Nothing is stored if an unmasked exception forbids it. */
typedef uint16_t x87_conversion(const uc_fpreg *value, uint16_t control, void *to);
x87_conversion x87_to_m32, x87_to_m64, x87_to_i16, x87_to_i32, x87_to_i64, x87_to_decimal;

/* A packed decimal number: nine bytes of two digits, one with the sign. */
uc_fpreg x87_from_decimal(const uc_fpreg *decimal);

/* Constants, by rounding control. */
#define X87_CONSTANTS(X)  X(fld1) X(fldl2t) X(fldl2e) X(fldpi) X(fldlg2) X(fldln2) X(fldz)
#define X87_DECLARE(name) uc_fpreg x87_##name(uint16_t control);
X87_CONSTANTS(X87_DECLARE)
#undef X87_DECLARE

#endif
