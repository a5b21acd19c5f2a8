/* Reports: what p5scope's commands stat, list, explain, msr, check and bench print, and what they need for it. Selections
 * of events, statistics as text, CSV and JSON, laws that counts obey, lists of events, metrics and models, registers in
 * words, case files (parsed, assembled, run and judged), and pipeline diagrams. Profiles, traces and reports about loops
 * are in profile.h, trace.h and loop.h. The command line uses these functions, and other programs can, too. */
#ifndef P5SCOPE_REPORT_H
#define P5SCOPE_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "p5tool/core.h"
#include "p5scope/event.h"
#include "p5tool/machine.h"
#include "p5scope/model.h"
#include "p5tool/pmu.h"
#include "p5scope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Words and numbers in options ---- */

/* Parses a count as every option takes it: 1200, 0x4b0, 4B0h, 64k, 1.5M, 2G, 1e6, where k or K, M and G mean 10^3,
 * 10^6 and 10^9. Returns false for anything else, also for a number that is not whole. */
bool p5_parse_number(const char *text, uint64_t *value);
/* Parses a size of memory in bytes: 1200, 0x4b0, 4B0h, 64K, 2M, 1G, where K, M and G, in either case, mean 1024, 1024^2
 * and 1024^3. */
bool p5_parse_size(const char *text, uint64_t *bytes);
enum { P5_SHA256_TEXT = 65 }; /* bytes of an SHA-256 as text, with its NUL */
/* Writes the SHA-256 of the file at `path` to `text` as 64 hexadecimal digits, or "" if the file cannot be
 * read. Returns `text`. */
const char *p5_file_sha256(const char *path, char text[P5_SHA256_TEXT]);
/* Writes "did you mean 'a' or 'b'?" with similar words of the NULL-terminated `names`, or an empty string.
 * Returns `buffer`. */
const char *p5_suggest(const char *wanted, const char *const *names, char *buffer, size_t size);

/* ---- Text with arbitrary bytes ---- */

/* Quotes the first `count` words, or fewer if a NULL comes first, as a line that a shell splits into the same words.
 * The result is UTF-8 without control characters; the caller frees it. Every report shows commands in this
 * form. Returns NULL when memory is out. */
char *p5_command_text(char *const *words, size_t count);
/* Writes a name, path or message so that a terminal shows it on one line: control characters, and bytes that
 * are not UTF-8, become a backslash, an x and two hexadecimal digits. Other backslashes stay as they are. */
void p5_write_printable(FILE *out, const char *text);
/* Does the same with the first `size` bytes of `text`. */
void p5_write_printable_part(FILE *out, const char *text, size_t size);
/* Returns the same as a string that the caller frees. NULL: out of memory. */
char *p5_printable(const char *text);

/* ---- Rows for programs ---- */

/* The form of a report: text for people; JSON lines, the first of which describes the others unless the report says
 * otherwise; or CSV whose first line has the columns' names. docs/schemas describes the JSON. (p5_stat has formats of its
 * own, p5_stat_format.) */
typedef enum p5_row_format {
    P5_ROWS_TEXT,
    P5_ROWS_JSON,
    P5_ROWS_CSV,
    P5_ROWS_LARGEST = 0x1ffff /* no format; C++ requires that the enum has room for the two macros' values */
} p5_row_format;
/* CSV with an ASCII character in the place of the comma. */
#define P5_ROWS_SEPARATED(character) ((p5_row_format)(P5_ROWS_CSV | (character) << 8))
/* The same format for a report that continues another one of its kind: CSV without the line of names. */
#define P5_ROWS_CONTINUED(format)                                                                            \
    ((p5_row_format)(((format)&0xff) == P5_ROWS_CSV ? (format) | 1 << 16 : (format)))

/* ---- Event selections ---- */

/* The `event` of a selected row that shows no event: all clocks, or the clocks of one cause, which is P5_SELECT_STALL plus
 * its p5_stall. */
enum { P5_SELECT_CLOCKS = -1, P5_SELECT_STALL = P5_EVENT_COUNT };

/* One row of a report. */
typedef struct p5_selected {
    int event;        /* enum p5_event, P5_SELECT_CLOCKS or P5_SELECT_STALL + p5_stall */
    uint8_t cpl_mask; /* P5_CPL_MASK_* */
    bool asserted;    /* modifier c: the row shows the clocks in which the event's signal was on */
    bool supported;   /* the processor has the event */
    unsigned group;   /* members of one {a,b} share a number; 0 = no group */
    char name[112];   /* canonical name with the modifiers as written */
} p5_selected;

