/* Runs command lines: verbs, their options with valid and invalid words, guests and files. An input is a list of
 * numbers of words, and of bytes that replace them. Each line runs in a process of its own, as the program does, and
 * ends with a status within its time. */
#include <errno.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elf.h"
#include "fuzz.h"

int p5scope_main(int argc, char **argv); /* main of src/cli */

enum { WORDS_MAX = 24, WORD_MAX = 64, CODE_BYTES = 16 };

static const char *const verbs[] = {"stat",  "run",   "record",    "report", "annotate", "diff",
                                    "trace", "merge", "list",      "check",  "bench",    "msr",
                                    "top",   "help",  "--version", "--help"};
static const char *const words[] = {"guest",
                                    "guest",
                                    "guest",
                                    "model.ini",
                                    "case.s",
                                    "--",
                                    "-",
                                    "-e",
                                    "-q",
                                    "-v",
                                    "-n",
                                    "-j",
                                    "-x,",
                                    "-x",
                                    "-o",
                                    "out",
                                    "-r",
                                    "3",
                                    "-I",
                                    "1000c",
                                    "--model",
                                    "p54c-133",
                                    "--max-instructions",
                                    "1000",
                                    "--max-clocks",
                                    "5000",
                                    "--timeout",
                                    "0.2",
                                    "--flat",
                                    "0x100000",
                                    "--real",
                                    "0x1000:0",
                                    "--mem",
                                    "4M",
                                    "--mem=1",
                                    "--disk",
                                    "--dos",
                                    "--kernel",
                                    "--elf",
                                    "--multiboot",
                                    "--cpl3",
                                    "--agent",
                                    "dma",
                                    "--wires",
                                    "pm0=nmi",
                                    "--check-laws",
                                    "--check-memo",
                                    "--no-memo",
                                    "--threads",
                                    "2",
                                    "--table",
                                    "overview",
                                    "-M",
                                    "mmx",
                                    "--expect",
                                    "clocks<10",
                                    "@budget",
                                    "--metric-only",
                                    "--summary",
                                    "-d",
                                    "clocks",
                                    "{data_read,data_write}:u",
                                    "mmx*",
                                    "all",
                                    "r2b.0",
                                    "--seed",
                                    "1",
                                    "--isa=permissive",
                                    "--save",
                                    "snap",
                                    "--load",
                                    "--from",
                                    "--to",
                                    "instruction=10",
                                    "clock=5",
                                    "begin=1",
                                    "--function",
                                    "start",
                                    "--format",
                                    "csv",
                                    "vcd",
                                    "sqlite",
                                    "kanata",
                                    "--every",
                                    "10i",
                                    "--sort",
                                    "--top",
                                    "5",
                                    "--html",
                                    "--callgrind",
                                    "--flame",
                                    "-p",
                                    "--junit",
                                    "--asm",
                                    "inc eax; add eax,ebx",
                                    "--setup",
                                    "--repeat",
                                    "4",
                                    "--roi",
                                    "1",
                                    "--fast-forward",
                                    "10",
                                    "--execute",
                                    "--pce",
                                    "--cesr",
                                    "0x1",
                                    "--rtc",
                                    "2000-01-01",
                                    "--dir",
                                    ".:/w",
                                    ".:/w:rw",
                                    "--no-sandbox",
                                    "--verbose",
                                    "--help",
                                    "events",
                                    "models",
                                    "instructions",
                                    "metrics",
                                    "-l",
                                    "cesr",
                                    "0x11=3",
                                    "",
                                    "=",
                                    "-1",
                                    "99999999999999999999",
                                    "0",
                                    "%s%n",
                                    "--e",
                                    "-ee",
                                    "--max-instructions=",
                                    "--model=",
                                    "-e,",
                                    ","};

