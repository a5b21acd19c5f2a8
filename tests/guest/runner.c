/* Runs a self-checking guest through the public interface and looks at how it ended, what it printed, and
 * that a second run, or a run in pieces, is the same run bit for bit. Usage: guest_runner [options]
 * linux|elf|multiboot|disk|flat FILE [ADDRESS | GUEST-ARGUMENTS...] */
#define _GNU_SOURCE /* memfd_create, nftw */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "p5tool/machine.h"
#include "p5tool/core.h"

enum { OUTPUT_BYTES = 4096, SHARES = 2, DIRECTORY_TEXT = 256 };

typedef struct expectation {
    int end, status, signal;
    const char *output; /* NULL = not looked at */
    const char *instruction, *message;
    const char *notice; /* part of one */
} expectation;

typedef struct one_run {
    p5_run_result result;
    p5_counts counts;
    uint64_t instructions, clock;
    size_t output_size;
    char output[OUTPUT_BYTES];
    bool noticed;
} one_run;

typedef struct job {
    p5_machine_options options;
    p5_share shares[SHARES];
    char directory[DIRECTORY_TEXT];
    const char *kind, *file;
    const char *const *arguments;
    uint32_t address;
    uint64_t piece;    /* instructions, 0 = in one go */
    const char *input; /* what the guest reads */
    size_t input_taken;
    const char *module;
    expectation expected;
    one_run *current;
} job;

static const char *const end_names[] = {"exit",   "signal",  "halt",    "shutdown", "instructions",
                                        "clocks", "timeout", "stopped", "failed",   "reset"};

static void take_output(void *context, const void *text, size_t size)
{
    one_run *run = ((job *)context)->current;
    if (size > OUTPUT_BYTES - 1 - run->output_size)
        size = OUTPUT_BYTES - 1 - run->output_size;
    memcpy(run->output + run->output_size, text, size);
    run->output_size += size;
}

static int give_input(void *context, uint8_t *byte, bool idle)
{
    job *j = context;
    (void)idle;
    if (j->input == NULL || j->input[j->input_taken] == '\0')
        return -1;
    *byte = (uint8_t)j->input[j->input_taken++];
    return 1;
}

static void take_notice(void *context, const char *line)
{
    job *j = context;
    fprintf(stderr, "notice: %s\n", line);
    j->current->noticed |= j->expected.notice != NULL && strstr(line, j->expected.notice) != NULL;
}

/* What a Linux guest writes to descriptor 1 goes into a memory file meanwhile. */
static int capture_begin(int *saved)
{
    int file = memfd_create("output", 0);
    fflush(stdout);
    *saved = dup(STDOUT_FILENO);
    if (file < 0 || *saved < 0 || dup2(file, STDOUT_FILENO) < 0)
        abort();
    return file;
}

static void capture_end(job *j, int file, int saved)
{
    char text[OUTPUT_BYTES];
    dup2(saved, STDOUT_FILENO);
    close(saved);
    ssize_t size = pread(file, text, sizeof text, 0);
    close(file);
    if (size > 0)
        take_output(j, text, (size_t)size);
}

static p5_status load(job *j, p5_machine *machine, p5_error *error)
{
    static const char *const environment[] = {"HOME=/", NULL};
    if (strcmp(j->kind, "linux") == 0)
        return p5_machine_load_linux(machine, j->file, j->arguments, environment, error);
    if (strcmp(j->kind, "multiboot") == 0)
        return p5_machine_load_multiboot(machine, j->file, error);
    if (strcmp(j->kind, "disk") == 0)
        return p5_machine_load_disk(machine, j->file, error);
    if (strcmp(j->kind, "elf") == 0)
        return p5_machine_load_elf(machine, j->file, error);
    return p5_machine_load_flat(machine, j->file, j->address, error);
}

static bool run_machine(job *j, p5_machine *machine, uint64_t piece, one_run *run)
{
    p5_limits limits = {.size = sizeof limits, .timeout_seconds = 1200};
    p5_error error = {0};
    do {
        if (piece != 0) {
            limits.max_instructions += piece;
            p5_machine_counts(machine, &run->counts); /* looking changes nothing */
        }
        if (p5_machine_run(machine, &limits, &run->result, &error) != P5_OK) {
            fprintf(stderr, "%s: run: %s\n", j->file, error.message);
            return false;
        }
        if (run->result.end == P5_END_INSTRUCTIONS &&
            p5_machine_instructions(machine) != limits.max_instructions) {
            fprintf(stderr, "%s: limit of %llu instructions, stopped at %llu\n", j->file,
                    (unsigned long long)limits.max_instructions,
                    (unsigned long long)p5_machine_instructions(machine));
            return false;
        }
    } while (piece != 0 && run->result.end == P5_END_INSTRUCTIONS);
    p5_machine_settle(machine);
    p5_machine_counts(machine, &run->counts);
    run->instructions = p5_machine_instructions(machine);
    run->clock = p5_machine_clock(machine);
    return true;
}

