/* Other bus masters: when they take their turns, what the bus, the caches and the events make of them. Bus
 * clocks of p55c-200 are 3 core clocks; a write takes 2 of them and an idle one, a line written back 5, a
 * line from L2 2-1-1-1. */
#include "fixture.h"

enum { LINE = 0x7000 };

static p5_model *with_agent(const char *how)
{
    p5_model *model = fixture_model("p55c-200");
    p5_error error = {0};
    if (p5_model_set_agent(model, how, &error) != P5_OK)
        fail_msg("%s: %s", how, error.message);
    return model;
}

static void open_with(fixture *f, const char *how)
{
    *f = (fixture){.model = with_agent(how)};
    f->memory = memory_open(f->model, NULL, &f->totals);
    assert_non_null(f->memory);
}

#define WITH_AGENT(f, agent)                                                                                 \
    CLOSED_BY(fixture_close) fixture f;                                                                      \
    open_with(&f, agent)

static void put(fixture *f, uint32_t line, mesi state)
{
    data_cache_put(&f->memory->data, cache_set(line), 0, (cache_entry){line & ~0xfffu, state, 0});
}

/* Period 100: turns at bus clocks 100, 200, ...; those due at the clock asked for are taken. */
TEST(turns_are_due_at_multiples_of_the_period)
{
    WITH_AGENT(f, "dma,period=100,base=7000h,len=64");
    static const struct {
        uint64_t clock, snoops;
    } rows[] = {{299, 0}, {300, 1}, {599, 1}, {600, 2}, {3000, 10}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        memory_pass(f.memory, rows[i].clock);
        assert_int_equal(fixture_event(&f, P5_EVENT_EXTERNAL_SNOOPS), rows[i].snoops);
    }
    /* 8 bus clocks of HLDA each: 24 core clocks. */
    memory_advance(f.memory, 4000);
    assert_int_equal(fixture_event(&f, P5_EVENT_BUS_CYCLE_DURATION), 10 * 24);
    assert_int_equal(fixture_event(&f, P5_EVENT_BUS_UTILIZATION_DUE_TO_PROCESSOR_ACTIVITY), 0);
}

/* Another master's turn comes first when a reference is asked for at its clock. Before that clock, hits are usual. */
TEST(hits_are_usual_until_a_turn_is_due)
{
    WITH_AGENT(f, "dma,period=100,base=7000h,len=64,write=on");
    put(&f, LINE, MESI_EXCLUSIVE);
    const p5_access read = fixture_access(LINE, 4, 0);
    code_answer answer;
    memory_code(f.memory, 0x9000, 0x9000, 10, &answer);
    assert_int_equal(memory_agent_turn(f.memory), 300);
    assert_true(memory_data_usual(f.memory, &read, 299));
    assert_false(memory_data_usual(f.memory, &read, 300));
    assert_true(memory_code_usual(f.memory, 0x9000, 0x9000, 299));
    assert_false(memory_code_usual(f.memory, 0x9000, 0x9000, 300));
    f.now = 300;
    fixture_data(&f, LINE, 4, 0);
    assert_int_equal(fixture_event(&f, P5_EVENT_DATA_READ_MISS), 1); /* the turn has taken the line */
}

/* Two lines by turns; what reads leaves them shared, what writes leaves nothing. */
TEST(lines_of_the_range_by_turns)
{
    for (unsigned write = 0; write < 2; write++) {
        WITH_AGENT(f,
                   write ? "dma,period=100,base=7000h,len=64,write=on" : "dma,period=100,base=7000h,len=64");
        for (uint32_t n = 0; n < 3; n++)
            put(&f, LINE + 32 * n, MESI_EXCLUSIVE);
        memory_pass(f.memory, 300);
        assert_int_equal(fixture_state(&f, LINE), write ? MESI_INVALID : MESI_SHARED);
        assert_int_equal(fixture_state(&f, LINE + 32), MESI_EXCLUSIVE);
        memory_pass(f.memory, 600);
        assert_int_equal(fixture_state(&f, LINE + 32), write ? MESI_INVALID : MESI_SHARED);
        memory_pass(f.memory, 900); /* the first again */
        assert_int_equal(fixture_state(&f, LINE + 64), MESI_EXCLUSIVE);
        assert_int_equal(fixture_event(&f, P5_EVENT_EXTERNAL_SNOOPS), 3);
        assert_int_equal(fixture_event(&f, P5_EVENT_EXTERNAL_DATA_CACHE_SNOOP_HITS), write ? 2 : 3);
    }
}

/* A read of the processor that is asked for in the middle of a turn waits for its end: HLDA from bus clock
 * 100 to 108, an idle one, the read's first 8 bytes 2 later. Asked for at core clock 301, known as a miss a
 * clock later. */
TEST(the_processor_waits_for_the_bus)
{
    WITH_AGENT(f, "dma,period=100,base=7000h,len=32");
    f.now = 301;
    fixture_data(&f, 0x9000, 4, 0); /* the board's L2 is empty: DRAM */
    WITH_AGENT(alone, "none");
    alone.now = 109 * 3 - 1; /* known as a miss at 109 * 3, when that bus is free */
    fixture_data(&alone, 0x9000, 4, 0);
    assert_int_equal(f.now, alone.now);
}

