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
    p5_core *exact;
    p5_core_hooks hooks;              /* the hooks of the core's owner */
    page_bits_log page_bits;          /* page bits that the owner reports only once */
    uint64_t stretches;               /* compared so far */
    char difference[MEMO_DIFFERENCE]; /* description of the first difference, or "" */
    p5_counts with, without;
} memo_check;

void memo_check_close(memo_check *check);
/* Feeds the second core a stretch that the first core has priced, and compares them. */
void memo_check_fed(p5_core *core, const p5_retired *r, p5_prediction prediction);
/* Does what core_price_batch_before does, for both cores. `limit` UINT64_MAX: no limit. */
size_t memo_check_batch(p5_core *core, const p5_batch *batch, uint64_t limit);
/* Compares the cores after both were fed something that is not a stretch. `what` and `address` describe it in
 * the message. */
void memo_check_compare(p5_core *core, const char *what, uint32_t address);
/* Makes the second core continue from the snapshot that the first core has loaded. */
p5_status memo_check_follow(p5_core *core, p5_error *error);

#endif
