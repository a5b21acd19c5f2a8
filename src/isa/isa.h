/* The P5 instruction set as data: decodes bytes to an instruction with everything that the timing model, the
 * engine and the reports need. One row of instructions.tsv is one *form* (e.g. "ADD r32,m32"); a decoded
 * *instruction* is a form plus its registers, prefixes and lengths. Only disassemble.c uses Capstone. */
#ifndef ISA_ISA_H
#define ISA_ISA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ISA_LONGEST = 15 }; /* bytes of an instruction */

/* Processor families, used as bit masks in form tables: which processors have an instruction. */
enum { ISA_P54C = 1, ISA_P55C = 2, ISA_P6 = 4 /* later processors, only with --isa=permissive */ };

/* Pairing classes (instructions.tsv column `pair`). */
typedef enum isa_pair {
    ISA_NP, /* never pairs: issues alone in U (microcoded ones use both pipes) */
    ISA_U,  /* only first of a pair */
    ISA_V,  /* only second of a pair; may run alone in U */
    ISA_UV, /* either */
    ISA_FX  /* x87 operation in U that may be followed by FXCH in V */
} isa_pair;

/* Execution unit (column `unit`). It decides in which clock of EX memory is referenced, and which rules of x87 and MMX
 * apply. */
typedef enum isa_unit {
    ISA_ALU,
    ISA_SHIFT,
    ISA_AGU, /* LEA: the address unit of D2 */
    ISA_LOAD,
    ISA_STORE,
    ISA_LOAD_ALU,
    ISA_LOAD_ALU_STORE, /* read-modify-write */
    ISA_BRANCH,
    ISA_MICROCODE,
    ISA_INT_MUL, /* integer multiply on the x87 multiplier */
    ISA_FPU,
    ISA_MMX_ALU,
    ISA_MMX_SHIFT,
    ISA_MMX_MUL,
    ISA_MMX_LOAD,
    ISA_MMX_STORE,
    ISA_MMX_INT /* MOVD to or from r32 */
} isa_unit;

/* x87 sub-class (column `fp`), ISA_FP_NONE for everything else. */
typedef enum isa_fp {
    ISA_FP_NONE,
    ISA_FP_LOAD,
    ISA_FP_LOAD_SLOW /* m80, FILD, constants */,
    ISA_FP_STORE,
    ISA_FP_ADD /* add, sub */,
    ISA_FP_MUL,
    ISA_FP_DIV,
    ISA_FP_SQRT,
    ISA_FP_COMPARE,
    ISA_FP_SIGN /* FCHS, FABS */,
    ISA_FP_XCH,
    ISA_FP_STATUS /* FNSTSW */,
    ISA_FP_CONTROL,
    ISA_FP_TRANSCENDENTAL,
    ISA_FP_REMAINDER,
    ISA_FP_OTHER
} isa_fp;

/* Branch kind (column `branch`). */
typedef enum isa_branch {
    ISA_NOT_BRANCH,
    ISA_JCC,
    ISA_JMP,
    ISA_CALL,
    ISA_RET,
    ISA_JMP_INDIRECT,
    ISA_CALL_INDIRECT,
    ISA_LOOP /* LOOPx, JCXZ */,
    ISA_FAR /* far JMP, CALL, RET */,
    ISA_INT,
    ISA_IRET
} isa_branch;

/* What the core needs to know about the operands of a value-dependent form (column `value`). The engine supplies one
 * p5_value (p5scope/core.h), with members a and b, per executed instruction of such a form. */
typedef enum isa_value_kind {
    ISA_VALUE_NONE,
    /* a = source operand of BSF or BSR, in which bits other than the one that is found may be missing; EAX of CPUID; ECX
     * of RDMSR and WRMSR */
    ISA_VALUE_SOURCE,
    ISA_VALUE_COUNT, /* a = shift count as in CL, unmasked (RCL/RCR by CL) */
    ISA_VALUE_X87,   /* a, b = ST(0) and the other operand as IEEE doubles (FDIV, FSQRT, FSIN, FPREM, ...) */
    ISA_VALUE_SATURATED /* a = 1 if at least one element was clipped (saturating MMX) */
} isa_value_kind;