typedef struct p5_selection {
    p5_selected *items;
    size_t count, capacity;
    unsigned groups; /* number of {...} groups */
} p5_selection;

/* Adds what `text` selects to `selection`, which is zero-initialised before the first call and freed by the
 * caller:
 *   list := item { ',' item }
 *   item := name [ ':' mods ] | '{' name [ ':' mods ] { ',' name [ ':' mods ] } '}' [ ':' mods ]
 *   name := event, alias, perf's name, rNN, rNN.C, 'clocks', 'all', 'stall_CAUSE', 'stalls', or a pattern with * and ?
 *   mods := u (CPL 3), k (CPL 0-2), c (clocks in which the signal was on; events only), in any order
 * Without u and k both are selected. A row that shows the same as an earlier one is left out, unless it is in a group. A
 * group's modifiers apply to its members that have none of their own.
 * `all` and patterns select the events that `family` (P5_FAMILY_*) has. `stalls` selects the clocks of all causes, and a
 * pattern that begins with stall_ those of some. The error's column is the place in `text`. */
p5_status p5_selection_add(p5_selection *selection, const char *text, unsigned family, p5_error *error);
void p5_selection_free(p5_selection *selection);
/* Returns the event of a row; NULL if it shows clocks (P5_SELECT_CLOCKS, P5_SELECT_STALL). */
const p5_event_info *p5_selected_event(const p5_selected *selected);
/* Returns the row's value in `counts`. */
uint64_t p5_selected_value(const p5_selected *selected, const p5_counts *counts);
/* Returns true if one CTR0 and one CTR1 could count the members of group `group` at the same time. */
bool p5_selection_fits_counters(const p5_selection *selection, unsigned group);
/* Removes each row in a group that shows the same as an earlier row, because JSON and databases have each name once. To
 * be called after p5_selection_fits_counters. */
void p5_selection_join_groups(p5_selection *selection);

/* ---- Runs ---- */

/* What identifies a run, besides p5scope's version, the model and the contents of the guest's file: two runs in which all
 * of these are equal count the same, wherever their files and results are. It is written into results (key "identity")
 * and compared as a whole. The strings belong to the caller. */
typedef struct p5_run_identity {
    const char *const *argv;    /* the guest's arguments, NULL-terminated */
    const char *const *options; /* p5scope's options that change what is counted or shown, each as "--name" or
                                   "--name=value", sorted by name; NULL-terminated */
} p5_run_identity;

/* ---- Statistics: `p5scope stat` ---- */

/* The results of one run. */
typedef struct p5_stat_run {
    p5_counts counts;
    uint64_t instructions; /* p5_machine_instructions */
    uint64_t clock;        /* p5_machine_clock */
    uint64_t permissive;   /* executed instructions of later processors, --isa=permissive */
    double host_seconds;
    uint64_t host_instructions; /* executed in `host_seconds`, counted or not counted; 0 = `instructions` */
} p5_stat_run;

typedef struct p5_stat {
    const p5_model *model;
    const char *command;             /* the guest's command line */
    const char *guest_sha256;        /* of the guest's file, p5_file_sha256; may be NULL */
    const char *options;             /* p5scope's options, as given */
    const p5_run_identity *identity; /* for JSON; may be NULL */
    const char *ending;              /* how the last run was cut short; NULL = the guest ended it */
    const char *unmeasured; /* why p5_budget cannot judge the runs, for example because a limit cut one short;
                               NULL = it can */
    const char *region;     /* the region in which was counted, as the user wrote it; NULL = the whole run */
    uint64_t fast_forwarded;          /* instructions that ran first without being counted; 0 = none */
    uint64_t region_times;            /* how often the region began in the last run */
    bool region_open;                 /* the last run ended within the region */
    const p5_selection *selection;    /* NULL = every event, in groups, with the CPI stack */
    bool no_events;                   /* --null: the report has clocks and times only */
    const char *const *metric_groups; /* -M, NULL-terminated; may be NULL */
    const p5_stat_run *runs;
    size_t run_count; /* at least 1; values are means over the runs */
    double interval;  /* -I: the one run is an interval that ends at this modelled time, in seconds; its
                        rows begin with the time; 0 = no interval */
} p5_stat;

