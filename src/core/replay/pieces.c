/* Cuts basic blocks into pieces, the units that the memo remembers (pieces.h). A piece ends at a limit of memo_block.h
 * (PIECE_*), at a second instruction whose clocks vary, and around an instruction that cannot be remembered. A *key* is
 * the number that distinguishes executions of a piece by bank conflicts, operand values, mode and direction
 * (memo_variant.h). */
#include "core/replay/pieces.h"

#include <assert.h>
#include <stdlib.h>

#include "core/memory/data_answer.h"
#include "core/memory/data_cache.h"
#include "core/memory/tlb.h"

/* Returns whether the instruction's clocks depend on the mode, or on mode and privilege. */
static bool cost_by_mode(const op *o)
{
    return o->cost == ISA_COST_MODE || o->cost == ISA_COST_RDTSC || op_varies(o);
}

/* Returns whether the instruction's clocks depend only on the encoding, the operand value, the direction of the
 * branch, mode and privilege. */
static bool cost_has_key(const op *o)
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

/* Returns whether the instruction's outcome depends only on what a key can hold, on the pipe's state, and on the
 * results of lookups. */
static bool can_be_remembered(const op *o)
{
    if (op_varies(o))
        return true;
    return cost_has_key(o) && o->branch < ISA_FAR &&
           !(o->flags & (ISA_VARIABLE_ACCESSES | ISA_SERIALISING | ISA_IO | ISA_FAR_TRANSFER));
}

/* Returns in how many code lines the instructions from `first` to `last` lie. */
static unsigned lines_to(const p5_block *block, unsigned first, unsigned last)
{
    const op *begin = &block->ops[first], *end = &block->ops[last];
    return (end->address + end->length - 1) / CACHE_LINE - begin->address / CACHE_LINE + 1;
}

/* Returns whether the outcome of a REP string can be remembered. Its key is the count of iterations. CMPS cannot: its
 * two reads of one clock may use the same bank in any iteration, which the key cannot hold. */
static bool repeat_can_be_remembered(const op *o)
{
    return o->pattern == ACCESS_REP && o->cost == ISA_COST_REP && !(o->flags & ISA_IO) &&
           !(o->rep_accesses == 2 && (o->flags & ISA_WRITES_FLAGS));
}

/* Returns how many pairs of references, with the second one made by instruction `i`, may need the same bank in the same
 * clock. Such a pair is two references of PUSHA or POPA, or the last one of the instruction before and the first one of
 * `i` if these two instructions issue together. Stores the index of each pair's first reference in `banks` unless that
 * is NULL. */
static unsigned may_meet(const p5_block *block, unsigned i, uint32_t *banks)
{
    assert(i < block->count);
    const op *o = &block->ops[i];
    unsigned first = block->access_start[i], end = block->access_start[i + 1], n = 0;
    if (i > 0 && o[-1].next_unpaired == PAIRED && o[-1].accesses > 0 && o->accesses > 0) {
        if (banks)
            banks[n] = first - 1;
        n++;
    }
    if (o->pattern == ACCESS_TWO)
        for (unsigned j = first; j + 1 < end; j += 2) {
            if (banks)
                banks[n] = j;
            n++;
        }
    return n;
}

/* Adds instruction `i` to piece `p`, which is empty or ends directly before it. Returns false without a change if the
 * instruction has to begin a new piece. An empty piece takes any instruction. */
