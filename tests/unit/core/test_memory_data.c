/* Data references on the exact path: MESI, cacheability, misalignment, locked and I/O references, and their
 * events. */
#include "fixture.h"

#include "core/memory/banks.h"

enum { R = 0, W = P5_ACCESS_WRITE, WT = P5_ACCESS_WRITE_THROUGH, CD = P5_ACCESS_CACHE_DISABLE };

static void through_board(p5_model *model)
{
    model->bus.write_back_lines = false;
}

static void errata_off(p5_model *model)
{
    model->errata = false;
}

/* Bank = address bits 4-2. A reference uses the banks of all of its bytes: one of 8 bytes uses two, or three if it does
 * not begin with a dword. Bank 0 follows bank 7. */
TEST(references_meet_in_banks)
{
    static const struct {
        p5_access a, b;
        bool meet;
    } rows[] = {
        {{.linear = 0x1000, .size = 4}, {.linear = 0x1000, .size = 4}, true},
        {{.linear = 0x1000, .size = 4}, {.linear = 0x2003, .size = 1}, true},
        {{.linear = 0x1000, .size = 4}, {.linear = 0x1004, .size = 4}, false},
        {{.linear = 0x1002, .size = 4}, {.linear = 0x1004, .size = 4}, true},
        {{.linear = 0x1000, .size = 8}, {.linear = 0x2024, .size = 4}, true},
        {{.linear = 0x1000, .size = 8}, {.linear = 0x1008, .size = 4}, false},
        {{.linear = 0x1001, .size = 8}, {.linear = 0x2000, .size = 4}, true},
        {{.linear = 0x1001, .size = 8}, {.linear = 0x2004, .size = 4}, true}, /* the middle bank */
        {{.linear = 0x1001, .size = 8}, {.linear = 0x2008, .size = 4}, true},
        {{.linear = 0x1001, .size = 8}, {.linear = 0x200c, .size = 4}, false},
        {{.linear = 0x101a, .size = 8}, {.linear = 0x203c, .size = 4}, true}, /* banks 6, 7, 0 */
        {{.linear = 0x101a, .size = 8}, {.linear = 0x2020, .size = 4}, true},
        {{.linear = 0x101a, .size = 8}, {.linear = 0x2024, .size = 4}, false},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (banks_meet(&rows[i].a, &rows[i].b) != rows[i].meet ||
            banks_meet(&rows[i].b, &rows[i].a) != rows[i].meet)
            fail_msg("row %u", i);
}

/* One reference to a line in a given state: the state after it (once everything has settled), and whether the
 * bus was needed. */
TEST(mesi_table)
{
    static const struct {
        mesi before;
        unsigned flags;
        bool write_through_board;
        mesi after;
        bool bus;
    } rows[] = {
        {MESI_INVALID, R, false, MESI_EXCLUSIVE, true},
        {MESI_INVALID, R | WT, false, MESI_SHARED, true},
        {MESI_INVALID, R, true, MESI_SHARED, true},
        {MESI_INVALID, R | CD, false, MESI_INVALID, true},
        {MESI_INVALID, W, false, MESI_INVALID, true}, /* no allocation */
        {MESI_SHARED, R, false, MESI_SHARED, false},
        {MESI_EXCLUSIVE, R, false, MESI_EXCLUSIVE, false},
        {MESI_MODIFIED, R, false, MESI_MODIFIED, false},
        {MESI_SHARED, W, false, MESI_EXCLUSIVE, true},
        {MESI_SHARED, W | WT, false, MESI_SHARED, true},
        {MESI_SHARED, W, true, MESI_SHARED, true},
        {MESI_EXCLUSIVE, W, false, MESI_MODIFIED, false},
        {MESI_MODIFIED, W, false, MESI_MODIFIED, false},
        {MESI_EXCLUSIVE, R | CD, false, MESI_EXCLUSIVE, false}, /* a hit is a hit */
    };
    static const char *const models[] = {"p54c-100", "p55c-200"};
    for (unsigned i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const char *model = models[i % 2];
        unsigned n = i / 2;
        FIXTURE(f, model, false, rows[n].write_through_board ? through_board : NULL);
        data_cache_put(&f.memory->data, cache_set(0x6040), 1, (cache_entry){0x6000, rows[n].before, 0});
        fixture_data(&f, 0x6044, 4, rows[n].flags);
        fixture_settle(&f);
        if (fixture_state(&f, 0x6040) != rows[n].after)
            fail_msg("%s, row %u: state %d, expected %d", model, n, fixture_state(&f, 0x6040), rows[n].after);
        bool on_bus = fixture_event(&f, P5_EVENT_BUS_CYCLE_DURATION) > 0;
        if (on_bus != rows[n].bus)
            fail_msg("%s, row %u: bus %d, expected %d", model, n, on_bus, rows[n].bus);
    }
}

/* The upgrade S to E comes with the end of the write: a second write at once still goes to the bus, a later
 * one does not. */
TEST(upgrade_comes_with_the_last_brdy)
{
    FIXTURE(f, "p55c-200", false, NULL);
    data_cache_put(&f.memory->data, 2, 0, (cache_entry){0x6000, MESI_SHARED, 0});
    fixture_data(&f, 0x6040, 4, W);
    fixture_data(&f, 0x6040, 4, W);
    assert_int_equal(fixture_event(&f, P5_EVENT_WRITE_HIT_TO_M_OR_E_STATE_LINES), 0);
    fixture_settle(&f);
    fixture_data(&f, 0x6040, 4, W);
    assert_int_equal(fixture_event(&f, P5_EVENT_WRITE_HIT_TO_M_OR_E_STATE_LINES), 1);
    assert_int_equal(fixture_event(&f, P5_EVENT_DATA_WRITE_MISS), 0); /* hits all three */
}

/* P55C-200, all in L2 after the warming round; ADS# at the first bus clock from 1 clock after EX on; data
 * usable 1 clock after its BRDY#. */
TEST(line_fill_times)
{
    FIXTURE(f, "p55c-200", false, NULL);
    fixture_data(&f, 0x8000, 4, R);
    memory_wbinvd(f.memory, 0); /* out of L1, still in L2 */
    fixture_settle(&f);
    f.now += (3 - f.now % 3) % 3;
    uint64_t start = f.now;
    data_answer miss = fixture_data(&f, 0x8000, 4, R);
    uint64_t ads = start + 3;
    assert_int_equal(miss.done, ads + 2 * 3 + 1);
    /* Another reference of that line waits for the array: 5 bus clocks and 3 core clocks. Not a second miss.
     */
    data_answer same = fixture_data(&f, 0x8018, 4, R);
    assert_true(same.hit);
    assert_int_equal(same.done, ads + 5 * 3 + 3);
    assert_int_equal(fixture_event(&f, P5_EVENT_DATA_READ_MISS), 2); /* the warming one and this */
    assert_int_equal(fixture_event(&f, P5_EVENT_DATA_READ), 3);
}

/* A non-cacheable read waits for its own bus cycle each time. ADS# comes with the first bus clock that is at least a clock after EX, the
 * cycle takes two bus clocks or more, and the data are usable 1 clock after BRDY#. A read across 8 bytes takes two cycles. */
TEST(uncached_read_waits_for_its_cycles)
{
    FIXTURE(f, "p55c-200", false, NULL);
    for (unsigned n = 0; n < 6; n++) {
        const unsigned cycles = 1 + n % 2;
        f.now += (3 - f.now % 3) % 3;
        const uint64_t used = fixture_event(&f, P5_EVENT_BUS_CYCLE_DURATION), ads = f.now + 3;
        data_answer answer = fixture_data(&f, cycles == 1 ? 0x8000 : 0x8006, 4, R | CD);
        assert_false(answer.hit);
        fixture_settle(&f);
        const uint64_t clocks = fixture_event(&f, P5_EVENT_BUS_CYCLE_DURATION) - used;
        assert_true(clocks >= cycles * 2 * 3);
        if (cycles == 1)
            assert_int_equal(answer.done, ads + clocks + 1);
        else
            assert_true(answer.done >= ads + clocks + 1);
    }
    assert_int_equal(fixture_event(&f, P5_EVENT_NONCACHEABLE_MEMORY_READS), 3 * 3);
}

/* References give the same events whether they are tallied by kind or counted at once, as a profile has them. */
TEST(events_tallied_and_counted_agree)
{
    static const char *const models[] = {"p54c-133", "p55c-200"};
    for (unsigned i = 0; i < 2; i++) {
        FIXTURE(tallied, models[i], false, NULL);
        FIXTURE(counted, models[i], false, NULL);
        memory_set_totals(counted.memory, &counted.totals, NULL);
        uint64_t seed = 7;
        for (unsigned n = 0; n < 20000; n++) {
            const uint32_t x = unit_random(&seed), address = unit_random(&seed) % 0x6000;
            static const unsigned kinds[] = {R, R, R, W, W, R | CD, W | WT, W | P5_ACCESS_LOCKED};
            static const unsigned traits[] = {0, 0, TRAIT_PARTNER, TRAIT_MMX};
            tallied.traits = counted.traits = traits[x >> 8 & 3];
            fixture_data(&tallied, address, 1u << (x >> 3 & 3), kinds[x & 7]);
            fixture_data(&counted, address, 1u << (x >> 3 & 3), kinds[x & 7]);
            assert_int_equal(tallied.now, counted.now);
            tallied.now = counted.now += x >> 12 & 31;
        }
        memory_fold(tallied.memory);
        for (unsigned event = 0; event < P5_EVENT_COUNT; event++)
            for (unsigned class = 0; class < P5_CPL_CLASSES; class ++)
                if (tallied.totals.increments[event][class] != counted.totals.increments[event][class])
                    fail_msg("%s: event %u: %lu tallied, %lu counted", models[i], event,
                             (unsigned long)tallied.totals.increments[event][class],
                             (unsigned long)counted.totals.increments[event][class]);
    }
}

/* The clocks until nothing is pending and until a bus cycle can begin count down to 0. A line fill ends with its last BRDY#, five bus clocks after
 * ADS#; the line is in the array three core clocks later. Code fills are pending, too. */
TEST(backlogs)
{
    code_answer code;
    FIXTURE(f, "p55c-200", false, NULL);
    memory_close(NULL);                               /* of a core that could not be opened */
    assert_int_equal(memory_backlog(f.memory, 0), 0); /* RESET leaves nothing pending */
    fixture_data(&f, 0x8000, 4, R);
    memory_code(f.memory, 0x9000, 0x9000, f.now + 1000, &code);
    memory_wbinvd(f.memory, 0); /* out of L1, still in L2 */
    f.now += 2000;
    fixture_settle(&f);
    f.now += (3 - f.now % 3) % 3;
    assert_int_equal(memory_backlog(f.memory, f.now), 0);
    assert_int_equal(memory_bus_backlog(f.memory, f.now), 0);
    const uint64_t start = f.now, ads = start + 3, last = ads + 5 * 3;
    fixture_data(&f, 0x8000, 4, R);
    for (uint64_t clock = start; clock < start + 40; clock++) {
        const uint64_t filled = last + 3, free = clock + memory_bus_backlog(f.memory, clock);
        assert_int_equal(memory_backlog(f.memory, clock), clock < filled ? filled - clock : 0);
        if (clock < last)
            assert_in_range(free, last, last + 3);
        if (clock > last + 3)
            assert_int_equal(free, clock + (3 - clock % 3) % 3); /* the next bus clock */
    }
    fixture_settle(&f);
    memory_code(f.memory, 0x9000, 0x9000, f.now, &code);
    assert_true(f.now + memory_backlog(f.memory, f.now) >= code.ready[3] && code.ready[3] > f.now);
}

/* Hits of other lines do not wait for a fill. On the P54C those of the set that is being filled wait. */
TEST(hits_under_a_fill)
{
    static const struct {
        const char *model;
        uint32_t address;
        bool waits;
    } cases[] = {{"p55c-200", 0x1020, false},
                 {"p55c-200", 0x1000, false},
                 {"p54c-100", 0x1020, false},
                 {"p54c-100", 0x1000, true}};
    for (unsigned i = 0; i < 4; i++) {
        FIXTURE(f, cases[i].model, false, NULL);
        fixture_data(&f, cases[i].address, 4, R);
        fixture_settle(&f);
        uint64_t done = fixture_data(&f, 0x2000, 4, R).done; /* set 0 */
        const enum p5_event stalled = P5_EVENT_WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION;
        uint64_t before = fixture_event(&f, stalled);
        data_answer answer = fixture_data(&f, cases[i].address, 4, R);
        assert_true(answer.hit);
        assert_int_equal(fixture_event(&f, stalled) - before, answer.done - done); /* event 1Ah */
        if ((answer.done > done) != cases[i].waits)
            fail_msg("%s, %#x: done %lu after the miss at %lu", cases[i].model, cases[i].address,
                     (unsigned long)answer.done, (unsigned long)done);
    }
}

TEST(misalignment)
{
    static const struct {
        uint32_t address;
        unsigned size;
        bool misaligned;
    } cases[] = {
        {0x1000, 4, false}, {0x1001, 2, false}, {0x1002, 2, false}, {0x1003, 2, true},
        {0x1001, 4, true},  {0x1002, 4, true},  {0x1003, 4, true},  {0x1003, 1, false},
        {0x1000, 8, false}, {0x1004, 8, true},  {0x1001, 8, true},
    };
    for (unsigned errata = 0; errata < 2; errata++)
        for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
            FIXTURE(f, "p55c-200", false, errata ? NULL : errata_off);
            fixture_data(&f, 0x1000, 4, R);
            fixture_settle(&f);
            uint64_t start = f.now, reads = fixture_event(&f, P5_EVENT_DATA_READ),
                     stall = fixture_event(&f, P5_EVENT_WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION);
            data_answer answer = fixture_data(&f, cases[i].address, cases[i].size, R);
            unsigned n = cases[i].misaligned;
            if (answer.done - start != 3 * n || answer.misaligned != 3 * n)
                fail_msg("%u bytes at %#x: %lu clocks, expected %u", cases[i].size, cases[i].address,
                         (unsigned long)(answer.done - start), 3 * n);
            assert_int_equal(fixture_event(&f, P5_EVENT_MISALIGNED_DATA_MEMORY_OR_IO_REFERENCES), n);
            assert_int_equal(fixture_event(&f, P5_EVENT_DATA_READ) - reads, 1 + n); /* each half counts */
            assert_int_equal(fixture_event(&f, P5_EVENT_WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION) - stall,
                             (errata ? 2 : 3) * n);
        }
}

