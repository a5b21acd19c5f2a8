/* A profile in memory: what the files of this folder share. */
#ifndef REPORT_PROFILE_PROFILE_INTERNAL_H
#define REPORT_PROFILE_PROFILE_INTERNAL_H

#include "base/arena.h"
#include "base/array.h"
#include "core/core.h"
#include "p5scope/profile.h"
#include "report/profile/symbols.h"

enum { PROFILE_NO_INDEX = -1, PROFILE_ROOT = 1 };

/* First line of a profile's file (write.c, read.c). */
#define PROFILE_FORMAT "p5scope-profile 1"

/* An instruction that was executed. */
typedef struct profile_insn {
    profile_code code;
    int file; /* index of `files`, PROFILE_NO_INDEX = not known */
    unsigned line;
} profile_insn;

typedef struct profile_field {
    char *section, *key, *value;
} profile_field;

/* What a user may ask for. */
typedef struct profile_value {
    int quantity; /* or P5_PROFILE_CLOCKS */
    unsigned cpl_mask;
    bool asserted;
    char name[112];
} profile_value;

/* Source files below `from` are below `to` now. */
typedef struct source_folder {
    char *from, *to;
} source_folder;

struct p5_profile {
    arena texts;  /* all of them */
    bool mangled; /* functions have the names of their symbols */
    char *version, *model, *command, *options;
    char *identity, *program; /* run_identity.h, and its argv[0]; NULL in profiles of older versions */
    ARRAY_OF(char *) objects; /* by address space: the file that is there, or how it is told apart */
    unsigned family;
    double clock_mhz;
    ARRAY_OF(profile_field) fields;       /* of the model */
    ARRAY_OF(profile_function) functions; /* by address; all that were executed */
    ARRAY_OF(char *) files;               /* paths, of any bytes */
    ARRAY_OF(char *) file_names;          /* the same as they are shown */
    ARRAY_OF(source_folder) folders;      /* where sources are that have been moved */
    ARRAY_OF(profile_insn) insns;         /* by address */
    ARRAY_OF(profile_context) contexts;
    ARRAY_OF(profile_edge) edges;
    ARRAY_OF(profile_site) sites; /* by address; address 0: what the bus did on its own */
    uint64_t total[P5_PROFILE_QUANTITIES][P5_CPL_CLASSES], asserted[P5_PROFILE_QUANTITIES][P5_CPL_CLASSES];
    char *sample_event; /* NULL: none were taken */
    uint64_t sample_period, overflows;
    unsigned sample_latency;
    ARRAY_OF(profile_sample) samples;
    ARRAY_OF(profile_interval) intervals;
    ARRAY_OF(profile_marker) markers; /* of the guest, by clock */
    unsigned data_ways, code_ways;
    uint64_t data_misses[PROFILE_SETS], code_misses[PROFILE_SETS];
    ARRAY_OF(core_btb_entry) btb;  /* when the run ended, by set and way; unused ones are left out */
    bool shows_everything;         /* in files of callgrind and cachegrind, or */
    ARRAY_OF(profile_value) shown; /* ... these; none: the usual ones */
};

p5_profile *profile_new(void);
/* Index of the first instruction at `address` or behind it. */
size_t profile_insn_from(const p5_profile *p, uint64_t address);
/* Index of the instruction, function at `address`, or PROFILE_NO_INDEX. */
int profile_insn_at(const p5_profile *p, uint64_t address);
int profile_function_at(const p5_profile *p, uint64_t address);
/* Index of the function that a user means. P5_ERR_NAME: none was executed, or there are several of the name.
 */
p5_status profile_find_function(const p5_profile *p, const char *name, int *found, p5_error *error);
/* Name of the function at `address`, 0xADDRESS, or [bus]; `room` is for the number. */
const char *profile_name_at(const p5_profile *p, uint64_t address, char room[16]);
/* File name of the object that an address lies in, printable. */
const char *profile_object_at(const p5_profile *p, uint64_t address);
/* File name of an index, printable; "???" if it is not known. */
const char *profile_file_name(const p5_profile *p, int file);
/* The path to read a source file by, a string of the caller's. NULL: out of memory. */
char *profile_source_path(const p5_profile *p, int file);
/* A printable copy of `text` in the profile's arena. NULL: out of memory. */
char *profile_printable(p5_profile *p, const char *text);
/* Adds a function for code that has no symbol: by control flow (code_functions.c). False: out of memory. */
bool profile_add_code_functions(p5_profile *p, const p5_machine *machine);
/* Sorts what has to be sorted, and checks indices. False: damaged. */
bool profile_finish(p5_profile *p);
/* Makes the names that are shown. False: out of memory. */
bool profile_make_names(p5_profile *p);

p5_status profile_value_find(unsigned family, const char *name, profile_value *value, p5_error *error);
uint64_t profile_amounts_value(const profile_site *site, const profile_value *value);
uint64_t profile_total_value(const p5_profile *p, const profile_value *value);
double profile_percent(uint64_t part, uint64_t whole);
/* Hot rows stand out, as in perf: what turns their colour on, or nothing. */
const char *profile_colour(bool colour, double percent);
/* Name of a quantity in files: an event's, stall_CAUSE, executions, in_v, paired, alone_N. */
const char *profile_quantity_name(unsigned quantity, char room[48]);

/* Costs of each context with everything below it, all privilege classes; one row per context, `count` values.
 * NULL: out of memory. */
uint64_t *profile_sum_by_context(const p5_profile *p, const profile_value *values, size_t count);
/* Costs per instruction, privilege classes and contexts together; one row per insn, `width` quantities. */
uint64_t *profile_sum_by_insn(const p5_profile *p, const profile_value *values, size_t count);

#endif
