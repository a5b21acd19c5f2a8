/* Remembered answers: as many as there are different executions, however often these come. */
#include "../base/snapshot_bytes.h"
#include "one_core.h"
#include "retire_blocks.h"
#include "core/core.h"
#include "core/internal.h"
#include "core/replay/memo.h"

enum { DISPATCH = 0x1000, HANDLER = 0x2000, HANDLERS = 2 };

static const uint8_t dispatch_code[] = {0x40, 0xff, 0xe2}; /* inc eax; jmp edx */
static const uint8_t handler_code[] = {0x43, 0xeb,
                                       0x00}; /* inc ebx; jmp to dispatch (the target is told by `next`) */

typedef struct interpreter {
    p5_model *model;
    p5_core *core;
    p5_block *dispatch, *handlers[HANDLERS];
} interpreter;

static void interpreter_open(interpreter *i, bool with_memo)
{
    i->model = fixture_model("p55c-200");
    i->core = open_core(i->model, NULL);
    p5_core_set_memo(i->core, with_memo);
    i->dispatch = block_at(i->core, dispatch_code, sizeof dispatch_code, DISPATCH);
    for (uint32_t h = 0; h < HANDLERS; h++)
        i->handlers[h] = block_at(i->core, handler_code, sizeof handler_code, HANDLER + h * 0x100);
}

static void interpreter_close(interpreter *i)
{
    p5_core_close(i->core);
    p5_model_close(i->model);
}

#define INTERPRETER(i, with_memo)                                                                            \
    CLOSED_BY(interpreter_close) interpreter i;                                                              \
    interpreter_open(&i, with_memo)

static void retire(interpreter *i, p5_block *block, uint32_t next)
{
    const p5_retired retired = whole_block(block, next);
    p5_core_retire(i->core, &retired);
}

/* An interpreter's dispatch: the indirect jump goes to the other handler every time, so the BTB, which
 * remembers the last target, is always wrong. */
static void interpret(interpreter *i, unsigned steps)
{
    for (unsigned n = 0; n < steps; n++) {
        uint32_t h = n % HANDLERS;
        retire(i, i->dispatch, HANDLER + h * 0x100);
        retire(i, i->handlers[h], DISPATCH);
    }
}

TEST(test_always_mispredicted)
{
    INTERPRETER(i, true);
    interpret(&i, 1000);
    size_t bytes = i.core->memo.arena.used_bytes;
    interpret(&i, 10000);
    assert_int_equal(i.core->memo.arena.used_bytes, bytes);
    assert_in_range(bytes, 1, 1 << 16);
}

TEST(test_same_as_exact)
{
    static p5_counts both[2];
    memset(both, 0, sizeof both);
    for (unsigned n = 0; n < 2; n++) {
        INTERPRETER(i, n);
        interpret(&i, 1000);
        p5_core_counts(i.core, &both[n]);
    }
    assert_memory_equal(&both[0], &both[1], sizeof both[0]);
    /* all dispatches after the first go the wrong way */
    assert_int_equal(
        both[0].increments[P5_EVENT_PIPELINE_FLUSHES_DUE_TO_WRONG_BRANCH_PREDICTIONS][P5_CPL_KERNEL] > 999,
        1);
}

/* A leaf counts its uses in 32 bits: before they overflow, they are added to the totals. */
TEST(test_many_uses)
{
    static p5_counts both[2];
    uint64_t clocks = 0, more = 0;
    for (unsigned n = 0; n < 2; n++) {
        INTERPRETER(i, true);
        interpret(&i, 1000);
        memo_leaf *leaf = memo_last(&i.core->memo);
        if (n != 0) { /* some 4 thousand million uses, of which nothing but their number is known */
            more = UINT32_MAX - 10 - leaf->uses;
            clocks = leaf->clocks;
            leaf->uses += (uint32_t)more;
        }
        interpret(&i, 1000);
        p5_core_counts(i.core, &both[n]);
    }
    assert_int_equal(both[1].increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_KERNEL] -
                         both[0].increments[P5_EVENT_INSTRUCTIONS_EXECUTED][P5_CPL_KERNEL],
                     2 * more); /* the handler's */
    assert_int_equal(both[1].clocks[P5_CPL_KERNEL] - both[0].clocks[P5_CPL_KERNEL], clocks * more);
}

/* While CR0.TS or EM is set no MMX instruction goes to V (M6 in docs/rules.tsv); everything else is remembered as ever. */
TEST(test_fpu_trap)
{
    static const uint8_t mmx_code[] = {0x40, 0x0f, 0xfc,
                                       0xc1, 0xeb, 0xfa};           /* inc eax; paddb mm0,mm1; jmp back */
    static const uint8_t integer_code[] = {0x40, 0x43, 0xeb, 0xfc}; /* inc eax; inc ebx; jmp back */
    INTERPRETER(i, true);
    p5_block *mmx = block_at(i.core, mmx_code, sizeof mmx_code, DISPATCH);
    p5_block *integer = block_at(i.core, integer_code, sizeof integer_code, HANDLER);
    for (unsigned trap = 0; trap < 2; trap++) {
        p5_core_set_control(i.core, &(p5_control){.size = sizeof(p5_control), .fpu_trap = trap});
        for (unsigned in_batch = 0; in_batch < 2; in_batch++) {
            enum { TIMES = 100 };
            p5_core_settle(i.core);
            const uint64_t before =
                p5_core_event_total(i.core, P5_EVENT_MMX_INSTRUCTIONS_EXECUTED_V_PIPE, 3, false);
            for (unsigned n = 0; n < TIMES; n++) {
                const p5_retired_block b = {.block = mmx, .next = DISPATCH, .mode = P5_MODE_PROTECTED};
                if (in_batch)
                    retire_blocks(i.core, NULL, NULL, &b, 1);
                else
                    retire(&i, mmx, DISPATCH);
            }
            p5_core_settle(i.core);
            const uint64_t after =
                p5_core_event_total(i.core, P5_EVENT_MMX_INSTRUCTIONS_EXECUTED_V_PIPE, 3, false);
            /* the first may have to wait for its line */
            assert_in_range(after - before, trap ? 0 : TIMES - 2, trap ? 0 : TIMES);
            for (unsigned n = 0; n < TIMES; n++)
                retire(&i, integer, HANDLER);
            assert_non_null(i.core->memo.last);
        }
    }
}

