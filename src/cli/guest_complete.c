/* Completes the options of a guest: opens the model, reads the snapshot of --load, computes the counters' selections
 * for --ctr0 and --ctr1, and checks where to save. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/guest_options.h"
#include "cli/option_values.h"
#include "p5tool/profile.h"

enum { SECTION_BYTES = 64 }; /* for the name of a section of a model file */

/* Writes a field of a model in the form of a model file, for --dump-config. `context` has the name of the section
 * that was begun last, in SECTION_BYTES. */
static void dump_field(void *context, const char *section, const char *key, const char *value,
                       const char *meaning)
{
    char *last = context;
    if (strcmp(last, section) != 0) {
        printf("%s[%s]\n", last[0] != '\0' ? "\n" : "", section);
        snprintf(last, SECTION_BYTES, "%s", section);
    }
    if (meaning != NULL && meaning[0] != '\0')
        printf("; %s\n", meaning);
    printf("%s = %s\n", key, value);
}

/* Computes the value of CESR from --ctr0 and --ctr1, or with --monitor=p6 or arch3 those of the event select registers.
 * Returns false after a message. */
static bool complete_counters(guest_options *options)
{
    const char *const counter[2] = {options->line->ctr0, options->line->ctr1};
    p5_counter_select select[2];
    p5_cesr_decode(0, select);
    unsigned monitor = p5_model_monitor(options->model);
    for (unsigned i = 0; i < 2; i++) {
        p5_error error = {0};
        if (counter[i] == NULL)
            continue;
        if (p5_counter_parse(counter[i], i, p5_model_family(options->model) | monitor, &select[i], &error) !=
            P5_OK) {
            if (error.column == 0)
                error.column = 1;
            return cli_refuse_error(&error, i == 0 ? "--ctr0" : "--ctr1", counter[i],
                                    "Run 'p5scope list' to see the events.");
        }
        if (monitor != 0)
            options->machine.event_select[i] = p5_evtsel_encode(&select[i], i, monitor);
    }
    if (monitor != 0) {
        /* Bit EN of PERFEVTSEL0 enables both counters, so it is also set if there is only --ctr1. The value of this
         * selection has no other bit. */
        const p5_counter_select enabled = {.overflow_pin = true};
        if (monitor == P5_MONITOR_P6 && counter[1] != NULL)
            options->machine.event_select[0] |= p5_evtsel_encode(&enabled, 0, monitor);
        return true;
    }
    options->machine.cesr = p5_cesr_encode(select);
    return true;
}

/* Reads a hexadecimal number of at most FFFFh at *text, with or without "0x", and moves *text after it. Returns false
 * if there is none. */
static bool read_hex16(const char **text, uint16_t *value)
{
    const char *digits = *text;
    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        digits += 2;
    const size_t count = strspn(digits, "0123456789ABCDEFabcdef");
    const unsigned long number = strtoul(digits, NULL, 16); /* ULONG_MAX if it is too large for the type */
    *value = (uint16_t)number;
    *text = digits + count;
    return count > 0 && number <= UINT16_MAX;
}

/* Reads --flat: an address, or with --real SEGMENT:OFFSET in hexadecimal digits. Returns false after a
 * message. */
static bool complete_flat(guest_options *options)
{
    const char *flat = options->line->flat;
    uint64_t address;
    if (options->line->real) {
        const char *at = flat;
        if (!read_hex16(&at, &options->real_segment) || *at++ != ':' ||
            !read_hex16(&at, &options->real_offset) || *at != '\0')
            return cli_refuse("--flat", flat, 1, "with --real this is SEGMENT:OFFSET, such as 1000:0100");
    } else if (flat != NULL) {
        if (number_option("--flat", flat, UINT32_MAX, &address) != 0)
            return false;
        options->flat_address = (uint32_t)address;
    }
    return true;
}

/* Makes --kernel the guest: puts its file before the operands, which are arguments for the first program that Linux
 * runs. Returns false after a message. */
