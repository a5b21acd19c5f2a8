/* p5scope record: run the guest and write its exact profile. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/guest_run.h"
#include "cli/output.h"
#include "cli/profile_input.h"
#include "p5scope/profile.h"

enum { KEY_EVENTS = 0x100, KEY_SYMBOLS };

typedef struct record_options {
    guest_options guest;
    const char *path, *callgrind, *cachegrind;
    char *sample_event; /* of --period EVENT/N */
    uint64_t sample_period;
    bool no_intervals;
    word_list events;     /* --events */
    symbol_files symbols; /* --symbols, and --init's program */
} record_options;

static error_t parse_period(record_options *options, const char *text)
{
    const char *slash = strrchr(text, '/');
    if (slash == NULL || slash == text)
        return cli_complain("--period", text, 1,
                            "samples are asked for as EVENT/N, for example data_read_miss/1000");
    if (!p5_parse_number(slash + 1, &options->sample_period) || options->sample_period == 0)
        return cli_complain("--period", text, (unsigned)(slash + 1 - text) + 1, "N is a number from 1 on");
    free(options->sample_event);
    options->sample_event = strndup(text, (size_t)(slash - text));
    return options->sample_event == NULL ? ENOMEM : 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    record_options *options = state->input;
    switch (key) {
    case KEY_SYMBOLS:
        return symbol_files_add(&options->symbols, argument);
    case KEY_EVENTS:
        return event_words_add(&options->events, argument);
    case 'c':
        return parse_period(options, argument);
    default:
        return cli_set(key, argument, state);
    }
}

typedef p5_status profile_writer(FILE *out, const p5_profile *profile, p5_error *error);

/* The files of a run. */
enum { PROFILE, CALLGRIND, CACHEGRIND, FILES };
static profile_writer *const writers[FILES] = {p5_profile_write, p5_profile_write_callgrind,
                                               p5_profile_write_cachegrind};

/* Writes one; false after a message. */
static bool write_file(output_reserved *file, profile_writer *write, const p5_profile *profile)
{
    FILE *out = output_begin(file);
    if (out == NULL)
        return false;
    p5_error error = {0};
    p5_status status = write(out, profile, &error);
    return output_close(out, file->path, status, &error);
}

/* NULL: none is wanted. */
static const char *profile_path(const record_options *options)
{
    bool others = options->callgrind != NULL || options->cachegrind != NULL;
    return options->path != NULL ? options->path : others ? NULL : "p5scope.data";
}

static bool write_files(const record_options *options, output_reserved files[FILES], p5_profile *profile)
{
    p5_error error = {0};
    if (options->events.count > 0 && p5_profile_show_events(profile, options->events.words, &error) != P5_OK)
        return cli_refuse_error(&error, NULL, NULL, NULL);
    bool fine = true;
    for (unsigned i = 0; i < FILES; i++)
        if (files[i].path != NULL)
            fine &= write_file(&files[i], writers[i], profile);
    return fine;
}

static bool reserve(const record_options *options, output_reserved files[FILES])
{
    bool first = output_reserve(&files[PROFILE], "-o", profile_path(options));
    bool second = output_reserve(&files[CALLGRIND], "--callgrind", first ? options->callgrind : NULL);
    return output_reserve(&files[CACHEGRIND], "--cachegrind", first && second ? options->cachegrind : NULL) &&
           first && second;
}

static int record(record_options *options, output_reserved files[FILES], const char *own, const char *command)
{
    int status;
    const guest_needs needs = {.reads = options->symbols.paths, .read_count = options->symbols.count};
    p5_machine *machine =
        guest_open_and_begin(&options->guest, options->guest.machine.random_seed, &needs, &status);
    if (machine == NULL)
        return status;
    const p5_profile_options asked = {.size = sizeof asked,
                                      .sample_event = options->sample_event,
                                      .sample_period = options->sample_period,
                                      .no_intervals = options->no_intervals,
                                      .symbols = options->symbols.paths};
    p5_error error = {0};
    p5_profile *profile = NULL;
    if (p5_profile_start(machine, options->guest.command[0], &asked, &error) != P5_OK) {
        bool of_event =
            options->sample_event != NULL && error.where[0] == '\0' && error.status != P5_ERR_MEMORY;
        cli_show_error(&error, of_event ? "--period" : NULL, of_event ? options->sample_event : NULL,
                       error.status == P5_ERR_NAME ? "Run 'p5scope list' to see the events." : NULL);
        p5_machine_close(machine);
        return CLI_USAGE;
    }
    p5_run_result result;
    double seconds;
    status = CLI_INTERNAL;
    if (guest_run(&options->guest, machine, &result, &seconds)) {
        p5_machine_settle(machine);
        guest_identity identity;
        bool taken = guest_identity_open(&identity, &options->guest) &&
                     ((p5_profile_take(machine, command, own, &profile, &error) == P5_OK &&
                       p5_profile_identify(profile, &identity.run, options->guest.model, &error) == P5_OK) ||
                      cli_refuse_error(&error, NULL, NULL, NULL));
        guest_identity_close(&identity);
        taken = taken && write_files(options, files, profile);
        status = guest_tell_ending(&result);
        status = taken ? status : CLI_INTERNAL;
    }
    p5_profile_free(profile);
    p5_machine_close(machine);
    return status;
}

