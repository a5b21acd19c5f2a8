/* Rules that replace instructions on registers by others that compute the same (rewrite_rule.h). t is a register that
 * rule_find_scratch has found. */
#include <string.h>

#include "report/loop/rewrite_rule.h"

/* Returns whether an instruction is MOV of a register to a register, and gets both. */
static bool is_move(const code_insn *item, unsigned *to, unsigned *from)
{
    const uint8_t *b = item->bytes;
    if (!rule_is_unprefixed(item) || (b[0] != 0x8b && b[0] != 0x89) || b[1] < 0xc0)
        return false;
    *to = b[0] == 0x8b ? item->insn.reg : item->insn.rm;
    *from = b[0] == 0x8b ? item->insn.rm : item->insn.reg;
    return true;
}

bool rule_is_step(const code_insn *item, unsigned *reg, int32_t *step)
{
    const uint8_t *b = item->bytes;
    if (!rule_is_unprefixed(item))
        return false;
    if ((b[0] & 0xf0) == 0x40) {
        *reg = b[0] & 7;
        *step = b[0] < 0x48 ? 1 : -1;
        return true;
    }
    const bool add = (b[1] & 0xf8) == 0xc0, sub = (b[1] & 0xf8) == 0xe8;
    if ((b[0] != 0x83 && b[0] != 0x81) || (!add && !sub))
        return false;
    int32_t value = (int8_t)b[2];
    if (b[0] == 0x81)
        memcpy(&value, b + 2, sizeof value);
    *reg = b[1] & 7;
    *step = add ? value : -value;
    return value != INT32_MIN;
}

/* Appends LEA `to`,[base + index * 2^shift + 0], with a displacement of a byte. */
static void put_indexed_lea(rule *r, unsigned to, unsigned base, unsigned index, unsigned shift)
{
    rule_put(r, 0x8d);
    rule_put(r, 0x44 | to << 3);
    rule_put(r, shift << 6 | index << 3 | base);
    rule_put(r, 0);
}

/* ---- Registers ----------------------------------------------------------------------------------------- */

/* SHL r,1: ADD r,r, which runs in both pipes. */
bool rule_double_by_add(rule *r)
{
    const uint8_t *b = r->opcode;
    if ((b[1] & 0xf8) != 0xe0 || (b[0] != 0xd1 && !(b[0] == 0xc1 && b[2] == 1)))
        return false;
    rule_put_registers(r, 0x01, r->insn->rm, r->insn->rm); /* ADD r,r */
    return true;
}

/* MOVZX r,byte, with r one of EAX to EBX: XOR r,r; MOV to its low byte. MOVZX eax,al: AND eax,0FFh. */
bool rule_zero_extend(rule *r)
{
    const uint8_t *b = r->opcode;
    const unsigned to = r->insn->reg;
    if (b[0] != 0x0f || b[1] != 0xb6 || to > ISA_EBX || !rule_may_change_flags(r))
        return false;
    const code_operand m = rewrite_operand(r->item);
    if (m.bytes == NULL && r->insn->rm == to) { /* as MOVZX eax,al */
        rule_put_registers(r, 0x81, 4, to);     /* AND */
        rule_put32(r, 0xff);
        return true;
    }
    /* XOR must not clear the source: the address, or the register's own high byte */
    if ((r->insn->address_gpr >> to & 1) || (m.bytes == NULL && (r->insn->rm & 3) == to))
        return false;
    rule_put_registers(r, 0x31, to, to); /* XOR */
    if (m.bytes != NULL)
        rule_put_memory(r, 0x8a, to, &m);
    else
        rule_put_registers(r, 0x8a, to, r->insn->rm);
    return true;
}

/* CDQ: MOV EDX,EAX; SAR EDX,31. */
bool rule_sign_by_shift(rule *r)
{
    if (r->opcode[0] != 0x99 || !rule_may_change_flags(r))
        return false;
    rule_put_registers(r, 0x89, ISA_EAX, ISA_EDX);
    rule_put_registers(r, 0xc1, 7, ISA_EDX);
    rule_put(r, 31);
    return true;
}

/* XCHG r,s: MOV t,r; MOV r,s; MOV s,t. */
bool rule_exchange_by_moves(rule *r)
{
    const uint8_t *b = r->opcode;
    const bool with_eax = (b[0] & 0xf8) == 0x90 && b[0] != 0x90, any = b[0] == 0x87 && b[1] >= 0xc0;
    unsigned t;
    if ((!with_eax && !any) || !rule_find_scratch(r, false, &t))
        return false;
    const unsigned one = with_eax ? ISA_EAX : r->insn->reg, other = with_eax ? b[0] & 7u : r->insn->rm;
    if (one == other)
        return false;
    rule_put_registers(r, 0x89, one, t);
    rule_put_registers(r, 0x89, other, one);
    rule_put_registers(r, 0x89, t, other);
    return true;
}

