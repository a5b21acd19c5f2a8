/* The pairing decision of D1: whether `b` may issue in V beside `a` in U. */
#ifndef CORE_PIPE_PAIRING_H
#define CORE_PIPE_PAIRING_H

#include "core/pipe/operation.h"

/* Returns PAIRED or the first reason found against it, as far as the two encodings decide. pipe.c checks what depends
 * on the state (end bits, queue, mode). */
unpaired pairing_check(const op *a, const op *b);

/* The same if every pair were legal whose second needs no result of the first (P5_IDEAL_PAIRS). */
unpaired pairing_check_ideal(const op *a, const op *b);
/* Returns whether `o` can be the first of such a pair. */
bool pairing_ideal_first(const op *o);

/* op.stack_group: classes of instructions that use ESP implicitly, for the exception that pairs of some classes issue
 * together although both write ESP (242816, pairing rules). */
enum {
    STACK_NONE,
    STACK_PUSH /* PUSH r, PUSH i */,
    STACK_POP /* POP r, not ESP */,
    STACK_CALL /* CALL near direct */,
    STACK_OTHER /* none of those */
};

#endif
