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
#include "p5scope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A recorded profile. It is a copy and outlives its machine. */
typedef struct p5_profile p5_profile;

/* ---- Recording ---- */

/* Options of p5_profile_start. Zero-initialise, set `size`, then set what you need. */
typedef struct p5_profile_options {
    size_t size;              /* sizeof (p5_profile_options) */
    const char *sample_event; /* an event's name or "clocks": also take samples by counter overflow, as a tool
                                 on a processor would; NULL = none. The run then takes longer on the host;
                                 counts and clocks are the same */
    uint64_t sample_period;   /* increments from one sample to the next, at least 1 */
    bool no_intervals;        /* do not record totals over time */
    /* Files with symbols in addition to the guest's, NULL-terminated; NULL = none. An ELF program that the
     * guest executes in address spaces of its own is recognised by its bytes. The symbols of a kernel (an ELF
     * file with physical addresses), System.map, nm's output and linker maps for DOS apply by address. */
    const char *const *symbols;
} p5_profile_options;

/* Starts recording, until the machine is closed. The guest must be loaded already; `guest` is its file (NULL: it
 * came from memory, as by p5_machine_load_code). Functions and lines come from its symbols and DWARF if it is an
 * ELF file. Options of NULL are all zero. Errors:
 * P5_ERR_STATE: the machine has no guest, or a profile of it has been started already.
 * P5_ERR_NAME, P5_ERR_SYNTAX, P5_ERR_UNSUPPORTED: `sample_event` is unknown, not well-formed, or has modifiers.
 * P5_ERR_RANGE: `sample_event` has a period of 0, or there are too many files in `symbols`.
 * P5_ERR_IO: `guest` or a file of `symbols` cannot be read.
 * P5_ERR_FORMAT: a file of `symbols` is a text without symbols, or an ELF program that is not linked to fixed
 * addresses.
 * P5_ERR_MEMORY. */
p5_status p5_profile_start(p5_machine *machine, const char *guest, const p5_profile_options *options,
                           p5_error *error);
/* Returns a copy of what has been recorded so far, which the caller frees; recording goes on. Call p5_machine_settle
 * first if the run is not continued: otherwise the last instruction may be missing, because it still waits for a
 * partner. `command` (the guest's command line) and `options` (the user's options of p5scope, as text), each of which
 * may be NULL, are stored in the profile. After an error, *profile is NULL. P5_ERR_STATE if no recording was started;
 * P5_ERR_MEMORY and P5_ERR_RANGE if the profile is incomplete because memory ran out or it became too large. */
p5_status p5_profile_take(p5_machine *machine, const char *command, const char *options, p5_profile **profile,
                          p5_error *error);

/* ---- Files ---- */

/* Writes the format p5scope-profile(5). As with the other writers, the caller opens and closes `out`, and an error is
 * P5_ERR_IO if `out` cannot be written, or P5_ERR_MEMORY. */
p5_status p5_profile_write(FILE *out, const p5_profile *profile, p5_error *error);
/* Reads a profile, which the caller frees. Messages of errors name the file and the line in it. P5_ERR_IO if the file
 * cannot be read, P5_ERR_FORMAT if it is not a profile, or has another version of the format; P5_ERR_MEMORY. *profile
 * is NULL after an error. */
p5_status p5_profile_read(const char *path, p5_profile **profile, p5_error *error);
/* Frees a profile; NULL is allowed. */
void p5_profile_free(p5_profile *profile);

/* Writes Callgrind's profile format, version 1, for callgrind_annotate and KCachegrind: costs by instruction
 * and line, calls with inclusive cost, conditional jumps executed and taken. The first event is clocks.
 * Functions with the same name are distinguished by file or address. The errors are those of p5_profile_write. */
p5_status p5_profile_write_callgrind(FILE *out, const p5_profile *profile, p5_error *error);
/* Writes Cachegrind's output format for cg_annotate: costs by file, function and line. The errors are those of
 * p5_profile_write. */
p5_status p5_profile_write_cachegrind(FILE *out, const p5_profile *profile, p5_error *error);

/* ---- Flame graphs and pages ---- */

/* Writes one line for each stack of calling functions, for flame graphs: the functions from the outermost on,
 * separated by ';', then how much of `event` ("clocks" or an event's name) the innermost one has itself, without what
 * it calls. Stacks with 0 are left out. P5_ERR_NAME if the event is unknown, P5_ERR_SYNTAX if it is not well-formed,
 * P5_ERR_RANGE if the stacks are too deep; otherwise the errors are those of p5_profile_write. */
p5_status p5_profile_write_folded(FILE *out, const p5_profile *profile, const char *event, p5_error *error);

/* Writes one self-contained page of HTML: clocks by stall cause, all events, rates over time, functions,
 * lines, code with pipes and pairing, cache sets and branch target buffer, the model. The errors are those of
 * p5_profile_write. */
p5_status p5_profile_write_html(FILE *out, const p5_profile *profile, p5_error *error);

#ifdef __cplusplus
}
#endif
#endif
