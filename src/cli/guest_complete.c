/* What guest options come to once all are known: the model, the counters, the snapshot to load or save. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/guest_options.h"
#include "p5scope/profile.h"
#include "cli/option_values.h"

/* Writes a model as the INI file that would make it. */
static void dump_field(void *context, const char *section, const char *key, const char *value,
                       const char *meaning)
{
    char *last = context;
    if (strcmp(last, section) != 0) {
        printf("%s[%s]\n", last[0] != '\0' ? "\n" : "", section);
        snprintf(last, 64, "%s", section);
    }
    if (meaning != NULL && meaning[0] != '\0')
        printf("; %s\n", meaning);
    printf("%s = %s\n", key, value);
}

static bool complete_counters(guest_options *options)
{
    p5_counter_select select[2];
    p5_cesr_decode(0, select);
    unsigned monitor = p5_model_monitor(options->model);
    for (unsigned i = 0; i < 2; i++) {
        p5_error error = {0};
        if (options->counter[i] == NULL)
            continue;
        if (p5_counter_parse(options->counter[i], i, p5_model_family(options->model) | monitor, &select[i],
                             &error) != P5_OK) {
            if (error.column == 0)
                error.column = 1;
            return cli_refuse_error(&error, i == 0 ? "--ctr0" : "--ctr1", options->counter[i],
                                    "Run 'p5scope list' to see the events.");
        }
        if (monitor != 0)
            options->machine.event_select[i] = p5_evtsel_encode(&select[i], i, monitor);
    }
    if (monitor != 0) {
        if (monitor == P5_MONITOR_P6 && options->counter[1] != NULL) /* its EN is for both */
            options->machine.event_select[0] |=
                p5_evtsel_encode(&(p5_counter_select){.overflow_pin = true}, 0, monitor);
        return true;
    }
    options->machine.cesr = p5_cesr_encode(select);
    return true;
}

/* --flat: an address, or with --real SEGMENT:OFFSET in hexadecimal digits as such addresses are written. */
static bool complete_flat(guest_options *options)
{
    uint64_t address;
    char *end;
    if (options->real && options->flat == NULL)
        return cli_refuse(NULL, NULL, 0,
                          "--real says how --flat=SEGMENT:OFFSET is entered; --flat is missing");
    if (options->real) {
        unsigned long segment = strtoul(options->flat, &end, 16), offset = 0;
        bool good = end != options->flat && *end == ':' && end[1] != '\0';
        if (good)
            offset = strtoul(end + 1, &end, 16);
        if (!good || *end != '\0' || segment > 0xffff || offset > 0xffff)
            return cli_refuse("--flat", options->flat, 1,
                              "with --real this is SEGMENT:OFFSET, such as 1000:0100");
        options->real_segment = (uint16_t)segment;
        options->real_offset = (uint16_t)offset;
    } else if (options->flat != NULL) {
        if (guest_number("--flat", options->flat, UINT32_MAX, &address) != 0)
            return false;
        options->flat_address = (uint32_t)address;
    }
    return true;
}

/* Says what the guest is at most once. */
static bool complete_form(const guest_options *options)
{
    const char *forms[4];
    unsigned count = 0;
    if (options->kernel != NULL)
        forms[count++] = "--kernel";
    if (options->flat != NULL)
        forms[count++] = "--flat";
    if (options->disk)
        forms[count++] = "--disk";
    if (options->multiboot)
        forms[count++] = "--multiboot";
    if (count < 2)
        return true;
    return cli_refuse(NULL, NULL, 0, "%s and %s each say what the guest is; give one of them", forms[0],
                      forms[1]);
}

/* --kernel is the guest; the words in a guest's place are for its first program. */
static bool complete_kernel(guest_options *options)
{
    if (options->kernel == NULL) {
        if (options->initrd == NULL && options->append == NULL && options->init == NULL)
            return true;
        return cli_refuse(NULL, NULL, 0, "%s is for a Linux kernel; --kernel is missing",
                          options->initrd != NULL ? "--initrd"
                          : options->init != NULL ? "--init"
                                                  : "--cmdline");
    }
    if (options->initrd != NULL && options->init != NULL)
        return cli_refuse(NULL, NULL, 0, "--init makes an initrd: --initrd is another");
    size_t count = 0;
    if (options->kernel_command != NULL) /* completed before, for another model */
        return true;
    while (options->command != NULL && options->command[count] != NULL)
        count++;
    options->kernel_command = calloc(count + 2, sizeof *options->kernel_command);
    if (options->kernel_command == NULL)
        return false;
    options->kernel_command[0] = (char *)(uintptr_t)options->kernel;
    for (size_t i = 0; i < count; i++)
        options->kernel_command[i + 1] = options->command[i];
    options->command = options->kernel_command;
    return true;
}

