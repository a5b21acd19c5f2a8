#include "core/pipe/block.h"

#include <stdlib.h>
#include <string.h>

#include "base/host_line.h"
#include "core/memory/banks.h"
#include "core/memory/memory.h"
#include "core/pipe/agi.h"
#include "core/pipe/fpu.h"
#include "core/pipe/mmx.h"
#include "core/pipe/pairing.h"
#include "core/pipe/prefetch.h"

enum {
    EAX_BIT = 1,
    ESP_BIT = 1 << 4,
    ESI_BIT = 1 << 6,
    EDI_BIT = 1 << 7,
    REP_DEPTH = 8 /* PUSHA, POPA: eight references */
};

/* Returns the pairing class. P4: an instruction with displacement and immediate does not pair on the P54C,
 * and only as the first on the P55C. */
static uint8_t pair_class(const timing *t, const isa_form *form, const isa_insn *insn)
{
    uint8_t pair = form->pair[t->index];
    if (insn->has_disp && insn->has_imm && (pair == ISA_UV || pair == ISA_U))
        return t->fifo ? ISA_U : ISA_NP;
    return pair;
}

/* Prepares P3 and P5, the prefetch blocks of the instruction, and what F and D1 do with prefixes. */
static void prepare_decode(const timing *t, const isa_insn *insn, op *o)
{
    unsigned length = insn->length - (unsigned)insn->prefixes; /* prefixes not counted */
    unsigned escape = insn->escape_0f && o->branch != ISA_JCC;
    unsigned other = (unsigned)insn->prefixes - insn->size_prefixes;
    o->length = insn->length;
    const uint32_t last = o->address + o->length - 1u;
    o->last_block = last / PREFETCH_BLOCK;
    o->part = o->address / 8 % PREFETCH_PARTS;
    o->parts_behind = (uint8_t)(last / 8 - o->address / 8);
    o->two_blocks = last / PREFETCH_BLOCK != o->address / PREFETCH_BLOCK;
    o->d1_clocks = (uint8_t)(t->fifo ? 1 : 1 + insn->prefixes + escape);
    /* F: detect, length, push with 66h or 67h, one clock for every other prefix byte */
    o->f_clocks = (uint8_t)(1 + insn->prefixes + (insn->size_prefixes ? 1 : 0));
    o->push_two = length <= t->push_length;
    o->push_second = length <= t->push_length && insn->prefixes == 0;
    o->first = (o->pair == ISA_U || o->pair == ISA_UV || o->pair == ISA_FX) && length <= t->pair_length_u;
    o->long_second = length > t->pair_length_v;
    o->prefixed_second = t->fifo ? other > 0 : insn->prefixes + escape > 0;
}

static void prepare_registers(const isa_form *form, const isa_insn *insn, op *o)
{
    o->address_gpr = insn->address_gpr;
    o->use_gpr = insn->read_gpr | insn->address_gpr;
    o->def_gpr = insn->write_gpr;
    o->agi_gpr = insn->write_gpr;
    if (o->flags &
        ISA_STACK) { /* D2 computes the new ESP and forwards it to the next address without interlock */
        o->agi_gpr &= (uint8_t)~ESP_BIT;
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
        o->agi_gpr &= (uint8_t) ~(ESI_BIT | EDI_BIT);
    if ((o->flags & ISA_MOFFS) && o->unit == ISA_STORE)
        o->agi_gpr &= (uint8_t)~EAX_BIT; /* EAX counts as written for pairing only */
    o->read_mm = insn->read_mm;
    o->write_mm = insn->write_mm;
}

/* Prepares the clocks of references. A single store is made in the last EX clock (FST in its second), a read
 * in the first, and read and write of an RMW instruction in the first and last. */
static void prepare_accesses(const isa_form *form, const isa_insn *insn, op *o)
{
    bool two_strings = (form->traits & ISA_T_TWO_STRINGS) != 0;
    bool variable = (o->flags & ISA_VARIABLE_ACCESSES) != 0;
    o->accesses = variable ? 0 : insn->accesses;
    const bool store = o->unit == ISA_STORE || o->fp == ISA_FP_STORE || o->unit == ISA_MMX_STORE;
    if (o->accesses == 1 && store && o->clocks > 1)
        o->access_first = (uint8_t)(o->clocks < 255 ? o->clocks - 1 : 254);
    o->rep_accesses = two_strings ? 2 : 1;
    o->rep_clocks = form->cost == ISA_COST_REP ? (uint8_t)form->cost_args[0] : 1;
    o->pattern = variable && o->rep ? ACCESS_REP : o->accesses == REP_DEPTH ? ACCESS_TWO : ACCESS_SPREAD;
}

/* Prepares events 0Fh and 12h. LDTR, GDTR, IDTR and TR are segment registers, too; VERR and VERW restart the
 * pipe like a taken branch. */
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
    o->plain =
        o->integer && o->branch == ISA_NOT_BRANCH && o->cost == ISA_COST_FIXED && o->value == ISA_VALUE_NONE;
}

