/* Reports: what p5scope prints. Selections of events, statistics as text, CSV and JSON, the laws that counts
 * obey, lists of events, metrics and models, registers in words, case files, and diagrams of the pipeline.
 * The command line is made of these functions; so can other programs be. */
#ifndef P5SCOPE_REPORT_H
#define P5SCOPE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "p5scope/core.h"
#include "p5scope/event.h"
#include "p5scope/machine.h"
#include "p5scope/model.h"
#include "p5scope/pmu.h"
#include "p5scope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Words and numbers that users write ---- */

/* A count as every option takes it: 1200, 0x4b0, 4B0h, 64k, 1.5M, 2G, 1e6, where k, M and G are thousands,
 * millions and milliards. False if `text` is anything else. */
bool p5_parse_number(const char *text, uint64_t *value);
/* A size of memory: the same without fractions, where K, M and G are 1024, 1024^2 and 1024^3 bytes. */
bool p5_parse_size(const char *text, uint64_t *bytes);
/* The SHA-256 of the file at `path` as 64 hexadecimal digits; "" if it cannot be read. Returns `text`. */
enum { P5_SHA256_TEXT = 65 };
const char *p5_file_sha256(const char *path, char text[P5_SHA256_TEXT]);
/* "did you mean 'a' or 'b'?" from the NULL-terminated `names`, or an empty string; returns `buffer`. */
const char *p5_suggest(const char *wanted, const char *const *names, char *buffer, size_t size);

/* ---- Text of any bytes ---- */

/* The first `count` words, or those before a NULL, as a line that a shell takes apart into the same words: a
 * string of the caller's, in UTF-8 and without control characters. This is how every report shows a command.
 * NULL: out of memory. */
char *p5_command_text(char *const *words, size_t count);
/* Writes a name, path or message so that a terminal shows it in one line: control characters, and bytes that
 * are not UTF-8, as a backslash, an x and two hexadecimal digits. */
void p5_write_printable(FILE *out, const char *text);
/* The same as a string of the caller's. NULL: out of memory. */
char *p5_printable(const char *text);

/* ---- Rows for programs ---- */

/* What reports are for people, or for programs: JSON lines, the first of which says what the others are, or
 * CSV whose first line has the columns' names. p5scope-json(5) has the schemas. */
typedef enum p5_row_format { P5_ROWS_TEXT, P5_ROWS_JSON, P5_ROWS_CSV } p5_row_format;

/* ---- Event selections ---- */

/* `event` of a selected row that is not an event but the clocks themselves. */
enum { P5_SELECT_CLOCKS = -1 };

/* One row of a report. */
typedef struct p5_selected {
    int event;        /* enum p5_event or P5_SELECT_CLOCKS */
    uint8_t cpl_mask; /* P5_CPL_MASK_* */
    bool asserted;    /* :c, clocks in which the event's signal was on */
    bool supported;   /* the processor has the event */
    unsigned group;   /* members of one {a,b} share a number; 0 = no group */
    char name[112];   /* canonical name with the modifiers as written */
} p5_selected;

typedef struct p5_selection {
    p5_selected *items;
    size_t count, capacity;
    unsigned groups;
} p5_selection;

/* Adds what `text` selects to `selection` (zero-initialised before the first call):
 *   list  := item { ',' item }
 *   item  := name [ ':' mods ] | '{' name [ ':' mods ] { ',' name [ ':' mods ] } '}' [ ':' mods ]
 *   name  := event, alias, perf's name, rNN, rNN.C, 'clocks', 'all', or a pattern with * and ?
 *   mods  := u (CPL 3), k (CPL 0-2), c (clocks in which the signal was on), in any order; none of u, k means
 * both A group's modifiers hold for its members that have none of their own. `all` and patterns take the
 * events that `family` has. The error's column is the offending place in `text`. */
p5_status p5_selection_add(p5_selection *selection, const char *text, unsigned family, p5_error *error);
void p5_selection_free(p5_selection *selection);
/* The row's value in `counts`. */
uint64_t p5_selected_value(const p5_selected *selected, const p5_counts *counts);
/* True if the members of group `group` could be counted together by one CTR0 and one CTR1. */
bool p5_selection_fits_counters(const p5_selection *selection, unsigned group);