static bool run_once(job *j, uint64_t piece, one_run *run)
{
    p5_machine *machine;
    p5_error error = {0};
    int saved;
    memset(run, 0, sizeof *run);
    run->result.size = sizeof run->result;
    j->current = run;
    j->input_taken = 0;
    if (p5_machine_open(&j->options, &machine, &error) != P5_OK || load(j, machine, &error) != P5_OK) {
        fprintf(stderr, "%s: %s\n", error.where[0] != '\0' ? error.where : j->file, error.message);
        return false;
    }
    int file = capture_begin(&saved);
    bool good = run_machine(j, machine, piece, run);
    capture_end(j, file, saved);
    p5_machine_close(machine);
    return good;
}

static bool check_result(const job *j, const one_run *run)
{
    const expectation *e = &j->expected;
    bool good = true;
    if ((int)run->result.end != e->end || (e->end == P5_END_EXIT && run->result.status != e->status)) {
        fprintf(stderr,
                "%s: expected end '%s' with status %d, got '%s' with status %d, signal %d at %08x: %s %s\n",
                j->file, end_names[e->end], e->status, end_names[run->result.end], run->result.status,
                run->result.signal, run->result.address, run->result.instruction, run->result.message);
        good = false;
    }
    if (e->end == P5_END_SIGNAL && run->result.signal != e->signal) {
        fprintf(stderr, "%s: expected signal %d, got %d\n", j->file, e->signal, run->result.signal);
        good = false;
    }
    if (e->message != NULL && strcmp(run->result.message, e->message) != 0) {
        fprintf(stderr, "%s: expected the message '%s', got '%s'\n", j->file, e->message,
                run->result.message);
        good = false;
    }
    if (e->instruction != NULL && strcmp(run->result.instruction, e->instruction) != 0) {
        fprintf(stderr, "%s: expected to end at '%s', ended at '%s'\n", j->file, e->instruction,
                run->result.instruction);
        good = false;
    }
    if (e->output != NULL && strcmp(run->output, e->output) != 0) {
        fprintf(stderr, "%s: expected output '%s', got '%s'\n", j->file, e->output, run->output);
        good = false;
    }
    if (e->notice != NULL && !run->noticed) {
        fprintf(stderr, "%s: expected a notice with '%s'\n", j->file, e->notice);
        good = false;
    }
    return good;
}

static bool same_total(const job *j, const char *how, const char *what, const char *name,
                       const uint64_t a[P5_CPL_CLASSES], const uint64_t b[P5_CPL_CLASSES])
{
    bool good = true;
    for (unsigned c = 0; c < P5_CPL_CLASSES; c++)
        if (a[c] != b[c]) {
            fprintf(stderr, "%s: %s: %s %s, class %u: %llu, at first %llu\n", j->file, how, what, name, c,
                    (unsigned long long)b[c], (unsigned long long)a[c]);
            good = false;
        }
    return good;
}

static bool check_same(const job *j, const char *how, const one_run *a, const one_run *b)
{
    bool good = true;
    if (a->instructions != b->instructions || a->clock != b->clock) {
        fprintf(stderr, "%s: %s: %llu instructions and %llu clocks, at first %llu and %llu\n", j->file, how,
                (unsigned long long)b->instructions, (unsigned long long)b->clock,
                (unsigned long long)a->instructions, (unsigned long long)a->clock);
        good = false;
    }
    good &= same_total(j, how, "all", "clocks", a->counts.clocks, b->counts.clocks);
    for (unsigned e = 0; e < P5_EVENT_COUNT; e++) {
        const char *name = p5_event_describe((enum p5_event)e)->name;
        good &= same_total(j, how, "event", name, a->counts.increments[e], b->counts.increments[e]);
        good &= same_total(j, how, "asserted clocks of", name, a->counts.asserted[e], b->counts.asserted[e]);
    }
    for (unsigned s = 0; s < P5_STALL_COUNT; s++)
        good &=
            same_total(j, how, "stall", p5_stall_name((p5_stall)s), a->counts.stalls[s], b->counts.stalls[s]);
    if (strcmp(a->output, b->output) != 0) {
        fprintf(stderr, "%s: %s: output '%s', at first '%s'\n", j->file, how, b->output, a->output);
        good = false;
    }
    return good;
}

/* --- the directory for testprogs/checks/files.c --- */

static void make_file(const char *directory, const char *name, const char *text)
{
    char path[2 * DIRECTORY_TEXT];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        abort();
}

static void make_link(const char *directory, const char *name, const char *target)
{
    char path[2 * DIRECTORY_TEXT];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (symlink(target, path) != 0)
        abort();
}

