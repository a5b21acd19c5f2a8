/* Makes basic blocks: runs of decoded instructions that are executed in order. A block has a count of its users, and
 * the last isa_block_free frees it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "isa/isa.h"

enum { MAX_BLOCK_INSNS = UINT16_MAX }; /* the range of isa_block.count */

/* Returns whether the instruction ends its block, because it may transfer control or raises #UD. */
static bool ends_block(const isa_insn *insn)
{
    return isa_forms[insn->form].branch != ISA_NOT_BRANCH || insn->flags & ISA_UNDEFINED;
}

/* Makes a block of copies of `count` instructions and their bytes, with one user. */
isa_block *isa_block_make(const isa_insn *insns, unsigned count, const uint8_t *bytes, uint32_t linear,
                          uint32_t physical, bool code32)
{
    uint32_t size = 0;
    for (unsigned i = 0; i < count; i++)
        size += insns[i].length;
    assert(count <= MAX_BLOCK_INSNS);
    assert(size <= UINT16_MAX);
    isa_block *block = malloc(sizeof *block);
    if (block == NULL)
        return NULL;
    *block = (isa_block){.users = 1,
                         .linear = linear,
                         .physical = physical,
                         .count = (uint16_t)count,
                         .size = (uint16_t)size,
                         .code32 = code32,
                         /* The additional byte ensures that NULL means an error even for an empty block. */
                         .insns = malloc(count * sizeof *insns + 1),
                         .bytes = malloc(size + 1)};
    if (block->insns == NULL || block->bytes == NULL) {
        isa_block_free(block);
        return NULL;
    }
    if (count != 0) {
        memcpy(block->insns, insns, count * sizeof *insns);
        memcpy(block->bytes, bytes, size);
    }
    return block;
}

/* Decodes instructions until one ends the block, `code` ends within one, or there are `max_insns`. */
isa_block *isa_block_decode(isa_decoder *decoder, const isa_code *code, uint32_t physical, unsigned max_insns)
{
    ARRAY_OF(isa_insn) insns = {0};
    size_t used = 0;
    if (max_insns > MAX_BLOCK_INSNS)
        max_insns = MAX_BLOCK_INSNS;
    while (insns.count < max_insns) {
        isa_insn insn;
        if (!isa_decode(decoder, code->bytes + used, code->size - used, code->linear + (uint32_t)used,
                        code->code32, &insn) ||
            used + insn.length > UINT16_MAX) /* the range of isa_block.size */
            break;
        if (!ARRAY_ADD(&insns, insn)) {
            free(insns.items);
            return NULL;
        }
        used += insn.length;
        assert(insn.length > 0 && insn.length <= ISA_LONGEST);
        assert(used <= code->size);
        if (ends_block(&insn))
            break;
    }
    isa_block *block =
        isa_block_make(insns.items, (unsigned)insns.count, code->bytes, code->linear, physical, code->code32);
    free(insns.items);
    return block;
}

isa_block *isa_block_share(isa_block *block)
{
    assert(block->users > 0);
    block->users++;
    return block;
}

void isa_block_free(isa_block *block)
{
    assert(block == NULL || block->users > 0);
    if (block == NULL || --block->users != 0)
        return;
    free(block->insns);
    free(block->bytes);
    free(block);
}