/* HOLD waits for the end of the processor's own cycle, and of a locked sequence. */
TEST(the_agent_waits_for_a_locked_sequence)
{
    WITH_AGENT(f, "dma,period=100,base=7000h,len=32");
    p5_access read = fixture_access(0x9000, 4, 0), write = fixture_access(0x9000, 4, P5_ACCESS_WRITE);
    data_answer answer;
    memory_data(f.memory, &read, 290, LOCK_MODIFY * TRAIT_LOCK, &answer);
    assert_true(answer.done > 300);
    memory_data(f.memory, &write, answer.done, LOCK_MODIFY * TRAIT_LOCK, &answer);
    assert_int_equal(fixture_event(&f, P5_EVENT_EXTERNAL_SNOOPS), 0);
    memory_pass(f.memory, answer.done);
    assert_int_equal(fixture_event(&f, P5_EVENT_EXTERNAL_SNOOPS), 1);
}

/* A device that is slower than its period wants the bus at every second multiple. */
TEST(a_slow_agent_leaves_turns_out)
{
    WITH_AGENT(f, "dma,period=10,clocks=12,base=7000h,len=32");
    memory_pass(f.memory, 10 * 3 * 9); /* turns at 10, 30, 50, 70, 90 */
    assert_int_equal(fixture_event(&f, P5_EVENT_EXTERNAL_SNOOPS), 5);
}

/* PHIT# and PHITM# by the line's state; 2Ah only for the line that has to be written back. grant = 2: 6
 * clocks. */
TEST(a_second_processor_shares_lines)
{
    static const struct {
        mesi before;
        bool write;
        mesi after;
        unsigned shared, modified;
    } rows[] = {
        {MESI_INVALID, false, MESI_INVALID, 0, 0},  {MESI_INVALID, true, MESI_INVALID, 0, 0},
        {MESI_SHARED, false, MESI_SHARED, 1, 0},    {MESI_SHARED, true, MESI_INVALID, 1, 0},
        {MESI_EXCLUSIVE, false, MESI_SHARED, 1, 0}, {MESI_EXCLUSIVE, true, MESI_INVALID, 1, 0},
        {MESI_MODIFIED, false, MESI_SHARED, 1, 1},  {MESI_MODIFIED, true, MESI_INVALID, 1, 1},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        WITH_AGENT(f, rows[i].write ? "processor,period=100,base=7000h,len=32,write=on,grant=2"
                                    : "processor,period=100,base=7000h,len=32,grant=2");
        if (rows[i].before != MESI_INVALID)
            put(&f, LINE, rows[i].before);
        memory_pass(f.memory, 300);
        assert_int_equal(fixture_state(&f, LINE), rows[i].after);
        assert_int_equal(fixture_event(&f, P5_EVENT_CACHE_LINE_SHARING), rows[i].shared);
        assert_int_equal(fixture_event(&f, P5_EVENT_CACHE_M_STATE_LINE_SHARING), rows[i].modified);
        assert_int_equal(fixture_event(&f, P5_EVENT_BUS_OWNERSHIP_TRANSFERS), rows[i].modified);
        assert_int_equal(fixture_event(&f, P5_EVENT_BUS_OWNERSHIP_LATENCY), rows[i].modified * 6);
        assert_int_equal(fixture_event(&f, P5_EVENT_DATA_CACHE_LINES_WRITTEN_BACK), rows[i].modified);
        assert_int_equal(fixture_event(&f, P5_EVENT_EXTERNAL_SNOOPS), 0);
    }
}

/* The first own cycle after the other's requests the bus; the second has it. Asked for in the middle of the
 * other's cycle, bus clocks 100 to 108 and an idle one: from 304 (edge 306 = bus clock 102) until bus clock
 * 109 and grant = 2. */
TEST(ownership_is_requested_once)
{
    WITH_AGENT(f, "processor,period=100,base=7000h,len=32,grant=2");
    f.now = 303;
    fixture_data(&f, 0x9000, 4, P5_ACCESS_WRITE); /* a miss: to the bus at 304 */
    assert_int_equal(fixture_event(&f, P5_EVENT_BUS_OWNERSHIP_TRANSFERS), 1);
    assert_int_equal(fixture_event(&f, P5_EVENT_BUS_OWNERSHIP_LATENCY), (111 - 102) * 3);
    fixture_data(&f, 0x9000, 4, P5_ACCESS_WRITE);
    assert_int_equal(fixture_event(&f, P5_EVENT_BUS_OWNERSHIP_TRANSFERS), 1);
}

TEST(wrong_descriptions)
{
    static const struct {
        const char *text;
        unsigned column;
    } rows[] = {{"dna", 1},
                {"dma,period", 5},
                {"dma,period=0", 5},
                {"dma,period=10,speed=3", 15},
                {"dma,write=yes", 5}};
    p5_model *model = fixture_model("p55c-200");
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        p5_error error = {0};
        if (p5_model_set_agent(model, rows[i].text, &error) == P5_OK || error.column != rows[i].column)
            fail_msg("'%s': column %u, expected %u: %s", rows[i].text, error.column, rows[i].column,
                     error.message);
    }
    p5_model_close(model);
}
