/* Paging, A20 and self-modifying code. */
#include "guest.h"

#include "../base/snapshot_bytes.h"
#include "base/snapshot.h"
#include "engine/memory/mmu.h"

enum { DIRECTORY = GUEST_PAGES, TABLE = GUEST_PAGES + 0x1000 };
enum { P = 1, W = 2, U = 4, PWT = 8, PCD = 16, A = 32, D = 64, PS = 128 };

/* Identity for the first 4 MB, as supervisor pages with `bits`. */
static void paging_on(guest *g, uint32_t bits)
{
    guest_poke32(g, DIRECTORY, TABLE | P | W | U);
    for (unsigned i = 0; i < 1024; i++)
        guest_poke32(g, TABLE + 4 * i, i << 12 | bits);
    engine_set(g->e, ENGINE_CR3, DIRECTORY);
    engine_set(g->e, ENGINE_CR0, 0x80000033);
}

/* Linear C0000000 is physical 400000: code and data there. */
GUEST(high, "mov eax, [0xc0000800]\n mov [0xc0000804], eax\n hlt");

TEST(test_not_identity)
{
    OPEN_GUEST(g);
    paging_on(&g, P | W);
    guest_poke32(&g, DIRECTORY + 4 * 0x300, (TABLE + 0x1000) | P | W);
    guest_poke32(&g, TABLE + 0x1000, 0x400000 | P | W | PCD | PWT);
    guest_put(&g, 0x400100, high, high_end);
    guest_poke32(&g, 0x400800, 0xcafe);
    engine_set(g.e, ENGINE_EIP, 0xc0000100);
    guest_run(&g, ENGINE_HALTED);
    assert_int_equal(guest_peek32(&g, 0x400804), 0xcafe);
    assert_int_equal(g.accesses[0].linear, 0xc0000800);
    assert_int_equal(g.accesses[0].physical, 0x400800);
    assert_int_equal(g.accesses[0].flags, P5_ACCESS_CACHE_DISABLE | P5_ACCESS_WRITE_THROUGH);
    assert_int_equal(g.accesses[1].flags,
                     P5_ACCESS_CACHE_DISABLE | P5_ACCESS_WRITE_THROUGH | P5_ACCESS_WRITE);
    assert_int_equal(guest_peek32(&g, TABLE + 0x1000) & (A | D), A | D);
    uint32_t physical, directory, table;
    assert_true(engine_translate(g.e, 0xc0000123, &physical));
    assert_int_equal(physical, 0x400123);
    assert_false(engine_translate(g.e, 0xd0000000, &physical));
    engine_walk(g.e, 0xc0000123, &directory, &table);
    assert_int_equal(directory, DIRECTORY + 4 * 0x300);
    assert_int_equal(table, TABLE + 0x1000);
}

/* Accessed on a read, dirty only on a write, and a write after a read must still set it. */
GUEST_TEST(accessed_dirty, "mov eax, [0x30000]\n mov ebx, [0x31000]\n mov [0x31000], ebx\n hlt")
{
    paging_on(g, P | W);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(guest_peek32(g, TABLE + 4 * 0x30) & (A | D), A);
    assert_int_equal(guest_peek32(g, TABLE + 4 * 0x31) & (A | D), A | D);
    assert_int_equal(guest_peek32(g, TABLE + 4 * 0x32) & (A | D), 0);
    assert_int_equal(guest_peek32(g, DIRECTORY) & A, A);
    /* Each bit is reported once, a dirty bit only for a write. */
    assert_int_equal(engine_page_bits_set(g->e, 0x30000, true),
                     P5_PAGE_DIRECTORY_ACCESSED | P5_PAGE_ACCESSED);
    assert_int_equal(engine_page_bits_set(g->e, 0x31000, false), P5_PAGE_ACCESSED);
    assert_int_equal(engine_page_bits_set(g->e, 0x31000, true), P5_PAGE_DIRTY);
    assert_int_equal(engine_page_bits_set(g->e, 0x31000, true), 0);
    assert_int_equal(engine_page_bits_set(g->e, 0x32000, true), 0);
}

/* A 4 MB page, only with CR4.PSE; reserved bits in its entry fault. */
GUEST_TEST(large_page, "mov eax, [0xc0012340]\n hlt")
{
    paging_on(g, P | W);
    guest_poke32(g, DIRECTORY + 4 * 0x300, 0x400000 | P | W | PS);
    guest_poke32(g, 0x412340, 0x600d);
    engine_set(g->e, ENGINE_CR4, 0x10);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(engine_get(g->e, ENGINE_EAX), 0x600d);
    assert_int_equal(g->accesses[0].physical, 0x412340);
    assert_int_equal(g->accesses[0].flags, P5_ACCESS_LARGE_PAGE);
    uint32_t directory, table;
    engine_walk(g->e, 0xc0012340, &directory, &table);
    assert_int_equal(table, 0);
    guest_poke32(g, DIRECTORY + 4 * 0x300, 0x401000 | P | W | PS);
    engine_flush_translations(g->e);
    guest_enter(g, 0, GUEST_CODE, GUEST_STACK);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->events[0].vector, 14);
    assert_int_equal(g->events[0].error_code, 9);
}

