/* Errata 44 of the specification update (242480) in what the monitor counts at exceptions, breakpoints and
 * segment loads, each as silicon counts and as the manual says (errata = on, off). The others have cases in
 * tests/cases/events. */
#include "core/model/model.h"
#include "one_core.h"

enum { CODE = 0x1000, HANDLER = 0x2000, MISSING = 0x700000, MF = 16, PF = 14, DB = 1 };

typedef struct rig {
    p5_model *model;
    p5_core *core;
} rig;

static void open_rig(rig *r, const char *name, bool errata, bool paging)
{
    const p5_core_hooks hooks = {.size = sizeof hooks, .walk = fixture_walk};
    r->model = fixture_model(name);
    r->model->errata = errata;
    r->core = open_core(r->model, &hooks);
    p5_core_set_control(r->core, &(p5_control){.size = sizeof(p5_control), .paging = paging});
}

static void close_rig(rig *r)
{
    p5_core_close(r->core);
    p5_model_close(r->model);
}

#define RIG(r, ...)                                                                                          \
    CLOSED_BY(close_rig) rig r;                                                                              \
    open_rig(&r, __VA_ARGS__)

static uint64_t total(rig *r, enum p5_event event)
{
    p5_core_settle(r->core);
    return p5_core_event_total(r->core, event, 3, false);
}

/* Executes the first instructions of `bytes` at `address`, as many as `what` counts. */
static void execute(rig *r, uint32_t address, const uint8_t *bytes, size_t size, p5_retired what)
{
    p5_block *block = block_at(r->core, bytes, size, address);
    assert_true(p5_block_count(block) >= what.count);
    what.size = sizeof what;
    what.block = block;
    what.next = address + (uint32_t)size;
    what.mode = P5_MODE_PROTECTED;
    p5_core_retire(r->core, &what);
    p5_block_release(r->core, block);
}

static void nop(rig *r, uint32_t address)
{
    static const uint8_t byte[] = {0x90};
    execute(r, address, byte, 1, (p5_retired){.count = 1});
}

static p5_exception fault(uint8_t vector, uint32_t instruction)
{
    return (p5_exception){.size = sizeof(p5_exception),
                          .kind = P5_TRANSFER_FAULT,
                          .vector = vector,
                          .mode = P5_MODE_PROTECTED,
                          .mode_after = P5_MODE_PROTECTED,
                          .instruction = instruction,
                          .handler = HANDLER};
}

static const char *const models[] = {"p54c-133", "p55c-200"};

/* Events 02h and 0Dh: a reference that misses the TLB and faults is one miss, two in silicon; it reads both
 * entries of its walk once. A page whose entry is there (a protection fault) misses nothing. */
TEST(misses_of_faulting_references)
{
    for (unsigned i = 0; i < 4; i++) {
        bool errata = i & 1;
        for (unsigned kind = P5_REFERENCE_READ; kind <= P5_REFERENCE_CODE; kind++) {
            RIG(r, models[i / 2], errata, true);
            enum p5_event miss = kind == P5_REFERENCE_CODE ? P5_EVENT_CODE_TLB_MISS : P5_EVENT_DATA_TLB_MISS;
            p5_exception e = fault(PF, CODE);
            e.reference = (uint8_t)kind;
            e.reference_linear = MISSING;
            uint64_t before = p5_core_clock(r.core);
            p5_core_exception(r.core, &e);
            uint64_t with_walk = p5_core_clock(r.core) - before;
            assert_int_equal(total(&r, miss), errata ? 2 : 1);
            assert_int_equal(total(&r, P5_EVENT_NONCACHEABLE_MEMORY_READS), 2);
            p5_counts all;
            p5_core_counts(r.core, &all);
            uint64_t walk =
                all.stalls[kind == P5_REFERENCE_CODE ? P5_STALL_CODE_FETCH : P5_STALL_DATA_TLB][0];
            assert_true(walk > 0 && walk < with_walk);
            assert_int_equal(total(&r, P5_EVENT_DATA_CACHE_TLB_MISS_STALL_DURATION),
                             kind == P5_REFERENCE_CODE ? 0 : walk);

            /* nothing was kept: the same again */
            p5_core_exception(r.core, &e);
            assert_int_equal(total(&r, miss), errata ? 4 : 2);
            /* an entry that is there */
            if (kind != P5_REFERENCE_CODE) {
                static const uint8_t load[] = {0x8b, 0x06}; /* mov eax,[esi] */
                p5_access access = fixture_access(MISSING, 4, 0);
                execute(&r, CODE, load, sizeof load,
                        (p5_retired){.count = 1, .accesses = &access, .access_count = 1});
                uint64_t there = total(&r, miss);
                p5_core_exception(r.core, &e);
                assert_int_equal(total(&r, miss), there);
            }
        }
    }
}

