/* Instructions prepared for pricing. Each instruction of a block becomes one timing operation (`op`) that holds
 * everything the pipe needs. */
#ifndef CORE_PIPE_OPERATION_H
#define CORE_PIPE_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/timing.h"
#include "isa/isa.h"
#include "p5scope/core.h"

/* Why two neighbours did not issue together (pairing rules of 242816, those of MMX in 243006). */
typedef enum unpaired {
    PAIRED,
    UNPAIRED_CLASS_U,    /* the first can only run alone or second */
    UNPAIRED_CLASS_V,    /* the second cannot run in V */
    UNPAIRED_REGISTER,   /* the second reads or writes a register that the first writes */
    UNPAIRED_LENGTH,     /* one of them is too long */
    UNPAIRED_PREFIX,     /* the second has a prefix */
    UNPAIRED_FXCH,       /* x87 pairs with FXCH only */
    UNPAIRED_MMX_UNIT,   /* one multiplier, one shifter */
    UNPAIRED_MMX_MEMORY, /* memory and integer registers only in U; then no integer partner */
    UNPAIRED_MMX_MODE,   /* first MMX instruction after x87, CR0.EM or TS */
    UNPAIRED_END_BIT,    /* first decode of the line (P54C) */
    UNPAIRED_QUEUE,      /* the partner had not been fetched or decoded yet */
    UNPAIRED_CONTROL,    /* TF or TR12.SE */
    UNPAIRED_ALONE,      /* nothing followed (observation, interrupt, end of run) */
    UNPAIRED_COUNT
} unpaired;

/* The EX clocks in which an instruction makes its data references. */
typedef enum access_pattern {
    ACCESS_SPREAD, /* the first of several in the first clock, the last in the last; a single one in
                      `single_access_clock` */
    ACCESS_TWO,    /* two a clock, U and V together (PUSHA, POPA) */
    ACCESS_REP,    /* per iteration (REP strings) */
    ACCESS_SERIAL  /* one after the other, each with its own clock (microcode of deliveries) */
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
    uint8_t d1_clocks;     /* D1 occupancy: on the P54C every prefix and 0Fh takes one */
    uint8_t f_clocks;      /* F occupancy (P55C) */
    bool push_two;         /* may share its F clock with a following instruction */
    bool push_second;      /* may be that following instruction */
    bool first;            /* may be the first of a pair: D1 waits for its partner */
    uint8_t next_unpaired; /* unpaired: whether it pairs with the next instruction of the block, as far as the
                              encodings decide */
    bool simple;  /* `integer`, no branch, and its clocks are fixed: executions differ in references only */
    bool integer; /* it uses only the integer pipes and causes no events but those of references and
                     branches */
    uint8_t unit, fp, branch, value, cost; /* isa_unit, isa_fp, isa_branch, isa_value_kind, isa_cost */
    uint8_t address_gpr;                   /* registers that address generation needs */
    uint8_t agi_gpr;  /* registers that it writes too late for address generation in the next clock */
    uint8_t accesses; /* data references; 0 if the encoding does not determine their number */
    uint8_t traits;   /* flags with which its references are looked up (data_answer.h), except pipe
                             and partner */
    uint8_t pattern;  /* access_pattern */
    uint8_t single_access_clock;     /* EX clock, from 0, of a single reference (ACCESS_SPREAD) */
    uint8_t rep_accesses;            /* references of one REP iteration */
    uint8_t rep_clocks;              /* clocks of one REP iteration */
    uint8_t read_mm, write_mm;       /* MMX registers */
    uint8_t int_overlap, fp_overlap; /* last clocks that later integer or x87 instructions may overlap */
    uint8_t fp_index;                /* i of ST(i); 0 if there is none */
    uint8_t read_st;                 /* x87 registers that it reads, by their distance from the top */
    bool fp_to_sti;                  /* the result goes to ST(i) instead of ST(0) */
    int8_t fp_push;                  /* change of the x87 stack's depth */
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
    bool loads_segment;    /* MOV, POP or LDS, LES, LFS, LGS, LSS: erratum 44 */
    bool loads_ss;         /* MOV SS or POP SS */
    bool far_return;       /* counts as a return (event 39h) without being predicted */
    bool branch_like;      /* counts as a branch (event 12h) without being one */
    uint8_t imm8;          /* low byte of the immediate operand */
    uint8_t operand_bytes; /* size of the operand in memory, otherwise of the main one; 0: none */
    uint32_t target;       /* linear target of a direct near branch */
    uint16_t form;         /* index of isa_forms */
    uint16_t most_clocks;  /* upper bound of the clocks that it adds when every reference hits */
    uint8_t bytes[ISA_LONGEST]; /* the code as it was executed, for snapshots */
    bool code32;                /* it was executed in 32-bit code */
} op;

/* The switch between MMX and x87 that the first such instruction of a block causes if the other kind ran
 * before. */
typedef struct op_switch {
    uint32_t clocks;
    uint8_t mode; /* of that instruction: MODE_* of mmx.h; MODE_NONE: the block has no such instruction */
} op_switch;

/* Prepares the instructions of `code` in `ops`, which has an element for each and is clear. Returns the switch that the
 * first MMX or x87 instruction may cause; those within the block are part of most_clocks. */
op_switch ops_prepare(const timing *t, const isa_block *code, op *ops);
/* Returns whether `o` is a far transfer or loads a segment register; mode and descriptors decide which
 * references it makes. */
bool op_varies(const op *o);

#endif