static void line_make(char line[WORDS_MAX][WORD_MAX], int *count, fuzz_input *input)
{
    *count = 0;
    strcpy(line[(*count)++], "p5scope");
    strcpy(line[(*count)++], verbs[fuzz_byte(input) % (sizeof verbs / sizeof verbs[0])]);
    while (*count < WORDS_MAX && input->size > 0) {
        unsigned how = fuzz_byte(input);
        char *word = line[(*count)++];
        snprintf(word, WORD_MAX, "%s", words[how % (sizeof words / sizeof words[0])]);
        if (fuzz_byte(input) < 0xd0)
            continue;
        size_t length = strlen(word), at = fuzz_byte(input) % (length + 1);
        word[at] = (char)fuzz_byte(input);
        if (at == length)
            word[at + 1] = '\0';
        for (char *byte = word; *byte != '\0'; byte++) /* so that nothing outside the folder is written */
            if (*byte == '/' || *byte == '|')
                *byte = ':';
    }
}

static void files_make(void)
{
    static uint8_t file[ELF_CODE + CODE_BYTES];
    static int made;
    if (made++ != 0)
        return;
    static const uint8_t code[CODE_BYTES] = {0xb9, 0x10, 0, 0, 0,    0xe2, 0xfe, 0xb8,
                                             1,    0,    0, 0, 0x31, 0xdb, 0xcd, 0x80};
    memcpy(file + ELF_CODE, code, sizeof code);
    fuzz_file_make("guest", file, elf_make(file, CODE_BYTES, 0, ELF_LINUX));
    static const char model[] = "base = p55c-200\n[bus]\n", budget[] = "clocks < 1000\n";
    static const char text[] = "#! case x\n#! models p55c-200\n#! n 5 10\n#! expect clocks 1\ninc eax\n";
    fuzz_file_make("model.ini", model, sizeof model - 1);
    fuzz_file_make("budget", budget, sizeof budget - 1);
    fuzz_file_make("case.s", text, sizeof text - 1);
}

/* The leak sanitizer calls this when a process ends. It cannot check a process that has entered its sandbox. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    DIR *threads = opendir("/proc/self/task");
    if (threads != NULL)
        closedir(threads);
    return threads == NULL;
}

int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static void child(int count, char line[WORDS_MAX][WORD_MAX], bool leaks)
{
    char *arguments[WORDS_MAX + 1];
    int errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 200), null = open("/dev/null", O_RDWR);
    for (int i = 0; i < count; i++)
        arguments[i] = line[i];
    arguments[count] = NULL;
    const struct rlimit files = {1 << 22, 1 << 22}, time = {8, 8};
    if (chdir(fuzz_folder()) != 0 || errors < 0 || null < 0)
        _exit(99);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &files);
    setrlimit(RLIMIT_CPU, &time);
    for (int i = 0; i < (getenv("P5_FUZZ_SHOW") != NULL ? 1 : 3); i++)
        dup2(null, i);
    alarm(120);
    int status = p5scope_main(count, arguments);
    if (leaks && __lsan_do_recoverable_leak_check != NULL && __lsan_do_recoverable_leak_check() != 0)
        status = FUZZ_SANITIZER_STATUS;
    fflush(NULL);
    _exit(status); /* libFuzzer takes exit for a crash */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char line[WORDS_MAX][WORD_MAX];
    fuzz_input input = {data, size};
    int count, status = 0;
    files_make();
    line_make(line, &count, &input);
    fflush(NULL);
    pid_t pid = fork();
    LAW(pid >= 0);
    if (pid == 0)
        child(count, line, size % 16 == 0); /* a check for leaks takes more time than most lines */
    while (waitpid(pid, &status, 0) < 0)
        LAW(errno == EINTR);
    int ended = WIFEXITED(status) && WEXITSTATUS(status) != FUZZ_SANITIZER_STATUS;
    for (int i = 0; i < count && !ended; i++)
        fprintf(stderr, "'%s'%s", line[i], i + 1 < count ? " " : "\n");
    LAW(ended);
    return 0;
}
