/* Prediction of both processors: measured misprediction rates of random branches, patterns, tight loops, the
 * P54C's state machine and key, returns, false entries, NBP. */
#include "fixture.h"

#include "core/branch/predictor_fast.h"
#include "core/branch/predictor_pairs.h"

enum { APART = 1000 }; /* instructions since a branch was executed last, outside of tight loops */

typedef struct predictor_fixture {
    p5_model *model;
    predictor *predictor;
    branch_runs ran;
    uint64_t now;        /* instructions so far */
    uint64_t since_last; /* instructions since the branch was executed last */
} predictor_fixture;

static void open_predictor(predictor_fixture *f, const char *name)
{
    f->model = fixture_model(name);
    f->predictor = predictor_open(f->model);
    f->ran = (branch_runs){0};
    f->now = f->since_last = APART;
    assert_non_null(f->predictor);
}

static void close_predictor(predictor_fixture *f)
{
    branch_runs_close(&f->ran);
    predictor_close(f->predictor);
    p5_model_close(f->model);
}

/* Declares `f`, the predictor of a built-in model, which is closed at the end of the block. */
#define PREDICTOR(f, model)                                                                                  \
    CLOSED_BY(close_predictor) predictor_fixture f;                                                          \
    open_predictor(&f, model)

/* A two-byte branch of `kind` at `address` in U, its preceding pair at `address - 8`, far from tight loops.
 */
static branch_query query_at(uint32_t address, uint8_t kind, bool taken)
{
    return (branch_query){.address = address,
                          .pair = address,
                          .last_byte = address + 1,
                          .previous_pair = address - 8,
                          .fall_through = address + 2,
                          .target = taken ? 0x9000 : address + 2,
                          .kind = kind,
                          .taken = taken,
                          .loop_pairs = 255};
}

/* Returns the prediction for a branch of the P55C. */
static unsigned predict(predictor_fixture *f, const branch_query *query)
{
    branch_run *ran = branch_runs_find(&f->ran, query->address, 2, query->kind);
    assert_non_null(ran);
    ran->instructions = f->now++ - f->since_last + 1;
    return predictor_near(f->predictor, ran, query->target, query->fall_through, f->now);
}

static branch_answer ask(predictor_fixture *f, branch_query query)
{
    return btb_by_pairs(&f->predictor->btb) ? predictor_pairs(f->predictor, &query)
                                            : predictor_answer(predict(f, &query), query.kind);
}

/* Published measurements on the P55C: part of random branches that is mispredicted, by the probability of the
 * rarer direction. */
TEST(random_branches_of_p55c)
{
    static const double table[][2] = {{.001, .001001}, {.01, .0101}, {.05, .0525}, {.10, .110},
                                      {.15, .171},     {.20, .235},  {.25, .300},  {.30, .362},
                                      {.35, .417},     {.40, .462},  {.45, .490},  {.50, .500}};
    for (unsigned i = 0; i < sizeof table / sizeof *table; i++) {
        PREDICTOR(f, "p55c-200");
        uint64_t seed = 11;
        unsigned wrong = 0, count = 400000;
        for (unsigned n = 0; n < count; n++) {
            bool taken = unit_random(&seed) < table[i][0] * 2147483648.0;
            wrong += !ask(&f, query_at(0x1000, ISA_JCC, taken)).right;
        }
        double rate = (double)wrong / count;
        if (rate < table[i][1] - 0.01 || rate > table[i][1] + 0.01)
            fail_msg("P(taken) = %.3f: %.4f mispredicted, measured %.4f", table[i][0], rate, table[i][1]);
    }
}

/* True if all `period` windows of 4 outcomes of the repeated pattern differ. */
static bool windows_differ(unsigned pattern, unsigned period)
{
    unsigned seen = 0;
    for (unsigned i = 0; i < period; i++) {
        unsigned window = 0;
        for (unsigned j = 0; j < 4; j++)
            window = window << 1 | (pattern >> ((i + j) % period) & 1);
        if ((seen >> window & 1) != 0)
            return false;
        seen |= 1u << window;
    }
    return true;
}

/* True if what follows each window of 4 is always the same: then a table over windows can know it. */
static bool windows_decide(unsigned pattern, unsigned period)
{
    unsigned seen = 0, follows = 0;
    for (unsigned i = 0; i < period; i++) {
        unsigned window = 0, next = pattern >> ((i + 4) % period) & 1;
        for (unsigned j = 0; j < 4; j++)
            window = window << 1 | (pattern >> ((i + j) % period) & 1);
        if ((seen >> window & 1) != 0 && (follows >> window & 1) != next)
            return false;
        seen |= 1u << window;
        follows |= next << window;
    }
    return true;
}

