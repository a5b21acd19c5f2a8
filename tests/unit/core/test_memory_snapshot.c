/* Snapshots of the memory side: a loaded one continues like the one that was saved, and one that no memory side could have is refused. */
#include "../base/snapshot_bytes.h"
#include "../base/snapshot_parts.h"
#include "same_state.h"

static const char *const models[] = {"p54c-133", "p55c-200"};

static snapshot_bytes save(const fixture *f)
{
    snapshot_bytes b = {0};
    snapshot saving = {.write = snapshot_bytes_put, .context = &b, .clock = f->now};
    memory_transfer(f->memory, &saving);
    assert_int_equal(saving.status, P5_OK);
    return b;
}

static p5_status load(fixture *f, snapshot_bytes *b, uint64_t clock, p5_error *error)
{
    b->at = 0;
    *error = (p5_error){0};
    snapshot loading = {
        .loading = true, .read = snapshot_bytes_get, .context = b, .clock = clock, .error = error};
    memory_transfer(f->memory, &loading);
    return loading.status;
}

/* References and fetches in a few pages of few sets: lines of every state, upgrades that are under way. */
static void refer(fixture *f, uint64_t *seed, unsigned count)
{
    for (unsigned n = 0; n < count; n++) {
        uint32_t x = unit_random(seed), address = unit_random(seed) % 0x9000 & 0xf07f;
        code_answer code;
        if ((x & 7) == 0)
            memory_code(f->memory, address, address, f->now, &code);
        else
            fixture_data(f, address & ~3u, 4,
                         (x >> 3 & 1) * P5_ACCESS_WRITE | (x >> 4 & 7 ? 0 : P5_ACCESS_WRITE_THROUGH));
        f->now += x >> 8 & 31;
    }
}

/* Copies lines to a second way of their set, in any state. Test registers can do that. */
static void double_lines(fixture *f, uint64_t *seed)
{
    static const mesi states[] = {MESI_SHARED, MESI_EXCLUSIVE, MESI_MODIFIED};
    data_cache *cache = memory_data_cache(f->memory);
    unsigned doubled = 0;
    for (unsigned set = 0; set < CACHE_SETS; set++) {
        const unsigned from = unit_random(seed) % cache->order.ways, to = (from + 1) % cache->order.ways;
        cache_entry entry = data_cache_get(cache, set, from);
        if (entry.state == MESI_INVALID)
            continue;
        entry.state = states[unit_random(seed) % 3];
        data_cache_put(cache, set, to, entry);
        doubled++;
    }
    assert_true(doubled > 0);
}

TEST(loaded_goes_on_like_saved)
{
    for (unsigned i = 0; i < 4; i++) {
        p5_error error;
        FIXTURE(saved, models[i % 2], i / 2, NULL);
        FIXTURE(loaded, models[i % 2], i / 2, NULL);
        uint64_t seed = i;
        refer(&saved, &seed, 1000);
        double_lines(&saved, &seed);
        snapshot_bytes b = save(&saved);
        if (load(&loaded, &b, saved.now, &error) != P5_OK)
            fail_msg("%s: %s", models[i % 2], error.message);
        memory_set_control(loaded.memory, &(p5_control){.size = sizeof(p5_control), .paging = i / 2});
        loaded.now = saved.now;
        loaded.totals = saved.totals;
        uint64_t same = seed;
        refer(&saved, &seed, 1000);
        refer(&loaded, &same, 1000);
        assert_int_equal(saved.now, loaded.now);
        fixture_settle(&saved);
        fixture_settle(&loaded);
        same_state(models[i % 2], &saved, &loaded);
        free(b.data);
    }
}

static void cache_all(p5_model *model)
{
    model->l2.cacheable_bytes = UINT32_MAX;
}

/* The memory that the L2 caches may end within a line, which is cached, too. */
TEST(the_last_line_that_the_l2_caches)
{
    p5_error error;
    FIXTURE(saved, "p55c-200", false, cache_all);
    FIXTURE(loaded, "p55c-200", false, cache_all);
    fixture_data(&saved, 0xffffffe0, 4, 0);
    snapshot_bytes b = save(&saved);
    if (load(&loaded, &b, saved.now, &error) != P5_OK)
        fail_msg("%s", error.message);
    const board *l2 = &loaded.memory->bus.board;
    assert_int_equal(l2->l2_tag[l2->l2_lines - 1], 0xffffffe0 / 32 + 1);
    free(b.data);
}

/* Puts `value` into number `index` of a field of the stream. */
static void put(snapshot_bytes *b, const char *field, unsigned index, uint64_t value)
{
    snapshot_parts parts = {.data = b->data, .size = b->size};
    snapshot_part part;
    while (snapshot_parts_next(&parts, &part))
        if (strcmp(part.field, field) == 0) {
            assert_true(index < part.count);
            memcpy(b->data + part.at + index * part.size, &value, part.size);
            return;
        }
    fail_msg("there is no field %s", field);
}

typedef struct number {
    const char *field;
    unsigned index;
    uint64_t value;
} number;

/* Changes of the snapshot of a memory side that has done nothing, and whether it can be loaded then. */
typedef struct change {
    number numbers[4];
    bool good;
} change;

#define KEY(page, bits) ((uint32_t)(page) << 12 | (bits))

