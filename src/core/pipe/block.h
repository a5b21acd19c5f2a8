/* A basic block prepared for pricing. Each instruction becomes one timing operation (`op`) that holds
 * everything the pipe needs. */
#ifndef CORE_PIPE_BLOCK_H
#define CORE_PIPE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/host_line.h"
#include "core/branch/branch_run.h"
#include "core/model/timing.h"
#include "core/pipe/batch.h"
#include "isa/isa.h"

/* Why two neighbours did not issue together (pairing rules of 242816, those of MMX in 243006). */
typedef enum unpaired {
    PAIRED,
    UNPAIRED_CLASS_U,  /* the first can only run alone or second */
    UNPAIRED_CLASS_V,  /* the second cannot run in V */
    UNPAIRED_REGISTER, /* the second reads or writes a register that the first writes */
    UNPAIRED_LENGTH,
    UNPAIRED_PREFIX,
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
                      `access_first` */
    ACCESS_TWO,    /* two a clock, U and V together (PUSHA, POPA) */
    ACCESS_REP,    /* per iteration (REP strings) */
    ACCESS_SERIAL  /* one after the other, each with its own clock (microcode of deliveries) */
} access_pattern;

typedef struct op {
    /* Read at every execution: */
    uint32_t address;
    uint32_t last_block;   /* number of the 16-byte block that holds its last byte */
    uint32_t flags;        /* ISA_* */
    uint16_t clocks;       /* EX clocks with L1 hits, or the base of a variable cost */
    uint8_t length;        /* bytes, prefixes included */
    uint8_t part;          /* which of four 8-byte parts of a line holds its first byte */
    uint8_t parts_behind;  /* number of further parts that it reaches into */
    bool two_blocks;       /* it spans two 16-byte blocks */
    uint8_t d1_clocks;     /* D1 occupancy: on the P54C every prefix and 0Fh takes one */
    uint8_t f_clocks;      /* F occupancy (P55C) */
    bool push_two;         /* may share its F clock with a following instruction */
    bool push_second;      /* may be that following instruction */
    bool first;            /* may be the first of a pair: D1 waits for its partner */
    uint8_t next_unpaired; /* unpaired: whether it pairs with the next instruction of the block, as far as the
                              encodings decide */
    bool plain;            /* only its references vary; it is no branch, and it is `integer`: */
    bool integer;          /* it uses only the integer pipes and causes no events but those of references and
                     branches */
    uint8_t unit, fp, branch, value, cost;
    uint8_t address_gpr; /* registers that address generation needs */
    uint8_t agi_gpr;     /* registers that it writes too late for address generation in the next clock */
    uint8_t accesses;
    uint8_t how;          /* flags with which its references are looked up (data_answer.h), apart from pipe
                             and partner */
    uint8_t pattern;      /* access_pattern */
    uint8_t access_first; /* clock of a single reference */
    uint8_t rep_accesses; /* references of one REP iteration */
    uint8_t rep_clocks;   /* clocks of one REP iteration */
    uint8_t read_mm, write_mm;
    uint8_t int_overlap, fp_overlap;
    uint8_t fp_index;
    uint8_t read_st; /* x87 registers that it reads, by their distance from the top */
    bool fp_to_sti;
    int8_t fp_push;
    bool memory;
    /* For pairing with an instruction of another block: */
    bool long_second;     /* too long for V */
    bool prefixed_second; /* carries a prefix that V cannot decode */
    uint8_t pair;         /* isa_pair */
    uint8_t use_gpr;      /* general registers that it reads, address registers and implicit ESP included */
    uint8_t def_gpr;      /* general registers that it writes, implicit ESP included */
    uint8_t stack_group;  /* the ESP exception of pairing: see pairing.c */
    /* Rarely read: */
    uint8_t lock; /* LOCK_*: its references are a locked read-modify-write */
    bool rep;
    uint8_t segment_loads; /* event 0Fh */
    bool fst;              /* FST or FSTP: erratum 44 */
    bool loads_segment;    /* MOV, POP or LDS, LES, LFS, LGS, LSS: erratum 44 */
    bool loads_ss;         /* MOV SS or POP SS */
    bool far_return;       /* counts as a return (event 39h) without being predicted */
    bool branch_like;      /* counts as a branch (event 12h) without being one */
    uint8_t imm8;
    uint8_t operand_bytes;
    uint32_t target;
    uint16_t form;
    uint16_t most_clocks;       /* upper bound of the clocks that it adds when every reference hits */
    uint8_t bytes[ISA_LONGEST]; /* the code as it was executed, for snapshots */
    bool code32;                /* it was executed in 32-bit code */
} op;

enum {
    PIECE_BANKS = 4,     /* most pairs of references of a piece that may use the same bank in one clock */
    PIECE_VALUES = 16,   /* most operand values of a piece */
    PIECE_MOST = 24,     /* most instructions of a piece */
    PIECE_ACCESSES = 12, /* most references of a piece, unless a single instruction makes more */
};

/* A part of a block whose outcome is remembered as a whole (replay/README.md), or a single instruction whose
 * outcome cannot be. */