/* Code that may not be cached comes in reads of 8 bytes from the first one wanted, each a fetch, a miss and a
 * non-cacheable read. */
TEST(non_cacheable_code)
{
    for (unsigned first = 0; first < 4; first++) {
        code_answer answer;
        FIXTURE(f, "p55c-200", true, NULL);
        memory_code(f.memory, 0xa2000 + 8 * first, 0xa2000 + 8 * first, 0, &answer);
        unsigned reads = 4 - first, walk = 2;
        assert_int_equal(fixture_event(&f, P5_EVENT_CODE_READ), reads);
        assert_int_equal(fixture_event(&f, P5_EVENT_CODE_TLB_MISS), reads);
        assert_int_equal(fixture_event(&f, P5_EVENT_CODE_CACHE_MISS), reads);
        assert_int_equal(fixture_event(&f, P5_EVENT_NONCACHEABLE_MEMORY_READS), reads + walk);
        assert_int_equal(code_cache_find(&f.memory->code, 0xa2000), -1);
        for (unsigned i = first; i < 3; i++)
            assert_true(answer.ready[i] < answer.ready[i + 1]);
    }
}

/* Of a misaligned transfer the high part goes first: the DRAM page of the low part is the one left open. */
TEST(the_high_part_goes_first)
{
    FIXTURE(f, "p55c-200", false, NULL);
    uint32_t page = f.model->dram.page_bytes;
    fixture_data(&f, 0x70000000 - 2, 4, CD); /* outside the L2's area */
    assert_int_equal(f.memory->bus.board.open_page, (0x70000000 - 1) / page + 1);
    fixture_data(&f, 0x60000000 - 2, 4, R); /* two line fills */
    assert_int_equal(f.memory->bus.board.open_page, (0x60000000 - 1) / page + 1);
}

