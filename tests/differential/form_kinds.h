/* The flags and kinds in the rows of forms.h, which forms_gen.c writes and snippets.c reads. */
#ifndef FORM_KINDS_H
#define FORM_KINDS_H

/* Flags of a form. */
enum {
    MODRM = 1,     /* a ModRM byte, reg as given */
    ANY_REG = 2,   /* reg is an operand */
    MEMORY = 4,    /* mod 0 to 2 */
    WIDE_ONLY = 8, /* no 66h: it means something else on later processors, or the result is undefined */
    NO_REP = 16,   /* the same with F2h and F3h */
    X87 = 32,      /* or MMX */
    LOCKABLE = 64,
    STRING = 128,
    FIXED_MODRM = 256,
    STOPS = 1024,    /* always faults in a Linux program, sets TF, or repeats */
    MAY_STOP = 2048, /* faults, or needs registers that other forms overwrite */
    LAST_BIT = 512   /* its result may differ in the last bit, so no x87 instruction follows */
};
/* Kinds of forms, by what their operands need. */
enum {
    PLAIN,
    SHIFT,
    SHIFT_CL,
    JUMP8,
    JUMP32,
    CALL32,
    RET,
    RET_IMM,
    JUMP_INDIRECT,
    CALL_INDIRECT,
    INT_N,
    ENTER,
    LOOP_8
};

#endif