static void prepare_op(const timing *t, const isa_block *code, const isa_insn *insn, op *o)
{
    size_t size = insn->length < sizeof o->bytes ? insn->length : sizeof o->bytes;
    memcpy(o->bytes, code->bytes + (insn->address - code->linear), size);
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
    o->how = (uint8_t)((o->flags & ISA_MMX ? HOW_MMX : 0) | o->lock * HOW_LOCK);
    o->rep = insn->rep || insn->repne;
    o->imm8 = insn->imm8;
    o->operand_bytes = insn->operand_bytes;
    prepare_decode(t, insn, o);
    prepare_registers(form, insn, o);
    prepare_accesses(form, insn, o);
    prepare_events(form, o);
}

/* Returns whether `o` is a far transfer or loads a segment register; mode and descriptors decide which
 * references it makes. */
static bool op_varies(const op *o)
{
    return (o->cost == ISA_COST_SEGMENT_LOAD || o->cost == ISA_COST_FAR) && !(o->flags & ISA_SERIALISING);
}

/* Returns whether its clocks depend on the mode, or on mode and privilege. */
static bool cost_by_mode(const op *o)
{
    return o->cost == ISA_COST_MODE || o->cost == ISA_COST_RDTSC || op_varies(o);
}

/* Returns whether the cost depends only on the encoding, the operand value, the direction of the branch, mode
 * and privilege. */
static bool cost_is_plain(const op *o)
{
    switch (o->cost) {
    case ISA_COST_FIXED:
    case ISA_COST_MODE:
    case ISA_COST_RDTSC:
    case ISA_COST_ENTER:
    case ISA_COST_LOCKED:
    case ISA_COST_BSF:
    case ISA_COST_BSR:
    case ISA_COST_RCX:
    case ISA_COST_FDIV:
    case ISA_COST_FSQRT:
    case ISA_COST_TRIG:
    case ISA_COST_FPREM:
    case ISA_COST_X87_RANGE:
    case ISA_COST_LOOP:
        return true;
    default:
        return false;
    }
}

/* Returns whether the outcome depends only on what a memo key can hold, given empty write buffers. */
static bool can_be_remembered(const op *o)
{
    if (op_varies(o))
        return true;
    return cost_is_plain(o) && o->branch < ISA_FAR &&
           !(o->flags & (ISA_VARIABLE_ACCESSES | ISA_SERIALISING | ISA_IO | ISA_FAR_TRANSFER));
}

/* Returns whether the outcome of a REP string can be remembered. It depends on the count, too; if two strings
 * are compared, also on their banks, which a key cannot hold. */
static bool repeat_can_be_remembered(const op *o)
{
    return o->pattern == ACCESS_REP && o->cost == ISA_COST_REP && !(o->flags & ISA_IO) &&
           !(o->rep_accesses == 2 && (o->flags & ISA_WRITES_FLAGS));
}

/* Returns how many pairs of references may use the same bank when instruction `i` joins the one before it.
 * Stores the indices of their first references in `banks` unless that is NULL. */
static unsigned may_meet(const p5_block *block, unsigned i, uint16_t *banks)
{
    const op *o = &block->ops[i];
    unsigned first = block->access_start[i], end = block->access_start[i + 1], n = 0;
    if (i > 0 && o[-1].next_unpaired == PAIRED && o[-1].accesses > 0 && o->accesses > 0) {
        if (banks)
            banks[n] = (uint16_t)(first - 1);
        n++;
    }
    if (o->pattern == ACCESS_TWO)
        for (unsigned j = first; j + 1 < end; j += 2) {
            if (banks)
                banks[n] = (uint16_t)j;
            n++;
        }
    return n;
}

