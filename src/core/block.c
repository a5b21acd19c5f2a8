/* Prepares basic blocks for pricing, and frees them. */
#include "core/block.h"

#include <stdlib.h>

#include "core/memory/code_cache.h"
#include "core/replay/pieces.h"

/* Sets the members that follow from the operations of the whole block (`ops`), which are complete. */
static void derive_members(p5_block *block)
{
    for (unsigned i = 0; i < block->count; i++) {
        const op *o = &block->ops[i];
        block->access_start[i + 1] = block->access_start[i] + o->accesses;
        block->most_clocks += o->most_clocks;
        block->value_count = (uint16_t)(block->value_count + (o->value != ISA_VALUE_NONE));
    }
    const op *last = &block->ops[block->count - 1];
    const isa_block *code = block->code;
    block->page = code->physical & ~0xfffu;
    block->line_count = (code->linear % CACHE_LINE + code->size - 1u) / CACHE_LINE + 1;
    block->conditional = last->branch == ISA_JCC || last->branch == ISA_LOOP;
    block->branch_kind = last->branch;
    block->near = last->branch != ISA_NOT_BRANCH && last->branch < ISA_FAR; /* isa_branch: near ones first */
    block->branch_address = last->address;
    block->fall_through = last->address + last->length;
    block->access_count = block->access_start[block->count];
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
    size_t n = block->count ? block->count : 1; /* calloc(0) may return NULL */
    block->ops = calloc(n, sizeof *block->ops);
    block->access_start = calloc(n + 1, sizeof *block->access_start);
    if (!block->ops || !block->access_start) {
        block_free(block);
        return NULL;
    }
    block->first_switch = ops_prepare(t, code, block->ops); /* fills `ops` */
    if (block->count > 0) {
        derive_members(block);
        if (!pieces_prepare(block)) { /* cuts the block for the memo */
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
    pieces_free(&block->memo);
    free(block);
}
