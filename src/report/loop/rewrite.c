/* Rewrites a loop by moving an instruction, enumerates all rewritings, and describes them. An *item* is an
 * instruction of loop_code.items, or its index. */
#include "report/loop/rewrite.h"

#include <string.h>

#include "report/loop/rewrite_rule.h"

/* FARTHEST: how many places an instruction is moved at most. LONGEST_RUN: longer runs (rewrite.h) are not reordered. */
enum { FARTHEST = 12, LONGEST_RUN = 64 };

/* ---- Independence -------------------------------------------------------------------------------------- */

/* Returns true for an instruction that is neither moved nor moved across. CLD, STD (FCh, FDh) and EMMS (0Fh
 * 77h) are among them because they change what other instructions do. */
static bool is_barrier(const code_insn *item)
{
    const isa_insn *insn = &item->insn;
    const uint8_t *opcode = item->bytes + insn->prefixes;
    return (insn->flags &
            (ISA_SERIALISING | ISA_SYSTEM | ISA_STRING | ISA_VARIABLE_ACCESSES | ISA_FAR_TRANSFER |
             ISA_SEGMENT_LOAD | ISA_IO | ISA_UNDEFINED | ISA_IMPLICIT_LOCK)) != 0 ||
           insn->lock || insn->rep || insn->repne || isa_forms[insn->form].branch != ISA_NOT_BRANCH ||
           isa_forms[insn->form].fp == ISA_FP_CONTROL || opcode[0] == 0xfc || opcode[0] == 0xfd ||
           (opcode[0] == 0x0f && opcode[1] == 0x77);
}

/* Returns the explicit memory operand of an instruction, or the address of LEA. Returns no operand for 16-bit
 * addresses and for MOV moffs. */
code_operand rewrite_operand(const code_insn *item)
{
    code_operand none = {NULL, 0, 0};
    const isa_insn *insn = &item->insn;
    const bool is_lea = isa_forms[insn->form].unit == ISA_AGU && !insn->escape_0f;
    if ((!insn->memory && !is_lea) || !insn->address32 || insn->flags & ISA_MOFFS)
        return none;
    const uint8_t *modrm = item->bytes + insn->prefixes + (insn->escape_0f ? 2 : 1);
    const unsigned mod = modrm[0] >> 6, rm = modrm[0] & 7;
    if (mod == 3)
        return none;
    const bool sib = rm == 4, absolute = mod == 0 && (rm == 5 || (sib && (modrm[1] & 7) == 5));
    code_operand operand = {modrm, sib ? 2 : 1, 0};
    if (mod == 1)
        operand.displacement = (int8_t)modrm[operand.size++];
    if (mod == 2 || absolute) {
        memcpy(&operand.displacement, modrm + operand.size, 4);
        operand.size += 4;
    }
    return operand;
}

/* Returns whether two operands have the same base, index and scale. */
static bool same_registers(const code_operand *a, const code_operand *b)
{
    const unsigned rm = a->bytes[0] & 7, mod_a = a->bytes[0] >> 6, mod_b = b->bytes[0] >> 6;
    if (rm != (b->bytes[0] & 7u) || (rm == 4 && a->bytes[1] != b->bytes[1]))
        return false;
    /* With mod 0, the code of EBP as the base means that there is no base. */
    const bool base_ebp = rm == 5 || (rm == 4 && (a->bytes[1] & 7) == 5);
    return !base_ebp || (mod_a == 0) == (mod_b == 0);
}

rewrite_places rewrite_compare(const code_insn *a, const code_insn *b)
{
    const code_operand x = rewrite_operand(a), y = rewrite_operand(b);
    const isa_insn *p = &a->insn, *q = &b->insn;
    if (x.bytes == NULL || y.bytes == NULL || p->accesses > 2 || q->accesses > 2 || p->flags & ISA_STACK ||
        q->flags & ISA_STACK || p->segment != q->segment || !same_registers(&x, &y))
        return REWRITE_UNKNOWN;
    const int64_t distance = (int64_t)y.displacement - x.displacement;
    return distance >= p->operand_bytes || -distance >= q->operand_bytes ? REWRITE_DISJOINT
                                                                         : REWRITE_OVERLAPPING;
}

bool rewrite_is_disjoint(const loop_code *code, size_t a, size_t b)
{
    for (size_t i = a; i < b; i++)
        if (code_writes(&code->items[i].insn) & code->items[b].insn.address_gpr)
            return false;
    return rewrite_compare(&code->items[a], &code->items[b]) == REWRITE_DISJOINT;
}

