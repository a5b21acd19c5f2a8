/* Branches of the P55C that are predicted early. The fast path gives the same predictions as the slow path and leaves
 * the same entries in the branch target buffer. */
#include "core/core.h"
#include "core/internal.h"
#include "core/branch/predictor_fast.h"
#include "one_core.h"

/* Blocks of one to three instructions that end in a branch; some share a dword, some a set of the BTB, of
 * which there are more than ways. */
typedef struct branch {
    uint32_t address; /* of the block */
    uint8_t code[8];
    uint8_t size, length; /* of the block, of its branch */
    uint8_t kind;
    uint8_t taken_of_256; /* how often it is taken; what follows one outcome is often the same one again */
} branch;

static const branch branches[] = {
    {0x1000, {0x75, 0x40}, 2, 2, ISA_JCC, 250},
    {0x1002, {0x74, 0x40}, 2, 2, ISA_JCC, 20}, /* in one dword with the one before */
    {0x1100, {0x90, 0x75, 0x40}, 3, 2, ISA_JCC, 255},
    {0x1200, {0x90, 0x90, 0x7c, 0x40}, 4, 2, ISA_JCC, 128},
    {0x1300, {0x75, 0x40}, 2, 2, ISA_JCC, 240},
    {0x1400, {0x75, 0x40}, 2, 2, ISA_JCC, 200}, /* the sixth of its set */
    {0x1500, {0xe2, 0x40}, 2, 2, ISA_LOOP, 200},
    {0x2010, {0xeb, 0x40}, 2, 2, ISA_JMP, 255},
    {0x2020, {0x90, 0xff, 0xe0}, 3, 2, ISA_JMP_INDIRECT, 255},
    {0x2030, {0xe8, 0x40, 0, 0, 0}, 5, 5, ISA_CALL, 255},
    {0x2040, {0xc3}, 1, 1, ISA_RET, 255},
};
enum { BRANCHES = sizeof branches / sizeof *branches, EXECUTIONS = 200000 };

static bool same_entries(const btb *a, const btb *b)
{
    for (unsigned i = 0; i < BTB_ENTRIES; i++) {
        const btb_entry *x = &a->entry[i], *y = &b->entry[i];
        if (a->owner[i] != b->owner[i] || x->target != y->target || x->counters != y->counters ||
            x->used != y->used ||
            ((x->pattern ^ y->pattern) & (PATTERN_HISTORY | PATTERN_PREDICTION | PATTERN_STALE)) != 0)
            return false;
    }
    return true;
}

/* The short ways: an entry that is known to stay as it is, and where a branch had its entry last. */
static void go_the_long_way(predictor *p, branch_run *ran)
{
    for (unsigned i = 0; i < BTB_ENTRIES; i++)
        p->btb.entry[i].settled = BTB_NEVER_SETTLED;
    ran->branch.entry = (uint16_t)btb_first(&ran->branch);
}

TEST(short_as_long)
{
    MODEL(model, "p55c-200");
    CORE(core, model, NULL);
    predictor *asked = predictor_open(model);
    assert_non_null(asked);
    branch_runs runs = {0};
    p5_block *blocks[BRANCHES];
    uint64_t now = 0, seed = 5, answers = 0;
    for (unsigned i = 0; i < BRANCHES; i++) {
        const branch *b = &branches[i];
        blocks[i] = block_at(core, b->code, b->size, b->address);
    }
    unsigned at = 0;
    for (unsigned n = 0; n < EXECUTIONS; n++) {
        if (unit_random(&seed) % 8 == 0) /* else the same one again: a loop */
            at = unit_random(&seed) % BRANCHES;
        const branch *b = &branches[at];
        uint32_t behind = b->address + b->size;
        bool direct = b->kind != ISA_RET && b->kind != ISA_JMP_INDIRECT;
        uint32_t target = behind + (direct ? 0x40 : unit_random(&seed) % 8 == 0 ? 0x80 : 0x10);
        bool always = b->kind != ISA_JCC && b->kind != ISA_LOOP;
        bool taken = always || (unit_random(&seed) & 255) < b->taken_of_256;
        const p5_retired r = whole_block(blocks[at], taken ? target : behind);
        now += r.count;
        branch_run *ran = branch_runs_find(&runs, behind - b->length, b->length, b->kind);
        assert_non_null(ran);
        go_the_long_way(asked, ran);
        unsigned answer = predictor_near(asked, ran, r.next, behind, now);
        if (core_predict(core, &r) != answer)
            fail_msg("execution %u of the branch at %#x: predicted otherwise by the short way", n,
                     ran->address);
        answers |= 1ull << answer;
        if (n % 1000 == 0)
            assert_true(same_entries(&core->predictor->btb, &asked->btb));
    }
    assert_int_equal(answers & 15, 15);                    /* an own entry, both ways both times */
    assert_int_equal(answers >> PREDICTED_NOTHING & 3, 3); /* none */
    assert_int_equal(answers >> (OWN_WRONG_TARGET + 2) & 3,
                     2);                            /* an own one of a jump that leads elsewhere */
    assert_true(answers >> PREDICTED_FALSELY != 0); /* another branch's */
    assert_true(same_entries(&core->predictor->btb, &asked->btb));
    branch_runs_close(&runs);
    predictor_close(asked);
}
