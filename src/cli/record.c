/* p5scope record: runs the guest and writes its exact profile: the costs of each of its instructions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/guest_run.h"
#include "cli/output.h"
#include "cli/profile_input.h"
#include "p5tool/profile.h"

typedef struct record_options {
    guest_options guest;
    const cli_options *line;
    char *sample_event; /* of --period EVENT/N */
    uint64_t sample_period;
    word_list events; /* --events: columns of --callgrind and --cachegrind */
    /* -e, for users of perf: only the names are checked, because a profile has every event. */
    word_list checked;
    const char **symbols; /* files of --symbols, and the program of --init */
} record_options;

/* Parses --period EVENT/N, which adds a sample at every Nth event to the profile. Returns false after a message. */
static bool take_period(record_options *options, const char *text)
{
    const char *slash = strrchr(text, '/');
    if (slash == NULL || slash == text)
        return cli_refuse("--period", text, 1, "--period needs EVENT/N, for example data_read_miss/1000");
    if (!p5_parse_number(slash + 1, &options->sample_period) || options->sample_period == 0)
        return cli_refuse("--period", text, (unsigned)(slash + 1 - text) + 1, "N is a number, at least 1");
    options->sample_event = strndup(text, (size_t)(slash - text));
    return options->sample_event != NULL || cli_refuse("--period", NULL, 0, "out of memory");
}

typedef p5_status profile_writer(FILE *out, const p5_profile *profile, p5_error *error);

/* The files that a run may write: the profile (-o), --callgrind and --cachegrind. */
enum { PROFILE, CALLGRIND, CACHEGRIND, FILES };
static profile_writer *const writers[FILES] = {p5_profile_write, p5_profile_write_callgrind,
                                               p5_profile_write_cachegrind};

/* Writes a reserved file. Returns false after a message. */
static bool write_file(output_reserved *file, profile_writer *write, const p5_profile *profile)
{
    FILE *out = output_begin(file);
    if (out == NULL)
        return false;
    p5_error error = {0};
    p5_status status = write(out, profile, &error);
    return output_close(out, file->path, status, &error);
}

/* Returns the path of the profile; NULL if none is written. */
static const char *profile_path(const record_options *options)
{
    const cli_options *line = options->line;
    bool others = line->callgrind != NULL || line->cachegrind != NULL;
    return line->output != NULL ? line->output : others ? NULL : "p5scope.data";
}

/* Writes all reserved files. Returns false after a message. */
static bool write_files(const record_options *options, output_reserved files[FILES], p5_profile *profile)
{
    p5_error error = {0};
    if (options->events.count > 0 && p5_profile_show_events(profile, options->events.words, &error) != P5_OK)
        return cli_refuse_error(&error, NULL, NULL, NULL);
    bool good = true;
    for (unsigned i = 0; i < FILES; i++)
        if (files[i].path != NULL)
            good &= write_file(&files[i], writers[i], profile);
    if (good && files[PROFILE].path != NULL && !options->line->quiet)
        fprintf(stderr, "p5scope: the profile is in %s; 'p5scope report%s%s' shows it\n", files[PROFILE].path,
                options->line->output != NULL ? " " : "",
                options->line->output != NULL ? files[PROFILE].path : "");
    return good;
}

/* Reserves the files, so that a long run does not fail at its end. Returns false after a message. The caller releases
 * all files in any case. */
static bool reserve(const record_options *options, output_reserved files[FILES])
{
    return output_reserve(&files[PROFILE], "-o", profile_path(options)) &&
           output_reserve(&files[CALLGRIND], "--callgrind", options->line->callgrind) &&
           output_reserve(&files[CACHEGRIND], "--cachegrind", options->line->cachegrind);
}

/* Runs the guest and writes the files. `own` (p5scope's own options) and `command` (the guest's command line) become
 * part of the profile. Returns the exit status. */