typedef struct p5_stat_style {
    bool big_numbers; /* commas between groups of three digits */
    bool colour;
    bool table;            /* a row for each run */
    bool zeros;            /* show groups in which nothing occurred, too */
    bool brief;            /* text of all events: show the main ones and the largest causes on one screen */
    bool header;           /* CSV: write a line with the names of the fields */
    const char *separator; /* CSV */
} p5_stat_style;

/* Text is for people; CSV and JSON have the fields of `perf stat -x` and `-j` and are for programs. */
typedef enum p5_stat_format { P5_STAT_TEXT, P5_STAT_CSV, P5_STAT_JSON } p5_stat_format;
/* Writes a report. `style` applies to text and CSV. Errors: those of p5_metric_group_check, and P5_ERR_IO if `out` cannot
 * be written. */
p5_status p5_stat_write(FILE *out, const p5_stat *stat, p5_stat_format format, const p5_stat_style *style,
                        p5_error *error);
/* Writes the last line of intervals in JSON: the summary of the whole run (or region) `stat`. */
void p5_stat_write_interval_json_footer(FILE *out, const p5_stat *stat);

/* Intervals, `p5scope stat -I`. Every interval of a run is written as a report with p5_stat.interval, in
 * order of time. The counts of all intervals, including the last incomplete one, add up to those of the
 * run. */
typedef struct p5_stat_intervals p5_stat_intervals;
typedef struct p5_stat_intervals_options {
    size_t size; /* sizeof (p5_stat_intervals_options) */
    /* An interval ends at the first instruction boundary at or after each multiple of so many core clocks, or
     * retired instructions. 0: none. */
    uint64_t every_clocks, every_instructions;
    uint64_t most; /* after so many intervals the run continues unobserved; 0 = no limit */
    bool paused;   /* nothing is counted before p5_stat_intervals_turn starts it */
    p5_stat_format format;
    /* Text only: write one row per interval, with this metric group's metrics as columns. NULL: a report per interval. */
    const char *table;
    FILE *out;           /* destination of the rows, which the thread that executes the guest may write */
    const p5_stat *stat; /* common to all intervals; its `runs`, `run_count` and `interval` are ignored */
    const p5_stat_style *style; /* for text and CSV */
} p5_stat_intervals_options;
/* Writes the header, and observes the machine's loaded guest from then on. `out`, everything that `stat`
 * points to, and `style` must live until the intervals are closed. The rows of an interval are flushed when
 * it ends. Errors: those of p5_metric_group_check, p5_table_open and p5_machine_observe; P5_ERR_STATE if `size` is not
 * this library's. */
p5_status p5_stat_intervals_open(p5_machine *machine, const p5_stat_intervals_options *options,
                                 p5_stat_intervals **intervals, p5_error *error);
/* Starts (`inside`) or pauses counting at this point. A pause cuts the interval short. Callbacks may call it,
 * too. */
void p5_stat_intervals_turn(p5_stat_intervals *intervals, bool inside);
/* Ends the intervals after a run: writes the incomplete interval, if anything was counted in it, and flushes. Returns
 * P5_ERR_IO if any rows could not be written, which also has stopped the run. */
p5_status p5_stat_intervals_close(p5_stat_intervals *intervals, p5_error *error);

/* ---- Comparisons: `p5scope stat --compare` ---- */

/* The counts of several runs, side by side. The others are compared with the first. */
typedef struct p5_comparison p5_comparison;
/* Opens an empty comparison, which the caller closes. The only error is P5_ERR_MEMORY. */
p5_status p5_comparison_open(p5_comparison **comparison, p5_error *error);
void p5_comparison_close(p5_comparison *comparison);
/* Add the runs of the file at `path`, written as P5_STAT_JSON, or of `lines` of that form, which errors call `name`.
 * P5_ERR_FORMAT with file and line for anything else; P5_ERR_RANGE for more than 26 runs (A to Z); P5_ERR_IO if the file
 * cannot be read. */
p5_status p5_comparison_read(p5_comparison *comparison, const char *path, p5_error *error);
p5_status p5_comparison_add(p5_comparison *comparison, const char *name, const char *lines, p5_error *error);
/* Returns whether all runs have the same revision of the model. `text` gets the revisions, for example
 * "A: 1, B: not stated". */
