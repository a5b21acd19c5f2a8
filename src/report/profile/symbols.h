/* Functions and lines of the guest and of additional files with symbols. Addresses have the number of an
 * address space above bit 31 (PROFILE_AT). */
#ifndef REPORT_PROFILE_SYMBOLS_H
#define REPORT_PROFILE_SYMBOLS_H

#include "base/arena.h"
#include "base/array.h"
#include "core/profile/profile.h"
#include "p5scope/profile.h"
#include "report/profile/function_names.h"

/* A row of the line table: the source line of the code from `address` to the next row. */
typedef struct profile_line {
    uint64_t address;
    int file;      /* index in `files`; PROFILE_NO_INDEX: code without a source line begins here */
    unsigned line; /* from 1; 0: unknown */
    size_t number; /* in the order of reading */
} profile_line;

typedef struct profile_symbols {
    arena names;                          /* owns all strings */
    ARRAY_OF(profile_function) functions; /* by address, without overlaps; named; with p5scope's own code */
    ARRAY_OF(char *) files;               /* paths of source files */
    ARRAY_OF(profile_line) lines;         /* by address */
    ARRAY_OF(char *) objects; /* by address space: path of the program, "(code)" for a guest without a file */
    ARRAY_OF(profile_text) texts; /* code bytes of the additional programs */
} profile_symbols;
/* Reads the symbols of `guest`, which may have none or be NULL (the guest came from no file), and of `beside`:
 * NULL, or the NULL-terminated list of p5_profile_options.symbols. P5_ERR_FORMAT if a text file of `beside` has no
 * symbols, or an ELF file is not an i386 program linked to fixed addresses. */
p5_status profile_symbols_read(const p5_machine *machine, const char *guest, const char *const *beside,
                               profile_symbols *symbols, p5_error *error);
void profile_symbols_free(profile_symbols *symbols);
/* Starts profiling the machine with `options` and the functions and code of `symbols`. The symbols must live
 * until the machine is closed. Returns false when memory is out. */
bool profile_symbols_start(p5_machine *machine, const profile_symbols *symbols, profile_options options);

#endif
