/* A basic block prepared for pricing. What is executed of a block at a time, usually all of it, is a *stretch*
 * (p5_retired). Parts of the struct belong to the pipe (operations), to the memo, which remembers outcomes of parts
 * of blocks (pieces), to the profile (functions), and to the checker of the memo (`exact`). */
#ifndef CORE_BLOCK_H
#define CORE_BLOCK_H

#include "core/branch/branch_run.h"
#include "core/memo_block.h"
#include "core/pipe/batch.h"
#include "core/pipe/operation.h"

/* What the profile keeps of a block. The first two members are set when the block is first executed with a profile.
 * Their upper halves hold a function (PROFILE_IN in profiler.h). */
typedef struct profile_block {
    uint64_t place;   /* function of the block, and linear address of its first instruction; 0: not set */
    uint64_t goes_on; /* the same function, and 0; PROFILE_ELSEWHERE if the block ends in a call or return */
    uint32_t edge;    /* index plus 1 of the profile_edge of the call with which it ended last; 0: none yet */
} profile_block;

struct p5_block {
    /* Read by predict.c at every execution, and therefore in one line of the host's cache. */
    BEGINS_LINE unsigned count; /* instructions */
    uint32_t access_count;      /* data references, as far as encodings determine their number */
    uint32_t fall_through;      /* linear address after the last instruction */
    uint16_t value_count;       /* instructions with an operand value (p5_value) */
    bool conditional;           /* its branch may fall through */
    uint8_t branch_kind;        /* isa_branch of the last instruction */
    bool near;                  /* it ends in a branch that the BTB predicts */
    uint32_t page;              /* physical address of the page of its first byte */
    branch_run *ran;            /* the record of when its last instruction, a branch or not, last ran */
    profile_block profile;

    memo_block memo;

    isa_block *code;         /* bytes and decoded instructions */
    op *ops;                 /* one for each instruction */
    uint32_t *access_start;  /* count + 1 entries: index of the first fixed reference of each instruction */
    unsigned line_count;     /* lines of the code cache that it spans */
    uint32_t most_clocks;    /* sum of op.most_clocks: upper bound if every reference hits */
    op_switch first_switch;  /* switch between MMX and x87 that its first such instruction may cause */
    uint64_t own_clocks;     /* upper bound, misses included: bound_own */
    uint32_t branch_address; /* of the last instruction, a branch or not */
    struct p5_block *next, **link; /* the core's list of blocks */
    struct p5_block *exact;        /* the same block of the core that this one is compared with, or NULL */
};
_Static_assert(offsetof(p5_block, memo.first) <= HOST_LINE,
               "the members read at every execution are in one line");

/* Prepares a decoded block and takes ownership of `code`, also on failure. Returns NULL if memory runs
 * out. */
p5_block *block_prepare(const timing *t, isa_block *code);
void block_free(p5_block *block);

/* Returns whether the branch at the end was taken, when control went to `next`. Returns true for every block whose
 * last instruction is no conditional branch. */
static inline bool block_taken(const p5_block *block, uint32_t next)
{
    return (next != block->fall_through) | !block->conditional;
}

/* Returns whether the block consists of a REP string instruction. */
static inline bool block_is_repeat(const p5_block *block)
{
    return block->count == 1 && block->ops->pattern == ACCESS_REP;
}

/* Returns element `b` of a batch (p5_batch) in the form of a single stretch. Its data references and operand values
 * begin at `accesses` and `values`. */
static inline p5_retired block_retired(const p5_retired_block *b, const p5_access *accesses,
                                       const p5_value *values)
{
    const p5_block *block = b->block;
    const uint32_t n = (uint32_t)(b->accesses_end - accesses);
    return (p5_retired){.size = sizeof(p5_retired),
                        .block = b->block,
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

/* Returns the first stretch of a batch by itself. */
static inline p5_retired block_first(const p5_batch *batch)
{
    return block_retired(batch->blocks, batch->accesses, batch->values);
}

/* Returns the physical address of `linear`, which lies in the page of the block's first byte. */
static inline uint32_t block_physical(const p5_block *block, uint32_t linear)
{
    return block->page | (linear & 0xfffu);
}

#endif
