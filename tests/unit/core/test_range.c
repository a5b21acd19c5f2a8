/* The functions that feed a core refuse what no processor can do, and change nothing then (p5scope/core.h). */
#include "one_core.h"

static const uint8_t code[] = {0x8b, 0x06, 0x90}; /* mov eax, [esi]; nop */

/* Each function makes one mistake in what is otherwise right. */
static void block_null(p5_retired *r)
{
    r->block = NULL;
}
static void nothing_executed(p5_retired *r)
{
    r->count = 0;
}
static void beyond_block(p5_retired *r)
{
    r->first = 1;
}
static void count_largest(p5_retired *r)
{
    r->count = UINT16_MAX;
}
static void no_references(p5_retired *r)
{
    r->accesses = NULL;
}
static void no_values(p5_retired *r)
{
    r->value_count = 1;
}
static void no_mask(p5_retired *r)
{
    r->unsafe_x87 = true;
}
static void level(p5_retired *r)
{
    r->cpl = 4;
}
static void level_after(p5_retired *r)
{
    r->cpl_after = UINT8_MAX;
}
static void mode(p5_retired *r)
{
    r->mode = P5_MODE_V86 + 1;
}
static void io_level(p5_retired *r)
{
    r->iopl = 4;
}
static void gate(p5_retired *r)
{
    r->gate = P5_GATE_TASK + 1;
}

TEST(test_retire)
{
    static void (*const mistakes[])(p5_retired *) = {
        block_null, nothing_executed, beyond_block, count_largest, no_references, no_values, no_mask,
        level,      level_after,      mode,         io_level,      gate};
    MODEL(model, "p55c-200");
    CORE(core, model, NULL);
    p5_block *block = block_at(core, code, sizeof code, 0x1000);
    p5_access access = {.linear = 0x2000, .physical = 0x2000, .size = 4};
    const p5_retired right = {.size = sizeof right,
                              .block = block,
                              .count = 2,
                              .access_count = 1,
                              .accesses = &access,
                              .next = 0x1003,
                              .cpl = 3,
                              .cpl_after = 3,
                              .mode = P5_MODE_PROTECTED};
    const uint64_t clock = p5_core_clock(core);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        p5_retired wrong = right;
        mistakes[i](&wrong);
        assert_int_equal(P5_ERR_RANGE, p5_core_retire(core, &wrong));
    }
    for (unsigned size = 0; size <= UINT8_MAX; size++) {
        access.size = (uint8_t)size;
        if (size != 1 && size != 2 && size != 4 && size != 8)
            assert_int_equal(P5_ERR_RANGE, p5_core_retire(core, &right));
    }
    assert_int_equal(clock, p5_core_clock(core));
    access.size = 4;
    assert_int_equal(P5_OK, p5_core_retire(core, &right));
}

TEST(test_exception)
{
    MODEL(model, "p55c-200");
    CORE(core, model, NULL);
    p5_block *block = block_at(core, code, sizeof code, 0x1000);
    const p5_exception right = {.size = sizeof right,
                                .vector = 13,
                                .mode = P5_MODE_PROTECTED,
                                .mode_after = P5_MODE_PROTECTED,
                                .block = block,
                                .index = 1};
    const uint64_t clock = p5_core_clock(core);
    p5_exception wrong[7];
    for (unsigned i = 0; i < 7; i++)
        wrong[i] = right;
    wrong[0].cpl = 4;
    wrong[1].cpl_after = 4;
    wrong[2].mode_after = P5_MODE_V86 + 1;
    wrong[3].index = 2;
    wrong[4].access_count = 1;
    wrong[5].reference = P5_REFERENCE_CODE + 1;
    wrong[6].kind = (p5_transfer)(P5_TRANSFER_NMI + 1);
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(P5_ERR_RANGE, p5_core_exception(core, &wrong[i]));
    assert_int_equal(clock, p5_core_clock(core));
    assert_int_equal(P5_OK, p5_core_exception(core, &right));
}

TEST(test_code)
{
    MODEL(model, "p55c-200");
    CORE(core, model, NULL);
    assert_null(p5_block_make(core, NULL, 4));
    assert_null(p5_block_make(core, &(p5_code){NULL, 4, 0, 0, true}, 4));
    assert_null(p5_block_make(core, &(p5_code){code, 1, 0, 0, true}, 4)); /* half an instruction */
}