static void try_changes(const char *model, const change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        p5_error error;
        FIXTURE(f, model, true, NULL);
        snapshot_bytes b = save(&f);
        for (unsigned n = 0; n < 4 && changes[i].numbers[n].field != NULL; n++)
            put(&b, changes[i].numbers[n].field, changes[i].numbers[n].index, changes[i].numbers[n].value);
        bool good = load(&f, &b, 0, &error) == P5_OK;
        const number *first = &changes[i].numbers[0];
        if (good != changes[i].good)
            fail_msg("%s, change %zu, %s[%u] = %llx: %s", model, i, first->field, first->index,
                     (unsigned long long)first->value, good ? "was loaded" : error.message);
        free(b.data);
    }
}

/* P54C: data TLB 16 sets of 4, its 4 MB array 2 sets of 4, code TLB 8 sets of 4. P55C: one set of 64 each, and of 32. Tree bits of a set
 * are one fewer than its ways. */
TEST(entries_of_tlbs)
{
#define DATA  "data_tlb.row.key.of"
#define LARGE "data_tlb_large.row.key.of"
#define CODE  "code_tlb.row.key.of"
    static const change p54c[] = {
        {{{DATA, 2 * 63, KEY(15, TLB_VALID)}}, true}, /* the last entry, of set 15 */
        {{{DATA, 2 * 63, KEY(14, TLB_VALID)}}, false},
        {{{DATA, 0, KEY(16, TLB_VALID)}, {DATA, 1, KEY(16, TLB_VALID)}}, true}, /* dirty */
        {{{DATA, 0, KEY(16, TLB_VALID)}, {DATA, 1, KEY(32, TLB_VALID)}}, false},
        {{{DATA, 0, KEY(16, 0)}}, false},             /* invalid entries have no page */
        {{{DATA, 1, KEY(16, TLB_VALID)}}, false},     /* and are not dirty */
        {{{CODE, 2 * 31, KEY(7, TLB_VALID)}}, true},  /* the last entry */
        {{{CODE, 2 * 32, KEY(8, TLB_VALID)}}, false}, /* one more */
        {{{LARGE, 2 * 7, KEY(0x400, TLB_VALID | TLB_LARGE)}}, true},
        {{{LARGE, 2 * 8, KEY(0x400, TLB_VALID | TLB_LARGE)}}, false},
        {{{"data_tlb.lru", 15, 7}}, true},
        {{{"data_tlb.lru", 15, 8}}, false},
        {{{"data_tlb.lru", 16, 1}}, false},
        {{{"code_tlb.lru", 7, 7}}, true},
        {{{"code_tlb.lru", 8, 1}}, false},
    };
    static const change p55c[] = {
        {{{DATA, 2 * 63, KEY(77, TLB_VALID)}}, true},  {{{CODE, 2 * 31, KEY(77, TLB_VALID)}}, true},
        {{{CODE, 2 * 32, KEY(77, TLB_VALID)}}, false}, {{{"data_tlb.lru", 0, UINT64_MAX >> 1}}, true},
        {{{"data_tlb.lru", 0, UINT64_MAX}}, false},    {{{"code_tlb.lru", 0, UINT64_C(1) << 31}}, false},
    };
    try_changes("p54c-133", p54c, sizeof p54c / sizeof p54c[0]);
    try_changes("p55c-200", p55c, sizeof p55c / sizeof p55c[0]);
}

/* Number `way` of set `set` of a cache's tags and states. */
#define AT(set, way) ((set)*CACHE_WAYS + (way))

TEST(lines_of_caches)
{
    static const change p54c[] = {
        {{{"data.tag", AT(127, 1), 0x5000}, {"data.state", AT(127, 1), MESI_SHARED}}, true},
        {{{"data.tag", AT(127, 2), 0x5000}, {"data.state", AT(127, 2), MESI_SHARED}}, false}, /* two ways */
        {{{"data.tag", AT(0, 0), 0x5000}}, false},        /* in no state */
        {{{"data.state", AT(0, 0), MESI_SHARED}}, false}, /* no line */
        {{{"data.tag", AT(3, 0), 0x5000},
          {"data.state", AT(3, 0), MESI_SHARED},
          {"data.tag", AT(3, 1), 0x5000},
          {"data.state", AT(3, 1), MESI_SHARED}},
         true}, /* twice: a test register can do that */
        {{{"data.lru", 127, 1}}, true},
        {{{"data.lru", 127, 2}}, false},
        {{{"code.tag", AT(127, 1), 0x5000}}, true},
        {{{"code.tag", AT(127, 2), 0x5000}}, false},
        {{{"code.tag", AT(0, 0), 0x5001}}, false},
        {{{"code.lru", 127, 1}}, true},
        {{{"code.lru", 127, 2}}, false},
        {{{"writes.next", 1, 1}}, true},
        {{{"writes.next", 0, 2}}, false}, /* two buffers */
        {{{"writes.next", 1, 2}}, false},
        {{{"writes.upgrade", 1, 0xffffffe1}}, true},
        {{{"writes.upgrade", 1, 0xffffffe3}}, false}, /* no line + 1 */
        {{{"writes.upgrade", 1, 0xffffffe0}}, false},
    };
    static const change p55c[] = {
        {{{"data.tag", AT(127, 3), 0x5000}, {"data.state", AT(127, 3), MESI_MODIFIED}}, true},
        {{{"data.lru", 127, 7}}, true},
        {{{"code.tag", AT(127, 3), 0x5000}}, true},
        {{{"code.lru", 127, 7}}, true},
        {{{"writes.next", 1, 3}}, true},
    };
    try_changes("p54c-133", p54c, sizeof p54c / sizeof p54c[0]);
    try_changes("p55c-200", p55c, sizeof p55c / sizeof p55c[0]);
}