/* Has a guest run `code` at CPL 3. `entry` is the page table's entry for the page at 30000h. */
static void enter_at_cpl3(guest *g, const uint8_t *code, const uint8_t *end, uint32_t entry)
{
    paging_on(g, P | W | U);
    guest_poke32(g, TABLE + 4 * 0x30, entry);
    guest_put(g, GUEST_CODE, code, end);
    guest_enter(g, 3, GUEST_CODE, GUEST_STACK);
}

/* Error codes for each reason, from CPL 3. */
GUEST(read3, "mov eax, [0x30000]\n hlt");
GUEST(write3, "mov [0x30000], eax\n hlt");

static void page_fault(const uint8_t *code, const uint8_t *end, uint32_t entry, uint32_t expected)
{
    OPEN_GUEST(g);
    enter_at_cpl3(&g, code, end, entry);
    guest_run(&g, ENGINE_HALTED);
    if (g.events[0].vector != 14 || g.events[0].error_code != expected)
        fail_msg("entry %08x: expected #PF(%x), got vector %u (%x)", entry, expected, g.events[0].vector,
                 g.events[0].error_code);
}

TEST(test_error_codes)
{
    page_fault(read3, read3_end, 0x30000, 4);
    page_fault(read3, read3_end, 0x30000 | P | W, 5);
    page_fault(write3, write3_end, 0x30000, 6);
    page_fault(write3, write3_end, 0x30000 | P | U, 7);
}

/* Page faults precede the alignment check, also that of an operand's second page. */
GUEST(read_across, "mov eax, [0x2fffe]\n hlt");
GUEST(write_across, "mov [0x2fffe], eax\n hlt");

static void fault_across(const uint8_t *code, const uint8_t *end, uint32_t entry, uint8_t vector)
{
    OPEN_GUEST(g);
    enter_at_cpl3(&g, code, end, entry);
    engine_set(g.e, ENGINE_CR0, engine_get(g.e, ENGINE_CR0) | CR0_AM);
    engine_set(g.e, ENGINE_EFLAGS, engine_get(g.e, ENGINE_EFLAGS) | EFLAGS_AC);
    guest_run(&g, ENGINE_HALTED);
    assert_int_equal(g.events[0].vector, vector);
}

TEST(test_alignment_after_page_faults)
{
    fault_across(read_across, read_across_end, 0, 14);
    fault_across(write_across, write_across_end, 0, 14);
    fault_across(read_across, read_across_end, 0x30000 | P | W | U, 17);
    fault_across(write_across, write_across_end, 0x30000 | P | W | U, 17);
}

/* The supervisor writes to read-only pages unless CR0.WP. */
TEST_OF_GUEST(test_write_protect, write3)
{
    paging_on(g, P | W);
    guest_poke32(g, TABLE + 4 * 0x30, 0x30000 | P);
    engine_set(g->e, ENGINE_EAX, 42);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->event_count, 0);
    assert_int_equal(guest_peek32(g, 0x30000), 42);
    engine_set(g->e, ENGINE_CR0, 0x80010033);
    engine_set(g->e, ENGINE_EIP, GUEST_CODE);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(g->events[0].vector, 14);
    assert_int_equal(g->events[0].error_code, 3);
}

/* A changed entry is seen after INVLPG or a load of CR3, not before. */
GUEST_TEST(stale,
           "mov eax, [0x30000]\n mov dword ptr [0x50c0], 0x31003\n mov ebx, [0x30000]\n invlpg [0x30000]\n "
           "mov ecx, [0x30000]\n"
           "mov dword ptr [0x50c0], 0x32003\n mov edx, cr3\n mov cr3, edx\n mov edx, [0x30000]\n hlt")
{
    paging_on(g, P | W);
    assert_int_equal(TABLE + 4 * 0x30, 0x50c0);
    for (unsigned i = 0; i < 3; i++)
        guest_poke32(g, 0x30000 + 0x1000 * i, 100 + i);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(engine_get(g->e, ENGINE_EAX), 100);
    assert_int_equal(engine_get(g->e, ENGINE_EBX), 100);
    assert_int_equal(engine_get(g->e, ENGINE_ECX), 101);
    assert_int_equal(engine_get(g->e, ENGINE_EDX), 102);
    assert_int_equal(g->special_count, 2);
    assert_int_equal(g->specials[0], ENGINE_INVLPG);
    assert_int_equal(g->specials[1], ENGINE_MOV_TO_CR);
}