bool p5_comparison_same_revision(const p5_comparison *comparison, char *text, size_t size);
/* Returns whether the option `name` (without "--") of p5_run_identity is the same in all runs. `text` gets its values,
 * for example "A: main, B: not given". Runs whose results have no identity are left out of both. */
bool p5_comparison_same_option(const p5_comparison *comparison, const char *name, char *text, size_t size);
/* Writes a row for each event and metric: the runs' values, and their differences from the first, also in per
 * cent of it. */
p5_status p5_comparison_write(FILE *out, const p5_comparison *comparison, p5_stat_format format,
                              const p5_stat_style *style, p5_error *error);

/* Judges whether the clocks of any run exceed those of the first by more than `percent`. Writes a line for each
 * run to `out`, and the outcome as JUnit XML to `junit`, unless they are NULL. *broken gets the number of runs that
 * exceed this limit or cannot be judged, because they or the first run have no clocks or were cut short. */
p5_status p5_comparison_judge(const p5_comparison *comparison, double percent, FILE *out, FILE *junit,
                              unsigned *broken, p5_error *error);

/* ---- Budgets: `p5scope stat --expect` ---- */

/* The allowed cost of a run: conditions such as clocks<=1.2e6, CPI<1.1, data_read_miss:u==0,
 * flops/clocks>0.3. Both sides are formulas as in metric groups: of events, clocks, CPI, IPC, seconds,
 * stall_CAUSE, and numbers that may end in k, M or G for 10^3, 10^6 or 10^9. */
typedef struct p5_budget p5_budget;
/* Opens a budget without conditions, which the caller closes. The only error is P5_ERR_MEMORY. */
p5_status p5_budget_open(p5_budget **budget, p5_error *error);
void p5_budget_close(p5_budget *budget);
/* Reads the run at `path`, written as P5_STAT_JSON. Conditions that are added later may use it: `base` in a limit is
 * the value that the left formula has in that run (clocks<=base*1.01). Errors name file and line. */
p5_status p5_budget_baseline(p5_budget *budget, const char *path, p5_error *error);
/* Return whether the baseline has this library's revision of the model, the name of `model`, and the same value of the
 * option `name` as `run`, which is to be judged. `text` gets both values if they differ, or as in
 * p5_comparison_same_option. All return true if there is no baseline. */
bool p5_budget_same_revision(const p5_budget *budget, char *text, size_t size);
bool p5_budget_same_model(const p5_budget *budget, const p5_model *model, char *text, size_t size);
bool p5_budget_same_option(const p5_budget *budget, const p5_run_identity *run, const p5_model *model,
                           const char *name, char *text, size_t size);
/* Adds the conditions in `text`, separated by commas or &&, for a model of `family`. P5_ERR_SYNTAX or P5_ERR_NAME
 * with the column of the mistake. */
p5_status p5_budget_add(p5_budget *budget, const char *text, unsigned family, p5_error *error);
/* Adds the conditions of a file: one or more per line; '#' begins a comment. Errors also name file and line;
 * P5_ERR_IO. */
p5_status p5_budget_read(p5_budget *budget, const char *path, unsigned family, p5_error *error);
/* Returns how many conditions `stat` (the means of its runs) breaks: all of them if p5_stat.unmeasured is set. If
 * `out` is not NULL, writes a table of all conditions with the actual values and their distances from the
 * limits, or why they cannot be judged. */
unsigned p5_budget_judge(const p5_budget *budget, const p5_stat *stat, FILE *out);
/* Write a JSON line for each condition, or the JUnit XML form that continuous-integration services read. */
void p5_budget_write_json(const p5_budget *budget, const p5_stat *stat, FILE *out);
p5_status p5_budget_write_junit(const p5_budget *budget, const p5_stat *stat, FILE *out, p5_error *error);

/* A table with a row per interval and a column for each metric of a group (NULL: the group that `p5scope top` shows
 * first). P5_ERR_UNSUPPORTED if the processor lacks one of its events; other errors as p5_metric_group_check.
 * The model must outlive the table. */
typedef struct p5_table p5_table;
p5_status p5_table_open(const char *group, const p5_model *model, p5_table **table, p5_error *error);
void p5_table_close(p5_table *table); /* NULL is allowed */
const char *p5_table_group(const p5_table *table);
/* Write two lines with names and units, and one row of what was counted in an interval that ended at core
 * clock `clock`. */
