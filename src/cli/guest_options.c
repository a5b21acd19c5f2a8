/* Reads those options of a guest and its machine that need neither the model nor a snapshot (guest_complete.c does
 * the rest). */
#define _GNU_SOURCE /* strptime, timegm, sched_getaffinity */
#include "cli/guest_options.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Returns the number of host threads without --threads: 2 if this process may run on two host processors, else 1. */
static unsigned default_threads(void)
{
    cpu_set_t mine;
    return sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_COUNT(&mine) < 2 ? 1 : 2;
}

/* Adds --dir HOST[:GUEST][:ro|rw[,max=SIZE]], a directory that the guest shares with the host. Returns false after a
 * message. */
static bool add_share(guest_options *options, const char *text)
{
    char *copy = strdup(text);
    if (copy == NULL)
        return false;
    options->share_text[options->machine.share_count] = copy;
    p5_share *share = &options->shares[options->machine.share_count++];
    share->size = sizeof *share;
    share->host = copy;
    for (char *colon = strchr(copy, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
        *colon = '\0';
        char *part = colon + 1;
        size_t length = strcspn(part, ":");
        bool last = part[length] == '\0';
        if (last && (strcmp(part, "ro") == 0 || strcmp(part, "rw") == 0)) {
            share->writable = part[1] == 'w';
            return true;
        }
        if (last && strncmp(part, "rw,max=", 7) == 0) {
            share->writable = true;
            if (p5_parse_size(part + 7, &share->max_bytes) && share->max_bytes != 0)
                return true;
            return cli_refuse("--dir", text, (unsigned)(part - copy) + 8,
                              "max= needs a size, for example 100M");
        }
        if (share->guest != NULL || part[0] != '/')
            return cli_refuse("--dir", text, (unsigned)(part - copy) + 1,
                              share->guest != NULL
                                  ? "this must be 'ro', 'rw' or 'rw,max=SIZE'"
                                  : "the guest's path must be absolute; 'ro' and 'rw' are the modes");
        share->guest = part;
    }
    if (share->host[0] != '\0')
        return true;
    return cli_refuse("--dir", text, 1, "the host's directory is missing");
}

/* Adds --env NAME=VALUE, or --env NAME with the host's value. Returns false after a message. */
static bool add_environment(guest_options *options, const char *text)
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
            return true; /* the host has no such variable */
    }
    if (text[0] == '=')
        return cli_refuse("--env", text, 1, "a variable's name is missing");
    options->environment[options->environment_count++] = entry;
    return true;
}

/* Reads --mem. Returns false after a message. */
static bool set_memory(guest_options *options, const char *text)
{
    uint64_t bytes;
    if (!p5_parse_size(text, &bytes) || bytes > UINT64_C(2) << 30)
        return cli_refuse("--mem", text, 1, "'%s' is not a size up to 2G (64M, 0x400000; K, M, G are binary)",
                          text);
    if (bytes < UINT32_C(1) << 20 || bytes % 4096 != 0)
        return cli_refuse("--mem", text, 1, "memory is 1M or more, in whole pages of 4096 bytes");
    options->machine.memory_bytes = (uint32_t)bytes;
    return true;
}

/* Reads --rtc YYYY-MM-DD[THH:MM:SS], without a time zone, or seconds since 1970. Returns false after a
 * message. */
static bool set_rtc(guest_options *options, const char *text)
{
    struct tm t = {0};
    const bool dated = strspn(text, "0123456789") == 4 && text[4] == '-';
    const char *end = dated ? strptime(text, "%Y-%m-%d", &t) : NULL;
    const int day = t.tm_mday;
    if (end != NULL && (*end == 'T' || *end == ' '))
        end = strptime(end + 1, "%H:%M:%S", &t);
    uint64_t seconds;
    options->machine.rtc_set = true;
    if (end != NULL && *end == '\0') {
        options->machine.rtc_seconds = timegm(&t);
        if (t.tm_mday != day) /* timegm has made 3 March of 31 February */
            return cli_refuse("--rtc", text, 1, "there is no such day");
    } else if (p5_parse_number(text, &seconds) && seconds <= UINT64_C(253402300799)) { /* year 9999 */
        options->machine.rtc_seconds = (int64_t)seconds;
    } else {
        return cli_refuse("--rtc", text, 1, "a time is written 1997-06-02 or 1997-06-02T08:30:00");
    }
    return true;
}

/* Copies the values that need no parsing. */
static void copy_values(guest_options *options)
{
    const cli_options *line = options->line;
    options->command = line->operands;
    options->machine =
        (p5_machine_options){.model = line->model.count > 0 ? line->model.items[0] : NULL,
                             .clock_mhz = line->clock,
                             .agent = line->agent,
                             .monitor = line->monitor,
                             .wires = line->wire,
                             .check = line->bus_check,
                             .permissive = line->isa == 1, /* the second choice of --isa */
                             .pce = line->pce,
                             .memo_check = line->check_memo,
                             .random_seed = line->seed,
                             .disks = line->disk2.items,
                             .disk_count = line->disk2.count,
                             .disk_writable = line->disk_write,
                             .modules = line->module.items,
                             .module_count = line->module.count,
                             .threads = line->used[OPTION_THREADS] ? line->threads + 1 : default_threads()};
    options->limits = (p5_limits){.size = sizeof(p5_limits),
                                  .max_instructions = line->max_instructions,
                                  .max_clocks = line->max_clocks,
                                  .timeout_seconds = line->timeout};
}

bool guest_options_open(guest_options *options, const cli_options *line)
{
    memset(options, 0, sizeof *options);
    options->line = line;
    copy_values(options);
    bool good = (line->mem == NULL || set_memory(options, line->mem)) &&
                (line->rtc == NULL || set_rtc(options, line->rtc));
    if (good && line->keys != NULL)
        good = (options->keys = keys_parse(line->keys)) != NULL;
    for (size_t i = 0; i < line->dir.count && good; i++)
        good = add_share(options, line->dir.items[i]);
    for (size_t i = 0; i < line->env.count && good; i++)
        good = add_environment(options, line->env.items[i]);
    return good;
}
