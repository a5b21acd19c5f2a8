/* The pipe's state between stretches: equal situations have equal bytes. Therefore the states of a loop recur, and a
 * state contains nothing that has passed. */
#include <stdio.h>
#include <string.h>

#include "../unit.h"
#include "model_timing.h"
#include "core/block.h"
#include "core/pipe/pipe.h"

enum { MOST = 16 /* instructions of a loop */ };

static uint64_t seed;

static unsigned next_random(unsigned below)
{
    return unit_random(&seed) % below;
}

typedef struct looped {
    const timing *t;
    bool right;    /* the branch is predicted */
    uint16_t wait; /* of the next reference, once */
    pipe p;        /* refers to the next two until it is loaded again */
    pipe_resolver resolver;
    pipe_deltas deltas;
    pipe_state state;
    pipe_pending pending;
    bool has_pending;
    uint64_t now;
} looped;

static uint64_t data(void *context, const p5_access *a, uint64_t asked, unsigned traits, data_answer *answer)
{
    (void)a, (void)traits;
    looped *l = context;
    if (l->wait == 0)
        return DATA_USUAL;
    *answer = (data_answer){.done = asked + l->wait, .read = l->wait};
    l->wait = 0;
    return DATA_LONG;
}

static bool code(void *context, uint32_t linear, uint64_t asked, code_answer *answer)
{
    (void)context, (void)linear, (void)asked, (void)answer;
    return true;
}

static bool end_known(void *context, const op *o)
{
    (void)context, (void)o;
    return true;
}

static void branch(void *context, const branch_query *query, branch_answer *answer)
{
    (void)query;
    const looped *l = context;
    *answer = (branch_answer){.right = l->right, .hit = true, .predicted_taken = l->right};
}

static void begin(looped *l, const timing *t, bool right)
{
    memset(l, 0, sizeof *l);
    l->t = t;
    l->right = right;
    pipe_reset(&l->state);
}

/* Executes the block once, with a taken branch at its end, and saves the state. */
static void turn(looped *l, const p5_block *block)
{
    l->resolver = (pipe_resolver){l, data, NULL, code, end_known, branch, NULL, NULL};
    l->deltas = (pipe_deltas){0};
    p5_access accesses[4 * MOST];
    for (unsigned i = 0; i < 4 * MOST; i++)
        accesses[i] = (p5_access){.linear = 0x2000, .size = 4};
    pipe_load(&l->p, &l->state, l->t);
    pipe_load_pending(&l->p, l->has_pending ? &l->pending : NULL);
    pipe_begin(&l->p, l->now, block->ops[0].address, &l->resolver, &l->deltas);
    for (unsigned i = 0; i < block->count; i++) {
        const op *o = &block->ops[i];
        bool last = i + 1 == block->count;
        const pipe_insn x = {.op = o,
                             .accesses = accesses,
                             .access_count = o->accesses,
                             .clocks = o->clocks,
                             .complete = true,
                             .taken = last,
                             .next = last ? block->ops[0].address : o->address + o->length};
        pipe_run(&l->p, &x, 1);
    }
    l->now += (uint64_t)pipe_end(&l->p);
    pipe_reset(&l->state);
    pipe_store(&l->p, &l->state);
    l->has_pending = l->p.waiting != NULL;
    if (l->has_pending)
        pipe_store_pending(&l->p, &l->pending);
}

static p5_block *random_loop(const timing *t)
{
    static const struct {
        uint8_t size, bytes[8];
    } samples[] = {
        {2, {0x89, 0xd8}},
        {2, {0x8b, 0x0e}},
        {2, {0x01, 0x0f}},
        {7, {0xc7, 0x46, 8, 1, 0, 0, 0}},
        {3, {0x66, 0x89, 0xd8}},
        {5, {0x65, 0x2e, 0x66, 0x8b, 0x06}}, /* four clocks in F */
        {1, {0x50}},
        {2, {0xf7, 0xe3}}, /* ten clocks in EX */
        {2, {0xd8, 0xc1}}, /* fadd */
        {2, {0xd8, 0xc9}}, /* fmul */
        {2, {0xd9, 0xc9}}, /* fxch */
        {2, {0xd9, 0x1e}}, /* fstp */
        {3, {0x0f, 0xb6, 0xc3}},
    };
    enum { SAMPLES = sizeof samples / sizeof samples[0] };
    uint8_t bytes[MOST * 8];
    size_t size = 0;
    for (unsigned n = next_random(MOST - 1); n > 0; n--) {
        unsigned i = next_random(SAMPLES);
        memcpy(bytes + size, samples[i].bytes, samples[i].size);
        size += samples[i].size;
    }
    bytes[size++] = 0x75; /* jne */
    bytes[size++] = 0x80;
    return prepared(t, bytes, size, 0x1000 + next_random(32), MOST);
}

/* Declares `block`, a random loop, which is freed at the end of the C block. */
#define LOOP_OF(block, t) CLOSED_BY(free_prepared) p5_block *block = random_loop(t)

