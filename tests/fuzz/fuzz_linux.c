/* Makes Linux system calls 0 to 450 with hostile arguments, and handles signals. An input is a list of calls, each
 * RECORD_BYTES long; a program is made that performs them one after another and has handlers among them. p5scope keeps
 * running, the run ends within its limits, and the laws of the counts hold. */
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "elf.h"
#include "fuzz.h"
#include "machine/state.h"
#include "p5tool/report.h"
#include "p5scope/snapshot.h"

enum {
    RECORD_BYTES = 32,
    CALLS_MAX = 96,
    /* From ELF_BASE on: code, results of the calls, and a page of data that no other page follows. */
    CODE_BYTES = 0x3000,
    ANSWERS = ELF_BASE + ELF_CODE + CODE_BYTES,
    DATA = ANSWERS + 0x1000,
    PATHS = DATA + 0x800,
    PATH_BYTES = 32,
    HANDLER = ELF_BASE + ELF_CODE + 0x2c00,
    FILE_BYTES = 0x3000 + CODE_BYTES
};
#define SECONDS 0.5

typedef struct program {
    uint8_t file[FILE_BYTES];
    size_t at;
} program;

static void put(program *p, const void *bytes, size_t size)
{
    LAW(p->at + size < sizeof p->file);
    memcpy(p->file + p->at, bytes, size);
    p->at += size;
}

static void put_word(program *p, uint32_t value)
{
    put(p, &value, sizeof value);
}

static const char *const paths[] = {"/w/file",
                                    "/w/other",
                                    "/w/../../etc/passwd",
                                    "/",
                                    "",
                                    "/w",
                                    "/w/link",
                                    "/w/dir",
                                    "/w/dir/x",
                                    "/dev/tty",
                                    "/proc/self/exe",
                                    "/proc/self/fd/0",
                                    "relative",
                                    "/w/./file/",
                                    "/dev/zero",
                                    "/no/such"};
enum { PATHS_COUNT = sizeof paths / sizeof paths[0] };

/* Takes the number of a system call from a record: mostly one of those that do more than return ENOSYS. */
static unsigned number_of(fuzz_input *record)
{
    static const uint16_t often[] = {
        3,   4,   5,   6,   8,   12,  13,  15,  19,  27,  29,  33,  37,  38,  39,  41,  42,  43,
        45,  48,  54,  55,  63,  67,  77,  78,  83,  85,  90,  91,  92,  93,  104, 106, 119, 122,
        125, 126, 140, 141, 142, 143, 145, 146, 162, 163, 168, 173, 174, 175, 176, 177, 179, 180,
        181, 183, 186, 191, 192, 194, 195, 197, 219, 220, 221, 224, 238, 239, 240, 243, 258, 265,
        266, 267, 268, 270, 295, 296, 300, 301, 302, 304, 305, 307, 308, 309, 320, 328, 329, 331,
        333, 334, 340, 353, 355, 359, 377, 383, 384, 386, 403, 407, 413, 414, 422, 439};
    unsigned how = fuzz_byte(record), number = fuzz_byte(record);
    return how < 0xc0 ? often[(how << 8 | number) % (sizeof often / sizeof often[0])]
                      : (how << 8 | number) % 451;
}

/* Appends MOV reg,argument. */
static void argument(program *p, unsigned reg, fuzz_input *record, unsigned call)
{
    static const uint32_t edges[] = {
        0,         1,          2,          3,          4,          5,          7,         8,       0x10,
        0x20,      0x22,       0x32,       0x40,       0x41,       0x42,       0x80,      0x100,   0x200,
        0x242,     0x400,      0x800,      0xfff,      0x1000,     0x2000,     0x4000,    0x10000, 0x80000,
        0x1000000, 0x7fffffff, 0x80000000, 0xfffff000, 0xfffffffe, 0xffffffff, 0xffffff9c};
    unsigned how = fuzz_byte(record), a = fuzz_byte(record), b = fuzz_byte(record);
    uint32_t value = (uint32_t)(a << 8 | b);
    if (how < 0x20 && call > 0) { /* the result of an earlier call */
        const uint8_t load[] = {0x8b, (uint8_t)(reg << 3 | 5)};
        put(p, load, sizeof load);
        put_word(p, ANSWERS + a % call * 4);
        return;
    }
    if (how < 0x70)
        value = edges[a % (sizeof edges / sizeof edges[0])] + (how < 0x28 ? b : 0);
    else if (how < 0xa0)
        value = DATA + value % 0x800;
    else if (how < 0xb8)
        value = PATHS + a % PATHS_COUNT * PATH_BYTES;
    else if (how < 0xc8)
        value = DATA + 0x1000 - b % 64; /* at the end of the page */
    else if (how < 0xd4)
        value = HANDLER;
    else if (how < 0xe0)
        value = (a & 1 ? 0xc0000000u : a & 2 ? 0xbfff0000u : 0x40000000u) + (value << 6);
    else if (how < 0xec)
        value = ELF_BASE + value % (DATA + 0x3000 - ELF_BASE);
    const uint8_t move = (uint8_t)(0xb8 + reg);
    put(p, &move, 1);
    put_word(p, value);
}