/* Adds instruction `i` to piece `p`. Returns false if it has to begin a new piece. */
static bool join(p5_block *block, piece *p, unsigned i)
{
    enum { MOST_AT_ONCE = REP_DEPTH };
    const op *o = &block->ops[i];
    unsigned banks = may_meet(block, i, NULL);
    unsigned accesses = (block->access_start[i + 1] - block->access_start[p->first]);
    const bool value = o->value != ISA_VALUE_NONE, varies = op_varies(o), by_mode = cost_by_mode(o);
    const bool changes_clocks = by_mode || (value && o->value != ISA_VALUE_SATURATED);
    const bool repeats = block->count == 1 && repeat_can_be_remembered(o);
    const bool memo = repeats || (can_be_remembered(o) && banks <= PIECE_BANKS);
    /* an instruction that cannot be remembered may still wait for its partner */
    const bool partner = !p->memo && p->count == 1 && o[-1].first && memo;
    if (p->count > 0 && !partner &&
        (!p->memo || !memo || varies || p->varies || p->count == PIECE_MOST || accesses > PIECE_ACCESSES ||
         p->bank_count + banks > PIECE_BANKS || p->value_count + value > PIECE_VALUES ||
         (changes_clocks && !p->only_saturates)))
        return false;
    p->memo = memo && !partner;
    p->repeats = repeats;
    p->varies = varies;
    p->count++;
    p->access_bytes = (uint16_t)(accesses * sizeof(p5_access));
    p->by_mode |= by_mode;
    p->only_saturates &= !changes_clocks;
    if (value)
        p->value_ops[p->value_count++] = (uint16_t)i;
    if (p->memo) {
        uint16_t found[MOST_AT_ONCE];
        may_meet(block, i, found);
        for (unsigned j = 0; j < banks; j++)
            p->bank_first[p->bank_count++] =
                (int16_t)((found[j] - block->access_start[p->first]) * (int)sizeof(p5_access));
    }
    return true;
}

/* Begins the piece after `before` (NULL: the first) with instruction `i`, before which the block has `values`
 * operand values. Returns NULL if memory runs out. */
static piece *begin_piece(p5_block *block, piece *before, unsigned i, unsigned values)
{
    piece *p = before ? host_line_calloc(sizeof *p) : &block->first;
    if (!p)
        return NULL;
    p->block = block;
    p->first = (uint16_t)i;
    p->first_value = (uint16_t)values;
    p->only_saturates = true;
    if (before)
        before->next = p;
    join(block, p, i);
    return p;
}

/* Cuts the block into pieces, so that the number of paths through each stays small. Returns false if memory
 * runs out. */
static bool prepare_pieces(p5_block *block)
{
    unsigned values = 0;
    piece *p = NULL;
    for (unsigned i = 0; i < block->count; i++) {
        if (!p || !join(block, p, i))
            p = begin_piece(block, p, i, values);
        if (!p)
            return false;
        values += block->ops[i].value != ISA_VALUE_NONE;
    }
    block->plain = !block->locks;
    for (p = &block->first; p; p = p->next) {
        p->near = !p->next && block->near ? UINT8_MAX : 0;
        p->by_direction = p->near != 0 && block->ops[block->count - 1].cost != ISA_COST_FIXED;
        p->page = tlb_key(piece_begin(p), false);
        p->has_variants = p->bank_count || p->value_count || p->by_direction || p->by_mode || p->repeats;
        block->plain &= p->memo && !p->repeats && !p->varies;
        block->varies = p->varies;
    }
    block->value_count = (uint16_t)values;
    return true;
}

