/* The profile's shadow call stack when an interrupt is taken directly after a call or return: the interrupt finds the
 * stack as that instruction has left it. */
#include "retire_blocks.h"
#include "core/core.h"
#include "core/internal.h"
#include "core/profile/profile.h"
#include "core/profile/profiler.h"
#include "one_core.h"

enum {
    MAIN = 0x1000,
    BEHIND = MAIN + 6,
    CALLEE = 0x2000,
    HANDLER = 0x3000,
    STACK = 0x9000,
    MAIN_END = 0x1100
};

static const uint8_t call_code[] = {0x43, 0xe8, 0, 0, 0, 0}; /* inc ebx; call callee */
static const uint8_t behind_code[] = {0x42, 0xeb, 0};        /* inc edx; jmp to main */
static const uint8_t ret_code[] = {0x41, 0xc3};              /* inc ecx; ret */
static const uint8_t iret_code[] = {0x40, 0xcf};             /* inc eax; iret */

typedef struct guest {
    p5_model *model;
    p5_core *core;
    p5_block *call, *behind, *ret, *iret;
} guest;

static void guest_open(guest *g, const profile_options *options)
{
    g->model = fixture_model("p55c-200");
    g->core = open_core(g->model, NULL);
    g->call = block_at(g->core, call_code, sizeof call_code, MAIN);
    g->behind = block_at(g->core, behind_code, sizeof behind_code, BEHIND);
    g->ret = block_at(g->core, ret_code, sizeof ret_code, CALLEE);
    g->iret = block_at(g->core, iret_code, sizeof iret_code, HANDLER);
    assert_true(profile_start(g->core, options));
}

static const profile_options no_options = {.sample_quantity = P5_PROFILE_NONE};

static void guest_close(guest *g)
{
    p5_core_close(g->core);
    p5_model_close(g->model);
}

#define GUEST(g, options)                                                                                    \
    CLOSED_BY(guest_close) guest g;                                                                          \
    guest_open(&g, options)

static void retire(const guest *g, p5_block *block, uint32_t next)
{
    p5_access accesses[8];
    unsigned n = 0;
    for (unsigned i = 0; i < p5_block_count(block); i++)
        for (unsigned j = 0; j < p5_block_accesses(block, i); j++, n++)
            accesses[n] = fixture_access(STACK + 4 * n, 4, block == g->call ? P5_ACCESS_WRITE : 0);
    p5_retired r = whole_block(block, next);
    r.accesses = accesses;
    r.access_count = n;
    p5_core_retire(g->core, &r);
}

/* An interrupt of the processor, and the way back; or a signal of a personality, which just begins. */
static void interrupt(const guest *g, bool delivered, uint32_t back)
{
    const p5_exception exception = {.size = sizeof exception,
                                    .kind = P5_TRANSFER_INTERRUPT,
                                    .mode = P5_MODE_PROTECTED,
                                    .mode_after = P5_MODE_PROTECTED,
                                    .handler = HANDLER};
    if (delivered)
        p5_core_exception(g->core, &exception);
    retire(g, g->iret, back);
}

/* Function of the context that the instructions at `address` were all executed in. */
static uint64_t context_of(const profile_view *view, uint64_t address)
{
    uint32_t context = 0;
    for (size_t i = 0; i < view->site_count; i++) {
        const profile_site *site = &view->sites[i];
        if (site->address != address)
            continue;
        if (context != 0 && context != site->context)
            fail_msg("%llx is executed in contexts %u and %u", (unsigned long long)address, context,
                     site->context);
        context = site->context;
    }
    return view->contexts[context].function;
}

