/* What a p5_core consists of; core.c, price.c and memo.c share it. */
#ifndef CORE_INTERNAL_H
#define CORE_INTERNAL_H

#include "core/breakpoints.h"
#include "core/counts.h"
#include "core/memo.h"
#include "core/memory.h"
#include "core/pipe.h"

struct p5_core {
    const timing *timing;
    isa_decoder *decoder;
    memory *memory;
    predictor *predictor;
    p5_control control;
    uint64_t now;       /* clock at which EX is free after the last group */
    unsigned cpl_class; /* of what was fed last */
    pipe_state state;   /* valid unless `interned` says otherwise */
    pipe pipe;          /* the working copy, and the instruction that waits for a partner */
    pipe_resolver resolver;
    pipe_deltas deltas[P5_CPL_CLASSES]; /* everything priced on the exact path */
    counts memory_counts;               /* what the memory side counted */
    uint64_t instructions, groups;      /* priced so far */
    memo memo;
    trace_sink trace;
    breakpoints breakpoints;
    p5_block *blocks;
    /* While a stretch is priced: */
    const p5_block *block;
    unsigned code_usual, data_usual; /* leading code lines and references that were found usual already */
    uint32_t *end_known;             /* P54C: per line of the block, end bits that were set before */
    unsigned end_known_room;
    bool end_probed;       /* end_known holds the answer of all lines */
    branch_query query;    /* the last branch, */
    branch_answer answer;  /* ... what the predictor said of it, */
    bool answered;         /* ... in this stretch, */
    bool answer_ready;     /* ... before the pipe comes to it */
    unsigned passed_known; /* P54C: leading groups that the BTB has passed rightly, */
    bool passed_wrong;     /* ... and whether it was wrong about the next */
    bool saw_wrong_pass;
    uint32_t *group_log; /* U addresses of the groups of a block, for memo.c */
    unsigned group_log_room;
    pipe_deltas *record; /* instead of `deltas`, for memo.c */
};

/* Code lines that a stretch asks for, in order: from `first` on, `count` lines of 32 bytes. */
typedef struct code_lines {
    uint32_t first;
    unsigned count;
} code_lines;
code_lines price_code_lines(const pipe_state *state, const p5_block *block, unsigned first, unsigned end);
/* Physical address of `linear`, an address within the block's lines. */
uint32_t price_physical(const p5_block *block, uint32_t linear);
/* EX clocks and the rest of what the pipe wants to know of instruction `i`, executed as told by `r`. `value`
 * is the next unused operand value. */
void price_insn(p5_core *core, const p5_retired *r, unsigned i, const p5_access *accesses,
                uint32_t access_count, const p5_value *value, bool is_last, pipe_insn *x);
/* Address control went to, and whether that was a taken branch. */
bool price_taken(const op *o, uint32_t next);
void price_exact(p5_core *core, const p5_retired *r);
void price_settle(p5_core *core);
void price_open(p5_core *core);

#endif