/* Prepares the members that describe the block as a whole. */
static void prepare_whole(p5_block *block)
{
    const op *last = &block->ops[block->count - 1];
    const isa_block *code = block->code;
    block->page = code->physical & ~0xfffu;
    block->line_count = (code->linear % CACHE_LINE + code->size - 1u) / CACHE_LINE + 1;
    for (unsigned i = 0; i < block->count; i++) {
        block->locks |= block->ops[i].lock != LOCK_NONE;
        block->mmx |= (block->ops[i].flags & ISA_MMX) != 0;
    }
    block->conditional = last->branch == ISA_JCC || last->branch == ISA_LOOP;
    block->branch_kind = last->branch;
    block->near = last->branch != ISA_NOT_BRANCH && last->branch < ISA_FAR;
    block->branch_address = last->address;
    block->fall_through = last->address + last->length;
    block->access_count = block->access_start[block->count];
    block->first.block_bytes = (uint16_t)(block->access_count * sizeof(p5_access));
}

p5_retired piece_retired(const p5_retired *r, const piece *p, const p5_access *accesses,
                         const p5_value *values)
{
    p5_retired part = *r;
    part.first = p->first;
    part.count = p->count;
    part.accesses = accesses;
    part.values = values;
    part.value_count = p->value_count;
    if (!p->next) { /* the stretch's other members describe its last instruction */
        part.access_count = (uint32_t)(r->accesses + r->access_count - accesses);
        return part;
    }
    part.access_count = p->access_bytes / sizeof(p5_access);
    part.next = piece_end(p);
    part.cpl_after = r->cpl;
    part.repeats = 0;
    part.gate = P5_GATE_NONE;
    part.interrupted = part.descriptor = false;
    return part;
}

/* Returns an upper bound of the clocks between the end of the instruction before and that of `o`, when every
 * reference hits. It is the clocks in the stage that `o` keeps longest, plus what it can wait for because of
 * its neighbours, plus the length of units that continue after EX. */
static uint16_t most_clocks(const op *o)
{
    enum {
        STALLS = AGI_CLOCKS + BANK_CLOCKS,
        UNIT = 8, /* results of the x87 and MMX pipes */
        BY_OPERANDS = 256
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
static void add_switches(const timing *t, p5_block *block)
{
    uint32_t before = 0;
    for (unsigned i = 0; i < block->count; i++) {
        op *o = &block->ops[i];
        uint32_t kind = (o->flags & ISA_MMX) ? ISA_MMX : o->flags & ISA_X87;
        if (kind == 0)
            continue;
        uint32_t clocks = kind == ISA_MMX ? t->mmx_after_x87 : t->x87_after_mmx;
        if (before == 0) {
            block->first_switch = clocks;
            block->first_mode = kind == ISA_MMX ? MODE_MMX : MODE_X87;
        } else if (kind != before) {
            o->most_clocks = (uint16_t)(o->most_clocks + clocks);
        }
        before = kind;
    }
}

p5_block *block_prepare(const timing *t, isa_block *code)
{
    p5_block *block = host_line_calloc(sizeof *block);
    if (!block) {
        isa_block_free(code);
        return NULL;
    }
    block->code = code;
    block->count = code->count;
    size_t n = block->count ? block->count : 1;
    block->ops = calloc(n, sizeof *block->ops);
    block->access_start = calloc(n + 1, sizeof *block->access_start);
    if (!block->ops || !block->access_start) {
        block_free(block);
        return NULL;
    }
    for (unsigned i = 0; i < block->count; i++) {
        prepare_op(t, code, &code->insns[i], &block->ops[i]);
        block->access_start[i + 1] = (uint16_t)(block->access_start[i] + block->ops[i].accesses);
        block->ops[i].most_clocks = most_clocks(&block->ops[i]);
        if (i > 0)
            block->ops[i - 1].next_unpaired = (uint8_t)pairing_check(&block->ops[i - 1], &block->ops[i]);
    }
    add_switches(t, block);
    for (unsigned i = 0; i < block->count; i++)
        block->most_clocks += block->ops[i].most_clocks;
    if (block->count > 0) {
        block->ops[block->count - 1].next_unpaired = UNPAIRED_ALONE;
        prepare_whole(block);
        if (!prepare_pieces(block)) {
            block_free(block);
            return NULL;
        }
    }
    return block;
}

void block_free(p5_block *block)
{
    if (!block)
        return;
    isa_block_free(block->code);
    free(block->ops);
    free(block->access_start);
    for (piece *p = block->first.next, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    free(block);
}
