/* The rules that replace instructions of a loop by others, and what they share. A rule is a function that writes the
 * machine code of other instructions that compute the same as one to three instructions of the loop, and
 * returns false if it does not apply to them. Rules are for instructions with 32-bit operands and without
 * prefixes, which the processor can execute faster in another form, for example because that form pairs. */
#ifndef REPORT_LOOP_REWRITE_RULE_H
#define REPORT_LOOP_REWRITE_RULE_H

#include "report/loop/rewrite.h"

/* What a rule reads and writes. An *item* is an instruction of loop_code.items, or its index. */
typedef struct rule {
    const loop_code *code;
    const code_run *run;   /* contains the instructions */
    size_t at;             /* index of the first instruction that is replaced */
    const code_insn *item; /* that instruction */
    const isa_insn *insn;  /* item->insn */
    const uint8_t *opcode; /* item->bytes, which begin with the opcode because there are no prefixes */
    rewriting *out;        /* out->edit.count: instructions that are replaced, at first 1 */
} rule;

/* The rule_put functions append machine code to the rewriting. `reg` is a register, or an extension of the opcode. */
void rule_put(rule *r, unsigned byte);
void rule_put32(rule *r, uint32_t value); /* 4 bytes, little-endian */
/* Appends an instruction with the operands `reg` and `rm`, both registers. */
void rule_put_registers(rule *r, unsigned opcode, unsigned reg, unsigned rm);
/* Appends an instruction with the operands `reg` and `m`. */
void rule_put_memory(rule *r, unsigned opcode, unsigned reg, const code_operand *m);
/* Appends a copy of item `i`. */
void rule_put_item(rule *r, size_t i);
/* Appends LEA `to`, [base + displacement]. */
void rule_put_lea(rule *r, unsigned to, unsigned base, int32_t displacement);

/* Returns whether nothing reads `what` (a set of CODE_*) after item `i`. If so, adds `what` to
 * out->changes. */
bool rule_may_change(rule *r, size_t i, unsigned what);
/* Calls rule_may_change for all flags after the instructions that are replaced. */
bool rule_may_change_flags(rule *r);
/* Finds a register for an intermediate value, one with a byte register (EAX to EBX) if `byte`, that the
 * replaced instructions do not use: one that is not live after them, or else one that no instruction of the
 * program names. Adds it to out->changes. Returns false if there is none. */
bool rule_find_scratch(rule *r, bool byte, unsigned *reg);
/* Returns the item after `at`, and sets out->edit.count to 2, because the rule replaces both. NULL: the run
 * ends. */
const code_insn *rule_next_item(rule *r);
/* Returns whether an instruction has no prefixes, 32-bit operands and 32-bit addresses. */
bool rule_is_unprefixed(const code_insn *item);

/* Returns whether an instruction is ADD or SUB of a constant, INC or DEC of a register, and gets the register
 * and what is added to it. */
bool rule_is_step(const code_insn *item, unsigned *reg, int32_t *step);

/* The rules. The comment above each function says what it replaces: rewrite_memory.c, rewrite_registers.c,
 * rewrite_others.c. */
typedef bool rewrite_rule(rule *r);
rewrite_rule rule_split_load, rule_split_two_stores, rule_split_store, rule_split_constant,
    rule_constant_by_register, rule_push_by_register, rule_double_by_add, rule_zero_extend,
    rule_sign_by_shift, rule_exchange_by_moves, rule_invert_by_xor, rule_multiply_by_shift, rule_step_by_lea,
    rule_lea_by_step, rule_move_and_step, rule_move_and_add, rule_move_and_shift, rule_string_by_moves,
    rule_loop_by_dec, rule_leave_by_moves, rule_store_after_load, rule_store_after_operation;

#endif