static unsigned steady_mispredictions(unsigned pattern, unsigned period)
{
    PREDICTOR(f, "p55c-200");
    unsigned wrong = 0;
    for (unsigned n = 0; n < 60 * period; n++) {
        branch_answer answer = ask(&f, query_at(0x1000, ISA_JCC, pattern >> (n % period) & 1));
        wrong += n >= 40 * period && !answer.right;
    }
    return wrong;
}

/* Every pattern of period up to 5 is learned; a longer one if its windows differ; one whose windows do not
 * decide is not. */
TEST(patterns_of_p55c)
{
    for (unsigned period = 1; period <= 12; period++)
        for (unsigned pattern = 0; pattern < 1u << period; pattern++) {
            bool must = period <= 5 || windows_differ(pattern, period);
            bool cannot = !windows_decide(pattern, period);
            assert_false(must && cannot);
            unsigned wrong = must || cannot ? steady_mispredictions(pattern, period) : 0;
            if (must && wrong > 0)
                fail_msg("pattern %#x of period %u: %u mispredictions of a pattern that is learned", pattern,
                         period, wrong);
            if (cannot && wrong == 0)
                fail_msg("pattern %#x of period %u was learned, though its windows do not decide", pattern,
                         period);
        }
    /* A sequence of period 16 with all 16 windows. */
    unsigned de_bruijn = 0;
    while (!windows_differ(de_bruijn, 16) && de_bruijn < 0xffff)
        de_bruijn++;
    assert_true(windows_differ(de_bruijn, 16));
    assert_int_equal(steady_mispredictions(de_bruijn, 16), 0);
}

/* In a loop of up to 6 instructions the branch sees the prediction of the time before: T T N T T N ... that
 * would be learned is not. */
TEST(tight_loops_of_p55c_see_the_stale_bit)
{
    for (uint16_t since = 4; since <= 9; since++) {
        PREDICTOR(f, "p55c-200");
        f.since_last = since;
        unsigned wrong = 0;
        for (unsigned n = 0; n < 300; n++) {
            branch_query query = query_at(0x1000, ISA_JCC, n % 3 != 2);
            bool right = ask(&f, query).right;
            wrong += n >= 100 && !right;
        }
        /* Stale: each outcome is predicted as the one before it was: T after N and N after T's second are
         * wrong, 2 of 3. */
        unsigned expected = since <= 6 ? 200 * 2 / 3 : 0;
        if (wrong + 1 < expected || wrong > expected + 1)
            fail_msg("%u instructions a round: %u of 200 mispredicted, expected %u", since, wrong, expected);
    }
}

TEST(p55c_allocates_on_the_first_taken_execution)
{
    PREDICTOR(f, "p55c-200");
    branch_answer answer = ask(&f, query_at(0x1000, ISA_JCC, false));
    assert_true(answer.right && !answer.hit); /* static: falls through */
    assert_false(ask(&f, query_at(0x1000, ISA_JCC, false)).hit);
    assert_false(ask(&f, query_at(0x1000, ISA_JCC, true)).right);
    answer = ask(&f, query_at(0x1000, ISA_JCC, true));
    assert_true(answer.hit && answer.right);
    /* To its own fall-through: always wrong, never an entry. */
    branch_query next = query_at(0x2000, ISA_JMP, true);
    next.target = next.fall_through;
    for (unsigned n = 0; n < 3; n++) {
        answer = ask(&f, next);
        assert_false(answer.hit || answer.right);
    }
    /* NBP stops new entries, old ones still predict. */
    predictor_set_control(f.predictor, true);
    ask(&f, query_at(0x3000, ISA_JMP, true));
    assert_false(ask(&f, query_at(0x3000, ISA_JMP, true)).hit);
    assert_true(ask(&f, query_at(0x1000, ISA_JCC, true)).right);
    predictor_flush(f.predictor);
    assert_false(ask(&f, query_at(0x1000, ISA_JCC, true)).hit);
}

/* Two branches whose last bytes lie in one aligned dword share an entry: each finds the other's, a false one.
 */
TEST(close_branches_thrash_on_p55c)
{
    PREDICTOR(f, "p55c-200");
    for (unsigned n = 0; n < 10; n++) {
        branch_answer first = ask(&f, query_at(0x1000, ISA_JCC, true));  /* last byte 1001h */
        branch_answer second = ask(&f, query_at(0x1002, ISA_JCC, true)); /* last byte 1003h */
        if (n > 0) {
            assert_true(first.false_entry && second.false_entry);
            assert_false(first.right || second.right);
        }
    }
}

/* Another branch's entry predicts with its old prediction bit as long as that branch's last outcome is not in it yet
 * (six instructions on the P55C), however often the finder itself has run since. */