/* NOT r: XOR r,-1, which pairs. */
bool rule_invert_by_xor(rule *r)
{
    const uint8_t *b = r->opcode;
    if (b[0] != 0xf7 || (b[1] & 0xf8) != 0xd0 || !rule_may_change_flags(r))
        return false;
    rule_put_registers(r, 0x83, 6, r->insn->rm);
    rule_put(r, 0xff);
    return true;
}

/* IMUL r,s,constant: LEA r,[s+s*2], s*4 or s*8 for 3, 5 and 9; MOV r,s; SHL r,n for powers of two. */
bool rule_multiply_by_shift(rule *r)
{
    const uint8_t *b = r->opcode;
    uint32_t factor = 0;
    if ((b[0] != 0x6b && b[0] != 0x69) || b[1] < 0xc0 || !rule_may_change_flags(r))
        return false;
    if (b[0] == 0x6b)
        factor = (uint32_t)(int8_t)b[2];
    else
        memcpy(&factor, b + 2, sizeof factor);
    const unsigned to = r->insn->reg, from = r->insn->rm;
    if ((factor == 3 || factor == 5 || factor == 9) && from != ISA_ESP) {
        put_indexed_lea(r, to, from, from, factor == 3 ? 1 : factor == 5 ? 2 : 3);
        return true;
    }
    if (factor < 2 || (factor & (factor - 1)) != 0)
        return false;
    if (to != from)
        rule_put_registers(r, 0x89, from, to);
    rule_put_registers(r, 0xc1, 4, to); /* SHL */
    rule_put(r, (unsigned)__builtin_ctz(factor));
    return true;
}

/* ---- LEA ----------------------------------------------------------------------------------------------- */

/* ADD r,constant (or SUB, INC, DEC): LEA r,[r+constant]. */
bool rule_step_by_lea(rule *r)
{
    unsigned reg;
    int32_t step;
    if (!rule_is_step(r->item, &reg, &step) || !rule_may_change_flags(r))
        return false;
    rule_put_lea(r, reg, reg, step);
    return true;
}

/* LEA r,[r+constant]: ADD r,constant, which does not wait for r in D2 (AGI). */
bool rule_lea_by_step(rule *r)
{
    const code_operand m = rewrite_operand(r->item);
    if (r->opcode[0] != 0x8d || m.bytes == NULL || m.size < 2 || (m.bytes[0] & 7) != r->insn->reg ||
        (m.bytes[0] & 7) == 4 || m.bytes[0] < 0x40 || !rule_may_change_flags(r))
        return false;
    rule_put_registers(r, 0x81, 0, r->insn->reg);
    rule_put32(r, (uint32_t)m.displacement);
    return true;
}

/* MOV r,s; ADD r,constant: LEA r,[s+constant]. */
bool rule_move_and_step(rule *r)
{
    unsigned to, from, reg;
    int32_t step;
    const code_insn *next = rule_next_item(r);
    if (next == NULL || !is_move(r->item, &to, &from) || !rule_is_step(next, &reg, &step) || reg != to ||
        !rule_may_change_flags(r))
        return false;
    rule_put_lea(r, to, from, step);
    return true;
}

/* MOV r,s; ADD r,q: LEA r,[s+q]. */
bool rule_move_and_add(rule *r)
{
    unsigned to, from;
    const code_insn *next = rule_next_item(r);
    if (next == NULL || !is_move(r->item, &to, &from) || !rule_is_unprefixed(next) ||
        (next->bytes[0] != 0x01 && next->bytes[0] != 0x03) || next->bytes[1] < 0xc0)
        return false;
    const unsigned sum = next->bytes[0] == 0x03 ? next->insn.reg : next->insn.rm,
                   other = next->bytes[0] == 0x03 ? next->insn.rm : next->insn.reg;
    if (sum != to || other == to || other == ISA_ESP || !rule_may_change_flags(r))
        return false;
    put_indexed_lea(r, to, from, other, 0);
    return true;
}

/* MOV r,s; SHL r,1 to 3: LEA r,[s*2], [s*4] or [s*8]. */
bool rule_move_and_shift(rule *r)
{
    unsigned to, from;
    const code_insn *next = rule_next_item(r);
    if (next == NULL || !is_move(r->item, &to, &from) || !rule_is_unprefixed(next) ||
        next->bytes[0] != 0xc1 || next->bytes[1] != (0xe0 | to) || next->bytes[2] < 1 || next->bytes[2] > 3 ||
        from == ISA_ESP || !rule_may_change_flags(r))
        return false;
    rule_put(r, 0x8d); /* LEA to,[from * scale + 0], which has no base */
    rule_put(r, 0x04 | to << 3);
    rule_put(r, (unsigned)next->bytes[2] << 6 | from << 3 | 5);
    rule_put32(r, 0);
    return true;
}