static void call(program *p, fuzz_input record, unsigned count)
{
    static const uint8_t registers[] = {3, 1, 2, 6, 7, 5};
    unsigned how = fuzz_byte(&record), number = number_of(&record);
    if (how >= 0xf0) { /* another instruction, most of which cause a signal */
        static const char others[8][3] = {"\x0f\x0b", "\xcc\x90", "\xf7\xf0", "\xf4\x90",
                                          "\xff\xe0", "\x89\x00", "\x8e\xe0", "\x9b\xd9"};
        put(p, others[how & 7], 2);
        return;
    }
    if (number == 1 || number == 252) /* exits would end most of the programs early */
        number = how < 4 ? number : 20;
    if (how >= 0xd0) { /* a store into the data, so that structures have chosen contents */
        const uint8_t store[] = {0xc7, 0x05};
        put(p, store, sizeof store);
        put_word(p, DATA + number % 0x200 * 4);
        put_word(p,
                 fuzz_byte(&record) < 0x80 ? fuzz_word(&record) % 64u : DATA + fuzz_word(&record) % 0x800u);
        return;
    }
    for (unsigned i = 0; i < 6; i++)
        argument(p, registers[i], &record, count);
    const uint8_t move = 0xb8;
    put(p, &move, 1);
    put_word(p, number);
    put(p, "\xcd\x80\xa3", 3); /* INT 80h; MOV [answer],EAX */
    put_word(p, ANSWERS + count % CALLS_MAX * 4);
}

/* Makes the signal handler. It changes words of its frame and returns by RET, by sigreturn or by rt_sigreturn. After 20
 * calls it ends the program. */
static void handler(program *p, fuzz_input *input)
{
    unsigned how = fuzz_byte(input);
    p->at = HANDLER - ELF_BASE;
    put(p, "\xff\x05", 2); /* INC [] */
    put_word(p, ANSWERS + 0xf00);
    put(p, "\x83\x3d", 2); /* CMP [],20; JA */
    put_word(p, ANSWERS + 0xf00);
    put(p, "\x14\x77\x30", 3);
    put(p, "\x83\x44\x24\x40\x02",
        5); /* ADD to EIP in the frame, because instructions that fault have two bytes */
    for (unsigned i = 0; i < (how & 3); i++) {
        put(p, "\xc7\x84\x24", 3); /* MOV [ESP+n],value */
        put_word(p, fuzz_byte(input) * 4u);
        put_word(p, fuzz_byte(input) < 0x80 ? (uint32_t)DATA + fuzz_byte(input) : fuzz_word(input));
    }
    static const char returns[4][9] = {"\xc3", "\x58\xb8\x77\0\0\0\xcd\x80", "\xb8\xad\0\0\0\xcd\x80",
                                       "\x81\xc4\x80\0\0\0\xc3"};
    static const uint8_t sizes[4] = {1, 8, 7, 7};
    put(p, returns[how >> 2 & 3], sizes[how >> 2 & 3]);
    p->at = HANDLER - ELF_BASE + 15 + 0x30;
    put(p, "\xb8\xfc\0\0\0\xcd\x80", 7);
}

