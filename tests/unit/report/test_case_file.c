/* Case files: directives, defaults, where errors point, tolerances, and what the assembler makes of the code.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit.h"
#include "p5tool/report.h"

UNIT_FILE(path, "/tmp/p5case.XXXXXX.s");

/* Declares `name`, the case that `text` describes. */
#define CASE(name, text)                                                                                     \
    p5_case CLOSED_BY(p5_case_free) name;                                                                    \
    read_ok(text, &name)

static void read_ok(const char *text, p5_case *c)
{
    p5_error error = {0};
    unit_write(path, text);
    if (p5_case_read(path, c, &error) != P5_OK)
        fail_msg("refused at line %u column %u: %s", error.line, error.column, error.message);
}

TEST(defaults)
{
    CASE(c, "# a comment\n nop\n");
    const char *base = strrchr(path, '/') + 1;
    assert_int_equal(strlen(c.name), strlen(base) - 2);
    assert_memory_equal(c.name, base, strlen(c.name));
    assert_string_equal(c.models[0], "p55c-200");
    assert_null(c.models[1]);
    assert_int_equal(c.cpl, 3);
    assert_int_equal(c.cr4, 0);
    assert_int_equal(c.trips[0], 200);
    assert_int_equal(c.trips[1], 1200);
    assert_int_equal(c.expectation_count, 0);
}

TEST(all_directives)
{
    CASE(c, "#! case a-b_c.1\n"
            "#!models p54c-133 p55c-200\n"
            "#! cpl 0\n"
            "#! cr4 100\n"
            "#! n 20 0x78\n"
            "#! expect clocks 2.5 ~0.25\n"
            "#! expect@p54c r17 1 +2 -0.5\n"
            "#! expect data_read:k 3\n"
            "#! source somewhere, page 3\n"
            " \t#! note anything, after blanks\n"
            " nop #! no directive: it does not begin the line\n");
    assert_string_equal(c.name, "a-b_c.1");
    assert_string_equal(c.models[0], "p54c-133");
    assert_string_equal(c.models[1], "p55c-200");
    assert_null(c.models[2]);
    assert_int_equal(c.cpl, 0);
    assert_int_equal(c.cr4, 0x100); /* hexadecimal, CR4.PCE */
    assert_int_equal(c.trips[1], 120);
    assert_string_equal(c.source, "somewhere, page 3");
    assert_int_equal(c.expectation_count, 3);
    const p5_expectation *e = c.expectations;
    assert_int_equal(e[0].what.event, P5_SELECT_CLOCKS);
    assert_true(e[0].value == 2.5 && e[0].up == 0.25 && e[0].down == 0.25);
    assert_true(p5_case_applies(e[0].only, "p55c-200") && p5_case_applies(e[0].only, "p54c-133"));
    assert_int_equal(e[1].what.event, P5_EVENT_INSTRUCTIONS_EXECUTED_V_PIPE);
    assert_true(e[1].up == 2 && e[1].down == 0.5);
    assert_true(p5_case_applies(e[1].only, "p54c-133"));
    assert_false(p5_case_applies(e[1].only, "p55c-200"));
    assert_int_equal(e[2].what.cpl_mask, P5_CPL_MASK_SYSTEM);
    assert_true(e[2].up == 0 && e[2].down == 0);
    assert_int_equal(e[2].line, 8);
}

/* Lines with @MODEL apply by the model's name, which is that of a model file without its folder and .ini. */
TEST(lines_apply_to_models_by_name)
{
    CASE(c, "#! models p55c-200 d/my.ini\n"
            "#! expect@my clocks 1\n"
            "#! expect-register@my eax 1\n");
    const char *file = c.models[1]; /* in the folder of the case */
    assert_true(p5_case_applies(c.expectations[0].only, file) && p5_case_applies(c.states[0].only, file));
    assert_true(p5_case_applies("my", "my") && p5_case_applies("m", file) && p5_case_applies(NULL, file));
    assert_false(p5_case_applies("my", "p55c-200") || p5_case_applies("my.ini", file));
}