static int record_guest(record_options *options, char **argv)
{
    if (options->guest.gdb != NULL)
        return cli_complain(NULL, NULL, 0, "--gdb: a run that gdb controls is not observed");
    if (options->sample_event != NULL && profile_path(options) == NULL)
        return cli_complain(NULL, NULL, 0,
                            "--period: the samples are in the profile. -o FILE says where it goes");
    if (options->no_intervals && profile_path(options) == NULL)
        return cli_complain(NULL, NULL, 0, "--no-intervals is for the profile, and none is written. -o FILE");
    if (options->events.count > 0 && options->callgrind == NULL && options->cachegrind == NULL)
        return cli_complain(NULL, NULL, 0,
                            "--events: of which file? --callgrind or --cachegrind; a profile has all");
    if (!event_words_check("--events", &options->events, true, p5_model_family(options->guest.model)))
        return CLI_USAGE;
    const file_use outputs[] = {{"-o", profile_path(options), false},
                                {"--callgrind", options->callgrind, false},
                                {"--cachegrind", options->cachegrind, false}};
    if (!guest_files_apart(&options->guest, outputs, sizeof outputs / sizeof outputs[0]))
        return CLI_USAGE;
    char *own = guest_own_options(&options->guest, argv);
    char *command = guest_command_line(&options->guest);
    output_reserved files[FILES];
    int status = CLI_USAGE;
    if (reserve(options, files))
        status = own != NULL && command != NULL ? record(options, files, own, command) : CLI_INTERNAL;
    for (unsigned i = 0; i < FILES; i++)
        output_release(&files[i]);
    free(own);
    free(command);
    return status;
}

int verb_record(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"output", CLI_TEXT(record_options, path), "FILE", 0, "Profile to FILE (p5scope.data)", 1},
        CLI_LETTER('o'),
        {"callgrind", CLI_TEXT(record_options, callgrind), "FILE", 0,
         "For callgrind_annotate and KCachegrind", 0},
        {"cachegrind", CLI_TEXT(record_options, cachegrind), "FILE", 0, "For cg_annotate", 0},
        {"events", KEY_EVENTS, "LIST", 0, "What these two show (some that fit side by side), or all", 0},
        {"symbols", KEY_SYMBOLS, "FILE", 0, "Of a program, kernel or map beside GUEST (several times)", 0},
        {"period", 'c', "EVENT/N", 0, "Also samples, as a tool on a processor takes them: every N events", 0},
        {"no-intervals", CLI_FLAG(record_options, no_intervals), NULL, 0, "No totals over time", 0},
        {0}};
    static const struct argp_child children[] = {{&guest_argp, 0, NULL, 10}, {0}};
    static const struct argp argp = {
        .options = table,
        .parser = parse,
        .args_doc = "[--] GUEST [ARG...]",
        .doc = "Run GUEST and write down exactly what each of its instructions cost, for 'p5scope report', "
               "'annotate' and 'diff'. Without -o, --callgrind and --cachegrind alone write no p5scope.data."
               "\vExamples:\n  p5scope record ./program 10\n  p5scope record --callgrind callgrind.out "
               "./program",
        .children = children};
    record_options options = {0};
    guest_options_init(&options.guest, "record");
    int status = CLI_USAGE;
    if (cli_parse(&argp, argc, argv, &options, &options.guest) &&
        guest_options_complete(&options.guest, &status)) {
        symbol_files_complete(&options.symbols, &options.guest);
        options.guest.given = cli_given(&argp, argc, argv);
        status = record_guest(&options, argv);
    }
    free(options.sample_event);
    word_list_free(&options.events);
    guest_options_free(&options.guest);
    return status;
}
