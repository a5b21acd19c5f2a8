/* bare PROGRAM [ARGUMENT...]: runs a Linux guest on the engine, which records blocks, accesses with both addresses
 * and operand values, without a model. The difference to p5scope is what the model costs. The guest's clock stands
 * still, and options like --pce are missing. Prints instructions and accesses on standard error. */
#include <stdio.h>
#include <string.h>

#include "engine/internal.h"
#include "machine/state.h"

/* Callbacks in place of run_retired and run_retired_blocks, which do the same without the core. */
static uint64_t accesses;

static bool wants_attention(const p5_machine *machine)
{
    return machine->attention_wanted | (machine->instructions >= machine->check_instructions);
}

static bool count_only(void *context, const p5_retired *retired)
{
    p5_machine *machine = context;
    machine->instructions += (uint64_t)retired->count - retired->interrupted;
    accesses += retired->access_count;
    return wants_attention(machine);
}

static bool count_blocks(void *context, const p5_access *first, const p5_value *values,
                         const p5_retired_block *blocks, size_t count, unsigned instructions)
{
    p5_machine *machine = context;
    (void)values;
    machine->instructions += instructions;
    accesses += (uint64_t)(blocks[count - 1].accesses_end - first);
    return wants_attention(machine);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bare PROGRAM [ARGUMENT...]\n");
        return 129;
    }
    static const char *const environment[] = {NULL};
    p5_machine_options options = {.size = sizeof options};
    p5_machine *machine = NULL;
    p5_error error;
    p5_run_result result = {.size = sizeof result};
    if (p5_machine_open(&options, &machine, &error) != P5_OK ||
        p5_machine_load_linux(machine, argv[1], (const char *const *)(argv + 1), environment, &error) !=
            P5_OK) {
        fprintf(stderr, "bare: %s\n", error.message);
        p5_machine_close(machine);
        return 127;
    }
    engine_set_retired(machine->engine, count_only, count_blocks);
    if (p5_machine_run(machine, NULL, &result, &error) != P5_OK)
        fprintf(stderr, "bare: %s\n", error.message);
    fprintf(stderr, "%llu instructions, %llu accesses\n", (unsigned long long)machine->instructions,
            (unsigned long long)accesses);
    p5_machine_close(machine);
    return result.status;
}
