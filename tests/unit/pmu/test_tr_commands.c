/* Commands of the test registers: sequences of the manual's section 26.2.1, with small stand-ins for caches, TLB and branch target buffer. */
#include "fake_source.h"

typedef struct fake_units {
    test_cache_line line, code_line;
    unsigned cache_writes, cache_flushes;
    bool flushed_data, flushed_one;
    unsigned flushed_set, flushed_way;
    test_tlb_entry tlb;
    unsigned tlb_writes;
    test_btb_entry btb;
    unsigned btb_writes, btb_flushes;
} fake_units;

static void cache_write(void *context, const test_cache_line *line)
{
    fake_units *u = context;
    u->cache_writes++;
    *(line->data_cache ? &u->line : &u->code_line) = *line;
}

static void cache_read(void *context, test_cache_line *line)
{
    fake_units *u = context;
    const test_cache_line *held = line->data_cache ? &u->line : &u->code_line;
    if (held->set == line->set && held->way == line->way)
        *line = *held;
}

static void cache_flush(void *context, bool data_cache, bool one_line, unsigned set, unsigned way)
{
    fake_units *u = context;
    u->cache_flushes++;
    u->flushed_data = data_cache;
    u->flushed_one = one_line;
    u->flushed_set = set;
    u->flushed_way = way;
}

static void tlb_write(void *context, const test_tlb_entry *entry)
{
    fake_units *u = context;
    u->tlb_writes++;
    u->tlb = *entry;
}

static bool tlb_read(void *context, test_tlb_entry *entry)
{
    fake_units *u = context;
    if (u->tlb.linear != entry->linear || u->tlb.data_tlb != entry->data_tlb || !u->tlb.valid)
        return false;
    *entry = u->tlb;
    return true;
}

static void btb_write(void *context, const test_btb_entry *entry)
{
    fake_units *u = context;
    u->btb_writes++;
    u->btb = *entry;
}

static void btb_read(void *context, test_btb_entry *entry, bool tag_only)
{
    (void)tag_only;
    *entry = ((fake_units *)context)->btb;
}

static void btb_flush(void *context)
{
    ((fake_units *)context)->btb_flushes++;
}

static void connect(p5_pmu *pmu, fake_units *units)
{
    pmu->tests.ops = (test_ops){units,     cache_write, cache_read, cache_flush, tlb_write, tlb_read,
                                btb_write, btb_read,    btb_flush,  NULL,        NULL};
}

