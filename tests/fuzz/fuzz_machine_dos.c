/* Runs DOS programs of any bytes and any calls. A program is refused with a message, or runs until it ends or
 * reaches a limit. The first byte selects the kind of input: 'M' is the file itself; anything else is a COM program
 * that loads registers from the input and calls DOS, the BIOS and XMS with them, or accesses a port, repeatedly.
 * Every stretch of an odd input is priced with and without the memo, and must count the same. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "p5tool/core.h"
#include "p5tool/machine.h"

enum { MOST_CODE = 4000, INSTRUCTIONS = 20000, CLOCKS = 20000000 };

typedef struct program {
    uint8_t bytes[MOST_CODE + 64];
    size_t size;
} program;

static void add(program *p, const void *bytes, size_t size)
{
    memcpy(p->bytes + p->size, bytes, size);
    p->size += size;
}

/* Makes a program that repeatedly loads AX, BX, CX, DX, SI and DI and then makes a call. The segments do not change. */
static void compose(program *p, fuzz_input *input)
{
    static const uint8_t registers[] = /* MOV r16,imm16 */
        {0xb8, 0xbb, 0xb9, 0xba, 0xbe, 0xbf};
    static const uint8_t vectors[] = {0x21, 0x21, 0x21, 0x21, 0x10, 0x13, 0x15, 0x16, 0x1a, 0x29, 0x2f, 0x20};
    static const uint8_t xms[] = {0x9a, 0x00, 0xef, 0x00, 0xf0}; /* call F000:EF00 */
    static const uint8_t port_codes[] = {0xec, 0xed, 0xee, 0xef,
                                         0x6c, 0x6d, 0x6e, 0x6f}; /* IN, OUT, INS, OUTS */
    while (input->size > 0 && p->size < MOST_CODE) {
        uint8_t how = fuzz_byte(input);
        for (unsigned i = 0; i < sizeof registers; i++) {
            uint8_t move[] = {registers[i], fuzz_byte(input), fuzz_byte(input)};
            if (i > 0 && (how & 0x80) != 0)
                move[2] = (uint8_t)(move[2] & 1); /* a small number, so that it points into the program */
            if (i == 2 && (how & 0x40) != 0)
                move[2] = 0; /* REP makes few accesses, because each takes long */
            add(p, move, sizeof move);
        }
        if (how & 0x40)
            add(p, (const uint8_t[]){0xf3, port_codes[how % 8]}, 2); /* REP is ignored without a string */
        else if (how % 16 < sizeof vectors)
            add(p, (const uint8_t[]){0xcd, vectors[how % 16]}, 2);
        else
            add(p, xms, sizeof xms);
    }
    add(p, (const uint8_t[]){0xcd, 0x20}, 2);
}

/* p5_machine_options.input: gives 99 bytes. */
static int give_byte(void *context, uint8_t *byte, bool idle)
{
    unsigned *count = context;
    (void)idle;
    *byte = (uint8_t)(++*count * 37);
    return *count < 100 ? 1 : -1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    program p = {.size = 0};
    char path[64];
    unsigned count = 0;
    uint64_t stretches;
    const char *difference;
    const p5_share share = {.size = sizeof share, .host = "/etc", .guest = "/c"};
    const p5_machine_options options = {.size = sizeof options,
                                        .memory_bytes = 4 << 20,
                                        .shares = &share,
                                        .share_count = 1,
                                        .console = fuzz_discard,
                                        .input = give_byte,
                                        .memo_check = size % 2 != 0,
                                        .input_context = &count};
    const p5_limits limits = {.size = sizeof limits, .max_instructions = INSTRUCTIONS, .max_clocks = CLOCKS};
    const char *arguments[] = {"fuzz.com", "one", NULL};
    p5_error error = {0};
    p5_run_result result = {.size = sizeof result};
    p5_machine *machine;
    bool file = fuzz_byte(&input) == 'M';
    if (!file)
        compose(&p, &input);
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    LAW(fd >= 0);
    LAW(write(fd, file ? data : p.bytes, file ? size : p.size) == (ssize_t)(file ? size : p.size));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    LAW(p5_machine_open(&options, &machine, &error) == P5_OK);
    p5_status status = p5_machine_load_dos(machine, path, arguments, NULL, &error);
    LAW(status == P5_OK || (status == P5_ERR_FORMAT && error.message[0] != '\0'));
    if (status == P5_OK) {
        LAW(p5_machine_run(machine, &limits, &result, &error) == P5_OK);
        LAW(result.end != P5_END_FAILED);
        LAW(!p5_core_memo_checked(p5_machine_core(machine), &stretches, &difference) || difference == NULL);
    }
    p5_machine_close(machine);
    close(fd);
    return 0;
}