/* While EFLAGS.TF is set nothing pairs (P9 in docs/rules.tsv). */
TEST(test_trap_flag)
{
    enum { TIMES = 100 };
    static const uint8_t code[] = {0x40, 0x43, 0xeb, 0xfc}; /* inc eax; inc ebx; jmp back */
    INTERPRETER(i, true);
    p5_block *block = block_at(i.core, code, sizeof code, HANDLER);
    for (unsigned trap = 0; trap < 2; trap++) {
        p5_core_set_control(i.core, &(p5_control){.size = sizeof(p5_control), .trap_flag = trap});
        const uint64_t before = p5_core_event_total(i.core, P5_EVENT_INSTRUCTIONS_EXECUTED_V_PIPE, 3, false);
        for (unsigned n = 0; n < TIMES; n++)
            retire(&i, block, HANDLER);
        p5_core_settle(i.core);
        const uint64_t in_v =
            p5_core_event_total(i.core, P5_EVENT_INSTRUCTIONS_EXECUTED_V_PIPE, 3, false) - before;
        /* the first may have to wait for its line */
        assert_in_range(in_v, trap ? 0 : TIMES - 2, trap ? 0 : TIMES);
    }
}

/* What the x87 pipe worked at is over when HLT is. */
TEST(test_halt)
{
    static const uint8_t code[] = {0xd8, 0xf1, 0xeb, 0xfc}; /* fdiv st,st(1); jmp back */
    for (unsigned with_memo = 0; with_memo < 2; with_memo++) {
        INTERPRETER(i, with_memo);
        p5_block *divide = block_at(i.core, code, sizeof code, DISPATCH);
        for (unsigned n = 0; n < 10; n++) {
            retire(&i, divide, DISPATCH);
            p5_core_halt(i.core, 1000, 0);
        }
        assert_int_equal(p5_core_event_total(i.core, P5_EVENT_FLOATING_POINT_STALLS_DURATION, 3, false), 0);
    }
}

/* Returns the matches of the breakpoint of DR0 so far. */
static uint64_t matches(p5_core *core)
{
    p5_core_settle(core);
    return p5_core_event_total(core, P5_EVENT_BREAKPOINT_MATCH_ON_DR0_REGISTER, 3, false);
}

/* Sets DR0 to the code at `address`, not enabled. */
static void break_at(p5_core *core, uint32_t address)
{
    p5_core_set_debug(core, &(p5_debug){.size = sizeof(p5_debug), .dr = {address, 1, 1, 1}});
}

/* Silicon counts a breakpoint at the instruction after MOV SS twice (erratum 44), also if MOV SS was remembered. */
TEST(test_breakpoint_after_mov_ss)
{
    static const uint8_t mov_ss[] = {0x8e, 0xd0}, jump[] = {0xeb, 0xfc}; /* mov ss,ax; jmp back */
    for (unsigned with_memo = 0; with_memo < 2; with_memo++) {
        enum { TIMES = 100 };
        INTERPRETER(i, with_memo);
        break_at(i.core, HANDLER + sizeof mov_ss);
        p5_block *load = block_at(i.core, mov_ss, sizeof mov_ss, HANDLER);
        p5_block *back = block_at(i.core, jump, sizeof jump, HANDLER + sizeof mov_ss);
        for (unsigned n = 0; n < TIMES; n++) {
            retire(&i, load, HANDLER + sizeof mov_ss);
            retire(&i, back, HANDLER);
        }
        assert_int_equal(matches(i.core), 2 * TIMES);
    }
}

/* A breakpoint that a snapshot contains also matches in blocks that were made before the snapshot was loaded, until it
 * is moved elsewhere. */
TEST(test_breakpoint_of_snapshot)
{
    enum { TIMES = 100 };
    snapshot_bytes saved = {0};
    p5_error error;
    INTERPRETER(from, true);
    INTERPRETER(to, true);
    break_at(from.core, HANDLER);
    assert_int_equal(p5_core_save(from.core, snapshot_bytes_put, &saved, &error), P5_OK);
    assert_int_equal(p5_core_load(to.core, snapshot_bytes_get, &saved, &error), P5_OK);
    for (unsigned n = 0; n < TIMES; n++)
        retire(&to, to.handlers[0], HANDLER);
    assert_int_equal(matches(to.core), TIMES);
    break_at(to.core, DISPATCH);
    for (unsigned n = 0; n < TIMES; n++)
        retire(&to, to.handlers[0], HANDLER);
    assert_int_equal(matches(to.core), TIMES);
    free(saved.data);
}
