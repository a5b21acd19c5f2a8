/* Predictions that depend on when a branch last ran (branch_run.h), in a core that was loaded from a snapshot and in one
 * whose blocks were released. Also the refusal of a damaged predictor, and a branch that is replaced by another. */
#include "../base/snapshot_bytes.h"
#include "core/core.h"
#include "core/internal.h"
#include "core/branch/predictor_fast.h"
#include "one_core.h"

enum { LOOP = 0x1f00 }; /* address of the loop */
/* Jumps elsewhere: their number, the first one's address, and the distance of each to the next. */
enum { JUMPS = 128, FIRST_JUMP = 0x2000, JUMP_DISTANCE = 16 };

static const uint8_t jump_code[] = {0xeb, 2};          /* jmp .+4 */
static const uint8_t loop_code[] = {0x49, 0x75, 0xfd}; /* 1: dec ecx; jnz 1b */

static void retire(p5_core *core, p5_block *block, uint32_t next)
{
    const p5_retired r = whole_block(block, next);
    p5_core_retire(core, &r);
}

/* Runs the loop's branch, which is taken every other time, the last time too. */
static void run_loop(p5_core *core, p5_block *loop)
{
    for (unsigned i = 0; i < 100; i++)
        retire(core, loop, i % 2 ? LOOP : LOOP + sizeof loop_code);
}

/* Returns the prediction for the loop's branch, which is taken again. The loop has fewer instructions than
 * btb.stale_instructions, so a core that knows that the branch has just run makes the prediction before the last outcome:
 * taken. By the branch's history the prediction would be: not taken. */
static unsigned predict_loop(p5_core *core, p5_block *loop)
{
    const p5_retired r = whole_block(loop, LOOP);
    return core_predict(core, &r);
}
enum { STALE_PREDICTION = OWN_PREDICTED_TAKEN | OWN_TAKEN };

/* A core that was loaded from a snapshot knows when a branch last ran, however many other branches ran before. */
TEST(test_behind_a_snapshot)
{
    snapshot_bytes saved = {0};
    p5_error error;
    MODEL(model, "p55c-200");
    CORE(first, model, NULL);
    CORE(second, model, NULL);
    for (uint32_t i = 0, at = FIRST_JUMP; i < JUMPS; i++, at += JUMP_DISTANCE)
        retire(first, block_at(first, jump_code, sizeof jump_code, at), at + 4);
    p5_block *loop = block_at(first, loop_code, sizeof loop_code, LOOP);
    run_loop(first, loop);

    assert_int_equal(p5_core_save(first, snapshot_bytes_put, &saved, &error), P5_OK);
    assert_int_equal(p5_core_load(second, snapshot_bytes_get, &saved, &error), P5_OK);
    assert_false(saved.too_far);
    p5_block *again = block_at(second, loop_code, sizeof loop_code, LOOP);
    assert_int_equal(predict_loop(first, loop), STALE_PREDICTION);
    assert_int_equal(predict_loop(second, again), STALE_PREDICTION);
    free(saved.data);
}

/* When blocks are released, the core forgets when their branches last ran, except for those that ran recently. The first
 * core releases its blocks, and the second keeps them. */
TEST(test_without_blocks)
{
    MODEL(model, "p55c-200");
    CORE(first, model, NULL);
    CORE(second, model, NULL);
    enum { ROUNDS = 50 };
    p5_core *const cores[] = {first, second};
    for (unsigned c = 0; c < 2; c++) {
        p5_block *jumps[JUMPS];
        for (unsigned round = 0; round < ROUNDS; round++) {
            for (unsigned i = 0; i < JUMPS; i++) {
                uint32_t at = FIRST_JUMP + (round * JUMPS + i) * JUMP_DISTANCE;
                jumps[i] = block_at(cores[c], jump_code, sizeof jump_code, at);
                retire(cores[c], jumps[i], at + 4);
            }
            for (unsigned i = 0; c == 0 && i < JUMPS; i++)
                p5_block_release(cores[c], jumps[i]);
        }
        p5_block *loop = block_at(cores[c], loop_code, sizeof loop_code, LOOP);
        run_loop(cores[c], loop);
        if (c == 0)
            p5_block_release(first, loop);
    }
    assert_true(first->ran.arena.used_bytes <= BRANCH_RUN_RECENT * sizeof(branch_run));
    assert_true(second->ran.arena.used_bytes > ROUNDS * JUMPS * sizeof(branch_run));
    for (unsigned c = 0; c < 2; c++) {
        p5_block *again = block_at(cores[c], loop_code, sizeof loop_code, LOOP);
        assert_int_equal(predict_loop(cores[c], again), STALE_PREDICTION);
    }
}

/* A predictor whose return stack has its top outside of the stack is not loaded. */
TEST(test_impossible_return_stack)
{
    snapshot_bytes saved = {0};
    MODEL(model, "p55c-200");
    for (unsigned outside = 0; outside < 2; outside++) {
        p5_error error = {0};
        CORE(first, model, NULL);
        CORE(second, model, NULL);
        predictor *p = first->predictor;
        p->returns.top = outside ? RETURN_STACK_ENTRIES : 0;
        saved.size = saved.at = 0;
        assert_int_equal(p5_core_save(first, snapshot_bytes_put, &saved, &error), P5_OK);
        assert_int_equal(p5_core_load(second, snapshot_bytes_get, &saved, &error),
                         outside ? P5_ERR_FORMAT : P5_OK);
        assert_false(saved.too_far);
        assert_true(!outside || strstr(error.message, "predictor") != NULL);
    }
    free(saved.data);
}

/* A conditional branch has got an entry. Then a jump of the same length takes the branch's place: the entry has the jump's
 * tag and offset, but another type, so it predicts falsely (predictor_fast.h), and the jump gets it. */
TEST(test_a_jump_where_a_branch_was)
{
    static const uint8_t branch_code[] = {0x75, 0x10} /* jnz */, other_code[] = {0xeb, 0x10} /* jmp */;
    const uint32_t target = LOOP + 2 + 0x10;
    MODEL(model, "p55c-200");
    CORE(core, model, NULL);
    p5_block *branch = block_at(core, branch_code, sizeof branch_code, LOOP);
    p5_block *jump = block_at(core, other_code, sizeof other_code, LOOP);
    const p5_retired branches = whole_block(branch, target), jumps = whole_block(jump, target);
    assert_int_equal(core_predict(core, &branches), PREDICTED_NOTHING_TAKEN);
    for (unsigned n = 0; n < 20; n++)
        assert_true(core_predict(core, &branches) < PREDICTED_FALSELY);
    assert_int_equal(core_predict(core, &jumps), PREDICTED_FALSELY | OWN_PREDICTED_TAKEN | OWN_TAKEN);
    assert_int_equal(core_predict(core, &jumps), OWN_PREDICTED_TAKEN | OWN_TAKEN);
    assert_int_equal(core_predict(core, &branches), PREDICTED_FALSELY | OWN_PREDICTED_TAKEN | OWN_TAKEN);
}

/* P54C: A branch that runs for the first time is in no tight loop, even if it is among the first that a core executes. So
 * when it is taken, it changes an entry of state 0 to state 3; in a tight loop it would be 1. */
TEST(test_a_first_branch)
{
    static const uint8_t code[] = {0xf8, 0xeb,
                                   0x10}; /* clc, which does not pair, so that it is the pair before; jmp */
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
