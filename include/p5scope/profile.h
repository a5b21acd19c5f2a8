/* Profiles: what every instruction of a run cost, exactly, with its calling context. A profile is recorded
 * while a machine runs, written to a file and read back, and turned into what people and other tools read.
 * Nothing of it changes a count or a clock of the run. */
#ifndef P5SCOPE_PROFILE_H
#define P5SCOPE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "p5scope/core.h"
#include "p5scope/event.h"
#include "p5scope/machine.h"
#include "p5scope/report.h"
#include "p5scope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a profile counts: a quantity is an event (enum p5_event), an owner of clocks (P5_PROFILE_STALLS plus
 * p5_stall; they add up to the clocks), or one of the rest. */
enum {
    P5_PROFILE_NONE = -1,
    P5_PROFILE_CLOCKS = -2, /* all owners of clocks together */
    P5_PROFILE_STALLS = P5_EVENT_COUNT,
    P5_PROFILE_EXECUTIONS = P5_PROFILE_STALLS + P5_STALL_COUNT, /* of an instruction, completed */
    P5_PROFILE_IN_V,                                            /* ... of them in the V pipe */
    /* Executions in U by what went with them: plus 0, an instruction in V; plus n, nothing, for the reason n
     * of p5_unpaired_text. */
    P5_PROFILE_UNPAIRED,
    P5_PROFILE_QUANTITIES = P5_PROFILE_UNPAIRED + 14
};

typedef struct p5_profile p5_profile;

/* ---- Recording ---- */

/* Options of p5_profile_start; zero-initialise, set `size`, then what you need. */
typedef struct p5_profile_options {
    size_t size;              /* sizeof (p5_profile_options) */
    const char *sample_event; /* an event's name or "clocks": take samples as a tool on a processor would, by
                                 overflow of a counter; NULL = none. The run is priced without the memo then:
                                 same counts, slower */
    uint64_t sample_period;   /* increments from one sample to the next, at least 1 */
    bool no_intervals;        /* no totals over time */
    /* Files with symbols beside the guest's, NULL-terminated; NULL = none. An ELF program that the guest
     * executes in address spaces of its own is known by its bytes; the symbols of a kernel (an ELF file with
     * physical addresses of its own), System.map, what nm prints and maps of linkers for DOS by their
     * addresses. */
    const char *const *symbols;
} p5_profile_options;

/* False if the ELF file at `path` has neither functions nor lines, because it was stripped: as one of
 * `symbols` it says nothing about code then. Other files are not looked at. */
bool p5_symbols_any(const char *path);

/* Starts recording on a machine whose guest has been loaded from the file `guest`: functions and lines come
 * from its symbols and DWARF, if it is an ELF file. Once per machine. P5_ERR_STATE the second time,
 * P5_ERR_NAME for an unknown event, P5_ERR_RANGE for a period of 0, P5_ERR_FORMAT for a file of `symbols`
 * that has none, or is not linked to fixed addresses. */
p5_status p5_profile_start(p5_machine *machine, const char *guest, const p5_profile_options *options,
                           p5_error *error);
/* What has been recorded so far; p5_machine_settle first if the run is not continued. `command` is the
 * guest's command line, `options` p5scope's own, as given; both stand in the profile. P5_ERR_MEMORY if memory
 * ran out while recording: the profile would not be complete. */
p5_status p5_profile_take(p5_machine *machine, const char *command, const char *options, p5_profile **profile,
                          p5_error *error);

/* Puts what makes the run that run into its profile, which the machine's p5_profile_take has made.
 * P5_ERR_MEMORY. */
p5_status p5_profile_identify(p5_profile *profile, const p5_run_identity *identity, const p5_model *model,
                              p5_error *error);

/* ---- Files ---- */

/* The format p5scope-profile(5). */
p5_status p5_profile_write(FILE *out, const p5_profile *profile, p5_error *error);
/* Errors name file and line. P5_ERR_FORMAT if it is not a profile, or one of another version of the format.
 */
p5_status p5_profile_read(const char *path, p5_profile **profile, p5_error *error);
void p5_profile_free(p5_profile *profile);

/* Functions are shown as the source has them, C++ symbols demangled; or, `mangled`, as the symbol table has
 * them. */
p5_status p5_profile_show_mangled(p5_profile *profile, bool mangled, p5_error *error);
/* Source files are looked for elsewhere: `rule` is FROM=TO, two folders. Of several rules the first that fits
 * counts. P5_ERR_SYNTAX if it is none. */
p5_status p5_profile_move_sources(p5_profile *profile, const char *rule, p5_error *error);

/* What the two writers below show: `events`, NULL-terminated, behind clocks and instructions_executed. NULL
 * or none: a few that fit beside each other, of pairing, misses, flushes and stalls. "all" is every event and
 * every owner of clocks, some hundred numbers a line. Errors as p5_profile_event_check. */
