/* The pairing diagram and the Kanata log, from a window made by hand. */
#include <stdlib.h>
#include <string.h>

#include "../unit.h"
#include "report/timeline/window.h"

/* A pair, then an instruction that waits one clock for an AGI and takes two, one of them because of a bank
 * conflict: a trip of four clocks. */
static window_insn insns[] = {
    {.trace = {.address = 0x100000,
               .pf = 8,
               .f = 9,
               .d1 = 10,
               .d2 = 11,
               .ex = 12,
               .end = 13,
               .pipe = 0,
               .clocks = 1},
     .text = "add eax, ebx"},
    {.trace = {.address = 0x100002,
               .pf = 8,
               .f = 9,
               .d1 = 10,
               .d2 = 11,
               .ex = 12,
               .end = 13,
               .pipe = 1,
               .clocks = 1},
     .text = "inc ecx"},
    {.trace = {.address = 0x100003,
               .pf = 8,
               .f = 10,
               .sources = {{.distance = 2}},
               .d1 = 11,
               .d2 = 12,
               .ex = 14,
               .end = 16,
               .pipe = 0,
               .unpaired = 1,
               .stall = P5_STALL_AGI,
               .stall_clocks = 1,
               .hold = P5_STALL_BANK_CONFLICT,
               .hold_clocks = 1,
               .clocks = 1},
     .text = "mov edx, dword ptr [eax + esi*4 + 0x101000]"},
};
static const p5_window window = {
    .items = insns, .count = 3, .first_trip = 7, .trips = 1, .run_trips = 9, .end = 16};

static char *write_with(p5_status (*write)(FILE *out, const p5_window *w, p5_error *error))
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    p5_error error;
    assert_int_equal(write(out, &window, &error), P5_OK);
    fclose(out);
    return text;
}

static p5_status diagram(FILE *out, const p5_window *w, p5_error *error)
{
    return p5_window_write_diagram(out, w, 1, error);
}

TEST(diagram_shows_pipes_stages_and_stalls)
{
    char *text = write_with(diagram);
    assert_non_null(strstr(text, "Trip 7 of 9: 4 clocks"));
    assert_non_null(
        strstr(text, "     0  U    00100000 add eax, ebx                                12Xw   \n"));
    assert_non_null(
        strstr(text, "     0   V   00100002 inc ecx                                     12Xw   \n"));
    assert_non_null(strstr(text, "     2  U    00100003 mov edx, dword ptr [eax + esi*4 + 0x101000]  12-XXw  "
                                 "stall agi 1; stall bank_conflict 1; alone: "));
    free(text);
}

/* Time never goes back, ids are opened once and retired once, each stage is of an open instruction. */
TEST(kanata_is_well_formed)
{
    char *text = write_with(p5_window_write_kanata);
    assert_memory_equal(text, "Kanata\t0004\nC=\t8\n", 17);
    bool open[3] = {false};
    unsigned retired = 0, arrows = 0;
    unsigned long long fetched[3] = {0}, decoding[3] = {0};
    unsigned long long clock = 0, ex[3] = {0}, stalled[3] = {0};
    char *rest;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
        unsigned id = 0, lane;
        char stage[32];
        unsigned long long number;
        if (sscanf(line, "C=\t%llu", &number) == 1) {
            clock = number;
        } else if (sscanf(line, "C\t%llu", &number) == 1) {
            assert_true(number > 0);
            clock += number;
        } else if (sscanf(line, "I\t%u", &id) == 1) {
            assert_true(id < 3 && !open[id]);
            open[id] = true;
        } else if (sscanf(line, "S\t%u\t%u\t%31s", &id, &lane, stage) == 3) {
            assert_true(open[id]);
            if (strcmp(stage, "EX") == 0)
                ex[id] = clock;
            if (strcmp(stage, "PF") == 0)
                fetched[id] = clock;
            if (strcmp(stage, "F") == 0)
                decoding[id] = clock;
            if (lane == 1 && stalled[id] == 0)
                stalled[id] = clock;
        } else if (strcmp(line, "W\t2\t0\t0") == 0) {
            arrows++;
        } else if (sscanf(line, "R\t%u", &id) == 1) {
            assert_true(open[id]);
            retired++;
        }
    }
    assert_int_equal(retired, 3);
    assert_int_equal(arrows, 1);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(fetched[i], 8);
        assert_int_equal(decoding[i], i < 2 ? 9 : 10);
    }
    assert_int_equal(ex[0], 12);
    assert_int_equal(ex[1], 12);
    assert_int_equal(ex[2], 14);
    assert_int_equal(stalled[2], 13);
    free(text);
}

/* Unrolled code has N copies of the trip: it is longer with more trips, and no instruction is executed once per trip. */
TEST(unrolled_code_has_no_trip)
{
    static const unsigned trips[2] = {2, 100};
    p5_case_program *programs[2];
    p5_error error = {0};
    for (unsigned i = 0; i < 2; i++)
        if (p5_case_assemble_text("unrolled", "_start: .fill N, 1, 0x90", trips[i], &programs[i], &error) !=
            P5_OK)
            fail_msg("%s", error.message);
    p5_window *captured;
    const p5_trip_range one = {.count = 1};
    const p5_case_conditions conditions = {.model = "p55c-200"};
    assert_int_equal(p5_window_capture(programs, trips, &conditions, one, &captured, &error), P5_ERR_STATE);
    assert_non_null(strstr(error.message, "once per trip"));
    assert_null(captured);
    for (unsigned i = 0; i < 2; i++)
        p5_case_program_free(programs[i]);
}

/* A processor without F has no "f", also if the window begins at clock 0. */
TEST(json_without_f)
{
    window_insn first = {.trace = {.d1 = 1, .d2 = 2, .ex = 3, .begin = 3, .end = 4, .ready = 4}};
    char *text = NULL;
    size_t size = 0;
    json_writer json;
    FILE *out = open_memstream(&text, &size);
    json_init(&json, out);
    window_put_insn(&json, &(p5_window){.items = &first, .count = 1, .first_trip = 1}, 0, 0);
    fclose(out);
    assert_non_null(strstr(text, "\"pf\":0,\"d1\":1,\"d2\":2,\"ex\":3,\"begin\":3,\"end\":4,\"ready\":4,"));
    free(text);
}