/* What is part of a snapshot cannot be asked for. */
static bool check_load(const guest_options *options)
{
    const struct {
        const char *option;
        bool given;
    } parts[] = {{"--mem", options->machine.memory_bytes != 0},
                 {"--isa", options->machine.permissive},
                 {"--flat", options->flat != NULL},
                 {"--kernel", options->kernel != NULL},
                 {"--disk", options->disk},
                 {"--multiboot", options->multiboot},
                 {"--module", options->machine.module_count != 0},
                 {"--rtc", options->machine.rtc_set},
                 {"--argv0", options->argv0 != NULL},
                 {"--env", options->environment_count != 0},
                 {"--seed", options->machine.random_seed != 0},
                 {"--pce", options->machine.pce},
                 {"--ctr0", options->counter[0] != NULL},
                 {"--ctr1", options->counter[1] != NULL},
                 {"--clock", options->machine.clock_mhz != 0 && options->machine.model == NULL},
                 {"--agent", options->machine.agent != NULL && options->machine.model == NULL},
                 {"--bus-check", options->machine.check != NULL && options->machine.model == NULL},
                 {"--monitor", options->machine.monitor != NULL},
                 {"--wire", options->machine.wires != NULL && options->machine.model == NULL}};
    for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].given)
            return cli_refuse(NULL, NULL, 0, "--load and %s: the snapshot says it", parts[i].option);
    return true;
}

/* A file that the guest has open by itself is named again: a snapshot grants nothing of this host. */
static bool take_image(guest_options *options)
{
    bool has_image = strcmp(options->loaded.kind, "boot") == 0 || strcmp(options->loaded.kind, "dos") == 0;
    if (options->command != NULL && (!has_image || options->command[1] != NULL))
        return cli_refuse(NULL, NULL, 0, "--load and a guest: the snapshot says it");
    if (options->command != NULL)
        options->machine.image = options->command[0];
    return true;
}

/* The snapshot's guest in the place of one on the command line; its model unless another is given. */
static bool complete_load(guest_options *options)
{
    p5_error error = {0};
    if (!check_load(options))
        return false;
    if (p5_snapshot_read_info(options->load, &options->loaded, &error) != P5_OK) {
        if (strcmp(error.where, options->load) == 0)
            error.where[0] = '\0';
        return cli_refuse_error(&error, "--load", options->load, NULL);
    }
    if (!take_image(options))
        return false;
    options->loaded_command[0] = options->machine.image != NULL  ? (char *)(uintptr_t)options->machine.image
                                 : options->loaded.guest != NULL ? options->loaded.guest
                                                                 : (char *)(uintptr_t)options->load;
    options->command = options->loaded_command;
    if (options->machine.model == NULL) {
        options->model = options->loaded.model;
        options->loaded.model = NULL;
    }
    return true;
}

/* What would keep the snapshot from being written is said before the run. */
static bool check_save(const char *path)
{
    struct stat there;
    const char *slash = strrchr(path, '/');
    char *folder = slash == NULL ? strdup(".") : strndup(path, (size_t)(slash - path) + 1);
    const char *wrong = NULL;
    if (stat(path, &there) == 0 && !S_ISREG(there.st_mode))
        wrong = "this is not a regular file";
    else if (folder == NULL || access(folder, W_OK) != 0)
        wrong = strerror(errno);
    free(folder);
    if (wrong != NULL)
        cli_complain("--save", path, 1, "cannot write %s: %s", path, wrong);
    return wrong == NULL;
}

/* --save-at Nc, Ni, SYMBOL, ADDRESS, begin:ID, end:ID. */
static bool complete_save(guest_options *options)
{
    const char *text = options->save_at;
    if (options->save != NULL && !check_save(options->save))
        return false;
    if (text == NULL)
        return true;
    if (options->save == NULL)
        return cli_refuse("--save-at", text, 1, "where to? --save FILE");
    if (options->gdb != NULL)
        return cli_refuse(NULL, NULL, 0, "--gdb and --save-at: gdb decides where the run stops");
    return options->command == NULL ||
           bound_option("--save-at", text, options->command[0], &options->save_point);
}

