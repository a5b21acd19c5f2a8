/* Samples by counter overflow: where a sample is taken, and in which calling context. */
#include "retire_blocks.h"
#include "core/core.h"
#include "core/internal.h"
#include "core/profile/profile.h"
#include "one_core.h"

enum { BEGIN = 0x1000, BODY = 0x1100, DATA = 0x8000, STACK = 0x9000 };

static const uint8_t begin_code[] = {0x8b, 0x06, 0xeb, 0x00}; /* mov eax,[esi]; jmp body */
static const uint8_t body_code[] = {0x43, 0xe8, 0, 0, 0, 0};  /* inc ebx; call body */

typedef struct guest {
    p5_model *model;
    p5_core *core;
    p5_block *begin, *body;
} guest;

static void guest_open(guest *g)
{
    g->model = fixture_model("p55c-200");
    g->core = open_core(g->model, NULL);
    g->begin = block_at(g->core, begin_code, sizeof begin_code, BEGIN);
    g->body = block_at(g->core, body_code, sizeof body_code, BODY);
    const profile_options options = {
        .sample_quantity = P5_EVENT_DATA_READ, .sample_period = 1, .most_samples = 8};
    assert_true(profile_start(g->core, &options));
}

static void guest_close(guest *g)
{
    p5_core_close(g->core);
    p5_model_close(g->model);
}

#define GUEST(g)                                                                                             \
    CLOSED_BY(guest_close) guest g;                                                                          \
    guest_open(&g)

/* Without symbols, what is called is a function: the body calls the beginning, where a read overflows; the
 * body follows by a jump, and calls itself. Answers the profile. */
static profile_view run(guest *g, bool as_batch)
{
    p5_retired_block stretches[] = {{.block = g->body, .next = BEGIN},
                                    {.block = g->begin, .next = BODY},
                                    {.block = g->body, .next = BODY},
                                    {.block = g->body, .next = BODY}};
    enum { STRETCHES = sizeof stretches / sizeof *stretches };
    p5_access accesses[STRETCHES];
    for (unsigned i = 0; i < STRETCHES; i++) {
        accesses[i] = stretches[i].block == g->begin ? fixture_access(DATA, 4, 0)
                                                     : fixture_access(STACK - 4 * i, 4, P5_ACCESS_WRITE);
        stretches[i].accesses_end = accesses + i + 1;
        stretches[i].mode = P5_MODE_PROTECTED;
    }
    if (as_batch) {
        retire_blocks(g->core, accesses, NULL, stretches, STRETCHES);
    } else {
        for (unsigned i = 0; i < STRETCHES; i++) {
            const p5_retired whole = block_retired(&stretches[i], accesses + i, NULL);
            p5_core_retire(g->core, &whole);
        }
    }
    assert_true(profile_collect(g->core));
    profile_view view;
    profile_get_view(g->core, &view);
    return view;
}

/* The interrupt finds the body on its stack as it follows by the jump, in the beginning's context, not as it
 * is called. */
static void sample_is_in_the_context_of_what_comes_next(bool as_batch)
{
    GUEST(g);
    const profile_view view = run(&g, as_batch);
    assert_int_equal(view.sample_count, 1);
    assert_int_equal(view.overflows, 1);
    const profile_sample *sample = &view.samples[0];
    assert_int_equal(sample->address, BODY);
    assert_int_equal(view.contexts[sample->context].function, BEGIN);
}

TEST(test_alone)
{
    sample_is_in_the_context_of_what_comes_next(false);
}

TEST(test_batch)
{
    sample_is_in_the_context_of_what_comes_next(true);
}

/* mov eax,[esi]; inc ebx; add ecx,eax; imul edx,edx; jmp to the first */
static const uint8_t loop_code[] = {0x8b, 0x06, 0x43, 0x01, 0xc1, 0x0f, 0xaf, 0xd2, 0xeb, 0xf6};

enum { MOST_SAMPLES = 64 };

/* The samples of a loop, of which the memo knows how long each trip takes. Answers how many. */
static size_t sample_loop(bool memo_on, int quantity, uint64_t period, profile_sample samples[MOST_SAMPLES])
{
    enum { BATCHES = 200, TRIPS = 50 };
    MODEL(model, "p55c-200");
    CORE(core, model, NULL);
    p5_core_set_memo(core, memo_on);
    p5_block *block = block_at(core, loop_code, sizeof loop_code, BEGIN);
    const profile_options options = {
        .sample_quantity = quantity, .sample_period = period, .most_samples = MOST_SAMPLES};
    assert_true(profile_start(core, &options));
    p5_access accesses[TRIPS];
    p5_retired_block trips[TRIPS];
    for (unsigned i = 0; i < TRIPS; i++) {
        accesses[i] = fixture_access(DATA, 4, 0);
        trips[i] = (p5_retired_block){
            .block = block, .accesses_end = accesses + i + 1, .next = BEGIN, .mode = P5_MODE_PROTECTED};
    }
    for (unsigned i = 0; i < BATCHES; i++)
        retire_blocks(core, accesses, NULL, trips, TRIPS);
    assert_true(profile_collect(core));
    profile_view view;
    profile_get_view(core, &view);
    memcpy(samples, view.samples, view.sample_count * sizeof *samples);
    return view.sample_count;
}

/* The memo answers as long as the counter cannot overflow, and no sample comes later for that. */
TEST(test_far)
{
    static const struct {
        int quantity;
        uint64_t period;
    } cases[] = {{P5_PROFILE_CLOCKS, 1999},
                 {P5_PROFILE_CLOCKS, 5003},
                 {P5_EVENT_NUMBER_OF_CYCLES_NOT_IN_HALT_STATE, 4001},
                 {P5_EVENT_INSTRUCTIONS_EXECUTED, 3001},
                 {P5_EVENT_DATA_READ, 1201},
                 {P5_PROFILE_STALLS + P5_STALL_EXECUTE, 4003},
                 {P5_PROFILE_EXECUTIONS, 4001}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        profile_sample exact[MOST_SAMPLES], remembered[MOST_SAMPLES];
        const size_t count = sample_loop(false, cases[i].quantity, cases[i].period, exact);
        assert_true(count > 5);
        assert_int_equal(sample_loop(true, cases[i].quantity, cases[i].period, remembered), count);
        for (size_t n = 0; n < count; n++) {
            assert_int_equal(remembered[n].clock, exact[n].clock);
            assert_int_equal(remembered[n].address, exact[n].address);
        }
    }
}