static bool writes_memory(const isa_insn *insn)
{
    return isa_forms[insn->form].data_writes > 0;
}

/* Returns whether the items a and b, a before b, can change places as far as general, MMX and x87 registers
 * and memory go. same_flags checks flags. */
static bool is_independent(const loop_code *code, size_t a, size_t b)
{
    const isa_insn *p = &code->items[a].insn, *q = &code->items[b].insn;
    if (is_barrier(&code->items[a]) || is_barrier(&code->items[b]))
        return false;
    const unsigned p_writes = code_writes(p) & CODE_REGISTERS, q_writes = code_writes(q) & CODE_REGISTERS;
    if ((p_writes & (code_reads(q) | q_writes)) || (q_writes & code_reads(p)))
        return false;
    if ((p->write_mm & (q->read_mm | q->write_mm)) || (q->write_mm & p->read_mm))
        return false;
    const unsigned units = ISA_X87 | ISA_MMX;
    if ((p->flags & units) && (q->flags & units) && (p->flags & q->flags & units) != ISA_MMX)
        return false;
    return p->accesses == 0 || q->accesses == 0 || (!writes_memory(p) && !writes_memory(q)) ||
           rewrite_is_disjoint(code, a, b);
}

/* ---- Steps of pointers --------------------------------------------------------------------------------- */

/* Returns whether `reg` is the base of the operand, and not its index as well. */
static bool is_based_on(const code_operand *m, unsigned reg)
{
    const bool sib = (m->bytes[0] & 7) == 4;
    /* EBP is a base only with a displacement: mod 1 or 2 */
    const unsigned base = sib ? m->bytes[1] & 7u : m->bytes[0] & 7u;
    return base == reg && (base != ISA_EBP || m->bytes[0] >= 0x40) &&
           !(sib && (m->bytes[1] >> 3 & 7u) == reg);
}

/* Returns what item `step` adds to the address of item `access`, so that both can change places with another
 * displacement: `step` is an ADD, SUB, INC or DEC of a register that `access` uses only as the base of its address. 0:
 * it is not so. */
static int32_t step_of(const loop_code *code, size_t step, size_t access)
{
    unsigned reg;
    int32_t by;
    const code_insn *item = &code->items[access];
    if (!rule_is_step(&code->items[step], &reg, &by) || reg == ISA_ESP || is_barrier(item))
        return 0;
    const code_operand m = rewrite_operand(item);
    const bool only_base = m.bytes != NULL && is_based_on(&m, reg) &&
                           !((item->insn.read_gpr | code_writes(&item->insn)) >> reg & 1);
    return only_base ? by : 0;
}

/* Appends the item with `by` added to its displacement. Returns false if there is no room for it. */
static bool put_item(code_edit *edit, const code_insn *item, int32_t by)
{
    enum { LONGER = 4 }; /* bytes that another displacement can need */
    uint8_t *to = edit->bytes + edit->size;
    if (edit->size + item->insn.length + LONGER > sizeof edit->bytes)
        return false;
    const code_operand m = rewrite_operand(item);
    const uint8_t *from = item->bytes, *end = from + item->insn.length;
    if (by != 0) {
        const uint32_t displacement = (uint32_t)m.displacement + (uint32_t)by;
        const size_t registers = (m.bytes[0] & 7) == 4 ? 2 : 1; /* ModRM and SIB */
        const bool none = displacement == 0 && (m.bytes[registers - 1] & 7) != ISA_EBP;
        const size_t size = none ? 0 : displacement + 128 < 256 ? 1 : 4;
        const size_t before = (size_t)(m.bytes - from) + registers;
        memcpy(to, from, before);
        to[before - registers] = (uint8_t)((m.bytes[0] & 0x3f) | (size == 0 ? 0 : size == 1 ? 0x40 : 0x80));
        memcpy(to + before, &displacement, size);
        to += before + size;
        from = m.bytes + m.size;
    }
    memcpy(to, from, (size_t)(end - from));
    edit->size = (size_t)(to + (end - from) - edit->bytes);
    return true;
}

/* ---- Order --------------------------------------------------------------------------------------------- */

/* Fills in the order of the run's items after item `from` was moved to the place of item `to`: order[n] is
 * the item at place n of the run. */
