/* Memory that runs out anywhere in a report: the call fails with P5_ERR_MEMORY, or its output is complete
 * all the same. Allocations of this project's own code fail one after the other; those inside other libraries do not. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../unit.h"
#include "p5tool/profile.h"
#include "p5tool/loop.h"
#include "p5tool/report.h"
#include "p5tool/trace.h"

static long allocations, failing = -1; /* number of the allocation that fails; -1: none */
static bool only_growth; /* only realloc fails, by which arrays grow; malloc and calloc do not count */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
/* The linker puts these in the place of the C library's functions: see --wrap in CMakeLists.txt. */
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
static bool fails(void)
{
    if (allocations++ != failing)
        return false;
    errno = ENOMEM;
    return true;
}
void *__wrap_malloc(size_t size)
{
    return !only_growth && fails() ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size)
{
    return !only_growth && fails() ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

/* ---- a guest, and what was recorded of it -------------------------------------------------------------- */

static const char guest_source[] = ".intel_syntax noprefix\n"
                                   ".globl _start\n"
                                   ".type sum,@function\n"
                                   "sum:    add eax,[esp+4]\n"
                                   "        imul eax,eax,3\n"
                                   "        ret\n"
                                   ".size sum,.-sum\n"
                                   ".type outer,@function\n"
                                   "outer:  push ecx\n"
                                   "        call sum\n"
                                   "        test ecx,1\n"
                                   "        jz 1f\n"
                                   "        fld1\n"
                                   "        fstp st(0)\n"
                                   "1:      pop ecx\n"
                                   "        ret\n"
                                   ".size outer,.-outer\n"
                                   ".type _start,@function\n"
                                   "_start: mov ecx,TRIPS\n"
                                   "2:      call outer\n"
                                   "        dec ecx\n"
                                   "        jnz 2b\n"
                                   "        mov eax,1\n"
                                   "        xor ebx,ebx\n"
                                   "        int 0x80\n"
                                   ".size _start,.-_start\n";

static char folder[] = "/tmp/out_of_memory_XXXXXX", stat_lines[65536];
static char profiles[2][80], guest[80];
static p5_counts counts;
static p5_model *model;

static const char *in_folder(char path[80], const char *name)
{
    snprintf(path, 80, "%s/%s", folder, name);
    return path;
}

static void write_stat(FILE *out, p5_stat_format format)
{
    const p5_stat_run run = {.counts = counts, .instructions = 100, .clock = 200, .host_seconds = 1};
    const char *const groups[] = {"default", NULL};
    const p5_stat_style style = {.separator = ",", .header = true};
    const p5_stat stat = {.model = model,
                          .command = "guest",
                          .options = "",
                          .metric_groups = format == P5_STAT_JSON ? NULL : groups,
                          .runs = &run,
                          .run_count = 1};
    p5_error error = {0};
    if (p5_stat_write(out, &stat, format, &style, &error) != P5_OK)
        fail_msg("%s", error.message);
}

static int record(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    p5_error error = {0};
    in_folder(guest, "guest");
    assert_int_equal(p5_model_open("p55c-200", &model, &error), P5_OK);
    for (unsigned i = 0; i < 2; i++) {
        char command[500], source[80];
        unit_write(in_folder(source, "guest.s"), guest_source);
        snprintf(command, sizeof command,
                 "as --32 --gdwarf-4 --defsym TRIPS=%u -o %s.o %s && ld -m elf_i386 -o %s %s.o", 100 + 50 * i,
                 guest, source, guest, guest);
        assert_int_equal(system(command), 0);
        assert_int_equal(unlink(source), 0); /* sources are shown where they can be read */
        p5_machine *machine;
        p5_run_result result = {.size = sizeof result};
        p5_profile *profile;
        const p5_machine_options options = {.size = sizeof options};
        const p5_profile_options recording = {
            .size = sizeof recording, .sample_event = "clocks", .sample_period = 50};
        const char *const argv[] = {guest, NULL}, *const environment[] = {NULL};
        assert_int_equal(p5_machine_open(&options, &machine, &error), P5_OK);
        assert_int_equal(p5_machine_load_linux(machine, guest, argv, environment, &error), P5_OK);
        assert_int_equal(p5_profile_start(machine, guest, &recording, &error), P5_OK);
        assert_int_equal(p5_machine_run(machine, NULL, &result, &error), P5_OK);
        assert_int_equal(p5_profile_take(machine, "guest", "", &profile, &error), P5_OK);
        FILE *file = fopen(in_folder(profiles[i], i == 0 ? "a.data" : "b.data"), "w");
        assert_int_equal(p5_profile_write(file, profile, &error), P5_OK);
        fclose(file);
        p5_machine_counts(machine, &counts);
        p5_profile_free(profile);
        p5_machine_close(machine);
    }
    FILE *out = fmemopen(stat_lines, sizeof stat_lines, "w");
    write_stat(out, P5_STAT_JSON);
    fclose(out);
    return 0;
}

static int remove_all(void **state)
{
    (void)state;
    char command[200];
    p5_model_close(model);
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

UNIT_FIXTURE(record, remove_all);

/* ---- calls --------------------------------------------------------------------------------------------- */

/* Writes something to `out`. */
typedef p5_status call(FILE *out, p5_error *error);

/* Calls with each allocation failing in turn, the farther the more sparsely. */
static void exhaust(const char *name, call *what)
{
    p5_error error = {0};
    char *whole = NULL, *text = NULL;
    size_t whole_size = 0, size = 0;
    failing = -1;
    allocations = 0;
    FILE *out = open_memstream(&whole, &whole_size);
    if (what(out, &error) != P5_OK)
        fail_msg("%s with enough memory: %s", name, error.message);
    fclose(out);
    const long needed = allocations;
    for (long n = 0; n < needed; n += 1 + n / 64) {
        out = open_memstream(&text, &size);
        memset(&error, 0, sizeof error);
        allocations = 0;
        failing = n;
        p5_status status = what(out, &error);
        failing = -1;
        fclose(out);
        if (status != P5_OK && status != P5_ERR_MEMORY)
            fail_msg("%s, allocation %ld of %ld fails: status %d, %s", name, n, needed, status,
                     error.message);
        if (status == P5_OK && (size != whole_size || memcmp(text, whole, size) != 0))
            fail_msg("%s, allocation %ld of %ld fails: the output is not complete, but the call succeeds",
                     name, n, needed);
        if (status != P5_OK && error.message[0] == '\0')
            fail_msg("%s, allocation %ld of %ld fails: there is no message", name, n, needed);
        free(text);
        text = NULL;
    }
    free(whole);
}

/* Writes something about a profile. */
typedef p5_status writer(FILE *out, const p5_profile *profile, p5_error *error);

static writer *write_profile; /* what with_profile() calls */

static p5_status with_profile(FILE *out, p5_error *error)
{
    p5_profile *profile;
    p5_status status = p5_profile_read(profiles[0], &profile, error);
    if (status == P5_OK)
        status = write_profile(out, profile, error);
    p5_profile_free(profile);
    return status;
}

static p5_status write_folded(FILE *out, const p5_profile *profile, p5_error *error)
{
    return p5_profile_write_folded(out, profile, "clocks", error);
}
static p5_status write_flame_graph(FILE *out, const p5_profile *profile, p5_error *error)
{
    return p5_profile_write_flame_graph(out, profile, NULL, error);
}
static p5_status write_listing(FILE *out, const p5_profile *profile, p5_error *error)
{
    return p5_profile_write_listing(out, profile, &(p5_profile_listing){.source = true, .bytes = true},
                                    error);
}

static p5_status write_tables(FILE *out, const p5_profile *profile, p5_error *error)
{
    static const char *const events[] = {"clocks", "branches", NULL};
    p5_status status = P5_OK;
    for (unsigned key = P5_PROFILE_BY_SYMBOL; key <= P5_PROFILE_BY_MODE && status == P5_OK; key++)
        status = p5_profile_write_table(
            out, profile, &(p5_profile_table){.events = events, .key = (p5_profile_key)key, .counts = true},
            error);
    if (status == P5_OK)
        status = p5_profile_write_table(
            out, profile, &(p5_profile_table){.samples = true, .inclusive = true, .format = P5_ROWS_JSON},
            error);
    return status;
}

static p5_status diff(FILE *out, p5_error *error)
{
    p5_profile *a, *b = NULL;
    unsigned exceeded;
    p5_status status = p5_profile_read(profiles[0], &a, error);
    if (status == P5_OK)
        status = p5_profile_read(profiles[1], &b, error);
    if (status == P5_OK)
        status = p5_profile_write_diff(
            out, a, b, &(p5_profile_comparison){.functions = true, .threshold_percent = 1}, &exceeded, error);
    p5_profile_free(a);
    p5_profile_free(b);
    return status;
}

static p5_status selection(FILE *out, p5_error *error)
{
    p5_selection s = {0};
    p5_status status =
        p5_selection_add(&s, "all,{data_read:u,data_write}:k,*_miss,r16", P5_FAMILY_P55C, error);
    for (size_t i = 0; status == P5_OK && i < s.count; i++)
        fprintf(out, "%s\n", s.items[i].name);
    p5_selection_free(&s);
    return status;
}

static p5_status comparison(FILE *out, p5_error *error)
{
    p5_comparison *c;
    p5_status status = p5_comparison_open(&c, error);
    for (unsigned i = 0; status == P5_OK && i < 2; i++)
        status = p5_comparison_add(c, "run", stat_lines, error);
    if (status == P5_OK)
        status = p5_comparison_write(out, c, P5_STAT_TEXT, &(p5_stat_style){0}, error);
    p5_comparison_close(c);
    return status;
}

static p5_status budget(FILE *out, p5_error *error)
{
    const p5_stat_run run = {.counts = counts, .clock = 200};
    const p5_stat stat = {.model = model, .command = "guest", .options = "", .runs = &run, .run_count = 1};
    p5_budget *b;
    p5_status status = p5_budget_open(&b, error);
    if (status == P5_OK)
        status = p5_budget_add(b, "clocks<=1M, CPI<3 && data_read_miss:u==0, (flops+1)/clocks>0.3",
                               P5_FAMILY_P55C, error);
    if (status == P5_OK)
        status = p5_budget_write_junit(b, &stat, out, error);
    p5_budget_close(b);
    return status;
}

static p5_status list(FILE *out, p5_error *error)
{
    const p5_list_options options = {0};
    size_t rows;
    return p5_list_write(out, &options, &rows, error);
}

static p5_status columns(FILE *out, p5_error *error)
{
    p5_table *table;
    p5_status status = p5_table_open(NULL, model, &table, error);
    if (status == P5_OK) {
        p5_table_write_header(out, table);
        p5_table_write_row(out, table, 100, &counts);
        p5_table_close(table);
    }
    return status;
}

static p5_status case_file(FILE *out, p5_error *error)
{
    static const char text[] =
        "#! models p55c-200 p54c-133\n#! n 100 200\n#! source a source\n#! expect clocks 1 ~0.1\n"
        "#! expect@p54c instructions_executed 2\n1: dec ecx\njnz 1b\n";
    char path[80];
    unit_write(in_folder(path, "case.s"), text);
    p5_case c;
    p5_status status = p5_case_read(path, &c, error);
    if (status == P5_OK) {
        fprintf(out, "%s %zu\n", c.name, c.expectation_count);
        p5_case_free(&c);
    }
    return status;
}

static p5_case_program *program;
static p5_status static_listing(FILE *out, p5_error *error)
{
    return p5_static_write(out, P5_ROWS_TEXT, "code", program, "p55c-200", error);
}

/* Runs the machine to `instructions` with a trace at `path`. */
static p5_trace_format format;
static p5_status run_traced(p5_machine *machine, const char *path, uint64_t instructions, p5_error *error)
{
    const p5_trace_options options = {
        .size = sizeof options, .path = path, .format = format, .every_function = format == P5_TRACE_CHROME};
    const p5_limits limits = {.size = sizeof limits, .max_instructions = instructions};
    p5_run_result result = {.size = sizeof result};
    p5_trace *trace;
    p5_status status = p5_trace_open(machine, &options, &trace, error);
    if (status != P5_OK)
        return status;
    p5_error closing;
    status = p5_machine_run(machine, &limits, &result, error);
    const p5_status closed = p5_trace_close(trace, NULL, &closing);
    if (status == P5_OK && closed != P5_OK)
        *error = closing;
    return status != P5_OK ? status : closed;
}

/* Traces a loop of calls. Only arrays run out of memory, because the engine, a library, allocates blocks, too. */
static p5_status trace(FILE *out, p5_error *error)
{
    static const uint8_t code[] = {
        0xb9, 100,  0,    0, 0, /* mov ecx,100 */
        0xe8, 5,    0,    0, 0, /* again: call ret */
        0x49, 0x75, 0xf8,       /* dec ecx; jnz again */
        0xeb, 1,                /* jmp end */
        0xc3,                   /* ret: */
    };
    const long fails_later = failing;
    const p5_machine_options options = {.size = sizeof options};
    p5_machine *machine;
    char path[80], buffer[4096];
    in_folder(path, "trace");
    failing = -1;
    assert_int_equal(p5_machine_open(&options, &machine, error), P5_OK);
    assert_int_equal(p5_machine_load_code(machine, code, sizeof code, NULL, error), P5_OK);
    failing = fails_later;
    allocations = 0;
    only_growth = true;
    const p5_status status = run_traced(machine, path, 250, error);
    const long needed = allocations;
    failing = -1;
    only_growth = false;
    FILE *file = fopen(path, "r");
    for (size_t size; file != NULL && (size = fread(buffer, 1, sizeof buffer, file)) > 0;)
        fwrite(buffer, 1, size, out);
    if (file != NULL)
        fclose(file);
    p5_machine_close(machine);
    allocations = needed;
    return status;
}

#define EXHAUST(what) exhaust(#what, what)

TEST(profile)
{
    static const struct {
        const char *name;
        writer *write;
    } writers[] = {{"data", p5_profile_write},
                   {"callgrind", p5_profile_write_callgrind},
                   {"cachegrind", p5_profile_write_cachegrind},
                   {"html", p5_profile_write_html},
                   {"folded", write_folded},
                   {"flame graph", write_flame_graph},
                   {"listing", write_listing},
                   {"tables", write_tables}};
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        write_profile = writers[i].write;
        exhaust(writers[i].name, with_profile);
    }
    EXHAUST(diff);
}

TEST(statistics)
{
    EXHAUST(selection);
    EXHAUST(comparison);
    EXHAUST(budget);
    EXHAUST(columns);
    EXHAUST(list);
}

TEST(cases)
{
    EXHAUST(case_file);
    p5_error error = {0};
    if (p5_case_assemble_text("code", P5_STATIC_FIRST ": inc eax\n" P5_STATIC_END ":\n", 1, &program,
                              &error) != P5_OK)
        fail_msg("%s", error.message);
    EXHAUST(static_listing);
    p5_case_program_free(program);
}

TEST(traces)
{
    for (format = P5_TRACE_CSV; format < P5_TRACE_FORMATS; format++)
        if (format != P5_TRACE_SQLITE) /* the library writes the file, and has its own memory */
            EXHAUST(trace);
}