GUEST(space1, "mov eax, 1\n ret");
GUEST(space2, "mov eax, 2\n ret");

/* The same linear address with other code after a CR3 load: two address spaces. */
GUEST_TEST(address_spaces, "mov cr3, ecx\n call edi\n hlt")
{
    paging_on(g, P | W);
    for (unsigned i = 0; i < 1024; i++) /* a second table: linear 40000h is physical 41000h */
        guest_poke32(g, TABLE + 0x2000 + 4 * i, (i == 0x40 ? 0x41u : i) << 12 | P | W);
    guest_poke32(g, TABLE + 0x1000, (TABLE + 0x2000) | P | W);
    guest_put(g, 0x40000, space1, space1_end);
    guest_put(g, 0x41000, space2, space2_end);
    for (unsigned i = 0; i < 6; i++) {
        engine_set(g->e, ENGINE_ECX, i & 1 ? TABLE + 0x1000 : DIRECTORY);
        engine_set(g->e, ENGINE_EDI, 0x40000);
        guest_enter(g, 0, GUEST_CODE, GUEST_STACK);
        guest_run(g, ENGINE_HALTED);
        assert_int_equal(engine_get(g->e, ENGINE_EAX), 1 + (i & 1));
    }
}

TEST_OF_GUEST(test_a20, read3)
{
    guest_poke32(g, 0x800, 0x00cf9b00);
    guest_poke32(g, 0x30000, 0x11);
    guest_poke32(g, 0x130000, 0x22);
    uint8_t *code = engine_ram(g->e, GUEST_CODE, 8);
    code[3] = 0x13; /* mov eax, [0x130000] */
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(engine_get(g->e, ENGINE_EAX), 0x22);
    engine_set_a20(g->e, false);
    engine_set(g->e, ENGINE_EIP, GUEST_CODE);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(engine_get(g->e, ENGINE_EAX), 0x11);
    assert_int_equal(g->accesses[1].physical, 0x30000);
    engine_set_a20(g->e, true);
    engine_set(g->e, ENGINE_EIP, GUEST_CODE);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(engine_get(g->e, ENGINE_EAX), 0x22);
}

/* --- Self-modifying code --- */

/* Changes an instruction ahead in its own block: every instruction is retired once, the new code runs. The
 * changed one is the "mov ecx, 1" at offset 21. */
GUEST_TEST(same_block,
           "mov ebx, [0x30000]\n push eax\n mov byte ptr [0x10011], 7\n inc edx\n nop\n mov ecx, 1\n hlt")
{
    assert_int_equal(same_block[16], 0xb9); /* mov ecx, imm32: its immediate is at 10011h */
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(engine_get(g->e, ENGINE_ECX), 7);
    assert_int_equal(engine_get(g->e, ENGINE_EDX), 1);
    assert_int_equal(g->count, 7);
    static const uint32_t offsets[] = {0, 6, 7, 14, 15, 16, 21};
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(g->insns[i].address, GUEST_CODE + offsets[i]);
    static const unsigned accesses[] = {1, 1, 1, 0, 0, 0, 0};
    for (unsigned i = 0; i < 7; i++)
        assert_int_equal(g->insns[i].accesses, accesses[i]);
}

/* A read-modify-write of the instruction after it, in a loop: 10 times round. */
GUEST_TEST(in_loop, "mov ebp, 10\n 1: inc dword ptr [0x1000c]\n mov eax, 0\n dec ebp\n jnz 1b\n hlt")
{
    assert_int_equal(in_loop[11], 0xb8);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(engine_get(g->e, ENGINE_EAX), 10);
    assert_int_equal(g->count, 1 + 4 * 10 + 1);
    for (unsigned i = 0; i < 10; i++) {
        guest_expect_access(g, 1 + 4 * i, 0, 0x1000c, 4, 0);
        guest_expect_access(g, 1 + 4 * i, 1, 0x1000c, 4, P5_ACCESS_WRITE);
    }
}

GUEST(callee, "mov eax, 0\n ret");