/* Event 16h: the partner of a U instruction faults, and a second exception comes before the handler's first
 * instruction. Each entry counts by the manual; silicon loses the first. */
TEST(fault_in_v_and_another)
{
    static const uint8_t pair[] = {0x40, 0x8b,
                                   0x1e}; /* inc eax, mov ebx,[esi]: they pair, the second faults */
    for (unsigned i = 0; i < 16; i++) {
        bool errata = i & 1, in_v = i & 2, apart = i & 4; /* in a block of its own, as where blocks are cut */
        RIG(r, models[i / 8], errata, false);
        nop(&r, CODE - 1);
        execute(&r, CODE, pair, apart && in_v ? 1 : sizeof pair,
                (p5_retired){.count = in_v ? 1 : 2,
                             .accesses = &(p5_access){.linear = MISSING, .physical = MISSING, .size = 4},
                             .access_count = in_v ? 0 : 1});
        p5_exception first = fault(PF, CODE + (in_v ? 1 : 3)), second = fault(PF, HANDLER);
        p5_block *whole = block_at(r.core, pair, sizeof pair, CODE);
        p5_block *own = block_at(r.core, pair + 1, sizeof pair - 1, CODE + 1);
        if (in_v) {
            first.block = apart ? own : whole;
            first.index = apart ? 0 : 1;
        }
        p5_core_exception(r.core, &first);
        p5_core_exception(r.core, &second);
        unsigned executed = 1 + (in_v ? 1 : 2);
        assert_int_equal(total(&r, P5_EVENT_INSTRUCTIONS_EXECUTED), executed + (errata && in_v ? 1 : 2));
        /* with an instruction in between both count */
        nop(&r, CODE - 1);
        uint64_t before = total(&r, P5_EVENT_INSTRUCTIONS_EXECUTED);
        execute(&r, CODE, pair, apart ? 1 : sizeof pair, (p5_retired){.count = 1});
        first.instruction = CODE + 1;
        first.block = apart ? own : whole;
        first.index = apart ? 0 : 1;
        p5_core_exception(r.core, &first);
        nop(&r, HANDLER);
        p5_core_exception(r.core, &second);
        assert_int_equal(total(&r, P5_EVENT_INSTRUCTIONS_EXECUTED), before + 4);
    }
}

/* Event 27h: INTR after a trap or an NMI of the same boundary counts there too in silicon. After a fault
 * there is no boundary. */
TEST(waiting_interrupts)
{
    static const p5_transfer kinds[] = {P5_TRANSFER_TRAP, P5_TRANSFER_NMI, P5_TRANSFER_FAULT};
    for (unsigned i = 0; i < 12; i++) {
        bool errata = i & 1, waits = i & 2;
        RIG(r, "p54c-133", errata, false);
        p5_exception e = fault(DB, CODE);
        e.kind = kinds[i / 4];
        e.interrupt_waits = waits;
        p5_core_exception(r.core, &e);
        unsigned own = e.kind == P5_TRANSFER_NMI;
        assert_int_equal(total(&r, P5_EVENT_HARDWARE_INTERRUPTS),
                         own + (errata && waits && e.kind != P5_TRANSFER_FAULT));
    }
}