static size_t program_make(program *p, fuzz_input *input)
{
    memset(p, 0, sizeof *p);
    for (unsigned i = 0; i < PATHS_COUNT; i++)
        snprintf((char *)p->file + (PATHS - ELF_BASE) + i * PATH_BYTES, PATH_BYTES, "%s", paths[i]);
    /* Small numbers and pointers to code and data, for calls that read structures. */
    for (unsigned i = 0; i < 0x200; i++)
        p->file[DATA - ELF_BASE + i * 4] = (uint8_t)(i % 3 == 0 ? i : 0);
    for (unsigned i = 0; i < 0x200; i += 8) {
        const uint32_t words[3] = {HANDLER, DATA + i * 4, 0x04000000};
        memcpy(p->file + (DATA - ELF_BASE) + i * 4, words, sizeof words);
    }
    handler(p, input);
    size_t size = elf_make(p->file, DATA + 0x1000 - ELF_BASE - ELF_CODE, 0, ELF_LINUX);
    p->at = ELF_CODE;
    static const uint8_t signals[] = {4, 5, 7, 8, 11, 14};
    for (unsigned i = 0; i < sizeof signals; i++) { /* signal(n, handler) */
        const uint8_t call[] = {0xbb,
                                signals[i],
                                0,
                                0,
                                0,
                                0xb9,
                                HANDLER & 0xff,
                                HANDLER >> 8 & 0xff,
                                HANDLER >> 16 & 0xff,
                                HANDLER >> 24,
                                0xb8,
                                48,
                                0,
                                0,
                                0,
                                0xcd,
                                0x80};
        put(p, call, sizeof call);
    }
    for (unsigned count = 0; count < CALLS_MAX && input->size > 0; count++)
        call(p, fuzz_part(input, RECORD_BYTES), count);
    put(p, "\xb8\xfc\0\0\0\xcd\x80", 7); /* exit_group */
    return size;
}

void __sanitizer_set_report_fd(void *fd) __attribute__((weak));

/* Makes /dev/null the standard streams, which the guest uses. The fuzzer's own messages go to a copy of stderr. */
static void streams_apart(void)
{
    static int done;
    if (done++ != 0)
        return;
    int errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 200), null = open("/dev/null", O_RDWR | O_CLOEXEC);
    LAW(errors >= 0 && null >= 0);
    stderr = fdopen(errors, "w");
    setvbuf(stderr, NULL, _IONBF, 0);
    if (__sanitizer_set_report_fd != NULL)
        __sanitizer_set_report_fd((void *)(intptr_t)errors);
    for (int i = 0; i < 3; i++)
        dup2(null, i);
    close(null);
}

static void check(p5_machine *machine, const p5_limits *limits)
{
    p5_error error = {0};
    p5_run_result result = {.size = sizeof result};
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    uint64_t instructions = p5_machine_instructions(machine);
    LAW(p5_machine_run(machine, limits, &result, &error) == P5_OK);
    clock_gettime(CLOCK_MONOTONIC, &after);
    double past =
        (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) / 1e9 - SECONDS;
    if (past > fuzz_figures_now.past_limit)
        fuzz_figures_now.past_limit = past;
    LAW(result.end != P5_END_FAILED && result.end != P5_END_STOPPED);
    fuzz_figures_now.instructions += p5_machine_instructions(machine) - instructions;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static program p;
    fuzz_input input = {data, size};
    streams_apart();
    unsigned how = fuzz_byte(&input);
    char folder[64];
    snprintf(folder, sizeof folder, "%s/w", fuzz_folder());
    mkdir(folder, 0700);
    const p5_share share = {.size = sizeof share, .host = folder, .guest = "/w", .writable = (how & 1) != 0};
    const p5_machine_options options = {.size = sizeof options,
                                        .memory_bytes = 8 << 20,
                                        .shares = &share,
                                        .share_count = 1,
                                        .threads = how & 2 ? 2 : 1,
                                        .stuck = fuzz_stuck};
    size_t bytes = program_make(&p, &input);
    fuzz_file file = fuzz_file_make("program", p.file, bytes);
    const char *arguments[] = {"program", NULL};
    p5_limits limits = {.size = sizeof limits,
                        .max_instructions = how & 4 ? 300 : 20000,
                        .max_clocks = 2000000000,
                        .timeout_seconds = SECONDS};
    p5_machine *machine;
    p5_error error = {0};
    LAW(p5_machine_open(&options, &machine, &error) == P5_OK);
    LAW(p5_machine_load_linux(machine, file.path, arguments, arguments + 1, &error) == P5_OK);
    check(machine, &limits);
    fuzz_file saved = fuzz_file_make("snapshot", "", 0);
    if ((how & 4) != 0 && p5_machine_save(machine, saved.path, NULL, &error) == P5_OK) {
        p5_machine_close(machine);
        const p5_machine_options again = {.size = sizeof again, .shares = &share, .share_count = 1};
        if (p5_machine_restore(saved.path, &again, &machine, &error) != P5_OK)
            return 0; /* a file of the share has changed */
        limits.max_instructions = 20000;
        check(machine, &limits);
    }
    unsigned checked;
    LAW(p5_laws_check_machine(machine, stderr, &checked) == 0);
    p5_machine_close(machine);
    return 0;
}