void p5_table_write_header(FILE *out, const p5_table *table);
void p5_table_write_row(FILE *out, const p5_table *table, uint64_t clock, const p5_counts *interval);

/* Checks a metric group: the name of a built-in one, or the path of a file, which contains '/' or ends in ".txt".
 * P5_ERR_NAME with similar names if there is none; for a file P5_ERR_IO, or P5_ERR_SYNTAX or P5_ERR_NAME with line and
 * column. */
p5_status p5_metric_group_check(const char *name, p5_error *error);
/* Gets the names of the built-in groups that a processor of `family` has, but at most `room` names. Returns how many it
 * has written. */
size_t p5_metric_group_names(unsigned family, const char **names, size_t room);

/* Checks the laws (equations and inequalities between events) that counts of a processor of `family` obey, at CPL 0-2,
 * at CPL 3 and in sum. `part`: instructions ran before counting began, so laws that hold only from a machine's beginning
 * are left out. Writes both sides of each broken law to `out` (may be NULL). Returns how many are broken; *checked (may
 * be NULL) gets the number of laws checked. */
unsigned p5_laws_check(const p5_counts *counts, unsigned family, bool part, FILE *out, unsigned *checked);

/* Checks the same for a machine after a run. Its counts must also agree with the totals that its core returns one by one
 * (p5_core_event_total), and with its clock. */
unsigned p5_laws_check_machine(p5_machine *machine, FILE *out, unsigned *checked);

/* ---- Lists: `p5scope list` ---- */

enum {
    P5_LIST_EVENTS = 1,
    P5_LIST_METRICS = 2,
    P5_LIST_MODELS = 4,
    P5_LIST_PERF = 8,
    P5_LIST_STALLS = 16, /* the causes of clocks */
    P5_LIST_ALL = 31,
    P5_LIST_INSTRUCTIONS = 32 /* not part of P5_LIST_ALL: about 470 rows */
};
typedef struct p5_list_options {
    /* NULL = everything; a pattern, or a part of a name, alias, title, group or rNN code. */
    const char *pattern;
    unsigned sections; /* P5_LIST_* */
    bool verbose;      /* rules, remarks, formulas, model fields */
    p5_row_format format;
} p5_list_options;
/* Writes the list to `out`; *rows gets the number of rows. JSON has one object per line and no describing
 * first line. CSV is one table, so more than one section is P5_ERR_RANGE. */
p5_status p5_list_write(FILE *out, const p5_list_options *options, size_t *rows, p5_error *error);

/* ---- Words: `p5scope explain` ---- */

/* Writes what `name` means: an owner of clocks, a reason for not pairing, an event, a metric or metric group, a
 * figure or column of a report, a register or a field of it, or an exception. NULL lists all names; rows for
 * programs then have all explanations. P5_ERR_NAME with similar names as a hint. */
p5_status p5_explain_write(FILE *out, const char *name, p5_row_format format, p5_error *error);

/* ---- Registers in words: `p5scope msr` ---- */

/* Writes one line per MSR of `family`. */
void p5_registers_write(FILE *out, unsigned family, p5_row_format format);
/* Finds an MSR by name ("cesr") or number ("0x11"). P5_ERR_NAME with similar names. */
p5_status p5_register_find(const char *name, unsigned family, const p5_register **found, p5_error *error);
/* Writes the register's layout: fields, access, meanings. */
void p5_register_write_layout(FILE *out, const p5_register *reg, p5_row_format format);
/* Writes `value` field by field; for CESR also what the counters count. P5_ERR_RANGE if it has bits that the
 * register lacks. */
p5_status p5_register_write_value(FILE *out, const p5_register *reg, unsigned family, uint64_t value,
                                  p5_row_format format, p5_error *error);
/* Applies "FIELD=NUMBER" to *value. */
p5_status p5_register_set_field(const p5_register *reg, const char *assignment, uint64_t *value,
                                p5_error *error);

/* ---- Output files ---- */

/* An output file belongs to one process for as long as the process has it open. If two runs have the same
 * output file, the second gets an error, and nothing is lost or mixed. */
