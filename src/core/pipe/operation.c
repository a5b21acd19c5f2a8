/* Prepares decoded instructions for the pipe: fills in `op` from the instruction and its form, the row of the
 * instruction table. t->fifo is true for the P55C, and false for the P54C. */
#include "core/pipe/operation.h"

#include <assert.h>
#include <string.h>

#include "core/memory/banks.h"
#include "core/memory/memory.h"
#include "core/pipe/agi.h"
#include "core/pipe/fpu.h"
#include "core/pipe/mmx.h"
#include "core/pipe/pairing.h"
#include "core/pipe/prefetch.h"

enum { PUSHA_ACCESSES = 8 }; /* of PUSHA and POPA, the only instructions with so many */

/* Returns the pairing class (isa_pair). P4: an instruction with displacement and immediate does not pair on the P54C,
 * and only as the first on the P55C. */
static uint8_t pair_class(const timing *t, const isa_form *form, const isa_insn *insn)
{
    uint8_t pair = form->pair[t->index];
    if (insn->has_disp && insn->has_imm && (pair == ISA_UV || pair == ISA_U))
        return t->fifo ? ISA_U : ISA_NP;
    return pair;
}

/* Prepares what pairing rules P3 (length) and P5 (prefixes) need, the prefetch blocks of the instruction, and what F
 * and D1 do with prefixes. */
static void prepare_decode(const timing *t, const isa_insn *insn, op *o)
{
    unsigned length = insn->length - (unsigned)insn->prefixes; /* prefixes not counted */
    unsigned escape =
        insn->escape_0f && o->branch != ISA_JCC; /* the 0Fh byte counts as a prefix on the P54C */
    bool other_prefixes = insn->prefixes > insn->size_prefixes; /* than 66h and 67h */
    o->length = insn->length;
    const uint32_t last = o->address + o->length - 1u;
    o->last_block = last / PREFETCH_BLOCK;
    o->part = o->address / 8 % PREFETCH_PARTS;
    o->parts_after = (uint8_t)(last / 8 - o->address / 8);
    o->two_blocks = last / PREFETCH_BLOCK != o->address / PREFETCH_BLOCK;
    o->d1_clocks = (uint8_t)(t->fifo ? 1 : 1 + insn->prefixes + escape);
    /* one clock for each prefix and one to push the instruction; one more if 66h or 67h may change its length */
    o->f_clocks = (uint8_t)(1 + insn->prefixes + (insn->size_prefixes ? 1 : 0));
    o->push_two = length <= t->push_length;
    o->push_second = length <= t->push_length && insn->prefixes == 0;
    o->first = (o->pair == ISA_U || o->pair == ISA_UV || o->pair == ISA_FX) && length <= t->pair_length_u;
    o->long_second = length > t->pair_length_v;
    o->prefixed_second = t->fifo ? other_prefixes : insn->prefixes + escape > 0;
}

/* Prepares which registers the instruction reads and writes, for pairing and for address generation. */
static void prepare_registers(const isa_form *form, const isa_insn *insn, op *o)
{
    o->address_gpr = insn->address_gpr;
    o->use_gpr = insn->read_gpr | insn->address_gpr;
    o->def_gpr = insn->write_gpr;
    o->agi_gpr = insn->write_gpr;
    if (o->flags & ISA_STACK) {
        /* D2 computes the new ESP and forwards it to the next address without interlock. */
        o->agi_gpr &= (uint8_t) ~(1 << ISA_ESP);
        o->stack_group = STACK_OTHER;
        if (form->traits & ISA_T_PUSH)
            o->stack_group = STACK_PUSH;
        else if (form->traits & ISA_T_POP)
            o->stack_group = STACK_POP;
        else if (o->branch == ISA_CALL)
            o->stack_group = STACK_CALL;
    }
    /* String instructions step ESI and EDI in D2's adder, as PUSH steps ESP. Measured in streams of the same
     * instruction: 2 clocks for LODS, 4 for SCAS and 5 for CMPS, without interlock. */
    if (o->flags & ISA_STRING)
        o->agi_gpr &= (uint8_t) ~((1 << ISA_ESI) | (1 << ISA_EDI));
    if ((o->flags & ISA_MOFFS) && o->unit == ISA_STORE)
        o->agi_gpr &= (uint8_t) ~(1 << ISA_EAX); /* EAX counts as written for pairing only */
    o->read_mm = insn->read_mm;
    o->write_mm = insn->write_mm;
}

/* Prepares the number of data references and the EX clocks in which they are made. A single store is made in the last
 * EX clock (FST in its second), a read in the first, and read and write of an RMW instruction in the first and
 * last. */
static void prepare_accesses(const isa_form *form, const isa_insn *insn, op *o)
{
    bool two_strings = (form->traits & ISA_T_TWO_STRINGS) != 0;
    bool variable = (o->flags & ISA_VARIABLE_ACCESSES) != 0;
    o->accesses = variable ? 0 : insn->accesses;
    const bool store = o->unit == ISA_STORE || o->fp == ISA_FP_STORE || o->unit == ISA_MMX_STORE;
    if (o->accesses == 1 && store && o->clocks > 1)
        o->single_access_clock = (uint8_t)(o->clocks < 255 ? o->clocks - 1 : 254);
    o->rep_accesses = two_strings ? 2 : 1;
    o->rep_clocks = form->cost == ISA_COST_REP ? (uint8_t)form->cost_args[0] : 1;
    o->pattern = variable && o->rep ? ACCESS_REP : o->accesses == PUSHA_ACCESSES ? ACCESS_TWO : ACCESS_SPREAD;
}

/* Prepares what events other than those of references depend on: above all 0Fh (loads of segment registers, and of
 * LDTR, GDTR, IDTR and TR) and 12h (branches; VERR and VERW restart the pipe like a taken branch). */