/* CD = 1: hits are served, misses fill nothing, LRU stands still; NW = 1 as well: writes that hit stay
 * inside. */
TEST(cache_disable)
{
    for (unsigned nw = 0; nw < 2; nw++) {
        FIXTURE(f, "p55c-200", false, NULL);
        data_cache_put(&f.memory->data, 2, 0, (cache_entry){0x6000, MESI_SHARED, 5});
        memory_set_control(
            f.memory,
            &(p5_control){.size = sizeof(p5_control), .cache_disable = true, .not_write_through = nw});
        p5_access hit = fixture_access(0x6040, 4, R);
        assert_false(memory_data_usual(f.memory, &hit, f.now));
        assert_true(fixture_data(&f, 0x6040, 4, R).hit);
        assert_int_equal(data_cache_get(&f.memory->data, 2, 0).lru, 5);
        fixture_settle(&f);
        uint64_t before = fixture_event(&f, P5_EVENT_BUS_CYCLE_DURATION);
        fixture_data(&f, 0x6040, 4, W);
        fixture_settle(&f);
        assert_int_equal(fixture_event(&f, P5_EVENT_BUS_CYCLE_DURATION) > before, !nw);
        assert_int_equal(fixture_state(&f, 0x6040), MESI_SHARED);
        fixture_data(&f, 0x9000, 4, R);
        assert_int_equal(fixture_state(&f, 0x9000), MESI_INVALID);
    }
}

