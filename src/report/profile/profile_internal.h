/* A profile in memory, and the functions that the files of this folder share. */
#ifndef REPORT_PROFILE_PROFILE_INTERNAL_H
#define REPORT_PROFILE_PROFILE_INTERNAL_H

#include "base/arena.h"
#include "base/array.h"
#include "core/core.h"
#include "p5tool/profile.h"
#include "report/profile/symbols.h"

enum { PROFILE_NO_INDEX = -1, PROFILE_ROOT = 1 };

/* First line of a profile's file (write.c, read.c). */
#define PROFILE_FORMAT_NUMBER "1"
#define PROFILE_FORMAT        "p5scope-profile " PROFILE_FORMAT_NUMBER

/* An instruction that was executed. */
typedef struct profile_insn {
    profile_code code;
    int file; /* index of `files`, PROFILE_NO_INDEX = unknown */
    unsigned line;
} profile_insn;

typedef struct profile_field {
    char *section, *key, *value;
} profile_field;

/* A quantity that a user selects, at some privilege classes. */
typedef struct profile_value {
    int quantity; /* or P5_PROFILE_CLOCKS */
    unsigned cpl_mask;
    bool asserted;
    char name[112];
} profile_value;

/* A rule of p5_profile_move_sources: source files below `from` are now below `to`. */
typedef struct source_folder {
    char *from, *to;
} source_folder;

struct p5_profile {
    arena texts;  /* owns all strings */
    bool mangled; /* show functions by their symbols */
    char *version, *model, *command, *options;
    char *ending;             /* how the run was cut short; NULL: the guest ended it */
    char *identity, *program; /* run_identity.h, and its argv[0]; NULL in profiles of older versions */
    ARRAY_OF(char *) objects; /* by address space: the file in it, or the name that identifies it */
    unsigned family;
    double clock_mhz;
    ARRAY_OF(profile_field) fields;       /* of the model */
    ARRAY_OF(profile_function) functions; /* by address; all that were executed */
    ARRAY_OF(char *) files;               /* paths; may contain any bytes */
    ARRAY_OF(char *) file_names;          /* the same paths in printable form */
    ARRAY_OF(source_folder) folders;      /* rules for moved source files */
    ARRAY_OF(profile_insn) insns;         /* by address */
    ARRAY_OF(profile_context) contexts;
    ARRAY_OF(profile_edge) edges;
    ARRAY_OF(profile_site)
    sites; /* by address; address 0: activity of the bus that belongs to no
                                     instruction */
    uint64_t total[P5_PROFILE_QUANTITIES][P5_CPL_CLASSES], asserted[P5_PROFILE_QUANTITIES][P5_CPL_CLASSES];
    char *sample_event; /* NULL: none were taken */
    uint64_t sample_period, overflows;
    unsigned sample_latency;
    ARRAY_OF(profile_sample) samples;
    ARRAY_OF(profile_interval) intervals;
    ARRAY_OF(profile_marker) markers; /* of the guest, by clock */
    unsigned data_ways, code_ways;
    uint64_t data_misses[PROFILE_SETS], code_misses[PROFILE_SETS];
    ARRAY_OF(core_btb_entry) btb;  /* at the end of the run, by set and way; without unused entries */
    bool shows_everything;         /* Callgrind and Cachegrind files contain all events; */
    ARRAY_OF(profile_value) shown; /* otherwise these; none: the default ones */
};

p5_profile *profile_new(void);
/* Returns the index of the first instruction at or after `address`. */
size_t profile_insn_from(const p5_profile *p, uint64_t address);
/* Return the index of the instruction or function at `address`, or PROFILE_NO_INDEX. */
int profile_insn_at(const p5_profile *p, uint64_t address);
int profile_function_at(const p5_profile *p, uint64_t address);
/* Finds the function that `name` denotes. P5_ERR_NAME: none was executed, or several have the name. */
p5_status profile_find_function(const p5_profile *p, const char *name, int *found, p5_error *error);
/* Returns the name of the function at `address`, 0xADDRESS, or [bus]; `buffer` holds the number. */
const char *profile_name_at(const p5_profile *p, uint64_t address, char buffer[16]);
/* Returns the printable name of the object that contains `address`. */
const char *profile_object_at(const p5_profile *p, uint64_t address);
/* Returns the printable path of file number `file`, or "???" if it is unknown. */
const char *profile_file_name(const p5_profile *p, int file);
/* Returns the path by which a source file is read; the caller frees it. NULL: out of memory. */
char *profile_source_path(const p5_profile *p, int file);
/* Copies `text` in printable form into the profile's arena. NULL: out of memory. */
char *profile_printable(p5_profile *p, const char *text);
/* Adds functions for code that has no symbols. Returns false when memory is out. */
bool profile_add_code_functions(p5_profile *p, const p5_machine *machine);
/* Sorts the arrays and checks all indices. Returns false if the profile is damaged. */
bool profile_finish(p5_profile *p);
/* Makes the names that are shown. Returns false when memory is out. */
bool profile_make_names(p5_profile *p);

p5_status profile_value_find(unsigned family, const char *name, profile_value *value, p5_error *error);
uint64_t profile_amounts_value(const profile_site *site, const profile_value *value);
uint64_t profile_total_value(const p5_profile *p, const profile_value *value);
double profile_percent(uint64_t part, uint64_t whole);
/* Returns the escape sequence that highlights a hot row, as perf does, or "". */
const char *profile_colour(bool colour, double percent);
/* Returns the name of a quantity in files: an event's, stall_CAUSE, executions, in_v, paired, alone_N. */
const char *profile_quantity_name(unsigned quantity, char buffer[48]);

/* Returns the inclusive costs of each context, summed over privilege classes: one row of `count` values per
 * context. The caller frees it. NULL: out of memory. */
uint64_t *profile_sum_by_context(const p5_profile *p, const profile_value *values, size_t count);
/* Returns the costs of each instruction, summed over privilege classes and contexts: one row of `count`
 * values each. The caller frees it. NULL: out of memory. */
uint64_t *profile_sum_by_insn(const p5_profile *p, const profile_value *values, size_t count);

#endif
