/* The exact path: a stretch (p5_retired: what was executed of a block) goes through the pipe, which looks up the
 * structures: caches, TLBs, predictor. The core's `pipe` must be valid; memo_materialise (replay/memo.h) restores it
 * after stretches that were priced from the memo. */
#ifndef CORE_EXACT_PRICE_H
#define CORE_EXACT_PRICE_H

#include "core/internal.h"

/* Returns the physical address of `linear` in the code of `block`. A block lies in one page, unless it
 * consists of a single instruction that crosses a page boundary. */
static inline uint32_t price_code_physical(const p5_core *core, const p5_block *block, uint32_t linear)
{
    const isa_block *code = block->code;
    if (__builtin_expect((linear ^ code->linear) >> 12 == 0, 1))
        return block_physical(block, linear);
    return memory_next_code_page(core->memory, linear, code->physical + (linear - code->linear));
}

/* Returns whether `o`, after which control went to `next`, was a taken branch. */
bool price_taken(const op *o, uint32_t next);
/* Looks up a data reference (pipe_resolver.data; `context` is the core). */
uint64_t price_data(void *context, const p5_access *access, uint64_t asked, unsigned traits,
                    data_answer *answer);
/* Predicts a near branch, or on the P55C unpacks the prediction that was made before (core->prediction). */
void price_branch(p5_core *core, const branch_query *query, branch_answer *answer);
/* P54C: Returns whether the end bit of the byte at `last_byte` was set, and sets it. */
bool price_end_known(p5_core *core, const p5_block *block, uint32_t last_byte);
/* Runs a stretch through the pipe with the answers of `resolver`, and adds the counts to `deltas`. The last instruction
 * may stay pending in D1. */
void price_run(p5_core *core, const p5_retired *r, const pipe_resolver *resolver, pipe_deltas *deltas);
/* Runs a stretch through the pipe with the answers of the structures, and adds the counts to the totals. */
void price_exact(p5_core *core, const p5_retired *r);
/* Lets the instruction that is pending in D1, if any, issue without a partner. */
void price_settle(p5_core *core);
/* Sets core->resolver to the callbacks that look up the structures. */
void price_open(p5_core *core);
/* Clears the pipe's code breakpoint matches for the next instruction if they are out of date, because
 * stretches were priced from the memo since. */
void price_forget_matches(p5_core *core);

/* Makes the profile, if there is one, attribute the following memory requests to the instruction that was executed
 * last. */
void price_last_asks(p5_core *core);
/* Lets clocks that `cause` owns pass outside the pipe. The profile attributes them to the instruction that was executed
 * last. */
void price_pass(p5_core *core, p5_stall cause, uint64_t clocks);
/* Waits for the bus until core clock `done`, which may have passed; `cause` owns the clocks. */
void price_wait_for_bus(p5_core *core, uint64_t done, p5_stall cause);
/* Does what price_enter_class does, with the same condition, for another class (P5_CPL_*) than the current one. */
void price_change_class(p5_core *core, unsigned class);
/* Changes to the privilege class of `cpl` for the following instructions. No instruction may be pending in D1
 * (memo_settle): it would count for the new class. */
static inline void price_enter_class(p5_core *core, unsigned cpl)
{
    unsigned class = counts_class(cpl);
    if (__builtin_expect(class != core->cpl_class, 0))
        price_change_class(core, class);
}

#endif
