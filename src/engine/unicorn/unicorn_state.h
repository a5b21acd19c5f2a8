/* Structures of Unicorn 2 as far as p5scope uses them; they are the same in 2.0.1 and 2.1.1. layout_gen.c
 * checks them when p5scope is built, and finds the offsets of members in structures that differ. layout.c
 * checks both again when an engine opens. */
#ifndef ENGINE_UNICORN_UNICORN_STATE_H
#define ENGINE_UNICORN_UNICORN_STATE_H

#include <stddef.h>
#include <stdint.h>

#include <unicorn/unicorn.h>

typedef struct uc_segment {
    uint32_t selector;
    uint32_t unused; /* has a name so that it is cleared, and snapshots contain nothing of the host */
    uint64_t base;
    uint32_t limit;
    uint32_t flags; /* the descriptor's high dword */
} uc_segment;

/* An x87 or MMX register in its 16-byte slot. Unicorn's temporary ones lie at multiples of 8. */
typedef union __attribute__((packed, aligned(8))) uc_fpreg {
    uint8_t bytes[16];
    struct {
        uint64_t mantissa;
        uint16_t exponent; /* with the sign in bit 15 */
    };
    uint64_t mmx;
} uc_fpreg;

/* The processor state (CPUX86State), as far as it is used. Registers are 64 bits wide, even for 32-bit
 * guests. Members named before_ stand for members that are not used. */
typedef struct uc_env {
    uint64_t regs[16];
    uint64_t eip;    /* offset in CS; translated code does not keep it current */
    uint64_t eflags; /* during a run without the arithmetic flags and DF */
    /* Results and operands from which the arithmetic flags are computed when they are needed, and how (UC_CC_OP_*). */
    uint64_t cc_dst, cc_src, cc_src2;
    uint32_t cc_op;
    int32_t df;               /* 1 or -1, for EFLAGS.DF 0 or 1 */
    uint32_t hflags, hflags2; /* what translation depends on: UC_HF_* */
    uc_segment segs[6];       /* ES CS SS DS FS GS */
    uc_segment ldt, tr, gdt, idt;
    uint64_t cr[5];
    uint8_t before_x87[0x23c - 464];
    uint32_t fpstt;    /* TOP */
    uint16_t fpus;     /* status word without TOP */
    uint16_t fpuc;     /* control word */
    uint8_t fptags[8]; /* by physical register; 0 valid, 1 empty */
    uint8_t before_fpregs[0x250 - 0x24c];
    uc_fpreg fpregs[8];        /* by physical register */
    uint16_t fpop, fpcs, fpds; /* opcode and segments of the last x87 instruction and its operand */
    uint64_t fpip, fpdp;       /* their offsets */
    uint8_t fp_status[8];
    uc_fpreg ft0; /* the second operand of an x87 instruction, which Unicorn fetches first */
    uint8_t before_owner[0x12e0 - 0x300];
    void *owner; /* the engine; this is kernelgsbase, which no 32-bit instruction reaches */
    uint8_t before_error_code[0x14e8 - 0x12e8];
    int32_t error_code;          /* these three: of the last exception */
    int32_t exception_is_int;    /* it is INT n, INT3 or INTO */
    uint64_t exception_next_eip; /* and this is the EIP after it */
    uint64_t dr[8];
    uint8_t before_old_exception[0x1558 - 0x1538];
    /* The exception whose delivery has not succeeded yet, which with another one makes a double fault; -1: none. */
    int32_t old_exception;
    uint8_t before_uc[0x1b38 - 0x155c];
    uc_engine *uc;
} uc_env;

_Static_assert(offsetof(uc_env, eip) == 128 && offsetof(uc_env, hflags) == 176, "state layout");
_Static_assert(offsetof(uc_env, segs) == 184 && offsetof(uc_env, cr) == 424, "state layout");
_Static_assert(offsetof(uc_env, fpstt) == 0x23c && offsetof(uc_env, fpregs) == 0x250, "state layout");
_Static_assert(offsetof(uc_env, fpop) == 0x2d0 && offsetof(uc_env, fpip) == 0x2d8, "state layout");
_Static_assert(offsetof(uc_env, ft0) == 0x2f0 && offsetof(uc_env, owner) == 0x12e0, "state layout");
_Static_assert(offsetof(uc_env, error_code) == 0x14e8 && offsetof(uc_env, dr) == 0x14f8, "state layout");
_Static_assert(offsetof(uc_env, old_exception) == 0x1558 && offsetof(uc_env, uc) == 0x1b38, "state layout");

typedef struct uc_cpu uc_cpu;               /* CPUState; contains the processor state */
typedef struct uc_translator uc_translator; /* TCGContext */

/* A translated block (TranslationBlock). */
typedef struct uc_translated {
    uint64_t pc; /* linear address of the first instruction */
    uint64_t cs_base;
    uint32_t flags;  /* hflags and some bits of EFLAGS */
    uint16_t size;   /* bytes, after translation */
    uint16_t icount; /* instructions, after translation */
    uint32_t cflags;
} uc_translated;
_Static_assert(offsetof(uc_translated, size) == 0x14 && offsetof(uc_translated, cflags) == 0x18,
               "block layout");

/* A hook (struct hook): a function that translated blocks call. user_data is compiled into a block when it is
 * translated, and `places` has an entry for every block that ever existed. */
typedef struct uc_hook_head {
    uint8_t before_callback[0x28];
    void *callback;
    void *user_data;
    void *places; /* GHashTable */
} uc_hook_head;

/* An operation of Unicorn's intermediate code (TCGOp). The arguments of a call are the result, if any, then the
 * function's arguments, the function and UC_CALL_*: the function changes no guest register that translated code
 * keeps in a host register. */
enum { UC_CALL_WRITES_NO_GLOBALS = 2 };
typedef struct uc_op {
    uint8_t opcode;
    uint8_t inputs : 4, outputs : 4; /* of a call: number of arguments and results */
    uint32_t life;
    struct uc_op *next,
        **previous_next; /* list; the second points to `next` of the operation before, or to the head */
    uintptr_t arguments[12];
} uc_op;
_Static_assert(offsetof(uc_op, next) == 8 && offsetof(uc_op, arguments) == 0x18 && sizeof(uc_op) == 0x78,
               "operation layout");

#endif
