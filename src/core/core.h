/* The processor for the layers above: additions to include/p5scope/core.h. */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include "core/branch/branch.h"
#include "core/pipe/batch.h"
#include "isa/isa.h"
#include "p5tool/core.h"

/* Returns the model with which the core was opened. */
const p5_model *core_model(const p5_core *core);
/* Returns whether a profile is being made. */
bool core_is_profiled(const p5_core *core);
/* Returns an upper bound of the clocks that one execution of the block takes after what was executed before it. A REP
 * string in it may make BATCH_REPEATED references. Other references beyond those of p5_block_accesses are not
 * included. */
uint64_t core_block_clocks(const p5_block *block);
/* Returns the highest core_block_clocks of all blocks made so far, with the clocks that what was executed before may
 * still take. */
uint64_t core_most_clocks(const p5_core *core);
/* Returns the core clock at which another bus master takes its next turn; UINT64_MAX if there is none. */
uint64_t core_agent_turn(const p5_core *core);

/* Returns the clock at which the next instruction could enter EX, as p5_core_clock does, but without settling a
 * pending instruction. The pending instruction's clocks are not included. Changes nothing that a result depends
 * on. */
uint64_t core_next_clock(p5_core *core);

enum { CORE_TRANSLATIONS = 64 };
/* Copies all entries of the code or the data TLB for display, invalid ones too. Returns their number. The P54C's
 * separate TLB for 4 MB data pages is left out. */
unsigned core_translations(const p5_core *core, bool code, p5_translation entries[CORE_TRANSLATIONS]);
typedef struct core_lines {
    unsigned modified, exclusive, shared, invalid; /* lines of the data cache by state */
    unsigned code, code_lines;                     /* valid lines of the code cache, all its lines */
} core_lines;
/* Returns how many lines the caches hold, for display. */
core_lines core_count_lines(const p5_core *core);
enum { CORE_BTB_SETS = 64, CORE_BTB_WAYS = 4, CORE_BTB_TYPES = 4 /* Jcc, JMP, CALL, RET */ };
/* A valid entry of the branch target buffer. */
typedef struct core_btb_entry {
    unsigned set, way; /* P55C: set * 4 + bank */
    uint32_t key;      /* address of the entry: P54C the pair before the branch, P55C the branch's last
                          byte */
    uint32_t target;
    bool taken;      /* the prediction */
    unsigned detail; /* P54C: state 1-3; P55C: history, with the last execution in bit 0 */
    unsigned type;   /* P55C: as in TR11 */
} core_btb_entry;
/* Copies the valid entries of the branch target buffer. Returns their number. */
unsigned core_btb(const p5_core *core, core_btb_entry entries[CORE_BTB_SETS * CORE_BTB_WAYS]);

/* Does what p5_block_make does for a decoded block with at least one instruction. Takes ownership of `code`,
 * also if it returns NULL (memory has run out), and frees it with the block. Another thread may price other blocks
 * at the same time. */
p5_block *core_block_make(p5_core *core, isa_block *code);

/* The following functions split p5_core_retire into two steps, for two threads. A *stretch* (p5_retired) is what was
 * executed of a block at a time. A p5_prediction passes what the branch target buffer said about a stretch's branch;
 * its values are private to the core. */
/* First step: predicts the branch at the end of a stretch, if any, and updates the predictor. Must be called
 * once for every stretch, in the order of execution. It may run ahead of the second step, also in another
 * thread, as long as only these two steps are called: before any other call for this core from either thread,
 * everything predicted must be priced. (P55C: the branch target buffer depends on addresses and their order
 * only, 241428, 2.2. On the P54C it depends on pairs, so the second step does everything.) */
p5_prediction core_predict(p5_core *core, const p5_retired *retired);
/* Predicts `count` stretches in turn, each of which is a whole block (p5_retired_block). */
void core_predict_blocks(p5_core *core, const p5_retired_block *blocks, size_t count,
                         p5_prediction *predictions);
/* Second step: prices a stretch. The caller may price it in parts, each of which is a p5_retired with some of the
 * stretch's instructions. Every part gets the prediction of the whole stretch. */
void core_price(p5_core *core, const p5_retired *retired, p5_prediction prediction);
/* Prices a batch, faster than stretch by stretch. Returns p5_core_clock_estimate. */
uint64_t core_price_batch(p5_core *core, const p5_batch *batch);
/* Like core_price_batch, but stops before a stretch during which p5_core_clock_estimate may reach `limit`.
 * Returns the number of stretches priced. */
size_t core_price_batch_before(p5_core *core, const p5_batch *batch, uint64_t limit);

/* Returns an upper bound of the clocks by which p5_core_clock_estimate (the clock at which the last instruction left
 * EX) advances when the stretch is priced. Reads the state of caches, TLBs and pending requests, and changes nothing
 * that a result depends on. */
uint64_t bound_clocks(p5_core *core, const p5_retired *retired);

/* Skips instructions without pricing them: each advances the clock by one, and nothing is counted. Returns
 * the clock. No instruction may be pending in D1 (p5_core_settle). */
uint64_t core_skip(p5_core *core, uint64_t instructions);

#endif
