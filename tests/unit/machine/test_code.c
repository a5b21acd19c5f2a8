/* p5_count_code and p5_machine_load_code: code from memory is counted, and ends at its end. */
#include <string.h>
#include <unistd.h>

#include "../unit.h"
#include "p5scope/machine.h"
#include "p5scope/observe.h"

/* mov ecx, 100; again: mov eax, [200000h]; dec ecx; jnz again */
static const uint8_t reads[] = {0xb9, 100, 0, 0, 0, 0xa1, 0, 0, 0x20, 0, 0x49, 0x75, 0xf8};

TEST(instructions_and_reads)
{
    p5_counts *counts;
    assert_int_equal(p5_count_code(reads, sizeof reads, NULL, &counts, NULL), P5_OK);
    assert_int_equal(p5_counts_event(counts, P5_EVENT_INSTRUCTIONS_EXECUTED, P5_CPL_MASK_ALL), 1 + 3 * 100);
    assert_int_equal(p5_counts_event(counts, P5_EVENT_DATA_READ, P5_CPL_MASK_USER), 100);
    assert_int_equal(p5_counts_event(counts, P5_EVENT_BRANCHES, P5_CPL_MASK_ALL), 100);
    uint64_t stalls = 0;
    for (int cause = 0; cause < P5_STALL_COUNT; cause++)
        stalls += p5_counts_stall(counts, (p5_stall)cause, P5_CPL_MASK_ALL);
    assert_int_equal(stalls, p5_counts_clocks(counts, P5_CPL_MASK_ALL)); /* the owners add up */
    p5_counts_free(counts);
}

TEST(options_apply)
{
    static const uint8_t load[] = {0xa1, 0, 0, 0x30, 0, 0x8b, 0x08}; /* mov eax, [300000h]; mov ecx, [eax] */
    static const uint32_t pointer = 0x300010;
    p5_counts *counts;
    const p5_code_options options = {.size = sizeof options,
                                     .model = "p54c-133",
                                     .data = &pointer,
                                     .data_size = sizeof pointer,
                                     .data_address = 0x300000,
                                     .system = true};
    assert_int_equal(p5_count_code(load, sizeof load, &options, &counts, NULL), P5_OK);
    assert_int_equal(p5_counts_event(counts, P5_EVENT_DATA_READ, P5_CPL_MASK_KERNEL), 2);
    /* both reads are in one line */
    assert_int_equal(p5_counts_event(counts, P5_EVENT_DATA_READ_MISS, P5_CPL_MASK_ALL), 1);
    p5_counts_free(counts);
}

TEST(no_code_counts_nothing)
{
    p5_counts *counts;
    assert_int_equal(p5_count_code(NULL, 0, NULL, &counts, NULL), P5_OK);
    assert_int_equal(p5_counts_event(counts, P5_EVENT_INSTRUCTIONS_EXECUTED, P5_CPL_MASK_ALL), 0);
    assert_int_equal(p5_counts_clocks(counts, P5_CPL_MASK_ALL), 0);
    p5_counts_free(counts);
}

TEST(other_ends_are_errors)
{
    static const uint8_t hlt[] = {0xf4}, forever[] = {0xeb, 0xfe};
    p5_counts *counts;
    p5_error error = {0};
    assert_int_equal(p5_count_code(hlt, sizeof hlt, NULL, &counts, &error), P5_ERR_STATE); /* #GP at CPL 3 */
    assert_null(counts);
    const p5_code_options options = {.size = sizeof options, .timeout_seconds = 0.2};
    assert_int_equal(p5_count_code(forever, sizeof forever, &options, &counts, &error), P5_ERR_STATE);
    assert_non_null(strstr(error.message, "0.2 s"));
    const p5_code_options unknown = {.size = sizeof unknown, .model = "p55c-2000"};
    assert_int_equal(p5_count_code(reads, sizeof reads, &unknown, &counts, &error), P5_ERR_NAME);
    const p5_code_options far = {.size = sizeof far, .address = 0x7fffff00};
    assert_int_equal(p5_count_code(reads, sizeof reads, &far, &counts, &error), P5_ERR_FORMAT);
    assert_null(counts);
    const p5_code_options none_far = {.size = sizeof none_far,
                                      .data_address = UINT32_MAX}; /* no data: no error */
    assert_int_equal(p5_count_code(reads, sizeof reads, &none_far, &counts, &error), P5_OK);
    p5_counts_free(counts);
    p5_code_options overlap = {.size = sizeof overlap, .data = reads, .data_size = 4, .address = 0x300000};
    for (overlap.data_address = 0x300000 - 5; overlap.data_address <= 0x300000 + sizeof reads + 3;
         overlap.data_address++) { /* the code is followed by two bytes that end the run */
        const bool apart =
            overlap.data_address <= 0x300000 - 4 || overlap.data_address >= 0x300000 + sizeof reads + 2;
        assert_int_equal(p5_count_code(reads, sizeof reads, &overlap, &counts, &error),
                         apart ? P5_OK : P5_ERR_FORMAT);
        p5_counts_free(counts);
    }
    const p5_code_options system = {.size = sizeof system, .system = true};
    assert_int_equal(p5_count_code(hlt, sizeof hlt, &system, &counts, &error), P5_ERR_STATE);
    assert_non_null(strstr(error.message, "HLT"));
    const p5_code_options past = {.size = sizeof past, .timeout_seconds = -1};
    assert_int_equal(p5_count_code(reads, sizeof reads, &past, &counts, &error), P5_ERR_RANGE);
    assert_int_equal(p5_count_code(NULL, 1, NULL, &counts, &error), P5_ERR_RANGE);
}

