/* Rewritings of a loop that compute the same: instructions in another order, or in another form. */
#ifndef REPORT_LOOP_REWRITE_H
#define REPORT_LOOP_REWRITE_H

#include "report/loop/code.h"

typedef struct rewriting {
    code_edit edit;
    unsigned rule;    /* 0: another order; else a rule's number + 1 */
    unsigned changes; /* registers and flags (CODE_*) that differ after it; nothing reads them */
    bool unused;   /* such a register is named by no instruction, but could hold something of the caller's */
    bool needs_up; /* string instructions must go upwards (DF clear) */
} rewriting;

/* Calls `take` for each rewriting of the executed instructions, until it returns false. */
void rewrite_each(const loop_code *code, bool (*take)(void *context, const rewriting *r), void *context);
/* Writes what the rewriting does: "A; B -> B; A", and what changes. */
void rewrite_describe(const loop_code *code, const rewriting *r, char *text, size_t size, char *changes,
                      size_t changes_size);

/* A straight run of instructions without a branch into it: the items [begin, end). */
typedef struct code_run {
    size_t begin, end;
} code_run;
/* Returns whether moving the instruction at `from` to the place `to` of the run computes the same. */
bool rewrite_may_move(const loop_code *code, const code_run *run, size_t from, size_t to);
/* What two instructions refer to in memory if no register has changed between them. */
typedef enum rewrite_places {
    REWRITE_UNKNOWN, /* other registers, or bytes that overlap in part */
    REWRITE_SAME,    /* the same bytes */
    REWRITE_APART    /* other bytes */
} rewrite_places;
rewrite_places rewrite_compare(const code_insn *a, const code_insn *b);
/* Returns whether items `a` and `b`, a before b in a run, refer to memory that cannot overlap. */
bool rewrite_is_disjoint(const loop_code *code, size_t a, size_t b);
/* The memory operand of an instruction: its ModRM byte, SIB byte and displacement. */
typedef struct code_operand {
    const uint8_t *bytes; /* NULL: there is none */
    size_t size;
    int32_t displacement;
} code_operand;
code_operand rewrite_operand(const code_insn *item);
/* Writes the rewriting of the instructions from `i` on by rule number `rule`. Returns false if it does not apply. */
bool rewrite_by_rule(const loop_code *code, const code_run *run, size_t i, unsigned rule, rewriting *out);
extern const unsigned rewrite_rules;

#endif