typedef struct piece {
    BEGINS_LINE struct piece *next;     /* next piece of the block; NULL: this is the last */
    uint32_t page;                      /* of its code: tlb_key */
    uint16_t first, count;              /* instructions */
    uint16_t access_bytes, first_value; /* references and values as the engine supplies them */
    uint16_t block_bytes;               /* in the first piece: size of all references of the block */
    uint8_t value_count, bank_count;
    bool memo;           /* its outcome can be remembered */
    bool has_variants;   /* its outcome depends on bank conflicts, values, repeat count or direction */
    bool by_direction;   /* its clocks depend on the direction of its branch: LOOP */
    bool by_mode;        /* its clocks depend on mode or privilege: FNSAVE, RDTSC */
    bool only_saturates; /* its clocks depend on nothing but the direction; its values are saturation flags */
    bool repeats;        /* it is a REP string; its variants are by count */
    bool varies;  /* it is a far transfer or loads a segment register; its variants are by its references and
                     by whether a descriptor is among them */
    uint8_t near; /* mask: UINT8_MAX if it ends in a branch that the BTB predicts, else 0. It clears the
                     branch fields of other pieces */
    int16_t bank_first[PIECE_BANKS]; /* offset of a p5_access that may use the same bank in the same clock as
                                        the next one. It may belong to the piece before. */
    /* Not read at every execution: */
    p5_block *block;
    uint32_t paths;                   /* memo_paths */
    uint32_t generation;              /* memo.generation when the last of the paths was made */
    bool met;                         /* memo_is_new */
    uint16_t value_ops[PIECE_VALUES]; /* instructions with an operand value */
} piece;
_Static_assert(offsetof(piece, block) <= HOST_LINE, "what is looked at every time");

struct p5_block {
    /* Read by predict.c at every execution, and therefore in one line of the host's cache. */
    BEGINS_LINE unsigned count;
    uint32_t access_count;
    uint32_t fall_through;
    uint16_t value_count;
    bool conditional;    /* its branch may fall through */
    uint8_t branch_kind; /* isa_branch */
    bool near;           /* it ends in a branch that the BTB predicts */
    uint32_t page;       /* physical, of its first byte */
    branch_run *ran;     /* the record of when its last instruction, a branch or not, last ran */
    /* For the profile. The first stretch of the block sets them: profiler.h. */
    uint64_t place;   /* its first instruction and its function; 0: not set */
    uint64_t goes_on; /* its function, if execution is expected to continue there after the block */

    piece first; /* its first piece, which memo_batch.c reads every time; the others follow it */

    isa_block *code;
    op *ops;
    uint16_t *access_start; /* count + 1 entries: index of the first fixed reference of each instruction */
    unsigned line_count;    /* lines of the code cache that it spans */
    uint32_t most_clocks;   /* sum of the operations' */
    uint64_t blind_clocks;  /* bound_blind of the block */
    uint32_t first_switch;  /* clocks of a switch that its first MMX or x87 instruction may cause */
    uint8_t first_mode;     /* mode of that instruction: MODE_* of mmx.h */
    bool plain;  /* each of its pieces can be remembered and makes the same references each time, none of them
                    locked */
    bool locks;  /* one of its instructions locks its references */
    bool mmx;    /* it has an MMX instruction */
    bool varies; /* its last piece `varies` */
    uint32_t branch_address;
    uint32_t edge;                 /* the call edge that it ended with last time; 0: none yet */
    struct p5_block *next, **link; /* the core's list of blocks */
    struct p5_block *exact;        /* the same block of the core that this one is compared with, or NULL */
};
_Static_assert(offsetof(p5_block, first) <= HOST_LINE, "what is looked at every time");

/* Prepares a decoded block and takes ownership of `code`, also on failure. Returns NULL if memory runs
 * out. */
p5_block *block_prepare(const timing *t, isa_block *code);
void block_free(p5_block *block);

/* Return the linear addresses of the first byte of a piece and of the byte after it. */
static inline uint32_t piece_begin(const piece *p)
{
    return p->block->ops[p->first].address;
}

static inline uint32_t piece_end(const piece *p)
{
    const op *last = &p->block->ops[p->first + p->count - 1];
    return last->address + last->length;
}

/* Returns whether its branch was taken, if control went to `next`. Returns true if it cannot fall through. */
static inline bool block_taken(const p5_block *block, uint32_t next)
{
    return (next != block->fall_through) | !block->conditional;
}

/* Returns piece `p` of the stretch `r`, which is the whole block. Its references and values begin at
 * `accesses` and `values`. */
p5_retired piece_retired(const p5_retired *r, const piece *p, const p5_access *accesses,
                         const p5_value *values);

/* Returns whether the block is a REP string. */
static inline bool block_is_repeat(const p5_block *block)
{
    return block->count == 1 && block->ops->pattern == ACCESS_REP;
}

/* Returns a block of a batch as a stretch by itself. Its accesses and values begin at `accesses` and
 * `values`. */
static inline p5_retired block_retired(const p5_retired_block *b, const p5_access *accesses,
                                       const p5_value *values)
{
    const p5_block *block = b->block;
    const uint32_t n = (uint32_t)(b->accesses_end - accesses);
    return (p5_retired){.block = b->block,
                        .count = (uint16_t)block->count,
                        .repeats = block_is_repeat(block) ? n / block->ops->rep_accesses : 0,
                        .access_count = n,
                        .accesses = accesses,
                        .value_count = (uint32_t)(b->values_end - values),
                        .values = values,
                        .next = b->next,
                        .cpl = b->cpl,
                        .cpl_after = b->cpl_after,
                        .mode = b->mode,
                        .iopl = b->iopl};
}

/* Returns the physical address of `linear`, which lies in the page of the block's first byte. */
static inline uint32_t block_physical(const p5_block *block, uint32_t linear)
{
    return block->page | (linear & 0xfffu);
}

#endif
