/* A core of a built-in model, and blocks of code for it. */
#ifndef TEST_ONE_CORE_H
#define TEST_ONE_CORE_H

#include "fixture.h"
#include "p5scope/core.h"
#include "p5tool/core.h"

static inline p5_core *open_core(const p5_model *model, const p5_core_hooks *hooks)
{
    p5_core *core;
    p5_error error;
    assert_int_equal(p5_core_open(model, hooks, &core, &error), P5_OK);
    return core;
}

static inline void close_core(p5_core **core)
{
    p5_core_close(*core); /* and its blocks */
}

/* Declares `core`, which is closed at the end of the block. */
#define CORE(core, model, hooks) CLOSED_BY(close_core) p5_core *core = open_core(model, hooks)

static inline p5_block *block_at(p5_core *core, const uint8_t *code, size_t size, uint32_t address)
{
    p5_block *block = p5_block_make(core, &(p5_code){code, size, address, address, true}, 8);
    assert_non_null(block);
    return block;
}

/* An execution of the whole block at CPL 0 in protected mode, without references, which goes on at `next`. */
static inline p5_retired whole_block(p5_block *block, uint32_t next)
{
    return (p5_retired){.size = sizeof(p5_retired),
                        .block = block,
                        .count = (uint16_t)p5_block_count(block),
                        .next = next,
                        .mode = P5_MODE_PROTECTED};
}

#endif