/* Events 12h and 15h: segment loads that read a descriptor are among both by the manual; VERR flushes nothing
 * and counts in silicon. */
TEST(flushes_without_a_flush)
{
    static const uint8_t load[] = {0x8e, 0xc0} /* mov es,ax */, verify[] = {0x0f, 0x00, 0xe0} /* verr ax */;
    for (unsigned i = 0; i < 8; i++) {
        bool errata = i & 1, descriptor = i & 2;
        RIG(r, models[i / 4], errata, false);
        execute(&r, CODE, load, sizeof load, (p5_retired){.count = 1, .descriptor = descriptor});
        assert_int_equal(total(&r, P5_EVENT_PIPELINE_FLUSHES), descriptor);
        execute(&r, CODE, verify, sizeof verify, (p5_retired){.count = 1, .descriptor = descriptor});
        assert_int_equal(total(&r, P5_EVENT_PIPELINE_FLUSHES), errata + descriptor);
        assert_int_equal(total(&r, P5_EVENT_BRANCHES), descriptor + 1);
    }
}

/* Events 23h-26h: DR0 holds the address of an instruction. */
TEST(breakpoints_of_restarted_instructions)
{
    static const uint8_t pop_ss[] = {0x17} /* pop ss */, load[] = {0x8b, 0x06} /* mov eax,[esi] */,
                         fnop[] = {0xd9, 0xd0};
    enum { DATA = 0x5000, ENABLED = 0x00f0000a /* G0 on code; G1, R/W1 = read or write, LEN1 = 4 bytes */ };
    for (unsigned i = 0; i < 4; i++) {
        bool errata = i & 1;
        RIG(r, models[i / 2], errata, false);
        p5_debug debug = {.size = sizeof debug, .dr = {CODE, DATA}, .dr7 = ENABLED};
        p5_core_set_debug(r.core, &debug);
        const enum p5_event match = P5_EVENT_BREAKPOINT_MATCH_ON_DR0_REGISTER;
        uint64_t expected = 0;
        nop(&r, CODE);
        assert_int_equal(total(&r, match), expected += 1);

        p5_exception e = fault(MF, CODE); /* stopped by an x87 exception, restarted after the handler */
        p5_core_exception(r.core, &e);
        execute(&r, CODE, fnop, sizeof fnop, (p5_retired){.count = 1});
        assert_int_equal(total(&r, match), expected += errata ? 2 : 1);

        execute(&r, CODE - 1, pop_ss, 1, (p5_retired){.count = 1}); /* after POP SS */
        nop(&r, CODE);
        assert_int_equal(total(&r, match), expected += errata ? 2 : 1);
        nop(&r, CODE);
        assert_int_equal(total(&r, match), expected += 1);

        p5_access access = fixture_access(DATA, 4, 0); /* after an enabled data breakpoint */
        execute(&r, CODE - 2, load, sizeof load,
                (p5_retired){.count = 1, .accesses = &access, .access_count = 1});
        nop(&r, CODE);
        assert_int_equal(total(&r, match), expected += errata ? 0 : 1);
        nop(&r, CODE);
        assert_int_equal(total(&r, match), expected += 1);

        p5_core_resume(r.core); /* after an IRET that sets RF */
        nop(&r, CODE);
        assert_int_equal(total(&r, match), expected += errata ? 0 : 1);
        nop(&r, CODE);
        assert_int_equal(total(&r, match), expected += 1);

        p5_core_set_control(r.core,
                            &(p5_control){.size = sizeof(p5_control), .trap_flag = true}); /* single steps */
        nop(&r, CODE);
        assert_int_equal(total(&r, match), expected += errata ? 0 : 1);
    }
}