/* Three trips, the second interrupted after the call, or after the return. */
static void run(bool symbols, bool delivered, bool behind_call)
{
    static const profile_range functions[] = {
        {MAIN, MAIN_END}, {CALLEE, CALLEE + 0x100}, {HANDLER, HANDLER + 0x100}};
    const profile_options options = {.functions = functions,
                                     .function_count = symbols ? sizeof functions / sizeof *functions : 0,
                                     .sample_quantity = P5_PROFILE_NONE};
    GUEST(g, &options);
    for (unsigned trip = 0; trip < 3; trip++) {
        retire(&g, g.call, CALLEE);
        if (trip == 1 && behind_call)
            interrupt(&g, delivered, CALLEE);
        retire(&g, g.ret, BEHIND);
        if (trip == 1 && !behind_call)
            interrupt(&g, delivered, BEHIND);
        retire(&g, g.behind, MAIN);
    }
    assert_true(profile_collect(g.core));
    profile_view view;
    profile_get_view(g.core, &view);
    assert_int_equal(context_of(&view, MAIN), MAIN);
    assert_int_equal(context_of(&view, BEHIND), MAIN);
    assert_int_equal(context_of(&view, CALLEE), CALLEE);
    assert_int_equal(context_of(&view, HANDLER), HANDLER);
    /* The interrupt came where the callee was about to begin, or main to continue. */
    uint64_t interrupted = 0;
    for (size_t i = 0; i < view.context_count; i++)
        if (view.contexts[i].function == HANDLER)
            interrupted = view.contexts[view.contexts[i].parent].function;
    assert_int_equal(interrupted, behind_call ? CALLEE : MAIN);
    for (size_t i = 0; i < view.edge_count; i++)
        assert_int_equal(view.edges[i].calls, view.edges[i].function == CALLEE ? 3 : 1);
}

TEST(test_interrupt)
{
    for (unsigned symbols = 0; symbols < 2; symbols++) {
        run(symbols, true, true);
        run(symbols, true, false);
    }
}

TEST(test_signal)
{
    for (unsigned symbols = 0; symbols < 2; symbols++) {
        run(symbols, false, true);
        run(symbols, false, false);
    }
}

/* Programs at one address: one is known by its bytes, others by their page directories. A kernel's interrupt
 * handler is in all of them. */
TEST(test_address_spaces)
{
    enum { PROGRAM = 0x5000, FIRST_DIRECTORY = 0x10000, SECOND_DIRECTORY = 0x20000, SPACES = 2 };
    static const uint8_t known_code[] = {0x41, 0xeb, 0xfd}; /* inc ecx; jmp to it */
    static const uint8_t other_code[] = {0x42, 0xeb, 0xfd}, third_code[] = {0x43, 0xeb, 0xfd};
    static const profile_range functions[] = {{HANDLER, HANDLER + 0x100},
                                              {PROFILE_AT(1, PROGRAM), PROFILE_AT(1, PROGRAM) + 3}};
    const profile_text text = {PROFILE_AT(1, PROGRAM), sizeof known_code, known_code};
    const profile_options options = {.functions = functions,
                                     .function_count = 2,
                                     .texts = &text,
                                     .text_count = 1,
                                     .spaces = SPACES,
                                     .directory = FIRST_DIRECTORY,
                                     .sample_quantity = P5_PROFILE_NONE};
    GUEST(g, &options);
    p5_block *programs[] = {block_at(g.core, known_code, sizeof known_code, PROGRAM),
                            block_at(g.core, other_code, sizeof other_code, PROGRAM),
                            block_at(g.core, third_code, sizeof third_code, PROGRAM)};
    for (unsigned i = 0; i < 3; i++) {
        p5_core_load_cr3(g.core, i == 2 ? SECOND_DIRECTORY : FIRST_DIRECTORY);
        p5_retired r = whole_block(programs[i], PROGRAM);
        r.cpl = 3;
        for (unsigned trip = 0; trip <= i; trip++)
            p5_core_retire(g.core, &r);
        interrupt(&g, true, PROGRAM);
    }
    assert_true(profile_collect(g.core));
    profile_view view;
    profile_get_view(g.core, &view);
    assert_int_equal(view.directory_count, 2);
    assert_int_equal(view.directories[0], FIRST_DIRECTORY);
    assert_int_equal(view.directories[1], SECOND_DIRECTORY);
    uint64_t executions[4] = {0};
    for (size_t i = 0; i < view.site_count; i++)
        for (size_t j = 0; j < view.sites[i].amounts.count; j++)
            if (view.sites[i].amounts.items[j].quantity == P5_PROFILE_EXECUTIONS)
                executions[PROFILE_SPACE(view.sites[i].address)] += view.sites[i].amounts.items[j].increments;
    assert_int_equal(executions[0], 3 * 2); /* the handler's */
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(executions[1 + i], 2 * (i + 1));
    for (size_t i = 0; i < view.code_count; i++)
        if ((uint32_t)view.code[i].address == PROGRAM)
            assert_int_equal(view.code[i].bytes[0], 0x40 + PROFILE_SPACE(view.code[i].address));
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(context_of(&view, PROFILE_AT(1 + i, PROGRAM)), PROFILE_AT(1 + i, PROGRAM));
}

