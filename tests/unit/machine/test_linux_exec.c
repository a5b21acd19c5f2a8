/* What execve gives a program: its stack, as the i386 psABI's process initialization describes it, and the rights of its
 * pages. */
#include "linux_guest.h"

#include <signal.h>
#include <sys/auxv.h>

#include "machine/linux/abi.h"

static uint32_t word_at(const linux_process *p, uint32_t address)
{
    uint32_t word;
    assert_true(linux_read_user((linux_process *)p, address, &word, sizeof word));
    return word;
}

static void expect_text(const linux_process *p, uint32_t address, const char *text)
{
    char found[64];
    assert_true(strlen(text) < sizeof found);
    assert_true(linux_read_user((linux_process *)p, address, found, strlen(text) + 1));
    assert_string_equal(found, text);
}

/* Programs with three arguments, two and one, because ESP is aligned whatever their number is. */
TEST(the_stack_of_a_new_program)
{
    enum { ARGUMENTS = 3 };
    static const char *const texts[] = {"loop", "", "second argument", NULL, "A=1", "PATH=/bin", NULL};
    for (unsigned skipped = 0; skipped < ARGUMENTS; skipped++) {
        MACHINE(machine, linux_guest_open(texts + skipped, texts + ARGUMENTS + 1));
        const linux_process *p = machine->guest_state;
        uint32_t at = engine_get(machine->engine, ENGINE_ESP);
        assert_int_equal(at % 16, 0);
        assert_int_equal(word_at(p, at), ARGUMENTS - skipped);
        for (unsigned i = skipped; i < sizeof texts / sizeof texts[0]; i++) {
            at += 4;
            if (texts[i] != NULL)
                expect_text(p, word_at(p, at), texts[i]);
            else
                assert_int_equal(word_at(p, at), 0);
        }
        const struct {
            uint32_t type, value;
        } values[] = {{AT_PAGESZ, 4096},
                      {AT_CLKTCK, 100},
                      {AT_PHDR, LINUX_GUEST_BASE + sizeof(Elf32_Ehdr)},
                      {AT_PHENT, sizeof(Elf32_Phdr)},
                      {AT_PHNUM, 1},
                      {AT_BASE, 0}, /* there is no interpreter */
                      {AT_FLAGS, 0},
                      {AT_ENTRY, LINUX_GUEST_ENTRY},
                      {AT_UID, LINUX_UID},
                      {AT_EUID, LINUX_UID},
                      {AT_GID, LINUX_UID},
                      {AT_EGID, LINUX_UID},
                      {AT_SECURE, 0}};
        enum { VALUES = sizeof values / sizeof values[0] };
        bool seen[VALUES] = {false}, ended = false, platform = false, random = false;
        for (unsigned i = 0; i < 32 && !ended; i++) {
            const uint32_t type = word_at(p, at + 4), value = word_at(p, at + 8);
            at += 8;
            ended = type == AT_NULL;
            for (unsigned v = 0; v < VALUES; v++)
                if (values[v].type == type) {
                    if (value != values[v].value)
                        fail_msg("entry %u is %#x, expected %#x", type, value, values[v].value);
                    assert_false(seen[v]);
                    seen[v] = true;
                }
            if (type == AT_PLATFORM) {
                assert_false(platform);
                expect_text(p, value, "i586");
                platform = true;
            } else if (type == AT_RANDOM) {
                assert_false(random);
                assert_true(value > at && value <= LINUX_TASK_SIZE - 16);
                random = true;
            }
        }
        assert_true(ended && platform && random);
        for (unsigned v = 0; v < VALUES; v++)
            assert_true(seen[v]);
    }
}

/* A page that three segments share has the rights of the last one, because Linux maps each of them over the page as a
 * whole. The program is in the first segment and writes to the page. The expected ends are those of Linux 6.18 on x86-64. */
TEST(a_page_of_three_segments_has_the_rights_of_the_last)
{
    enum { START = 0x100, SEGMENT_2 = 0x200, SEGMENT_3 = 0x210, BYTES = 16 };
    static const struct {
        uint32_t rights[3];
        bool may_write;
    } cases[] = {{{PF_R | PF_W | PF_X, PF_R, PF_R}, false},
                 {{PF_R | PF_X, PF_R | PF_W, PF_R}, false},
                 {{PF_R | PF_X, PF_R, PF_R | PF_W}, true}};
    static const uint8_t code[] = {
        0xc7, 0x05, 0x00, 0x80, 0x04, 0x08, 1, 0, 0, 0, /* mov dword ptr [LINUX_GUEST_BASE],1 */
        0xb8, 1,    0,    0,    0,    0xbb, 7, 0, 0, 0, /* mov eax,1 (exit); mov ebx,7 */
        0xcd, 0x80,                                     /* int 80h */
    };
    const Elf32_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_386,
        .e_version = EV_CURRENT,
        .e_entry = LINUX_GUEST_BASE + START,
        .e_phoff = sizeof header,
        .e_ehsize = sizeof header,
        .e_phentsize = sizeof(Elf32_Phdr),
        .e_phnum = 3};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint32_t *rights = cases[i].rights;
        const Elf32_Phdr segments[] = {
            {PT_LOAD, 0, LINUX_GUEST_BASE, 0, SEGMENT_2, SEGMENT_2, rights[0], 0x1000},
            {PT_LOAD, SEGMENT_2, LINUX_GUEST_BASE + SEGMENT_2, 0, BYTES, BYTES, rights[1], 0x1000},
            {PT_LOAD, SEGMENT_3, LINUX_GUEST_BASE + SEGMENT_3, 0, BYTES, BYTES, rights[2], 0x1000}};
        uint8_t program[0x400] = {0};
        memcpy(program, &header, sizeof header);
        memcpy(program + sizeof header, segments, sizeof segments);
        memcpy(program + START, code, sizeof code);
        char path[] = "/tmp/p5scope-segments-XXXXXX";
        unit_file(path, program, sizeof program);
        MACHINE(machine, load_machine((p5_machine_options){.memory_bytes = 4 << 20}));
        static const char *const arguments[] = {"segments", NULL}, *const environment[] = {NULL};
        p5_run_result result = {.size = sizeof result};
        assert_int_equal(p5_machine_load_linux(machine, path, arguments, environment, NULL), P5_OK);
        unlink(path);
        assert_int_equal(p5_machine_run(machine, NULL, &result, NULL), P5_OK);
        assert_int_equal(result.end, cases[i].may_write ? P5_END_EXIT : P5_END_SIGNAL);
        if (cases[i].may_write) {
            assert_int_equal(result.status, 7);
        } else {
            assert_int_equal(result.signal, SIGSEGV);
            assert_int_equal(result.address, LINUX_GUEST_BASE + START);
        }
    }
}
