/* TLB geometry of both processors, replacement, large pages, INVLPG, and the bus reads and events of walks.
 */
#include "fixture.h"

/* Touches `pages` pages `stride` apart, twice; answers the misses of the second round. */
static uint64_t second_round_misses(const char *model, unsigned pages, uint32_t stride, unsigned flags)
{
    FIXTURE(f, model, true, NULL);
    uint64_t before = 0;
    for (unsigned round = 0; round < 2; round++) {
        before = fixture_event(&f, P5_EVENT_DATA_TLB_MISS);
        for (unsigned i = 0; i < pages; i++) {
            fixture_data(&f, i * stride, 4, flags);
            f.now += 2;
        }
    }
    uint64_t misses = fixture_event(&f, P5_EVENT_DATA_TLB_MISS) - before;
    return misses;
}

TEST(reach_of_the_data_tlb)
{
    static const struct {
        const char *model;
        unsigned pages;
        uint32_t stride;
        unsigned flags;
        uint64_t misses;
    } cases[] = {
        {"p54c-100", 64, 0x1000, 0, 0},
        {"p54c-100", 128, 0x1000, 0, 128},
        {"p54c-100", 64, 0x2000, 0, 64}, /* 8 of 16 sets: 32 entries for 64 pages */
        {"p54c-100", 32, 0x2000, 0, 0},
        {"p55c-200", 64, 0x1000, 0, 0},
        {"p55c-200", 64, 0x2000, 0, 0},
        {"p55c-200", 64, 0x10000, 0, 0},
        {"p55c-200", 128, 0x1000, 0, 128},
        /* 4 MB pages: 2 sets of 4 on the P54C, beside 64 entries for small ones; shared on the P55C. */
        {"p54c-100", 8, 0x400000, P5_ACCESS_LARGE_PAGE, 0},
        {"p54c-100", 16, 0x400000, P5_ACCESS_LARGE_PAGE, 16},
        {"p55c-200", 64, 0x400000, P5_ACCESS_LARGE_PAGE, 0},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t misses =
            second_round_misses(cases[i].model, cases[i].pages, cases[i].stride, cases[i].flags);
        if (misses != cases[i].misses)
            fail_msg("%s, %u pages at stride %#x: %lu misses, expected %lu", cases[i].model, cases[i].pages,
                     cases[i].stride, (unsigned long)misses, (unsigned long)cases[i].misses);
    }
}

/* Fetches from `pages` pages, two lines of each, twice. Returns the misses of the second round. */
static uint64_t second_round_code_misses(const char *model, unsigned pages, uint32_t stride)
{
    code_answer answer;
    FIXTURE(f, model, true, NULL);
    uint64_t before = 0;
    for (unsigned round = 0; round < 2; round++) {
        before = fixture_event(&f, P5_EVENT_CODE_TLB_MISS);
        for (unsigned i = 0; i < 2 * pages; i++) {
            memory_code(f.memory, i / 2 * stride + i % 2 * 32, i / 2 * stride + i % 2 * 32, f.now, &answer);
            f.now += 1000;
        }
    }
    uint64_t misses = fixture_event(&f, P5_EVENT_CODE_TLB_MISS) - before;
    return misses;
}

/* 32 entries: 8 sets of 4 on the P54C, one set on the P55C. */
TEST(reach_of_the_code_tlb)
{
    static const struct {
        const char *model;
        unsigned pages;
        uint32_t stride;
        uint64_t misses;
    } cases[] = {
        {"p54c-100", 1, 0x1000, 0},   {"p54c-100", 32, 0x1000, 0},  {"p54c-100", 64, 0x1000, 64},
        {"p54c-100", 16, 0x2000, 0},  {"p54c-100", 32, 0x2000, 32}, {"p55c-200", 1, 0x1000, 0},
        {"p55c-200", 32, 0x10000, 0}, {"p55c-200", 64, 0x1000, 64},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t misses = second_round_code_misses(cases[i].model, cases[i].pages, cases[i].stride);
        if (misses != cases[i].misses)
            fail_msg("%s, %u pages at stride %#x: %lu misses, expected %lu", cases[i].model, cases[i].pages,
                     cases[i].stride, (unsigned long)misses, (unsigned long)cases[i].misses);
    }
}

/* A tree of any size against its definition: the victim is what is reached by following the bits; a use turns
 * every bit on its path away. */
