#define _GNU_SOURCE /* strptime, timegm, sched_getaffinity */
#include "cli/guest_options.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    KEY_MODEL = 0x100,
    KEY_CLOCK,
    KEY_MEM,
    KEY_ISA,
    KEY_MODULE,
    KEY_RTC,
    KEY_DIR,
    KEY_ENV,
    KEY_SEED,
    KEY_THREADS,
    KEY_MAX_INSTRUCTIONS,
    KEY_MAX_CLOCKS,
    KEY_TIMEOUT,
    KEY_FAST_FORWARD
};

/* Two threads if this process may run on two processors. */
static unsigned usual_threads(void)
{
    cpu_set_t mine;
    return sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_COUNT(&mine) < 2 ? 1 : 2;
}

void guest_options_init(guest_options *options, const char *verb)
{
    memset(options, 0, sizeof *options);
    options->verb = verb;
    options->machine.threads = usual_threads();
}

error_t guest_number(const char *option, const char *text, uint64_t largest, uint64_t *value)
{
    if (!p5_parse_number(text, value))
        return cli_complain(option, text, 1, "'%s' is not a number (1200, 0x4b0, 64k, 1e6)", text);
    if (*value > largest)
        return cli_complain(option, text, 1, "%s is more than %s can be (%llu)", text, option,
                            (unsigned long long)largest);
    return 0;
}

static error_t positive_number(const char *option, const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(*value) && *value > 0)
        return 0;
    return cli_complain(option, text, 1, "'%s' is not a positive number", text);
}

