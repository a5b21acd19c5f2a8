/* The test registers' commands on the structures (manual, 26.2.1). The test keeps two copies of memory, as the engine
 * does: what the processor sees, and what is in memory below the caches. */
#include "../base/snapshot_bytes.h"
#include "one_core.h"

#include "core/internal.h"
#include "core/planted/planted.h"
#include "core/profile/profile.h"
#include "core/testreg/test_access.h"

enum { BYTES = 0x10000, LINE = 0x5040, SET = LINE / 32 % 128 };

typedef struct owner {
    uint8_t seen[BYTES], memory[BYTES];
    uint32_t code_line; /* of the last code_line call; 1: none */
    bool code_set;
    unsigned to_memory, from_memory;
    p5_core *core;
    p5_model *model;
} owner;

static void to_memory(void *context, uint32_t physical, uint32_t size)
{
    owner *o = context;
    o->to_memory++;
    memcpy(o->memory + physical, o->seen + physical, size);
}

static void from_memory(void *context, uint32_t physical, uint32_t size)
{
    owner *o = context;
    o->from_memory++;
    memcpy(o->seen + physical, o->memory + physical, size);
}

static bool read_line(void *context, uint32_t physical, bool behind, uint8_t bytes[P5_LINE_BYTES])
{
    owner *o = context;
    if (physical >= BYTES)
        return false;
    memcpy(bytes, (behind ? o->memory : o->seen) + physical, P5_LINE_BYTES);
    return true;
}

static void write_line(void *context, uint32_t physical, const uint8_t bytes[P5_LINE_BYTES])
{
    owner *o = context;
    if (physical < BYTES)
        memcpy(o->seen + physical, bytes, P5_LINE_BYTES);
}

static void code_line(void *context, uint32_t physical, const uint8_t *bytes)
{
    owner *o = context;
    o->code_line = physical;
    o->code_set = bytes != NULL;
}

static owner *open_owner(const char *model)
{
    owner *o = calloc(1, sizeof *o);
    assert_non_null(o);
    o->code_line = 1;
    memset(o->seen, 0x11, sizeof o->seen);
    memset(o->memory, 0x11, sizeof o->memory);
    o->model = fixture_model(model);
    p5_core_hooks hooks = {.size = sizeof hooks,
                           .context = o,
                           .to_memory = to_memory,
                           .from_memory = from_memory,
                           .read_line = read_line,
                           .write_line = write_line,
                           .code_line = code_line};
    o->core = open_core(o->model, &hooks);
    return o;
}

static void close_owner(owner **o)
{
    p5_core_close((*o)->core);
    p5_model_close((*o)->model);
    free(*o);
}

#define OWNER(o, model) CLOSED_BY(close_owner) owner *o = open_owner(model)

static bool watching(owner *o)
{
    bool refetch;
    return p5_core_watching(o->core, &refetch);
}

static test_cache_line line_of(bool data, unsigned way, unsigned valid, uint32_t first)
{
    test_cache_line line = {
        .data_cache = data, .way = (uint8_t)way, .set = SET, .tag = LINE >> 12, .valid = (uint8_t)valid};
    for (uint32_t i = 0; i < TEST_LINE_WORDS; i++)
        line.data[i] = first + i;
    return line;
}