TEST(trees_of_all_sizes_spare_the_most_recent)
{
    for (unsigned ways = 2; ways <= 64; ways *= 2) {
        uint64_t bits = 0, seen = 0;
        for (unsigned n = 0; n < ways; n++) { /* victims used at once visit every way before any again */
            unsigned way = replacement_victim(ways, bits);
            assert_true(way < ways);
            if ((seen >> way & 1) != 0)
                fail_msg("%u ways: way %u comes again after %u uses", ways, way, n);
            seen |= 1ull << way;
            bits = replacement_used(ways, bits, way);
        }
    }
}

/* What the TLB works out from when entries were used is the tree that every use turns. */
TEST(bits_follow_from_uses)
{
    enum { SETS = 4, WAYS = 16, PAGES = 200 };
    static tlb t;
    uint64_t bits[SETS] = {0};
    tlb_init(&t, SETS, WAYS, false);
    for (unsigned n = 0; n < 5000; n++) {
        const uint32_t page = n * n * 7919u % PAGES, key = tlb_key(page << 12, false);
        const unsigned set = page % SETS;
        unsigned entry = tlb_find(&t, key);
        if (entry == TLB_NO_ENTRY) {
            uint64_t victim = replacement_victim(WAYS, bits[set]);
            entry = tlb_fill(&t, key, 0, 0, false);
            if (n > 1000)
                assert_int_equal(entry, set * WAYS + victim);
        } else {
            tlb_used(&t, entry);
        }
        bits[set] = replacement_used(WAYS, bits[set], entry % WAYS);
        assert_int_equal(tlb_lru(&t, set), bits[set]);
        if (n % 500 == 0) { /* by way of a snapshot, too */
            tlb_store(&t);
            tlb_restore(&t);
            assert_int_equal(tlb_lru(&t, set), bits[set]);
        }
    }
}

TEST(events_of_a_walk)
{
    FIXTURE(f, "p55c-200", true, NULL);
    data_answer answer = fixture_data(&f, 0x700000, 4, 0);
    assert_true(answer.tlb > 0);
    assert_int_equal(fixture_event(&f, P5_EVENT_DATA_TLB_MISS), 1);
    assert_int_equal(fixture_event(&f, P5_EVENT_NONCACHEABLE_MEMORY_READS),
                     2);                                        /* directory and table entry */
    assert_int_equal(fixture_event(&f, P5_EVENT_DATA_READ), 1); /* walk reads are not data reads */
    assert_int_equal(fixture_event(&f, P5_EVENT_DATA_CACHE_TLB_MISS_STALL_DURATION), answer.tlb);
    assert_int_equal(fixture_event(&f, P5_EVENT_WAITING_FOR_DATA_MEMORY_READ_STALL_DURATION),
                     answer.tlb + answer.read);
    assert_int_equal(answer.done, (uint64_t)answer.tlb + answer.read);
    fixture_settle(&f);
    answer = fixture_data(&f, 0x700ffc, 4, 0); /* same page */
    assert_int_equal(answer.tlb, 0);
    assert_int_equal(fixture_event(&f, P5_EVENT_DATA_TLB_MISS), 1);
}

/* Code page 0 needs a walk when paging is turned on, and after INVLPG and a load of CR3. */
TEST(walks_of_code_page_0)
{
    code_answer answer;
    FIXTURE(f, "p55c-200", true, NULL);
    for (unsigned n = 0; n < 2; n++) {
        memory_code(f.memory, 0, 0, f.now, &answer);
        fixture_settle(&f);
        assert_true(memory_code_usual(f.memory, 0, 0, f.now));
        if (n == 0)
            memory_invlpg(f.memory, 0x123);
        else
            memory_load_cr3(f.memory);
        assert_false(memory_code_usual(f.memory, 0, 0, f.now));
    }
    FIXTURE(unpaged, "p55c-200", false, NULL);
    memory_code(unpaged.memory, 0, 0, unpaged.now, &answer);
    fixture_settle(&unpaged);
    memory_set_control(unpaged.memory, &(p5_control){.size = sizeof(p5_control), .paging = true});
    assert_false(memory_code_usual(unpaged.memory, 0, 0, unpaged.now));
}

/* Updates of accessed and dirty bits are locked read-modify-writes on the entry, which leave it in no cache.
 */
static unsigned all_clear(void *context, uint32_t linear, bool write)
{
    (void)context;
    (void)linear;
    return P5_PAGE_ACCESSED | (write ? P5_PAGE_DIRTY : 0);
}