TEST(errors_name_line_and_column)
{
    static const struct {
        const char *text;
        unsigned line, column;
        p5_status status;
    } wrong[] = {
        {"nop\n#! foo 1\n", 2, 4, P5_ERR_NAME},
        {"#! models p55c-200 p55d-200\n", 1, 20, P5_ERR_NAME},
        {"#! models\n", 1, 10, P5_ERR_SYNTAX},
        {"#! expect clokcs 4\n", 1, 11, P5_ERR_NAME},
        {"#! expect data_read:z 4\n", 1, 21, P5_ERR_SYNTAX},
        {"#! expect clocks\n", 1, 17, P5_ERR_SYNTAX},
        {"#! expect clocks four\n", 1, 18, P5_ERR_SYNTAX},
        {"#! expect clocks 4 0.1\n", 1, 20, P5_ERR_SYNTAX},
        {"#! expect clocks 4 ~0.1 +1\n", 1, 25, P5_ERR_SYNTAX},
        {"#! expect clocks 4 ~-1\n", 1, 20, P5_ERR_SYNTAX},
        {"#! expect data* 4\n", 1, 11, P5_ERR_SYNTAX},
        {"#! expect@p56 clocks 4\n", 1, 0, P5_ERR_NAME},
        {"#! expect@ clocks 4\n", 1, 0, P5_ERR_NAME},
        {"nop\n#! expect@p54c clocks 4\n", 2, 0, P5_ERR_NAME}, /* it runs on p55c-200 alone */
        {"#! expect-register@p54c eax 4\n", 1, 0, P5_ERR_NAME},
        {"#! models p54c-133 p55c-200 p54c-133\n", 1, 29, P5_ERR_SYNTAX},
        {"#! models d/my.ini\n#! expect@my.ini clocks 4\n", 2, 0, P5_ERR_NAME},
        {"#! cpl 1\n", 1, 8, P5_ERR_RANGE},
        {"#! cpl 3 3\n", 1, 10, P5_ERR_SYNTAX},
        {"#! cr4 xyz\n", 1, 8, P5_ERR_SYNTAX},
        {"#! n 200 100\n", 1, 1, P5_ERR_RANGE},
        {"#! n 200\n", 1, 9, P5_ERR_SYNTAX},
        {"#! case a b\n", 1, 11, P5_ERR_SYNTAX},
        {"#! case a/b\n", 1, 10, P5_ERR_SYNTAX},
        {"#! cpl 3\n#! cpl 3\n", 2, 4, P5_ERR_SYNTAX},
        {"#! expect-fault\n", 1, 16, P5_ERR_SYNTAX},
        {"#! expect-fault #GQ\n", 1, 17, P5_ERR_NAME},
        {"#! expect-fault #GP(x)\n", 1, 17, P5_ERR_SYNTAX},
        {"#! expect-fault #GP(0\n", 1, 17, P5_ERR_SYNTAX},
        {"#! expect-fault #UD(0)\n", 1, 17, P5_ERR_SYNTAX},
        {"#! expect-fault #UD in there\n", 1, 21, P5_ERR_SYNTAX},
        {"#! expect-fault #UD at\n", 1, 23, P5_ERR_SYNTAX},
        {"#! expect-fault #UD at there now\n", 1, 30, P5_ERR_SYNTAX},
        {"#! expect-fault #UD\n#! expect-fault #GP\n", 2, 17, P5_ERR_SYNTAX},
        {"#! expect-fault@p56 #UD\n", 1, 0, P5_ERR_NAME},
        {"#! expect-registers eax 1\n", 1, 4, P5_ERR_NAME},
        {"#! expect-register\n", 1, 19, P5_ERR_SYNTAX},
        {"#! expect-register ax 1\n", 1, 20, P5_ERR_NAME},
        {"#! expect-register eax\n", 1, 23, P5_ERR_SYNTAX},
        {"#! expect-register eax 0x100000000\n", 1, 24, P5_ERR_SYNTAX},
        {"#! expect-register eax five\n", 1, 24, P5_ERR_SYNTAX},
        {"#! expect-register eax 5 6\n", 1, 26, P5_ERR_SYNTAX},
        {"#! expect-memory\n", 1, 17, P5_ERR_SYNTAX},
        {"#! expect-memory there\n", 1, 23, P5_ERR_SYNTAX},
        {"#! expect-memory +4 00\n", 1, 18, P5_ERR_SYNTAX},
        {"#! expect-memory there+x 00\n", 1, 18, P5_ERR_SYNTAX},
        {"#! expect-memory there+0x100000000 00\n", 1, 18, P5_ERR_SYNTAX},
        {"#! expect-memory there 0\n", 1, 24, P5_ERR_SYNTAX},
        {"#! expect-memory there 00 xy\n", 1, 27, P5_ERR_SYNTAX},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        p5_case c;
        p5_error error = {0};
        unit_write(path, wrong[i].text);
        p5_status status = p5_case_read(path, &c, &error);
        if (status != wrong[i].status || error.line != wrong[i].line || error.column != wrong[i].column)
            fail_msg("%s: status %d at %u:%u (%s), expected %d at %u:%u", wrong[i].text, (int)status,
                     error.line, error.column, error.message, (int)wrong[i].status, wrong[i].line,
                     wrong[i].column);
        assert_string_equal(error.where, path);
    }
    p5_case c;
    p5_error error;
    assert_int_equal(p5_case_read("/nonexistent/x.s", &c, &error), P5_ERR_IO);
}

