/* Profiles: what the tool needs in addition to p5scope/profile.h. */
#ifndef P5TOOL_PROFILE_H
#define P5TOOL_PROFILE_H

#include "p5scope/profile.h"
#include "p5tool/report.h"

/* The quantities that a profile counts for each instruction: the events (enum p5_event), the clocks of each stall
 * cause (P5_PROFILE_STALLS plus p5_stall), and the quantities below. */
enum {
    P5_PROFILE_NONE = -1,   /* no quantity */
    P5_PROFILE_CLOCKS = -2, /* all clocks; not stored, because it is the sum over all stall causes */
    P5_PROFILE_STALLS = P5_EVENT_COUNT,
    P5_PROFILE_EXECUTIONS = P5_PROFILE_STALLS + P5_STALL_COUNT, /* completed executions of an instruction */
    P5_PROFILE_IN_V,                                            /* executions in the V pipe */
    /* Executions in the U pipe: P5_PROFILE_UNPAIRED counts those paired with an instruction in V, and
     * P5_PROFILE_UNPAIRED + n those unpaired for reason n of p5_unpaired_text. */
    P5_PROFILE_UNPAIRED,
    P5_PROFILE_QUANTITIES = P5_PROFILE_UNPAIRED + P5_UNPAIRED_REASONS
};

/* Returns false if the file at `path` is an ELF file without functions and line numbers, because it was stripped.
 * Such a file is useless as a source of symbols. Returns true for all other files. */
bool p5_symbols_any(const char *path);

/* Stores the run's identity in a profile that p5_profile_take has made. The only error is P5_ERR_MEMORY. */
p5_status p5_profile_identify(p5_profile *profile, const p5_run_identity *identity, const p5_model *model,
                              p5_error *error);

/* Stores the sentence `ending`, which says what other than the guest itself ended the run. The only error is
 * P5_ERR_MEMORY. */
p5_status p5_profile_cut_short(p5_profile *profile, const char *ending, p5_error *error);

/* Returns the sentence that p5_profile_cut_short has stored. NULL means that the guest ran to its end, so the
 * profile shows the cost of the whole guest. */
const char *p5_profile_ending(const p5_profile *profile);

/* Selects whether C++ functions have their `mangled` names, as in the symbol table, or demangled ones. */
p5_status p5_profile_show_mangled(p5_profile *profile, bool mangled, p5_error *error);

/* Adds a rule of the form FROM=TO, two folders: source files whose paths begin with FROM are read from TO. The first
 * rule that fits a file applies. Returns P5_ERR_SYNTAX if `rule` has another form. */
p5_status p5_profile_move_sources(p5_profile *profile, const char *rule, p5_error *error);

/* Selects the columns of p5_profile_write_callgrind and p5_profile_write_cachegrind: clocks and
 * instructions_executed, and then `events`, a list that ends with NULL. If it is NULL or empty, there are a few columns
 * for pairing, misses, flushes and stalls. The name "all" means every event and every stall cause, about a hundred
 * columns. Errors are those of p5_profile_event_check. */
p5_status p5_profile_show_events(p5_profile *profile, const char *const *events, p5_error *error);

/* Returns the processor's family, P5_FAMILY_*. */
unsigned p5_profile_family(const p5_profile *profile);

/* Checks a name of an event (`event`, `events`) for the functions of this header, on a processor of `family`. Valid are
 * "clocks", the quantities above ("executions", "stall_CAUSE" and so on), and each event that p5_selection_add accepts,
 * with its modifiers :u, :k and :c. Writes the name as reports spell it to `spelled` (may be NULL). Returns P5_ERR_NAME,
 * with similar names as a hint, for an unknown name. */
enum { P5_PROFILE_EVENT_NAME = 112 };
p5_status p5_profile_event_check(unsigned family, const char *name, char spelled[P5_PROFILE_EVENT_NAME],
                                 p5_error *error);

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
    const char *const *events; /* NULL-terminated; the rows are sorted by the first. NULL = clocks */
    p5_profile_key key;
    bool counts;           /* a column with the number beside each share */
    bool inclusive;        /* by symbol: a column with the cost including callees, before the own cost */
    bool samples;          /* show the samples instead of the exact counts */
    const char *function;  /* only this function, named as for p5_symbol_find; NULL = everything */
    const char *separator; /* separates fields, which are then not padded; NULL = aligned columns */
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
    const char *symbol; /* function to list, named as for p5_symbol_find; NULL = the one that costs most */
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
    bool functions;            /* also compare each function */
    double least_percent;      /* functions whose change is a smaller share of A's total are left out */
    p5_row_format format;
} p5_profile_comparison;

/* Writes the differences between the profiles A (before) and B (after). Sets *exceeded to the number of totals that
 * grew by more than the threshold. */
p5_status p5_profile_write_diff(FILE *out, const p5_profile *a, const p5_profile *b,
                                const p5_profile_comparison *comparison, unsigned *exceeded, p5_error *error);

/* Writes the data of the page that p5_profile_write_html makes, as one JSON object on one line
 * (docs/schemas/report-page.json). */
p5_status p5_profile_write_page_data(FILE *out, const p5_profile *profile, p5_error *error);

#endif
