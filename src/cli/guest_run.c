#define _GNU_SOURCE /* asprintf */
#include "cli/guest_run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "cli/guest_form.h"
#include "cli/guest_save.h"
#include "cli/host_clock.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/sandbox.h"
#include "cli/picture.h"
#include "cli/screen.h"

static void show_notice(void *context, const char *line)
{
    (void)context;
    progress_erase();
    fprintf(stderr, "p5scope: %s\n", line);
}

/* Discards the output of the guest, which --screen shows on the screen. */
static void discard(void *context, const void *text, size_t size)
{
    (void)context;
    (void)text;
    (void)size;
}

/* Reports what is wrong with the guest's file. Returns the exit status. */
static int cannot_load(const char *path, const p5_error *error)
{
    p5_error shown = *error;
    if (strcmp(shown.where, path) == 0 && shown.line == 0)
        shown.where[0] = '\0';
    char message[sizeof shown.message];
    memcpy(message, shown.message, sizeof message);
    if (shown.where[0] == '\0')
        snprintf(shown.message, sizeof shown.message, "%.150s: %.240s", path, message);
    cli_show_error(&shown, NULL, NULL, NULL);
    if (error->status == P5_ERR_IO)
        return access(path, F_OK) != 0 ? CLI_NOT_FOUND : CLI_NOT_LOADABLE;
    return error->status == P5_ERR_MEMORY || error->status == P5_ERR_ENGINE ? CLI_INTERNAL : CLI_NOT_LOADABLE;
}

/* Reads input for a bare-metal guest. Waits for a file or pipe, so that the run does not depend on its
 * speed. A terminal is only polled, or waited for briefly if the guest is idle. */
static int read_input(void *context, uint8_t *byte, bool idle)
{
    enum { IDLE_MILLISECONDS = 10, WAIT_MILLISECONDS = 50 };
    (void)context;
    if (isatty(STDIN_FILENO)) {
        struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
        if (poll(&ready, 1, idle ? IDLE_MILLISECONDS : 0) <= 0)
            return 0;
    }
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
    while (poll(&ready, 1, WAIT_MILLISECONDS) <= 0) {
        if (interrupt_ending())
            return 0;
    }
    ssize_t got = read(STDIN_FILENO, byte, 1);
    if (got < 0 && errno == EINTR)
        return 0; /* so that Ctrl-C is noticed */
    return got == 1 ? 1 : -1;
}

static int read_keys(void *context, uint8_t *byte, bool idle)
{
    typed_keys *keys = context;
    (void)idle;
    if (keys->at == keys->size)
        return -1;
    *byte = keys->bytes[keys->at++];
    return 1;
}

/* Joins the words with blanks. NULL when memory is out. */
static char *join_words(const char *const *words)
{
    size_t size = 1;
    for (const char *const *word = words; *word != NULL; word++)
        size += strlen(*word) + 1;
    char *line = calloc(size, 1);
    for (const char *const *word = words; line != NULL && *word != NULL; word++) {
        strcat(line, *word);
        if (word[1] != NULL)
            strcat(line, " ");
    }
    return line;
}

/* Loads --kernel with its command line: --cmdline, then "--" and the words for its first program. */
static p5_status load_kernel(const guest_options *options, p5_machine *machine, p5_error *error)
{
    const char *append = options->line->cmdline != NULL ? options->line->cmdline : "console=ttyS0,115200";
    char *words = join_words((const char *const *)options->command + 1), *line = NULL;
    if (words == NULL || asprintf(&line, "%s%s%s", append, words[0] != '\0' ? " -- " : "", words) < 0) {
        free(words);
        error->status = P5_ERR_MEMORY;
        return P5_ERR_MEMORY;
    }
    const p5_kernel with = {
        .size = sizeof with, .append = line, .initrd = options->line->initrd, .init = options->line->init};
    p5_status status = p5_machine_load_kernel(machine, options->line->kernel, &with, error);
    free(words);
    free(line);
    return status;
}