static void prepare_events(const isa_form *form, op *o)
{
    o->segment_loads =
        (o->flags & (ISA_SEGMENT_LOAD | ISA_FAR_TRANSFER)) || (form->traits & ISA_T_TABLE_LOAD);
    o->branch_like = (form->traits & ISA_T_VERIFY) != 0;
    o->far_return = (form->traits & ISA_T_FAR_RETURN) != 0;
    o->fst = o->memory && (form->traits & ISA_T_STORE_ST);
    o->loads_ss = (form->traits & ISA_T_LOADS_SS) != 0;
    o->loads_segment = (o->flags & ISA_SEGMENT_LOAD) != 0;
    o->integer = !(o->flags & (ISA_X87 | ISA_MMX | ISA_FLOP | ISA_SATURATING | ISA_SERIALISING)) &&
                 o->unit != ISA_INT_MUL && !o->segment_loads && !o->branch_like;
    o->simple =
        o->integer && o->branch == ISA_NOT_BRANCH && o->cost == ISA_COST_FIXED && o->value == ISA_VALUE_NONE;
}

/* Fills in everything but next_unpaired and most_clocks. */
static void prepare_op(const timing *t, const isa_block *code, const isa_insn *insn, op *o)
{
    assert(insn->length > 0 && insn->length <= ISA_LONGEST);
    memcpy(o->bytes, code->bytes + (insn->address - code->linear), insn->length);
    o->code32 = code->code32;
    const isa_form *form = &isa_forms[insn->form];
    o->address = insn->address;
    o->target = insn->target;
    o->flags = insn->flags;
    o->form = insn->form;
    o->clocks = form->clocks[t->index] ? form->clocks[t->index] : 1;
    o->pair = pair_class(t, form, insn);
    o->unit = form->unit;
    o->fp = form->fp;
    o->branch = form->branch;
    o->value = form->value;
    o->cost = form->cost;
    o->int_overlap = form->int_overlap;
    o->fp_overlap = form->fp_overlap;
    o->fp_index = insn->fp_index;
    o->fp_to_sti = insn->fp_to_sti;
    o->fp_push = form->fp_push;
    o->memory = insn->memory;
    o->read_st = fpu_sources(o);
    o->lock = (uint8_t)(insn->memory && (insn->flags & ISA_IMPLICIT_LOCK) ? LOCK_EXCHANGE /* XCHG only */
                        : insn->lock                                      ? LOCK_MODIFY
                                                                          : LOCK_NONE);
    o->traits = (uint8_t)((o->flags & ISA_MMX ? TRAIT_MMX : 0) | o->lock * TRAIT_LOCK);
    o->rep = insn->rep || insn->repne;
    o->imm8 = insn->imm8;
    o->operand_bytes = insn->operand_bytes;
    prepare_decode(t, insn, o);
    prepare_registers(form, insn, o);
    prepare_accesses(form, insn, o);
    prepare_events(form, o);
}

bool op_varies(const op *o)
{
    return o->cost == ISA_COST_SEGMENT_LOAD || o->cost == ISA_COST_FAR;
}

/* Returns an upper bound of the clocks between the end of the instruction before and that of `o`, when every
 * reference hits. It is the clocks in the stage that `o` keeps longest, plus what it can wait for because of
 * its neighbours, plus the length of units that continue after EX. */
static uint16_t most_clocks(const op *o)
{
    assert(o->clocks > 0);
    enum {
        STALLS = AGI_CLOCKS + BANK_CLOCKS,
        UNIT = 8,         /* clocks until results of the x87 and MMX pipes are ready */
        BY_OPERANDS = 256 /* most clocks that mode, count and operands add */
    };
    unsigned stage = o->clocks > o->f_clocks ? o->clocks : o->f_clocks;
    stage = stage > o->d1_clocks ? stage : o->d1_clocks;
    if (o->cost != ISA_COST_FIXED && o->cost != ISA_COST_LOOP)
        stage += BY_OPERANDS;
    if ((o->flags & (ISA_X87 | ISA_MMX)) || o->unit == ISA_INT_MUL)
        stage += UNIT;
    return (uint16_t)(stage + STALLS);
}

/* Adds the clocks of switches to MMX and x87 instructions that follow the other kind in the block. The first
 * one may switch as well, depending on what ran before. */
static op_switch add_switches(const timing *t, op *ops, unsigned count)
{
    op_switch first = {0};
    uint32_t before = 0; /* kind of the last such instruction: ISA_MMX or ISA_X87 */
    for (unsigned i = 0; i < count; i++) {
        op *o = &ops[i];
        uint32_t kind = (o->flags & ISA_MMX) ? ISA_MMX : o->flags & ISA_X87;
        if (kind == 0)
            continue;
        uint32_t clocks = kind == ISA_MMX ? t->mmx_after_x87 : t->x87_after_mmx;
        if (before == 0)
            first = (op_switch){clocks, kind == ISA_MMX ? MODE_MMX : MODE_X87};
        else if (kind != before)
            o->most_clocks = (uint16_t)(o->most_clocks + clocks);
        before = kind;
    }
    return first;
}

op_switch ops_prepare(const timing *t, const isa_block *code, op *ops)
{
    for (unsigned i = 0; i < code->count; i++) {
        prepare_op(t, code, &code->insns[i], &ops[i]);
        ops[i].most_clocks = most_clocks(&ops[i]);
        if (i > 0)
            ops[i - 1].next_unpaired = (uint8_t)pairing_check(&ops[i - 1], &ops[i]);
    }
    if (code->count > 0)
        ops[code->count - 1].next_unpaired = UNPAIRED_ALONE;
    return add_switches(t, ops, code->count);
}
