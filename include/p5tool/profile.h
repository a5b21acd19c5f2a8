/* Profiles: what the tool needs in addition to p5scope/profile.h. */
#ifndef P5TOOL_PROFILE_H
#define P5TOOL_PROFILE_H

#include "p5scope/profile.h"
#include "p5tool/report.h"

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

/* Returns false if the ELF file at `path` has neither functions nor lines because it was stripped: it is then
 * useless among `symbols`. Other files are not read, and the result is true. */
bool p5_symbols_any(const char *path);

/* Stores the run's identity in a profile that p5_profile_take has made. P5_ERR_MEMORY. */
p5_status p5_profile_identify(p5_profile *profile, const p5_run_identity *identity, const p5_model *model,
                              p5_error *error);

/* Stores that something other than the guest ended the run, as a sentence about it. P5_ERR_MEMORY. */
p5_status p5_profile_cut_short(p5_profile *profile, const char *ending, p5_error *error);

/* Returns that sentence, or NULL if the guest ended the run: only then is a profile the cost of the whole
 * guest. */
const char *p5_profile_ending(const p5_profile *profile);

/* Selects how functions are named: `mangled` as in the symbol table, otherwise with C++ symbols demangled. */
p5_status p5_profile_show_mangled(p5_profile *profile, bool mangled, p5_error *error);

/* Adds a rule FROM=TO of two folders: source files under FROM are read under TO. The first rule that fits
 * applies. P5_ERR_SYNTAX if `rule` has another form. */
p5_status p5_profile_move_sources(p5_profile *profile, const char *rule, p5_error *error);

/* Selects what the two writers below show: `events`, NULL-terminated, after clocks and instructions_executed.
 * NULL or an empty list: a few of pairing, misses, flushes and stalls that fit side by side. "all" is every
 * event and every stall cause, about a hundred numbers per line. Errors as p5_profile_event_check. */
p5_status p5_profile_show_events(p5_profile *profile, const char *const *events, p5_error *error);

/* Returns the processor's family, P5_FAMILY_*. */
unsigned p5_profile_family(const p5_profile *profile);

/* Checks an event's name for the functions below, on a processor of `family`. Valid are "clocks",
 * "executions", "stall_CAUSE", and what p5_selection_add takes as one event, with :u, :k, :c. P5_ERR_NAME
 * with similar names. */
p5_status p5_profile_event_check(unsigned family, const char *name, p5_error *error);

/* Returns the formats of the files that this version writes: "snapshot format 3, revision 2; profile format 1". */
const char *p5_file_formats(void);

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

/* Writes a flame graph as one self-contained SVG. `event` NULL = clocks. */
p5_status p5_profile_write_flame_graph(FILE *out, const p5_profile *profile, const char *event,
                                       p5_error *error);

typedef struct p5_profile_listing {
    const char *symbol; /* function to list, named as for p5_symbol_find; NULL = the guest's costliest one */
    const char *event;  /* NULL = clocks */
    bool source;        /* source lines between the instructions where the source file can be read */
    bool bytes;         /* code bytes before the instructions */
    bool att;           /* AT&T syntax instead of Intel's */
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

/* Writes the data of that page as one JSON object on one line (docs/schemas/report-page.json). */
p5_status p5_profile_write_page_data(FILE *out, const p5_profile *profile, p5_error *error);

#endif