TEST(accessed_and_dirty_updates_are_locked)
{
    FIXTURE(f, "p55c-200", true, NULL);
    f.memory->hooks.page_bits_set = all_clear;
    uint32_t entry = TEST_PAGE_TABLES + 0x300 * 4;
    fixture_data(&f, entry, 4, 0); /* the entry as data in the cache */
    fixture_settle(&f);
    uint64_t before = fixture_event(&f, P5_EVENT_LOCKED_BUS_CYCLE);
    const uint64_t read = memory_bus_bytes(f.memory, false, P5_CPL_KERNEL),
                   written = memory_bus_bytes(f.memory, true, P5_CPL_KERNEL);
    fixture_data(&f, 0x300000, 4, 0);
    assert_int_equal(fixture_event(&f, P5_EVENT_LOCKED_BUS_CYCLE) - before, 1);
    assert_int_equal(memory_bus_bytes(f.memory, false, P5_CPL_KERNEL) - read,
                     4 + 4 + 4 + 32); /* entries, update, line */
    assert_int_equal(memory_bus_bytes(f.memory, true, P5_CPL_KERNEL) - written, 4);
    assert_int_equal(fixture_state(&f, entry), MESI_INVALID);
    fixture_settle(&f);
    fixture_data(&f, 0x300000, 4, P5_ACCESS_WRITE); /* TLB hit, dirty bit clear */
    assert_int_equal(fixture_event(&f, P5_EVENT_LOCKED_BUS_CYCLE) - before, 2);
    fixture_settle(&f);
    fixture_data(&f, 0x300010, 4, P5_ACCESS_WRITE);
    assert_int_equal(fixture_event(&f, P5_EVENT_LOCKED_BUS_CYCLE) - before, 2);
    assert_int_equal(memory_bus_bytes(f.memory, false, P5_CPL_KERNEL) - read, 4 + 4 + 4 + 32 + 4);
    assert_int_equal(memory_bus_bytes(f.memory, true, P5_CPL_KERNEL) - written, 4 + 4);
}

/* A page-crossing reference needs both pages. */
static uint32_t another_page(void *context, uint32_t linear)
{
    (void)context;
    return linear + 0x100000;
}

/* What is after a page's end is where the owner says. */
TEST(two_pages_of_one_reference)
{
    FIXTURE(f, "p55c-200", true, NULL);
    f.memory->hooks.translate = another_page;
    fixture_data(&f, 0x300ffe, 4, 0);
    assert_int_equal(fixture_event(&f, P5_EVENT_DATA_TLB_MISS), 2);
    fixture_settle(&f);
    assert_true(fixture_data(&f, 0x300fe0, 4, 0).hit);
    assert_true(fixture_data(&f, 0x401000, 4, 0).hit);
    assert_false(fixture_data(&f, 0x301000, 4, 0).hit);
}

static void walk_of_a_page(void *context, uint32_t linear, uint32_t *directory, uint32_t *table)
{
    *(uint32_t *)context = linear;
    fixture_walk(NULL, linear, directory, table);
}

/* The owner's walk is asked for a page, not for an address in it. */
TEST(walks_are_of_pages)
{
    uint32_t asked = 0;
    code_answer code;
    FIXTURE(f, "p55c-200", true, NULL);
    f.memory->hooks.walk = walk_of_a_page;
    f.memory->hooks.context = &asked;
    fixture_data(&f, 0x6ffc, 4, 0);
    assert_int_equal(asked, 0x6000);
    memory_code(f.memory, 0x8fe0, 0x8fe0, f.now, &code);
    assert_int_equal(asked, 0x8000);
}

static unsigned rights_by_page(void *context, uint32_t linear)
{
    (void)context;
    static const unsigned rights[4] = {P5_PAGE_SUPERVISOR, P5_PAGE_WRITABLE, P5_PAGE_CACHE_DISABLE,
                                       P5_PAGE_WRITE_THROUGH};
    return rights[linear >> 12 & 3];
}

/* An entry has each of a page's rights by itself. */
TEST(rights_of_an_entry)
{
    static const unsigned attributes[4] = {TLB_SUPERVISOR, TLB_WRITABLE, TLB_CACHE_DISABLE,
                                           TLB_WRITE_THROUGH};
    FIXTURE(f, "p55c-200", true, NULL);
    f.memory->hooks.page_rights = rights_by_page;
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t linear = 0x40000 + i * 0x1000;
        fixture_data(&f, linear, 4, 0);
        tlb *t = &f.memory->data_tlb;
        const unsigned came = tlb_get(t, tlb_find(t, tlb_key(linear, false))).attributes;
        assert_int_equal(came, attributes[i]);
        for (unsigned j = 0; j < i; j++)
            assert_int_equal(came & attributes[j], 0);
    }
}

