/* Opens the machine and loads the guest or the snapshot, with the callbacks for the guest's input and output. */
#define _GNU_SOURCE /* asprintf */
#include "cli/guest_load.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/guest_form.h"
#include "cli/interrupt.h"
#include "cli/progress.h"

/* Shows a notice of the machine on standard error. */
static void show_notice(void *context, const char *line)
{
    (void)context;
    progress_erase();
    fprintf(stderr, "p5scope: %s\n", line);
}

/* Discards the text that the guest writes to its console, because --screen shows the whole screen instead. */
static void discard(void *context, const void *text, size_t size)
{
    (void)context;
    (void)text;
    (void)size;
}

/* Reports why the guest's file cannot be loaded. Names the file only once. Returns the exit status. */
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

/* Reads a byte of standard input for the guest's keyboard or serial port. Returns 1 with the byte, 0 if there is
 * none now, and -1 at the end of input. Waits for a file or pipe, so that the run does not depend on its speed. A
 * terminal is only polled, or waited for briefly if the guest is idle. */
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
        return 0; /* a signal came: the machine checks whether the run ends */
    return got == 1 ? 1 : -1;
}

/* Takes the next byte of --keys in place of standard input. Returns 1, or -1 after the last one. */
static int read_keys(void *context, uint8_t *byte, bool idle)
{
    typed_keys *keys = context;
    (void)idle;
    if (keys->at == keys->size)
        return -1;
    *byte = keys->bytes[keys->at++];
    return 1;
}

/* Returns the words joined with blanks, which the caller frees. NULL when memory is out. */
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

/* Returns the command line for a kernel. For --kernel it is --cmdline, followed by "--" and the operands, which
 * Linux passes to its first program. For a bzImage as guest it is the guest's arguments. NULL when memory is out.
 * The caller frees it. */
static char *kernel_line(const guest_options *options)
{
    const char *append = options->line->cmdline != NULL ? options->line->cmdline : "console=ttyS0,115200";
    char *words = join_words((const char *const *)options->command + 1), *line = NULL;
    if (words == NULL || options->line->kernel == NULL)
        return words;
    if (asprintf(&line, "%s%s%s", append, words[0] != '\0' ? " -- " : "", words) < 0)
        line = NULL;
    free(words);
    return line;
}

/* Loads the guest into the machine. `words` are the guest's argv. */
static p5_status load(const guest_options *options, guest_form form, const char *const *words,
                      p5_machine *machine, p5_error *error)
{
    const bool kernel = form == FORM_KERNEL || form == FORM_BZIMAGE;
    const p5_guest_kind kind = kernel                   ? P5_GUEST_KERNEL
                               : form == FORM_MULTIBOOT ? P5_GUEST_MULTIBOOT
                               : form == FORM_DOS       ? P5_GUEST_DOS
                               : form == FORM_DISK      ? P5_GUEST_DISK
                               : form == FORM_ELF       ? P5_GUEST_ELF
                               : form == FORM_LINUX     ? P5_GUEST_LINUX
                               : options->line->real    ? P5_GUEST_REAL
                                                        : P5_GUEST_FLAT;
    char *line = kernel ? kernel_line(options) : NULL;
    if (kernel && line == NULL) {
        error->status = P5_ERR_MEMORY;
        return P5_ERR_MEMORY;
    }
    const p5_load_options with = {.size = sizeof with,
                                  .kind = kind,
                                  .arguments = words,
                                  .environment = options->environment,
                                  .address = options->flat_address,
                                  .segment = options->real_segment,
                                  .offset = options->real_offset,
                                  .append = line,
                                  .initrd = form == FORM_KERNEL ? options->line->initrd : NULL,
                                  .init = form == FORM_KERNEL ? options->line->init : NULL};
    p5_status status = p5_machine_load(machine, options->command[0], &with, error);
    free(line);
    return status;
}

/* Skips the part of standard input (if it is a file), or of --keys, that the snapshot's guest had read. */
static void skip_input(const guest_options *options, const p5_machine *machine)
{
    struct stat about;
    uint64_t taken = p5_machine_input_taken(machine);
    if (options->keys != NULL)
        options->keys->at = taken < options->keys->size ? (size_t)taken : options->keys->size;
    else if (taken > 0 && fstat(STDIN_FILENO, &about) == 0 && S_ISREG(about.st_mode))
        lseek(STDIN_FILENO, (off_t)taken, SEEK_SET);
}

/* Returns the options of the machine: those of the command line, and the callbacks. */
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
    /* -q does not hide the notice of the address at which p5scope waits for gdb. */
    machine.notice = options->line->quiet && options->line->gdb == NULL ? NULL : show_notice;
    return machine;
}

/* Performs --load. Returns NULL after a message, with the exit status in *status. */
static p5_machine *load_snapshot(const guest_options *options, int *status)
{
    const p5_machine_options machine_options = machine_options_of(options);
    p5_machine *machine;
    p5_error error = {0};
    *status = CLI_OK;
    if (p5_machine_restore(options->line->load, &machine_options, &machine, &error) == P5_OK)
        skip_input(options, machine);
    else
        *status = cannot_load(options->line->load, &error);
    return machine;
}

p5_machine *guest_load(const guest_options *options, uint64_t seed, int *status)
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
    } else if (load(options, form, words, machine, &error) != P5_OK) {
        *status = cannot_load(options->command[0], &error);
        p5_machine_close(machine);
        machine = NULL;
    }
    free(command_line);
    free(words);
    return machine;
}