static data_answer locked(fixture *f, uint32_t address, unsigned size, unsigned flags)
{
    p5_access access = fixture_access(address, size, flags);
    data_answer answer;
    memory_data(f->memory, &access, f->now, LOCK_MODIFY * TRAIT_LOCK, &answer);
    f->now = answer.done;
    return answer;
}

/* Locked read-modify-write: modified copy out first, read and write on the bus, line invalid; one locked
 * cycle, two when split. */
TEST(locked_references)
{
    FIXTURE(f, "p55c-200", false, NULL);
    fixture_data(&f, 0x1000, 4, R);
    fixture_settle(&f);
    fixture_data(&f, 0x1000, 4, W);
    data_answer read = locked(&f, 0x1000, 4, R);
    data_answer write = locked(&f, 0x1000, 4, W);
    assert_true(read.locked > 0 && write.locked > 0 && !read.hit && !write.hit);
    assert_int_equal(fixture_state(&f, 0x1000), MESI_INVALID);
    assert_int_equal(fixture_event(&f, P5_EVENT_DATA_CACHE_LINES_WRITTEN_BACK), 1);
    assert_int_equal(fixture_event(&f, P5_EVENT_LOCKED_BUS_CYCLE), 1);
    locked(&f, 0x1006, 4, R);
    locked(&f, 0x1006, 4, W);
    assert_int_equal(fixture_event(&f, P5_EVENT_LOCKED_BUS_CYCLE), 3);
}