static void order_after(const code_run *run, size_t from, size_t to, size_t order[LONGEST_RUN])
{
    size_t n = 0;
    for (size_t i = run->begin; i < run->end; i++) {
        const size_t old = i == to ? from : i >= from && i < to ? i + 1 : i > to && i <= from ? i - 1 : i;
        order[n++] = old;
    }
}

/* Returns whether in the new order of the run every reader of the flags `part` (CODE_CARRY or CODE_FLAGS) gets them
 * from the same instruction as before. The code after the run counts as one reader. */
static bool same_flags(const loop_code *code, const code_run *run, const size_t *order, unsigned part)
{
    /* source[n]: the item whose flags the run's n-th item sees. last, moved_last: the last writer so far in
     * the old and the new order. run->end: an instruction before the run. */
    size_t source[LONGEST_RUN], last = run->end, moved_last = run->end;
    for (size_t i = run->begin; i < run->end; i++) {
        source[i - run->begin] = last;
        last = code_writes(&code->items[i].insn) & part ? i : last;
    }
    for (size_t n = 0; n < run->end - run->begin; n++) {
        const isa_insn *insn = &code->items[order[n]].insn;
        if (code_reads(insn) & part && source[order[n] - run->begin] != moved_last)
            return false;
        /* An instruction that keeps flags in some cases, such as a shift by 0, reads them. */
        if (code_writes(insn) & part && !(code_kills(insn) & part) &&
            source[order[n] - run->begin] != moved_last)
            return false;
        moved_last = code_writes(insn) & part ? order[n] : moved_last;
    }
    return last == moved_last || !(code->items[run->end - 1].live & part);
}

/* Returns whether the code computes the same after item `from` was moved to the place of item `to`, with other
 * displacements where an access and a step of its pointer change places. */
static bool may_move(const loop_code *code, const code_run *run, size_t from, size_t to)
{
    size_t order[LONGEST_RUN];
    const size_t low = from < to ? from : to, high = from < to ? to : from;
    if (run->end - run->begin > LONGEST_RUN)
        return false;
    for (size_t i = low; i <= high; i++)
        if (i != from && !is_independent(code, from < i ? from : i, from < i ? i : from) &&
            step_of(code, from, i) == 0 && step_of(code, i, from) == 0)
            return false;
    order_after(run, from, to, order);
    return same_flags(code, run, order, CODE_CARRY) && same_flags(code, run, order, CODE_FLAGS);
}

/* Returns by how much the displacement of item `i` changes when item `from` moves to the place of item `to`: an access
 * that then comes before a step of its pointer gets the step added, one that then comes after it subtracted. */
static int32_t displacement_change(const loop_code *code, size_t i, size_t from, size_t to)
{
    const size_t low = from < to ? from + 1 : to, end = from < to ? to + 1 : from; /* the items it passes */
    uint32_t passed = 0; /* what these items add to its own address */
    if (i != from)
        return from < to ? step_of(code, from, i) : -step_of(code, from, i);
    for (size_t step = low; step < end; step++)
        passed += (uint32_t)step_of(code, step, from);
    return (int32_t)(from < to ? 0 - passed : passed);
}

/* Makes the rewriting that moves item `from` to the place of item `to`. Returns false if it is too long. */
static bool make_move(const loop_code *code, const code_run *run, size_t from, size_t to, rewriting *r)
{
    size_t order[LONGEST_RUN];
    const size_t low = from < to ? from : to, high = from < to ? to : from;
    *r = (rewriting){.edit = {.first = low, .count = high - low + 1}};
    order_after(run, from, to, order);
    for (size_t i = low; i <= high; i++) {
        const size_t at = order[i - run->begin];
        if (!put_item(&r->edit, &code->items[at], displacement_change(code, at, from, to)))
            return false;
    }
    size_t last = 0, moved_last = 0; /* last writers of flags in the old and the new order */
    for (size_t i = low; i <= high; i++) {
        last = code_writes(&code->items[i].insn) & CODE_FLAGS ? i : last;
        const size_t other = order[i - run->begin];
        moved_last = code_writes(&code->items[other].insn) & CODE_FLAGS ? other : moved_last;
    }
    r->changes = last != moved_last ? CODE_FLAGS : 0;
    return true;
}

/* ---- Enumeration --------------------------------------------------------------------------------------- */