/* Event 0Fh, whatever the errata: LGDT and LIDT load a segment register too. */
TEST(descriptor_table_registers)
{
    static const uint8_t lgdt[] = {0x0f, 0x01, 0x16}, lidt[] = {0x0f, 0x01, 0x1e}; /* [esi] */
    RIG(r, "p55c-200", true, false);
    p5_access accesses[] = {fixture_access(0x5000, 2, 0), fixture_access(0x5002, 4, 0)};
    execute(&r, CODE, lgdt, sizeof lgdt, (p5_retired){.count = 1, .accesses = accesses, .access_count = 2});
    assert_int_equal(total(&r, P5_EVENT_ANY_SEGMENT_REGISTER_LOADED), 1);
    execute(&r, CODE, lidt, sizeof lidt, (p5_retired){.count = 1, .accesses = accesses, .access_count = 2});
    assert_int_equal(total(&r, P5_EVENT_ANY_SEGMENT_REGISTER_LOADED), 2);
}

/* What entering a handler counts, whatever the errata. 26.4.6: exceptions and interrupts are instructions,
 * branches, flushes of the pipe and far transfers, these twice if the level changes; software interrupts
 * flush nothing, and INT n itself has been counted (as an instruction, a branch and a load) when it was
 * executed. INTR and NMI alone are hardware interrupts. A delivery on a RET counts in event 39h. The references
 * of all of them miss the cache, and none issues an instruction: whatever waits, no clock is owned by issue.
 */
TEST(deliveries)
{
    for (unsigned kind = P5_TRANSFER_FAULT; kind <= P5_TRANSFER_NMI; kind++)
        for (unsigned i = 0; i < 8; i++) {
            bool errata = i & 1, inner = i & 2, on_return = i & 4, software = kind == P5_TRANSFER_SOFTWARE;
            RIG(r, "p55c-200", errata, false);
            p5_exception e = fault(DB, CODE);
            e.kind = (p5_transfer)kind;
            e.cpl = inner ? 3 : 0;
            e.on_return = on_return;
            const p5_access accesses[] = {fixture_access(0x5000, 4, P5_ACCESS_SYSTEM),
                                          fixture_access(0x6000, 4, P5_ACCESS_SYSTEM)};
            e.accesses = accesses;
            e.access_count = 2;
            p5_core_exception(r.core, &e);
            p5_counts all;
            p5_core_counts(r.core, &all);
            assert_int_equal(p5_counts_sum(all.stalls[P5_STALL_ISSUE], P5_CPL_MASK_ALL), 0);
            assert_true(p5_counts_sum(all.stalls[P5_STALL_DATA_READ], P5_CPL_MASK_ALL) > 0);
            const struct {
                enum p5_event event;
                unsigned expected;
            } rows[] = {
                {P5_EVENT_INSTRUCTIONS_EXECUTED, 1},
                {P5_EVENT_BRANCHES, !software},
                {P5_EVENT_TAKEN_BRANCHES, software},
                {P5_EVENT_TAKEN_BRANCH_OR_BTB_HIT, software},
                {P5_EVENT_PIPELINE_FLUSHES, !software},
                {P5_EVENT_ANY_SEGMENT_REGISTER_LOADED, !software + inner},
                {P5_EVENT_HARDWARE_INTERRUPTS, kind == P5_TRANSFER_INTERRUPT || kind == P5_TRANSFER_NMI},
                {P5_EVENT_RETURNS, on_return && !software},
            };
            for (size_t n = 0; n < sizeof rows / sizeof rows[0]; n++) {
                p5_core_settle(r.core);
                uint64_t is = p5_core_event_total(r.core, rows[n].event, P5_CPL_MASK_ALL, false);
                if (is != rows[n].expected)
                    fail_msg("transfer %u, inner %d, on RET %d: %s is %lu, expected %u", kind, inner,
                             on_return, p5_event_describe(rows[n].event)->name, (unsigned long)is,
                             rows[n].expected);
            }
        }
}
