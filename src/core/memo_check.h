/* The memo's debug switch: a second core, without a memo, is fed everything that the first one is. Behind
 * every stretch both must have the same clock and the same totals. */
#ifndef CORE_MEMO_CHECK_H
#define CORE_MEMO_CHECK_H

#include "core/branch/branch.h"
#include "core/memory/memory.h"
#include "core/pipe/batch.h"
#include "p5scope/core.h"

enum { MEMO_DIFFERENCE = 240 }; /* bytes of what is said of one */

typedef struct memo_check {
    p5_core *exact;
    p5_core_hooks hooks;              /* the owner's */
    memory_told told;                 /* what the owner answers once only */
    uint64_t stretches;               /* compared so far */
    char difference[MEMO_DIFFERENCE]; /* the first; "" */
    p5_counts with, without;
} memo_check;

void memo_check_close(memo_check *check);
/* A stretch that the first core has priced. */
void memo_check_fed(p5_core *core, const p5_retired *r, p5_prediction prediction);
/* core_price_blocks_before for both; `limit` UINT64_MAX: none. */
size_t memo_check_blocks(p5_core *core, const p5_access *accesses, const p5_value *values,
                         const p5_retired_block *blocks, const p5_prediction *predictions, size_t count,
                         uint64_t limit);
/* Something that is no stretch has been fed to both; `what` it is and where. */
void memo_check_compare(p5_core *core, const char *what, uint32_t address);
/* The first core has loaded a snapshot: the second goes on from there, too. */
p5_status memo_check_follow(p5_core *core, p5_error *error);

#endif
