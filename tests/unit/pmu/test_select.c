/* Counter selections as text. */
#include "fake_source.h"

static void expect(const char *text, unsigned counter, unsigned family, p5_counter_select expected)
{
    p5_counter_select s = {.code = 0x3f};
    p5_error error = {0};
    if (p5_counter_parse(text, counter, family, &s, &error) != P5_OK)
        fail_msg("'%s' on counter %u: expected success, got '%s'", text, counter, error.message);
    if (s.code != expected.code || s.system != expected.system || s.user != expected.user ||
        s.clocks != expected.clocks || s.overflow_pin != expected.overflow_pin ||
        s.unit_mask != expected.unit_mask)
        fail_msg("'%s' on counter %u: got code %02Xh system %d user %d clocks %d pin %d", text, counter,
                 s.code, s.system, s.user, s.clocks, s.overflow_pin);
}

TEST(modifiers)
{
    for (unsigned counter = 0; counter < 2; counter++) {
        expect("data_read", counter, P5_FAMILY_P54C,
               (p5_counter_select){.code = 0, .system = true, .user = true});
        expect("data_read_miss:u", counter, P5_FAMILY_P54C, (p5_counter_select){.code = 3, .user = true});
        expect("data_read_miss:k", counter, P5_FAMILY_P54C, (p5_counter_select){.code = 3, .system = true});
        expect("p5-branches:ku", counter, P5_FAMILY_P54C,
               (p5_counter_select){.code = 0x12, .system = true, .user = true});
        expect("r16:uc", counter, P5_FAMILY_P54C,
               (p5_counter_select){.code = 0x16, .user = true, .clocks = true});
        expect("FLOPS:cp", counter, P5_FAMILY_P54C,
               (p5_counter_select){
                   .code = 0x22, .system = true, .user = true, .clocks = true, .overflow_pin = true});
    }
}

/* The unit mask says in which counter's list the event is; later monitors count it on any counter. */
TEST(raw_codes_mean_the_counter_programmed)
{
    p5_counter_select first = {.code = 0x2b, .system = true, .user = true}, second = first;
    second.unit_mask = 1;
    expect("r2b.0", 0, P5_FAMILY_P55C, first);
    expect("r2b.1", 1, P5_FAMILY_P55C, second);
    expect("r2b", 0, P5_FAMILY_P55C, first);
    expect("r2b", 1, P5_FAMILY_P55C, second);
    for (unsigned counter = 0; counter < 2; counter++) {
        expect("r2b.0", counter, P5_FAMILY_P55C | P5_MONITOR_P6, first);
        expect("r2b.1", counter, P5_FAMILY_P55C | P5_MONITOR_ARCH3, second);
    }
}

/* A name is refused as such, however long it is. */
TEST(long_names)
{
    for (size_t length = 150; length < 170; length++) {
        char text[180];
        memset(text, 'q', length);
        memcpy(text + length, ":u", 3);
        p5_counter_select s;
        p5_error error = {0};
        assert_int_equal(p5_counter_parse(text, 0, P5_FAMILY_P55C, &s, &error), P5_ERR_NAME);
        assert_int_equal(strstr(error.message, "so long a name") != NULL, length >= 160);
    }
}

static void expect_error(const char *text, unsigned counter, unsigned family, p5_status status,
                         const char *message, const char *hint, unsigned column)
{
    p5_counter_select s;
    p5_error error = {0};
    assert_int_equal(p5_counter_parse(text, counter, family, &s, &error), status);
    if (strstr(error.message, message) == NULL || strstr(error.hint, hint) == NULL ||
        error.column != column || error.line != 0)
        fail_msg("'%s': expected '%s', hint '%s', column %u; got '%s', hint '%s', column %u", text, message,
                 hint, column, error.message, error.hint, error.column);
}

TEST(errors)
{
    expect_error("data_raed:u", 0, P5_FAMILY_P54C, P5_ERR_NAME, "'data_raed'", "'data_read'", 0);
    expect_error("data_read:x", 0, P5_FAMILY_P54C, P5_ERR_SYNTAX, "modifier 'x'", "", 11);
    expect_error("data_read:", 0, P5_FAMILY_P54C, P5_ERR_SYNTAX, "after ':'", "", 11);
    expect_error("taken_branches", 0, P5_FAMILY_P55C, P5_ERR_UNSUPPORTED, "only on counter 1",
                 "code 32h is floating_point_stalls_duration", 0);
    expect_error("returns", 1, P5_FAMILY_P55C, P5_ERR_UNSUPPORTED, "only on counter 0", "", 0);
    expect_error("r2b.0", 1, P5_FAMILY_P55C, P5_ERR_UNSUPPORTED, "only on counter 0",
                 "mmx_instructions_executed_v_pipe", 0);
    expect_error("returns", 0, P5_FAMILY_P54C, P5_ERR_UNSUPPORTED, "MMX technology", "", 0);
    expect_error("r39", 1, P5_FAMILY_P55C, P5_ERR_NAME, "nothing on counter 1", "r39.0 is returns", 0);
    expect_error("data_read", 2, P5_FAMILY_P55C, P5_ERR_RANGE, "counter 2", "", 0);
}
