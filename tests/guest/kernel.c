/* Runs the multitasking kernel testprogs/bare/kernel.asm. The sum of what its tasks counted with a virtualised counter
 * must be exactly what the machine counted at CPL 3. Usage: guest_kernel KERNEL EVENT */
#include <stdio.h>
#include <string.h>

#include "p5tool/machine.h"
#include "p5tool/core.h"

typedef struct text {
    size_t size;
    char bytes[4096];
} text;

static void take(void *context, const void *bytes, size_t size)
{
    text *t = context;
    if (size > sizeof t->bytes - 1 - t->size)
        size = sizeof t->bytes - 1 - t->size;
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
}

static const char *find(const text *t, const char *label, unsigned long long *value)
{
    const char *at = strstr(t->bytes, label);
    return at != NULL && sscanf(at + strlen(label), "%llu", value) == 1 ? at : NULL;
}

static int run(const char *kernel, const char *model, const char *event, unsigned long long seen[2])
{
    static text output;
    memset(&output, 0, sizeof output);
    p5_machine_options options = {
        .size = sizeof options, .model = model, .console = take, .console_context = &output};
    p5_machine *machine;
    p5_error error = {0};
    p5_limits limits = {.size = sizeof limits, .timeout_seconds = 1200};
    p5_run_result result = {.size = sizeof result};
    if (p5_machine_open(&options, &machine, &error) != P5_OK ||
        p5_machine_load_elf(machine, kernel, &error) != P5_OK ||
        p5_machine_run(machine, &limits, &result, &error) != P5_OK) {
        fprintf(stderr, "%s: %s\n", kernel, error.message);
        return 1;
    }
    p5_machine_settle(machine);
    static p5_counts counts;
    p5_machine_counts(machine, &counts);
    unsigned number = P5_EVENT_COUNT;
    for (unsigned i = 0; i < P5_EVENT_COUNT; i++) {
        if (strcmp(p5_event_describe((enum p5_event)i)->name, event) == 0)
            number = i;
    }
    unsigned long long total = 0, ticks = 0;
    int wrong = 0;
    if (number == P5_EVENT_COUNT || result.end != P5_END_EXIT || result.status != 1 ||
        !find(&output, "task 0: ", &seen[0]) || !find(&output, "task 1: ", &seen[1]) ||
        !find(&output, "total: ", &total) || !find(&output, "", &ticks)) {
        fprintf(stderr, "%s on %s: ended %d with status %d, printed:\n%s", event, model, (int)result.end,
                result.status, output.bytes);
        wrong = 1;
    } else if (seen[0] + seen[1] != total || total != counts.increments[number][P5_CPL_USER] ||
               seen[0] == 0 || seen[1] == 0 || ticks < 20) {
        fprintf(stderr, "%s on %s: tasks %llu + %llu, kernel %llu, machine %llu, %llu ticks\n", event, model,
                seen[0], seen[1], total, (unsigned long long)counts.increments[number][P5_CPL_USER], ticks);
        wrong = 1;
    }
    p5_machine_close(machine);
    return wrong;
}

int main(int argc, char **argv)
{
    unsigned long long p55c[2] = {0}, p54c[2] = {0};
    if (argc != 3) {
        fprintf(stderr, "usage: guest_kernel KERNEL EVENT\n");
        return 2;
    }
    int wrong = run(argv[1], "p55c-200", argv[2], p55c) + run(argv[1], "p54c-133", argv[2], p54c);
    /* Instructions are a task's own, wherever the timer cuts it. */
    bool own = strcmp(argv[2], "instructions_executed") == 0;
    if (wrong == 0 && own && (p55c[0] != p54c[0] || p55c[1] != p54c[1])) {
        fprintf(stderr, "instructions of task 0: %llu and %llu, of task 1: %llu and %llu\n", p55c[0], p54c[0],
                p55c[1], p54c[1]);
        wrong = 1;
    }
    return wrong;
}
