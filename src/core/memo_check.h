/* Checks the memo: a second core without a memo is fed everything that the first core is. After every
 * stretch, both must have the same clock and the same totals. */
#ifndef CORE_MEMO_CHECK_H
#define CORE_MEMO_CHECK_H

#include "core/branch/branch.h"
#include "core/memory/memory.h"
#include "core/pipe/batch.h"
#include "p5tool/core.h"

enum { MEMO_DIFFERENCE = 240 }; /* bytes of a difference's description */

typedef struct memo_check {
    p5_core *exact;          /* the second core, without a memo */
    p5_core_hooks hooks;     /* the hooks of the first core's owner */
    page_bits_log page_bits; /* page-table bits that the owner reported to the first core, for the second */
    uint64_t stretches;      /* that agreed so far; a stretch is what was executed of a block at a time */
    char difference[MEMO_DIFFERENCE]; /* description of the first difference, or "" */
    p5_counts with, without;          /* buffers for the totals with and without the memo */
} memo_check;

/* Closes the second core. `check` may be NULL. */
void memo_check_close(memo_check *check);
/* Feeds the second core a stretch that the first core has priced, and compares them. `prediction` is the result of
 * core_predict. */
void memo_check_fed(p5_core *core, const p5_retired *r, p5_prediction prediction);
/* Prices stretches on both cores until the end of the batch, or before the first during which the clock may reach
 * `limit` (UINT64_MAX: no limit). Returns the number of stretches priced. */
size_t memo_check_batch(p5_core *core, const p5_batch *batch, uint64_t limit);
/* Compares the cores after both were fed something that is not a stretch. `what` and `address` describe it in
 * the message. */
void memo_check_compare(p5_core *core, const char *what, uint32_t address);
/* Makes the second core continue from the snapshot that the first core has loaded. */
p5_status memo_check_follow(p5_core *core, p5_error *error);

#endif