/* Flags of a form (column `flags`, or derived from other columns) and of a decoded instruction. */
enum {
    ISA_SERIALISING = 1u << 0, /* SDM volume 3, serialising instructions: all before it complete first */
    ISA_SYSTEM = 1u << 1, /* observes or changes processor state: the engine gives it a block of its own */
    ISA_STRING = 1u << 2,
    /* The encoding does not determine the number of data accesses. The engine ends the block after it. */
    ISA_VARIABLE_ACCESSES = 1u << 3,
    ISA_READS_CARRY = 1u << 4,
    ISA_WRITES_FLAGS = 1u << 5,
    /* Changes ESP implicitly with the D2 bypass (PUSHx, POPx, CALL, RET without imm16). */
    ISA_STACK = 1u << 6,
    ISA_FLOP = 1u << 7,           /* counts in event 22h FLOPS */
    ISA_SATURATING = 1u << 8,     /* MMX arithmetic with saturation (ISA_VALUE_SATURATED) */
    ISA_LOCKABLE = 1u << 9,       /* LOCK prefix allowed (memory destination) */
    ISA_IMPLICIT_LOCK = 1u << 10, /* XCHG r,m */
    ISA_MOFFS = 1u << 11,         /* MOV moffs,acc: a store to a direct address (A2h, A3h) */
    ISA_MMX = 1u << 12,
    ISA_X87 = 1u << 13,
    ISA_FAR_TRANSFER = 1u << 14, /* can load CS: far JMP, CALL, RET, INT, IRET */
    ISA_SEGMENT_LOAD = 1u << 15, /* loads DS, ES, FS, GS, SS, LDTR, TR, GDTR or IDTR */
    ISA_IO = 1u << 16,           /* IN, OUT, INS, OUTS */
    ISA_UNDEFINED = 1u << 17,    /* raises #UD on this processor */
    ISA_READS_FLAGS = 1u << 18, /* depends on a condition or copies the flags (ISA_READS_CARRY: on CF only) */
    ISA_KEEPS_CARRY = 1u << 19, /* writes the flags except CF */
    ISA_SETS_FLAGS = 1u << 20   /* writes CF, PF, ZF, SF and OF each time, whatever its operands are */
};

/* How the clocks of a form depend on more than its encoding (column `cost`, e.g. "rep:3,7"); core/pipe/cost.c
 * evaluates it. In these comments, `clocks` is isa_form.clocks of the processor, and a, b, ... are isa_form.cost_args in
 * order; all are in clocks. Figures that the sources give only as a range are marked manual or inferred in the column
 * `confidence`. */
typedef enum isa_cost {
    ISA_COST_FIXED, /* clocks */
    /* Real and V86 mode: clocks; protected: a for a null selector, a + b if a descriptor is read. */
    ISA_COST_SEGMENT_LOAD,
    /* Real and V86 mode: clocks; protected: a at the same level, b if the level changes. */
    ISA_COST_FAR,
    /* By p5_gate: clocks without a handler (INTO that is not taken); a vector table, b same level, c inner
     * level, d from V86 mode, e task gate. */
    ISA_COST_INT,
    /* Real and V86 mode: clocks; protected: a same level, b outer level or to V86 mode. */
    ISA_COST_IRET,
    /* Real mode: clocks; protected: a with CPL <= IOPL, b with CPL > IOPL; V86 mode: c. A REP form takes d
     * more for each iteration. The port's bus time is added. */
    ISA_COST_IO,
    /* Protected mode: clocks with 32-bit operands, c with 16-bit ones; real and V86 mode: b with 32-bit operands, a
     * with 16-bit ones. */
    ISA_COST_MODE,
    ISA_COST_REP,   /* clocks + a for each iteration; b if ECX was zero */
    ISA_COST_ENTER, /* level 0: clocks; 1: a; n > 1: b + c * n (level = imm8 modulo 32) */
    /* Source zero: clocks; else a + b per whole zero byte below the lowest set bit + c per further bit. */
    ISA_COST_BSF,
    /* Source zero: clocks; else a + b per zero above the highest set bit, within the operand size. */
    ISA_COST_BSR,
    /* RCL, RCR by count: b for a masked count of 31, a less for each bit fewer, but at least clocks. */
    ISA_COST_RCX,
    /* Clocks at extended precision control, a at single, b at double; c if the dividend is zero. Integer
     * instructions can overlap none of the first (clocks - int_overlap) clocks, at any precision. */
    ISA_COST_FDIV,
    ISA_COST_FSQRT, /* clocks; a if the operand is zero. Overlap as for FDIV */
    /* a if x is zero; |x| <= pi/4: b up to pi/16, c up to about 3/4, else d; beyond, with r = |x| reduced to
     * the nearest multiple of pi/2: e and b if |r| <= pi/16, else e and d (core/pipe/cost.c has the exceptions). */
    ISA_COST_TRIG,
    ISA_COST_FPREM,     /* clocks, growing with the exponent difference (0..63) to a */
    ISA_COST_RDTSC,     /* CPL 0 and real mode: clocks; otherwise a (P54C) or b (P55C) more */
    ISA_COST_CPUID,     /* leaf 0 and others: clocks; leaf 1: a (P54C) or b (P55C) */
    ISA_COST_MSR,       /* clocks; TSC, CTR0, CTR1 (ECX = 10h, 12h, 13h): a (P54C) or b (P55C) more */
    ISA_COST_WBINVD,    /* clocks plus the write-backs */
    ISA_COST_LOCKED,    /* clocks plus the locked bus cycles: XCHG with memory, LOCK or not */
    ISA_COST_X87_RANGE, /* clocks, the typical figure; the sources give a..b without conditions */
    ISA_COST_LOOP       /* not taken: clocks; taken: a */
} isa_cost;

