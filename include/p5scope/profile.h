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

typedef struct p5_profile p5_profile;

/* ---- Recording ---- */

/* Options of p5_profile_start. Zero-initialise, set `size`, then set what you need. */
typedef struct p5_profile_options {
    size_t size;              /* sizeof (p5_profile_options) */
    const char *sample_event; /* an event's name or "clocks": also take samples by counter overflow, as a tool
                                 on a processor would; NULL = none. The run is then priced without
                                 p5scope's fast path: same counts, slower */
    uint64_t sample_period;   /* increments from one sample to the next, at least 1 */
    bool no_intervals;        /* do not record totals over time */
    /* Files with symbols in addition to the guest's, NULL-terminated; NULL = none. An ELF program that the
     * guest executes in address spaces of its own is recognised by its bytes. The symbols of a kernel (an ELF
     * file with physical addresses), System.map, nm's output and linker maps for DOS apply by address. */
    const char *const *symbols;
} p5_profile_options;

/* Starts recording on a machine whose guest has been loaded from the file `guest` (NULL: from memory, as by
 * p5_machine_load_code). Functions and lines come from its symbols and DWARF if it is an ELF file. Once per
 * machine: P5_ERR_STATE the second time. P5_ERR_NAME for an unknown event, P5_ERR_RANGE for a period of 0,
 * P5_ERR_FORMAT for a text file of `symbols` that has none, or an ELF file that is not linked to fixed addresses. */
p5_status p5_profile_start(p5_machine *machine, const char *guest, const p5_profile_options *options,
                           p5_error *error);
/* Returns what has been recorded so far; the caller frees it. Call p5_machine_settle first if the run is not
 * continued. `command` (the guest's command line) and `options` (p5scope's own, as given), each of which may be NULL,
 * are stored in the profile. P5_ERR_MEMORY if memory ran out while recording, because the profile would be
 * incomplete. */
p5_status p5_profile_take(p5_machine *machine, const char *command, const char *options, p5_profile **profile,
                          p5_error *error);

/* ---- Files ---- */

/* Writes the format p5scope-profile(5). As with the other writers, the caller opens and closes `out`, and an error is
 * P5_ERR_IO if `out` cannot be written, or P5_ERR_MEMORY. */
p5_status p5_profile_write(FILE *out, const p5_profile *profile, p5_error *error);
/* Reads a profile, which the caller frees. Errors name file and line. P5_ERR_IO if the file cannot be read,
 * P5_ERR_FORMAT if it is not a profile, or has another version of the format; P5_ERR_MEMORY. *profile is NULL after an
 * error. */
p5_status p5_profile_read(const char *path, p5_profile **profile, p5_error *error);
void p5_profile_free(p5_profile *profile);

/* Writes Callgrind's profile format, version 1, for callgrind_annotate and KCachegrind: costs by instruction
 * and line, calls with inclusive cost, conditional jumps executed and taken. The first event is clocks.
 * Functions with the same name are numbered. */
p5_status p5_profile_write_callgrind(FILE *out, const p5_profile *profile, p5_error *error);
/* Writes Cachegrind's output format for cg_annotate: costs by file, function and line. The errors of both are those of
 * p5_profile_write. */
p5_status p5_profile_write_cachegrind(FILE *out, const p5_profile *profile, p5_error *error);

/* ---- Flame graphs and pages ---- */

/* Writes one line per calling context for flame graphs: functions from the outermost on, separated by ';',
 * then the number of `event` ("clocks" or an event's name; P5_ERR_NAME or P5_ERR_SYNTAX if it is neither). Otherwise
 * the errors are those of p5_profile_write. */
p5_status p5_profile_write_folded(FILE *out, const p5_profile *profile, const char *event, p5_error *error);

/* Writes one self-contained page of HTML: clocks by stall cause, all events, rates over time, functions,
 * lines, code with pipes and pairing, cache sets and branch target buffer, the model. The errors are those of
 * p5_profile_write. */
p5_status p5_profile_write_html(FILE *out, const p5_profile *profile, p5_error *error);

#ifdef __cplusplus
}
#endif
#endif