/* Calls `visit` for each move within the run. Returns false if `visit` did. */
static bool each_move(const loop_code *code, const code_run *run, bool (*visit)(void *, const rewriting *),
                      void *context)
{
    for (size_t from = run->begin; from < run->end; from++) {
        for (size_t to = run->begin; to < run->end; to++) {
            const size_t distance = from < to ? to - from : from - to;
            /* A swap of two neighbours is a move of either; it is visited once. */
            rewriting r;
            if (distance == 0 || distance > FARTHEST || from == to + 1 || !may_move(code, run, from, to) ||
                !make_move(code, run, from, to, &r))
                continue;
            if (!visit(context, &r))
                return false;
        }
    }
    return true;
}

/* Finds the run that begins at item `i`, which may be empty. */
static code_run run_at(const loop_code *code, size_t i)
{
    code_run run = {i, i};
    while (run.end < code->count) {
        const code_insn *item = &code->items[run.end];
        const bool joins = run.end == i || (!item->leader && item[-1].insn.address + item[-1].insn.length ==
                                                                 item->insn.address);
        if (!item->executed || item->fixed || !joins || isa_forms[item->insn.form].branch != ISA_NOT_BRANCH)
            break;
        run.end++;
    }
    return run;
}

/* Visits the moves within each run, then the rules at each of its instructions and at the branch that ends it
 * (LOOP). */
void rewrite_each(const loop_code *code, bool (*visit)(void *context, const rewriting *r), void *context)
{
    for (size_t i = 0; i < code->count;) {
        const code_run run = run_at(code, i);
        if (!each_move(code, &run, visit, context))
            return;
        const code_insn *after = &code->items[run.end];
        const size_t end = run.end < code->count && after->executed && !after->fixed ? run.end + 1 : run.end;
        for (size_t at = i; at < end; at++)
            for (unsigned n = 0; n < rewrite_rule_count; n++) {
                rewriting r = {.edit = {.first = at, .count = 1}, .rule = n + 1};
                if (rewrite_by_rule(code, &run, at, n, &r) && !visit(context, &r))
                    return;
            }
        i = run.end + 1;
    }
}

/* ---- Description --------------------------------------------------------------------------------------------- */

/* Appends `text` to the `used` characters in `to`, after `between` if there are any. Returns the length,
 * which is `size` or more if it did not fit. */
static size_t add_text(char *to, size_t used, size_t size, const char *between, const char *text)
{
    if (used < size)
        used += (size_t)snprintf(to + used, size - used, "%s%s", used > 0 ? between : "", text);
    return used;
}

/* Writes the registers and flags that change, and the conditions under which the rewriting is right. */
static void describe_changes(const rewriting *r, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < 8; i++)
        if (r->changes >> i & 1)
            used = add_text(text, used, size, ", ", isa_gpr_names[i]);
    if (r->changes & (CODE_FLAGS | CODE_CARRY))
        used = add_text(text, used, size, ", ", "flags");
    if (r->needs_up)
        used = add_text(text, used, size, "; ", "DF has to be clear");
    if (r->needs_free)
        add_text(text, used, size, "; ", "the register must be free after the loop");
}

void rewrite_describe(const loop_code *code, const rewriting *r, char *text, size_t size, char *changes,
                      size_t changes_size)
{
    char one[80];
    size_t used = 0;
    uint32_t address = code->items[r->edit.first].insn.address;
    for (size_t i = 0; i < r->edit.count; i++) {
        const code_insn *item = &code->items[r->edit.first + i];
        isa_disassemble(code->decoder, &(isa_code){item->bytes, item->insn.length, item->insn.address, true},
                        one, sizeof one);
        used = add_text(text, used, size, "; ", one);
    }
    used = add_text(text, used, size, "", "  ->  ");
    for (size_t at = 0, length; at < r->edit.size; at += length) {
        length = isa_disassemble(
            code->decoder, &(isa_code){r->edit.bytes + at, r->edit.size - at, address + (uint32_t)at, true},
            one, sizeof one);
        if (length == 0)
            break;
        /* The displacement of a branch at the end is not filled in yet. */
        if (r->edit.jump_at > 0 && at + length == r->edit.size)
            snprintf(one + strcspn(one, " "), sizeof one - strcspn(one, " "), " 0x%x", r->edit.jump_target);
        used = add_text(text, used, size, at == 0 ? "" : "; ", one);
    }
    describe_changes(r, changes, changes_size);
}