/* Another block in the same page, one in another page, and plain data beside code. */
GUEST_TEST(other_blocks,
           "mov byte ptr [0x10101], 3\n mov byte ptr [0x20001], 5\n mov dword ptr [0x10800], 9\n mov "
           "ecx, 0x10100\n call ecx\n"
           "mov ebx, eax\n mov ecx, 0x20000\n call ecx\n hlt")
{
    for (unsigned round = 0; round < 3; round++) {
        guest_put(g, 0x10100, callee, callee_end);
        guest_put(g, 0x20000, callee, callee_end);
        engine_flush_code(g->e, 0x10100, 6);
        engine_flush_code(g->e, 0x20000, 6);
        g->count = 0;
        engine_set(g->e, ENGINE_EIP, GUEST_CODE);
        guest_run(g, ENGINE_HALTED);
        assert_int_equal(engine_get(g->e, ENGINE_EBX), 3);
        assert_int_equal(engine_get(g->e, ENGINE_EAX), 5);
        assert_int_equal(guest_peek32(g, 0x10800), 9);
        assert_int_equal(g->count, 13);
    }
}

/* REP MOVSB over the REP instruction itself: the copy ends where the instruction was replaced. */
GUEST_TEST(rep_over_itself,
           "mov esi, 0x30000\n mov edi, 0x1000e\n mov ecx, 4\n rep movsb\n nop\n nop\n hlt\n")
{
    guest_poke32(g, 0x30000, 0x90909090);
    guest_run(g, ENGINE_HALTED);
    /* The first byte copied replaces byte 0Eh (the immediate's last, zero before: harmless), the second the
     * REP prefix. */
    unsigned copied = 0;
    for (unsigned i = 0; i < g->count; i++)
        copied += g->insns[i].accesses / 2;
    assert_int_equal(engine_get(g->e, ENGINE_EDI), 0x1000e + copied);
    assert_true(copied >= 2 && copied <= 3);
}

/* A host write through engine_write_linear is seen by translated code without further ado. */
TEST_OF_GUEST(test_host_write, callee)
{
    engine_ram(g->e, GUEST_CODE, 8)[5] = 0xf4;
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(engine_get(g->e, ENGINE_EAX), 0);
    uint8_t seven = 7;
    assert_true(engine_write_linear(g->e, GUEST_CODE + 1, &seven, 1));
    engine_set(g->e, ENGINE_EIP, GUEST_CODE);
    guest_run(g, ENGINE_HALTED);
    assert_int_equal(engine_get(g->e, ENGINE_EAX), 7);
}

/* What is put into entry `index` of the page cache, saved, and loaded by another engine; `message`: it is
 * refused with that. */
static page_entry loaded_page(unsigned index, page_entry page, const char *message)
{
    guest g;
    p5_error error = {0};
    snapshot_bytes saved = {0};
    guest_open(&g);
    g.e->memory.pages[0][index] = page;
    snapshot to = {.write = snapshot_bytes_put, .context = &saved, .error = &error};
    engine_transfer(g.e, &to);
    assert_int_equal(to.status, P5_OK);
    guest_close(&g);

    guest_open(&g);
    snapshot from = {.loading = true,
                     .read = snapshot_bytes_get,
                     .context = &saved,
                     .revision = SNAPSHOT_REVISION,
                     .error = &error};
    engine_transfer(g.e, &from);
    assert_int_equal(from.status, message == NULL ? P5_OK : P5_ERR_FORMAT);
    if (message != NULL)
        assert_string_equal(error.message, message);
    assert_false(saved.too_far);
    page_entry loaded = g.e->memory.pages[0][index];
    if (loaded.host != NULL)
        assert_ptr_equal(loaded.host, g.e->memory.ram + loaded.physical);
    free(saved.data);
    guest_close(&g);
    return loaded;
}

/* Translations that are held come back, and none that was made by hand leads out of memory. */
TEST(test_translations_of_a_snapshot)
{
    const uint32_t tag = 5 * ENGINE_PAGE_BYTES, none = PAGE_NO_TAG(5), other = tag + 0x40000000;
    const uint32_t tags[][2] = {{tag, tag},  {tag, none},  {none, none}, {tag, tag ^ ENGINE_PAGE_BYTES},
                                {none, tag}, {tag, other}, {other, tag}};
    for (unsigned i = 0; i < sizeof tags / sizeof *tags; i++) {
        const page_entry in = {.read_tag = tags[i][0], .write_tag = tags[i][1], .physical = 0x3000};
        const page_entry out = loaded_page(5, in, NULL);
        bool sound = i < 4;
        assert_int_equal(out.read_tag, sound ? in.read_tag : none);
        assert_int_equal(out.write_tag, sound ? in.write_tag : none);
        if (out.read_tag == tag)
            assert_non_null(out.host);
    }
    const page_entry out =
        loaded_page(5, (page_entry){.read_tag = tag, .write_tag = tag, .physical = GUEST_MEMORY}, NULL);
    assert_int_equal(out.read_tag, none);
    assert_int_equal(out.write_tag, none);
    loaded_page(5, (page_entry){.read_tag = tag + 0x800, .write_tag = none},
                "translation.read_tag[5]: 5800h is not within the bits FFFFF000h");
}
