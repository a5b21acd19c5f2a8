/* The functions that feed a core refuse what no processor can do, and change nothing then (p5scope/core.h). */
#include "one_core.h"

static const uint8_t code[] = {0x8b, 0x06, 0x90}; /* mov eax, [esi]; nop */

TEST(test_retire)
{
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
    p5_retired wrong[13]; /* each with one mistake */
    for (unsigned i = 0; i < 13; i++)
        wrong[i] = right;
    wrong[0].block = NULL;
    wrong[1].count = 0;
    wrong[2].first = 1; /* beyond the end of the block */
    wrong[3].count = UINT16_MAX;
    wrong[4].accesses = NULL;
    wrong[5].value_count = 1;
    wrong[6].unsafe_x87 = true;
    wrong[7].cpl = 4;
    wrong[8].cpl_after = UINT8_MAX;
    wrong[9].mode = P5_MODE_V86 + 1;
    wrong[10].iopl = 4;
    wrong[11].gate = P5_GATE_TASK + 1;
    wrong[12].access_count = 0; /* the first instruction has one */
    for (unsigned i = 0; i < 13; i++)
        assert_int_equal(P5_ERR_RANGE, p5_core_retire(core, &wrong[i]));
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
