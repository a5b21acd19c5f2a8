/* The pipe on sequences whose clocks the documents state, all references hitting: groups, stages and owners
 * of clocks. */
#include <string.h>

#include "../unit.h"
#include "model_timing.h"
#include "core/block.h"
#include "core/pipe/pipe.h"

enum { MOST = 64 };

/* A run of one block, instructions at fixed EX clocks; `accesses` in program order. */
typedef struct run {
    bool right;    /* branches are predicted right */
    bool unknown;  /* P54C: no end bit is set */
    bool chance;   /* the branch missed an opportunity to pair */
    uint32_t wait; /* clocks that a string's reads wait */
    pipe_deltas deltas;
    p5_trace_insn insns[MOST];
    unsigned count;
} run;

static uint64_t hit_data(void *context, const p5_access *a, uint64_t asked, unsigned traits,
                         data_answer *answer)
{
    (void)context, (void)a, (void)asked, (void)traits, (void)answer;
    return DATA_USUAL;
}

static bool hit_string(void *context, pipe_string *s)
{
    const run *r = context;
    s->hits[0] = s->hits[1] = s->iterations;
    s->held.read += r->wait;
    s->waited = r->wait;
    return true;
}

static bool hit_code(void *context, uint32_t linear, uint64_t asked, code_answer *answer)
{
    (void)context, (void)linear, (void)asked, (void)answer;
    return true;
}

static bool known(void *context, const op *o)
{
    (void)o;
    return !((const run *)context)->unknown;
}

static void predict(void *context, const branch_query *query, branch_answer *answer)
{
    run *r = context;
    r->chance = query->missed_pairing;
    *answer = (branch_answer){.right = r->right, .hit = true};
}

static void note(void *context, const p5_trace_insn *insn)
{
    run *r = context;
    if (r->count < MOST)
        r->insns[r->count++] = *insn;
}

static void go(run *r, unsigned family, const uint8_t *bytes, unsigned size, const uint32_t *addresses,
               run answers)
{
    *r = answers;
    const timing *t = timing_of(family);
    PREPARED(block, t, bytes, size, MOST);
    const pipe_resolver resolver = {r, hit_data, NULL, hit_code, known, predict, NULL, NULL};
    trace_sink sink = {.insn = note, .context = r};
    pipe_state state;
    pipe_reset(&state);
    pipe p;
    memset(&p, 0, sizeof p);
    p.trace = &sink;
    pipe_load(&p, &state, t);
    pipe_begin(&p, 0, 0x1000, &resolver, &r->deltas);
    p5_access accesses[MOST];
    unsigned next = 0;
    for (unsigned i = 0; i < block->count; i++) {
        const op *o = &block->ops[i];
        const p5_access *own = &accesses[next];
        for (unsigned j = 0; j < o->accesses; j++, next++)
            accesses[next] = (p5_access){.linear = addresses ? addresses[next] : 0x2000,
                                         .size = 4,
                                         .flags = j >= isa_forms[o->form].data_reads ? P5_ACCESS_WRITE : 0};
        bool branch = o->branch != ISA_NOT_BRANCH;
        const pipe_insn x = {.op = o,
                             .accesses = own,
                             .access_count = o->accesses,
                             .clocks = o->clocks,
                             .complete = true,
                             .taken = branch,
                             .next = o->address + o->length};
        pipe_run(&p, &x, 1);
    }
    pipe_settle(&p);
    pipe_end(&p);
}

/* Clocks in EX from the first instruction to the end of the last. */
static unsigned clocks(const run *r)
{
    return (unsigned)(r->insns[r->count - 1].end - r->insns[0].ex);
}

#define GO(r, family, addresses, ...)                                                                        \
    go(r, family, (const uint8_t[]){__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}), addresses,               \
       (run){.right = true})

/* What held a pair in EX. cases/execute has the clocks of all kinds of pairs. */
TEST(holds_of_pairs)
{
    static const uint32_t apart[] = {0x2000, 0x2004}, together[] = {0x2000, 0x2000};
    for (unsigned family = P5_FAMILY_P54C; family <= P5_FAMILY_P55C; family++) {
        run r;
        GO(&r, family, apart, 0x03, 0x06, 0x03, 0x0f); /* add eax,[esi]; add ecx,[edi] */
        assert_int_equal(clocks(&r), 2);
        assert_int_equal(r.insns[0].hold, P5_STALL_ISSUE); /* nothing */
        assert_int_equal(r.insns[0].hold_clocks, 0);
        GO(&r, family, together, 0x03, 0x06, 0x03, 0x0f);
        assert_int_equal(clocks(&r), 3);
        assert_int_equal(r.insns[0].hold, P5_STALL_BANK_CONFLICT);
        assert_int_equal(r.insns[0].hold_clocks, 1);
    }
}

static void expect_count(const run *r, enum p5_event event, unsigned increments, unsigned asserted)
{
    assert_int_equal(r->deltas.of[event].increments, increments);
    assert_int_equal(r->deltas.of[event].asserted, asserted);
}