/* ---- Runs ---- */

/* What makes a run that run, beside the version, the model and the contents of the guest's file: runs with
 * the same counts for the same reasons have the same identity, wherever their files are and wherever their
 * results go. It is written into results (key "identity") and compared as a whole. The strings stay the
 * caller's. */
typedef struct p5_run_identity {
    const char *const *argv;    /* what the guest got, NULL-terminated */
    const char *const *options; /* p5scope's own that change what is counted or shown, each as "--name" or
                                   "--name=value", sorted by name; NULL-terminated */
} p5_run_identity;

/* ---- Statistics: `p5scope stat` ---- */

/* What one run came to. */
typedef struct p5_stat_run {
    p5_counts counts;
    uint64_t instructions; /* p5_machine_instructions */
    uint64_t clock;        /* p5_machine_clock */
    uint64_t permissive;   /* instructions of later processors, --isa=permissive */
    double host_seconds;
    uint64_t host_instructions; /* executed in `host_seconds`, counted or not; 0 = `instructions` */
} p5_stat_run;

typedef struct p5_stat {
    const p5_model *model;
    const char *command;             /* the guest's command line */
    const char *guest_sha256;        /* of the guest's file, p5_file_sha256; may be NULL */
    const char *options;             /* p5scope's own, as given */
    const p5_run_identity *identity; /* for JSON; may be NULL */
    const char *ending;              /* a sentence if the guest did not just exit, else NULL */
    const char *unmeasured; /* why the runs are not what a budget is about: a limit cut one short, say; NULL =
                               they are */
    const char *region;     /* where it was counted, as the user wrote it; NULL = everywhere */
    uint64_t fast_forwarded;          /* instructions that ran first and are in no figure; 0 = none */
    uint64_t region_times;            /* how often the region began, in the last run */
    const p5_selection *selection;    /* NULL = every event, in groups, with the CPI stack */
    bool no_events;                   /* null run: clocks and times only */
    const char *const *metric_groups; /* -M, NULL-terminated; may be NULL */
    const p5_stat_run *runs;
    size_t run_count; /* at least 1; values are means over the runs */
    double interval;  /* -I: the one run is an interval that ends after so many modelled seconds, and is
                         written as rows that begin with that time; 0 = no interval */
} p5_stat;

typedef struct p5_stat_style {
    bool big_numbers; /* commas between groups of three digits */
    bool colour;
    bool table;            /* a row for each run */
    bool zeros;            /* groups in which nothing occurred are shown too */
    bool header;           /* CSV: a line with the names of the fields */
    const char *separator; /* CSV */
} p5_stat_style;

/* The text is for people; CSV and JSON have the fields of `perf stat -x` and `-j` and are for programs. */
typedef enum p5_stat_format { P5_STAT_TEXT, P5_STAT_CSV, P5_STAT_JSON } p5_stat_format;
/* Writes a report; `style` is that of text and CSV. P5_ERR_NAME, P5_ERR_SYNTAX and P5_ERR_IO for metric
 * groups. */
p5_status p5_stat_write(FILE *out, const p5_stat *stat, p5_stat_format format, const p5_stat_style *style,
                        p5_error *error);
/* What closes the intervals of JSON: the summary of the whole run (or region) `stat`. */
void p5_stat_write_interval_json_footer(FILE *out, const p5_stat *stat);

/* Intervals: `p5scope stat -I`. Every interval of a run is written as a report with p5_stat.interval, in the
 * order of time; the counts of all intervals and what is left behind the last add up to those of the run. */
typedef struct p5_stat_intervals p5_stat_intervals;
typedef struct p5_stat_intervals_options {
    size_t size; /* of this structure */
    /* An interval ends at each multiple of so many core clocks, or retired instructions: at the first
     * instruction boundary there. 0: none does. */
    uint64_t every_clocks, every_instructions;
    uint64_t most; /* so many intervals, then the run goes on unobserved; 0 = no limit */
    bool paused;   /* nothing is counted before p5_stat_intervals_turn says so */
    p5_stat_format format;
    const char
        *table; /* of text: a row for each interval, this metric group in the columns; NULL: a report */
    FILE *out;  /* where the rows go, also by the thread that executes */
    const p5_stat *stat; /* what the intervals have in common; of it `runs`, `run_count` and `interval` are
                            not used */
    const p5_stat_style *style; /* of text and CSV */
} p5_stat_intervals_options;
/* Writes the header, and observes the machine's loaded guest from then on. `out`, what `stat` points to and
 * `style` have to live until the intervals are closed. Rows are sent on when 64 KB of them or 20 ms have come
 * together. Errors: those of metric groups and p5_table_open (P5_ERR_NAME, P5_ERR_SYNTAX, P5_ERR_IO) and of
 * p5_machine_observe; P5_ERR_STATE for a `size` that is not this library's. */