p5_status p5_profile_show_events(p5_profile *profile, const char *const *events, p5_error *error);
/* Callgrind's profile format, version 1: for callgrind_annotate and KCachegrind. Costs by instruction and
 * line, calls with inclusive cost, conditional jumps executed and taken. The first event is clocks. Functions
 * of one name have numbers of their own. */
p5_status p5_profile_write_callgrind(FILE *out, const p5_profile *profile, p5_error *error);
/* Cachegrind's output format, for cg_annotate: costs by file, function and line. */
p5_status p5_profile_write_cachegrind(FILE *out, const p5_profile *profile, p5_error *error);

/* ---- What a value is ---- */

/* P5_FAMILY_*: of the processor. */
unsigned p5_profile_family(const p5_profile *profile);
/* Checks `name`: what the functions below take as an event of a profile on a processor of `family`. "clocks",
 * "executions", "stall_CAUSE", or what p5_selection_add takes as one event, with :u, :k, :c. P5_ERR_NAME with
 * near names. */
p5_status p5_profile_event_check(unsigned family, const char *name, p5_error *error);

/* ---- Tables ---- */

typedef enum p5_profile_key {
    P5_PROFILE_BY_SYMBOL,
    P5_PROFILE_BY_LINE,
    P5_PROFILE_BY_ADDRESS,
    P5_PROFILE_BY_FILE,
    P5_PROFILE_BY_MODE /* privilege class */
} p5_profile_key;

typedef struct p5_profile_table {
    const char *const *events; /* NULL-terminated; the first decides the order. NULL = clocks */
    p5_profile_key key;
    bool counts;           /* a column with the number beside each share */
    bool inclusive;        /* by symbol: cost with callees in front of the own cost */
    bool samples;          /* of the samples instead of the exact counts */
    const char *function;  /* only what lies in it, named as for p5_symbol_find; NULL = everything */
    const char *separator; /* fields without padding, separated by this; NULL = a table for people */
    double least_percent;  /* rows below are left out */
    p5_row_format format;
    bool colour; /* hot rows stand out on a terminal */
} p5_profile_table;
/* perf's layout: comment lines, then share, command, object, symbol. P5_ERR_STATE if `samples` are wanted and
 * there are none. */
p5_status p5_profile_write_table(FILE *out, const p5_profile *profile, const p5_profile_table *table,
                                 p5_error *error);
/* One line per calling context: functions from the outermost on, separated by ';', then the event's number:
 * for flame graphs. */
p5_status p5_profile_write_folded(FILE *out, const p5_profile *profile, const char *event, p5_error *error);

/* The same as a flame graph: one SVG that needs nothing else. NULL = clocks. */
p5_status p5_profile_write_flame_graph(FILE *out, const p5_profile *profile, const char *event,
                                       p5_error *error);

typedef struct p5_profile_listing {
    const char *symbol; /* function to list, named as for p5_symbol_find; NULL = the guest's costliest one */
    const char *event;  /* NULL = clocks */
    bool source;        /* source lines between the instructions where the source file can be read */
    bool bytes;         /* code bytes in front of the instructions */
    bool colour;        /* hot instructions stand out on a terminal */
    p5_row_format format;
} p5_profile_listing;
/* Instructions of a function with share, clocks, executions, pipe, pairing, stalls, events. Instructions that
 * were never executed do not show. P5_ERR_NAME if no function of that name was executed, or several were: the
 * hint lists them. */
p5_status p5_profile_write_listing(FILE *out, const p5_profile *profile, const p5_profile_listing *listing,
                                   p5_error *error);

typedef struct p5_profile_comparison {
    const char *const *events; /* NULL-terminated; NULL = every event that differs, and clocks */
    double threshold_percent;  /* what a total may grow by; below 0: anything goes */
    bool functions;            /* also function by function */
    double least_percent;      /* functions whose change is less of the total of A are left out */
    p5_row_format format;
} p5_profile_comparison;
/* Writes how B differs from A; *exceeded gets the number of totals that grew by more than the threshold. */
p5_status p5_profile_write_diff(FILE *out, const p5_profile *a, const p5_profile *b,
                                const p5_profile_comparison *comparison, unsigned *exceeded, p5_error *error);

/* One page of HTML that needs nothing else: clocks by owner, all events, rates over time, functions, lines,
 * code with pipes and pairing, cache sets and branch target buffer, the model. */
p5_status p5_profile_write_html(FILE *out, const p5_profile *profile, p5_error *error);
/* What the page shows as one JSON object in a line (docs/schemas/report-page.json). */
p5_status p5_profile_write_page_data(FILE *out, const p5_profile *profile, p5_error *error);

#ifdef __cplusplus
}
#endif
#endif