static uint32_t word(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static void inquire(owner *o, bool invalidate)
{
    uint64_t done;
    memory_inquire(o->core->memory, LINE, invalidate, o->core->now + 1000, &done);
    planted_drop_gone(o->core);
}

/* What becomes of a line in each state when another master invalidates it. */
TEST(a_line_leaves)
{
    for (unsigned valid = MESI_SHARED; valid <= MESI_MODIFIED; valid++) {
        OWNER(o, "p55c-200");
        test_cache_line line = line_of(true, 2, valid, 0xa0000000);
        test_cache_write(o->core, &line);
        assert_int_equal(word(o->seen + LINE), 0xa0000000);
        assert_int_equal(word(o->memory + LINE), 0x11111111);
        assert_int_equal(watching(o), valid != MESI_MODIFIED); /* a modified line is one like any other */
        inquire(o, true);
        bool written = valid == MESI_MODIFIED;
        assert_int_equal(word(o->memory + LINE), written ? 0xa0000000 : 0x11111111);
        assert_int_equal(word(o->seen + LINE), written ? 0xa0000000 : 0x11111111);
        assert_int_equal(o->to_memory, written);
        assert_int_equal(o->from_memory, !written);
        assert_false(watching(o));
    }
}

/* A line that is the same as memory is nothing to look after. */
TEST(a_line_like_memory)
{
    OWNER(o, "p55c-200");
    test_cache_line line = line_of(true, 0, MESI_EXCLUSIVE, 0);
    memset(line.data, 0x11, sizeof line.data);
    test_cache_write(o->core, &line);
    assert_false(watching(o));
}

/* While a clean data line hides memory, fetches take memory. */
TEST(fetches_see_memory)
{
    OWNER(o, "p54c-133");
    test_cache_line line = line_of(true, 1, MESI_EXCLUSIVE, 0xb0000000);
    test_cache_write(o->core, &line);
    assert_int_equal(o->code_line, LINE);
    assert_true(o->code_set);
    inquire(o, true);
    assert_false(o->code_set);
}

/* INVD loses modified lines, WBINVD does not. */
TEST(invd_and_wbinvd)
{
    for (unsigned write_back = 0; write_back < 2; write_back++) {
        OWNER(o, "p55c-200");
        test_cache_line line = line_of(true, 0, MESI_MODIFIED, 0xc0000000);
        test_cache_write(o->core, &line);
        if (write_back)
            p5_core_wbinvd(o->core);
        p5_core_invd(o->core);
        assert_int_equal(word(o->seen + LINE), write_back ? 0xc0000000 : 0x11111111);
        assert_int_equal(word(o->memory + LINE), write_back ? 0xc0000000 : 0x11111111);
    }
}

/* "Whatever was in that entry in that set is read": of an invalid line too, and after a flush. */
TEST(invalid_lines_keep_their_contents)
{
    for (unsigned data = 0; data < 2; data++) {
        OWNER(o, "p54c-133");
        test_cache_line line = line_of(data, 1, 0, 0xd0000000);
        for (unsigned i = 0; i < TEST_LINE_WORDS; i++)
            line.end_bits[i] = (uint8_t)i;
        test_cache_write(o->core, &line);
        test_cache_line read = {.data_cache = data, .way = 1, .set = SET};
        test_cache_read(o->core, &read);
        assert_int_equal(read.valid, 0);
        assert_int_equal(read.tag, LINE >> 12);
        assert_int_equal(read.data[7], 0xd0000007);
        assert_int_equal(read.end_bits[5], data ? 0 : 5);
        line.valid = 1;
        line.data[0] = 0xe0000000;
        test_cache_write(o->core, &line);
        test_cache_flush(o->core, data, false, 0, 0);
        test_cache_read(o->core, &read);
        assert_int_equal(read.valid, 0);
        assert_int_equal(read.data[0], 0xe0000000);
        assert_int_equal(word(o->seen + LINE), 0x11111111);
    }
}

/* INVD and WBINVD leave an entry's tag and contents, too. */
TEST(emptied_caches_keep_their_contents)
{
    for (unsigned which = 0; which < 4; which++) {
        OWNER(o, "p55c-200");
        const bool data = which % 2 != 0;
        test_cache_line line = line_of(data, 1, data ? MESI_MODIFIED : 1, 0xe8000000);
        test_cache_write(o->core, &line);
        (which < 2 ? p5_core_invd : p5_core_wbinvd)(o->core);
        test_cache_line read = {.data_cache = data, .way = 1, .set = SET};
        test_cache_read(o->core, &read);
        assert_int_equal(read.valid, 0);
        assert_int_equal(read.tag, LINE >> 12);
        assert_int_equal(read.data[7], 0xe8000007);
    }
}

/* End bits of a P54C's line: as written, all zero too, and also after a flush. */
TEST(end_bits)
{
    OWNER(o, "p54c-133");
    for (unsigned bits = 0; bits < 16; bits += 5) {
        test_cache_line line = line_of(false, 0, 1, 0x90909090);
        memset(line.end_bits, (int)bits, sizeof line.end_bits);
        test_cache_write(o->core, &line);
        test_cache_line read = {.set = SET};
        test_cache_read(o->core, &read);
        assert_int_equal(read.end_bits[3], bits);
        test_cache_flush(o->core, false, false, 0, 0);
        test_cache_read(o->core, &read);
        assert_int_equal(read.end_bits[3], bits);
    }
}

/* The same line in both ways: each is read back as it was written. */
TEST(doubles)
{
    OWNER(o, "p54c-133");
    for (unsigned way = 0; way < 2; way++) {
        test_cache_line line = line_of(true, way, MESI_EXCLUSIVE, 0x1000 * way);
        test_cache_write(o->core, &line);
    }
    for (unsigned way = 0; way < 2; way++) {
        test_cache_line read = {.data_cache = true, .way = (uint8_t)way, .set = SET};
        test_cache_read(o->core, &read);
        assert_int_equal(read.data[1], 0x1000 * way + 1);
    }
}

/* WRMSR, with which TR5 is written, first waits for all buffered writes (SDM volume 3, serialising instructions). So a
 * write-through of earlier code has made its line exclusive before TR5 writes the line, and does not change it later. */
TEST(earlier_writes_have_ended)
{
    OWNER(o, "p55c-200");
    const p5_access store = fixture_access(LINE, 4, P5_ACCESS_WRITE);
    test_cache_line line = line_of(true, 0, MESI_SHARED, 0x33000000), read = {.data_cache = true, .set = SET};
    data_answer answer;
    test_cache_write(o->core, &line);
    memory_data(o->core->memory, &store, o->core->now, 0, &answer);
    test_cache_read(o->core, &read);
    assert_int_equal(read.valid, MESI_EXCLUSIVE);
    test_cache_write(o->core, &line);
    memory_data(o->core->memory, &store, o->core->now, 0, &answer);
    test_cache_write(o->core, &line);
    p5_core_halt(o->core, 1000, 0);
    test_cache_read(o->core, &read);
    assert_int_equal(read.valid, MESI_SHARED);
}

/* A profile attributes the write-back of a flush to the instruction before it, not to the last one that made a
 * reference. */
TEST(write_back_in_a_profile)
{
    enum { CODE = 0x1000 };
    static const uint8_t code[] = {0x8b, 0x06, 0x90, 0xeb, 0xfb}; /* mov eax,[esi]; nop; jmp back */
    OWNER(o, "p55c-200");
    const test_cache_line line = line_of(true, 0, MESI_MODIFIED, 0);
    const p5_access load = fixture_access(0x8000, 4, 0);
    p5_block *block = block_at(o->core, code, sizeof code, CODE);
    test_cache_write(o->core, &line);
    assert_true(profile_start(o->core, &(profile_options){.sample_quantity = P5_PROFILE_NONE}));
    p5_retired r = whole_block(block, CODE);
    r.accesses = &load;
    r.access_count = 1;
    p5_core_retire(o->core, &r);
    test_cache_flush(o->core, true, true, SET, 0);
    assert_true(profile_collect(o->core));
    profile_view view;
    profile_get_view(o->core, &view);
    uint64_t written = 0;
    for (size_t i = 0; i < view.site_count; i++)
        for (size_t n = 0; n < view.sites[i].amounts.count; n++)
            if (view.sites[i].amounts.items[n].quantity == P5_EVENT_DATA_CACHE_LINES_WRITTEN_BACK) {
                assert_int_equal((uint32_t)view.sites[i].address, CODE + 3);
                written += view.sites[i].amounts.items[n].increments;
            }
    assert_int_equal(written, 1);
}

/* Beyond memory a line can be written and read back. */
TEST(without_memory)
{
    OWNER(o, "p55c-200");
    test_cache_line line = line_of(true, 3, MESI_SHARED, 0x77000000);
    line.tag = 0xfffff;
    test_cache_write(o->core, &line);
    test_cache_line read = {.data_cache = true, .way = 3, .set = SET};
    test_cache_read(o->core, &read);
    assert_int_equal(read.tag, 0xfffff);
    assert_int_equal(read.data[2], 0x77000002);
    p5_core_invd(o->core);
}

/* TR7.H = 0: the LRU bits choose, as on the 486; an entry is not written twice into the same place then. */
TEST(tlb_without_hit_bit)
{
    OWNER(o, "p55c-200");
    for (uint32_t page = 0; page < 8; page++) {
        test_tlb_entry e = {.data_tlb = true, .linear = page << 12, .physical = page << 16, .valid = true};
        test_tlb_write(o->core, &e);
    }
    for (uint32_t page = 0; page < 8; page++) {
        test_tlb_entry e = {.data_tlb = true, .linear = page << 12};
        assert_true(test_tlb_read(o->core, &e));
        assert_int_equal(e.physical, page << 16);
    }
    p5_core_load_cr3(o->core, 0);
    assert_false(watching(o));
}

/* Parity stays wrong until it is written right; nothing is looked at when no valid entry is wrong. */
TEST(parity_comes_to_an_end)
{
    OWNER(o, "p55c-200");
    test_cache_line line = line_of(true, 0, MESI_MODIFIED, 0);
    test_parity(o->core, PARITY_DD);
    assert_true(watching(o));
    test_cache_write(o->core, &line);
    test_parity(o->core, 0);
    assert_true(watching(o));
    p5_core_invd(o->core);
    assert_false(watching(o));
}

static void note_error(void *context, uint32_t array)
{
    *(uint32_t *)context |= array;
}

/* A write-back reads the line, also when another master's snoop asks for it, which looks at no tag's parity;
 * a reference that crosses pages reads two entries. */
TEST(parity_is_read)
{
    OWNER(o, "p55c-200");
    uint32_t found = 0;
    test_on_parity_error(o->core, note_error, &found);
    test_cache_line line = line_of(true, 0, MESI_MODIFIED, 0);
    test_parity(o->core, PARITY_DD | PARITY_DT);
    test_cache_write(o->core, &line);
    test_parity(o->core, 0);
    inquire(o, true);
    assert_int_equal(found, PARITY_DD);

    found = 0;
    p5_core_set_control(o->core, &(p5_control){.size = sizeof(p5_control), .paging = true});
    for (uint32_t page = 0x5000; page <= 0x6000; page += 0x1000) {
        test_tlb_entry e = {.data_tlb = true, .linear = page, .physical = page, .valid = true};
        test_parity(o->core, page == 0x6000 ? PARITY_DTD : 0);
        test_tlb_write(o->core, &e);
    }
    test_parity(o->core, 0);
    const p5_access access = {.linear = 0x5ffe, .physical = 0x5ffe, .size = 4};
    data_answer answer;
    memory_data(o->core->memory, &access, o->core->now + 2000, 0, &answer);
    assert_int_equal(found, PARITY_DTD);
}

/* A snapshot is refused that records an entry which its TLB does not have. Wrong parity of such an entry, which nothing
 * can read, has no effect. */
TEST(snapshot_of_a_missing_entry)
{
    enum { P54C_CODE_ENTRIES = 32 };
    for (unsigned entry = P54C_CODE_ENTRIES - 1; entry <= P54C_CODE_ENTRIES; entry++) {
        OWNER(o, "p54c-133");
        OWNER(other, "p54c-133");
        snapshot_bytes saved = {0};
        p5_error error = {.message = ""};
        planted *w = o->core->planted;
        w->pins[w->pin_count++] = (planted_page){PARITY_CODE_TLB, entry, 0x5000 | TLB_VALID, true};
        w->parity.seen = true;
        w->parity.tlb_tag[PARITY_CODE_TLB][P54C_CODE_ENTRIES] = 1;
        assert_int_equal(p5_core_save(o->core, snapshot_bytes_put, &saved, &error), P5_OK);
        const bool exists = entry < P54C_CODE_ENTRIES;
        assert_int_equal(p5_core_load(other->core, snapshot_bytes_get, &saved, &error),
                         exists ? P5_OK : P5_ERR_FORMAT);
        assert_string_equal(error.message,
                            exists ? "" : "watch.pins: entry 32 does not exist, or is recorded twice");
        if (exists) {
            assert_true(watching(other));
            p5_core_invd(other->core);
            assert_false(watching(other));
        }
        free(saved.data);
    }
}
