/* Case images: the state at entry, both privilege levels, ends. The code checks its own registers and reports
 * through the exit port. */
#include <string.h>

#include "../unit.h"
#include "p5tool/machine.h"
#include "p5tool/core.h"

enum { TEXT = 0x401000, DATA = 0x402000 };

static p5_run_result run_case(const p5_case_image *image, const char *model)
{
    p5_machine_options options = {.size = sizeof options, .model = model, .memory_bytes = 32u << 20};
    p5_machine *machine = NULL;
    p5_error error = {0};
    p5_run_result result = {.size = sizeof result};
    p5_limits limits = {.size = sizeof limits, .timeout_seconds = 1200};
    if (p5_machine_open(&options, &machine, &error) != P5_OK ||
        p5_machine_load_case(machine, image, &error) != P5_OK ||
        p5_machine_run(machine, &limits, &result, &error) != P5_OK)
        fail_msg("%s", error.message);
    p5_machine_close(machine);
    return result;
}

static void expect_exit(const p5_run_result *result, int status)
{
    if (result->end != P5_END_EXIT || result->status != status)
        fail_msg("expected exit with %d, got end %d with %d at %08x: %s %s", status, result->end,
                 result->status, result->address, result->instruction, result->message);
}

/* pushf; or eax, ecx ... or eax, edi, ebp (all must be 0); pop ecx; and ecx, 0CD5h; or eax, ecx (arithmetic
 * flags and DF clear); lea ecx, [esp]; and ecx, 15; or eax, ecx (stack aligned); fnstcw [DATA]; mov cx,
 * [DATA]; sub cx, 37Fh; or ax, cx; push dword 5; pop ecx; sub ecx, [DATA + 4]; or eax, ecx; or eax, [DATA +
 * 800h] (bss); out F4h, al */
static const uint8_t entry_code[] = {
    0x9c, 0x09, 0xc8, 0x09, 0xd0, 0x09, 0xd8, 0x09, 0xe8, 0x09, 0xf0, 0x09, 0xf8, /* or eax, r */
    0x59, 0x81, 0xe1, 0xd5, 0x0c, 0x00, 0x00, 0x09, 0xc8,                         /* flags */
    0x8d, 0x0c, 0x24, 0x83, 0xe1, 0x0f, 0x09, 0xc8,                               /* ESP */
    0xd9, 0x3d, 0x00, 0x20, 0x40, 0x00, 0x66, 0x8b, 0x0d, 0x00, 0x20, 0x40, 0x00, /* control word */
    0x66, 0x81, 0xe9, 0x7f, 0x03, 0x66, 0x09, 0xc8,                               /* - 37Fh */
    0x6a, 0x05, 0x59, 0x2b, 0x0d, 0x04, 0x20, 0x40, 0x00, 0x09, 0xc8,             /* data */
    0x0b, 0x05, 0x00, 0x28, 0x40, 0x00,                                           /* bss */
    0xe6, 0xf4, 0xeb, 0xfe};

TEST(test_entry_state)
{
    uint8_t data[8] = {0, 0, 0, 0, 5};
    p5_case_image image = {.text = entry_code,
                           .text_size = sizeof entry_code,
                           .text_address = TEXT,
                           .data = data,
                           .data_size = sizeof data,
                           .data_address = DATA,
                           .bss_size = 64,
                           .bss_address = DATA + 0x800,
                           .entry = TEXT};
    for (unsigned cpl = 0; cpl <= 3; cpl += 3) {
        image.cpl = (uint8_t)cpl;
        p5_run_result result = run_case(&image, "p55c-200");
        expect_exit(&result, 1);
        result = run_case(&image, "p54c-133");
        expect_exit(&result, 1);
    }
}

TEST(test_privilege)
{
    /* mov ax, cs; and al, 3; out F4h, al */
    static const uint8_t code[] = {0x66, 0x8c, 0xc8, 0x24, 0x03, 0xe6, 0xf4, 0xeb, 0xfe};
    p5_case_image image = {.text = code, .text_size = sizeof code, .text_address = TEXT, .entry = TEXT};
    p5_run_result result = run_case(&image, "p55c-200");
    expect_exit(&result, 1);
    image.cpl = 3;
    result = run_case(&image, "p55c-200");
    expect_exit(&result, 3 * 2 + 1);
}

