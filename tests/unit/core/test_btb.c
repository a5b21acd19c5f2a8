/* The BTB's array as TR9-TR11 lay it out (manual, tables 26-16 to 26-18): index and tag bits, replacement,
 * raw entries. */
#include "fixture.h"

#include "core/branch/btb.h"
#include "core/model/replacement.h"
#include "isa/isa.h"

static const model_btb p54c = {.key = BTB_KEY_PREVIOUS_PAIR, .replacement = BTB_REPLACE_RANDOM};
static const model_btb p55c = {.key = BTB_KEY_LAST_BYTE, .replacement = BTB_REPLACE_PLRU};

/* A conditional branch that is looked up by `key`. */
static btb_branch branch_of(const btb *b, uint32_t key)
{
    return btb_by_pairs(b) ? btb_by_pair(key) : btb_by_last_byte(key, BTB_JCC, ISA_JCC);
}

static btb_entry *find(btb *b, uint32_t key)
{
    const btb_branch branch = branch_of(b, key);
    return btb_find(b, &branch);
}

/* A new entry for it, used at `now`. */
static btb_entry *allocate(btb *b, uint32_t key, uint64_t now)
{
    btb_branch branch = branch_of(b, key);
    btb_entry *entry = btb_allocate(b, &branch);
    assert_ptr_equal(entry, &b->entry[branch.entry]);
    entry->used = now;
    return entry;
}

static unsigned place(const btb *b, const btb_entry *entry)
{
    return (unsigned)(entry - b->entry);
}

TEST(set_and_tag_bits)
{
    static btb b;
    uint64_t seed = 1;
    for (unsigned n = 0; n < 1000; n++) {
        uint32_t key = unit_random(&seed) * 2654435761u;
        btb_init(&b, &p54c);
        btb_entry *entry = allocate(&b, key, 1);
        entry->state = 3;
        unsigned at = place(&b, entry), way = at % BTB_WAYS;
        assert_int_equal(at / BTB_WAYS, key & 0x3f);                 /* TR11 11:6 selects one of 64 sets */
        assert_int_equal(btb_raw_of(&b, at).tag, key & 0xffffffc0u); /* TR9 31:6 */
        assert_int_equal(btb_get(&b, key & 0x3f, 0, way).tag, key & 0xffffffc0u);

        btb_init(&b, &p55c);
        entry = allocate(&b, key, 1);
        at = place(&b, entry), way = at % BTB_WAYS;
        assert_int_equal(btb_raw_of(&b, at).tag, key & 0xffffff00u); /* TR9 31:8 */
        assert_int_equal(btb_get(&b, key >> 4 & 15, key >> 2 & 3, way).tag,
                         key & 0xffffff00u);        /* TR11 set 11:8, bank 7:6 */
        assert_ptr_equal(find(&b, key ^ 3), entry); /* the offset is not compared */
        assert_null(find(&b, key ^ 4));
        assert_null(find(&b, key ^ 0x100));
    }
}

/* Four branches whose keys agree in set (and bank) fit; the fifth pushes out one. 256 of different sets all
 * fit. */
TEST(four_ways)
{
    static btb b;
    const model_btb *models[] = {&p54c, &p55c};
    for (unsigned i = 0; i < 2; i++) {
        btb_init(&b, models[i]);
        for (uint32_t n = 0; n < 5; n++)
            allocate(&b, 0x1003 + n * 0x100, n + 1)->state = 3;
        unsigned left = 0;
        for (uint32_t n = 0; n < 5; n++)
            left += find(&b, 0x1003 + n * 0x100) != NULL;
        assert_int_equal(left, 4);
        assert_non_null(find(&b, 0x1003 + 4 * 0x100));

        btb_init(&b, models[i]);
        for (uint32_t n = 0; n < 256; n++)
            allocate(&b, i == 0 ? n : n * 4, n + 1)->state = 3;
        for (uint32_t n = 0; n < 256; n++)
            assert_non_null(find(&b, i == 0 ? n : n * 4));
        btb_flush(&b);
        for (uint32_t n = 0; n < 256; n++)
            assert_null(find(&b, i == 0 ? n : n * 4));
    }
}

TEST(plru_spares_the_one_just_used)
{
    static btb b;
    btb_init(&b, &p55c);
    for (uint32_t n = 0; n < 4; n++)
        allocate(&b, n * 0x100, n + 1);
    find(&b, 0)->used = 5;
    allocate(&b, 4 * 0x100, 6);
    assert_non_null(find(&b, 0));
}

/* The way that is replaced is the one that the bits of a tree pseudo-LRU point to, however the ways were
 * used. */
TEST(victims_are_those_of_the_tree)
{
    static btb b;
    uint64_t seed = 7;
    btb_init(&b, &p55c);
    uint64_t bits = 0, now = 0;
    for (uint32_t n = 0; n < BTB_WAYS; n++) {
        allocate(&b, n * 0x100, ++now);
        bits = replacement_used(BTB_WAYS, bits, n);
    }
    for (uint32_t n = 4; n < 4000; n++) {
        for (unsigned uses = unit_random(&seed) % 6; uses > 0; uses--) {
            unsigned way = unit_random(&seed) % BTB_WAYS;
            b.entry[way].used = ++now;
            bits = replacement_used(BTB_WAYS, bits, way);
        }
        unsigned victim = replacement_victim(BTB_WAYS, bits);
        assert_ptr_equal(allocate(&b, n * 0x100, ++now), &b.entry[victim]);
        bits = replacement_used(BTB_WAYS, bits, victim);
        if (unit_random(&seed) % 64 == 0) { /* as from reset */
            btb_flush(&b);
            bits = 0;
            for (unsigned way = 0; way < BTB_WAYS; way++)
                btb_put(&b, 0, 0, way, &(btb_raw){.tag = (n + way + 1) << 12, .valid = true});
        }
    }
}

/* On the P54C an entry that fell to state 0 is unused and taken first. */
TEST(state_0_is_free)
{
    static btb b;
    btb_init(&b, &p54c);
    for (uint32_t n = 0; n < 4; n++)
        allocate(&b, n * 0x40, n + 1)->state = 3;
    find(&b, 2 * 0x40)->state = 0;
    allocate(&b, 4 * 0x40, 5)->state = 3;
    assert_null(find(&b, 2 * 0x40));
    assert_non_null(find(&b, 0));
    assert_non_null(find(&b, 1 * 0x40));
    assert_non_null(find(&b, 3 * 0x40));
}

/* A raw write with the tag of an entry of the same bank and set goes there, whatever the way (26.2.1.3). */
TEST(raw_writes_never_double_a_tag)
{
    static btb b;
    btb_init(&b, &p55c);
    btb_raw in = {.tag = 0xabcd00,
                  .valid = true,
                  .target = 0x1111,
                  .history = 5,
                  .type = BTB_CALL,
                  .offset = 2,
                  .prediction = true};
    btb_put(&b, 9, 1, 2, &in);
    in.target = 0x2222;
    btb_put(&b, 9, 1, 0, &in);
    assert_false(btb_get(&b, 9, 1, 0).valid);
    btb_raw out = btb_get(&b, 9, 1, 2);
    assert_int_equal(out.target, 0x2222);
    assert_int_equal(out.history, 5);
    assert_int_equal(out.type, BTB_CALL);
    assert_int_equal(out.offset, 2);
    assert_true(out.prediction);
    assert_ptr_equal(find(&b, 0xabcd00 | 9 << 4 | 1 << 2), &b.entry[(9 << 2 | 1) * BTB_WAYS + 2]);
}
