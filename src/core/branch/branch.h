/* Branch prediction as the pipe uses it: a branch is looked up, and its outcome is learned. BTB and return
 * stack live as long as the machine (predictor.c with btb.c and return_stack.h). A *pair* is here what issues in one
 * clock, even if only one instruction does. */
#ifndef CORE_BRANCH_BRANCH_H
#define CORE_BRANCH_BRANCH_H

#include <stdbool.h>
#include <stdint.h>

#include "p5scope/core.h"

typedef struct predictor predictor;

/* Returns NULL if memory runs out. */
predictor *predictor_open(const p5_model *model);
void predictor_close(predictor *p);

/* The prediction of a branch and its outcome as a number, for callers that pass it on. predictor_fast.h lists the
 * values. */
typedef uint8_t p5_prediction;

/* An executed branch to be predicted. Addresses are linear. */
typedef struct branch_query {
    uint32_t address;       /* of its first byte */
    uint32_t last_byte;     /* address of its last byte */
    uint32_t pair;          /* address of the U instruction of its pair: `address` unless it is in V */
    uint32_t previous_pair; /* P54C key: address of the U instruction of the preceding pair */
    uint32_t target;        /* actual next address */
    uint32_t fall_through;
    uint8_t kind; /* isa_branch */
    bool taken;
    bool in_v;
    bool missed_pairing; /* P54C: it could have paired but did not, so it gets no entry */
    uint8_t loop_pairs;  /* P54C: pairs since the same branch last ran, saturated; identifies tight loops */
} branch_query;
/* What was predicted. */
typedef struct branch_answer {
    bool hit; /* valid entry found */
    bool predicted_taken;
    bool right;       /* direction and target were right */
    bool false_entry; /* P55C: the entry belongs to another branch, whose last byte is in the same dword */
    bool return_predicted; /* RET: its target was predicted, by the return stack or the entry */
    bool return_right;     /* RET: this target was right */
} branch_answer;
/* P54C: handles a pair without a branch, executed after the pair of `previous_pair` (address of its U
 * instruction). Returns true if a BTB entry predicted a taken branch there: the pipe is flushed (3 clocks).
 * Decrements the entry's state in any case. */
bool predictor_passed(predictor *p, uint32_t previous_pair);
/* Sets whether branches without an entry get one: not with `no_allocation`, TR12.NBP. */
void predictor_set_control(predictor *p, bool no_allocation);
/* Invalidates the BTB. The return stack stays. */
void predictor_flush(predictor *p);

#endif
