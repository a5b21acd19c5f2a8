/* p5scope run: just run the guest. */
#include "cli/guest_run.h"

enum { KEY_SAVE_EVERY = 0x100, KEY_WARM_UP };

static error_t parse(int key, char *argument, struct argp_state *state)
{
    guest_options *guest = state->input;
    switch (key) {
    case KEY_SAVE_EVERY:
        return guest_number("--save-every", argument, UINT64_MAX / 2, &guest->save_every);
    case KEY_WARM_UP:
        return guest_number("--warm-up", argument, UINT64_MAX / 2, &guest->warm_up);
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int run_guest(guest_options *options)
{
    int status;
    p5_machine *machine =
        guest_open_and_begin(options, options->machine.random_seed, &(guest_needs){0}, &status);
    if (machine == NULL)
        return status;
    p5_run_result result;
    double seconds;
    bool ran = guest_run(options, machine, &result, &seconds);
    p5_machine_close(machine);
    return ran ? guest_tell_ending(&result) : CLI_INTERNAL;
}

int verb_run(int argc, char **argv)
{
    static const struct argp_option table[] = {
        {"save-every", KEY_SAVE_EVERY, "N", 0, "Only execute; --save as FILE.1, .2, ... every N", 0},
        {"warm-up", KEY_WARM_UP, "W", 0, "With it: W instructions earlier", 0},
        {0}};
    static const struct argp_child children[] = {{&guest_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        .options = table,
        .parser = parse,
        .args_doc = "[--] GUEST [ARG...]",
        .doc = "Run GUEST: a Linux or DOS program, an ELF file, a disk image, or with "
               "--flat a flat one. Its exit status is p5scope's; 128 + n after signal n."
               "\vExamples:\n  p5scope run ./program 10\n  p5scope run --gdb 1234 kernel.elf",
        .children = children};
    guest_options options;
    guest_options_init(&options, "run");
    int status = CLI_USAGE;
    if (cli_parse(&argp, argc, argv, &options, &options) && guest_options_complete(&options, &status))
        status = guest_files_apart(&options, NULL, 0) ? run_guest(&options) : CLI_USAGE;
    guest_options_free(&options);
    return status;
}
