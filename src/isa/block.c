/* Straight runs of instructions. */
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

enum { MAX_BLOCK_INSNS = UINT16_MAX };

/* A block ends after an instruction that may send control elsewhere. */
static bool ends_block(const isa_insn *insn)
{
    return isa_forms[insn->form].branch != ISA_NOT_BRANCH || insn->flags & ISA_UNDEFINED;
}

isa_block *isa_block_decode(isa_decoder *decoder, const uint8_t *bytes, size_t size, uint32_t linear,
                            uint32_t physical, bool code32, unsigned max_insns)
{
    isa_insn *insns = NULL;
    unsigned count = 0, capacity = 0;
    size_t used = 0;
    isa_block *block = calloc(1, sizeof *block);
    if (block == NULL)
        return NULL;
    if (max_insns > MAX_BLOCK_INSNS)
        max_insns = MAX_BLOCK_INSNS;
    while (count < max_insns) {
        isa_insn insn;
        if (!isa_decode(decoder, bytes + used, size - used, linear + (uint32_t)used, code32, &insn) ||
            used + insn.length > UINT16_MAX)
            break;
        if (count == capacity) {
            capacity = capacity == 0 ? 16 : 2 * capacity;
            isa_insn *grown = realloc(insns, capacity * sizeof *insns);
            if (grown == NULL)
                goto out_of_memory;
            insns = grown;
        }
        insns[count++] = insn;
        used += insn.length;
        if (ends_block(&insn))
            break;
    }
    block->linear = linear;
    block->physical = physical;
    block->count = (uint16_t)count;
    block->size = (uint16_t)used;
    block->code32 = code32;
    block->insns = insns;
    block->bytes = malloc(used == 0 ? 1 : used);
    if (block->bytes == NULL)
        goto out_of_memory;
    memcpy(block->bytes, bytes, used);
    return block;

out_of_memory:
    free(insns);
    free(block);
    return NULL;
}

void isa_block_free(isa_block *block)
{
    if (block == NULL)
        return;
    free(block->insns);
    free(block->bytes);
    free(block);
}