typedef enum p5_output_mode {
    P5_OUTPUT_EMPTY,  /* truncates the file */
    P5_OUTPUT_APPEND, /* writes after the existing contents */
    P5_OUTPUT_KEEP    /* leaves the file as it is for now */
} p5_output_mode;
/* Opens `path` for writing and creates it if necessary. *made, unless `made` is NULL, gets whether neither a file nor a
 * link of that name existed. Regular files are locked until the descriptor is closed, if the file system supports that.
 * Returns the descriptor or -errno; EWOULDBLOCK means that another process has the file. */
int p5_output_open(const char *path, p5_output_mode mode, bool *made);
/* Describes a positive errno of p5_output_open or of writing in words. */
const char *p5_output_reason(int number);

/* ---- Case files: `p5scope check` and `p5scope bench` ---- */

/* A register of the performance monitor that a case programs, or expects a value of. */
typedef struct p5_case_register {
    const char *name; /* as in `p5scope msr`; static */
    uint32_t msr;
    bool written; /* written by WRMSR at CPL 0 before the code runs */
    uint64_t value;
} p5_case_register;
enum { P5_CASE_REGISTERS = 16 };

/* One `#! expect` line: the value per trip lies within [value - down, value + up]. */
typedef struct p5_expectation {
    p5_selected what;
    int of_register; /* index in p5_case.registers: the register's growth is expected, and what.name is its name;
                        -1: `what` is an event, or clocks */
    double value, up, down; /* per trip */
    char *only;             /* MODEL of `expect@MODEL`, for p5_case_applies; NULL: all models */
    unsigned line;
} p5_expectation;

/* One line `#! expect-fault`, `expect-register` or `expect-memory`: the state in which the run with N2 trips
 * ends. */
typedef enum p5_case_state_kind { P5_CASE_FAULT, P5_CASE_REGISTER, P5_CASE_MEMORY } p5_case_state_kind;
enum { P5_CASE_STATES = 16, P5_CASE_STATE_BYTES = 32, P5_CASE_STATE_NAME = 80 };
typedef struct p5_case_state {
    p5_case_state_kind kind;
    char name[P5_CASE_STATE_NAME]; /* the register; the label of the memory or of the fault ("": any place) */
    uint32_t offset;               /* memory: bytes after the label */
    uint8_t vector;                /* of the fault */
    bool any_code;                 /* the fault's error code does not matter */
    uint64_t value;                /* of the register; error code of the fault */
    uint8_t bytes[P5_CASE_STATE_BYTES];
    size_t byte_count;
    char *only; /* as in p5_expectation */
    unsigned line;
} p5_case_state;

/* The actual state at the end of a run where a p5_case_state is expected. */
typedef struct p5_case_found {
    bool faulted; /* an exception ended the run: its vector, error code in `value`, and address */
    uint8_t vector;
    uint64_t value;
    uint32_t address, expected_address; /* that of the fault, and that of its label */
    uint8_t bytes[P5_CASE_STATE_BYTES];
} p5_case_found;

/* A case file, parsed. */
typedef struct p5_case {
    char *path;
    char *name;
    char **models; /* NULL-terminated, at least one */
    char *source;  /* the figure's origin, may be empty */
    unsigned cpl;
    uint32_t cr4;
    unsigned trips[2]; /* N1 and N2, N1 < N2 */
    p5_case_register registers[P5_CASE_REGISTERS];
    size_t register_count;
    p5_expectation *expectations;
    size_t expectation_count;
    p5_case_state states[P5_CASE_STATES];
    size_t state_count;
} p5_case;

/* Reads and checks a case file. Errors name file, line and column. The caller calls p5_case_free. */
p5_status p5_case_read(const char *path, p5_case *out, p5_error *error);
void p5_case_free(p5_case *c);
/* Returns whether a line with @ONLY applies to `model`, the name of a model or the path of a model file: whether the name,
 * without folder and .ini, begins with `only`. NULL applies to all models. */
bool p5_case_applies(const char *only, const char *model);

/* A case assembled with one N: its memory image, and the symbols of its code for diagrams. */
typedef struct p5_case_program p5_case_program;
/* Assembles the file at `path` (Intel syntax, GNU assembler from PATH) with N = `trips`. The error is the
 * assembler's first, with file and line. Several threads and processes may call it at once. */
p5_status p5_case_assemble(const char *path, unsigned trips, p5_case_program **program, p5_error *error);
/* Assembles text. Messages use `name` as the file's name. */
p5_status p5_case_assemble_text(const char *name, const char *text, unsigned trips, p5_case_program **program,
                                p5_error *error);