/* Two references in one clock: an event that both signal is asserted for that clock only, and a load and a store signal
 * different ones. */
TEST(events_of_pairs_of_references)
{
    static const uint32_t apart[] = {0x2000, 0x2004};
    run r;
    GO(&r, P5_FAMILY_P55C, apart, 0x8b, 0x06, 0x8b, 0x0f); /* mov eax,[esi]; mov ecx,[edi] */
    expect_count(&r, P5_EVENT_DATA_READ, 2, 1);
    GO(&r, P5_FAMILY_P55C, apart, 0x8b, 0x06, 0x89, 0x0f); /* mov eax,[esi]; mov [edi],ecx */
    expect_count(&r, P5_EVENT_DATA_READ, 1, 1);
    expect_count(&r, P5_EVENT_DATA_WRITE, 1, 1);
    expect_count(&r, P5_EVENT_DATA_READ_OR_WRITE, 2, 1);
    GO(&r, P5_FAMILY_P55C, apart, 0x89, 0x06, 0x89, 0x0f); /* mov [esi],eax; mov [edi],ecx */
    expect_count(&r, P5_EVENT_DATA_WRITE, 2, 1);
    expect_count(&r, P5_EVENT_WRITE_HIT_TO_M_OR_E_STATE_LINES, 2, 1);
}

/* P54C: a prefix clock in D1 hides behind a long EX of the group before or of the one before that (GMP: SHLD
 * and one pair 5, two pairs 7). */
TEST(prefix_shadow)
{
    run r;
    GO(&r, P5_FAMILY_P54C, NULL, 0x0f, 0xa5, 0xc3, 0x31, 0xd2, 0x31, 0xf6, 0x0f, 0xa5,
       0xc3); /* shld; xor, xor; shld */
    assert_int_equal(r.insns[3].ex - r.insns[0].ex, 5);
    GO(&r, P5_FAMILY_P54C, NULL, 0x0f, 0xa5, 0xc3, 0x31, 0xd2, 0x31, 0xf6, 0x31, 0xff, 0x31, 0xed, 0x0f, 0xa5,
       0xc3);
    assert_int_equal(r.insns[5].ex - r.insns[0].ex, 7);
    GO(&r, P5_FAMILY_P55C, NULL, 0x0f, 0xa5, 0xc3, 0x31, 0xd2, 0x31, 0xf6, 0x31, 0xff, 0x31, 0xed, 0x0f, 0xa5,
       0xc3);
    assert_int_equal(r.insns[5].ex - r.insns[0].ex, 6); /* no such clock after the FIFO */
}

/* Distances from E to E: FADD to FADD 3, to FST 4, FMUL to independent FMUL 2, FCOM to FNSTSW 5, and FXCH
 * free in V. */
TEST(x87_distances)
{
    run r;
    GO(&r, P5_FAMILY_P55C, NULL, 0xd8, 0xc1, 0xd8, 0xc1); /* fadd st,st(1) twice */
    assert_int_equal(clocks(&r), 4);
    assert_int_equal(r.deltas.of[P5_EVENT_FLOATING_POINT_STALLS_DURATION].increments, 2);
    GO(&r, P5_FAMILY_P55C, NULL, 0xd8, 0xc1, 0xd9, 0x16); /* fst [esi]: 4 and 2 in EX */
    assert_int_equal(clocks(&r), 6);
    GO(&r, P5_FAMILY_P55C, NULL, 0xdc, 0xcb, 0xdc, 0xcc); /* fmul st(3),st; fmul st(4),st */
    assert_int_equal(clocks(&r), 3);
    GO(&r, P5_FAMILY_P55C, NULL, 0xd8, 0xd1, 0xdf, 0xe0); /* fcom; fnstsw ax */
    assert_int_equal(clocks(&r), 7);
    GO(&r, P5_FAMILY_P55C, NULL, 0xd8, 0xc1, 0xd9, 0xca, 0xd8, 0xc1, 0xd9,
       0xcb); /* fadd; fxch; fadd; fxch: no dependence */
    assert_int_equal(clocks(&r), 2);
}

/* x87 to MMX 38 clocks, MMX to x87 58; each direction counts. The first use after RESET is no switch. */
TEST(mmx_switches)
{
    run r;
    GO(&r, P5_FAMILY_P55C, NULL, 0xd9, 0xe8, 0x0f, 0xeb, 0xc0, 0x0f, 0x77, 0xd9,
       0xe8); /* fld1; por; emms; fld1 */
    assert_int_equal(r.deltas.of[P5_EVENT_TRANSITIONS_BETWEEN_MMX_AND_FP_INSTRUCTIONS].increments, 2);
    assert_int_equal(deltas_stall(&r.deltas, P5_STALL_MMX_FP_SWITCH), 38 + 58);
    assert_int_equal(r.deltas.of[P5_EVENT_EMMS_INSTRUCTIONS_EXECUTED].increments, 1);
}

