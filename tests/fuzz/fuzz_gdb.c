/* Sends packets to the server for gdb. An input is a list of packets, well formed, of any bytes, or incomplete, which
 * goes through a socket to a Linux program or a bare-metal guest. p5scope keeps running, and the session ends when the
 * client leaves or a limit is reached. */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "elf.h"
#include "fuzz.h"
#include "p5tool/machine.h"
#include "p5tool/report.h"

enum { PACKET_MAX = 1200, PACKETS_MAX = 48, CODE_BYTES = 64 };
#define SECONDS 1.0

typedef struct client {
    fuzz_input input;
    char path[80];
    atomic_bool over; /* the server has ended */
} client;

/* Writes a number as gdb does, or one that is negative or too long. */
static size_t number(char *text, size_t room, fuzz_input *input)
{
    static const uint32_t edges[] = {0,
                                     1,
                                     4,
                                     8,
                                     0x10,
                                     0xfff,
                                     0x1000,
                                     ELF_BASE,
                                     ELF_BASE + ELF_CODE,
                                     ELF_BASE + ELF_CODE + 0x20,
                                     0x100000,
                                     0x100010,
                                     0x7fffffff,
                                     0x80000000,
                                     0xbfffff00,
                                     0xc0000000,
                                     0xfffffff0,
                                     0xffffffff};
    unsigned how = fuzz_byte(input);
    uint32_t value = how < 0xa0 ? edges[how % (sizeof edges / sizeof edges[0])] : fuzz_word(input);
    if (how == 0xff)
        return (size_t)snprintf(text, room, "-1");
    if (how >= 0xfa)
        return (size_t)snprintf(text, room, "%x%08x%08x", value, value, value);
    return (size_t)snprintf(text, room, "%x", value);
}

/* Bodies of packets. N stands for a number, H for hexadecimal digits of some bytes, B for bytes as they are, R for a
 * command in hexadecimal digits. */
static const char *const templates[] = {"?",
                                        "g",
                                        "GH",
                                        "mN,N",
                                        "MN,N:H",
                                        "XN,N:B",
                                        "pN",
                                        "PN=H",
                                        "Z0,N,N",
                                        "z0,N,N",
                                        "Z1,N,N",
                                        "z1,N,N",
                                        "Z2,N,N",
                                        "Z3,N,N",
                                        "Z4,N,N",
                                        "z2,N,N",
                                        "z3,N,N",
                                        "s",
                                        "sN",
                                        "c",
                                        "cN",
                                        "vCont;s",
                                        "vCont;c",
                                        "vCont;sN:N;c",
                                        "vCont;rN,N",
                                        "vCont?",
                                        "D",
                                        "k",
                                        "HgN",
                                        "HcN",
                                        "TN",
                                        "!",
                                        "R0",
                                        "qSupported:multiprocess+;swbreak+;xmlRegisters=i386",
                                        "qAttached",
                                        "qC",
                                        "qfThreadInfo",
                                        "qsThreadInfo",
                                        "qXfer:features:read:target.xml:N,N",
                                        "qXfer:memory-map:read::N,N",
                                        "qXfer:auxv:read::N,N",
                                        "qXfer:exec-file:read:N:N,N",
                                        "qXfer:libraries:read::N,N",
                                        "qRcmd,R",
                                        "qRcmd,H",
                                        "qSymbol::",
                                        "qTStatus",
                                        "qCRC:N,N",
                                        "QStartNoAckMode",
                                        "vMustReplyEmpty",
                                        "vRun;H;H",
                                        "vKill;N",
                                        "vFile:open:H,N,N",
                                        "vFile:pread:N,N,N",
                                        "S0N;N",
                                        "CN;N",
                                        "tN:N,N",
                                        "i",
                                        "A",
                                        "b",
                                        "bs",
                                        "bc",
                                        "dN",
                                        "B",
                                        ""};
static const char *const commands[] = {"help", "stat", "counters", "events", "reset", "msr 0x10",
                                       "pmu",  "cr",   "clock",    "regs",   "x"};

/* Writes the body of a packet and returns its size. */
static size_t packet_body(char *body, fuzz_input *input)
{
    const char *from = templates[fuzz_byte(input) % (sizeof templates / sizeof templates[0])];
    size_t size = 0;
    for (; *from != '\0' && size < PACKET_MAX / 2; from++) {
        unsigned count = 0;
        switch (*from) {
        case 'N':
            size += number(body + size, PACKET_MAX - size, input);
            break;
        case 'H':
            count = fuzz_byte(input);
            for (unsigned i = 0; i < (count < 0xe0 ? count % 24 : count * 2); i++)
                size += (size_t)snprintf(body + size, PACKET_MAX - size, "%02x", fuzz_byte(input));
            break;
        case 'R': {
            const char *command = commands[fuzz_byte(input) % (sizeof commands / sizeof commands[0])];
            for (; *command != '\0'; command++)
                size += (size_t)snprintf(body + size, PACKET_MAX - size, "%02x", (unsigned char)*command);
            break;
        }
        case 'B':
            count = fuzz_byte(input) % 32;
            for (unsigned i = 0; i < count; i++)
                body[size++] = (char)fuzz_byte(input);
            break;
        default:
            body[size++] = *from;
        }
    }
    unsigned damage = fuzz_byte(input);
    if (damage >= 0xe0 && size > 0)
        body[damage % size] = (char)fuzz_byte(input);
    else if (damage >= 0xd0)
        size = damage % (size + 1);
    return size;
}

