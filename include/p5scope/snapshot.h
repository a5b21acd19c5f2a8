/* Snapshots: the state of a machine in a file, and machines that go on from it. And fast-forward: running
 * without the core model.
 *
 * A run that is continued from a snapshot is the run that was not interrupted, bit by bit: counts, clocks,
 * what the guest reads, what it writes. Its fields have names (p5scope-snapshot(5)), so that other builds and
 * later versions load it as long as the format is the same. A file is checked as a whole before anything of
 * it is used, and each field before it is. */
#ifndef P5SCOPE_SNAPSHOT_H
#define P5SCOPE_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "p5scope/machine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Texts for whoever loads the snapshot; zero-initialise, set `size`. They change nothing in the machine. */
typedef struct p5_save_options {
    size_t size;         /* sizeof (p5_save_options) */
    const char *guest;   /* the guest's file, for its symbols; NULL = unknown */
    const char *command; /* the guest and its arguments, for reports; NULL = unknown */
} p5_save_options;

/* Writes the machine's whole state to the file `path`, which is replaced only when all of it has been
 * written. `options` may be NULL. The machine goes on as if nothing had happened. Between runs, with a guest
 * that has not ended.
 *
 * In it is everything that makes the next clock and the next count: processor, core model, performance
 * monitor, memory (pages of zeros take no room), devices, the Linux personality. Not in it: observers,
 * profiles and traces, what was remembered to be faster, and what belongs to the host: callbacks, shared
 * directories, standard streams. Files that a Linux guest has open are named by their guest path; when the
 * snapshot is loaded they, and the disk image or DOS program that the loader names, must have the size and
 * the time of their last change that they have now. The files of a Linux
 * guest's own /tmp are in the snapshot.
 *
 * P5_ERR_STATE: no guest, or it has ended, or called from a callback of p5_machine_run; P5_ERR_UNSUPPORTED:
 * the guest has a pipe open, or a file of a shared directory that its path does not lead to any more;
 * P5_ERR_IO: the file cannot be written. */
p5_status p5_machine_save(p5_machine *machine, const char *path, const p5_save_options *options,
                          p5_error *error);

/* Opens a machine in the state that `path` holds. `options` (may be NULL) say what belongs to the host:
 * console, input, notice and their contexts, shares, image, disk_writable, memo_off, memo_check. The guest
 * must see the same shares as when it was saved, with the same rights, and `image` has to name its disk image
 * or DOS program: a snapshot grants nothing of this host. A
 * `model` (with `clock_mhz`, `agent`, `wires`) must be the snapshot's in every figure; NULL takes the
 * snapshot's. The other options are part of the state and must be left zero.
 *
 * Limits of p5_machine_run count from the guest's start, as the totals do. Input: a Linux guest's standard
 * input is put where it was if it is a regular file; else the run goes on with what comes. For other guests
 * see p5_machine_input_taken.
 *
 * P5_ERR_IO: the file cannot be read; P5_ERR_FORMAT: it is no snapshot, is damaged, has another format, a
 * field that is missing, unknown or cannot be what it is, or another model; or a file of the guest is not
 * named or not what it was; P5_ERR_RANGE: an option that cannot be
 * given; P5_ERR_MEMORY. *machine is NULL then. */
p5_status p5_machine_load(const char *path, const p5_machine_options *options, p5_machine **machine,
                          p5_error *error);

/* What a snapshot says of itself. */
typedef struct p5_snapshot_info {
    char kind[16];         /* "linux", "dos", "bare", "boot", "case" */
    uint32_t memory_bytes; /* of the guest's RAM */
    bool permissive;       /* --isa=permissive */
    uint64_t instructions; /* completed so far */
    uint64_t clock;        /* the model's clock */
    char *guest, *command; /* p5_save_options; NULL = unknown */
    p5_model *model;       /* with every figure */
} p5_snapshot_info;

/* Reads what the file says, and checks it as p5_machine_load does; errors as there. p5_snapshot_info_free
 * afterwards, also after an error. */
p5_status p5_snapshot_read_info(const char *path, p5_snapshot_info *info, p5_error *error);
void p5_snapshot_info_free(p5_snapshot_info *info);

/* Bytes that guests other than Linux programs have taken from p5_machine_options.input since they began: the
 * input of a machine that was loaded has to go on behind them. */
uint64_t p5_machine_input_taken(const p5_machine *machine);

/* ---- Fast-forward ---- */

/* Runs to `limits` without counting: p5_machine_counts and what is made of it leave the instructions and
 * their clocks out. All else is as in p5_machine_run: caches, TLBs and branch target buffer hold afterwards
 * what the instructions left there, the model's clock has gone on, and the guest's own counters have counted.
 * An instruction that waits for a partner at the end goes alone.
 *
 * `limits` (NULL: none) and *result (may be NULL) as of p5_machine_run: P5_END_INSTRUCTIONS if
 * max_instructions were executed. P5_ERR_STATE: no guest, from a callback, or the machine is observed or
 * profiled already; those begin behind it. P5_ERR_RANGE as of p5_machine_run. */
p5_status p5_machine_fast_forward(p5_machine *machine, const p5_limits *limits, p5_run_result *result,
                                  p5_error *error);
/* The same, and the structures are left as they are, too: the guest only executes, as fast as the engine
 * goes. What is measured behind it needs a fast-forward or some instructions first, until caches and branch
 * target buffer have forgotten that. */
p5_status p5_machine_execute(p5_machine *machine, const p5_limits *limits, p5_run_result *result,
                             p5_error *error);
/* Instructions that were fast-forwarded so far, also before the machine was saved; *clocks (may be NULL): by
 * how much the model's clock went on meanwhile, which is in no total. */
uint64_t p5_machine_fast_forwarded(const p5_machine *machine, uint64_t *clocks);

#ifdef __cplusplus
}
#endif
#endif