/* XCHG's write has its value from a register and follows the read on the bus; that of ADD leaves EX two
 * clocks after the data has come and takes a clock to the bus. 3 core clocks per bus clock. */
TEST(exchanged_values_are_ready)
{
    for (unsigned kind = LOCK_MODIFY; kind <= LOCK_EXCHANGE; kind++) {
        FIXTURE(f, "p55c-200", false, NULL);
        p5_access read = fixture_access(0x1000, 4, R), write = fixture_access(0x1000, 4, W);
        data_answer answer;
        memory_data(f.memory, &read, 0, kind * TRAIT_LOCK, &answer);
        /* asked at 1: bus clock 1; the data can be used 1 clock after the end of the read */
        unsigned read_end = 1 + f.model->bus.locked_read;
        assert_int_equal(answer.done, 3 * read_end + 1);
        memory_data(f.memory, &write, answer.done + 2, kind * TRAIT_LOCK, &answer);
        unsigned asked = kind == LOCK_EXCHANGE ? 3 * read_end + 1 : 3 * read_end + 1 + 2 + 1;
        unsigned write_begin = (asked + 2) / 3;
        assert_int_equal(answer.done, 3 * (write_begin + f.model->bus.locked_write) + 1);
    }
}

TEST(input_and_output)
{
    FIXTURE(f, "p55c-200", false, NULL);
    fixture_data(&f, 0x3000, 4, W); /* I/O waits for it: ends at core 9 */
    data_answer out = fixture_data(&f, 0x80, 1, W | P5_ACCESS_IO);
    /* asked 1 clock later at 10: bus clock 4, core 12; the data can be used 1 clock after its end */
    assert_int_equal(out.done, 12 + 3 * f.model->bus.io_write + 1);
    assert_int_equal(out.io, out.done);
    fixture_data(&f, 0x3f7, 4, R | P5_ACCESS_IO); /* crosses a dword: two cycles */
    assert_int_equal(fixture_event(&f, P5_EVENT_IO_READ_OR_WRITE_CYCLE), 3);
    assert_int_equal(fixture_event(&f, P5_EVENT_MISALIGNED_DATA_MEMORY_OR_IO_REFERENCES), 1);
    assert_int_equal(fixture_event(&f, P5_EVENT_WRITES_TO_NONCACHEABLE_MEMORY), 1);
    assert_int_equal(fixture_event(&f, P5_EVENT_DATA_READ), 0); /* no data memory references */
}