TEST(false_entries_predict_with_the_bit_that_they_have)
{
    for (unsigned between = 0; between < 2; between++) {
        PREDICTOR(f, "p55c-200");
        const branch_query owner = query_at(0x1000, ISA_LOOP, true),
                           finder = query_at(0x1002, ISA_JCC, false);
        branch_query leaves = owner;
        leaves.target = owner.fall_through;
        leaves.taken = false;
        ask(&f, owner);
        ask(&f, leaves); /* the entry's bit goes from taken to not taken */
        f.now += between * APART;
        for (unsigned n = 0; n < 4; n++) {
            branch_answer answer = ask(&f, finder);
            assert_true(answer.false_entry);
            assert_int_equal(answer.predicted_taken, between == 0);
        }
    }
}

TEST(indirect_jumps_go_to_the_last_target)
{
    static const char *const models[] = {"p54c-100", "p55c-200"};
    for (unsigned i = 0; i < 2; i++) {
        PREDICTOR(f, models[i]);
        static const uint32_t targets[] = {0x100, 0x100, 0x200, 0x200, 0x100, 0x100, 0x100};
        for (unsigned n = 0; n < 7; n++) {
            branch_query query = query_at(0x1000, ISA_JMP_INDIRECT, true);
            query.target = targets[n];
            ask(&f, query_at(0x5000, ISA_JCC, false)); /* so that no branch follows a wrong one at once */
            assert_int_equal(ask(&f, query).right, n > 0 && targets[n] == targets[n - 1]);
        }
    }
}

/* A function called from two places in turn: with the return stack right from the second return on, without
 * always wrong. */
TEST(returns)
{
    static const char *const models[] = {"p54c-100", "p55c-200"};
    for (unsigned i = 0; i < 2; i++) {
        PREDICTOR(f, models[i]);
        for (unsigned n = 0; n < 8; n++) {
            branch_query call = query_at(n % 2 != 0 ? 0x1100 : 0x1200, ISA_CALL, true);
            ask(&f, call);
            branch_query ret = query_at(0x9010, ISA_RET, true);
            ret.target = call.fall_through;
            branch_answer answer = ask(&f, ret);
            assert_int_equal(answer.right, i == 1 && n > 0);
            assert_int_equal(answer.return_predicted, i == 1 && n > 0);
            assert_int_equal(answer.return_right, i == 1 && n > 0);
        }
    }
}

/* Nesting of n: the outermost n - 4 returns are predicted wrong, and so many pushes overflow. */
TEST(deep_nesting)
{
    PREDICTOR(f, "p55c-200");
    for (unsigned round = 0; round < 3; round++) {
        unsigned overflows = 0, wrong = 0;
        const return_stack *returns = &f.predictor->returns;
        for (uint32_t n = 0; n < 6; n++) {
            overflows += returns->count == returns->entries;
            ask(&f, query_at(0x1000 + n * 0x10, ISA_CALL, true));
        }
        for (uint32_t n = 6; n-- > 0;) {
            branch_query ret = query_at(0x4008 + n * 0x10, ISA_RET, true);
            ret.target = 0x1002 + n * 0x10;
            wrong += !ask(&f, ret).right;
        }
        assert_int_equal(overflows, 2);
        assert_int_equal(wrong, round == 0 ? 6 : 2); /* first: no BTB entries */
    }
}

/* ---- P54C ---- */

/* T: 0->3 1->2 2->3 3->3, N: one down; taken is predicted in 2 and 3. Walks every state and outcome. */
TEST(state_machine_of_p54c)
{
    static const unsigned on_taken[4] = {3, 2, 3, 3}, on_not_taken[4] = {0, 0, 1, 2};
    PREDICTOR(f, "p54c-100");
    uint64_t seed = 5;
    unsigned model = 0;
    for (unsigned n = 0; n < 2000; n++) {
        bool taken = unit_random(&seed) & 1;
        ask(&f, query_at(0x5000, ISA_JCC, false)); /* another branch in between, always right */
        branch_answer answer = ask(&f, query_at(0x1000, ISA_JCC, taken));
        assert_int_equal(answer.hit, model != 0);
        assert_int_equal(answer.predicted_taken, model >= 2);
        assert_int_equal(answer.right, taken == (model >= 2));
        model = taken ? on_taken[model] : on_not_taken[model];
    }
}

/* In a loop of up to 4 pairs a taken execution leads from 0 to 1. */
TEST(tight_loops_of_p54c)
{
    for (uint8_t pairs = 3; pairs <= 5; pairs++) {
        PREDICTOR(f, "p54c-100");
        branch_query query = query_at(0x1000, ISA_JCC, true);
        query.loop_pairs = pairs;
        branch_query calm = query_at(0x5000, ISA_JCC, false);
        ask(&f, query); /* 3 */
        for (unsigned n = 0; n < 3; n++) {
            branch_query not_taken = query_at(0x1000, ISA_JCC, false);
            not_taken.loop_pairs = pairs;
            ask(&f, calm);
            ask(&f, not_taken);
        } /* 0 */
        ask(&f, calm);
        ask(&f, query); /* 1, or 3 */
        ask(&f, calm);
        assert_int_equal(ask(&f, query).predicted_taken, pairs > 4);
    }
}

