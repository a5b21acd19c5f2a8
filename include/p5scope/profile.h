/* Profiles: the exact cost of every instruction of a run, with its calling context. A profile is recorded
 * while a machine runs, written to a file, read back, and converted for people and other tools. Recording
 * changes no count or clock of the run. */
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

/* The quantities of a profile: an event (enum p5_event), a stall cause (P5_PROFILE_STALLS plus p5_stall;
 * together they add up to the clocks), or one of the rest. */
enum {
    P5_PROFILE_NONE = -1,
    P5_PROFILE_CLOCKS = -2, /* the sum of all stall causes */
    P5_PROFILE_STALLS = P5_EVENT_COUNT,
    P5_PROFILE_EXECUTIONS = P5_PROFILE_STALLS + P5_STALL_COUNT, /* completed executions of an instruction */
    P5_PROFILE_IN_V,                                            /* those in the V pipe */
    /* Executions in the U pipe by their pairing: plus 0, paired with an instruction in V; plus n, unpaired
     * for reason n of p5_unpaired_text. */
    P5_PROFILE_UNPAIRED,
    P5_PROFILE_QUANTITIES = P5_PROFILE_UNPAIRED + 14
};

typedef struct p5_profile p5_profile;

/* ---- Recording ---- */

/* Options of p5_profile_start. Zero-initialise, set `size`, then set what you need. */
typedef struct p5_profile_options {
    size_t size;              /* sizeof (p5_profile_options) */
    const char *sample_event; /* an event's name or "clocks": also take samples by counter overflow, as a tool
                                 on a processor would; NULL = none. The run is then priced without the memo:
                                 same counts, slower */
    uint64_t sample_period;   /* increments from one sample to the next, at least 1 */
    bool no_intervals;        /* do not record totals over time */
    /* Files with symbols in addition to the guest's, NULL-terminated; NULL = none. An ELF program that the
     * guest executes in address spaces of its own is recognised by its bytes. The symbols of a kernel (an ELF
     * file with physical addresses), System.map, nm's output and linker maps for DOS apply by address. */
    const char *const *symbols;
} p5_profile_options;

/* Returns false if the ELF file at `path` has neither functions nor lines because it was stripped: it is then
 * useless among `symbols`. Other files are not read, and the result is true. */
bool p5_symbols_any(const char *path);

/* Starts recording on a machine whose guest has been loaded from the file `guest`. Functions and lines come
 * from its symbols and DWARF if it is an ELF file. Once per machine: P5_ERR_STATE the second time.
 * P5_ERR_NAME for an unknown event, P5_ERR_RANGE for a period of 0, P5_ERR_FORMAT for a file of `symbols`
 * that has none or is not linked to fixed addresses. */
p5_status p5_profile_start(p5_machine *machine, const char *guest, const p5_profile_options *options,
                           p5_error *error);
/* Returns what has been recorded so far; the caller frees it. Call p5_machine_settle first if the run is not
 * continued. `command` (the guest's command line) and `options` (p5scope's own, as given) are stored in the
 * profile. P5_ERR_MEMORY if memory ran out while recording, because the profile would be incomplete. */
p5_status p5_profile_take(p5_machine *machine, const char *command, const char *options, p5_profile **profile,
                          p5_error *error);

/* Stores the run's identity in a profile that p5_profile_take has made. P5_ERR_MEMORY. */
p5_status p5_profile_identify(p5_profile *profile, const p5_run_identity *identity, const p5_model *model,
                              p5_error *error);

/* Stores that something other than the guest ended the run, as a sentence about it. P5_ERR_MEMORY. */
p5_status p5_profile_cut_short(p5_profile *profile, const char *ending, p5_error *error);
/* Returns that sentence, or NULL if the guest ended the run: only then is a profile the cost of the whole
 * guest. */
const char *p5_profile_ending(const p5_profile *profile);

/* ---- Files ---- */

/* Writes the format p5scope-profile(5). */
p5_status p5_profile_write(FILE *out, const p5_profile *profile, p5_error *error);
/* Reads a profile. Errors name file and line. P5_ERR_FORMAT if it is not a profile, or has another version of
 * the format. */
p5_status p5_profile_read(const char *path, p5_profile **profile, p5_error *error);
void p5_profile_free(p5_profile *profile);

/* Selects how functions are named: `mangled` as in the symbol table, otherwise with C++ symbols demangled. */
p5_status p5_profile_show_mangled(p5_profile *profile, bool mangled, p5_error *error);
/* Adds a rule FROM=TO of two folders: source files under FROM are read under TO. The first rule that fits
 * applies. P5_ERR_SYNTAX if `rule` has another form. */