/* Declares `units`, which hold nothing, and `pmu`, a monitor whose test registers reach them. */
#define PMU_WITH_UNITS(pmu, units, family)                                                                   \
    fake_units units = {0};                                                                                  \
    FAKE_PMU(pmu##_fake, pmu, family);                                                                       \
    connect(pmu, &units)

enum { TR2 = 4, TR3, TR4, TR5, TR6, TR7, TR9 = 0x0b, TR10, TR11 };

/* "To write down an entry into the cache", "to read an entry from the cache". */
TEST(cache_line_written_and_read)
{
    PMU_WITH_UNITS(pmu, units, P5_FAMILY_P55C);
    const uint32_t way_3 = 1U << 19 | 1U << 12;
    const uint32_t set_101 = 101U << 5;
    const uint32_t data_cache = 1U << 13;
    for (uint32_t i = 0; i < 8; i++) {
        fake_write(pmu, TR5, data_cache | way_3 | set_101 | i << 2); /* the buffer has no sets and ways */
        fake_write(pmu, TR3, 0x11110000 + i);
    }
    fake_write(pmu, TR4, 0xabcde << 8 | 7 << 5 | 5 << 2 | 3); /* tag, reserved, LRU 101, M state */
    assert_int_equal(units.cache_writes, 0);
    fake_write(pmu, TR5, data_cache | way_3 | set_101 | 1);
    assert_int_equal(units.cache_writes, 1);
    assert_true(units.line.data_cache);
    assert_int_equal(units.line.way, 3);
    assert_int_equal(units.line.set, 101);
    assert_int_equal(units.line.tag, 0xabcde);
    assert_int_equal(units.line.lru, 5);
    assert_int_equal(units.line.valid, 3);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(units.line.data[i], 0x11110000 + i);

    fake_write(pmu, TR4, 0);
    for (uint32_t i = 0; i < 8; i++) {
        fake_write(pmu, TR5, data_cache | way_3 | set_101 | i << 2 | 2);
        assert_int_equal(fake_read(pmu, TR3), 0x11110000 + i);
        assert_int_equal(fake_read(pmu, TR4), 0xabcde << 8 | 5 << 2 | 3);
    }
    assert_int_equal(units.cache_writes, 1);
}

/* P54C code cache: an end bit for each byte, four at a time through TR2. */
TEST(end_bits_of_the_code_cache)
{
    PMU_WITH_UNITS(pmu, units, P5_FAMILY_P54C);
    for (uint32_t i = 0; i < 8; i++) {
        fake_write(pmu, TR5, 1U << 12 | 7U << 5 | i << 2);
        fake_write(pmu, TR3, i);
        fake_write(pmu, TR2, i + 3);
    }
    fake_write(pmu, TR5, 1U << 12 | 7U << 5 | 1);
    assert_false(units.code_line.data_cache);
    assert_int_equal(units.code_line.way, 1);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(units.code_line.end_bits[i], i + 3);
    fake_write(pmu, TR5, 1U << 12 | 7U << 5 | 6U << 2 | 2);
    assert_int_equal(fake_read(pmu, TR2), 9);
}

/* Figures of TR4 and TR5: each bit alone reaches its own field of the written line. */
TEST(each_bit_of_a_cache_write)
{
    for (unsigned at = 0; at < 32; at++) {
        PMU_WITH_UNITS(pmu, units, P5_FAMILY_P55C);
        uint32_t bit = 1U << at;
        fake_write(pmu, TR4, bit);
        fake_write(pmu, TR5, (bit & ~3U) | 1);
        assert_int_equal(units.cache_writes, 1);
        bool data_cache = at == 13;
        const test_cache_line *line = data_cache ? &units.line : &units.code_line;
        assert_int_equal(line->tag, bit >> 8 & 0xfffff);
        assert_int_equal(line->lru, bit >> 2 & 7);
        assert_int_equal(line->valid, bit & 3);
        assert_int_equal(line->set, bit >> 5 & 0x7f);
        assert_int_equal(line->way, at == 12 ? 1 : at == 19 ? 2 : 0);
        assert_int_equal(line->word, bit >> 2 & 7);
    }
}

/* Table 26-8. */
TEST(cache_flushes)
{
    static const struct {
        uint32_t tr5;
        bool data, one;
    } rows[] = {{3, false, false},
                {3 | 1U << 14, false, false},
                {3 | 1U << 13, true, false},
                {3 | 3U << 13, true, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        PMU_WITH_UNITS(pmu, units, P5_FAMILY_P54C);
        fake_write(pmu, TR5, rows[i].tr5 | 1U << 12 | 9U << 5);
        assert_int_equal(units.cache_flushes, 1);
        assert_int_equal(units.flushed_data, rows[i].data);
        assert_int_equal(units.flushed_one, rows[i].one);
        assert_int_equal(units.flushed_set, 9);
        assert_int_equal(units.flushed_way, 1);
    }
}

/* Figures of TR6 and TR7: each bit alone reaches its own field of the written entry, and a read brings it
 * back, but no linear address. D, W and PS are the data TLB's alone. */
TEST(each_bit_of_a_tlb_entry)
{
    enum { CD = 1 << 1, PS = 1 << 2, H = 1 << 4, W = 1 << 8, U = 1 << 9, D = 1 << 10, V = 1 << 11 };
    for (unsigned family = P5_FAMILY_P54C; family <= P5_FAMILY_P55C; family++)
        for (unsigned command = 0; command < 16; command++)
            for (unsigned at = 0; at < 32; at++) {
                PMU_WITH_UNITS(pmu, units, family);
                bool p54c = family == P5_FAMILY_P54C, data = command & 1;
                uint32_t flags = V | (data ? CD : 0) | (command & 2 ? U : 0) | (command & 4 ? W | PS : 0) |
                                 (command & 8 ? D : 0);
                uint32_t bit = 1U << at, exists = p54c ? 0xffffff9c : 0xfffffc7f;
                fake_write(pmu, TR7, bit);
                fake_write(pmu, TR6, flags | (bit & 0xfffff000));
                const test_tlb_entry *e = &units.tlb;
                assert_int_equal(units.tlb_writes, 1);
                assert_int_equal(e->linear, bit & 0xfffff000);
                assert_int_equal(e->physical, bit & 0xfffff000);
                assert_int_equal(e->data_tlb, data);
                assert_int_equal(e->supervisor, (flags & U) != 0);
                assert_int_equal(e->writeable, (flags & W) != 0);
                assert_int_equal(e->large_page, (flags & PS) != 0);
                assert_int_equal(e->dirty, (flags & D) != 0);
                assert_int_equal(e->cache_disable, at == 11);
                assert_int_equal(e->write_through, at == 10);
                assert_int_equal(e->hit, at == 4);
                assert_int_equal(e->lru, p54c ? bit >> 7 & 7 : 0);
                assert_int_equal(e->entry, p54c ? bit >> 2 & 3 : (bit & 15) | (bit >> 5 & 3) << 4);
                fake_write(pmu, TR7, 0);
                fake_write(pmu, TR6, (bit & 0xfffff000) | (flags & CD) | 1);
                assert_int_equal(fake_read(pmu, TR6), (data ? flags : flags & (V | U)) | 1);
                assert_int_equal(fake_read(pmu, TR7), (bit & exists) | H);
                fake_write(pmu, TR6, (~bit & 0xfffff000) | (flags & CD) | 1); /* a miss */
                assert_int_equal(fake_read(pmu, TR7) & H, 0);
                assert_int_equal(units.tlb_writes, 1);
            }
}

TEST(btb_of_the_p54c)
{
    PMU_WITH_UNITS(pmu, units, P5_FAMILY_P54C);
    fake_write(pmu, TR9, 0x08048ac0 | 2);
    fake_write(pmu, TR10, 0x08048000);
    fake_write(pmu, TR11, 43U << 6 | 2U << 2 | 1);
    assert_int_equal(units.btb_writes, 1);
    assert_int_equal(units.btb.set, 43);
    assert_int_equal(units.btb.way, 2);
    assert_int_equal(units.btb.bank, 0);
    assert_int_equal(units.btb.tag, 0x08048ac2);
    assert_int_equal(units.btb.target, 0x08048000);
    fake_write(pmu, TR9, 0);
    fake_write(pmu, TR10, 0);
    fake_write(pmu, TR11, 43U << 6 | 2U << 2 | 2);
    assert_int_equal(fake_read(pmu, TR9), 0x08048ac2);
    assert_int_equal(fake_read(pmu, TR10), 0x08048000);
    fake_write(pmu, TR11, 3);
    assert_int_equal(units.btb_flushes, 1);
    fake_write(pmu, TR11, 0);
    assert_int_equal(units.btb_writes + units.btb_flushes, 2);
}

/* The P55C's read of the tag brings bits 31-8 and 5 of TR9 alone; the other read brings the rest, the
 * target and the type of the branch. */
TEST(each_bit_of_a_btb_read)
{
    const uint32_t tag_bits = 0xffffff20;
    for (unsigned at = 0; at < 32; at++)
        for (unsigned type = 0; type < 4; type++)
            for (unsigned tag_only = 0; tag_only < 2; tag_only++) {
                uint32_t bit = 1U << at, mask = tag_only ? tag_bits : ~tag_bits;
                PMU_WITH_UNITS(pmu, units, P5_FAMILY_P55C);
                units.btb = (test_btb_entry){.tag = bit, .target = ~bit, .type = (uint8_t)type};
                fake_write(pmu, TR9, ~bit);
                fake_write(pmu, TR10, 0x1234);
                uint32_t command = (3 - type) << 24 | (tag_only ? 1U << 12 | 1 : 2);
                fake_write(pmu, TR11, command);
                assert_int_equal(fake_read(pmu, TR9), (bit & mask) | (~bit & ~mask));
                assert_int_equal(fake_read(pmu, TR10), tag_only ? 0x1234 : ~bit);
                assert_int_equal(fake_read(pmu, TR11), tag_only ? command : type << 24 | 2);
            }
}

/* Figures of TR11: each bit alone reaches its own field of the written entry. */
TEST(each_bit_of_a_btb_write)
{
    for (unsigned family = P5_FAMILY_P54C; family <= P5_FAMILY_P55C; family++)
        for (unsigned at = 2; at < 32; at++) {
            PMU_WITH_UNITS(pmu, units, family);
            bool p54c = family == P5_FAMILY_P54C, cntl2 = !p54c && at == 12;
            uint32_t bit = 1U << at, tag_exists = p54c ? 0xffffffc3 : 0xffffffff;
            fake_write(pmu, TR9, ~bit);
            fake_write(pmu, TR10, bit);
            fake_write(pmu, TR11, bit | 1);
            assert_int_equal(units.btb_writes, cntl2 ? 0 : 1);
            assert_int_equal(units.btb.tag, cntl2 ? 0 : ~bit & tag_exists);
            assert_int_equal(units.btb.target, cntl2 ? 0 : bit);
            assert_int_equal(units.btb.set, p54c ? bit >> 6 & 63 : bit >> 8 & 15);
            assert_int_equal(units.btb.way, bit >> 2 & 3);
            assert_int_equal(units.btb.bank, p54c ? 0 : bit >> 6 & 3);
            assert_int_equal(units.btb.type, p54c ? 0 : bit >> 24 & 3);
        }
}

/* Without structures behind them the registers are plain storage. */
TEST(no_structures)
{
    FAKE_PMU(fake, pmu, P5_FAMILY_P55C);
    fake_write(pmu, TR3, 0x55aa55aa);
    for (uint32_t command = 0; command < 4; command++)
        fake_write(pmu, TR5, command);
    fake_write(pmu, TR7, 0x3000);
    fake_write(pmu, TR6, 0x1000);
    fake_write(pmu, TR6, 0x1001);
    for (uint32_t command = 0; command < 8; command++)
        fake_write(pmu, TR11, (command & 3) | (command & 4) << 10);
    assert_int_equal(fake_read(pmu, TR3), 0x55aa55aa);
    assert_int_equal(fake_read(pmu, TR7), 0x3000);
    assert_int_equal(fake_read(pmu, TR6), 0x1001);
    assert_int_equal(fake_read(pmu, TR11), 1U << 12 | 3);
}
