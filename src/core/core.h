/* The processor for the floors above, beside what include/p5scope/core.h offers everybody. */
#ifndef CORE_CORE_H
#define CORE_CORE_H

#include "core/branch/branch.h"
#include "core/pipe/batch.h"
#include "isa/isa.h"
#include "p5scope/core.h"

/* The model that it was opened with. */
const p5_model *core_model(const p5_core *core);
/* A profile is being made. */
bool core_is_profiled(const p5_core *core);
/* Clocks that a block takes at most, before what its last instruction does beyond its fixed references; and
 * that all blocks so far do. */
uint64_t core_block_clocks(const p5_block *block);
uint64_t core_most_clocks(const p5_core *core);

/* p5_core_clock without settling an instruction that waits for a partner, whose clocks are not in it. Reading
 * it changes nothing. */
uint64_t core_next_clock(p5_core *core);

/* What the structures hold, for who shows it. Entries of a TLB (4 KB pages of the P54C's data TLB): answers
 * how many. */
enum { CORE_TRANSLATIONS = 64 };
unsigned core_translations(const p5_core *core, bool code, p5_translation entries[CORE_TRANSLATIONS]);
typedef struct core_lines {
    unsigned modified, exclusive, shared, invalid; /* of the data cache */
    unsigned code, code_lines;                     /* valid ones, all */
} core_lines;
core_lines core_count_lines(const p5_core *core);
/* An entry of the branch target buffer that is in use. */
enum { CORE_BTB_SETS = 64, CORE_BTB_WAYS = 4, CORE_BTB_TYPES = 4 /* Jcc, JMP, CALL, RET */ };
typedef struct core_btb_entry {
    unsigned set, way; /* P55C: set * 4 + bank */
    uint32_t key;      /* address whose entry it is: P54C the pair before the branch, P55C its last byte */
    uint32_t target;
    bool taken;      /* what it predicts */
    unsigned detail; /* P54C state 1-3; P55C history, the last execution in bit 0 */
    unsigned type;   /* P55C: as TR11 has it */
} core_btb_entry;
/* Answers how many. */
unsigned core_btb(const p5_core *core, core_btb_entry entries[CORE_BTB_SETS * CORE_BTB_WAYS]);

/* As p5_block_make, of a block that is decoded already and has instructions: takes it over, also when it
 * answers NULL (memory is out), and frees it with the block. Meanwhile another thread may price others. */
p5_block *core_block_make(p5_core *core, isa_block *code);

/* p5_core_retire in two steps, which two threads can take. What a stretch's branch was told by the branch
 * target buffer; its values are the core's own. */
/* First step: predicts the branch that a stretch ends with, if any, and learns. Called once for every
 * stretch, in the order of execution. It may run ahead of the second step, also in another thread, as long as
 * nothing but these two steps is done in between: before any other call for this core, of either thread, what
 * was predicted has to be priced. (P55C: the branch target buffer goes by addresses and order only,
 * 241428, 2.2. On the P54C it goes by pairs, and all is done in the second step.) */
p5_prediction core_predict(p5_core *core, const p5_retired *retired);
/* ... of `count` stretches in turn, to `predictions`. */
void core_predict_blocks(p5_core *core, const p5_retired_block *blocks, size_t count,
                         p5_prediction *predictions);
/* Second step: prices a stretch. It may be fed in parts; each gets the prediction of the whole. */
void core_price(p5_core *core, const p5_retired *retired, p5_prediction prediction);
/* ... `count` stretches, faster. The first one's accesses and values begin at `accesses` and `values`.
 * Answers p5_core_clock_estimate. */
uint64_t core_price_blocks(p5_core *core, const p5_access *accesses, const p5_value *values,
                           const p5_retired_block *blocks, const p5_prediction *predictions, size_t count);
/* The same, but stops in front of a stretch during which p5_core_clock_estimate may come to `limit`. Answers
 * how many it has priced. */
size_t core_price_blocks_before(p5_core *core, const p5_access *accesses, const p5_value *values,
                                const p5_retired_block *blocks, const p5_prediction *predictions,
                                size_t count, uint64_t limit);

/* No fewer clocks than pass until the stretch has been priced: exactly as many, if the memo knows them. Looks
 * at where its references and code lines are and at what is under way, and changes nothing that a result
 * depends on. */
uint64_t bound_clocks(p5_core *core, const p5_retired *retired, p5_prediction prediction);
/* Answers the clocks that pricing the stretch will take, if everything about it is as usual and has come
 * before. False: not known. Changes nothing that a result depends on. */
bool memo_ahead(p5_core *core, const p5_retired *retired, p5_prediction prediction, uint64_t *clocks);

/* So many instructions were executed that nobody prices: the clock goes on by one with each, and nothing is
 * counted. Answers it. Nothing may wait for a partner. */
uint64_t core_skip(p5_core *core, uint64_t instructions);

#endif
