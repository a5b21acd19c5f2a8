/* The exact path: a stretch through the pipe, every outcome asked of the structures. The core's `pipe` is
 * valid here; who prices otherwise sees to it before (replay/memo.h). */
#ifndef CORE_EXACT_PRICE_H
#define CORE_EXACT_PRICE_H

#include "core/internal.h"

/* Physical address of `linear`, in the code of `block`. A block lies in one page, but for that of a single
 * instruction which crosses a page end. */
static inline uint32_t price_code_physical(const p5_core *core, const p5_block *block, uint32_t linear)
{
    const isa_block *code = block->code;
    if (__builtin_expect((linear ^ code->linear) >> 12 == 0, 1))
        return block_physical(block, linear);
    return memory_next_code_page(core->memory, linear, code->physical + (linear - code->linear));
}

/* Address control went to, and whether that was a taken branch. */
bool price_taken(const op *o, uint32_t next);
/* What a near branch is told. */
void price_branch(p5_core *core, const branch_query *query, branch_answer *answer);
/* P54C: whether the end bit of the byte at `last_byte` was set; sets it. */
bool price_end_known(p5_core *core, const p5_block *block, uint32_t last_byte);
/* Runs a stretch through the pipe with the answers of `resolver`, adding to `deltas`. */
void price_run(p5_core *core, const p5_retired *r, const pipe_resolver *resolver, pipe_deltas *deltas);
/* The same with the answers of the structures, adding to the totals. */
void price_exact(p5_core *core, const p5_retired *r);
/* What waits for a partner goes without one. */
void price_settle(p5_core *core);
void price_open(p5_core *core);
/* What the pipe knows of the next instruction's code breakpoint is old if remembered ones came between. */
void price_forget_matches(p5_core *core);

/* The memory side is to do something for the instruction that was executed last. */
void price_last_asks(p5_core *core);
/* Clocks that pass outside the pipe. The profile gives them to the instruction that was executed last. */
void price_pass(p5_core *core, p5_stall cause, uint64_t clocks);
/* The processor waits for the bus until `done`; `cause` owns the clocks. */
void price_wait_for_bus(p5_core *core, uint64_t done, p5_stall cause);
void price_change_class(p5_core *core, unsigned class);
/* What is fed from now on belongs to the privilege class of `cpl`. Nothing waits for a partner. */
static inline void price_enter_class(p5_core *core, unsigned cpl)
{
    unsigned class = counts_class(cpl);
    if (__builtin_expect(class != core->cpl_class, 0))
        price_change_class(core, class);
}

#endif
