/* Snapshots store the state of a machine in a file, and other machines continue from it. Fast-forward runs a
 * guest without counting, with the core model (p5_machine_fast_forward) or without it (p5_machine_execute).
 *
 * A run that continues from a snapshot equals the uninterrupted run bit by bit: counts, clocks, what the
 * guest reads and writes. The fields of the file have names (p5scope-snapshot(5)), so that other builds and
 * later versions load it as long as the format is the same. The whole file is checked before any of it is
 * used, and each field before it is used. */
#ifndef P5SCOPE_SNAPSHOT_H
#define P5SCOPE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Texts for those who load the snapshot. Zero-initialise, set `size`. They change nothing in the machine. */
typedef struct p5_save_options {
    size_t size;         /* sizeof (p5_save_options) */
    const char *guest;   /* the guest's file, for its symbols; its absolute path is stored. NULL or no such
                            file = unknown */
    const char *command; /* the guest and its arguments, for reports; NULL = unknown */
} p5_save_options;

/* Writes the machine's whole state to the file `path`, which is replaced only when all of it has been
 * written. `options` may be NULL. The machine is not changed. To be called between runs, with a guest that
 * has not ended.
 *
 * The file contains everything that determines the next clock and the next count: processor, core model,
 * performance monitor, memory (pages of zeros take no room), devices, the Linux personality with the files of
 * the guest's own /tmp. It does not contain observers, profiles, traces, caches of the simulator, or what
 * belongs to the host: callbacks, shared directories, standard streams. Files that a Linux guest has open are
 * named by their guest path. When the snapshot is loaded, they and the disk image or DOS program must have
 * the same size and time of last change as now.
 *
 * P5_ERR_STATE: no guest, or it has ended, or called from a callback of p5_machine_run; P5_ERR_UNSUPPORTED:
 * the guest has a pipe open, or a file of a shared directory that its path no longer leads to; P5_ERR_IO: the
 * file cannot be written. */
p5_status p5_machine_save(p5_machine *machine, const char *path, const p5_save_options *options,
                          p5_error *error);

/* Opens a machine in the state that `path` holds. `options` (may be NULL) say what belongs to the host:
 * console, input, notice and their contexts, shares, image, disk_writable, memo_off, memo_check. A snapshot
 * grants no access to the host: the guest must get the same shares with the same rights as when it was saved,
 * and `image` must name its disk image or DOS program. A `model` (with `clock_mhz`, `agent`, `wires`) must
 * equal the snapshot's in every figure; NULL takes the snapshot's. The other options are part of the state
 * and must be left zero.
 *
 * Limits of p5_machine_run count from the guest's start, as the totals do. A Linux guest's standard input is
 * positioned where it was if it is a regular file; otherwise the guest reads what comes. For other guests see
 * p5_machine_input_taken.
 *
 * P5_ERR_IO: the file cannot be read; P5_ERR_FORMAT: it is not a snapshot, is damaged, has another format,
 * another model, or a field that is missing, unknown or impossible, or a file of the guest is not named or
 * has changed; P5_ERR_RANGE: an option that must be left zero; P5_ERR_MEMORY. *machine is NULL after an
 * error. */
p5_status p5_machine_restore(const char *path, const p5_machine_options *options, p5_machine **machine,
                             p5_error *error);

/* The contents of a snapshot in brief. */
typedef struct p5_snapshot_info {
    size_t size;           /* sizeof (p5_snapshot_info), set by the caller */
    char kind[16];         /* "linux", "dos", "bare", "boot", or "case": a test case, p5scope-case(5) */
    uint32_t memory_bytes; /* of the guest's RAM */
    bool permissive;       /* the guest may use some instructions of later processors */
    uint64_t instructions; /* completed so far */
    uint64_t clock;        /* the model's clock */
    char *guest, *command; /* from p5_save_options; NULL = unknown */
    p5_model *model;       /* the model with all its figures */
} p5_snapshot_info;

/* Reads the file's description and checks the file as p5_machine_restore does, with the same errors. Call
 * p5_snapshot_info_free afterwards, also after an error. */
p5_status p5_snapshot_read_info(const char *path, p5_snapshot_info *info, p5_error *error);
void p5_snapshot_info_free(p5_snapshot_info *info);

/* Returns how many bytes a guest other than a Linux program has taken from p5_machine_options.input since it
 * began. The input of a machine that was loaded must continue after them. */
uint64_t p5_machine_input_taken(const p5_machine *machine);

/* ---- Fast-forward ---- */

/* Runs to `limits` without counting: p5_machine_counts and everything derived from it exclude the
 * instructions and their clocks. All else is as in p5_machine_run: caches, TLBs and branch target buffer hold
 * afterwards what the instructions left there, the model's clock has advanced, and the guest's own counters
 * have counted. An instruction that is pending at the end issues alone.
 *
 * `limits` (NULL: none) and *result (may be NULL) are as for p5_machine_run: P5_END_INSTRUCTIONS if
 * max_instructions were executed. P5_ERR_STATE: no guest, called from a callback, or the machine is observed
 * or profiled already; start those afterwards. P5_ERR_RANGE as for p5_machine_run. */
p5_status p5_machine_fast_forward(p5_machine *machine, const p5_limits *limits, p5_run_result *result,
                                  p5_error *error);
/* Does the same at the engine's full speed, without the core model: the model's clock advances by one per
 * instruction, no events of instructions are counted, and caches, TLBs and branch target buffer keep their
 * old contents. Run p5_machine_fast_forward or some instructions afterwards, until those contents have been
 * replaced, before you measure. */
p5_status p5_machine_execute(p5_machine *machine, const p5_limits *limits, p5_run_result *result,
                             p5_error *error);
/* Returns how many instructions p5_machine_fast_forward and p5_machine_execute have run so far, also before
 * the machine was saved. *clocks (may be NULL) gets the clocks by which the model's clock advanced meanwhile,
 * which no total includes. */
uint64_t p5_machine_fast_forwarded(const p5_machine *machine, uint64_t *clocks);

#ifdef __cplusplus
}
#endif
#endif
