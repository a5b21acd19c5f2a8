/* Operations of x87_exact. Each executes one instruction on an x87 whose state is an image as FNSAVE writes it,
 * with TOP 0. They use integers on every host (soft.h), because processors differ in the last bits of
 * transcendental functions, and some in the condition for an unmasked underflow. P5_SOFT_X87 selects what runs
 * on hosts without an x87 (x87_host.h). */
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

/* One operation for each format of the operand. */
#define X87_WITH_OPERAND(X, name) X(name##_register) X(name##_m32) X(name##_m64) X(name##_i32)
#define X87_OPERATIONS(X)                                                                                    \
    X87_WITH_OPERAND(X, fadd)                                                                                \
    X87_WITH_OPERAND(X, fsub)                                                                                \
    X87_WITH_OPERAND(X, fsubr)                                                                               \
    X87_WITH_OPERAND(X, fmul)                                                                                \
    X87_WITH_OPERAND(X, fdiv)                                                                                \
    X87_WITH_OPERAND(X, fdivr)                                                                               \
    X87_WITH_OPERAND(X, fcom)                                                                                \
    X(ftst) X(fucom) X87_FUNCTIONS(X)
/* Operations on ST(0), and some on ST(1). */
#define X87_FUNCTIONS(X)                                                                                     \
    X(fsqrt)                                                                                                 \
    X(frndint)                                                                                               \
    X(fscale)                                                                                                \
    X(fprem) X(fprem1) X(fxtract) X(f2xm1) X(fyl2x) X(fyl2xp1) X(fpatan) X(fptan) X(fsin) X(fcos) X(fsincos)

#define X87_DECLARE(name) x87_operation x87_##name;
X87_OPERATIONS(X87_DECLARE)
#undef X87_DECLARE

/* Store `value`, which is not empty, in another format, by the control word, and return the status word
 * afterwards. They store nothing if an unmasked exception prevents it. */
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