enum { ISA_COST_ARGS = 5 }; /* most arguments of a cost rule */

/* Column `traits`: what the core does for only a few instructions. */
typedef enum isa_trait {
    ISA_T_PUSH = 1u << 0,        /* PUSH: pairs with another PUSH */
    ISA_T_POP = 1u << 1,         /* POP: pairs with another POP */
    ISA_T_TWO_STRINGS = 1u << 2, /* a REP iteration refers to two strings */
    ISA_T_TABLE_LOAD = 1u << 3,  /* loads LDTR, GDTR, IDTR or TR: event 0Fh counts it */
    ISA_T_VERIFY = 1u << 4,      /* restarts the pipe like a taken branch (event 12h) */
    ISA_T_FAR_RETURN = 1u << 5,  /* RETF */
    ISA_T_STORE_ST = 1u << 6,    /* stores ST(0) as a number */
    ISA_T_LOADS_SS = 1u << 7,    /* loads SS: no interrupt is taken at the next instruction boundary */
    ISA_T_COSINE = 1u << 8,      /* FCOS: its reduction differs from FSIN's */
    ISA_T_REVERSED = 1u << 9,    /* FDIVR and others: exchanges dividend and divisor */
    ISA_T_PROTECTED = 1u << 10   /* exists in protected mode only */
} isa_trait;

/* Column `traits`: instructions for which the engine supplements or replaces what Unicorn, the CPU emulator, does
 * (engine/stream/plan.c explains most of them). A block is what the engine translates and executes at once. */
typedef enum isa_engine {
    ISA_E_NONE,
    ISA_E_BEGINS, /* must begin a block (bit tests, LOOPcc): Unicorn's flags depend on what precedes it */
    ISA_E_CMPS,   /* Unicorn reads the second string first */
    ISA_E_FNOP,   /* Unicorn only checks for pending x87 exceptions */
    ISA_E_FSTP1,  /* FSTP ST(i) as D9 D8+i: an empty ST(0) is no exception */
    ISA_E_KEEPS_POINTER, /* preserves the pointer to the last x87 instruction */
    ISA_E_IMAGE,         /* FNSAVE, FRSTOR: the alignment of the x87 image is that of its first field */
    /* These use the interrupt flag, which VME and PVI make virtual: */
    ISA_E_CLI,
    ISA_E_STI,
    ISA_E_PUSHF,
    ISA_E_POPF,
    ISA_E_INT_N,
    ISA_E_IRET,
    /* Those from here on are alone in their block: */
    ISA_E_ALONE,       /* for no other reason */
    ISA_E_TEST,        /* alone if encoded as /1 */
    ISA_E_NEG,         /* alone if locked */
    ISA_E_SMSW,        /* alone with a 32-bit operand */
    ISA_E_FLAGS_FIRST, /* RCL, RCR, SETcc of memory: the flags must be right if the reference faults */
    ISA_E_ARPL,
    ISA_E_ENTER,
    ISA_E_PUSHA,
    ISA_E_POPA,
    ISA_E_INVD,
    ISA_E_WBINVD,
    ISA_E_ICEBP
} isa_engine;

/* What a form reads and writes (isa_form.reads, writes). Bits 0-7 are the registers EAX..EDI that the form itself names,
 * the others are operands that the encoding names. */
enum {
    ISA_USE_RM = 1u << 8,      /* the r/m operand, if it is a register */
    ISA_USE_RM8 = 1u << 9,     /* the same, a byte register although the form's size is not 1 (MOVZX) */
    ISA_USE_REG = 1u << 10,    /* ModRM.reg */
    ISA_USE_OP = 1u << 11,     /* the register in the low three bits of the opcode */
    ISA_USE_MM_RM = 1u << 12,  /* the r/m operand, if it is an MMX register */
    ISA_USE_MM_REG = 1u << 13, /* ModRM.reg, an MMX register */
    ISA_USE_ST = 1u << 14,     /* ST(0) */
    ISA_USE_STI = 1u << 15,    /* ST(i), i = low three bits of ModRM */
    ISA_USE_ST1 = 1u << 16     /* ST(1), implicitly */
};

