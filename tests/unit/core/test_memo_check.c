/* --check-memo compares every stretch. It reports nothing while the memo is right, and a wrong entry in the stretch that
 * first uses it. */
#include "one_core.h"
#include "retire_blocks.h"
#include "core/core.h"
#include "core/internal.h"
#include "core/memo_check.h"
#include "core/replay/memo_tree.h"
#include "core/testreg/test_access.h"

enum { LOOP = 0x1000, TIMES = 100 };

static const uint8_t loop_code[] = {0x40, 0xeb, 0xfd}; /* inc eax; jmp to itself */

typedef struct checked {
    p5_model *model;
    p5_core *core;
    p5_block *block;
} checked;

static void checked_open(checked *c, const char *model)
{
    p5_error error;
    c->model = fixture_model(model);
    c->core = open_core(c->model, NULL);
    assert_int_equal(p5_core_check_memo(c->core, &error), P5_OK);
    c->block = block_at(c->core, loop_code, sizeof loop_code, LOOP);
}

static void checked_close(checked *c)
{
    p5_core_close(c->core);
    p5_model_close(c->model);
}

#define CHECKED(c, model)                                                                                    \
    CLOSED_BY(checked_close) checked c;                                                                      \
    checked_open(&c, model)

static void loop(checked *c, unsigned times, bool in_batches)
{
    const p5_retired retired = whole_block(c->block, LOOP);
    const p5_retired_block as_block = {.block = c->block, .next = LOOP, .mode = P5_MODE_PROTECTED};
    for (unsigned n = 0; n < times; n++)
        if (in_batches)
            retire_blocks(c->core, NULL, NULL, &as_block, 1);
        else
            p5_core_retire(c->core, &retired);
}

TEST(test_agrees)
{
    static const char *const models[] = {"p55c-200", "p54c-133"};
    for (unsigned m = 0; m < 2; m++) {
        uint64_t stretches;
        const char *difference;
        CHECKED(c, models[m]);
        loop(&c, TIMES, false);
        loop(&c, TIMES, true);
        p5_core_wbinvd(c.core);
        p5_core_halt(c.core, 1000, 0);
        loop(&c, TIMES, true);
        assert_true(p5_core_memo_checked(c.core, &stretches, &difference));
        assert_int_equal(stretches, 3 * TIMES);
        assert_null(difference);
    }
}

/* A price in the memo is changed by a clock or an event: the next stretch that uses it is reported. */
TEST(test_finds)
{
    for (unsigned n = 0; n < 4; n++) {
        bool in_batches = n % 2, clock = n / 2;
        uint64_t stretches;
        const char *difference;
        CHECKED(c, "p55c-200");
        loop(&c, TIMES, in_batches);
        assert_int_not_equal(c.core->memo.last, 0);
        if (clock)
            memo_last(&c.core->memo)->clocks++;
        else
            c.core->memory_counts.increments[P5_EVENT_DATA_READ][P5_CPL_KERNEL]++;
        loop(&c, 2, in_batches);
        assert_true(p5_core_memo_checked(c.core, &stretches, &difference));
        assert_int_equal(stretches, TIMES);
        assert_non_null(difference);
        assert_non_null(strstr(difference, "stretch at 00001000, after 100 that agreed: "));
        assert_non_null(strstr(difference, clock ? "clock: " : "data_read, CPL 0: 1 with the memo, 0 on"));
    }
}

/* A write of TR3 first lets the instruction that waits for a partner issue alone, in both cores. */
TEST(test_fill_buffer)
{
    uint64_t stretches, end = 0;
    uint32_t data[TEST_LINE_WORDS];
    const char *difference;
    CHECKED(c, "p55c-200");
    loop(&c, TIMES, false);
    p5_retired half = {
        .size = sizeof half, .block = c.block, .count = 1, .next = LOOP + 1, .mode = P5_MODE_PROTECTED};
    p5_core_retire(c.core, &half);
    assert_false(test_last_fill(c.core, &end, data));
    half.first = 1;
    half.next = LOOP;
    p5_core_retire(c.core, &half);
    p5_core_memo_checked(c.core, &stretches, &difference);
    assert_null(difference);
}

TEST(test_from_the_start_only)
{
    p5_error error;
    uint64_t stretches;
    const char *difference;
    CHECKED(c, "p55c-200");
    assert_int_equal(p5_core_check_memo(c.core, &error), P5_ERR_STATE);

    MODEL(model, "p55c-200");
    CORE(core, model, NULL);
    assert_false(p5_core_memo_checked(core, &stretches, &difference));
    p5_core_set_memo(core, false);
    assert_int_equal(p5_core_check_memo(core, &error), P5_ERR_STATE);
    p5_core_set_memo(core, true);
    block_at(core, loop_code, sizeof loop_code, LOOP);
    assert_int_equal(p5_core_check_memo(core, &error), P5_ERR_STATE);
}

/* Each iteration of REP INSB reads a port and writes memory. The write is a write on every path, also when it hits, and
 * the port is no memory. Real mode, where EX is longest beside the instruction's own clocks. */
TEST(test_string_ports)
{
    static const uint8_t load_code[] = {0x8a, 0x07}, ins_code[] = {0xf3, 0x6c}; /* mov al, [edi]; rep insb */
    enum { LOAD = LOOP + 0x100, BUFFER = 0x8000, ITERATIONS = 4 };
    uint64_t stretches;
    const char *difference;
    p5_counts totals;
    CHECKED(c, "p55c-200");
    p5_block *load = block_at(c.core, load_code, sizeof load_code, LOAD);
    p5_block *ins = block_at(c.core, ins_code, sizeof ins_code, LOOP);
    p5_access access = {.linear = BUFFER, .physical = BUFFER, .size = 1};
    p5_retired retired = {.size = sizeof retired,
                          .block = load,
                          .count = 1,
                          .access_count = 1,
                          .accesses = &access,
                          .next = LOOP,
                          .mode = P5_MODE_REAL};
    p5_core_retire(c.core, &retired);
    retired.block = ins;
    retired.access_count = 2;
    retired.repeats = 1;
    for (uint32_t i = 0; i < ITERATIONS; i++) {
        const p5_access pair[2] = {
            {.linear = 0x60, .physical = 0x60, .size = 1, .flags = P5_ACCESS_IO},
            {.linear = BUFFER + i, .physical = BUFFER + i, .size = 1, .flags = P5_ACCESS_WRITE}};
        retired.accesses = pair;
        p5_core_retire(c.core, &retired);
    }
    assert_true(p5_core_memo_checked(c.core, &stretches, &difference));
    assert_null(difference);
    p5_core_counts(c.core, &totals);
    assert_int_equal(totals.increments[P5_EVENT_DATA_READ][P5_CPL_KERNEL], 1);
    assert_int_equal(totals.increments[P5_EVENT_DATA_WRITE][P5_CPL_KERNEL], ITERATIONS);
    assert_int_equal(totals.increments[P5_EVENT_WRITE_HIT_TO_M_OR_E_STATE_LINES][P5_CPL_KERNEL], ITERATIONS);
    assert_int_equal(totals.increments[P5_EVENT_IO_READ_OR_WRITE_CYCLE][P5_CPL_KERNEL], ITERATIONS);
}