p5_status p5_stat_intervals_open(p5_machine *machine, const p5_stat_intervals_options *options,
                                 p5_stat_intervals **intervals, p5_error *error);
/* Counting begins (`inside`) or pauses here; an interval is cut short by its end. Also from callbacks. */
void p5_stat_intervals_turn(p5_stat_intervals *intervals, bool inside);
/* Behind a run: the interval that its end has cut short, if anything happened in it, and whatever has not
 * been sent on. P5_ERR_IO if rows could not be written, at whatever time: that has stopped the run. */
p5_status p5_stat_intervals_close(p5_stat_intervals *intervals, p5_error *error);

/* ---- Comparisons: `p5scope stat --compare` ---- */

/* What several runs counted, side by side; the first is what the others are compared with. */
typedef struct p5_comparison p5_comparison;
p5_status p5_comparison_open(p5_comparison **comparison, p5_error *error);
void p5_comparison_close(p5_comparison *comparison);
/* Adds the runs of the file at `path`, written as P5_STAT_JSON, or of such lines, called `name`.
 * P5_ERR_FORMAT with file and line if they are anything else; P5_ERR_RANGE for more than 26 runs; P5_ERR_IO.
 */
p5_status p5_comparison_read(p5_comparison *comparison, const char *path, p5_error *error);
p5_status p5_comparison_add(p5_comparison *comparison, const char *name, const char *lines, p5_error *error);
/* Writes a row for each event and metric: the runs' values, differences to the first and per cent of it. */
p5_status p5_comparison_write(FILE *out, const p5_comparison *comparison, p5_stat_format format,
                              const p5_stat_style *style, p5_error *error);

/* ---- Budgets: `p5scope stat --expect` ---- */

/* What a run may cost: conditions such as clocks<=1.2e6, CPI<1.1, data_read_miss:u==0, flops/clocks>0.3. A
 * figure is an event as for p5_selection_add, CPI, IPC, or a formula of events, clocks, seconds and
 * stall_CAUSE; a number may have k, M or G behind it: thousands, millions, milliards. */
typedef struct p5_budget p5_budget;
p5_status p5_budget_open(p5_budget **budget, p5_error *error);
void p5_budget_close(p5_budget *budget);
/* Adds the conditions in `text`, separated by commas, for a model of `family`. P5_ERR_SYNTAX or P5_ERR_NAME
 * with the column of what is wrong. */
p5_status p5_budget_add(p5_budget *budget, const char *text, unsigned family, p5_error *error);
/* Adds those of a file: one or more a line, '#' begins a comment. Errors also name file and line; P5_ERR_IO.
 */
p5_status p5_budget_read(p5_budget *budget, const char *path, unsigned family, p5_error *error);
/* How many conditions `stat` (the means of its runs) breaks: all of them if `stat` is unmeasured. With `out`
 * a table of all of them, what came and how far that is off the limit, or why they cannot be judged. */
unsigned p5_budget_judge(const p5_budget *budget, const p5_stat *stat, FILE *out);
/* One object for each condition, and the JUnit XML form that continuous-integration services read. */
void p5_budget_write_json(const p5_budget *budget, const p5_stat *stat, FILE *out);
p5_status p5_budget_write_junit(const p5_budget *budget, const p5_stat *stat, FILE *out, p5_error *error);

/* Figures of intervals one below the other: a column for each metric of a group (NULL: what `top` shows
 * first). P5_ERR_UNSUPPORTED if the processor has not all of its events; other errors as
 * p5_metric_group_check. The model must outlive the table. */