/* The bytes of each kind of cycle: what the byte enables say, 32 of a line. */
TEST(bytes_on_the_bus)
{
    enum { LOCKED = 256, CODE = 1024 };
    static const struct {
        uint32_t address;
        unsigned size, flags, read, written;
    } rows[] = {
        {0x1000, 4, R, 32, 0},              /* a line */
        {0x1008, 2, R, 0, 0},               /* hit */
        {0x1000, 4, W, 0, 0},               /* hit of an E line */
        {0x9000, 2, W, 0, 2},               /* write miss */
        {0x9006, 4, W, 0, 4},               /* across 8 bytes: 2 and 2 */
        {0xa0000, 4, R, 4, 0},              /* KEN# inactive */
        {0xa0007, 2, R, 2, 0},              /* across 8 bytes: 1 and 1 */
        {0xa0000, 1, W, 0, 1},              /* */
        {0x3f7, 4, R | P5_ACCESS_IO, 4, 0}, /* two port cycles, 1 and 3 */
        {0x80, 1, W | P5_ACCESS_IO, 0, 1},  /* */
        {0x2000, 4, R, 32, 0},              /* the set fills up */
        {0x3000, 4, R, 32, 0},              /* */
        {0x4000, 4, R, 32, 0},              /* */
        {0x5000, 4, R, 32, 32},             /* the modified line is replaced */
        {0x8000, 4, R | LOCKED, 4, 0},      /* the read of a locked sequence */
        {0x8000, 4, W | LOCKED, 0, 4},      /* the write of a locked sequence */
        {0x10000, 8, CODE, 32, 0},          /* a code line */
        {0x10008, 8, CODE, 0, 0},           /* hit */
        {0xa0040, 8, CODE, 32, 0},          /* not cacheable: the prefetcher wants all of it, by eights */
        {0xc0020, 4, R, 32, 0},             /* beside that region: a line */
    };
    FIXTURE(f, "p55c-200", false, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t before[2] = {memory_bus_bytes(f.memory, false, P5_CPL_KERNEL),
                              memory_bus_bytes(f.memory, true, P5_CPL_KERNEL)};
        code_answer code;
        if (rows[i].flags >= CODE)
            memory_code(f.memory, rows[i].address, rows[i].address, f.now, &code);
        else if (rows[i].flags & LOCKED)
            locked(&f, rows[i].address, rows[i].size, rows[i].flags & ~(unsigned)LOCKED);
        else
            fixture_data(&f, rows[i].address, rows[i].size, rows[i].flags);
        fixture_settle(&f);
        unsigned read = (unsigned)(memory_bus_bytes(f.memory, false, P5_CPL_KERNEL) - before[0]);
        unsigned written = (unsigned)(memory_bus_bytes(f.memory, true, P5_CPL_KERNEL) - before[1]);
        if (read != rows[i].read || written != rows[i].written)
            fail_msg("row %zu: %u bytes read, %u written", i, read, written);
    }
    /* two entries of the page tables, which no line is taken for, and the line */
    FIXTURE(paged, "p55c-200", true, NULL);
    fixture_data(&paged, 0x1000, 4, R);
    assert_int_equal(memory_bus_bytes(paged.memory, false, P5_CPL_KERNEL), 4 + 4 + 32);
}