/* Reads and discards replies. Returns false if the server has closed the connection. */
static int drain(int socket, int milliseconds)
{
    char answer[4096];
    struct pollfd ready = {.fd = socket, .events = POLLIN};
    while (poll(&ready, 1, milliseconds) > 0) {
        if (recv(socket, answer, sizeof answer, MSG_DONTWAIT) <= 0)
            return 0;
        milliseconds = 0;
    }
    return 1;
}

static void *client_run(void *context)
{
    client *c = context;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", c->path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    LAW(fd >= 0);
    while (connect(fd, (struct sockaddr *)&address, sizeof address) != 0 && !c->over)
        usleep(200);
    for (unsigned packets = 0; packets < PACKETS_MAX && c->input.size > 0; packets++) {
        char body[PACKET_MAX + 8], frame[2 * sizeof body];
        unsigned how = fuzz_byte(&c->input);
        size_t size = packet_body(body, &c->input), at = 0;
        unsigned sum = 0;
        for (size_t i = 0; i < size; i++)
            sum += (uint8_t)body[i];
        frame[at++] = '+';
        frame[at++] = '$';
        memcpy(frame + at, body, size);
        at += size;
        at += (size_t)snprintf(frame + at, 8, "#%02x", (sum + (how == 0xff)) & 0xff);
        if (how >= 0xf8)
            frame[at++] = 3;
        if (how == 0xf7)
            at /= 2;
        /* Most packets are sent before the previous one is answered. */
        if (send(fd, frame, at, MSG_NOSIGNAL) < 0 || !drain(fd, how % 16 == 0 ? 3 : 0))
            break;
        if (size > 0 && (body[0] == 'c' || body[0] == 'v') && send(fd, "\3", 1, MSG_NOSIGNAL) < 0)
            break;
    }
    shutdown(fd, SHUT_WR);
    while (!c->over && drain(fd, 3))
        ;
    close(fd);
    return NULL;
}

/* Makes endless loops that count, store, call and, in Linux, make system calls. Returns the size of the code. */
static size_t guest_code(uint8_t *code, int is_linux)
{
    static const uint8_t loop[] = {0x40, 0x50, 0x58, 0xe8, 0x02, 0, 0, 0, 0xeb, 0xf6, 0x90, 0xc3};
    static const uint8_t calls[] = {0xb8, 0x14, 0, 0, 0, 0xcd, 0x80, 0xeb, 0xf0};
    memset(code, 0x90, CODE_BYTES);
    memcpy(code, loop, sizeof loop);
    if (is_linux)
        memcpy(code + 0x20, calls, sizeof calls);
    return CODE_BYTES;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t file[ELF_CODE + CODE_BYTES];
    client c = {.input = {data, size}};
    unsigned how = fuzz_byte(&c.input);
    const p5_machine_options options = {
        .size = sizeof options, .memory_bytes = 4 << 20, .model = how & 2 ? "p54c-133" : NULL};
    const p5_limits limits = {
        .size = sizeof limits, .max_instructions = how & 0x7c ? 500 : 20000, .timeout_seconds = SECONDS};
    const char *arguments[] = {"program", NULL};
    p5_machine *machine;
    p5_error error = {0};
    p5_run_result result = {.size = sizeof result};
    LAW(p5_machine_open(&options, &machine, &error) == P5_OK);
    size_t bytes = elf_make(file, guest_code(file + ELF_CODE, how & 1), 0, how & 1 ? ELF_LINUX : 0);
    fuzz_file program = fuzz_file_make("program", file, bytes);
    if (how & 1)
        LAW(p5_machine_load_linux(machine, program.path, arguments, arguments + 1, &error) == P5_OK);
    else
        LAW(p5_machine_load_elf(machine, program.path, &error) == P5_OK);
    snprintf(c.path, sizeof c.path, "%s/gdb", fuzz_folder());
    unlink(c.path);
    pthread_t thread;
    LAW(pthread_create(&thread, NULL, client_run, &c) == 0);
    FILE *errors = stderr; /* the server would write there where it waits */
    stderr = fopen("/dev/null", "w");
    p5_status status = p5_machine_run_gdb(machine, c.path, &limits, &result, &error);
    c.over = true;
    pthread_join(thread, NULL);
    fclose(stderr);
    stderr = errors;
    if (status != P5_OK || result.end == P5_END_FAILED)
        fprintf(stderr, "%s%s\n", error.message, status == P5_OK ? result.message : "");
    LAW(status == P5_OK && result.end != P5_END_FAILED);
    fuzz_figures_now.instructions += p5_machine_instructions(machine);
    unsigned checked;
    LAW(p5_laws_check_machine(machine, stderr, &checked) == 0);
    p5_machine_close(machine);
    return 0;
}