/* What the model is given beside its name. */
static bool complete_model(guest_options *options)
{
    p5_error error = {0};
    const struct {
        const char *option, *value;
        p5_status (*set)(p5_model *model, const char *value, p5_error *error);
        const char *advice;
    } parts[] = {{"--agent", options->machine.agent, p5_model_set_agent,
                  "kind, period, base, len, write, clocks, grant"},
                 {"--monitor", options->machine.monitor, p5_model_set_monitor, "p5, p6, arch3"},
                 {"--wire", options->machine.wires, p5_model_set_wires, "pm0=nmi, pm1=irq5"},
                 {"--bus-check", options->machine.check, p5_model_set_check, "read,address=0x200000"}};
    if (options->machine.clock_mhz != 0 &&
        p5_model_set_clock(options->model, options->machine.clock_mhz, &error) != P5_OK)
        return cli_refuse_error(&error, NULL, NULL, NULL);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].value != NULL && parts[i].set(options->model, parts[i].value, &error) != P5_OK)
            return cli_refuse_error(&error, parts[i].option, parts[i].value, parts[i].advice);
    return options->machine.check == NULL || !options->machine.memo_check ||
           cli_refuse(NULL, NULL, 0, "--check-memo and --bus-check: nothing is remembered beside bus checks");
}

bool guest_options_complete(guest_options *options, int *status)
{
    *status = CLI_USAGE;
    p5_error error = {0};
    if (options->gdb != NULL && p5_gdb_place_check(options->gdb, &error) != P5_OK) {
        error.column = 1;
        return cli_refuse_error(&error, "--gdb", options->gdb, NULL);
    }
    if (options->model_count > 1 && !options->takes_models)
        return cli_refuse(NULL, NULL, 0, "a run has one --model; 'p5scope stat' compares several");
    if (!complete_form(options) || !complete_flat(options) ||
        (options->load == NULL && !complete_kernel(options)))
        return false;
    if (options->save_every != 0 && (options->save == NULL || options->save_at != NULL ||
                                     options->gdb != NULL || options->fast_forward != 0 ||
                                     options->limits.max_clocks != 0 || options->limits.timeout_seconds > 0))
        return cli_refuse(NULL, NULL, 0,
                          "--save-every goes with --save FILE, and without --save-at, --gdb, --fast-forward, "
                          "--max-clocks and --timeout");
    if (options->warm_up != 0 && options->warm_up >= options->save_every)
        return cli_refuse(NULL, NULL, 0, "--warm-up is less than --save-every, and goes with it");
    if ((options->load != NULL && !complete_load(options)) || !complete_save(options))
        return false;
    if (options->machine.model == NULL && options->load == NULL)
        options->machine.model = p5_model_names()[0];
    if (options->model == NULL)
        options->model = model_option_open("--model", options->machine.model);
    if (options->model == NULL || !complete_model(options) || !complete_counters(options))
        return false;
    if (options->dump_config) {
        char section[64] = "";
        p5_model_fields(options->model, dump_field, section);
        *status = CLI_OK;
        return false;
    }
    return options->command != NULL ||
           cli_refuse(NULL, NULL, 0, "which guest? Try 'p5scope %s --help'", options->verb);
}

error_t symbol_files_add(symbol_files *files, const char *path)
{
    if (files->count == GUEST_MOST_SYMBOLS)
        return cli_complain("--symbols", path, 1, "more than %d files", GUEST_MOST_SYMBOLS);
    files->paths[files->count++] = path;
    return 0;
}

void symbol_files_complete(symbol_files *files, const guest_options *options)
{
    for (size_t i = 0; i < files->count; i++)
        if (!p5_symbols_any(files->paths[i]))
            cli_complain("--symbols", files->paths[i], 1,
                         "note: %s has neither functions nor lines (it was stripped); its code is shown as "
                         "sub_ADDRESS",
                         files->paths[i]);
    if (options->init != NULL)
        files->paths[files->count++] = options->init;
}

bool guest_files_apart(const guest_options *options, const file_use *outputs, size_t count)
{
    enum { MOST = 8, OWN = 2 };
    file_use uses[MOST + OWN];
    assert(count <= MOST);
    for (size_t i = 0; i < count; i++)
        uses[i] = outputs[i];
    /* A snapshot may take the place of the one that was loaded: that has been read by then. */
    uses[count] = (file_use){"--load", options->load, true};
    if (!file_uses_apart(uses, count + 1))
        return false;
    uses[count] = (file_use){"--save", options->save, false};
    uses[count + 1] = (file_use){"the guest", options->command != NULL ? options->command[0] : NULL, true};
    return file_uses_apart(uses, count + OWN);
}

void guest_options_free_model(guest_options *options)
{
    if (options->model != NULL)
        p5_model_close(options->model);
    p5_snapshot_info_free(&options->loaded);
}

void guest_options_free(guest_options *options)
{
    for (size_t i = 0; i < options->machine.share_count; i++)
        free(options->share_text[i]);
    for (char **word = options->given; word != NULL && *word != NULL; word++)
        free(*word);
    free(options->given);
    free(options->kernel_command);
    guest_options_free_model(options);
}