TEST(test_exception_is_an_error)
{
    static const uint8_t code[] = {0x90, 0x0f, 0x0b}; /* nop; ud2 */
    p5_case_image image = {
        .text = code, .text_size = sizeof code, .text_address = TEXT, .entry = TEXT, .cpl = 3};
    p5_run_result result = run_case(&image, "p55c-200");
    assert_int_equal(P5_END_FAILED, result.end);
    assert_int_equal(TEXT + 1, result.address);
    assert_non_null(strstr(result.message, "exception 6"));
}

TEST(test_wrong_images)
{
    static const uint8_t code[] = {0x90};
    const p5_case_image good = {.text = code, .text_size = 1, .text_address = TEXT, .entry = TEXT};
    p5_case_image wrong[4] = {good, good, good, good};
    wrong[0].cpl = 2;
    wrong[1].cr4 = 0x20; /* PAE */
    wrong[2].text_address = 0x1ffffff;
    wrong[3].bss_size = 0xffffffff;
    wrong[3].bss_address = DATA;
    for (unsigned i = 0; i < 4; i++) {
        p5_machine_options options = {.size = sizeof options};
        p5_machine *machine = NULL;
        p5_error error = {0};
        assert_int_equal(P5_OK, p5_machine_open(&options, &machine, &error));
        assert_int_not_equal(P5_OK, p5_machine_load_case(machine, &wrong[i], &error));
        assert_true(error.message[0] != '\0');
        p5_run_result result = {.size = sizeof result};
        assert_int_equal(P5_ERR_STATE, p5_machine_run(machine, NULL, &result, &error));
        p5_machine_close(machine);
    }
}

/* A limit is exact, may be reached any number of times, and pieces add up to the whole. */
TEST(test_limits)
{
    /* mov ecx, 1000; L: add eax, 3; dec ecx; jnz L; xor eax, eax; out F4h, al */
    static const uint8_t code[] = {0xb9, 0xe8, 0x03, 0,    0,    0x83, 0xc0, 0x03, 0x49,
                                   0x75, 0xfa, 0x31, 0xc0, 0xe6, 0xf4, 0xeb, 0xfe};
    enum { INSTRUCTIONS = 1 + 1000 * 3 + 2 };
    p5_case_image image = {.text = code, .text_size = sizeof code, .text_address = TEXT, .entry = TEXT};
    static p5_counts whole, pieces;
    for (unsigned piece = 0; piece < 4; piece++) {
        static const uint64_t sizes[] = {0, 1, 7, 999};
        p5_machine_options options = {.size = sizeof options};
        p5_machine *machine = NULL;
        p5_error error = {0};
        p5_run_result result = {.size = sizeof result};
        p5_limits limits = {.size = sizeof limits};
        assert_int_equal(P5_OK, p5_machine_open(&options, &machine, &error));
        assert_int_equal(P5_OK, p5_machine_load_case(machine, &image, &error));
        do {
            limits.max_instructions += sizes[piece];
            assert_int_equal(P5_OK, p5_machine_run(machine, &limits, &result, &error));
            if (result.end == P5_END_INSTRUCTIONS)
                assert_int_equal(limits.max_instructions, p5_machine_instructions(machine));
        } while (result.end == P5_END_INSTRUCTIONS);
        expect_exit(&result, 1);
        assert_int_equal(INSTRUCTIONS, p5_machine_instructions(machine));
        p5_machine_counts(machine, &pieces);
        if (piece == 0)
            whole = pieces;
        assert_memory_equal(&whole, &pieces, sizeof whole);
        p5_machine_close(machine);
    }
    /* the first boundary at or after a clock: no instruction here takes longer than a few clocks once the
     * code is in the cache */
    p5_machine_options options = {.size = sizeof options};
    p5_machine *machine = NULL;
    p5_error error = {0};
    p5_run_result result = {.size = sizeof result};
    assert_int_equal(P5_OK, p5_machine_open(&options, &machine, &error));
    assert_int_equal(P5_OK, p5_machine_load_case(machine, &image, &error));
    for (uint64_t clock = 500; clock < 1500; clock += 100) {
        p5_limits limits = {.size = sizeof limits, .max_clocks = clock};
        assert_int_equal(P5_OK, p5_machine_run(machine, &limits, &result, &error));
        assert_int_equal(P5_END_CLOCKS, result.end);
        assert_in_range(p5_machine_clock(machine), clock, clock + 6);
    }
    p5_machine_close(machine);
}