/* One row of instructions.tsv, as a constant table generated by isa/instructions_gen.c. Arrays of two are for
 * P54C and P55C. */
typedef struct isa_form {
    const char *mnemonic; /* "ADD" */
    const char *operands; /* "r,m" or "" */
    /* EX occupancy with L1 hits, without prefixes and the 0Fh decode clock; the base of `cost`. Serialising
     * forms: up to the first EX clock of the next instruction. */
    uint16_t clocks[2];
    uint16_t latency[2]; /* issue to dependent use; 0: as `clocks` */
    uint8_t int_overlap; /* how many of its last clocks later integer instructions may overlap */
    uint8_t fp_overlap;  /* how many of its last clocks later x87 instructions may overlap */
    uint8_t pair[2];     /* isa_pair */
    uint8_t unit;        /* isa_unit */
    uint8_t fp;          /* isa_fp */
    uint8_t branch;      /* isa_branch */
    uint8_t value;       /* isa_value_kind */
    uint8_t models;      /* ISA_P54C | ISA_P55C | ISA_P6; 0 only for form 0, which is undefined everywhere */
    uint8_t cost;        /* isa_cost: how the clocks depend on mode, count or value */
    uint16_t cost_args[ISA_COST_ARGS];
    int8_t fp_push; /* change of the x87 stack depth: +1 push, -1 pop, -2 FCOMPP */
    /* Data references as a P5 makes them, reads before writes; an m80 is two, of 8 and 2 bytes. 0 if the
     * encoding does not determine their number (ISA_VARIABLE_ACCESSES), and for ENTER. */
    uint8_t data_reads, data_writes;
    uint8_t accesses;       /* data_reads + data_writes */
    uint8_t address;        /* GPRs that D2 uses in addition to base and index: ESP, ESI, EDI, EBX */
    uint32_t reads, writes; /* GPR bits and ISA_USE_* */
    uint32_t flags;         /* ISA_SERIALISING and others */
    uint32_t traits;        /* isa_trait */
    uint8_t engine;         /* isa_engine */
} isa_form;

/* All forms. Form 0 is that of undefined instructions. */
extern const isa_form isa_forms[];
extern const unsigned isa_form_count;

/* The numbers of the general registers, as instructions encode them. */
typedef enum isa_gpr { ISA_EAX, ISA_ECX, ISA_EDX, ISA_EBX, ISA_ESP, ISA_EBP, ISA_ESI, ISA_EDI } isa_gpr;

/* A decoded instruction. Register masks have bit n for register n (isa_gpr; sub-registers count as the
 * whole). PUSH, POP, CALL and RET have ESP in address_gpr and in write_gpr. ISA_STACK means that the new ESP
 * is bypassed to D2 (no AGI) and that two of them may pair although both write it. POP ESP, RET imm16, LEAVE
 * and ENTER do not have ISA_STACK. MOV moffs,acc has EAX in write_gpr only for pairing (ISA_MOFFS). */
typedef struct isa_insn {
    uint32_t address; /* linear address of the first byte, prefixes included */
    uint32_t target;  /* direct near branches: linear target address; the 64 KB wrap of 16-bit code is not
                         applied */
    uint32_t flags;   /* the form's flags, resolved for this encoding */
    uint16_t form;    /* index into isa_forms */
    uint8_t length;   /* bytes, prefixes included, 1..15 */
    uint8_t prefixes; /* number of prefix bytes, the 0Fh escape not included */
    uint8_t size_prefixes; /* how many of them are 66h or 67h */
    /* Prefixes, and 0Fh before the opcode. Of F3 and F2, only the last one sets rep or repne. */
    uint8_t lock : 1, rep : 1, repne : 1, escape_0f : 1;
    uint8_t had_f2 : 1;                   /* it has an F2 prefix, whether the last or not */
    uint8_t operand32 : 1, address32 : 1; /* operand and address size are 32 bits, not 16 */
    uint8_t stack_base : 1; /* its memory operand is addressed by ESP, EBP or BP, so that its segment is SS */
    uint8_t segment;        /* override: ES 1, CS 2, SS 3, DS 4, FS 5, GS 6, the last of them; 0 = none */
    uint8_t reg, rm;        /* of ModRM, 0 without */
    uint8_t has_disp : 1;   /* displacement of any size, moffs included */
    uint8_t has_imm : 1;    /* immediate operand; not set for branch displacements and far pointers */
    uint8_t memory : 1;     /* explicit operand in memory that is referenced (not LEA, INVLPG) */
    uint8_t operand_bytes;  /* 1, 2, 4, 8, 10: size of the memory operand, else of the main one; 0 = none */
    uint8_t read_gpr, write_gpr; /* data registers; those of the address are in address_gpr */
    uint8_t address_gpr;         /* registers used in D2: base, index, implicit ESP/ESI/EDI/EBX */
    uint8_t read_mm, write_mm;   /* MMX registers */
    uint8_t fp_index;            /* i of ST(i), 0 if none */
    uint8_t fp_to_sti;           /* result goes to ST(i) instead of ST(0) */
    uint8_t condition;           /* Jcc, SETcc, LOOPcc: low 4 bits of the opcode */
    uint8_t imm8;                /* low byte of the immediate (shift counts, ENTER level, INT vector) */
    uint16_t imm16;              /* low word of the immediate */
    uint8_t accesses;            /* number of data references (meaningless with ISA_VARIABLE_ACCESSES) */
} isa_insn;