/* Returns to where nothing was called from, as code that builds its own stack does; in batches, so that they
 * are remembered. */
TEST(test_return_without_call)
{
    enum { TIMES = 64, ACCESSES = 1 };
    GUEST(g, &no_options);
    assert_int_equal(p5_block_accesses(g.ret, 0) + p5_block_accesses(g.ret, 1), ACCESSES);
    p5_access accesses[TIMES * ACCESSES];
    p5_retired_block stretches[TIMES];
    for (unsigned i = 0; i < TIMES; i++) {
        accesses[i] = fixture_access(STACK, 4, 0);
        stretches[i] = (p5_retired_block){.block = g.ret,
                                          .accesses_end = accesses + (i + 1) * ACCESSES,
                                          .next = CALLEE,
                                          .mode = P5_MODE_PROTECTED};
    }
    retire_blocks(g.core, accesses, NULL, stretches, TIMES);
    assert_true(profile_collect(g.core));
    profile_view view;
    profile_get_view(g.core, &view);
    assert_int_equal(context_of(&view, CALLEE), CALLEE);
}

/* A program that is known by its bytes calls code that is known by its page directory only, such as a kernel's vDSO. The
 * calls come in batches, so that they are remembered. */
TEST(test_calls_between_spaces)
{
    enum { TRIPS = 64, DIRECTORY = 0x10000, SPACES = 2, ACCESSES = 2 };
    static const uint8_t program[] = {0x43, 0xe8, 0, 0, 0, 0, 0x42, 0xeb, 0}; /* call_code, behind_code */
    static const profile_range function = {PROFILE_AT(1, MAIN), PROFILE_AT(1, MAIN_END)};
    const profile_text text = {PROFILE_AT(1, MAIN), sizeof program, program};
    const profile_options options = {.functions = &function,
                                     .function_count = 1,
                                     .texts = &text,
                                     .text_count = 1,
                                     .spaces = SPACES,
                                     .directory = DIRECTORY,
                                     .sample_quantity = P5_PROFILE_NONE};
    GUEST(g, &options);
    p5_access accesses[TRIPS * ACCESSES];
    p5_retired_block stretches[TRIPS * 3];
    for (unsigned i = 0; i < TRIPS; i++) {
        p5_access *a = &accesses[i * ACCESSES];
        a[0] = fixture_access(STACK, 4, P5_ACCESS_WRITE);
        a[1] = fixture_access(STACK, 4, 0);
        const p5_retired_block trip[] = {{.block = g.call, .accesses_end = a + 1, .next = CALLEE},
                                         {.block = g.ret, .accesses_end = a + 2, .next = BEHIND},
                                         {.block = g.behind, .accesses_end = a + 2, .next = MAIN}};
        for (unsigned j = 0; j < 3; j++) {
            stretches[i * 3 + j] = trip[j];
            stretches[i * 3 + j].mode = P5_MODE_PROTECTED;
            stretches[i * 3 + j].cpl = 3;
        }
    }
    retire_blocks(g.core, accesses, NULL, stretches, TRIPS * 3);
    assert_true(profile_collect(g.core));
    profile_view view;
    profile_get_view(g.core, &view);
    for (size_t i = 0; i < view.site_count; i++) {
        uint64_t address = view.sites[i].address; /* 0: costs of no instruction */
        assert_int_equal(PROFILE_SPACE(address), address == 0 ? 0 : (uint32_t)address < CALLEE ? 1 : SPACES);
    }
}

