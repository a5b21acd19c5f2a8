/* Instructions prepared for pricing. Each instruction of a block becomes one timing operation (`op`) that holds
 * everything the pipe needs. */
#ifndef CORE_PIPE_OPERATION_H
#define CORE_PIPE_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/timing.h"
#include "isa/isa.h"
#include "p5scope/core.h"

/* Why two neighbours did not issue together (pairing rules of 242816, those of MMX in 243006). If there are
 * several reasons, it is the first that pairing_check finds, or else the pipe (pair_dynamic). */
typedef enum unpaired {
    PAIRED,
    UNPAIRED_CLASS_U,  /* the first can only run alone or second */
    UNPAIRED_CLASS_V,  /* the second cannot run in V */
    UNPAIRED_REGISTER, /* the second reads or writes a register that the first writes */
    UNPAIRED_LENGTH,   /* one of them is too long */
    UNPAIRED_PREFIX,   /* the second has a prefix */
    UNPAIRED_FXCH,     /* the first is an x87 instruction that pairs with FXCH only */
    UNPAIRED_MMX_UNIT, /* both need the multiplier, or both the shifter */
    UNPAIRED_MMX_MEMORY, /* an MMX instruction with memory or an integer register runs only in U, and only with an
                            MMX instruction in V */
    UNPAIRED_MMX_MODE, /* the second is an MMX instruction, the first is not, and x87 instructions ran before or
                            CR0.EM or TS is set */
    UNPAIRED_END_BIT, /* P54C: the first has several bytes and its end bit is not known yet */
    UNPAIRED_QUEUE,   /* the partner had not been fetched or decoded yet */
    UNPAIRED_CONTROL, /* TF or TR12.SE */
    UNPAIRED_ALONE,   /* nothing followed (observation, interrupt, end of run) */
    UNPAIRED_COUNT
} unpaired;

/* The EX clocks in which an instruction makes its data references. */
typedef enum access_pattern {
    ACCESS_SPREAD, /* several: evenly from the first clock to the last; a single one: in `single_access_clock` */
    ACCESS_TWO,    /* two a clock, U and V together (PUSHA, POPA) */
    ACCESS_REP,    /* per iteration (REP strings) */
    ACCESS_SERIAL /* one after the other, each with its own clock (microcode of deliveries) */
} access_pattern;

/* Register masks have bit n for register n (isa_gpr; MMn). */
typedef struct op {
    /* Read at every execution: */
    uint32_t address;      /* linear */
    uint32_t last_block;   /* number of the 16-byte block that holds its last byte */
    uint32_t flags;        /* ISA_* */
    uint16_t clocks;       /* EX clocks with L1 hits, or the base of a variable cost */
    uint8_t length;        /* bytes, prefixes included */
    uint8_t part;          /* which of four 8-byte parts of a line holds its first byte */
    uint8_t parts_after;   /* number of further parts that it reaches into */
    bool two_blocks;       /* it spans two 16-byte blocks */
    uint8_t d1_clocks;     /* clocks in D1: 1; on the P54C 1 more for each prefix, 0Fh included */
    uint8_t f_clocks;      /* clocks in F, which only the P55C has */
    bool push_two;         /* may share its F clock with a following instruction */
    bool push_second;      /* may be that following instruction */
    bool first;            /* may be the first of a pair: D1 waits for its partner */
    uint8_t next_unpaired; /* unpaired: result of pairing_check with the next instruction of the block;
                              UNPAIRED_ALONE for the last one */
    bool simple;  /* `integer`, no branch, and its clocks are fixed: executions differ in references only */
    bool integer; /* it uses only the integer pipes and causes no events but those of references and
                     branches */
    uint8_t unit, fp, branch, value, cost; /* isa_unit, isa_fp, isa_branch, isa_value_kind, isa_cost */
    uint8_t address_gpr;                   /* registers that address generation needs */
    uint8_t agi_gpr;  /* registers that it writes too late for address generation in the next clock */
    uint8_t accesses; /* number of data references; 0 if there are none, and with ISA_VARIABLE_ACCESSES */
    uint8_t traits;   /* flags with which its references are looked up (data_answer.h), except pipe
                             and partner */
    uint8_t pattern;  /* access_pattern */
    uint8_t single_access_clock;     /* EX clock, from 0, of a single reference (ACCESS_SPREAD) */
    uint8_t rep_accesses;            /* references of one REP iteration */
    uint8_t rep_clocks;              /* clocks of one REP iteration */
    uint8_t read_mm, write_mm;       /* MMX registers */
    uint8_t int_overlap, fp_overlap; /* number of last clocks in which later integer, x87 instructions run */
    uint8_t fp_index;                /* i of ST(i); 0 if there is none */
    uint8_t read_st;                 /* x87 registers that it reads; bit i: ST(i) before its execution */
    bool fp_to_sti;                  /* the result goes to ST(i) instead of ST(0) */
    int8_t fp_push;                  /* change of the x87 stack's depth: 1 push, -1 pop, -2 two pops */
    bool memory;                     /* it has an explicit operand in memory */
    /* For pairing with an instruction of another block: */
    bool long_second;     /* too long for V */
    bool prefixed_second; /* carries a prefix that V cannot decode */
    uint8_t pair;         /* isa_pair */
    uint8_t use_gpr;      /* general registers that it reads, address registers and implicit ESP included */
    uint8_t def_gpr;      /* general registers that it writes, implicit ESP included */
    uint8_t stack_group;  /* the ESP exception of pairing: see pairing.c */
    /* Rarely read: */
    uint8_t lock;          /* LOCK_* (data_answer.h): whether its references are a locked read-modify-write */
    bool rep;              /* it has a REP or REPNE prefix */
    uint8_t segment_loads; /* increments of event 0Fh */
    bool fst;              /* FST or FSTP to memory: erratum 44 */
    bool loads_segment;    /* it loads a segment register, LDTR, TR, GDTR or IDTR: events 12h and 15h */
    bool loads_ss;         /* MOV SS or POP SS */
    bool far_return;       /* RETF: counts as a return (event 39h), but is not predicted */
    bool branch_like;      /* VERR, VERW: counts as a branch (event 12h), but does not transfer control */
    uint8_t imm8;          /* low byte of the immediate operand */
    uint8_t operand_bytes; /* size of the operand in memory, otherwise of the main one; 0: none */
    uint32_t target;       /* linear target of a direct near branch, without the 64 KB wrap of 16-bit code */
    uint16_t form;         /* index of isa_forms */
    uint16_t most_clocks;  /* upper bound of the clocks that it adds when every reference hits */
    uint8_t bytes[ISA_LONGEST]; /* the code as it was executed, for snapshots */
    bool code32;                /* CS.D was 1 */
} op;

/* The switch between MMX and x87 that the first such instruction of a block causes if the other kind ran
 * before. */
typedef struct op_switch {
    uint32_t clocks;
    uint8_t mode; /* of that instruction: MODE_* of mmx.h; MODE_NONE: the block has no such instruction */
} op_switch;

/* Prepares the instructions of `code` in `ops`, which has an element for each and is clear. Returns the switch that
 * the first MMX or x87 instruction may cause. Of later switches in the block, only most_clocks has the clocks; the
 * pipe finds them when it runs. */
op_switch ops_prepare(const timing *t, const isa_block *code, op *ops);
/* Returns whether `o` is a far JMP, CALL or RET, or loads a segment register (not LDTR and the like): mode and
 * descriptors decide its clocks and which references it makes. */
bool op_varies(const op *o);

#endif
