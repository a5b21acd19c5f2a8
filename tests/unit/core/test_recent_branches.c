/* Predictions depend on a branch's last execution. A core that was loaded from a snapshot knows it, however many
 * other branches the saved core executed. An impossible branch target buffer is not loaded. Other code at the place
 * of a branch is another branch. */
#include "../base/snapshot_bytes.h"
#include "core/core.h"
#include "core/internal.h"
#include "core/branch/predictor_fast.h"
#include "one_core.h"

enum { OTHERS = 128, OTHER = 0x1000, DISTANCE = 16, LOOP = 0x1f00 };

static const uint8_t jump_code[] = {0xeb, 2};          /* jmp .+4 */
static const uint8_t loop_code[] = {0x49, 0x75, 0xfd}; /* 1: dec ecx; jnz 1b */

static p5_retired went_to(p5_block *block, uint32_t next)
{
    return (p5_retired){.size = sizeof(p5_retired),
                        .block = block,
                        .count = (uint16_t)p5_block_count(block),
                        .next = next,
                        .mode = P5_MODE_PROTECTED};
}

static void retire(p5_core *core, p5_block *block, uint32_t next)
{
    const p5_retired r = went_to(block, next);
    p5_core_retire(core, &r);
}

/* The loop's branch is taken every other time, which its history tells; two instructions are too soon for
 * that. */
TEST(test_behind_a_snapshot)
{
    snapshot_bytes saved = {0};
    p5_error error;
    MODEL(model, "p55c-200");
    CORE(first, model, NULL);
    CORE(second, model, NULL);
    p5_block *others[OTHERS], *loop = block_at(first, loop_code, sizeof loop_code, LOOP);
    for (unsigned i = 0; i < OTHERS; i++)
        others[i] = block_at(first, jump_code, sizeof jump_code, OTHER + i * DISTANCE);
    retire(first, others[0], OTHER + 4);
    for (unsigned i = 0; i < OTHERS; i++)
        retire(first, others[i], OTHER + i * DISTANCE + 4);
    for (unsigned i = 0; i < 100; i++)
        retire(first, loop, i % 2 ? LOOP : LOOP + sizeof loop_code);

    assert_int_equal(p5_core_save(first, snapshot_bytes_put, &saved, &error), P5_OK);
    assert_int_equal(p5_core_load(second, snapshot_bytes_get, &saved, &error), P5_OK);
    assert_false(saved.too_far);
    p5_block *again = block_at(second, loop_code, sizeof loop_code, LOOP);
    const p5_retired here = went_to(loop, LOOP), there = went_to(again, LOOP);
    assert_int_equal(core_predict(second, &there), core_predict(first, &here));
    free(saved.data);
}

/* Where code goes and comes, what was known of its branches goes with it; but not of those that ran just now.
 */
TEST(test_without_blocks)
{
    MODEL(model, "p55c-200");
    CORE(first, model, NULL);
    CORE(second, model, NULL);
    p5_core *const cores[] = {first, second};
    for (unsigned c = 0; c < 2; c++) {
        p5_block *others[OTHERS];
        for (unsigned round = 0; round < 50; round++) {
            for (unsigned i = 0; i < OTHERS; i++) {
                uint32_t at = OTHER + (round * OTHERS + i) * DISTANCE;
                others[i] = block_at(cores[c], jump_code, sizeof jump_code, at);
                retire(cores[c], others[i], at + 4);
            }
            for (unsigned i = 0; c == 0 && i < OTHERS; i++)
                p5_block_release(cores[c], others[i]);
        }
        p5_block *loop = block_at(cores[c], loop_code, sizeof loop_code, LOOP);
        for (unsigned i = 0; i < 100; i++)
            retire(cores[c], loop, i % 2 ? LOOP : LOOP + sizeof loop_code);
        if (c == 0)
            p5_block_release(first, loop);
    }
    assert_true(first->ran.arena.used_bytes <= BRANCH_RUN_RECENT * sizeof(branch_run));
    assert_true(second->ran.arena.used_bytes > 50 * OTHERS * sizeof(branch_run));
    p5_block *here = block_at(first, loop_code, sizeof loop_code, LOOP),
             *there = block_at(second, loop_code, sizeof loop_code, LOOP);
    const p5_retired a = went_to(here, LOOP), b = went_to(there, LOOP);
    assert_int_equal(core_predict(first, &a), core_predict(second, &b));
}

/* What would lead outside of arrays. */
TEST(test_impossible_predictors)
{
    snapshot_bytes saved = {0};
    MODEL(model, "p55c-200");
    for (unsigned what = 0; what < 2; what++) {
        p5_error error = {0};
        CORE(first, model, NULL);
        CORE(second, model, NULL);
        predictor *p = first->predictor;
        p->returns.top = what == 1 ? RETURN_STACK_ENTRIES : 0;
        saved.size = saved.at = 0;
        assert_int_equal(p5_core_save(first, snapshot_bytes_put, &saved, &error), P5_OK);
        assert_int_equal(p5_core_load(second, snapshot_bytes_get, &saved, &error),
                         what == 0 ? P5_OK : P5_ERR_FORMAT);
        assert_false(saved.too_far);
        assert_true(what == 0 || strstr(error.message, "predictor") != NULL);
    }
    free(saved.data);
}

/* A conditional branch has got an entry. Then there is a jump of the same length in its place: the entry has
 * its tag and offset, but another type, so it predicts falsely (predictor_fast.h), and the jump gets it. */
TEST(test_a_jump_where_a_branch_was)
{
    static const uint8_t branch_code[] = {0x75, 0x10}, other_code[] = {0xeb, 0x10}; /* jnz, jmp */
    const uint32_t target = LOOP + 2 + 0x10;
    MODEL(model, "p55c-200");
    CORE(core, model, NULL);
    p5_block *branch = block_at(core, branch_code, sizeof branch_code, LOOP);
    p5_block *jump = block_at(core, other_code, sizeof other_code, LOOP);
    const p5_retired branches = went_to(branch, target), jumps = went_to(jump, target);
    assert_int_equal(core_predict(core, &branches), PREDICTED_NOTHING + 1);
    for (unsigned n = 0; n < 20; n++)
        assert_true(core_predict(core, &branches) < PREDICTED_FALSELY);
    assert_int_equal(core_predict(core, &jumps), PREDICTED_FALSELY | OWN_PREDICTED_TAKEN | OWN_TAKEN);
    assert_int_equal(core_predict(core, &jumps), OWN_PREDICTED_TAKEN | OWN_TAKEN);
    assert_int_equal(core_predict(core, &branches), PREDICTED_FALSELY | OWN_PREDICTED_TAKEN | OWN_TAKEN);
}

/* P54C: a branch that runs for the first time is in no tight loop, even if it is among the first that a core executes.
 * It gets a new entry in place of an unused one (state 0). */
TEST(test_a_first_branch)
{
    static const uint8_t code[] = {0xf8, 0xeb, 0x10}; /* clc, which does not pair; jmp */
    MODEL(model, "p54c-133");
    CORE(core, model, NULL);
    p5_block *block = block_at(core, code, sizeof code, LOOP);
    btb_branch branch = btb_by_pair(LOOP);
    btb_entry *entry = btb_allocate(&core->predictor->btb, &branch);
    entry->state = 0;
    retire(core, block, LOOP + sizeof code + 0x10);
    p5_core_settle(core);
    assert_int_equal(entry->state, 3);
}