/* --dir HOST[:GUEST][:ro|rw[,max=SIZE]] */
static error_t add_share(guest_options *options, const char *text)
{
    if (options->machine.share_count == GUEST_MOST_SHARES)
        return cli_complain("--dir", text, 1, "more than %d directories", GUEST_MOST_SHARES);
    char *copy = strdup(text);
    if (copy == NULL)
        return ENOMEM;
    options->share_text[options->machine.share_count] = copy;
    p5_share *share = &options->shares[options->machine.share_count++];
    share->host = copy;
    for (char *colon = strchr(copy, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
        *colon = '\0';
        char *part = colon + 1;
        size_t length = strcspn(part, ":");
        bool last = part[length] == '\0';
        if (last && (strcmp(part, "ro") == 0 || strcmp(part, "rw") == 0)) {
            share->writable = part[1] == 'w';
            return 0;
        }
        if (last && strncmp(part, "rw,max=", 7) == 0) {
            share->writable = true;
            if (p5_parse_size(part + 7, &share->max_bytes) && share->max_bytes != 0)
                return 0;
            return cli_complain("--dir", text, (unsigned)(part - copy) + 8, "max= is a size, e.g. 100M");
        }
        if (share->guest != NULL || part[0] != '/')
            return cli_complain("--dir", text, (unsigned)(part - copy) + 1,
                                share->guest != NULL
                                    ? "only 'ro', 'rw' or 'rw,max=SIZE' may stand here"
                                    : "the guest's path is absolute, or this is 'ro' or 'rw'");
        share->guest = part;
    }
    if (share->host[0] != '\0')
        return 0;
    return cli_complain("--dir", text, 1, "the host's directory is missing");
}

/* --env NAME=VALUE, or --env NAME for the host's value. */
static error_t add_environment(guest_options *options, const char *text)
{
    const char *entry = text;
    if (strchr(text, '=') == NULL) {
        entry = NULL;
        size_t length = strlen(text);
        extern char **environ;
        for (char **variable = environ; *variable != NULL; variable++)
            if (strncmp(*variable, text, length) == 0 && (*variable)[length] == '=')
                entry = *variable;
        if (entry == NULL)
            return 0; /* not set here, so not set there */
    }
    if (text[0] == '=' || options->environment_count == GUEST_MOST_ENVIRONMENT)
        return cli_complain("--env", text, 1,
                            text[0] == '=' ? "a variable's name is missing" : "too many variables");
    options->environment[options->environment_count++] = entry;
    return 0;
}

static error_t set_memory(guest_options *options, const char *text)
{
    uint64_t bytes;
    if (!p5_parse_size(text, &bytes) || bytes > UINT64_C(2) << 30)
        return cli_complain("--mem", text, 1,
                            "'%s' is not a size up to 2G (64M, 0x400000; K, M, G are binary)", text);
    if (bytes < UINT32_C(1) << 20 || bytes % 4096 != 0)
        return cli_complain("--mem", text, 1, "memory is 1M or more, in whole pages of 4096 bytes");
    options->machine.memory_bytes = (uint32_t)bytes;
    return 0;
}

static error_t set_isa(guest_options *options, const char *text)
{
    if (strcmp(text, "permissive") == 0) {
        options->machine.permissive = true;
    } else if (strcmp(text, "exact") == 0) {
        options->machine.permissive = false;
    } else {
        return cli_complain("--isa", text, 1, "an instruction set is 'exact' or 'permissive'");
    }
    return 0;
}

static error_t set_threads(guest_options *options, const char *text)
{
    uint64_t threads;
    if (guest_number("--threads", text, 2, &threads) != 0)
        return CLI_USAGE;
    if (threads == 0)
        return cli_complain("--threads", text, 1, "a run has one thread or two");
    options->machine.threads = (unsigned)threads;
    return 0;
}

static error_t add_module(guest_options *options, const char *text)
{
    if (options->machine.module_count == GUEST_MOST_MODULES)
        return cli_complain("--module", text, 1, "more than %d modules", GUEST_MOST_MODULES);
    options->modules[options->machine.module_count++] = text;
    return 0;
}

/* --rtc YYYY-MM-DD[THH:MM:SS], taken as it is, or seconds since 1970. */
static error_t set_rtc(guest_options *options, const char *text)
{
    struct tm t = {0};
    const char *end = strptime(text, "%Y-%m-%d", &t);
    if (end != NULL && (*end == 'T' || *end == ' '))
        end = strptime(end + 1, "%H:%M:%S", &t);
    uint64_t seconds;
    options->machine.rtc_set = true;
    if (end != NULL && *end == '\0') {
        options->machine.rtc_seconds = timegm(&t);
    } else if (p5_parse_number(text, &seconds) && seconds <= UINT64_C(253402300799)) {
        options->machine.rtc_seconds = (int64_t)seconds;
    } else {
        return cli_complain("--rtc", text, 1, "a time is written 1997-06-02 or 1997-06-02T08:30:00");
    }
    return 0;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    guest_options *options = state->input;
    switch (key) {
    case KEY_CLOCK:
        return positive_number("--clock", argument, &options->machine.clock_mhz);
    case KEY_MEM:
        return set_memory(options, argument);
    case KEY_ISA:
        return set_isa(options, argument);
    case KEY_MODULE:
        return add_module(options, argument);
    case KEY_RTC:
        return set_rtc(options, argument);
    case KEY_DIR:
        return add_share(options, argument);
    case KEY_ENV:
        return add_environment(options, argument);
    case KEY_SEED:
        return guest_number("--seed", argument, UINT64_MAX, &options->machine.random_seed);
    case KEY_THREADS:
        return set_threads(options, argument);
    case KEY_MAX_INSTRUCTIONS:
        return guest_number("--max-instructions", argument, UINT64_MAX, &options->limits.max_instructions);
    case KEY_MAX_CLOCKS:
        return guest_number("--max-clocks", argument, UINT64_MAX, &options->limits.max_clocks);
    case KEY_TIMEOUT:
        return positive_number("--timeout", argument, &options->limits.timeout_seconds);
    case KEY_FAST_FORWARD:
        return guest_number("--fast-forward", argument, UINT64_MAX, &options->fast_forward);
    case ARGP_KEY_ARGS: /* the guest's name and all behind it are the guest's */
        options->command = state->argv + state->next;
        state->next = state->argc;
        return 0;
    default:
        return cli_set(key, argument, state);
    }
}

static const struct argp_option machine_table[] = {
    {"clock", KEY_CLOCK, "MHZ", 0, "Core clock instead of the model's", 0},
    {"agent", CLI_TEXT(guest_options, machine.agent), "KIND[,KEY=VALUE...]", 0,
     "Another bus master: dma or processor", 0},
    {"monitor", CLI_TEXT(guest_options, machine.monitor), "MAP", 0,
     "Registers over the counters: p5, or (fictional) p6, arch3", 0},
    {"wire", CLI_TEXT(guest_options, machine.wires), "PIN=TO[,...]", 0,
     "Lead PM0, PM1 or PMI to nmi or irq0 to irq15", 0},
    {"bus-check", CLI_TEXT(guest_options, machine.check), "CYCLE,address=N", 0,
     "Let a read, write or code fetch of a place fail: with CR4.MCE #MC", 0},
    {"mem", KEY_MEM, "SIZE", 0, "Guest memory, e.g. 64M", 0},
    {"isa", KEY_ISA, "MODE", 0, "exact, or permissive: later instructions run too", 0},
    {"rtc", KEY_RTC, "TIME", 0, "Start of the board's clock: 1997-06-02T08:30:00", 0},
    {"pce", CLI_FLAG(guest_options, machine.pce), NULL, 0, "Let a Linux guest execute RDPMC (CR4.PCE)", 0},
    {"ctr0", CLI_TEXT(guest_options, counter[0]), "EVENT[:ukc]", 0,
     "What CTR0 counts when a Linux guest starts", 0},
    {"ctr1", CLI_TEXT(guest_options, counter[1]), "EVENT[:ukc]", 0,
     "What CTR1 counts when a Linux guest starts", 0},
    {"check-memo", CLI_FLAG(guest_options, machine.memo_check), NULL, 0,
     "Compare each stretch with the exact path (slow)", 0},
    {"dump-config", CLI_FLAG(guest_options, dump_config), NULL, 0,
     "Print the effective model as a model file", 0},
    {0}};
static const struct argp_option run_table[] = {
    {"gdb", CLI_TEXT(guest_options, gdb), "PORT|SOCKET", 0, "Wait there for gdb and let it control the guest",
     0},
    {"dir", KEY_DIR, "DIR[:GUEST][:rw]", 0, "Show a host directory to the guest", 0},
    {"no-sandbox", CLI_FLAG(guest_options, no_sandbox), NULL, 0, "Keep all that the host allows p5scope", 0},
    {"env", KEY_ENV, "NAME[=VALUE]", 0, "Variable for the guest, which has none otherwise", 0},
    {"argv0", CLI_TEXT(guest_options, argv0), "NAME", 0, "argv[0] of a Linux guest (its file's name)", 0},
    {"seed", KEY_SEED, "N", 0, "Seed of the guest's random numbers", 0},
    {"threads", KEY_THREADS, "1|2", 0, "Host threads at most; the better is used", 0},
    {"max-instructions", KEY_MAX_INSTRUCTIONS, "N", 0, "End the run there", 0},
    {"max-clocks", KEY_MAX_CLOCKS, "N", 0, "End the run there", 0},
    {"timeout", KEY_TIMEOUT, "SECONDS", 0, "End the run after that host time (status 124)", 0},
    {"load", CLI_TEXT(guest_options, load), "FILE", 0, "Go on from this snapshot, which brings its guest", 0},
    {"save", CLI_TEXT(guest_options, save), "FILE", 0, "Save the state when it stops, or at --save-at", 0},
    {"save-at", CLI_TEXT(guest_options, save_at), "POINT", 0, "Nc, Ni, SYMBOL, begin:ID, end:ID; then go on",
     0},
    {"fast-forward", KEY_FAST_FORWARD, "N", 0, "First run N instructions without counting", 0},
    {"quiet", CLI_FLAG(guest_options, quiet), NULL, 0, "No notices, no progress line", 0},
    CLI_LETTER('q'),
    {0}};
static const struct argp_option kernel_table[] = {
    {"kernel", CLI_TEXT(guest_options, kernel), "FILE", 0, "Boot this Linux kernel: bzImage or vmlinux", 0},
    {"initrd", CLI_TEXT(guest_options, initrd), "FILE", 0, "--kernel: its initrd", 0},
    {"init", CLI_TEXT(guest_options, init), "PROGRAM", 0, "--kernel: run this static program", 0},
    {"cmdline", CLI_TEXT(guest_options, append), "TEXT", 0, "--kernel: its command line, as --append then is",
     0},
    {"flat", CLI_TEXT(guest_options, flat), "ADDRESS", 0, "GUEST is a flat image for this address", 0},
    {"real", CLI_FLAG(guest_options, real), NULL, 0, "--flat=SEGMENT:OFFSET, entered in real mode", 0},
    {"disk", CLI_FLAG(guest_options, disk), NULL, 0, "GUEST is a disk image, whatever else it looks like", 0},
    {"disk-write", CLI_FLAG(guest_options, machine.disk_writable), NULL, 0,
     "Write to the booted disk image; else to memory", 0},
    {"multiboot", CLI_FLAG(guest_options, multiboot), NULL, 0, "GUEST is a Multiboot kernel", 0},
    {"module", KEY_MODULE, "FILE[ ARGS]", 0, "Multiboot module (may be given several times)", 0},
    {"screenshot", CLI_TEXT(guest_options, screenshot), "FILE.png", 0,
     "Write the screen at the end to a picture", 0},
    {"screen", CLI_FLAG(guest_options, screen), NULL, 0, "Show the guest's text screen, not its output", 0},
    {0}};
static const struct argp kernel_argp = {.options = kernel_table, .parser = parse};
static const struct argp machine_argp = {.options = machine_table, .parser = parse};
static const struct argp run_argp = {.options = run_table, .parser = parse};

static error_t parse_children(int key, char *argument, struct argp_state *state)
{
    guest_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->child_inputs[1] = state->child_inputs[2] = state->input;
        return 0;
    case KEY_MODEL:
        if (options->model_count == GUEST_MOST_MODELS)
            return cli_complain("--model", argument, 1, "more than %d models", GUEST_MOST_MODELS);
        options->models[options->model_count++] = argument;
        options->machine.model = options->models[0];
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option shared_table[] = {
    {"model", KEY_MODEL, "NAME|FILE.ini", 0, "Processor and board (see 'p5scope list models')", 0}, {0}};
/* Groups with a heading have a page of help of their own: --help=machine (cli_parse). */
static const struct argp_child groups[] = {{&machine_argp, 0, "Machine:", 10},
                                           {&run_argp, 0, "Guest and run:", 11},
                                           {&kernel_argp, 0, "Kernel or image:", 12},
                                           {0}};
const struct argp guest_argp = {.options = shared_table, .parser = parse_children, .children = groups};
