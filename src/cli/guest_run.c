/* Runs a guest: limits, --fast-forward, the sandbox, the terminal of --screen, and how the run ended. */
#include "cli/guest_run.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cli/guest_load.h"
#include "cli/guest_save.h"
#include "cli/host_clock.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/sandbox.h"
#include "cli/picture.h"
#include "cli/screen.h"
#include "cli/sixel.h"

p5_limits guest_limits_left(const guest_options *options)
{
    p5_limits limits = options->limits;
    if (limits.timeout_seconds > 0) /* 0 would mean no limit */
        limits.timeout_seconds = fmax(options->deadline - host_clock(), 1e-9);
    return limits;
}

/* Performs --fast-forward. Returns false after a message, with the exit status in *status, if it fails or the guest
 * ends in it. */
static bool fast_forward(const guest_options *options, p5_machine *machine, int *status)
{
    p5_error error = {0};
    p5_run_result result = {.size = sizeof result};
    char ending[400];
    p5_limits limits = guest_limits_left(options);
    uint64_t before = p5_machine_instructions(machine), most = limits.max_instructions;
    limits.max_instructions =
        options->line->fast_forward < UINT64_MAX - before ? before + options->line->fast_forward : UINT64_MAX;
    if (most != 0 && most < limits.max_instructions)
        limits.max_instructions = most;
    interrupt_stops(machine);
    p5_status failed = p5_machine_fast_forward(machine, &limits, &result, &error);
    int signal_number = interrupt_release();
    if (failed != P5_OK) {
        cli_show_error(&error, NULL, NULL, NULL);
        *status = CLI_INTERNAL;
        return false;
    }
    if (!options->line->quiet)
        fprintf(stderr,
                "p5scope: fast-forwarded %" PRIu64 " instructions: caches, TLBs and branch predictor warmed, "
                "no clocks or events counted\n",
                p5_machine_fast_forwarded(machine, NULL));
    if (result.end == P5_END_INSTRUCTIONS)
        return true;
    if (result.end == P5_END_STOPPED)
        result.signal = signal_number;
    guest_ending(&result, ending, sizeof ending);
    fprintf(stderr, "p5scope: the guest ended during --fast-forward: %s\n",
            ending[0] != '\0' ? ending : "it exited");
    *status = guest_exit_status(&result);
    return false;
}

p5_machine *guest_open(guest_options *options, uint64_t seed, int *status)
{
    p5_machine *machine = guest_load(options, seed, status);
    options->deadline = host_clock() + options->limits.timeout_seconds;
    return machine;
}

/* Enters the sandbox, which leaves access only to the files that the run still needs. */
static void confine(const guest_options *options, const guest_needs *later)
{
    enum { OWN = 3, MOST = OWN + GUEST_MOST_SYMBOLS + 2 }; /* OWN: files of the guest itself */
    const char *all[MOST] = {options->command[0], options->line->kernel, options->line->init};
    sandbox_needs needs = {
        .shares = options->shares,
        .share_count = options->machine.share_count,
        .outputs = {later->output, options->line->save, options->line->screenshot, later->pictures},
        .gdb = options->line->gdb,
        .reads = all,
        .read_count = OWN};
    for (const char *const *file = later->reads; file != NULL && *file != NULL && needs.read_count < MOST;
         file++)
        all[needs.read_count++] = *file;
    sandbox_enter(&needs);
}

bool guest_begin(const guest_options *options, p5_machine *machine, const guest_needs *needs, int *status)
{
    if (!options->line->no_sandbox && !needs->another)
        confine(options, needs);
    return options->line->fast_forward == 0 || fast_forward(options, machine, status);
}

p5_machine *guest_open_and_begin(guest_options *options, uint64_t seed, const guest_needs *needs, int *status)
{
    p5_machine *machine = guest_open(options, seed, status);
    if (machine == NULL || guest_begin(options, machine, needs, status))
        return machine;
    p5_machine_close(machine);
    return NULL;
}

/* Shows the screen for --screen on a terminal, several times per second. `context` points to whether the terminal shows
 * sixels. */
static void show_screen(void *context, const p5_machine *machine)
{
    p5_screen screen = {.size = sizeof screen};
    p5_picture picture = {.size = sizeof picture};
    p5_error error = {0};
    const bool *sixels = context;
    if (p5_machine_picture(machine, &picture, &error) != P5_OK)
        return;
    if (!picture.text) {
        fputs("\033[H", stdout);
        picture_show(stdout, &picture, *sixels);
        fflush(stdout);
    } else if (p5_machine_screen(machine, &screen)) {
        screen_rewrite(stdout, &screen);
    }
    p5_picture_free(&picture);
}

/* Switches the terminal so that the guest gets each key at once and keys are not echoed. Stores the previous settings.
 * Returns false if standard input is not a terminal. */
static bool keys_begin(struct termios *before)
{
    if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, before) != 0)
        return false;
    struct termios now = *before;
    now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    return tcsetattr(STDIN_FILENO, TCSANOW, &now) == 0;
}

