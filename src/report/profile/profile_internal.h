/* A profile in memory, and the functions that the files of this folder share.
 *
 * A profile has the exact costs of every executed instruction. A *quantity* is something that is counted: an
 * event, the clocks of a stall cause, executions, and so on (P5_PROFILE_* in p5tool/profile.h). A *context*
 * is a function together with the call site and the context from which it was reached; an *edge* counts the
 * calls from one context to another. A *site* is an instruction in a context at a privilege class (CPL 0,
 * 1-2, 3), with its amount of each quantity.
 *
 * Addresses are linear addresses with the number of an address space above bit 31 (PROFILE_AT). Space 0 is
 * the guest's; a program with symbols of its own, or with a page directory of its own, has another one. Each
 * space has a name, its *object*: the path of the program's file, or a text in brackets. */
#ifndef REPORT_PROFILE_PROFILE_INTERNAL_H
#define REPORT_PROFILE_PROFILE_INTERNAL_H

#include "base/arena.h"
#include "base/array.h"
#include "core/core.h"
#include "p5tool/profile.h"
#include "report/profile/symbols.h"

/* No element of an array; and the number of the context that no function belongs to, the parent of all
 * others. Context 0 is not used. */
enum { PROFILE_NO_INDEX = -1, PROFILE_ROOT = 1 };

/* First line of a profile's file (write.c, read.c). */
#define PROFILE_FORMAT_NUMBER "1"
#define PROFILE_FORMAT        "p5scope-profile " PROFILE_FORMAT_NUMBER

/* An instruction that was executed, and its source line. */
typedef struct profile_insn {
    profile_code code;
    int file;      /* index of `files`, PROFILE_NO_INDEX = unknown */
    unsigned line; /* from 1; 0: unknown */
} profile_insn;

/* A field of the model's file. */
typedef struct profile_field {
    char *section, *key, *value;
} profile_field;

/* A column of a report: a quantity at some privilege classes, as a user selects it (`data_read:u`). */
typedef struct profile_value {
    int quantity;                     /* or P5_PROFILE_CLOCKS, the sum over all stall causes */
    unsigned cpl_mask;                /* P5_CPL_MASK_* */
    bool asserted;                    /* clocks in which the event's signal was on, instead of increments */
    char name[P5_PROFILE_EVENT_NAME]; /* as reports spell it */
} profile_value;

/* A rule of p5_profile_move_sources: source files in the folder `from` are now in `to`. */
typedef struct source_folder {
    char *from, *to;
} source_folder;

/* An empty profile is all zero. */
struct p5_profile {
    arena texts;              /* owns all strings */
    bool mangled;             /* show C++ functions by their symbols, not demangled */
    char *version, *model;    /* of p5scope; name of the model */
    char *command, *options;  /* the guest with its arguments; options of the run */
    char *ending;             /* how the run was cut short; NULL: the guest ended it */
    char *identity, *program; /* run_identity.h, and its argv[0]; NULL in profiles of older versions */
    ARRAY_OF(char *) objects; /* by address space: the file in it, or the name that identifies it */
    unsigned family;
    double clock_mhz;
    ARRAY_OF(profile_field) fields;       /* of the model */
    ARRAY_OF(profile_function) functions; /* by address; all that were executed */
    ARRAY_OF(char *) files;               /* paths; may contain any bytes */
    ARRAY_OF(char *) file_names;          /* the same paths in printable form */
    struct timespec written;              /* when the profile's file was written; 0: unknown */
    ARRAY_OF(source_folder) folders;      /* rules for moved source files */
    ARRAY_OF(profile_insn) insns;         /* by address */
    ARRAY_OF(profile_context) contexts;
    ARRAY_OF(profile_edge) edges;
    ARRAY_OF(profile_site) sites; /* by address; address 0: bus activity that belongs to no instruction */
    /* increments and asserted clocks of the whole run, by quantity and privilege class */
    uint64_t total[P5_PROFILE_QUANTITIES][P5_CPL_CLASSES], asserted[P5_PROFILE_QUANTITIES][P5_CPL_CLASSES];
    char *sample_event;      /* whose increments overflow the sampling counter; NULL: no samples were taken */
    uint64_t sample_period;  /* increments from sample to sample */
    uint64_t overflows;      /* including those whose samples were not kept because there were too many */
    unsigned sample_latency; /* clocks from an overflow to its interrupt */
    ARRAY_OF(profile_sample) samples;
    ARRAY_OF(profile_interval) intervals;
    ARRAY_OF(profile_marker) markers;                              /* of the guest, by clock */
    unsigned data_ways, code_ways;                                 /* of the caches */
    uint64_t data_misses[PROFILE_SETS], code_misses[PROFILE_SETS]; /* by set */
    ARRAY_OF(core_btb_entry) btb;  /* at the end of the run, by set and way; without unused entries */
    bool shows_everything;         /* Callgrind and Cachegrind files contain all events */
    ARRAY_OF(profile_value) shown; /* if not, the events that they contain; none: the default ones */
};

