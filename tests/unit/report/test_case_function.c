/* Functions that bench calls: the cost of a call beyond that of an empty function. Also what functions and loops leave on the
 * x87 register stack and in the stack pointer. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit.h"
#include "p5tool/report.h"

static const unsigned trips[2] = {100, 300};
static const char *const models[] = {"p55c-200", "p54c-133"};
UNIT_FILE(path, "/tmp/p5scope-function-XXXXXX");

/* Measures runs of 100 and 300 calls. */
static void measure(const p5_case_function *f, const char *model, p5_case_measured *out)
{
    p5_case_program *programs[2];
    p5_case_conditions conditions = {.model = model, .cpl = 3, .timeout_seconds = 1200, .function = f};
    p5_error error = {0};
    for (unsigned i = 0; i < 2; i++)
        if (p5_case_assemble_function(f, trips[i], &programs[i], &error) != P5_OK)
            fail_msg("%s", error.message);
    if (p5_case_measure(programs, trips, &conditions, out, &error) != P5_OK)
        fail_msg("%s", error.message);
    for (unsigned i = 0; i < 2; i++)
        p5_case_program_free(programs[i]);
}

/* Clocks of one call, with those of the harness. */
static double clocks(const p5_case_measured *m)
{
    return (double)(p5_counts_sum(m->counts[1].clocks, P5_CPL_MASK_ALL) -
                    p5_counts_sum(m->counts[0].clocks, P5_CPL_MASK_ALL)) /
           (trips[1] - trips[0]);
}

/* Instructions of one call, with those of the harness. */
static uint64_t instructions(const p5_case_measured *m)
{
    return (p5_counts_sum(m->counts[1].increments[P5_EVENT_INSTRUCTIONS_EXECUTED], P5_CPL_MASK_ALL) -
            p5_counts_sum(m->counts[0].increments[P5_EVENT_INSTRUCTIONS_EXECUTED], P5_CPL_MASK_ALL)) /
           (trips[1] - trips[0]);
}

/* Clocks of one call beyond that of an empty function. */
static double net_clocks(p5_case_function f, const char *model)
{
    p5_case_measured with, without;
    measure(&f, model, &with);
    f.empty = true;
    measure(&f, model, &without);
    assert_string_equal(with.remark.message, "");
    assert_string_equal(without.remark.message, "");
    return clocks(&with) - clocks(&without);
}

/* K pairs of INC take K clocks (P1 in docs/rules.tsv). The address and the length of the function, the number of arguments,
 * and a buffer as the first one change nothing. */
TEST(costs_what_is_in_it)
{
    unit_needs("as ld");
    static const struct {
        unsigned place, pairs; /* bytes after a line's start */
    } functions[] = {{0, 60}, {1, 7}, {14, 2}, {15, 1}, {31, 0}};
    static const struct {
        size_t count;
        uint32_t buffer_bytes;
    } arguments[] = {{0, 0}, {1, 0}, {2, 0}, {3, 64}, {P5_CASE_ARGUMENTS, 0}};
    for (unsigned i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        const unsigned place = functions[i].place, pairs = functions[i].pairs;
        char text[256];
        snprintf(text, sizeof text,
                 ".globl f\n.balign 32\n.skip %u, 0x90\nf: .rept %u\ninc %%eax\ninc %%edx\n.endr\nret\n",
                 place, pairs);
        unit_write(path, text);
        for (unsigned a = 0; a < sizeof arguments / sizeof arguments[0]; a++) {
            p5_case_function f = {.path = path, .name = "f", .argument_count = arguments[a].count};
            f.arguments[0].buffer_bytes = arguments[a].buffer_bytes;
            for (unsigned m = 0; m < 2; m++) {
                double got = net_clocks(f, models[m]);
                if (got != pairs)
                    fail_msg("%u pairs at %u with %zu arguments on %s: %g clocks", pairs, place,
                             arguments[a].count, models[m], got);
            }
        }
    }
}

