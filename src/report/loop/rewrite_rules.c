/* The table of the rules that replace instructions, and what they share: writing machine code, and finding
 * registers and flags that may change. rewrite_rule.h describes the functions. */
#include <string.h>

#include "report/loop/rewrite_rule.h"

/* ---- Encoding ------------------------------------------------------------------------------------------ */

void rule_put(rule *r, unsigned byte)
{
    r->out->edit.bytes[r->out->edit.size++] = (uint8_t)byte;
}

void rule_put32(rule *r, uint32_t value)
{
    memcpy(r->out->edit.bytes + r->out->edit.size, &value, sizeof value);
    r->out->edit.size += sizeof value;
}

void rule_put_registers(rule *r, unsigned opcode, unsigned reg, unsigned rm)
{
    rule_put(r, opcode);
    rule_put(r, 0xc0 | reg << 3 | rm);
}

void rule_put_memory(rule *r, unsigned opcode, unsigned reg, const code_operand *m)
{
    rule_put(r, opcode);
    rule_put(r, (m->bytes[0] & 0xc7u) | reg << 3); /* ModRM with another reg */
    for (size_t i = 1; i < m->size; i++)
        rule_put(r, m->bytes[i]);
}

void rule_put_item(rule *r, size_t i)
{
    for (unsigned n = 0; n < r->code->items[i].insn.length; n++)
        rule_put(r, r->code->items[i].bytes[n]);
}

void rule_put_lea(rule *r, unsigned to, unsigned base, int32_t displacement)
{
    const bool small = displacement >= -128 && displacement <= 127;
    rule_put(r, 0x8d); /* LEA */
    rule_put(r, (small ? 0x40u : 0x80u) | to << 3 | base);
    if (base == ISA_ESP)
        rule_put(r, 0x24); /* SIB byte: base ESP, no index */
    if (small)
        rule_put(r, (uint8_t)displacement);
    else
        rule_put32(r, (uint32_t)displacement);
}

/* ---- Conditions ---------------------------------------------------------------------------------------- */

bool rule_may_change(rule *r, size_t i, unsigned what)
{
    if (r->code->items[i].live & what)
        return false;
    r->out->changes |= what;
    return true;
}

bool rule_may_change_flags(rule *r)
{
    return rule_may_change(r, r->at + r->out->edit.count - 1, CODE_FLAGS | CODE_CARRY);
}

bool rule_find_scratch(rule *r, bool byte, unsigned *reg)
{
    static const unsigned preferred[] = {ISA_EDX, ISA_ECX, ISA_EAX, ISA_EBX, ISA_ESI, ISA_EDI, ISA_EBP};
    const code_insn *last = &r->code->items[r->at + r->out->edit.count - 1];
    unsigned used = 0;
    for (size_t i = 0; i < r->out->edit.count; i++)
        used |= code_reads(&r->item[i].insn) | code_writes(&r->item[i].insn);
    /* The first pass looks for a register that is not live, the second for one that no instruction names. */
    for (unsigned unused = 0; unused < 2; unused++)
        for (unsigned i = 0; i < sizeof preferred / sizeof preferred[0]; i++) {
            const unsigned bit = 1u << preferred[i];
            if (((used | r->out->changes) & bit) || (byte && preferred[i] > ISA_EBX))
                continue;
            if (unused ? (r->code->unused & bit) != 0 : (last->live & bit) == 0) {
                *reg = preferred[i];
                r->out->changes |= bit;
                r->out->needs_free |= unused && (last->live & bit) != 0;
                return true;
            }
        }
    return false;
}

const code_insn *rule_next_item(rule *r)
{
    if (r->at + 1 >= r->run->end)
        return NULL;
    r->out->edit.count = 2;
    return &r->code->items[r->at + 1];
}

bool rule_is_unprefixed(const code_insn *item)
{
    return item->insn.prefixes == 0 && item->insn.operand32 && item->insn.address32;
}

/* ---- The table --------------------------------------------------------------------------------------- */

static bool (*const rules[])(rule *r) = {
    rule_split_load,           rule_split_two_stores,     rule_split_store,   rule_split_constant,
    rule_constant_by_register, rule_push_by_register,     rule_double_by_add, rule_zero_extend,
    rule_sign_by_shift,        rule_exchange_by_moves,    rule_invert_by_xor, rule_multiply_by_shift,
    rule_step_by_lea,          rule_lea_by_step,          rule_move_and_step, rule_move_and_add,
    rule_move_and_shift,       rule_string_by_moves,      rule_loop_by_dec,   rule_leave_by_moves,
    rule_store_after_load,     rule_store_after_operation};
const unsigned rewrite_rule_count = sizeof rules / sizeof rules[0];

bool rewrite_by_rule(const loop_code *code, const code_run *run, size_t i, unsigned number, rewriting *out)
{
    const code_insn *item = &code->items[i];
    rule r = {code, run, i, item, &item->insn, item->bytes, out};
    return rule_is_unprefixed(item) && rules[number](&r);
}
