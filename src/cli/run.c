/* p5scope run: runs the guest. */
#include "cli/guest_run.h"

static int run_guest(guest_options *options)
{
    int status;
    p5_machine *machine =
        guest_open_and_begin(options, options->machine.random_seed, &(guest_needs){0}, &status);
    if (machine == NULL)
        return status;
    p5_run_result result = {.size = sizeof result};
    double seconds;
    bool ran = guest_run(options, machine, &result, &seconds);
    p5_machine_close(machine);
    return ran ? guest_print_ending(&result) : CLI_INTERNAL;
}

static int run(const cli_options *line)
{
    guest_options options;
    int status = CLI_USAGE;
    if (guest_options_open(&options, line) && guest_options_complete(&options, &status))
        status = guest_files_distinct(&options, NULL, 0) ? run_guest(&options) : CLI_USAGE;
    guest_options_free(&options);
    return status;
}

const cli_verb verb_run = {
    .name = "run",
    .summary = "run a guest",
    .operands = "[--] GUEST [ARG...]",
    .doc =
        "Run GUEST: a Linux or DOS program, an ELF file, a disk image, or with --flat a flat one. Its exit "
        "status is p5scope's; 128 + n after signal n."
        "\vExamples:\n  p5scope run ./program 10\n  p5scope run --gdb 1234 kernel.elf",
    .runs_guest = true,
    .run = run};
