/* Rules that replace string instructions, LOOP, LEAVE and orders of x87 instructions by other code that
 * computes the same (rewrite_rule.h). */
#include "report/loop/rewrite_rule.h"

/* ---- Strings, loops, frames ---------------------------------------------------------------------------- */

/* Writes code that adds `bytes` to a register of a string instruction: ADD, or LEA if flags are live. */
static void put_step(rule *r, unsigned reg, unsigned bytes)
{
    if (r->code->items[r->at].live & (CODE_FLAGS | CODE_CARRY)) {
        rule_put_lea(r, reg, reg, (int32_t)bytes);
        return;
    }
    r->out->changes |= CODE_FLAGS | CODE_CARRY;
    rule_put_registers(r, 0x83, 0, reg);
    rule_put(r, bytes);
}

/* LODS, STOS and MOVS of bytes and doublewords, upwards: MOV, and ADD or LEA for each pointer. */
bool rule_string_by_moves(rule *r)
{
    const unsigned op = r->opcode[0], wide = op & 1, bytes = wide ? 4 : 1;
    const bool loads = (op & 0xfe) == 0xac, stores = (op & 0xfe) == 0xaa, moves = (op & 0xfe) == 0xa4;
    unsigned t = ISA_EAX;
    if ((!loads && !stores && !moves) || r->code->sets_direction ||
        (moves && !rule_find_scratch(r, !wide, &t)))
        return false;
    if (loads || moves) { /* MOV t,[esi] */
        rule_put(r, 0x8a | wide);
        rule_put(r, t << 3 | ISA_ESI);
    }
    if (stores || moves) { /* MOV [edi],t */
        rule_put(r, 0x88 | wide);
        rule_put(r, t << 3 | ISA_EDI);
    }
    if (loads || moves)
        put_step(r, ISA_ESI, bytes);
    if (stores || moves)
        put_step(r, ISA_EDI, bytes);
    r->out->needs_up = true;
    return true;
}

/* LOOP: DEC ECX; JNZ. */
bool rule_loop_by_dec(rule *r)
{
    if (r->opcode[0] != 0xe2 || r->insn->prefixes != 0 || !rule_may_change(r, r->at, CODE_FLAGS | CODE_CARRY))
        return false;
    rule_put(r, 0x49); /* DEC ECX */
    rule_put(r, 0x75); /* JNZ, whose displacement code_edited fills in */
    r->out->edit.jump_at = r->out->edit.size;
    r->out->edit.jump_target = r->insn->target;
    rule_put(r, 0);
    return true;
}

/* LEAVE: MOV ESP,EBP; POP EBP. */
bool rule_leave_by_moves(rule *r)
{
    if (r->opcode[0] != 0xc9)
        return false;
    rule_put_registers(r, 0x89, ISA_EBP, ISA_ESP);
    rule_put(r, 0x58 | ISA_EBP);
    return true;
}

/* ---- x87 ----------------------------------------------------------------------------------------------- */

/* Returns whether an instruction is an x87 instruction with an operand m32, whose opcode is `opcode`, or m64, and whose
 * extension (the reg field of ModRM) is in the set `extensions`, which has bit n for n. */
static bool is_x87_memory(const code_insn *item, unsigned opcode, unsigned extensions)
{
    return rule_is_unprefixed(item) && item->insn.memory && (item->bytes[0] & 0xfb) == opcode &&
           (extensions >> item->insn.reg & 1) != 0;
}

/* FSTP m32 or m64: D9h or DDh with extension 3. */
static bool is_store(const code_insn *item)
{
    return is_x87_memory(item, 0xd9, 1 << 3);
}

/* FXCH ST(1). */
static bool is_exchange1(const code_insn *item)
{
    return rule_is_unprefixed(item) && item->bytes[0] == 0xd9 && item->bytes[1] == 0xc9;
}

static void put_exchange1(rule *r)
{
    rule_put(r, 0xd9);
    rule_put(r, 0xc9);
}

/* FSTP m; FLD n, with n m32 or m64: FLD n; FXCH; FSTP m. The load then does not wait for the result that is
 * stored. */
bool rule_store_after_load(rule *r)
{
    const code_insn *next = rule_next_item(r);
    if (next == NULL || !is_store(r->item) || !is_x87_memory(next, 0xd9, 1 << 0) ||
        !rewrite_is_disjoint(r->code, r->at, r->at + 1))
        return false;
    rule_put_item(r, r->at + 1);
    put_exchange1(r);
    rule_put_item(r, r->at);
    return true;
}

/* FXCH; FSTP m; FADD n (or FMUL, FSUB, FSUBR, FDIV, FDIVR): FADD n; FXCH; FSTP m. The operation then does not
 * wait for the store. */
bool rule_store_after_operation(rule *r)
{
    if (r->at + 2 >= r->run->end || !is_exchange1(r->item))
        return false;
    const code_insn *store = r->item + 1, *operation = r->item + 2;
    r->out->edit.count = 3;
    if (!is_store(store) || !is_x87_memory(operation, 0xd8, 0xf3 /* all but FCOM and FCOMP */) ||
        !rewrite_is_disjoint(r->code, r->at + 1, r->at + 2))
        return false;
    rule_put_item(r, r->at + 2);
    rule_put_item(r, r->at);
    rule_put_item(r, r->at + 1);
    return true;
}