/* Loads a bzImage as the guest. Its arguments are its command line; without any it has no serial console. */
static p5_status load_bzimage(const guest_options *options, p5_machine *machine, p5_error *error)
{
    char *line = join_words((const char *const *)options->command + 1);
    const p5_kernel with = {.size = sizeof with, .append = line};
    p5_status status = p5_machine_load_kernel(machine, options->command[0], &with, error);
    free(line);
    return status;
}

static p5_status load(const guest_options *options, guest_form form, const char *const *words,
                      p5_machine *machine, p5_error *error)
{
    const char *path = options->command[0];
    switch (form) {
    case FORM_KERNEL:
        return load_kernel(options, machine, error);
    case FORM_FLAT:
        return options->line->real
                   ? p5_machine_load_real(machine, path, options->real_segment, options->real_offset, error)
                   : p5_machine_load_flat(machine, path, options->flat_address, error);
    case FORM_MULTIBOOT:
        return p5_machine_load_multiboot(machine, path, error);
    case FORM_BZIMAGE:
        return load_bzimage(options, machine, error);
    case FORM_DOS:
        return p5_machine_load_dos(machine, path, words, options->environment, error);
    case FORM_DISK:
        return p5_machine_load_disk(machine, path, error);
    case FORM_ELF:
        return p5_machine_load_elf(machine, path, error);
    case FORM_LINUX:
        break;
    }
    return p5_machine_load_linux(machine, path, words, options->environment, error);
}

/* Skips the part of an input file, or of --keys, that the snapshot's guest had read. */
static void skip_input(const guest_options *options, const p5_machine *machine)
{
    struct stat about;
    uint64_t taken = p5_machine_input_taken(machine);
    if (options->keys != NULL)
        options->keys->at = taken < options->keys->size ? (size_t)taken : options->keys->size;
    else if (taken > 0 && fstat(STDIN_FILENO, &about) == 0 && S_ISREG(about.st_mode))
        lseek(STDIN_FILENO, (off_t)taken, SEEK_SET);
}

/* Returns the options of the machine. With a snapshot, those that it contains are not given. */
static p5_machine_options machine_options_of(const guest_options *options)
{
    p5_machine_options machine = options->machine;
    machine.size = sizeof machine;
    machine.shares = options->shares;
    machine.input = options->keys != NULL ? read_keys : read_input;
    machine.input_context = options->keys;
    machine.input_keys = options->keys != NULL || isatty(STDIN_FILENO);
    if (options->keys != NULL)
        options->keys->at = 0;
    machine.cd_as_disk = options->line->disk;
    machine.console = options->line->screen ? discard : NULL;
    machine.stuck = interrupt_stuck;
    machine.notice = options->line->quiet ? NULL : show_notice;
    return machine;
}

static p5_machine *load_snapshot(const guest_options *options, int *status)
{
    const p5_machine_options machine_options = machine_options_of(options);
    p5_machine *machine;
    p5_error error = {0};
    *status = CLI_OK;
    if (p5_machine_load(options->line->load, &machine_options, &machine, &error) == P5_OK)
        skip_input(options, machine);
    else
        *status = cannot_load(options->line->load, &error);
    return machine;
}

p5_limits guest_limits_left(const guest_options *options)
{
    p5_limits limits = options->limits;
    if (limits.timeout_seconds > 0) /* 0 would mean no limit */
        limits.timeout_seconds = fmax(options->over - host_clock(), 1e-9);
    return limits;
}