static bool complete_kernel(guest_options *options)
{
    if (options->line->kernel == NULL)
        return true;
    size_t count = 0;
    while (options->command != NULL && options->command[count] != NULL)
        count++;
    options->kernel_command = calloc(count + 2, sizeof *options->kernel_command);
    if (options->kernel_command == NULL)
        return cli_refuse("--kernel", NULL, 0, "out of memory");
    options->kernel_command[0] = (char *)(uintptr_t)options->line->kernel;
    for (size_t i = 0; i < count; i++)
        options->kernel_command[i + 1] = options->command[i];
    options->command = options->kernel_command;
    return true;
}

/* Takes the operand, if there is one, as the disk image of the snapshot's guest. A snapshot grants no access to the host, so
 * an image must be named again. Returns false after a message. */
static bool take_image(guest_options *options)
{
    bool has_image = strcmp(options->loaded.kind, "boot") == 0 || strcmp(options->loaded.kind, "dos") == 0;
    if (options->command == NULL)
        return true;
    if (!has_image)
        return cli_refuse(NULL, NULL, 0, "--load cannot be combined with a guest: the snapshot contains it.");
    if (options->command[1] != NULL)
        return cli_refuse(NULL, NULL, 0, "--load takes only the disk image; remove '%s'.",
                          options->command[1]);
    options->machine.image = options->command[0];
    return true;
}

/* Takes the guest from the snapshot, and the model unless --model is given. Returns false after a message. */
static bool complete_load(guest_options *options)
{
    p5_error error = {0};
    const char *load = options->line->load;
    options->loaded.size = sizeof options->loaded;
    if (p5_snapshot_read_info(load, &options->loaded, &error) != P5_OK) {
        if (strcmp(error.where, load) == 0)
            error.where[0] = '\0';
        return cli_refuse_error(&error, "--load", load, NULL);
    }
    if (!take_image(options))
        return false;
    options->loaded_command[0] = options->machine.image != NULL  ? (char *)(uintptr_t)options->machine.image
                                 : options->loaded.guest != NULL ? options->loaded.guest
                                                                 : (char *)(uintptr_t)load;
    options->command = options->loaded_command;
    if (options->machine.model == NULL) {
        options->model = options->loaded.model;
        options->loaded.model = NULL;
    }
    return true;
}

/* Checks before the run that the snapshot can be written. Returns false after a message. */
static bool check_save(const char *path)
{
    if (path[0] == '\0')
        return cli_refuse("--save", path, 1, "the snapshot needs a name");
    struct stat there;
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    const char *wrong = NULL;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        wrong = "this is not a regular file";
    else if (folder == NULL || access(folder, W_OK | X_OK) != 0)
        wrong = strerror(errno);
    free(folder);
    if (wrong != NULL)
        cli_complain("--save", path, 1, "cannot write %s: %s", path, wrong);
    return wrong == NULL;
}

/* Checks --save and reads --save-at. Returns false after a message. */
static bool complete_save(guest_options *options)
{
    const char *text = options->line->save_at;
    if (options->line->save != NULL && !check_save(options->line->save))
        return false;
    return text == NULL || options->command == NULL ||
           bound_option("--save-at", text, options->command[0], &options->save_point);
}

/* Applies --clock, --agent, --monitor, --wire and --bus-check to the model. Returns false after a message. */
static bool complete_model(guest_options *options)
{
    p5_error error = {0};
    const struct {
        const char *option, *value;
        p5_status (*set)(p5_model *model, const char *value, p5_error *error);
        const char *advice;
    } parts[] = {
        {"--agent", options->machine.agent, p5_model_set_agent,
         "The keys are kind, period, base, len, write, clocks and grant."},
        {"--monitor", options->machine.monitor, p5_model_set_monitor, NULL},
        {"--wire", options->machine.wires, p5_model_set_wires, "An example is pm0=nmi,pm1=irq5."},
        {"--bus-check", options->machine.check, p5_model_set_check, "An example is read,address=0x200000."}};
    if (options->machine.clock_mhz != 0 &&
        p5_model_set_clock(options->model, options->machine.clock_mhz, &error) != P5_OK)
        return cli_refuse_error(&error, NULL, NULL, NULL);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].value != NULL && parts[i].set(options->model, parts[i].value, &error) != P5_OK)
            return cli_refuse_error(&error, parts[i].option, parts[i].value, parts[i].advice);
    return true;
}