/* A table of the profile takes PROFILE_MOST_KEYS keys. Then it refuses to grow, and finds none. */
TEST(tables_have_a_limit)
{
    key_table table = {.size = 0};
    for (uint32_t i = 0; i < PROFILE_MOST_KEYS; i++) {
        uint32_t *index = key_find(&table, i, 0);
        if (index == NULL)
            fail_msg("key %u is refused", i);
        *index = i + 1;
    }
    assert_false(table.full);
    assert_null(key_find(&table, PROFILE_MOST_KEYS, 0));
    assert_true(table.full);
    free(table.slots);
}

/* HLT at 200 MHz for 25 seconds takes more clocks than 32 bits hold, and all of them belong to the last instruction. */
TEST(a_long_halt_is_attributed_in_full)
{
    const uint64_t clocks = 25ull * 200000000, all = 2 * clocks;
    GUEST(g, &no_options);
    retire(&g, g.call, CALLEE);
    for (unsigned i = 0; i < 2; i++)
        p5_core_halt(g.core, clocks, 0);
    assert_true(profile_collect(g.core));
    profile_view view;
    profile_get_view(g.core, &view);
    uint64_t halted = 0;
    for (size_t i = 0; i < view.site_count; i++)
        for (size_t n = 0; n < view.sites[i].amounts.count; n++)
            if (view.sites[i].amounts.items[n].quantity == P5_PROFILE_STALLS + P5_STALL_HALT)
                halted += view.sites[i].amounts.items[n].increments;
    assert_true(halted == all);
}

static const profile_range main_and_callee[] = {{MAIN, MAIN_END}, {CALLEE, CALLEE + 0x100}};
static const profile_options two_functions = {
    .functions = main_and_callee, .function_count = 2, .sample_quantity = P5_PROFILE_NONE};

/* Returns whether a function is an outermost one, which nothing in the profile has called. */
static bool is_outermost(const p5_core *core, uint64_t function)
{
    profile_view view;
    profile_get_view(core, &view);
    for (size_t i = 0; i < view.context_count; i++)
        if (view.contexts[i].function == function)
            return view.contexts[i].parent == 1;
    return false;
}

/* A CALL of the next instruction reads EIP, unless another function begins there. */
TEST(a_call_of_the_next_function_is_a_call)
{
    for (unsigned next_function = 0; next_function < 2; next_function++) {
        const profile_range functions[] = {{MAIN, next_function ? BEHIND : MAIN_END}, {BEHIND, MAIN_END}};
        const profile_options options = {
            .functions = functions, .function_count = 1 + next_function, .sample_quantity = P5_PROFILE_NONE};
        GUEST(g, &options);
        retire(&g, g.call, BEHIND);
        retire(&g, g.behind, MAIN);
        assert_true(profile_collect(g.core));
        profile_view view;
        profile_get_view(g.core, &view);
        assert_int_equal(context_of(&view, BEHIND), next_function ? BEHIND : MAIN);
    }
}

/* A near or far return to a function that had made the call before the profile began: that function is not called by the
 * one that returns. Without symbols, a far return shows that there is a function. */
TEST(a_return_to_before_the_profile)
{
    enum { NEAR, FAR, FAR_WITHOUT_SYMBOLS, WAYS };
    static const uint8_t far_ret_code[] = {0x41, 0xcb}; /* inc ecx; retf */
    for (unsigned way = 0; way < WAYS; way++) {
        GUEST(g, way == FAR_WITHOUT_SYMBOLS ? &no_options : &two_functions);
        retire(&g, way != NEAR ? block_at(g.core, far_ret_code, sizeof far_ret_code, CALLEE) : g.ret, BEHIND);
        retire(&g, g.behind, MAIN);
        assert_true(profile_collect(g.core));
        assert_true(is_outermost(g.core, CALLEE));
        assert_true(is_outermost(g.core, way == FAR_WITHOUT_SYMBOLS ? BEHIND : MAIN));
    }
}

/* If a profile begins with the delivery of an interrupt, the handler does not call what it returns to. */
TEST(an_interrupt_comes_first)
{
    GUEST(g, &two_functions);
    interrupt(&g, true, BEHIND);
    retire(&g, g.behind, MAIN);
    assert_true(profile_collect(g.core));
    assert_true(is_outermost(g.core, HANDLER));
    assert_true(is_outermost(g.core, MAIN));
}