/* Stall clocks by cause add up to done - asked, for all kinds of references in any situation. */
TEST(causes_add_up)
{
    static const char *const models[] = {"p54c-100", "p54c-133", "p54c-166",
                                         "p55c-166", "p55c-200", "p55c-233"};
    for (unsigned i = 0; i < 6; i++) {
        FIXTURE(f, models[i], true, NULL);
        uint64_t seed = i;
        for (unsigned n = 0; n < 50000; n++) {
            static const uint8_t sizes[] = {1, 2, 4, 8};
            uint32_t x = unit_random(&seed);
            unsigned flags = (x & 1) * P5_ACCESS_WRITE | (x >> 1 & 15 ? 0 : P5_ACCESS_WRITE_THROUGH) |
                             (x >> 5 & 31 ? 0 : P5_ACCESS_CACHE_DISABLE) | (x >> 10 & 63 ? 0 : P5_ACCESS_IO);
            p5_access access = fixture_access(unit_random(&seed) % 0x90000, sizes[x >> 16 & 3], flags);
            bool is_locked = (x >> 18 & 31) == 0;
            data_answer a;
            memory_data(f.memory, &access, f.now,
                        is_locked * (unsigned)TRAIT_LOCK | (x >> 24 & 1) * (unsigned)TRAIT_MMX, &a);
            uint64_t sum =
                (uint64_t)a.tlb + a.read + a.misaligned + a.write_buffer + a.write_order + a.locked + a.io;
            if (a.done - f.now != sum)
                fail_msg("%s, reference %u: %lu clocks, causes add up to %lu", models[i], n,
                         (unsigned long)(a.done - f.now), (unsigned long)sum);
            f.now = a.done + (x >> 25 & 7);
        }
        /* 28h = 0 + 1, 29h = 3 + 4; misses never exceed references. */
        assert_int_equal(fixture_event(&f, P5_EVENT_DATA_READ_OR_WRITE),
                         fixture_event(&f, P5_EVENT_DATA_READ) + fixture_event(&f, P5_EVENT_DATA_WRITE));
        assert_int_equal(fixture_event(&f, P5_EVENT_DATA_READ_MISS_OR_WRITE_MISS),
                         fixture_event(&f, P5_EVENT_DATA_READ_MISS) +
                             fixture_event(&f, P5_EVENT_DATA_WRITE_MISS));
        assert_true(fixture_event(&f, P5_EVENT_DATA_READ_MISS) <= fixture_event(&f, P5_EVENT_DATA_READ));
    }
}

typedef struct misses_seen {
    core_observer observer;
    unsigned count;
} misses_seen;

static void ignore_count(core_observer *o, uint32_t quantity, uint64_t increments, uint64_t asserted)
{
    (void)o;
    (void)quantity;
    (void)increments;
    (void)asserted;
}

static void ignore_asking(core_observer *o)
{
    (void)o;
}

static void see_miss(core_observer *o, uint32_t physical, bool code)
{
    (void)physical;
    ((misses_seen *)o)->count += !code;
}

/* A profile's misses by set are those that events 3, 4 and 29h count: a port access is none. */
TEST(observed_misses)
{
    FIXTURE(f, "p55c-200", true, NULL);
    misses_seen seen = {.observer = {.counted = ignore_count, .asks = ignore_asking, .missed = see_miss}};
    memory_observe(f.memory, &seen.observer);
    uint64_t seed = 1;
    unsigned ports = 0;
    for (unsigned n = 0; n < 2000; n++) {
        const uint32_t x = unit_random(&seed);
        const bool port = (x >> 4 & 7) == 0;
        const unsigned flags = (x & 1) * P5_ACCESS_WRITE | (x >> 1 & 7 ? 0 : P5_ACCESS_CACHE_DISABLE) |
                               (x >> 7 & 15 ? 0 : P5_ACCESS_LOCKED) | (port ? P5_ACCESS_IO : 0);
        const uint64_t before = fixture_event(&f, P5_EVENT_DATA_READ_MISS_OR_WRITE_MISS);
        const unsigned seen_before = seen.count;
        fixture_data(&f, unit_random(&seed) % 0x3000, 1u << (x >> 16 & 3), flags);
        const bool missed = fixture_event(&f, P5_EVENT_DATA_READ_MISS_OR_WRITE_MISS) != before;
        if (seen.count - seen_before != missed)
            fail_msg("reference %u, flags %x: %u misses observed, counted %d", n, flags,
                     seen.count - seen_before, missed);
        ports += port;
    }
    assert_true(ports > 0 && seen.count > 0);
}