/* Shows the screen after a run with --screen, on a terminal over the previous one. */
static void last_screen(const p5_machine *machine)
{
    p5_screen screen = {.size = sizeof screen};
    if (!p5_machine_screen(machine, &screen)) {
        fprintf(stderr, "p5scope: --screen: this guest has no screen\n");
        return;
    }
    bool terminal = isatty(STDOUT_FILENO);
    if (terminal)
        fputs("\033[H\033[J", stdout);
    screen_write(stdout, &screen, terminal);
    fflush(stdout);
}

/* Reports the result of --check-memo, which compares each stretch that the memo has priced (a remembered result of
 * the model) with the exact computation. Returns false if there was a difference. */
static bool memo_agrees(p5_machine *machine)
{
    uint64_t stretches;
    const char *difference;
    if (!p5_core_memo_checked(p5_machine_core(machine), &stretches, &difference))
        return true;
    if (difference != NULL)
        fprintf(stderr, "p5scope: a fault of the memo; please report it: %s\n", difference);
    else
        fprintf(stderr, "p5scope: %" PRIu64 " stretches, each the same with the memo and on the exact path\n",
                stretches);
    return difference == NULL;
}

bool guest_run(const guest_options *options, p5_machine *machine, p5_run_result *result, double *host_seconds)
{
    double start = host_clock();
    struct termios terminal;
    bool keys = false, sixels = false;
    if (options->line->screen && isatty(STDOUT_FILENO)) {
        sixels = sixel_terminal();
        keys = keys_begin(&terminal);
        fputs("\033[2J", stdout);
        p5_machine_on_progress(machine, show_screen, &sixels, 0.1);
    } else if (!options->line->quiet && !options->rows_shown) {
        progress_begin(machine);
    }
    p5_error error = {0};
    fflush(NULL);
    interrupt_stops(machine);
    p5_status status;
    bool saved = guest_run_saving(options, machine, result, &status, &error);
    int signal_number = interrupt_release();
    if (options->limits.timeout_seconds > 0 || signal_number != 0)
        /* The report must be written within the rest of the time. */
        interrupt_at_full_output(signal_number != 0 ? 0 : guest_limits_left(options).timeout_seconds);
    if (keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
    *host_seconds = host_clock() - start;
    progress_end(machine);
    if (options->line->screen)
        last_screen(machine);
    saved = (options->line->screenshot == NULL || picture_save(machine, options->line->screenshot)) && saved;
    uint64_t unknown = p5_machine_permissive_count(machine);
    if (unknown > 0)
        fprintf(stderr,
                "p5scope: warning: %" PRIu64 " instructions that the processor does not have were executed "
                "(--isa=permissive)\n",
                unknown);
    if (status == P5_OK) {
        if (result->end == P5_END_STOPPED)
            result->signal = signal_number;
        return memo_agrees(machine) && saved;
    }
    return cli_refuse_error(&error, NULL, NULL, NULL);
}

int guest_exit_status(const p5_run_result *result)
{
    switch (result->end) {
    case P5_END_EXIT:
        return result->status;
    case P5_END_SIGNAL:
        return 128 + result->signal;
    case P5_END_HALT:
    case P5_END_INSTRUCTIONS:
    case P5_END_CLOCKS:
    case P5_END_RESET:
        return CLI_OK;
    case P5_END_SHUTDOWN:
        return CLI_SHUTDOWN;
    case P5_END_TIMEOUT:
        return CLI_TIMEOUT;
    case P5_END_STOPPED:
        return 128 + (result->signal != 0 ? result->signal : SIGINT);
    case P5_END_FAILED:
        break;
    }
    return CLI_INTERNAL;
}

const char *guest_ending(const p5_run_result *result, char *text, size_t size)
{
    char place[160];
    snprintf(place, sizeof place, " at 0x%08" PRIx32 "%s%s", result->address,
             result->instruction[0] != '\0' ? ": " : "", result->instruction);
    static const char *const endings[] = {[P5_END_HALT] = "Halted for good",
                                          [P5_END_SHUTDOWN] = "Processor shut down (triple fault)",
                                          [P5_END_INSTRUCTIONS] = "Stopped by --max-instructions",
                                          [P5_END_CLOCKS] = "Stopped by --max-clocks",
                                          [P5_END_TIMEOUT] = "Stopped by --timeout",
                                          [P5_END_STOPPED] = "Interrupted",
                                          [P5_END_FAILED] = "The engine failed",
                                          [P5_END_RESET] = "The guest reset the processor"};
    bool message = result->message[0] != '\0';
    const char *what = result->end == P5_END_SIGNAL                ? strsignal(result->signal)
                       : result->end == P5_END_SHUTDOWN && message ? "Processor shut down"
                                                                   : endings[result->end];
    text[0] = '\0';
    if (result->end == P5_END_EXIT)
        return text;
    snprintf(text, size, "%s%s%s%s%s", what, place, message ? " (" : "", result->message, message ? ")" : "");
    return text;
}

bool guest_ended_itself(const p5_run_result *result)
{
    return result->end == P5_END_EXIT || result->end == P5_END_HALT || result->end == P5_END_RESET;
}

int guest_print_ending(const p5_run_result *result)
{
    char text[400];
    if (guest_ending(result, text, sizeof text)[0] != '\0')
        fprintf(stderr, "%s\n", text);
    return guest_exit_status(result);
}