typedef struct p5_table p5_table;
p5_status p5_table_open(const char *group, const p5_model *model, p5_table **table, p5_error *error);
void p5_table_close(p5_table *table); /* NULL is none */
const char *p5_table_group(const p5_table *table);
/* Two lines: names and units. A row: what was counted in an interval that ended at core clock `clock`. */
void p5_table_write_header(FILE *out, const p5_table *table);
void p5_table_write_row(FILE *out, const p5_table *table, uint64_t clock, const p5_counts *interval);

/* P5_ERR_NAME with near names if there is no metric group `name`. */
p5_status p5_metric_group_check(const char *name, p5_error *error);
/* Names of the built-in groups that a processor of `family` has, at most `room`; returns how many. */
size_t p5_metric_group_names(unsigned family, const char **names, size_t room);

/* Checks the laws that counts of a processor of `family` obey, at CPL 0-2, at CPL 3 and in sum, and writes
 * each broken one with both sides to `out` (may be NULL). Returns how many are broken; *checked (may be NULL)
 * gets the number of laws checked. */
unsigned p5_laws_check(const p5_counts *counts, unsigned family, FILE *out, unsigned *checked);

/* The same for a machine after a run: its counts must also agree with its core's single totals and with its
 * clock. */
unsigned p5_laws_check_machine(p5_machine *machine, FILE *out, unsigned *checked);

/* ---- Lists: `p5scope list` ---- */

enum {
    P5_LIST_EVENTS = 1,
    P5_LIST_METRICS = 2,
    P5_LIST_MODELS = 4,
    P5_LIST_PERF = 8,
    P5_LIST_ALL = 15,
    P5_LIST_INSTRUCTIONS = 16 /* is not among all: some 470 rows */
};
typedef struct p5_list_options {
    const char
        *pattern;      /* NULL = everything; a pattern or a part of a name, alias, title, group or rNN code */
    unsigned sections; /* P5_LIST_* */
    bool verbose;      /* rules, remarks, formulas, model fields */
    p5_row_format format;
} p5_list_options;
/* Writes the list to `out`; the number of rows goes to *rows. JSON has one object per line and no first line;
 * CSV is one table: more than one section is P5_ERR_RANGE. */
p5_status p5_list_write(FILE *out, const p5_list_options *options, size_t *rows, p5_error *error);

/* ---- Registers in words: `p5scope msr` ---- */

/* Writes one line per MSR of `family`. */
void p5_registers_write(FILE *out, unsigned family, p5_row_format format);
/* Finds an MSR by name ("cesr") or number ("0x11"). P5_ERR_NAME with near names. */
p5_status p5_register_find(const char *name, unsigned family, const p5_register **found, p5_error *error);
/* Writes the register's layout: fields, access, what they mean. */
void p5_register_write_layout(FILE *out, const p5_register *reg, p5_row_format format);
/* Writes `value` field by field; for CESR also what the counters count. P5_ERR_RANGE if it has bits beyond
 * the register. */
p5_status p5_register_write_value(FILE *out, const p5_register *reg, unsigned family, uint64_t value,
                                  p5_row_format format, p5_error *error);
/* Puts "FIELD=NUMBER" into *value. */
p5_status p5_register_set_field(const p5_register *reg, const char *assignment, uint64_t *value,
                                p5_error *error);

/* ---- Output files ---- */

/* A file that is written belongs to one process for as long as it has it open: of two runs with one output
 * file the second is told so, and nothing is lost or mixed. */
typedef enum p5_output_mode {
    P5_OUTPUT_EMPTY,  /* what stood there goes */
    P5_OUTPUT_APPEND, /* what is written comes behind it */
    P5_OUTPUT_KEEP    /* nothing happens to it yet */
} p5_output_mode;
/* Opens `path` for writing and makes it if it is not there (*made, which may be NULL: there was not even a
 * link). Regular files are locked until the descriptor is closed, where the file system can do that. The
 * descriptor, or -errno; EWOULDBLOCK is that another process has it. */
int p5_output_open(const char *path, p5_output_mode mode, bool *made);
/* In words, for a positive errno of that or of writing. */
const char *p5_output_reason(int number);

/* ---- Case files: `p5scope check` and `p5scope bench` ---- */

