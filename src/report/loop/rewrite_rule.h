/* What the rules of rewritings share. A rule writes the bytes that compute the same as the instructions from item
 * `at` on, and returns false if it does not apply. Rules are for 32-bit operands without prefixes, where the
 * manual's pairing rules leave a choice of forms. */
#ifndef REPORT_LOOP_REWRITE_RULE_H
#define REPORT_LOOP_REWRITE_RULE_H

#include "report/loop/rewrite.h"

/* What a rule reads and writes. */
typedef struct rule {
    const loop_code *code;
    const code_run *run;
    size_t at;
    const code_insn *item;
    const isa_insn *insn;
    const uint8_t *opcode; /* after the prefixes */
    rewriting *out;
} rule;

void rule_put(rule *r, unsigned byte);
void rule_put32(rule *r, uint32_t value);
/* OPCODE with register `reg` and register `rm`. */
void rule_put_registers(rule *r, unsigned opcode, unsigned reg, unsigned rm);
/* OPCODE with register (or extension) `reg` and the memory operand. */
void rule_put_memory(rule *r, unsigned opcode, unsigned reg, const code_operand *m);
/* Copies item `i` as it is. */
void rule_put_item(rule *r, size_t i);
/* LEA `to`, [base + displacement]. */
void rule_put_lea(rule *r, unsigned to, unsigned base, int32_t displacement);

/* Returns whether nothing reads `what` after item `i`, and notes that it changes. */
bool rule_dead(rule *r, size_t i, unsigned what);
/* The same of all flags after the instructions that are replaced. */
bool rule_flags_dead(rule *r);
/* Finds a register for a value, with a byte register if `byte`: one that is not live, or else one that no
 * instruction names. */
bool rule_scratch(rule *r, bool byte, unsigned *reg);
/* Returns the next item of the run, which the rule replaces as well; NULL: there is none. */
const code_insn *rule_next_item(rule *r);
/* Returns whether it has no prefixes and 32-bit operands. */
bool rule_is_plain(const code_insn *item);

/* Returns whether it is ADD or SUB of a constant, INC or DEC of a register, and writes what is added. */
bool rule_is_step(const code_insn *item, unsigned *reg, int32_t *step);

/* rewrite_memory.c, rewrite_registers.c, rewrite_others.c */
typedef bool rewrite_rule(rule *r);
rewrite_rule rule_split_load, rule_split_two_stores, rule_split_store, rule_split_constant,
    rule_constant_by_register, rule_push_by_register, rule_access_before_step, rule_double_by_add,
    rule_zero_extend, rule_sign_by_shift, rule_exchange_by_moves, rule_invert_by_xor, rule_multiply_by_shift,
    rule_step_by_lea, rule_lea_by_step, rule_move_and_step, rule_move_and_add, rule_move_and_shift,
    rule_string_by_moves, rule_loop_by_dec, rule_leave_by_moves, rule_store_after_load,
    rule_store_after_operation;

#endif