bool guest_options_complete(guest_options *options, int *status)
{
    *status = CLI_USAGE;
    p5_error error = {0};
    const cli_options *line = options->line;
    if (line->gdb != NULL && p5_gdb_place_check(line->gdb, &error) != P5_OK) {
        error.column = 1;
        return cli_refuse_error(&error, "--gdb", line->gdb, NULL);
    }
    if (!complete_flat(options) || (line->load == NULL && !complete_kernel(options)))
        return false;
    if (line->warm_up != 0 && line->warm_up >= line->save_every)
        return cli_refuse(NULL, NULL, 0, "--warm-up must be less than --save-every.");
    if ((line->load != NULL && !complete_load(options)) || !complete_save(options))
        return false;
    if (options->machine.model == NULL && line->load == NULL)
        options->machine.model = p5_model_names()[0];
    if (options->model == NULL)
        options->model = model_option_open("--model", options->machine.model);
    if (options->model == NULL || !complete_model(options) || !complete_counters(options))
        return false;
    if (line->dump_config) {
        char section[SECTION_BYTES] = "";
        p5_model_fields(options->model, dump_field, section);
        *status = CLI_OK;
        return false;
    }
    return options->command != NULL ||
           cli_refuse(NULL, NULL, 0, "which guest? Try 'p5scope %s --help'", line->verb);
}

const char **guest_symbol_files(const guest_options *options)
{
    const text_list *symbols = &options->line->symbols;
    const char **files = calloc(symbols->count + 2, sizeof *files);
    if (files == NULL)
        return NULL;
    for (size_t i = 0; i < symbols->count; i++) {
        files[i] = symbols->items[i];
        if (!p5_symbols_any(files[i]))
            cli_complain("--symbols", files[i], 1,
                         "note: %s has neither functions nor lines (it was stripped); its code is shown as "
                         "sub_ADDRESS",
                         files[i]);
    }
    files[symbols->count] = options->line->init;
    return files;
}

/* Returns false after a message if an output of the verb or --save would overwrite another of these, the guest, one of its
 * files, such as the image of --disk2, a file of --symbols, or the snapshot of --load. Only --save may overwrite that
 * snapshot, which has been read by then. */
bool guest_files_distinct(const guest_options *options, const file_use *outputs, size_t count)
{
    enum { MOST_OUTPUTS = 8, ADDED = 2 };
    file_use uses[MOST_OUTPUTS + ADDED];
    assert(count <= MOST_OUTPUTS);
    for (size_t i = 0; i < count; i++)
        uses[i] = outputs[i];
    uses[count] = (file_use){"--load", options->line->load, true};
    if (!file_uses_distinct(uses, count + 1))
        return false;
    uses[count] = (file_use){"--save", options->line->save, false};
    const char *guest = options->command != NULL ? options->command[0] : NULL;
    bool is_snapshot = guest == options->line->load; /* which does not name its guest */
    uses[count + 1] = (file_use){"the guest", is_snapshot ? NULL : guest, true};
    bool distinct = file_uses_distinct(uses, count + ADDED);
    for (size_t i = 0; i < options->line->use_count && distinct; i++) {
        const cli_use *use = &options->line->uses[i];
        if ((use->row->flags & OPTION_IS_CONTENTS) == 0 || use->row->option == OPTION_LOAD)
            continue;
        char *path = guest_contents_file(use);
        uses[count + 1] = (file_use){"a file of the guest", path, true};
        distinct = path != NULL ? file_uses_distinct(uses, count + ADDED)
                                : cli_refuse(NULL, NULL, 0, "out of memory");
        free(path);
    }
    const text_list *symbols = &options->line->symbols;
    for (size_t i = 0; i < symbols->count && distinct; i++) {
        uses[count + 1] = (file_use){"a file of --symbols", symbols->items[i], true};
        distinct = file_uses_distinct(uses, count + ADDED);
    }
    return distinct;
}

void guest_options_free_completed(guest_options *options)
{
    p5_model_close(options->model);
    p5_snapshot_info_free(&options->loaded);
    free(options->kernel_command);
}

void guest_options_free(guest_options *options)
{
    for (size_t i = 0; i < options->machine.share_count; i++)
        free(options->share_text[i]);
    guest_options_free_completed(options);
    free(options->keys);
}