/* A register of the performance monitor that a case programs, or expects something of. */
typedef struct p5_case_register {
    const char *name; /* as `p5scope msr` has it; static */
    uint32_t msr;
    bool written; /* by WRMSR at CPL 0 before the code runs */
    uint64_t value;
} p5_case_register;
enum { P5_CASE_REGISTERS = 16 };

/* One `#! expect` line: the value per trip lies within [value - down, value + up]. */
typedef struct p5_expectation {
    p5_selected what;
    int of_register; /* the number of the case's register that is to gain so much, whose name is what.name;
                        -1: what is an event, or clocks */
    double value, up, down;
    char *model; /* `expect@MODEL`: a model's name or the beginning of some; NULL = all models */
    unsigned line;
} p5_expectation;

/* A case file, parsed. */
typedef struct p5_case {
    char *path;
    char *name;
    char **models; /* NULL-terminated, at least one */
    char *source;  /* where the figure comes from, may be empty */
    unsigned cpl;
    uint32_t cr4;
    unsigned trips[2]; /* N1 < N2 */
    p5_case_register registers[P5_CASE_REGISTERS];
    size_t register_count;
    p5_expectation *expectations;
    size_t expectation_count;
} p5_case;

/* Reads and checks a case file. Errors name file, line and column. */
p5_status p5_case_read(const char *path, p5_case *out, p5_error *error);
void p5_case_free(p5_case *c);
bool p5_expectation_applies(const p5_expectation *expectation, const char *model);

/* A case assembled with one N: memory image, and the symbols of its code for diagrams. */
typedef struct p5_case_program p5_case_program;
/* Assembles the file at `path` (Intel syntax, GNU assembler from PATH) with N = `trips`. Errors are the
 * assembler's first, with file and line. Safe to call from several threads and processes at once. */
p5_status p5_case_assemble(const char *path, unsigned trips, p5_case_program **program, p5_error *error);
/* The same from text. `name` stands for the file in messages. */
p5_status p5_case_assemble_text(const char *name, const char *text, unsigned trips, p5_case_program **program,
                                p5_error *error);
/* True for assembly with registers as AT&T writes them (%eax), or without registers and with its immediates
 * ($5), that does not say which syntax it is. */
bool p5_code_is_att(const char *text);
/* P5_ERR_SYNTAX for forms of other assemblers that the GNU assembler would take for something else, as DWORD
 * [ESI] in Intel syntax is [ESI+4], or that it refuses without saying what to write. Errors have line, column
 * and the right form; `name` may be NULL. Assembling checks, too. */
p5_status p5_code_check(const char *name, const char *text, p5_error *error);
/* Adds line and column of the word that the error's message quotes, if `text` has it: in line error->line, or
 * anywhere if that is 0. */
void p5_code_locate(const char *text, p5_error *error);

/* A function of a file, called in a loop as cdecl or stdcall. */
typedef struct p5_case_argument {
    uint32_t value;
    uint32_t buffer_bytes; /* not 0: the address of so many bytes of zeros, on a cache line */
} p5_case_argument;
enum { P5_CASE_ARGUMENTS = 16 };
typedef struct p5_case_function {
    const char *path; /* an i386 object, or assembly in Intel's or AT&T's syntax */
    const char *name; /* of a global or static function; FILE:NAME if several static ones have it */
    p5_case_argument arguments[P5_CASE_ARGUMENTS];
    size_t argument_count;
    bool x87_result; /* it returns float or double, which is taken from the x87 stack */
    bool empty; /* RET alone is called in its place: what the calls cost by themselves, to be subtracted */
    bool elsewhere; /* the calling loop's branches use other sets of the branch target buffer than usually */
} p5_case_function;
/* A case that calls it `trips` times; needs `as` and `ld` in PATH. The file may refer to what is in it.
 * Errors say what is missing and what to do about it. */
p5_status p5_case_assemble_function(const p5_case_function *function, unsigned trips,
                                    p5_case_program **program, p5_error *error);
void p5_case_program_free(p5_case_program *program);
/* The image; cpl and cr4 are the caller's to set. Valid as long as the program. */
void p5_case_program_image(const p5_case_program *program, p5_case_image *image);