/* Wrong prediction: 3 clocks on the P54C and 4 on the P55C from U, one more from V. */
TEST(misprediction)
{
    static const struct {
        unsigned family;
        uint8_t bytes[4];
        unsigned lost;
        bool in_wb;
    } cases[] = {
        {P5_FAMILY_P54C, {0xf7, 0xd0, 0x74, 0x00}, 3, false}, /* not eax; jz: alone in U */
        {P5_FAMILY_P54C, {0x89, 0xd0, 0x74, 0x00}, 4, true},  /* mov eax,edx; jz in V */
        {P5_FAMILY_P55C, {0xf7, 0xd0, 0x74, 0x00}, 4, false},
        {P5_FAMILY_P55C, {0x89, 0xd0, 0x74, 0x00}, 5, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run r;
        memset(&r, 0, sizeof r);
        const timing *t = timing_of(cases[i].family);
        PREPARED(block, t, cases[i].bytes, 4, 2);
        const pipe_resolver resolver = {&r, hit_data, NULL, hit_code, known, predict, NULL, NULL};
        trace_sink sink = {.insn = note, .context = &r};
        pipe_state s;
        pipe_reset(&s);
        pipe p;
        memset(&p, 0, sizeof p);
        p.trace = &sink;
        pipe_load(&p, &s, t);
        pipe_begin(&p, 0, 0x1000, &resolver, &r.deltas);
        for (unsigned n = 0; n < 2; n++) /* twice the same two instructions, the branch to the first */
            for (unsigned k = 0; k < 2; k++) {
                const pipe_insn x = {
                    .op = &block->ops[k], .clocks = 1, .complete = true, .taken = k == 1, .next = 0x1000};
                pipe_run(&p, &x, 1);
            }
        assert_int_equal(r.insns[2].ex - r.insns[1].end, cases[i].lost);
        assert_int_equal(
            r.deltas.of[P5_EVENT_PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS_RESOLVED_IN_WB_STAGE]
                .increments,
            cases[i].in_wb ? 2 : 0);
        assert_int_equal(deltas_stall(&r.deltas, P5_STALL_BRANCH), cases[i].lost);
    }
}

/* The clocks that a string waits belong to the cause of the wait, the others to issue and execution. REP MOVSD: 12 + n. */
TEST(waits_of_a_string)
{
    enum { ELEMENTS = 4, CLOCKS = 12 + ELEMENTS };
    static const uint8_t bytes[] = {0xf3, 0xa5};
    PREPARED(block, timing_of(P5_FAMILY_P55C), bytes, sizeof bytes, 1);
    p5_access accesses[2 * ELEMENTS];
    for (unsigned i = 0; i < 2 * ELEMENTS; i++)
        accesses[i] = (p5_access){.linear = 0x2000 + 4 * i, .size = 4, .flags = i % 2 ? P5_ACCESS_WRITE : 0};
    for (uint32_t wait = 0; wait < 3; wait++) {
        run r = {.wait = wait};
        const pipe_resolver resolver = {&r, hit_data, hit_string, hit_code, known, predict, NULL, NULL};
        pipe_state s;
        pipe_reset(&s);
        pipe p;
        memset(&p, 0, sizeof p);
        pipe_load(&p, &s, timing_of(P5_FAMILY_P55C));
        pipe_begin(&p, 0, 0x1000, &resolver, &r.deltas);
        const pipe_insn x = {.op = &block->ops[0],
                             .accesses = accesses,
                             .access_count = 2 * ELEMENTS,
                             .clocks = CLOCKS,
                             .complete = true,
                             .next = 0x1002};
        pipe_run(&p, &x, 1);
        assert_int_equal(deltas_stall(&r.deltas, P5_STALL_ISSUE), 1);
        assert_int_equal(deltas_stall(&r.deltas, P5_STALL_EXECUTE), CLOCKS - 1);
        assert_int_equal(deltas_stall(&r.deltas, P5_STALL_DATA_READ), wait);
    }
}

/* The P54C's BTB is told that a branch went alone only because no end bit was set (P7), and not if another rule
 * would have kept it out of V. */
TEST(missed_chances_to_pair)
{
    static const struct {
        uint8_t bytes[4];
        unsigned size;
        bool unknown, chance;
    } rows[] = {
        {{0x89, 0xd0, 0x74, 0x00}, 4, true, true},   /* mov eax,edx; jz */
        {{0x89, 0xd0, 0x74, 0x00}, 4, false, false}, /* they pair */
        {{0x40, 0x74, 0x00}, 3, true, false},        /* inc eax; jz: the end of one byte is known */
        {{0x89, 0xd0, 0xc3}, 3, true, false},        /* mov eax,edx; ret: RET does not go to V */
        {{0x89, 0xd0, 0xc3}, 3, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        run r;
        go(&r, P5_FAMILY_P54C, rows[i].bytes, rows[i].size, NULL,
           (run){.right = true, .unknown = rows[i].unknown});
        assert_int_equal(r.chance, rows[i].chance);
    }
}
