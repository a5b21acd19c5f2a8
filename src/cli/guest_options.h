/* Options that say what guest runs on what machine: the same for every verb that runs one. */
#ifndef CLI_GUEST_OPTIONS_H
#define CLI_GUEST_OPTIONS_H

#include "cli/cli.h"
#include "cli/file_use.h"
#include "p5scope/report.h"
#include "p5scope/snapshot.h"
#include "p5scope/trace.h"

enum { GUEST_MOST_SHARES = 32, GUEST_MOST_ENVIRONMENT = 256, GUEST_MOST_MODULES = 32, GUEST_MOST_MODELS = 8 };

typedef struct guest_options {
    const char *verb;
    /* The first model, options as written; counters and the image of --load by guest_options_complete.
     * Arrays below are put in when it is opened. */
    p5_machine_options machine;
    const char *models[GUEST_MOST_MODELS]; /* --model as often as it was given */
    size_t model_count;
    bool takes_models; /* more than one of them, one after the other */
    const char *flat;  /* --flat as written */
    uint32_t flat_address;
    bool disk, multiboot; /* --disk, --multiboot: what GUEST is */
    bool real;            /* ... which is a segment and an offset then: */
    uint16_t real_segment, real_offset;
    bool quiet;
    bool rows_shown; /* the verb writes rows to a terminal during the run, so there is no progress line */
    bool dump_config;
    const char *counter[2]; /* --ctr0, --ctr1 as written */
    p5_share shares[GUEST_MOST_SHARES];
    char *share_text[GUEST_MOST_SHARES]; /* what the shares' strings are cut from */
    const char *environment[GUEST_MOST_ENVIRONMENT + 1];
    size_t environment_count;
    const char *modules[GUEST_MOST_MODULES];
    const char *argv0; /* --argv0; NULL = the name of the guest's file */
    bool screen;
    const char *screenshot;                      /* --screenshot, NULL: none */
    const char *kernel, *initrd, *append, *init; /* as written */
    char **kernel_command; /* --kernel's file and the words, whose array `command` is then */
    const char *gdb;       /* where gdb connects; NULL = not */
    p5_limits limits;
    double over;           /* host_clock at which --timeout is over, from when the guest is loaded */
    const char *load;      /* --load: the snapshot to go on from */
    const char *save;      /* --save: where the state goes, */
    const char *save_at;   /* ... --save-at as written: when; NULL = when the run is stopped */
    uint64_t fast_forward; /* instructions */
    bool no_sandbox;
    char **command; /* the guest and its arguments, NULL-terminated; NULL = none given */
    char **given;   /* cli_given, of the verbs that write results; NULL = none */
    /* Made by guest_options_complete. */
    p5_model *model;
    p5_bound save_point;
    uint64_t save_every, warm_up; /* of `run`; 0: not in pieces */
    p5_snapshot_info loaded;      /* of --load */
    char *loaded_command[2];      /* ... whose guest is `command` then */
} guest_options;

/* A child for an argp; its input is a guest_options that guest_options_init prepared. */
extern const struct argp guest_argp;

void guest_options_init(guest_options *options, const char *verb);
/* Opens the model and the counters (guest_complete.c). False: end with *status, CLI_USAGE after a message, or
 * CLI_OK when --dump-config has been answered. */
bool guest_options_complete(guest_options *options, int *status);
void guest_options_free(guest_options *options);
/* Of it what guest_options_complete has opened. */
void guest_options_free_model(guest_options *options);

/* False, after a message, if one of the `count` files that a verb writes is also written by another option,
 * or is the guest or the snapshot that is run (guest_complete.c). For options that are complete. */
bool guest_files_apart(const guest_options *options, const file_use *outputs, size_t count);

/* Number of --max-clocks and the like; CLI_USAGE after a message. */
error_t guest_number(const char *option, const char *text, uint64_t largest, uint64_t *value);

/* --symbols FILE of the verbs that name functions, as often as it is given. */
enum { GUEST_MOST_SYMBOLS = 64 };
typedef struct symbol_files {
    const char *paths[GUEST_MOST_SYMBOLS + 2]; /* NULL-terminated */
    size_t count;
} symbol_files;
error_t symbol_files_add(symbol_files *files, const char *path);
/* The program of --init is one of them. */
void symbol_files_complete(symbol_files *files, const guest_options *options);

/* The words that the guest gets (guest_command.c): its command with --argv0, or the name of its file without
 * the directory, in the place of the path. NULL when memory is out. The caller frees the array, not the
 * words. */
const char **guest_words(const guest_options *options);
/* guest_identity.c: what makes the run that run, for its results. */
typedef struct guest_identity {
    p5_run_identity run;
    const char **argv; /* guest_words */
    char **options;
} guest_identity;
/* False when memory is out. guest_identity_close frees what it holds in any case. */
bool guest_identity_open(guest_identity *identity, const guest_options *options);
void guest_identity_close(guest_identity *identity);

/* guest_command.c: the guest's command line (or that of the snapshot's), and p5scope's own options before
 * it, quoted as a shell would take them; NULL when memory is out. The caller frees them. */
char *guest_command_line(const guest_options *options);
char *guest_own_options(const guest_options *options, char **argv);

#endif