TEST(p54c_key_and_allocation)
{
    PREDICTOR(f, "p54c-100");
    branch_query query = query_at(0x1000, ISA_JMP, true), calm = query_at(0x5000, ISA_JCC, false);
    query.missed_pairing = true; /* an unused pairing opportunity: no entry */
    ask(&f, query);
    ask(&f, calm);
    query.missed_pairing = false;
    assert_false(ask(&f, query).hit);
    ask(&f, calm);
    assert_true(ask(&f, query).right);
    query.previous_pair -= 2; /* reached another way: the entry hangs on the pair before */
    assert_false(ask(&f, query).hit);
}

/* The branch in the pair after a mispredicted branch is predicted not taken whatever its state; its counter
 * still learns. A loop of one pair that jumps to itself is wrong every time. */
TEST(branches_behind_a_wrong_one)
{
    PREDICTOR(f, "p54c-100");
    branch_query second = query_at(0x1010, ISA_JMP, true), calm = query_at(0x5000, ISA_JCC, false);
    second.previous_pair = 0x1000;
    ask(&f, calm);
    ask(&f, second);
    ask(&f, calm);
    assert_true(ask(&f, second).right);
    branch_query first = query_at(0x1000, ISA_JCC, true); /* no entry: wrong */
    first.target = 0x1010;
    first.pair = 0x1000;
    assert_false(ask(&f, first).right);
    branch_answer answer = ask(&f, second);
    assert_true(answer.hit && !answer.predicted_taken && !answer.right);

    branch_query self = query_at(0x2005, ISA_JCC, true);
    self.pair = self.previous_pair = self.target = 0x2004; /* dec eax / jns, the pair itself */
    self.in_v = true;
    for (unsigned n = 0; n < 10; n++)
        assert_false(ask(&f, self).right);
    branch_query aligned = query_at(0x3001, ISA_JCC, true); /* the same at the beginning of 16 bytes */
    aligned.pair = aligned.previous_pair = aligned.target = 0x3000;
    aligned.in_v = true;
    assert_false(ask(&f, aligned).right); /* no entry yet */
    for (unsigned n = 0; n < 10; n++)
        assert_true(ask(&f, aligned).right);
}

/* A pair without a branch after the key of a taken branch: flush, and the entry wears down. */
TEST(false_hits_of_p54c)
{
    PREDICTOR(f, "p54c-100");
    branch_query query = query_at(0x1000, ISA_JCC, true);
    ask(&f, query);                                                   /* 3 */
    assert_true(predictor_passed(f.predictor, query.previous_pair));  /* 3 -> 2 */
    assert_true(predictor_passed(f.predictor, query.previous_pair));  /* 2 -> 1 */
    assert_false(predictor_passed(f.predictor, query.previous_pair)); /* 1 -> 0 */
    ask(&f, query_at(0x5000, ISA_JCC, false));
    assert_false(ask(&f, query).hit);
    PREDICTOR(p55c, "p55c-200");
    assert_false(predictor_passed(p55c.predictor, 0x1000));
}

TEST(far_transfers_do_not_use_the_btb)
{
    PREDICTOR(f, "p55c-200");
    for (uint8_t kind = ISA_FAR; kind <= ISA_IRET; kind++)
        for (unsigned n = 0; n < 3; n++) {
            const branch_query query = query_at(0x1000, kind, true);
            assert_int_equal(predict(&f, &query), NOT_PREDICTED);
        }
}

/* Trimming keeps when recent branches ran, and needs no new memory: the buckets stay. */
TEST(recent_branches_survive_a_trim)
{
    enum { BRANCHES = 3000, NOW = 5000, RECENT = 10 };
    branch_runs runs = {0};
    for (uint32_t i = 0; i < BRANCHES; i++) {
        branch_run *ran = branch_runs_find(&runs, 16 * i, 2, ISA_JCC);
        assert_non_null(ran);
        ran->instructions = i < RECENT ? NOW - i : 1;
    }
    branch_run **const buckets = runs.bucket;
    branch_runs_trim(&runs, NOW, 0);
    assert_ptr_equal(runs.bucket, buckets);
    assert_int_equal(runs.count, RECENT);
    for (uint32_t i = 0; i <= RECENT; i++)
        assert_int_equal(branch_runs_find(&runs, 16 * i, 2, ISA_JCC)->instructions, i < RECENT ? NOW - i : 0);
    branch_runs_close(&runs);
}
