/* x87 instructions computed by integers (soft.h), with the same results on every host: processors differ in the last
 * bits of transcendental functions, and some in the condition for an unmasked underflow. An operation executes one
 * instruction on an image of the x87's state; x87_exact copies operands and results.
 *
 * Where the guest masks all exceptions and the host has an x87, that executes most instructions instead
 * (x87_host.h). Defining P5_SOFT_X87 makes the program do without the host's x87; other hosts than x86-64 always do. */
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

/* Offsets in an image, which is that of a 32-bit FNSAVE in protected mode, and its size. The control word comes
 * first. */
enum { X87_IMAGE_STATUS = 4, X87_IMAGE_TAGS = 8, X87_IMAGE_REGISTERS = 28, X87_IMAGE_BYTES = 108 };
enum { X87_REGISTER_BYTES = 10 };

/* Executes an instruction on an image with TOP 0. `memory` is its operand in memory, if it has one. */
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

/* Convert the contents of a register to another format by the control word and write it to `to`. They write nothing
 * if an unmasked exception prevents the store. They return the conversion's exceptions and C1, as bits of the status
 * word. */
typedef uint16_t x87_conversion(const uc_fpreg *value, uint16_t control, void *to);
x87_conversion x87_to_m32, x87_to_m64, x87_to_i16, x87_to_i32, x87_to_i64, x87_to_decimal;

/* Converts a packed decimal number: nine bytes of two digits, one with the sign. */
uc_fpreg x87_from_decimal(const uc_fpreg *decimal);

/* Return the constants that instructions load, rounded by the control word. */
#define X87_CONSTANTS(X)  X(fld1) X(fldl2t) X(fldl2e) X(fldpi) X(fldlg2) X(fldln2) X(fldz)
#define X87_DECLARE(name) uc_fpreg x87_##name(uint16_t control);
X87_CONSTANTS(X87_DECLARE)
#undef X87_DECLARE

#endif