TEST(judgement)
{
    p5_model *model;
    p5_error error;
    CASE(c, "#! n 100 200\n#! expect clocks 4 ~0.5\n#! expect data_read 2 +1 -0\n");
    assert_int_equal(p5_model_open("p55c-200", &model, &error), P5_OK);
    p5_counts counts[2];
    static const struct {
        uint64_t clocks, reads; /* more in the run with 200 trips */
        unsigned failed;
    } runs[] = {{400, 200, 0}, {450, 300, 0}, {350, 200, 0}, {451, 200, 1},
                {349, 200, 1}, {400, 199, 1}, {400, 301, 1}, {500, 0, 2}};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        memset(counts, 0, sizeof counts);
        counts[0].clocks[P5_CPL_USER] = 12345; /* set-up: cancels out */
        counts[1].clocks[P5_CPL_USER] = 12345 + runs[i].clocks;
        counts[1].increments[P5_EVENT_DATA_READ][P5_CPL_USER] = runs[i].reads;
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        unsigned failed = p5_case_judge(&c, model, counts, NULL, false, out);
        fclose(out);
        assert_int_equal(failed, runs[i].failed);
        assert_int_equal(text[0] != '\0', failed > 0); /* a line for each failure, and only for those */
        free(text);
    }
    p5_model_close(model);
}

TEST(nothing_expected_is_a_failure)
{
    p5_model *model;
    p5_error error;
    CASE(c, "#! models p55c-200 p54c-133\n#! expect@p54c clocks 4\n");
    assert_int_equal(p5_model_open("p55c-200", &model, &error), P5_OK);
    p5_counts counts[2];
    memset(counts, 0, sizeof counts);
    FILE *out = fopen("/dev/null", "w");
    assert_int_equal(p5_case_judge(&c, model, counts, NULL, false, out), 1);
    fclose(out);
    p5_model_close(model);
}

/* Addresses and relocations, worked out by hand from the layout that report.h promises. */
TEST(assembled_and_placed)
{
    unit_needs("as");
    static const char source[] = "        mov ecx,N\n"           /* b9 N */
                                 "        mov eax,offset item\n" /* b8 data */
                                 "        mov ebx,[zero+4]\n"    /* 8b 1d bss+4 */
                                 "        call f\n"              /* e8 0 */
                                 "f:      jmp there\n"           /* eb 0 */
                                 "there:\n"
                                 ".data\n"
                                 "item:   .long item, f\n"
                                 ".bss\n"
                                 "zero:   .skip 100\n";
    p5_case_program *program;
    p5_error error = {0};
    if (p5_case_assemble_text("test", source, 300, &program, &error) != P5_OK)
        fail_msg("%s", error.message);
    p5_case_image image;
    p5_case_program_image(program, &image);
    assert_int_equal(image.entry, image.text_address);
    assert_int_equal(image.data_address % 4096, 0);
    assert_int_equal(image.bss_address % 4096, 0);
    assert_true(image.data_address >= image.text_address + image.text_size);
    assert_true(image.bss_address >= image.data_address + image.data_size);
    assert_int_equal(image.bss_size, 100);
    assert_int_equal(image.data_size, 8);
    uint32_t f = image.text_address + 21;
    uint32_t bss4 = image.bss_address + 4;
    const uint32_t data[2] = {image.data_address, f};
    assert_memory_equal(image.data, data, 8);
    uint8_t text[25] = {0xb9, 0x2c, 0x01, 0,    0, 0xb8, 0, 0, 0,    0, 0x8b, 0x1d, 0,
                        0,    0,    0,    0xe8, 0, 0,    0, 0, 0xeb, 0, 0x0f, 0x0b};
    memcpy(text + 6, &image.data_address, 4);
    memcpy(text + 12, &bss4, 4);
    assert_int_equal(image.text_size, sizeof text); /* the exit, UD2, stands at the end */
    assert_memory_equal(image.text, text, sizeof text);
    p5_case_program_free(program);
}

TEST(assembler_errors_have_their_line)
{
    unit_needs("as");
    p5_case_program *program;
    p5_error error = {0};
    unit_write(path, "nop\nfrobnicate eax\n");
    assert_int_equal(p5_case_assemble(path, 10, &program, &error), P5_ERR_FORMAT);
    assert_string_equal(error.where, path);
    assert_int_equal(error.line, 2);
    assert_non_null(strstr(error.message, "frobnicate"));
    unit_write(path, "call nowhere\n");
    assert_int_equal(p5_case_assemble(path, 10, &program, &error), P5_ERR_NAME);
    assert_non_null(strstr(error.message, "nowhere"));
    unit_write(path, ".section other,\"ax\"\nnop\n");
    assert_int_equal(p5_case_assemble(path, 10, &program, &error), P5_ERR_UNSUPPORTED);
    unit_write(path, ".bss\n.skip 0x7fffffff\n");
    assert_int_equal(p5_case_assemble(path, 10, &program, &error), P5_ERR_RANGE);
    assert_null(program);
}