/* Clocks from one x87 multiplication to the next: the multiplier accepts an operation every second clock. */
enum { ISA_X87_MULTIPLY_REPEAT = 2 };

typedef struct isa_decoder isa_decoder;

/* Opens a decoder (holds a Capstone handle). `models` is ISA_P54C or ISA_P55C, or-ed with ISA_P6 for
 * permissive mode. Returns NULL if memory runs out or the Capstone library does not match. A decoder must not
 * be shared between threads. */
isa_decoder *isa_decoder_open(unsigned models);
void isa_decoder_close(isa_decoder *decoder);
/* Selects the syntax of isa_disassemble: AT&T's as the GNU assembler writes it, or Intel's (at first). */
void isa_decoder_set_att(isa_decoder *decoder, bool att);

/* Decodes one instruction from `bytes` (`size` of them available) at linear `address`, as 32-bit or 16-bit
 * code. An instruction that the processor lacks becomes form 0 with ISA_UNDEFINED and the length that it would have. So
 * does one of more than 15 bytes (#GP on the chip), with length 15. Returns false, with *insn incomplete, only if `bytes`
 * ends before the instruction does (more bytes are needed). */
bool isa_decode(isa_decoder *decoder, const uint8_t *bytes, size_t size, uint32_t address, bool code32,
                isa_insn *insn);

/* Bytes of 32-bit or 16-bit code that begin at a linear address. */
typedef struct isa_code {
    const uint8_t *bytes;
    size_t size;
    uint32_t linear;
    bool code32;
} isa_code;

/* Writes the first instruction of `code` as assembly text. Returns its length as isa_decode finds it, 0 (and an empty
 * text) if the code ends before the instruction does. An instruction that raises #UD on this processor is shown by the
 * name that it has on later ones, if any. */
unsigned isa_disassemble(isa_decoder *decoder, const isa_code *code, char *text, size_t text_size);

/* The names of the 32-bit general registers by number, "eax" to "edi", and NULL. */
extern const char *const isa_gpr_names[9];

/* A basic block: instructions that the engine executes in order. It keeps their bytes because profiles and traces
 * disassemble them. */
typedef struct isa_block {
    unsigned users;    /* reference count: isa_block_share */
    uint32_t linear;   /* address of the first byte */
    uint32_t physical; /* the same, translated */
    uint16_t count;    /* of `insns` */
    uint16_t size;     /* of `bytes` */
    bool code32;       /* decoded as 32-bit code, not 16-bit code */
    isa_insn *insns;
    uint8_t *bytes;
} isa_block;

/* Makes a block from copies of decoded instructions and their bytes. Returns NULL if memory runs out. */
isa_block *isa_block_make(const isa_insn *insns, unsigned count, const uint8_t *bytes, uint32_t linear,
                          uint32_t physical, bool code32);
/* Decodes up to `max_insns` instructions from the beginning of `code`. The block ends after a branch or an undefined
 * instruction, or after the last instruction that `code` holds completely; it can be empty. `physical` is the address
 * of the first byte. Returns NULL if memory runs out. The caller frees the block with isa_block_free. */
isa_block *isa_block_decode(isa_decoder *decoder, const isa_code *code, uint32_t physical,
                            unsigned max_insns);
/* Adds a user to the block, who must call isa_block_free as well. Returns `block`. */
isa_block *isa_block_share(isa_block *block);
/* Removes a user; the last one frees the block. `block` may be NULL. */
void isa_block_free(isa_block *block);

#endif