/* After a few turns, the state of a loop stays the same. */
TEST(loops_recur)
{
    enum { LOOPS = 1500, TURNS = 40, SETTLED = 12 };
    seed = 3;
    for (unsigned family = P5_FAMILY_P54C; family <= P5_FAMILY_P55C; family++) {
        for (unsigned n = 0; n < LOOPS; n++) {
            LOOP_OF(block, timing_of(family));
            looped l;
            pipe_state settled = {0};
            begin(&l, timing_of(family), n % 4 != 0);
            for (unsigned i = 0; i < TURNS; i++) {
                l.wait = n % 5 == 0 ? 3000 : 0;
                turn(&l, block);
                if (i == SETTLED)
                    settled = l.state;
                if (i > SETTLED && memcmp(&settled, &l.state, sizeof settled) != 0)
                    fail_msg("family %u, loop %u: another state after turn %u", family, n, i);
            }
        }
    }
}

/* A long wait in EX lets everything before it become the past: whatever ran before, the state is the same. */
TEST(a_long_wait_forgets)
{
    enum { LOOPS = 300 };
    /* mov ecx,[esi], which waits; fadd; fstp; mov eax,ebx three times; jne */
    static const uint8_t tail[] = {0x8b, 0x0e, 0xd8, 0xc1, 0xd9, 0x1e, 0x89,
                                   0xd8, 0x89, 0xd8, 0x89, 0xd8, 0x75, 0x80};
    seed = 5;
    for (unsigned family = P5_FAMILY_P54C; family <= P5_FAMILY_P55C; family++)
        for (unsigned right = 0; right < 2; right++) {
            const timing *t = timing_of(family);
            CLOSED_BY(free_prepared) p5_block *after = prepared(t, tail, sizeof tail, 0x2004, MOST);
            pipe_state first = {0};
            for (unsigned n = 0; n < LOOPS; n++) {
                LOOP_OF(block, t);
                looped l;
                begin(&l, t, true);
                for (unsigned i = next_random(6); i > 0; i--) {
                    l.wait = next_random(2) ? 3000 : 0;
                    turn(&l, block);
                }
                l.right = right;
                l.wait = 5000;
                turn(&l, after);
                if (n == 0)
                    first = l.state;
                if (memcmp(&first, &l.state, sizeof first) != 0)
                    fail_msg("family %u, loop %u: another state", family, n);
            }
        }
}

/* Results for which the next instruction cannot wait are not in the state. FDIV's is in the status word 41 + 2 clocks
 * after it began; it keeps integer instructions out of EX for one, and NOT and JNE take one each. After the wrong
 * prediction nothing enters EX for 3 clocks (P54C) or 4. */
TEST(ready_results_are_forgotten)
{
    enum { LONGEST = 45, IN_STATUS = 41 + 2 };
    for (unsigned family = P5_FAMILY_P54C; family <= P5_FAMILY_P55C; family++) {
        const unsigned refill = family == P5_FAMILY_P54C ? 3 : 4;
        pipe_state last = {0};
        for (unsigned between = LONGEST; between > 0; between--) {
            uint8_t bytes[2 * LONGEST + 4] = {0xd8, 0xf1}; /* fdiv st,st(1) */
            for (unsigned i = 1; i <= between; i++)
                memcpy(bytes + 2 * i, (uint8_t[]){0xf7, 0xd0}, 2);       /* not eax */
            memcpy(bytes + 2 * between + 2, (uint8_t[]){0x75, 0x80}, 2); /* jne */
            PREPARED(block, timing_of(family), bytes, 2 * between + 4, LONGEST + 2);
            looped l;
            begin(&l, timing_of(family), false);
            turn(&l, block);
            if (between == LONGEST)
                last = l.state;
            const bool waits = 1 + between + 1 + refill < IN_STATUS;
            if ((memcmp(&last, &l.state, sizeof last) != 0) != waits)
                fail_msg("family %u, %u instructions between", family, between);
        }
    }
}

static void entered(void *context, const p5_trace_insn *insn)
{
    *(uint64_t *)context = insn->ex;
}

/* The state says when an instruction that waits for nothing could enter EX: a NOP at the branch's target does. */
TEST(the_next_entry)
{
    enum { LOOPS = 500 };
    static const uint8_t nop[] = {0x90};
    seed = 9;
    for (unsigned family = P5_FAMILY_P54C; family <= P5_FAMILY_P55C; family++) {
        const timing *t = timing_of(family);
        for (unsigned n = 0; n < LOOPS; n++) {
            LOOP_OF(block, t);
            CLOSED_BY(free_prepared) p5_block *next = prepared(t, nop, sizeof nop, block->ops[0].address, 1);
            looped l;
            begin(&l, t, n % 3 != 0);
            for (unsigned i = next_random(6); i > 0; i--)
                turn(&l, block);
            if (!l.has_pending) {
                uint64_t ex = 0;
                trace_sink sink = {.insn = entered, .context = &ex};
                uint64_t expected = l.now + (uint64_t)pipe_next_entry(&l.state, t);
                l.p.trace = &sink;
                turn(&l, next);
                pipe_settle(&l.p);
                assert_int_equal(ex, expected);
            }
        }
    }
}