/* Returns true for assembly that does not declare its syntax and has AT&T's registers (%eax), or no registers
 * but AT&T's immediates ($5). */
bool p5_code_is_att(const char *text);
/* Checks code for forms of other assemblers that the GNU assembler would misread (DWORD [ESI] in Intel syntax
 * is [ESI+4]) or rejects without a useful message: P5_ERR_SYNTAX with line, column and the right form.
 * Assembling performs this check, too. */
p5_status p5_code_check(const char *text, p5_error *error);
/* Adds line and column of the word that the error's message quotes if `text` contains it: in line
 * error->line, or anywhere if that is 0. */
void p5_code_locate(const char *text, p5_error *error);

/* An argument of a function: a number, or the address of a buffer, which begins a cache line. All calls get the same
 * buffer. */
typedef struct p5_case_argument {
    uint32_t value;
    uint32_t buffer_bytes; /* not 0: a buffer of so many zero bytes */
    const char *file;      /* not NULL: a buffer that holds the contents of this regular file */
} p5_case_argument;
enum { P5_CASE_ARGUMENTS = 16 };
/* A function of a file, and how it is called in a loop as cdecl or stdcall (but see `listed`). */
typedef struct p5_case_function {
    const char *path; /* an i386 object, or assembly in Intel's or AT&T's syntax */
    const char *name; /* of a global or static function; FILE:NAME if several static functions have it */
    p5_case_argument arguments[P5_CASE_ARGUMENTS];
    size_t argument_count;
    bool x87_result; /* it returns float or double on the x87 stack, from which the loop pops it */
    bool empty;      /* call a single RET instead: the cost of the calls themselves, to be subtracted */
    bool elsewhere;  /* place the loop's branches in other sets of the branch target buffer than usual */
    /* For p5_static_write (loop.h): no call and no loop, the program is the file's code; the name may be NULL. */
    bool listed;
} p5_case_function;
/* Returns true if the file consists of functions rather than of a case: an object, or assembly with global symbols and
 * without directives of case files. */
bool p5_file_has_functions(const char *path);
/* Makes a case that calls the function `trips` times; needs `as` and `ld` in PATH. The file must define every
 * symbol that it uses. Errors say what is missing and what to do about it. */
p5_status p5_case_assemble_function(const p5_case_function *function, unsigned trips,
                                    p5_case_program **program, p5_error *error);
void p5_case_program_free(p5_case_program *program);
/* Gets the image, which is valid as long as the program. The caller sets cpl and cr4. */
void p5_case_program_image(const p5_case_program *program, p5_case_image *image);

/* The conditions of a measurement. */
typedef struct p5_case_conditions {
    const char *model;
    unsigned cpl;
    uint32_t cr4;
    double timeout_seconds;            /* host time for one run; 0 = none */
    uint64_t max_clocks;               /* of the core; a run that takes more is an error. 0 = no limit */
    const p5_case_register *registers; /* NULL: none */
    size_t register_count;
    const p5_case_state *states; /* that the end of the run is compared with. If one is a fault, a fault may
                                    end the run. NULL: none */
    size_t state_count;
    const p5_case_function *function; /* the function that the program calls, for hints of errors; NULL: the
                                         program is a loop */
} p5_case_conditions;
/* A function that is called with the loaded machine before a case runs, for example to set a trace. */
typedef struct p5_case_observer {
    void (*loaded)(void *context, p5_machine *machine);
    void *context;
} p5_case_observer;
/* Runs `program` to its end on a machine fresh from reset. *counts gets its totals. `observer` may be NULL.
 * P5_ERR_STATE if the model lacks a register of the conditions, or writing its value faults. */
p5_status p5_case_run(const p5_case_program *program, const p5_case_conditions *conditions,
                      const p5_case_observer *observer, p5_counts *counts, p5_error *error);

/* The two runs of a measurement. */
typedef struct p5_case_measured {
    p5_counts counts[2];
    uint64_t registers[2][P5_CASE_REGISTERS];
    p5_case_found found[P5_CASE_STATES]; /* after the run with trips[1] */
    /* A warning about the figures; an empty message: none. Its status is P5_ERR_STATE if the x87 register stack
     * overflowed or underflowed, because the x87 then handles NaNs, at other clocks. Its status is P5_OK if only the
     * stack pointer moves. */
    p5_error remark;
} p5_case_measured;
/* Runs the two programs, which make trips[0] and trips[1] trips, by p5_case_run. */
p5_status p5_case_measure(p5_case_program *const programs[2], const unsigned trips[2],
                          const p5_case_conditions *conditions, p5_case_measured *out, p5_error *error);