/* An array that is missing though its count is not 0, a share without a directory, and a text that is missing in an
 * array. */
TEST(missing_arrays_are_errors)
{
    static const p5_share nowhere = {.size = sizeof nowhere};
    static const char *const none[] = {NULL};
    const p5_machine_options wrong[] = {{.size = sizeof *wrong, .share_count = 1},
                                        {.size = sizeof *wrong, .module_count = 1},
                                        {.size = sizeof *wrong, .disk_count = 1},
                                        {.size = sizeof *wrong, .modules = none, .module_count = 1},
                                        {.size = sizeof *wrong, .disks = none, .disk_count = 1},
                                        {.size = sizeof *wrong, .shares = &nowhere, .share_count = 1}};
    p5_machine *machine;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(p5_machine_open(&wrong[i], &machine, NULL), P5_ERR_RANGE);
        assert_null(machine);
    }
    const p5_observe_options observe[] = {{.size = sizeof *observe, .point_count = 1},
                                          {.size = sizeof *observe, .address_count = 1},
                                          {.size = sizeof *observe, .event_count = 1}};
    assert_int_equal(p5_machine_open(NULL, &machine, NULL), P5_OK);
    assert_int_equal(p5_machine_load_code(machine, reads, sizeof reads, NULL, NULL), P5_OK);
    for (size_t i = 0; i < sizeof observe / sizeof *observe; i++)
        assert_int_equal(p5_machine_observe(machine, &observe[i], NULL, NULL), P5_ERR_RANGE);
    p5_machine_close(machine);
}

/* A flat image: options that its kind does not use are errors, not ignored, and so is an address where it does not
 * fit. */
TEST(options_of_other_kinds_are_errors)
{
    char path[] = "/tmp/p5scope-code-XXXXXX";
    unit_file(path, reads, sizeof reads);
    static const char *const words[] = {"guest", "argument", NULL};
    const p5_load_options flat = {.size = sizeof flat, .kind = P5_GUEST_FLAT, .address = 0x10000};
    p5_load_options wrong[] = {flat, flat, flat, flat};
    wrong[0].append = "quiet";
    wrong[1].initrd = "/dev/null";
    wrong[2].init = "/dev/null";
    wrong[3].arguments = words;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        p5_machine *machine;
        assert_int_equal(p5_machine_open(NULL, &machine, NULL), P5_OK);
        assert_int_equal(p5_machine_load(machine, path, &wrong[i], NULL), P5_ERR_UNSUPPORTED);
        p5_machine_close(machine);
    }
    const p5_load_options high = {.size = sizeof high, .kind = P5_GUEST_FLAT, .address = UINT32_MAX};
    const p5_load_options real = {.size = sizeof real, .kind = P5_GUEST_REAL, .segment = 0xffff};
    const p5_load_options *const outside[] = {&high, &real};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        p5_machine *machine;
        assert_int_equal(p5_machine_open(NULL, &machine, NULL), P5_OK);
        assert_int_equal(p5_machine_load(machine, path, outside[i], NULL), P5_ERR_RANGE);
        p5_machine_close(machine);
    }
    unlink(path);
}

TEST(files_of_no_kind_are_errors)
{
    p5_guest_kind kind;
    p5_error error = {0};
    assert_int_equal(p5_guest_detect("/no_such_guest", &kind, &error), P5_ERR_IO);
    assert_int_equal(p5_guest_detect("/proc/version", &kind, &error), P5_ERR_FORMAT);
    assert_int_equal(kind, P5_GUEST_DETECT);
}