static void make_share(job *j)
{
    static char share[DIRECTORY_TEXT + 8], outside[DIRECTORY_TEXT + 8], path[DIRECTORY_TEXT + 16];
    strcpy(j->directory, "/tmp/p5scope-guest-XXXXXX");
    if (mkdtemp(j->directory) == NULL)
        abort();
    snprintf(share, sizeof share, "%s/share", j->directory);
    snprintf(outside, sizeof outside, "%s/outside", j->directory);
    snprintf(path, sizeof path, "%s/sub", share);
    if (mkdir(share, 0755) != 0 || mkdir(outside, 0755) != 0 || mkdir(path, 0755) != 0)
        abort();
    snprintf(path, sizeof path, "%s/fifo", share);
    if (mkfifo(path, 0644) != 0)
        abort();
    make_file(share, "text", "hello, share\n");
    make_file(outside, "secret", "secret\n");
    make_link(share, "link", "text");
    make_link(share, "up", "../../..");
    make_link(share, "abs", "/etc/passwd");
    make_link(share, "out", outside);
    make_link(share, "loop", "loop");
    make_link(share, "deep", "sub/../text");
    j->shares[0] = (p5_share){.size = sizeof(p5_share), .host = share, .guest = "/share", .writable = true};
    j->shares[1] = (p5_share){.size = sizeof(p5_share), .host = share, .guest = "/ro"};
    j->options.shares = j->shares;
    j->options.share_count = 2;
}

static int remove_entry(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

static void remove_share(const job *j)
{
    if (j->directory[0] != '\0')
        nftw(j->directory, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* --- command line --- */

static int end_by_name(const char *name)
{
    for (unsigned i = 0; i < sizeof end_names / sizeof end_names[0]; i++)
        if (strcmp(name, end_names[i]) == 0)
            return (int)i;
    fprintf(stderr, "no end '%s'\n", name);
    exit(2);
}

/* Unescapes \n in place: CMake hands the text over as it is. */
static char *unescaped(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        bool line_end = from[0] == '\\' && from[1] == 'n';
        *to++ = line_end ? '\n' : *from;
        from += line_end;
    }
    *to = '\0';
    return text;
}

static int parse(job *j, int argc, char **argv)
{
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const char *option = argv[i];
        if (strcmp(option, "--pce") == 0)
            j->options.pce = true;
        else if (strcmp(option, "--permissive") == 0)
            j->options.permissive = true;
        else if (strcmp(option, "--share") == 0)
            make_share(j);
        else if (++i == argc)
            return argc;
        else if (strcmp(option, "--model") == 0)
            j->options.model = argv[i];
        else if (strcmp(option, "--wire") == 0)
            j->options.wires = argv[i];
        else if (strcmp(option, "--agent") == 0)
            j->options.agent = argv[i];
        else if (strcmp(option, "--bus-check") == 0)
            j->options.check = argv[i];
        else if (strcmp(option, "--input") == 0)
            j->input = unescaped(argv[i]);
        else if (strcmp(option, "--command-line") == 0)
            j->options.command_line = argv[i];
        else if (strcmp(option, "--rtc") == 0) {
            j->options.rtc_set = true;
            j->options.rtc_seconds = atoll(argv[i]);
        } else if (strcmp(option, "--module") == 0) {
            j->module = argv[i];
            j->options.modules = &j->module;
            j->options.module_count = 1;
        } else if (strcmp(option, "--cesr") == 0)
            j->options.cesr = (uint32_t)strtoul(argv[i], NULL, 16);
        else if (strcmp(option, "--memory") == 0)
            j->options.memory_bytes = (uint32_t)strtoul(argv[i], NULL, 10) << 20;
        else if (strcmp(option, "--piece") == 0)
            j->piece = strtoull(argv[i], NULL, 10);
        else if (strcmp(option, "--status") == 0)
            j->expected.status = atoi(argv[i]);
        else if (strcmp(option, "--signal") == 0)
            j->expected.signal = atoi(argv[i]);
        else if (strcmp(option, "--end") == 0)
            j->expected.end = end_by_name(argv[i]);
        else if (strcmp(option, "--output") == 0)
            j->expected.output = unescaped(argv[i]);
        else if (strcmp(option, "--instruction") == 0)
            j->expected.instruction = argv[i];
        else if (strcmp(option, "--message") == 0)
            j->expected.message = argv[i];
        else if (strcmp(option, "--notice") == 0)
            j->expected.notice = argv[i];
        else
            return argc;
    }
    return i;
}

int main(int argc, char **argv)
{
    static job j;
    static one_run first, second;
    j.options.size = sizeof j.options;
    j.options.console = take_output;
    j.options.notice = take_notice;
    j.options.input = give_input;
    j.options.input_context = &j;
    j.options.console_context = j.options.notice_context = &j;
    int i = parse(&j, argc, argv);
    if (i + 1 >= argc) {
        fprintf(stderr,
                "usage: guest_runner [options] linux|elf|multiboot|disk|flat FILE [ADDRESS | ARGUMENTS]\n");
        return 2;
    }
    j.kind = argv[i];
    j.file = argv[i + 1];
    j.arguments = (const char *const *)&argv[i + 1];
    j.address = i + 2 < argc ? (uint32_t)strtoul(argv[i + 2], NULL, 16) : 0x8000;
    bool good = run_once(&j, 0, &first) && check_result(&j, &first);
    if (good)
        good = run_once(&j, 0, &second) && check_same(&j, "second run", &first, &second);
    if (good && j.piece != 0)
        good = run_once(&j, j.piece, &second) && check_same(&j, "run in pieces", &first, &second);
    remove_share(&j);
    return good ? 0 : 1;
}