static bool join(p5_block *block, piece *p, unsigned i)
{
    const op *o = &block->ops[i];
    unsigned banks = may_meet(block, i, NULL);
    unsigned accesses = block->access_start[i + 1] - block->access_start[p->first];
    const bool value = o->value != ISA_VALUE_NONE, varies = op_varies(o), by_mode = cost_by_mode(o);
    const bool changes_clocks = by_mode || (value && o->value != ISA_VALUE_SATURATED);
    const bool repeats = block->count == 1 && repeat_can_be_remembered(o);
    const bool memo = repeats || (can_be_remembered(o) && banks <= PIECE_BANKS);
    /* If the piece is one instruction that cannot be remembered and may be the first of a pair (op.first), the next one
     * joins it, and both take the exact path. */
    const bool partner = !p->memo && p->count == 1 && o[-1].first && memo;
    if (p->count > 0 && !partner &&
        (!p->memo || !memo || varies || p->varies || p->count == PIECE_MOST || accesses > PIECE_ACCESSES ||
         lines_to(block, p->first, i) > PIECE_LINES || p->bank_count + banks > PIECE_BANKS ||
         p->value_count + value > PIECE_VALUES || (changes_clocks && !p->clocks_fixed)))
        return false;
    /* not more than PIECE_ACCESSES, or those of one or two instructions */
    assert(accesses * sizeof(p5_access) <= UINT16_MAX);
    p->memo = memo && !partner;
    p->repeats = repeats;
    p->varies = varies;
    p->count++;
    p->access_bytes = (uint16_t)(accesses * sizeof(p5_access));
    p->by_mode |= by_mode;
    p->clocks_fixed &= !changes_clocks;
    if (value)
        p->value_ops[p->value_count++] = (uint16_t)i;
    if (p->memo) {
        uint32_t found[PIECE_BANKS];
        may_meet(block, i, found);
        for (unsigned j = 0; j < banks; j++)
            p->bank_first[p->bank_count++] =
                (int16_t)((int)(found[j] - block->access_start[p->first]) * (int)sizeof(p5_access));
    }
    return true;
}

/* Begins the piece after `before` (NULL: the first) with instruction `i`, before which the block has `values`
 * operand values. Returns NULL if memory runs out. */
static piece *begin_piece(p5_block *block, piece *before, unsigned i, unsigned values)
{
    piece *p = before ? host_line_calloc(sizeof *p) : &block->memo.first;
    if (!p)
        return NULL;
    p->block = block;
    p->first = (uint16_t)i;
    p->first_value = (uint16_t)values;
    p->clocks_fixed = true;
    if (before)
        before->next = p;
    join(block, p, i);
    return p;
}

/* Cuts the block into pieces, and sets all their members and block->memo. Returns false if memory runs out; the caller
 * then frees the pieces made so far. */
bool pieces_prepare(p5_block *block)
{
    assert(block->count > 0 && block->ops != NULL);
    unsigned values = 0;
    piece *p = NULL;
    for (unsigned i = 0; i < block->count; i++) {
        if (!p || !join(block, p, i))
            p = begin_piece(block, p, i, values);
        if (!p)
            return false;
        values += block->ops[i].value != ISA_VALUE_NONE;
    }
    memo_block *const memo = &block->memo;
    memo->fixed = true;
    for (unsigned i = 0; i < block->count; i++) {
        memo->fixed &= block->ops[i].lock == LOCK_NONE;
        memo->mmx |= (block->ops[i].flags & ISA_MMX) != 0;
    }
    memo->first.block_bytes = block->access_count * (uint32_t)sizeof(p5_access);
    for (p = &memo->first; p; p = p->next) {
        p->predicted = !p->next && block->near ? UINT8_MAX : 0;
        p->by_direction = p->predicted != 0 && block->ops[block->count - 1].cost != ISA_COST_FIXED;
        p->page = tlb_key(piece_begin(p), false);
        p->has_variants = p->bank_count || p->value_count || p->by_direction || p->by_mode || p->repeats;
        memo->fixed &= p->memo && !p->repeats && !p->varies;
        memo->varies = p->varies; /* in the end that of the last piece */
    }
    return true;
}

/* Returns the execution of one piece of the stretch `r`, a whole block, as a stretch by itself. `r` has no marks of x87
 * operands: their array begins with the block's first instruction. */
p5_retired piece_retired(const p5_retired *r, const piece *p, const p5_access *accesses,
                         const p5_value *values)
{
    assert(!r->unsafe_x87);
    p5_retired part = *r;
    part.first = p->first;
    part.count = p->count;
    part.accesses = accesses;
    part.values = values;
    part.value_count = p->value_count;
    if (!p->next) { /* the members that describe the stretch's last instruction stay, for example `gate` */
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

/* Frees the pieces after the first, which is part of the block. */
void pieces_free(memo_block *memo)
{
    for (piece *p = memo->first.next, *next; p; p = next) {
        next = p->next;
        free(p);
    }
}
