/* Public calls that fail without a p5_error: they return the same status as with one.
 * Required texts that are NULL. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit.h"
#include "p5tool/machine.h"
#include "p5scope/observe.h"
#include "p5scope/pmu.h"
#include "p5scope/profile.h"
#include "p5tool/report.h"
#include "p5scope/snapshot.h"

/* A file that is no guest, no case and no result of anything. */
static char bad_file[] = "/tmp/no_error_XXXXXX";
static const char *const nothing[] = {NULL};

static int make_file(void **state)
{
    (void)state;
    static const char text[] = "MZ, but no program\nclocks = and = more\n";
    const int file = mkstemp(bad_file);
    return file < 0 || write(file, text, sizeof text) != (ssize_t)sizeof text || close(file) != 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(bad_file);
}

UNIT_FIXTURE(make_file, remove_file);

/* Loading a guest; `path` is bad. */
typedef p5_status load(p5_machine *machine, const char *path, p5_error *error);

static p5_status load_linux(p5_machine *machine, const char *path, p5_error *error)
{
    return p5_machine_load_linux(machine, path, nothing, nothing, error);
}
static p5_status load_dos(p5_machine *machine, const char *path, p5_error *error)
{
    return p5_machine_load_dos(machine, path, nothing, nothing, error);
}
static p5_status load_kernel(p5_machine *machine, const char *path, p5_error *error)
{
    const p5_load_options with = {.size = sizeof with};
    return p5_machine_load_kernel(machine, path, &with, error);
}
static p5_status load_flat(p5_machine *machine, const char *path, p5_error *error)
{
    return p5_machine_load_flat(machine, path, 0xfffffff0, error);
}
static p5_status load_real(p5_machine *machine, const char *path, p5_error *error)
{
    return p5_machine_load_real(machine, path[0] == '\0' ? "/" : path, 0xf000, 0xfff0, error);
}

TEST(loading)
{
    load *const loads[] = {load_linux,
                           load_dos,
                           load_kernel,
                           load_flat,
                           load_real,
                           p5_machine_load_multiboot,
                           p5_machine_load_disk,
                           p5_machine_load_elf};
    const char *const paths[] = {"/nowhere/at/all", "/", bad_file};
    for (unsigned i = 0; i < sizeof loads / sizeof loads[0]; i++)
        for (unsigned j = 0; j < sizeof paths / sizeof paths[0]; j++) {
            p5_status status[2];
            for (unsigned told = 0; told < 2; told++) {
                p5_error error;
                p5_machine *machine;
                const p5_machine_options options = {.size = sizeof options, .memory_bytes = 16 << 20};
                assert_int_equal(P5_OK, p5_machine_open(&options, &machine, NULL));
                status[told] = loads[i](machine, paths[j], told ? &error : NULL);
                p5_machine_close(machine);
            }
            assert_int_equal(status[0], status[1]);
            assert_true(status[0] != P5_OK || paths[j] == bad_file);
        }
}

/* What reads a text or a file. */
static p5_status find_event(const char *text, p5_error *error)
{
    enum p5_event id;
    return p5_event_find(text, &id, error);
}
static p5_status open_model(const char *text, p5_error *error)
{
    p5_model *model = NULL;
    return p5_model_open(text, &model, error);
}
static p5_status parse_counter(const char *text, p5_error *error)
{
    p5_counter_select select;
    return p5_counter_parse(text, 0, P5_FAMILY_P55C, &select, error);
}
static p5_status add_selection(const char *text, p5_error *error)
{
    p5_selection selection = {0};
    const p5_status status = p5_selection_add(&selection, text, P5_FAMILY_P55C, error);
    p5_selection_free(&selection);
    return status;
}
static p5_status add_budget(const char *text, p5_error *error)
{
    p5_budget *budget;
    p5_status status = p5_budget_open(&budget, error);
    assert_int_equal(P5_OK, status);
    status = p5_budget_add(budget, text, P5_FAMILY_P55C, error);
    p5_budget_close(budget);
    return status;
}
static p5_status read_budget(const char *text, p5_error *error)
{
    p5_budget *budget;
    p5_status status = p5_budget_open(&budget, error);
    assert_int_equal(P5_OK, status);
    status = p5_budget_read(budget, text, P5_FAMILY_P55C, error);
    p5_budget_close(budget);
    return status;
}
static p5_status read_profile(const char *text, p5_error *error)
{
    p5_profile *profile;
    return p5_profile_read(text, &profile, error);
}
static p5_status read_case(const char *text, p5_error *error)
{
    p5_case got;
    const p5_status status = p5_case_read(text, &got, error);
    p5_case_free(&got);
    return status;
}
static p5_status assemble(const char *text, p5_error *error)
{
    p5_case_program *program = NULL;
    const p5_status status = p5_case_assemble_text("nothing", text, 2, &program, error);
    p5_case_program_free(program);
    return status;
}
static p5_status read_info(const char *text, p5_error *error)
{
    p5_snapshot_info info = {.size = sizeof info};
    const p5_status status = p5_snapshot_read_info(text, &info, error);
    p5_snapshot_info_free(&info);
    return status;
}
static p5_status load_snapshot(const char *text, p5_error *error)
{
    p5_machine *machine;
    const p5_machine_options options = {.size = sizeof options};
    return p5_machine_restore(text, &options, &machine, error);
}
static p5_status find_register(const char *text, p5_error *error)
{
    const p5_register *found;
    return p5_register_find(text, P5_FAMILY_P55C, &found, error);
}
static p5_status find_symbol(const char *text, p5_error *error)
{
    uint32_t address, size;
    return p5_symbol_find(text, "main", &address, &size, error);
}
static p5_status compare(const char *text, p5_error *error)
{
    p5_comparison *comparison;
    p5_status status = p5_comparison_open(&comparison, error);
    assert_int_equal(P5_OK, status);
    status = p5_comparison_read(comparison, text, error);
    p5_comparison_close(comparison);
    return status;
}