/* Returns the index of the first instruction at or after `address`; insns.count: there is none. */
size_t profile_insn_from(const p5_profile *p, uint64_t address);
/* Return the index of the instruction or function at `address`, or PROFILE_NO_INDEX. */
int profile_insn_at(const p5_profile *p, uint64_t address);
int profile_function_at(const p5_profile *p, uint64_t address);
/* Sets *found to the index of the function that `name` denotes (functions_find). P5_ERR_NAME: none was
 * executed, or several have the name. */
p5_status profile_find_function(const p5_profile *p, const char *name, int *found, p5_error *error);
/* Returns the name of the function at `address`; 0xADDRESS in `buffer` if there is none; "[bus]" for address
 * 0. */
const char *profile_name_at(const p5_profile *p, uint64_t address, char buffer[16]);
/* Returns the printable name of the object that contains `address`. */
const char *profile_object_at(const p5_profile *p, uint64_t address);
/* Returns the printable path of file number `file`, or "???" if it is unknown. */
const char *profile_file_name(const p5_profile *p, int file);
/* Returns the path by which a source file is read; the caller frees it. NULL: out of memory. */
char *profile_source_path(const p5_profile *p, int file);
/* Copies `text` in printable form into the profile's arena. NULL: out of memory. */
char *profile_printable(p5_profile *p, const char *text);
/* Adds functions for executed code that has no symbols. Returns false when memory is out. */
bool profile_add_code_functions(p5_profile *p);
/* Sorts functions, instructions and sites, and checks that all indices and address spaces exist. Returns
 * false if not. */
bool profile_finish(p5_profile *p);
/* Sets the names of functions and files as reports show them. Returns false when memory is out. */
bool profile_make_names(p5_profile *p);

/* Parses the name of a quantity with modifiers, or "clocks", for processors of `family` into *value. */
p5_status profile_value_find(unsigned family, const char *name, profile_value *value, p5_error *error);
/* Return what `value` selects of a site's costs, and of the totals of the run. */
uint64_t profile_amounts_value(const profile_site *site, const profile_value *value);
uint64_t profile_total_value(const p5_profile *p, const profile_value *value);
/* Returns `part` in per cent of `whole`; 0 if that is 0. */
double profile_percent(uint64_t part, uint64_t whole);
/* Returns the terminal's escape sequence that highlights a row with this share of the costs, as perf does:
 * red from 5 %, green from 0.5 % on. "": none, or no `colour` is wanted. */
const char *profile_colour(bool colour, double percent);
/* Returns the name of a quantity in files: an event's, stall_CAUSE, executions, in_v, paired, alone_N. */
const char *profile_quantity_name(unsigned quantity, char buffer[48]);

/* Returns the costs of each context including the contexts called from it, summed over privilege classes: one
 * row of `count` values per context. The caller frees it. NULL: out of memory. */
uint64_t *profile_sum_by_context(const p5_profile *p, const profile_value *values, size_t count);
/* Returns the costs of each instruction, summed over privilege classes and contexts: one row of `count`
 * values each. The caller frees it. NULL: out of memory. */
uint64_t *profile_sum_by_insn(const p5_profile *p, const profile_value *values, size_t count);

#endif
