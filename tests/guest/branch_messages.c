/* Branch trace messages of branch_messages.asm: which special cycles TR12.TR and TR12.FTR make (manual, table
 * 26-21), that their clocks go up, and that they take time. Usage: branch_messages IMAGE */
#include <stdio.h>
#include <string.h>

#include "p5tool/machine.h"
#include "p5tool/core.h"

enum { MESSAGES = 64 };

typedef struct seen {
    p5_branch_message messages[MESSAGES];
    unsigned count;
} seen;

static void take(void *context, const p5_branch_message *message)
{
    seen *s = context;
    if (s->count < MESSAGES)
        s->messages[s->count] = *message;
    s->count++;
}

/* From and to of every taken branch while TR is set; with FTR only from. */
static const struct {
    uint32_t from, to;
} expected[] = {
    {0, 0x8100}, /* after the WRMSR: its own address depends on the assembler */
    {0x8100, 0x8200}, {0x8200, 0x8300}, {0x8300, 0x8205},
    {0x8212, 0x8212}, {0x8214, 0x8400}, {0x8400, 0x8800}, /* INT 40h */
    {0x8800, 0x8402},                                     /* IRET */
    {0x8402, 0x8900},                                     /* #UD */
    {0x8904, 0x8404}, {0, 0},                             /* JMP a8500 with FTR */
    {0x8500, 0},
};

static int check(const seen *s)
{
    unsigned at = 0;
    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        bool both = expected[i].to != 0;
        if (at + both >= s->count) {
            fprintf(stderr, "%u messages, there should be more\n", s->count);
            return 1;
        }
        const p5_branch_message *from = &s->messages[at];
        if (from->target || (expected[i].from != 0 && from->address != expected[i].from)) {
            fprintf(stderr, "message %u: %08x%s, expected source %08x\n", at, from->address,
                    from->target ? " (target)" : "", expected[i].from);
            return 1;
        }
        if (both && (!from[1].target || from[1].address != expected[i].to)) {
            fprintf(stderr, "message %u: %08x, expected target %08x\n", at + 1, from[1].address,
                    expected[i].to);
            return 1;
        }
        at += 1 + both;
    }
    if (at != s->count) {
        fprintf(stderr, "%u messages, expected %u\n", s->count, at);
        return 1;
    }
    for (unsigned i = 1; i < s->count; i++)
        if (s->messages[i].clock <= s->messages[i - 1].clock) {
            fprintf(stderr, "message %u ends at clock %llu, the one before at %llu\n", i,
                    (unsigned long long)s->messages[i].clock, (unsigned long long)s->messages[i - 1].clock);
            return 1;
        }
    return 0;
}

static int run(const char *model, const char *image)
{
    p5_machine_options options = {.size = sizeof options, .model = model};
    p5_machine *machine;
    p5_run_result result = {.size = sizeof result};
    p5_error error;
    seen s = {.count = 0};
    if (p5_machine_open(&options, &machine, &error) != P5_OK ||
        p5_machine_load_flat(machine, image, 0x8000, &error) != P5_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    p5_core_on_branch_message(p5_machine_core(machine), take, &s);
    p5_machine_run(machine, NULL, &result, &error);
    p5_machine_close(machine);
    if (result.end != P5_END_EXIT || result.status != 1) {
        fprintf(stderr, "%s: end %d, status %d\n", model, (int)result.end, result.status);
        return 1;
    }
    return check(&s);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    return run("p55c-200", argv[1]) | run("p54c-133", argv[1]);
}
