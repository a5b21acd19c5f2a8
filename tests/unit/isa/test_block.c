/* Blocks: where they end, and that they keep their addresses, instructions and bytes. */
#include <string.h>

#include "../unit.h"
#include "isa/isa.h"

static const uint8_t code[] = {
    0x8b, 0x03,       /* mov eax,[ebx] */
    0x40,             /* inc eax */
    0x75, 0xfb,       /* jnz -5: back to the first */
    0x0f, 0x0b,       /* ud2 */
    0xb8, 0x01, 0x00, /* mov eax,imm32, cut off */
};

enum { LINEAR = 0x8000, PHYSICAL = 0x18000 };

/* Decodes part of `code` as 32-bit code that begins at LINEAR and PHYSICAL. A block needs no decoder any more. */
static isa_block *decode(unsigned offset, unsigned size, unsigned max_insns)
{
    isa_decoder *decoder = isa_decoder_open(ISA_P55C);
    assert_non_null(decoder);
    const isa_code part = {code + offset, size, LINEAR + offset, .code32 = true};
    isa_block *block = isa_block_decode(decoder, &part, PHYSICAL + offset, max_insns);
    assert_non_null(block);
    isa_decoder_close(decoder);
    return block;
}

TEST(test_ends_after_branch)
{
    isa_block *block = decode(0, sizeof code, 100);
    assert_int_equal(block->count, 3);
    assert_int_equal(block->size, 5);
    assert_int_equal(block->linear, LINEAR);
    assert_int_equal(block->physical, PHYSICAL);
    assert_true(block->code32);
    assert_int_equal(block->insns[1].address, LINEAR + 2);
    assert_int_equal(block->insns[2].target, LINEAR);
    assert_ptr_not_equal(block->bytes, code);
    assert_memory_equal(block->bytes, code, 5);
    isa_block_free(block);
}

TEST(test_ends_at_limit)
{
    isa_block *block = decode(0, sizeof code, 2);
    assert_int_equal(block->count, 2);
    assert_int_equal(block->size, 3);
    isa_block_free(block);
}

TEST(test_ends_after_undefined)
{
    isa_block *block = decode(5, sizeof code - 5, 100);
    assert_int_equal(block->count, 1);
    assert_true(block->insns[0].flags & ISA_UNDEFINED);
    assert_int_equal(block->size, 2);
    isa_block_free(block);
}

TEST(test_only_whole_instructions)
{
    isa_block *block = decode(2, 2, 100); /* inc eax, half a jnz */
    assert_int_equal(block->count, 1);
    assert_int_equal(block->size, 1);
    isa_block_free(block);
    block = decode(7, 3, 100);
    assert_int_equal(block->count, 0);
    assert_int_equal(block->size, 0);
    isa_block_free(block);
    isa_block_free(NULL);
}