/* Without the owner's walk (p5_core_hooks) pages are missed at no cost. */
TEST(misses_without_a_walk)
{
    fixture f = {.model = fixture_model("p55c-200"), .now = 1000};
    code_answer code;
    f.memory = memory_open(f.model, NULL, &f.totals);
    assert_non_null(f.memory);
    memory_set_control(f.memory, &(p5_control){.size = sizeof(p5_control), .paging = true});
    memory_code(f.memory, 0x5000, 0x5000, f.now, &code);
    f.now = code.ready[3] + 1000;
    fixture_data(&f, 0x6000, 4, 0);
    fixture_settle(&f);
    memory_load_cr3(f.memory);
    memory_code(f.memory, 0x5000, 0x5000, f.now, &code);
    assert_true(code.tlb_miss && code.hit);
    assert_int_equal(code.ready[0], f.now);
    const uint64_t asked = f.now;
    data_answer data = fixture_data(&f, 0x6000, 4, 0);
    assert_true(data.hit);
    assert_int_equal(data.done, asked);
    assert_int_equal(fixture_event(&f, P5_EVENT_CODE_TLB_MISS), 2);
    assert_int_equal(fixture_event(&f, P5_EVENT_DATA_TLB_MISS), 2);
    assert_int_equal(memory_fault(f.memory, 0x7000, false, f.now), f.now);
    fixture_close(&f);
}

/* Without paging a hit uses TLB_NO_ENTRY, which changes nothing, in TLBs of any size. */
TEST(no_entry_has_no_order)
{
    static const unsigned geometry[][2] = {{16, 4}, {1, 64}, {8, 4}, {1, 32}, {2, 4}};
    for (unsigned i = 0; i < sizeof geometry / sizeof geometry[0]; i++) {
        static tlb t;
        tlb_init(&t, geometry[i][0], geometry[i][1], false);
        for (unsigned entry = 0; entry < tlb_size(&t); entry += 3)
            tlb_hit(&t, entry);
        const uint64_t order = t.order;
        tlb_hit(&t, TLB_NO_ENTRY);
        assert_true(t.order == order && order != 0);
    }
}

TEST(raw_entries_come_back)
{
    static tlb t;
    tlb_init(&t, 16, 4, false);
    tlb_entry in = {.linear = 0x12345000,
                    .physical = 0xabcde000,
                    .valid = true,
                    .dirty = true,
                    .attributes = TLB_WRITABLE,
                    .lru = 5};
    tlb_put(&t, 2, &in);
    const unsigned entry = tlb_find(&t, tlb_key(0x12345678, false));
    assert_int_equal(entry, 5 * 4 + 2); /* set = low 4 bits of page number 12345h */
    tlb_entry out = tlb_get(&t, entry);
    assert_int_equal(out.linear, in.linear);
    assert_int_equal(out.physical, in.physical);
    assert_true(out.valid && out.dirty && !out.large);
    assert_int_equal(out.lru, 5);
    assert_int_equal(out.attributes, TLB_WRITABLE);
}

static unsigned accessed_bits(void *context, uint32_t linear, bool write)
{
    (void)context, (void)linear, (void)write;
    return P5_PAGE_ACCESSED;
}

/* The log of page bits takes as many as it has room for. */
TEST(page_bits_are_logged)
{
    enum { PAGES = PAGE_BITS_LOG + 10 };
    static page_bits_log page_bits;
    fixture f = {.model = fixture_model("p55c-200")};
    const p5_core_hooks hooks = {.size = sizeof hooks, .walk = fixture_walk, .page_bits_set = accessed_bits};
    f.memory = memory_open(f.model, &hooks, &f.totals);
    memory_set_control(f.memory, &(p5_control){.size = sizeof(p5_control), .paging = true});
    memory_log_page_bits(f.memory, &page_bits);
    for (uint32_t page = 0; page < PAGES; page++) {
        fixture_data(&f, page << 12, 4, page % 2 != 0 ? P5_ACCESS_WRITE : 0);
        assert_int_equal(page_bits.count, page < PAGE_BITS_LOG ? page + 1 : PAGE_BITS_LOG);
    }
    for (uint32_t page = 0; page < PAGE_BITS_LOG; page++) {
        assert_int_equal(page_bits.bits[page].linear >> 12, page);
        assert_int_equal(page_bits.bits[page].bits, P5_PAGE_ACCESSED);
        assert_int_equal(page_bits.bits[page].write, page % 2);
    }
    fixture_close(&f);
}