p5_status p5_profile_move_sources(p5_profile *profile, const char *rule, p5_error *error);

/* Selects what the two writers below show: `events`, NULL-terminated, after clocks and instructions_executed.
 * NULL or an empty list: a few of pairing, misses, flushes and stalls that fit side by side. "all" is every
 * event and every stall cause, about a hundred numbers per line. Errors as p5_profile_event_check. */
p5_status p5_profile_show_events(p5_profile *profile, const char *const *events, p5_error *error);
/* Writes Callgrind's profile format, version 1, for callgrind_annotate and KCachegrind: costs by instruction
 * and line, calls with inclusive cost, conditional jumps executed and taken. The first event is clocks.
 * Functions with the same name are numbered. */
p5_status p5_profile_write_callgrind(FILE *out, const p5_profile *profile, p5_error *error);
/* Writes Cachegrind's output format for cg_annotate: costs by file, function and line. */
p5_status p5_profile_write_cachegrind(FILE *out, const p5_profile *profile, p5_error *error);

/* ---- Events of a profile ---- */

/* Returns the processor's family, P5_FAMILY_*. */
unsigned p5_profile_family(const p5_profile *profile);
/* Checks an event's name for the functions below, on a processor of `family`. Valid are "clocks",
 * "executions", "stall_CAUSE", and what p5_selection_add takes as one event, with :u, :k, :c. P5_ERR_NAME
 * with similar names. */
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
    bool inclusive;        /* by symbol: inclusive cost before the own cost */
    bool samples;          /* show the samples instead of the exact counts */
    const char *function;  /* only this function, named as for p5_symbol_find; NULL = everything */
    const char *separator; /* separates fields, which are then not padded; NULL = a table for people */
    double least_percent;  /* rows with a smaller share are left out */
    p5_row_format format;
    bool colour; /* highlights hot rows on a terminal */
} p5_profile_table;
/* Writes a table in perf's layout: comment lines, then share, command, object, symbol. P5_ERR_STATE if
 * `samples` is set and the profile has none. */
p5_status p5_profile_write_table(FILE *out, const p5_profile *profile, const p5_profile_table *table,
                                 p5_error *error);
/* Writes one line per calling context for flame graphs: functions from the outermost on, separated by ';',
 * then the event's number. */
p5_status p5_profile_write_folded(FILE *out, const p5_profile *profile, const char *event, p5_error *error);

/* Writes a flame graph as one self-contained SVG. `event` NULL = clocks. */
p5_status p5_profile_write_flame_graph(FILE *out, const p5_profile *profile, const char *event,
                                       p5_error *error);

typedef struct p5_profile_listing {
    const char *symbol; /* function to list, named as for p5_symbol_find; NULL = the guest's costliest one */
    const char *event;  /* NULL = clocks */
    bool source;        /* source lines between the instructions where the source file can be read */
    bool bytes;         /* code bytes before the instructions */
    bool colour;        /* highlights hot instructions on a terminal */
    p5_row_format format;
} p5_profile_listing;
/* Writes a function's instructions with share, clocks, executions, pipe, pairing, stalls and events.
 * Instructions that were never executed are left out. P5_ERR_NAME if no function of that name was executed,
 * or if several were: the hint lists them. */
p5_status p5_profile_write_listing(FILE *out, const p5_profile *profile, const p5_profile_listing *listing,
                                   p5_error *error);

typedef struct p5_profile_comparison {
    const char *const *events; /* NULL-terminated; NULL = every event that differs, and clocks */
    double threshold_percent;  /* allowed growth of a total; below 0: no limit */
    bool functions;            /* also function by function */
    double least_percent;      /* functions whose change is a smaller share of A's total are left out */
    p5_row_format format;
} p5_profile_comparison;
/* Writes how B differs from A; *exceeded gets the number of totals that grew by more than the threshold. */
p5_status p5_profile_write_diff(FILE *out, const p5_profile *a, const p5_profile *b,
                                const p5_profile_comparison *comparison, unsigned *exceeded, p5_error *error);

/* Writes one self-contained page of HTML: clocks by stall cause, all events, rates over time, functions,
 * lines, code with pipes and pairing, cache sets and branch target buffer, the model. */
p5_status p5_profile_write_html(FILE *out, const p5_profile *profile, p5_error *error);
/* Writes the data of that page as one JSON object on one line (docs/schemas/report-page.json). */
p5_status p5_profile_write_page_data(FILE *out, const p5_profile *profile, p5_error *error);

#ifdef __cplusplus
}
#endif
#endif
