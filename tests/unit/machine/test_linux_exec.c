/* What a program finds on its stack: the i386 psABI's process initialization. */
#include "linux_guest.h"

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

TEST(the_stack_of_a_new_program)
{
    static const char *const texts[] = {"loop", "", "second argument", NULL, "A=1", "PATH=/bin", NULL};
    for (unsigned skipped = 0; skipped < 3;
         skipped++) { /* arguments: ESP is aligned whatever their number is */
        MACHINE(machine, linux_guest_open(texts + skipped, texts + 4));
        const linux_process *p = machine->guest_state;
        uint32_t at = engine_get(machine->engine, ENGINE_ESP);
        assert_int_equal(at % 16, 0);
        assert_int_equal(word_at(p, at), 3 - skipped);
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
        bool seen[VALUES] = {false}, ends = false, platform = false, random = false;
        for (unsigned i = 0; i < 32 && !ends; i++) {
            const uint32_t type = word_at(p, at + 4), value = word_at(p, at + 8);
            at += 8;
            ends = type == AT_NULL;
            for (unsigned v = 0; v < VALUES; v++)
                if (values[v].type == type) {
                    if (value != values[v].value)
                        fail_msg("entry %u is %#x, expected %#x", type, value, values[v].value);
                    assert_false(seen[v]);
                    seen[v] = true;
                }
            if (type == AT_PLATFORM) {
                expect_text(p, value, "i586");
                platform = true;
            } else if (type == AT_RANDOM) {
                assert_true(value > at && value <= LINUX_TASK_SIZE - 16);
                random = true;
            }
        }
        assert_true(ends && platform && random);
        for (unsigned v = 0; v < VALUES; v++)
            assert_true(seen[v]);
    }
}

/* A page that three segments share has the rights of all of them: the program, which the first segment allows to write,
 * writes into its own first bytes. */
TEST(segments_share_a_page)
{
    enum { CODE = 0x100, SHARED = 0x200 };
    static const uint8_t code[] = {
        0xc7, 0x05, 0x00, 0x80, 0x04, 0x08, 1, 0, 0, 0, /* mov dword ptr [LINUX_GUEST_BASE],1 */
        0xb8, 1,    0,    0,    0,    0xbb, 7, 0, 0, 0, /* mov eax,1 (exit); mov ebx,7 */
        0xcd, 0x80,                                     /* int 80h */
    };
    uint8_t program[0x400] = {0};
    const Elf32_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_EXEC,
        .e_machine = EM_386,
        .e_version = EV_CURRENT,
        .e_entry = LINUX_GUEST_BASE + CODE,
        .e_phoff = sizeof header,
        .e_ehsize = sizeof header,
        .e_phentsize = sizeof(Elf32_Phdr),
        .e_phnum = 3};
    const Elf32_Phdr segments[] = {
        {PT_LOAD, 0, LINUX_GUEST_BASE, LINUX_GUEST_BASE, SHARED, SHARED, PF_R | PF_W | PF_X, 0x1000},
        {PT_LOAD, SHARED, LINUX_GUEST_BASE + SHARED, 0, 16, 16, PF_R, 0x1000},
        {PT_LOAD, SHARED + 16, LINUX_GUEST_BASE + SHARED + 16, 0, 16, 16, PF_R, 0x1000}};
    memcpy(program, &header, sizeof header);
    memcpy(program + sizeof header, segments, sizeof segments);
    memcpy(program + CODE, code, sizeof code);
    char path[] = "/tmp/p5scope-segments-XXXXXX";
    unit_file(path, program, sizeof program);
    MACHINE(machine, load_machine((p5_machine_options){.memory_bytes = 4 << 20}));
    static const char *const arguments[] = {"segments", NULL}, *const environment[] = {NULL};
    p5_run_result result = {.size = sizeof result};
    assert_int_equal(p5_machine_load_linux(machine, path, arguments, environment, NULL), P5_OK);
    unlink(path);
    assert_int_equal(p5_machine_run(machine, NULL, &result, NULL), P5_OK);
    assert_int_equal(result.end, P5_END_EXIT);
    assert_int_equal(result.status, 7);
}