static void two_regions(p5_model *model)
{
    model->uncacheable_count = 2;
    model->uncacheable[0] = (model_region){0x8000, 0x8fff};
    model->uncacheable[1] = (model_region){0x3000000, 0x30fffff};
}

static void all_of_it(p5_model *model)
{
    model->uncacheable_count = 1;
    model->uncacheable[0] = (model_region){0, 0xffffffff};
}

/* Plain addresses are cacheable and not in video memory, and they include all others below the first region. */
TEST(cacheable_ram_addresses)
{
    static const struct {
        void (*adjust)(p5_model *model);
        uint32_t lower, upper; /* where the ranges end */
    } models[] = {{NULL, 0xa0000, 0xe0000000}, {two_regions, 0x8000, 0x3000000}, {all_of_it, 0, 0x100000}};
    for (unsigned i = 0; i < sizeof models / sizeof *models; i++) {
        const uint32_t lower = models[i].lower, upper = models[i].upper;
        const uint32_t addresses[] = {0,          lower - 1,  lower,      0x9ffff,    0xa0000,   0xbffff,
                                      0xc0000,    0xfffff,    0x100000,   upper - 1,  upper,     0xdfffffff,
                                      0xe0000000, 0xe03fffff, 0xfec00000, 0xfee00000, 0xffffffff};
        FIXTURE(f, "p55c-200", false, models[i].adjust);
        for (unsigned n = 0; n < sizeof addresses / sizeof *addresses; n++) {
            const uint32_t at = addresses[n];
            const bool cacheable_ram = memory_is_cacheable_ram(f.memory, at);
            assert_int_equal(cacheable_ram, at < lower || (at >= 0x100000 && at < upper));
            assert_false(cacheable_ram && (model_uncacheable(f.model, at) || bus_is_video(at)));
        }
    }
}

static uint32_t reported_bytes;

static void report_bytes(array_observer *o, bool code, unsigned set, unsigned way, uint32_t bytes,
                         bool written)
{
    (void)o, (void)code, (void)set, (void)way, (void)written;
    reported_bytes |= bytes;
}

static void ignore_tags(array_observer *o, bool code, unsigned set)
{
    (void)o, (void)code, (void)set;
}

static void ignore_fill(array_observer *o, bool code, unsigned set, unsigned way)
{
    (void)o, (void)code, (void)set, (void)way;
}

static void ignore_end(array_observer *o, bool flushed)
{
    (void)o, (void)flushed;
}

/* An observer of the arrays hears of each byte of a hit, also if two bus cycles would move them. */
TEST(observed_bytes_of_a_hit)
{
    static const struct {
        uint32_t address;
        unsigned size;
        uint32_t bytes;
    } rows[] = {{0x1000, 4, 0xf}, {0x101c, 4, 0xf0000000}, {0x1006, 4, 0x3c0}, {0x1010, 8, 0xff0000}};
    array_observer o = {
        .tags = ignore_tags, .bytes = report_bytes, .filled = ignore_fill, .over = ignore_end};
    FIXTURE(f, "p55c-200", false, NULL);
    fixture_data(&f, 0x1000, 4, 0);
    fixture_settle(&f);
    memory_observe_arrays(f.memory, &o);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (unsigned write = 0; write < 2; write++) {
            reported_bytes = 0;
            fixture_data(&f, rows[i].address, rows[i].size, write * P5_ACCESS_WRITE);
            assert_int_equal(reported_bytes, rows[i].bytes);
        }
}
