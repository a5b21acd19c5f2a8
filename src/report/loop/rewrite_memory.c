/* Rules for instructions with operands in memory (rewrite_rule.h). Most split an instruction of two or three clocks
 * into a load, an operation and a store of one clock each, so that other instructions can pair with each of them.
 *
 * In the comments, t and u are registers that rule_find_scratch has found. In the code, 8Bh is MOV r,m and 89h is
 * MOV m,r; the operation keeps its opcode, with t in place of the memory operand. */
#include "report/loop/rewrite_rule.h"

/* OP r,[m] (ADD, OR, ADC, SBB, AND, SUB, XOR, CMP): MOV t,[m]; OP r,t.
 * CMP [m],r and TEST [m],r: MOV t,[m]; OP t,r. */
bool rule_split_load(rule *r)
{
    const code_operand m = rewrite_operand(r->item);
    const unsigned op = r->opcode[0];
    const bool loads = (op & 0xc7) == 0x03, compares = op == 0x39 || op == 0x85;
    unsigned t;
    if (m.bytes == NULL || (!loads && !compares) || !rule_find_scratch(r, false, &t))
        return false;
    rule_put_memory(r, 0x8b, t, &m);
    rule_put_registers(r, op, r->insn->reg, t);
    return true;
}

/* Returns whether an instruction is ADD, OR, ADC, SBB, AND, SUB or XOR with the operands r/m,r. */
static bool is_operation_to_memory(const code_insn *item)
{
    return (item->bytes[0] & 0xc7) == 0x01 && item->bytes[0] != 0x39;
}

/* OP [m],r: MOV t,[m]; OP t,r; MOV [m],t. */
bool rule_split_store(rule *r)
{
    const code_operand m = rewrite_operand(r->item);
    unsigned t;
    if (m.bytes == NULL || !is_operation_to_memory(r->item) || !rule_find_scratch(r, false, &t))
        return false;
    rule_put_memory(r, 0x8b, t, &m);
    rule_put_registers(r, r->opcode[0], r->insn->reg, t);
    rule_put_memory(r, 0x89, t, &m);
    return true;
}

/* OP [m],r; OP [n],q: as rule_split_store, alternating between the two, so that load can pair with load, operation with
 * operation, and store with store. */
bool rule_split_two_stores(rule *r)
{
    const code_operand m = rewrite_operand(r->item);
    const code_insn *next = rule_next_item(r);
    unsigned t, u;
    if (next == NULL || !rule_is_unprefixed(next) || !is_operation_to_memory(r->item) ||
        !is_operation_to_memory(next) || !rewrite_is_disjoint(r->code, r->at, r->at + 1) ||
        !rule_find_scratch(r, false, &t))
        return false;
    const code_operand n = rewrite_operand(next);
    const unsigned first = r->out->changes; /* t, as a set of registers */
    if (m.bytes == NULL || n.bytes == NULL || (code_reads(&next->insn) & first) ||
        !rule_find_scratch(r, false, &u))
        return false;
    rule_put_memory(r, 0x8b, t, &m);
    rule_put_memory(r, 0x8b, u, &n);
    rule_put_registers(r, r->opcode[0], r->insn->reg, t);
    rule_put_registers(r, next->bytes[0], next->insn.reg, u);
    rule_put_memory(r, 0x89, t, &m);
    rule_put_memory(r, 0x89, u, &n);
    return true;
}

/* OP [m],constant, INC [m] and DEC [m]: MOV t,[m]; OP t,constant; MOV [m],t. CMP (extension 7) gets no store. */
bool rule_split_constant(rule *r)
{
    const code_operand m = rewrite_operand(r->item);
    const unsigned op = r->opcode[0], extension = r->insn->reg;
    const bool constant = op == 0x83 || op == 0x81, step = op == 0xff && extension < 2;
    unsigned t;
    if (m.bytes == NULL || (!constant && !step) || !rule_find_scratch(r, false, &t))
        return false;
    rule_put_memory(r, 0x8b, t, &m);
    if (step)
        rule_put(r, 0x40 | extension << 3 | t); /* INC t or DEC t */
    else
        rule_put_registers(r, op, extension, t);
    for (const uint8_t *b = m.bytes + m.size; constant && b < r->item->bytes + r->insn->length; b++)
        rule_put(r, *b);
    if (step || extension != 7)
        rule_put_memory(r, 0x89, t, &m);
    return true;
}

/* MOV [m],constant: MOV t,constant; MOV [m],t. This can save clocks if [m] has a displacement, because an instruction
 * with a displacement and a constant does not pair (P54C) or pairs only as the first (P55C). */
bool rule_constant_by_register(rule *r)
{
    const code_operand m = rewrite_operand(r->item);
    unsigned t;
    if (m.bytes == NULL || r->opcode[0] != 0xc7 || !rule_find_scratch(r, false, &t))
        return false;
    rule_put(r, 0xb8 | t);
    for (unsigned i = 0; i < 4; i++)
        rule_put(r, m.bytes[m.size + i]);
    rule_put_memory(r, 0x89, t, &m);
    return true;
}

/* PUSH [m]: MOV t,[m]; PUSH t. */
bool rule_push_by_register(rule *r)
{
    const code_operand m = rewrite_operand(r->item);
    unsigned t;
    if (m.bytes == NULL || r->opcode[0] != 0xff || r->insn->reg != 6 || !rule_find_scratch(r, false, &t))
        return false;
    rule_put_memory(r, 0x8b, t, &m);
    rule_put(r, 0x50 | t);
    return true;
}