/* Options of a measurement. */
typedef struct p5_case_conditions {
    const char *model;
    unsigned cpl;
    uint32_t cr4;
    double timeout_seconds;            /* host time for one run; 0 = none */
    const p5_case_register *registers; /* NULL: none */
    size_t register_count;
    const p5_case_function *function; /* what the program calls; NULL: it is a loop. For hints of errors */
} p5_case_conditions;
/* Runs `program` to its end on a machine fresh from reset; its totals go to *counts, and what RDMSR gives of
 * the registers to `registers` (may be NULL). P5_ERR_STATE if the model does not have one, or faults on its
 * value. `observe` (may be NULL) is called before the run, e.g. to set a trace. */
p5_status p5_case_run(const p5_case_program *program, const p5_case_conditions *conditions,
                      void (*observe)(void *context, p5_machine *machine), void *context, p5_counts *counts,
                      uint64_t *registers, p5_error *error);

/* Both runs of a measurement. */
typedef struct p5_case_measured {
    p5_counts counts[2];
    uint64_t registers[2][P5_CASE_REGISTERS];
    p5_error remark; /* what the figures have in them that may not be meant; no message: nothing. P5_ERR_STATE
                        if the x87 register stack overflowed or underflowed: then they tell how the x87
                        handles NaNs, at other clocks. P5_OK if the stack pointer moves */
} p5_case_measured;
/* Runs the two programs, which are of so many trips, by p5_case_run. */
p5_status p5_case_measure(p5_case_program *const programs[2], const unsigned trips[2],
                          const p5_case_conditions *conditions, p5_case_measured *out, p5_error *error);

/* (count(N2) - count(N1)) / (N2 - N1). */
double p5_per_trip(const p5_selected *what, const p5_counts counts[2], const unsigned trips[2]);

/* Compares per-trip values with the expectations that hold for `model`. Writes a line for each that fails
 * (with `all`: for each) to `out`, and returns how many failed. A case that expects nothing of the model
 * fails: it would test nothing. */
unsigned p5_case_judge(const p5_case *c, const p5_model *model, const p5_counts counts[2],
                       const uint64_t registers[2][P5_CASE_REGISTERS], bool all, FILE *out);

/* The outcome of one case on one model. */
typedef struct p5_check_result {
    const char *name, *path, *model; /* model is "" if the file could not be read or assembled */
    const char *failure;             /* what went wrong, lines; NULL = passed */
    double seconds;
} p5_check_result;
/* Writes outcomes in the JUnit XML form that continuous-integration services read; `suite` is what ran. */
p5_status p5_check_write_junit(FILE *out, const char *suite, const p5_check_result *results, size_t count,
                               p5_error *error);

/* Writes them as rows. */
p5_status p5_check_write_rows(FILE *out, p5_row_format format, const p5_check_result *results, size_t count,
                              p5_error *error);

/* What was measured of one input: counts[i] are of trips[i] of what `per` says. */
typedef struct p5_bench_side {
    const char *name, *per;
    const p5_counts *counts;
    const unsigned *trips;
} p5_bench_side;
/* Writes clocks, CPI stack and events per trip, as text or as rows; of two inputs (`count`) those of both, B
 * - A, and that in per cent of A. What is 0 on all sides only with `zeros`. */
void p5_bench_write(FILE *out, p5_row_format format, const p5_model *model, const p5_bench_side *sides,
                    size_t count, bool zeros);

/* ---- The pipeline, instruction by instruction ---- */

/* The instructions of some trips in the steady state of a case, as issued. */
typedef struct p5_window p5_window;
/* Runs the case's two programs to find what is executed once per trip, then captures up to `window_trips`
 * trips that end before the last. P5_ERR_STATE if no instruction is executed exactly once per trip. */
p5_status p5_window_capture(p5_case_program *const programs[2], const unsigned trips[2],
                            const p5_case_conditions *conditions, unsigned window_trips, p5_window **window,
                            p5_error *error);
void p5_window_free(p5_window *window);
/* Writes a diagram of the first `show_trips` trips: clock, pipe, instruction, stages, why it issued alone,
 * what stalled it. */
p5_status p5_window_write_diagram(FILE *out, const p5_window *window, unsigned show_trips, p5_error *error);
/* Writes the whole window as a Kanata 0004 log, which the viewer Konata opens. */
p5_status p5_window_write_kanata(FILE *out, const p5_window *window, p5_error *error);

#ifdef __cplusplus
}
#endif
#endif