/* Compares the values per trip, (value(N2) - value(N1)) / (N2 - N1), with the expectations for `model`. Writes a
 * line for each failure (with `all`: for each expectation) to `out`, and returns how many failed. A case that has neither
 * an expectation nor a state for the model fails once more, because it would test nothing. So does one with expectations
 * whose two runs count the same. */
unsigned p5_case_judge(const p5_case *c, const p5_model *model, const p5_counts counts[2],
                       const uint64_t registers[2][P5_CASE_REGISTERS], bool all, FILE *out);
/* Compares the states at the end of the run with N2 trips, which p5_case_measure has found, with those expected for
 * `model`. Writes and returns the failures likewise. */
unsigned p5_case_judge_states(const p5_case *c, const p5_model *model,
                              const p5_case_found found[P5_CASE_STATES], bool all, FILE *out);

/* The outcome of one case on one model. */
typedef struct p5_check_result {
    const char *name, *path, *model; /* model is "" if the file could not be read or assembled */
    const char *failure;             /* lines that describe the failure; NULL = passed */
    double seconds;
} p5_check_result;
/* Writes outcomes in the JUnit XML form that continuous-integration services read. `suite` names the run. */
p5_status p5_check_write_junit(FILE *out, const char *suite, const p5_check_result *results, size_t count,
                               p5_error *error);

/* Writes outcomes as rows. */
p5_status p5_check_write_rows(FILE *out, p5_row_format format, const p5_check_result *results, size_t count,
                              p5_error *error);

/* The measurement of one input by two runs. */
typedef struct p5_bench_side {
    const char *name;
    const char *per; /* the unit of its figures, for example "per copy (from loops of 4 and 8 copies)" */
    const p5_counts *counts; /* of the two runs */
    const unsigned *trips;   /* units that each of the two runs executed */
} p5_bench_side;
/* Writes clocks, CPI stack and events per unit, as text or as rows. With two inputs (`count`) it writes both,
 * B - A, and that difference in per cent of A. Rows that are 0 on all sides are written only with `zeros`. */
void p5_bench_write(FILE *out, p5_row_format format, const p5_model *model, const p5_bench_side *sides,
                    size_t count, bool zeros);

/* ---- The pipeline, instruction by instruction ---- */

/* The instructions of some trips in a case's steady state, in the order of issue. */
typedef struct p5_window p5_window;
/* `count` trips of a run from number `first` on; numbers begin at 1. `first` 0: those just before the run's last trip, or
 * fewer if the run has fewer. */
typedef struct p5_trip_range {
    unsigned first, count;
} p5_trip_range;
/* Runs the case's two programs to find the instructions that execute once per trip, then captures the wanted trips.
 * P5_ERR_STATE if no instruction executes exactly once per trip; P5_ERR_RANGE if the run does not have these trips. Its
 * last trip is never captured, unless it is the only one. */
p5_status p5_window_capture(p5_case_program *const programs[2], const unsigned trips[2],
                            const p5_case_conditions *conditions, p5_trip_range wanted, p5_window **window,
                            p5_error *error);
void p5_window_free(p5_window *window);
/* Writes a diagram of the first `show_trips` trips: clock, pipe, instruction, stages, why it issued alone,
 * which cause stalled it. */
p5_status p5_window_write_diagram(FILE *out, const p5_window *window, unsigned show_trips, p5_error *error);
/* Writes all trips of the window on one time line, each instruction from PF to WB, with the instructions that
 * held it back. `colour`: waits have the colours of their causes, for a terminal. */
p5_status p5_window_write_timeline(FILE *out, const p5_window *window, bool colour, p5_error *error);
/* Writes the window as JSON lines (docs/schemas/bench.json). */
p5_status p5_window_write_json(FILE *out, const p5_window *window, p5_error *error);
/* Writes the whole window as a Kanata 0004 log for the viewer Konata. */
p5_status p5_window_write_kanata(FILE *out, const p5_window *window, p5_error *error);

#ifdef __cplusplus
}
#endif
#endif