static int record(record_options *options, output_reserved files[FILES], const char *own, const char *command)
{
    int status;
    const guest_needs needs = {.reads = options->symbols};
    p5_machine *machine =
        guest_open_and_begin(&options->guest, options->guest.machine.random_seed, &needs, &status);
    if (machine == NULL)
        return status;
    const p5_profile_options recording = {.size = sizeof recording,
                                          .sample_event = options->sample_event,
                                          .sample_period = options->sample_period,
                                          .no_intervals = options->line->no_intervals,
                                          .symbols = options->symbols};
    p5_error error = {0};
    p5_profile *profile = NULL;
    if (p5_profile_start(machine, options->guest.command[0], &recording, &error) != P5_OK) {
        bool of_event = /* not about a file */
            options->sample_event != NULL && error.where[0] == '\0' && error.status != P5_ERR_MEMORY;
        cli_show_error(&error, of_event ? "--period" : NULL, of_event ? options->sample_event : NULL,
                       error.status == P5_ERR_NAME ? "Run 'p5scope list' to see the events." : NULL);
        p5_machine_close(machine);
        return error.status == P5_ERR_MEMORY ? CLI_INTERNAL : CLI_USAGE;
    }
    p5_run_result result = {.size = sizeof result};
    double seconds;
    status = CLI_INTERNAL;
    if (guest_run(&options->guest, machine, &result, &seconds)) {
        p5_machine_settle(machine);
        guest_identity identity;
        char ending[400];
        guest_ending(&result, ending, sizeof ending);
        bool taken =
            guest_identity_open(&identity, &options->guest) &&
            ((p5_profile_take(machine, command, own, &profile, &error) == P5_OK &&
              p5_profile_identify(profile, &identity.run, options->guest.model, &error) == P5_OK &&
              (guest_ended_itself(&result) || p5_profile_cut_short(profile, ending, &error) == P5_OK)) ||
             cli_refuse_error(&error, NULL, NULL, NULL));
        guest_identity_close(&identity);
        taken = taken && write_files(options, files, profile);
        status = guest_print_ending(&result);
        status = taken ? status : CLI_INTERNAL;
    }
    p5_profile_free(profile);
    p5_machine_close(machine);
    return status;
}

/* Checks the options that depend on the model, reserves the files and records. Returns the exit status. */
static int record_guest(record_options *options)
{
    unsigned family = p5_model_family(options->guest.model);
    if (!event_words_resolve("--events", &options->events, true, family) ||
        !event_words_resolve("-e", &options->checked, false, family))
        return CLI_USAGE;
    const file_use outputs[] = {{"-o", profile_path(options), false},
                                {"--callgrind", options->line->callgrind, false},
                                {"--cachegrind", options->line->cachegrind, false}};
    if (!guest_files_distinct(&options->guest, outputs, sizeof outputs / sizeof outputs[0]))
        return CLI_USAGE;
    char *own = guest_own_options(&options->guest);
    char *command = guest_command_line(&options->guest);
    output_reserved files[FILES] = {{0}};
    int status = CLI_USAGE;
    if (reserve(options, files))
        status = own != NULL && command != NULL ? record(options, files, own, command) : CLI_INTERNAL;
    for (unsigned i = 0; i < FILES; i++)
        output_release(&files[i]);
    free(own);
    free(command);
    return status;
}

static int run(const cli_options *line)
{
    record_options options = {.line = line};
    int status = CLI_USAGE;
    bool good = guest_options_open(&options.guest, line) &&
                (line->period == NULL || take_period(&options, line->period)) &&
                event_words_add(&options.events, "--events", &line->events) &&
                event_words_add(&options.checked, "-e", &line->event) &&
                guest_options_complete(&options.guest, &status);
    if (good && (options.symbols = guest_symbol_files(&options.guest)) != NULL)
        status = record_guest(&options);
    free(options.symbols);
    free(options.sample_event);
    word_list_free(&options.events);
    word_list_free(&options.checked);
    guest_options_free(&options.guest);
    return status;
}

const cli_verb verb_record = {
    .name = "record",
    .summary = "run a guest and write its exact profile",
    .operands = "[--] GUEST [ARG...]",
    .doc = "Run GUEST and write the exact costs of each of its instructions, for 'p5scope report', "
           "'annotate' and 'diff'. Without -o, the file is p5scope.data; with --callgrind or --cachegrind, "
           "there is none."
           "\vExamples:\n  p5scope record ./program 10\n  p5scope record --callgrind callgrind.out ./program",
    .runs_guest = true,
    .run = run};
