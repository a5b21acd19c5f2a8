/* Rewritings of a loop that compute the same: an instruction at another place, or instructions replaced by a
 * rule. An *item* is an instruction of loop_code.items, or its index. */
#ifndef REPORT_LOOP_REWRITE_H
#define REPORT_LOOP_REWRITE_H

#include "report/loop/code.h"

typedef struct rewriting {
    code_edit edit;
    unsigned rule;    /* 0: an instruction is moved; else 1 + the number of the rule (rewrite_by_rule) */
    unsigned changes; /* registers and flags (CODE_*) that differ after it; no code reads them */
    bool needs_free;  /* one of these registers is live at the program's end, but no instruction names it: the
                         rewriting is right if the code around the loop does not use it */
    bool needs_up;    /* the rewriting is right if DF is clear, so that string instructions go upwards */
} rewriting;

/* Calls `visit` for each rewriting of the executed instructions, until it returns false. */
void rewrite_each(const loop_code *code, bool (*visit)(void *context, const rewriting *r), void *context);
/* Writes the rewriting to `text` as "A; B  ->  B; A", and to `changes` the registers and flags that change and the
 * conditions under which it is right; "" if there are none. */
void rewrite_describe(const loop_code *code, const rewriting *r, char *text, size_t size, char *changes,
                      size_t changes_size);

/* A run: the items [begin, end), executed instructions that follow each other. None is a branch, and only the first
 * can be the target of one. */
typedef struct code_run {
    size_t begin, end;
} code_run;
/* How the bytes in memory that two instructions refer to are related. */
typedef enum rewrite_places {
    REWRITE_UNKNOWN,     /* it depends on registers */
    REWRITE_OVERLAPPING, /* at least one byte is the same */
    REWRITE_DISJOINT
} rewrite_places;
/* Compares the memory operands of two instructions, whose address registers must not change between the two. */
rewrite_places rewrite_compare(const code_insn *a, const code_insn *b);
/* Returns whether items `a` and `b`, a before b in a run, refer to memory that cannot overlap. */
bool rewrite_is_disjoint(const loop_code *code, size_t a, size_t b);
/* The explicit memory operand of an instruction, or the address of LEA, as encoded. */
typedef struct code_operand {
    const uint8_t *bytes; /* from the ModRM byte to the displacement; NULL: there is no such operand */
    size_t size;          /* of these bytes */
    int32_t displacement; /* 0: none */
} code_operand;
code_operand rewrite_operand(const code_insn *item);
/* Rewrites the instructions from item `i` on by rule number `rule` (from 0, below rewrite_rule_count). The
 * caller has set out->edit.first to i and out->edit.count to 1. Returns false if the rule does not apply. */
bool rewrite_by_rule(const loop_code *code, const code_run *run, size_t i, unsigned rule, rewriting *out);
extern const unsigned rewrite_rule_count;

#endif
