/* The options of a guest and its machine, which all verbs that run a guest share. A verb calls guest_options_open, then
 * guest_options_complete, then the functions of guest_run.h, and finally guest_options_free. */
#ifndef CLI_GUEST_OPTIONS_H
#define CLI_GUEST_OPTIONS_H

#include "cli/cli.h"
#include "cli/file_use.h"
#include "cli/keys.h"
#include "cli/options.h"
#include "p5tool/report.h"
#include "p5scope/snapshot.h"
#include "p5tool/trace.h"

enum { GUEST_MOST_SHARES = 32, GUEST_MOST_ENVIRONMENT = 256, GUEST_MOST_SYMBOLS = 64 };

typedef struct guest_options {
    const cli_options *line; /* the command line */
    /* What the guest runs on. guest_options_complete adds the model, the counters and the image for --load. guest_load
     * uses a copy with the shares and callbacks. */
    p5_machine_options machine;
    uint32_t flat_address;              /* --flat */
    uint16_t real_segment, real_offset; /* --flat with --real */
    bool rows_shown;                    /* the verb writes rows to a terminal, so there is no progress line */
    p5_share shares[GUEST_MOST_SHARES]; /* --dir */
    char *share_text[GUEST_MOST_SHARES];                 /* storage of the strings in `shares`; owned */
    const char *environment[GUEST_MOST_ENVIRONMENT + 1]; /* --env */
    size_t environment_count;
    typed_keys *keys; /* --keys; owned; NULL: the guest reads standard input */
    p5_limits limits;
    double deadline; /* time of host_clock at which --timeout ends the run; set by guest_open */
    char **command;  /* the guest and its arguments, NULL-terminated; NULL: none was given */
    /* The members from here on are filled in by guest_options_complete. */
    p5_model *model;
    p5_bound save_point;     /* --save-at */
    p5_snapshot_info loaded; /* --load: what the snapshot says about its guest */
    char *loaded_command[2]; /* with --load: the guest's file; `command` points to it */
    char **kernel_command;   /* with --kernel: its file and the operands; owned; `command` points to it */
} guest_options;

/* Takes the options of the guest and its machine. Returns false after a message; they must be freed all
 * the same. */
bool guest_options_open(guest_options *options, const cli_options *line);
/* Opens the model that options->machine.model names (guest_complete.c) and completes what depends on it or on a
 * snapshot. To be called once; for several models, on a copy of the options for each. Returns false if the verb is
 * to end with *status: CLI_USAGE after a message, or CLI_OK after --dump-config. */
bool guest_options_complete(guest_options *options, int *status);
void guest_options_free(guest_options *options);
/* Frees what guest_options_complete has made, for a copy of the options that is not freed by guest_options_free. */
void guest_options_free_completed(guest_options *options);

/* Returns the file of an option with the flag `contents`, without the arguments that may follow that of --module. The
 * caller frees it; NULL when memory is out. */
char *guest_contents_file(const cli_use *use);
/* Returns false after a message if one of the `count` files that a verb writes is also written by another
 * option, or is the guest, a file of the guest or the snapshot that is run. The options must be complete. */
bool guest_files_distinct(const guest_options *options, const file_use *outputs, size_t count);

/* Returns the files of --symbols and the program of --init, NULL-terminated, after a note about each file
 * that has neither functions nor lines. The caller frees the array; NULL when memory is out. */
const char **guest_symbol_files(const guest_options *options);

/* Returns the words that the guest gets (guest_command.c): its command with --argv0, or the name of its file without
 * the directory, in the place of the path. NULL when memory is out. The caller frees the array, not the
 * words. */
const char **guest_words(const guest_options *options);
/* The identity of a run, which its results contain (guest_identity.c). */
typedef struct guest_identity {
    p5_run_identity run;
    const char **argv; /* guest_words */
    char **options;
} guest_identity;
/* Returns false when memory is out. guest_identity_close is needed in any case. */
bool guest_identity_open(guest_identity *identity, const guest_options *options);
void guest_identity_close(guest_identity *identity);

/* Return the guest's command line (or that of the snapshot's guest), and p5scope's own options before it,
 * quoted for a shell. NULL when memory is out. The caller frees them. */
char *guest_command_line(const guest_options *options);
char *guest_own_options(const guest_options *options);

#endif
