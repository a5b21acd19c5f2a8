/* Functions and lines of the guest and of the files with symbols beside it (symbols.c). */
#ifndef REPORT_PROFILE_SYMBOLS_H
#define REPORT_PROFILE_SYMBOLS_H

#include "base/arena.h"
#include "base/array.h"
#include "core/profile/profile.h"
#include "p5scope/profile.h"
#include "report/profile/function_names.h"

typedef struct profile_line {
    uint64_t address;
    int file; /* index of `files`; PROFILE_NO_INDEX ends a sequence */
    unsigned line;
} profile_line;
typedef struct profile_symbols {
    arena names;                          /* all of them */
    ARRAY_OF(profile_function) functions; /* by address, without overlaps; named */
    ARRAY_OF(char *) files;
    ARRAY_OF(profile_line) lines; /* by address */
    ARRAY_OF(char *) objects;     /* by address space */
    ARRAY_OF(profile_text) texts; /* of the programs beside the guest */
} profile_symbols;
/* `guest` may have none. `beside`: NULL, or the NULL-terminated list of p5_profile_options.symbols; a file of
 * it that has neither symbols nor lines is an error. */
p5_status profile_symbols_read(const p5_machine *machine, const char *guest, const char *const *beside,
                               profile_symbols *symbols, p5_error *error);
void profile_symbols_free(profile_symbols *symbols);
/* Starts the profile of a machine with its functions and texts. The symbols stay the caller's, and are needed
 * until the machine is closed. False: out of memory. */
bool profile_symbols_start(p5_machine *machine, const profile_symbols *symbols, profile_options options);

#endif
