/* The pipe's figures of a built-in processor and blocks for it, for tests that drive the pipe without a core. */
#ifndef TEST_MODEL_TIMING_H
#define TEST_MODEL_TIMING_H

#include <stdio.h>
#include <stdlib.h>

#include "../unit.h"
#include "core/block.h"
#include "core/model/model.h"

static inline const timing *timing_of(unsigned family)
{
    static timing rows[2];
    timing *row = &rows[family == P5_FAMILY_P54C ? 0 : 1];
    p5_model *model;
    p5_error error;
    if (row->depth == 0) {
        if (p5_model_open(family == P5_FAMILY_P54C ? "p54c-100" : "p55c-200", &model, &error) != P5_OK) {
            fprintf(stderr, "%s\n", error.message);
            exit(1);
        }
        *row = model->timing;
        p5_model_close(model);
    }
    return row;
}

/* Returns the decoder of the processor with these figures, which lasts to the end of the program. */
static inline isa_decoder *decoder_of(const timing *t)
{
    static isa_decoder *decoders[2];
    const bool p54c = t == timing_of(P5_FAMILY_P54C);
    if (decoders[p54c] == NULL)
        decoders[p54c] = isa_decoder_open(p54c ? ISA_P54C : ISA_P55C);
    return decoders[p54c];
}

/* Returns a block of at most `most` instructions. block_free frees it. */
static inline p5_block *prepared(const timing *t, const uint8_t *bytes, size_t size, uint32_t address,
                                 unsigned most)
{
    const isa_code code = {bytes, size, address, true};
    p5_block *block = block_prepare(t, isa_block_decode(decoder_of(t), &code, address, most));
    assert_non_null(block);
    return block;
}

static inline void free_prepared(p5_block **block)
{
    block_free(*block);
}

/* Declares `block`, at most `most` instructions of `bytes` at 1000h. It is freed at the end of the C block. */
#define PREPARED(block, t, bytes, size, most)                                                                \
    CLOSED_BY(free_prepared) p5_block *block = prepared(t, bytes, size, 0x1000, most)

#endif