TEST(reading)
{
    typedef p5_status reader(const char *text, p5_error *error);
    reader *const readers[] = {find_event,  open_model,  parse_counter,        add_selection,
                               add_budget,  read_budget, read_profile,         read_case,
                               assemble,    read_info,   load_snapshot,        find_register,
                               find_symbol, compare,     p5_metric_group_check};
    const char *const texts[] = {"", "nothing=of,that<kind", "mov eax, (", bad_file};
    for (unsigned i = 0; i < sizeof readers / sizeof readers[0]; i++)
        for (unsigned j = 0; j < sizeof texts / sizeof texts[0]; j++) {
            p5_error error = {0};
            const p5_status silent = readers[i](texts[j], NULL);
            assert_int_equal(silent, readers[i](texts[j], &error));
            assert_true(silent == P5_OK || error.message[0] != '\0');
        }
}

/* A text that is required (p5scope/status.h) may be NULL in no function. */
TEST(missing_texts)
{
    p5_machine *machine = NULL, *restored = NULL;
    p5_guest_kind kind;
    p5_model *model = NULL, *other;
    p5_snapshot_info info = {.size = sizeof info};
    p5_error error;
    enum p5_event event;
    p5_counter_select select;
    p5_profile *profile;
    uint32_t address;
    assert_int_equal(p5_event_find(NULL, &event, NULL), P5_ERR_RANGE);
    assert_int_equal(p5_counter_parse(NULL, 0, P5_FAMILY_P55C, &select, NULL), P5_ERR_RANGE);
    assert_int_equal(p5_model_open(NULL, &other, NULL), P5_ERR_RANGE);
    assert_null(other);
    assert_int_equal(p5_model_open("p55c-200", &model, NULL), P5_OK);
    assert_int_equal(p5_model_set_monitor(model, NULL, NULL), P5_ERR_RANGE);
    assert_int_equal(p5_model_set_agent(model, NULL, NULL), P5_ERR_RANGE);
    assert_int_equal(p5_model_set_wires(model, NULL, NULL), P5_ERR_RANGE);
    assert_int_equal(p5_model_set_check(model, NULL, NULL), P5_ERR_RANGE);
    p5_model_close(model);
    assert_int_equal(p5_symbol_find(NULL, "main", &address, NULL, NULL), P5_ERR_RANGE);
    assert_int_equal(p5_symbol_find(bad_file, NULL, &address, NULL, NULL), P5_ERR_RANGE);
    assert_int_equal(p5_profile_read(NULL, &profile, NULL), P5_ERR_RANGE);
    assert_null(profile);
    assert_int_equal(p5_guest_detect(NULL, &kind, NULL), P5_ERR_RANGE);
    assert_int_equal(p5_machine_restore(NULL, NULL, &restored, NULL), P5_ERR_RANGE);
    assert_null(restored);
    assert_int_equal(p5_snapshot_read_info(NULL, &info, NULL), P5_ERR_RANGE);
    p5_snapshot_info_free(&info);
    assert_int_equal(p5_machine_open(NULL, &machine, NULL), P5_OK);
    assert_int_equal(p5_machine_load(machine, NULL, NULL, &error), P5_ERR_RANGE);
    assert_non_null(strstr(error.message, "`path` is NULL"));
    assert_int_equal(p5_machine_load_code(machine, "\x90", 1, NULL, NULL), P5_OK);
    assert_int_equal(p5_profile_start(machine, NULL, NULL, NULL), P5_OK);
    assert_int_equal(p5_profile_take(machine, NULL, NULL, &profile, NULL), P5_OK);
    assert_int_equal(p5_profile_write_folded(stdout, profile, NULL, NULL), P5_ERR_RANGE);
    p5_profile_free(profile);
    assert_int_equal(p5_machine_save(machine, NULL, NULL, NULL), P5_ERR_RANGE);
    assert_int_equal(p5_machine_run_gdb(machine, NULL, NULL, NULL, NULL), P5_ERR_RANGE);
    p5_machine_close(machine);
}