/* A file's contents as an argument: strlen of 7 characters takes a MOV, and four instructions for each of 8 bytes,
 * because the NUL is one. An empty file and a missing one are refused. */
TEST(argument_with_contents)
{
    unit_needs("as ld");
    char contents[] = "/tmp/p5scope-\"contents-XXXXXX";
    unit_file(contents, "7 bytes", sizeof "7 bytes");
    unit_write(path,
               ".globl f\nf: mov 4(%esp), %edx\n1: movb (%edx), %al\ninc %edx\ntest %al, %al\njne 1b\nret\n");
    p5_case_function f = {.path = path, .name = "f", .argument_count = 1};
    f.arguments[0].file = contents;
    p5_case_measured with, without;
    measure(&f, models[0], &with);
    f.empty = true;
    measure(&f, models[0], &without);
    assert_int_equal(instructions(&with) - instructions(&without), 1 + 4 * 8);
    assert_int_equal(truncate(contents, 0), 0);
    p5_case_program *program;
    p5_error error = {0};
    assert_int_equal(p5_case_assemble_function(&f, 1, &program, &error), P5_ERR_RANGE);
    unlink(contents);
    assert_int_equal(p5_case_assemble_function(&f, 1, &program, &error), P5_ERR_IO);
    assert_non_null(strstr(error.message, contents));
}

/* A function that reads two arguments but gets one: reading the second faults, and does not return what the harness
 * has on the stack. */
TEST(missing_argument)
{
    unit_needs("as ld");
    unit_write(path, ".globl f\nf: mov 4(%esp), %eax\nadd 8(%esp), %eax\nret\n");
    for (unsigned cpl = 0; cpl <= 3; cpl += 3) {
        p5_case_function f = {.path = path, .name = "f", .argument_count = 1};
        p5_case_conditions conditions = {
            .model = models[0], .cpl = cpl, .timeout_seconds = 1200, .function = &f};
        p5_case_program *programs[2];
        p5_case_measured out;
        p5_error error = {0};
        for (unsigned i = 0; i < 2; i++)
            assert_int_equal(p5_case_assemble_function(&f, trips[i], &programs[i], &error), P5_OK);
        assert_int_equal(p5_case_measure(programs, trips, &conditions, &out, &error), P5_ERR_STATE);
        assert_non_null(strstr(error.message, "add eax, dword ptr [esp + 8]"));
        assert_non_null(strstr(error.hint, "more arguments than --arg gives (1)"));
        for (unsigned i = 0; i < 2; i++)
            p5_case_program_free(programs[i]);
    }
}

/* FLD1 takes 2 clocks (242816, x87 timing). With x87_result the harness pops the result: a function without one then lets
 * the register stack underflow. Without x87_result, results pile up until it overflows. */
TEST(x87_stack)
{
    unit_needs("as ld");
    unit_write(path, ".globl one, none, mmx, clears\none: fld1\nret\nnone: ret\n"
                     "mmx: paddb %mm0, %mm1\nfld1\nfstp %st(0)\nret\nclears: fld1\nfnclex\nret\n");
    for (unsigned m = 0; m < 2; m++) {
        p5_case_measured got;
        p5_case_function f = {.path = path, .name = "one", .x87_result = true};
        assert_true(net_clocks(f, models[m]) == 2);
        f.x87_result = false;
        measure(&f, models[m], &got);
        assert_int_equal(got.remark.status, P5_ERR_STATE);
        assert_non_null(strstr(got.remark.message, "overflows"));
        assert_non_null(strstr(got.remark.hint, "--x87"));
        f.name = "clears"; /* also if the status word has been cleared */
        measure(&f, models[m], &got);
        assert_non_null(strstr(got.remark.message, "overflows"));
        f.name = "none";
        f.x87_result = true;
        measure(&f, models[m], &got);
        assert_non_null(strstr(got.remark.message, "underflows"));
    }
    p5_case_measured got;
    const p5_case_function f = {.path = path, .name = "mmx"};
    measure(&f, "p55c-200", &got);
    assert_non_null(strstr(got.remark.hint, "EMMS"));
}

