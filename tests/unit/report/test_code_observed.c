/* Code that comes from memory can be traced and profiled, and runs on after its trace was closed. */
#include <unistd.h>

#include "../unit.h"
#include "p5scope/profile.h"
#include "p5tool/trace.h"

/* 10 times: CALL of a RET. */
static const uint8_t code[] = {
    0xb9, 10,   0,    0, 0, /* mov ecx,10 */
    0xe8, 5,    0,    0, 0, /* again: call ret */
    0x49, 0x75, 0xf8,       /* dec ecx; jnz again */
    0xeb, 1,                /* jmp end */
    0xc3,                   /* ret: */
};

/* Its functions, as nm writes them. */
static const char functions[] = "00100000 T loop\n0010000f T callee\n00100010 T end\n";

TEST(runs_on_after_each_format)
{
    for (p5_trace_format format = P5_TRACE_CSV; format < P5_TRACE_FORMATS; format++) {
        char path[] = "/tmp/p5scope-trace-XXXXXX";
        char map[] = "/tmp/p5scope-map-XXXXXX";
        const char *const symbols[] = {map, NULL};
        const p5_machine_options options = {.size = sizeof options};
        const p5_trace_options traced = {.size = sizeof traced,
                                         .path = path,
                                         .format = format,
                                         .every_function = format == P5_TRACE_CHROME,
                                         .symbols = symbols};
        const p5_limits half = {.size = sizeof half, .max_instructions = 15};
        p5_run_result result = {.size = sizeof result};
        p5_machine *machine;
        p5_trace *trace;
        p5_error error = {0};
        unit_file(path, "", 0);
        unit_file(map, functions, sizeof functions - 1);
        assert_int_equal(p5_machine_open(&options, &machine, &error), P5_OK);
        assert_int_equal(p5_machine_load_code(machine, code, sizeof code, NULL, &error), P5_OK);
        assert_int_equal(p5_trace_open(machine, &traced, &trace, &error), P5_OK);
        assert_int_equal(p5_machine_run(machine, &half, &result, &error), P5_OK);
        assert_int_equal(result.end, P5_END_INSTRUCTIONS);
        assert_int_equal(p5_trace_close(trace, NULL, &error), P5_OK);
        assert_int_equal(p5_machine_run(machine, NULL, &result, &error), P5_OK);
        assert_int_equal(result.end, P5_END_EXIT);
        p5_machine_close(machine);
        unlink(path);
        unlink(map);
    }
}

TEST(code_from_memory_has_a_profile)
{
    const p5_machine_options options = {.size = sizeof options};
    p5_run_result result = {.size = sizeof result};
    p5_profile *profile;
    p5_machine *machine;
    assert_int_equal(p5_machine_open(&options, &machine, NULL), P5_OK);
    assert_int_equal(p5_machine_load_code(machine, code, sizeof code, NULL, NULL), P5_OK);
    assert_int_equal(p5_profile_start(machine, NULL, NULL, NULL), P5_OK);
    assert_int_equal(p5_machine_run(machine, NULL, &result, NULL), P5_OK);
    p5_machine_settle(machine);
    assert_int_equal(p5_profile_take(machine, NULL, NULL, &profile, NULL), P5_OK);
    FILE *folded = tmpfile();
    char stack[100];
    unsigned long sum = 0, count;
    assert_non_null(folded);
    assert_int_equal(p5_profile_write_folded(folded, profile, "instructions_executed", NULL), P5_OK);
    for (rewind(folded); fscanf(folded, "%99s %lu", stack, &count) == 2;)
        sum += count;
    assert_int_equal(sum, 1 + 10 * 4 + 1);
    fclose(folded);
    p5_profile_free(profile);
    p5_machine_close(machine);
}