/* Performs --fast-forward. Returns false after a message. */
static bool fast_forward(const guest_options *options, p5_machine *machine, int *status)
{
    p5_error error = {0};
    p5_run_result result;
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

static p5_machine *open_and_load(const guest_options *options, uint64_t seed, int *status)
{
    if (options->line->load != NULL)
        return load_snapshot(options, status);
    const char **words = guest_words(options);
    char *command_line = words != NULL ? join_words(words) : NULL;
    p5_machine_options machine_options = machine_options_of(options);
    machine_options.random_seed = seed;
    machine_options.command_line = command_line;
    p5_machine *machine = NULL;
    p5_error error = {0};
    guest_form form;
    *status = CLI_OK;
    if (command_line == NULL) {
        *status = CLI_INTERNAL;
    } else if (guest_form_find(options, &form, &error) != P5_OK) {
        *status = cannot_load(options->command[0], &error);
    } else if (!guest_form_takes(options, form)) {
        *status = CLI_USAGE;
    } else if (p5_machine_open(&machine_options, &machine, &error) != P5_OK) {
        cli_show_error(&error, NULL, NULL, NULL);
        *status = CLI_INTERNAL;
        machine = NULL;
    } else if (load(options, form, words, machine, &error) != P5_OK) {
        *status = cannot_load(options->command[0], &error);
        p5_machine_close(machine);
        machine = NULL;
    }
    free(command_line);
    free(words);
    return machine;
}

p5_machine *guest_open(guest_options *options, uint64_t seed, int *status)
{
    p5_machine *machine = open_and_load(options, seed, status);
    options->over = host_clock() + options->limits.timeout_seconds;
    return machine;
}

static void confine(const guest_options *options, const guest_needs *later)
{
    enum { OWN = 3, MOST = OWN + GUEST_MOST_SYMBOLS + 2 };
    const char *all[MOST] = {options->command[0], options->line->kernel, options->line->init};
    sandbox_needs needs = {
        .shares = options->shares,
        .share_count = options->machine.share_count,
        .outputs = {later->output, options->line->save, options->line->screenshot, later->pictures},
        .gdb = options->line->gdb,
        .reads = all,
        .read_count = OWN};
    for (size_t i = 0; i < later->read_count && needs.read_count < MOST; i++)
        all[needs.read_count++] = later->reads[i];
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

/* Shows the screen for --screen on a terminal. */
static void show_screen(void *context, const p5_machine *machine)
{
    p5_screen screen;
    p5_picture picture;
    p5_error error = {0};
    (void)context;
    if (p5_machine_picture(machine, &picture, &error) != P5_OK)
        return;
    if (!picture.text) {
        fputs("\033[H", stdout);
        picture_show(stdout, &picture, picture_columns());
        fflush(stdout);
    } else if (p5_machine_screen(machine, &screen)) {
        screen_rewrite(stdout, &screen);
    }
    p5_picture_free(&picture);
}

/* Passes keys to the guest one by one, without echo by the terminal. Returns false if input does not come
 * from a terminal. */
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
    p5_screen screen;
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

/* Reports the result of --check-memo. Returns false if there was a difference. */
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
    bool keys = false;
    if (options->line->screen && isatty(STDOUT_FILENO)) {
        keys = keys_begin(&terminal);
        fputs("\033[2J", stdout);
        p5_machine_on_progress(machine, show_screen, NULL, 0.1);
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
        interrupt_written_within(signal_number != 0 ? 0 : guest_limits_left(options).timeout_seconds);
    if (keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal);
    *host_seconds = host_clock() - start;
    progress_end(machine);
    if (options->line->screen)
        last_screen(machine);
    saved = (options->line->screenshot == NULL || picture_save(machine, options->line->screenshot)) && saved;
    uint64_t later = p5_machine_permissive_count(machine);
    if (later > 0)
        fprintf(stderr,
                "p5scope: warning: %" PRIu64 " instructions that the processor does not have were executed "
                "(--isa=permissive)\n",
                later);
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

int guest_tell_ending(const p5_run_result *result)
{
    char text[400];
    if (guest_ending(result, text, sizeof text)[0] != '\0')
        fprintf(stderr, "%s\n", text);
    return guest_exit_status(result);
}