/* Loops get the same remarks as functions. FADD finds an empty register in the first trip only, because it leaves a NaN
 * in it. */
TEST(loops)
{
    unit_needs("as ld");
    static const struct {
        const char *body, *says;
    } cases[] = {{"push eax", "-4 bytes per trip"},
                 {"push eax\npop edx", ""},
                 {"fadd dword ptr [esi]", "underflows"},
                 {"fld1", "overflows"},
                 {"fld1\nfstp st(0)", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        p5_case_program *programs[2];
        p5_case_measured got;
        p5_case_conditions conditions = {.model = "p54c-133", .cpl = 3, .timeout_seconds = 1200};
        p5_error error = {0};
        char text[160];
        snprintf(text, sizeof text, "mov ecx, N\nL:\n%s\ndec ecx\njnz L\n", cases[i].body);
        for (unsigned n = 0; n < 2; n++)
            if (p5_case_assemble_text("loop", text, trips[n], &programs[n], &error) != P5_OK)
                fail_msg("%s", error.message);
        assert_int_equal(p5_case_measure(programs, trips, &conditions, &got, &error), P5_OK);
        assert_non_null(strstr(got.remark.message, cases[i].says));
        assert_int_equal(got.remark.message[0] == '\0', cases[i].says[0] == '\0');
        for (unsigned n = 0; n < 2; n++)
            p5_case_program_free(programs[n]);
    }
}

/* Static functions, stdcall, position-independent code, and symbols that the file does not define: a weak one is 0, a call
 * of another one fails when it is executed. `pic` and `weak` execute UD2 if they find a wrong value. */
TEST(kinds_of_functions)
{
    unit_needs("as ld");
    unit_write(path, ".globl pops, _start, pic, outside, weak\n"
                     ".file \"a.c\"\nlocal: inc %eax\ninc %edx\nret\n"
                     "pops: inc %eax\ninc %edx\nret $4\n_start: inc %eax\ninc %edx\nret\n"
                     "pic: call 1f\n1: pop %ecx\naddl $_GLOBAL_OFFSET_TABLE_+[.-1b], %ecx\n"
                     "movl item@GOTOFF(%ecx), %eax\nmovl item@GOT(%ecx), %edx\ncmpl (%edx), %eax\n"
                     "jne bad\ncmpl $1234, %eax\njne bad\nret\nbad: ud2\n"
                     "outside: call elsewhere\nret\n"
                     ".weak nobody\nweak: movl $nobody, %eax\ntestl %eax, %eax\njnz bad\nret\n"
                     ".data\nitem: .long 1234\n");
    p5_case_function f = {.path = path, .name = "local"};
    assert_true(net_clocks(f, "p55c-200") == 1);
    f.name = "a.c:local";
    assert_true(net_clocks(f, "p55c-200") == 1);
    f.name = "_start";
    assert_true(net_clocks(f, "p55c-200") == 1);
    f.name = "pops";
    f.argument_count = 1;
    /* RET imm16 takes 3 clocks, RET 2 (242816) */
    assert_true(net_clocks(f, "p55c-200") == 2);
    f.argument_count = 0;
    f.name = "pic";
    net_clocks(f, "p55c-200");
    f.name = "weak";
    net_clocks(f, "p55c-200");

    p5_case_program *program;
    p5_counts counts;
    p5_case_conditions conditions = {.model = "p55c-200", .cpl = 3, .timeout_seconds = 1200, .function = &f};
    p5_error error = {0};
    f.name = "outside";
    assert_int_equal(p5_case_assemble_function(&f, 5, &program, &error), P5_OK);
    assert_int_equal(p5_case_run(program, &conditions, NULL, &counts, &error), P5_ERR_STATE);
    assert_non_null(strstr(error.message, "'elsewhere'"));
    p5_case_program_free(program);
    f.name = "nothing";
    assert_int_equal(p5_case_assemble_function(&f, 5, &program, &error), P5_ERR_NAME);
    assert_non_null(strstr(error.message, "'nothing'"));
}
