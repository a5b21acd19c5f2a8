/* A run in pieces is the same run: a guest that is stopped by limits again and again counts what it counts in
 * one go. The first are so short that nothing is priced later than it was executed. property_pieces
 * FOLDER-OF-TESTPROGS */
#include <stdio.h>
#include <string.h>

#include "p5scope/machine.h"

typedef struct kind {
    const char *program, *argument;
    bool dos;
} kind;

static int run(const char *model, const char *folder, const kind *k, p5_limits step, p5_counts *counts)
{
    static const char *const environment[] = {NULL};
    char path[1024];
    const char *const arguments[] = {k->program, k->argument, NULL};
    const p5_machine_options options = {.size = sizeof options, .model = model};
    p5_run_result result = {.end = P5_END_FAILED};
    p5_machine *machine;
    p5_error error;
    int pieces = 0;
    snprintf(path, sizeof path, "%s/%s", folder, k->program);
    if (p5_machine_open(&options, &machine, &error) != P5_OK)
        return 0;
    if ((k->dos ? p5_machine_load_dos : p5_machine_load_linux)(machine, path, arguments, environment,
                                                               &error) == P5_OK)
        do {
            p5_limits limits = {
                .max_instructions =
                    step.max_instructions ? p5_machine_instructions(machine) + step.max_instructions : 0,
                .max_clocks = step.max_clocks ? p5_machine_clock(machine) + step.max_clocks : 0};
            pieces++;
            if (p5_machine_run(machine, &limits, &result, &error) != P5_OK)
                break;
        } while (result.end == P5_END_INSTRUCTIONS || result.end == P5_END_CLOCKS);
    p5_machine_settle(machine);
    p5_machine_counts(machine, counts);
    p5_machine_close(machine);
    return result.end == P5_END_EXIT ? pieces : 0;
}

int main(int argc, char **argv)
{
    static const kind kinds[] = {{"quicksort", "1", false},  {"sieve", "1", false},
                                 {"x87", "20", false},       {"selfmod", "5000", false},
                                 {"strings", "2000", false}, {"dos/paging.com", NULL, true}};
    static const char *const models[] = {"p55c-200", "p54c-133"};
    /* the first so short that nothing is priced later than it was executed: for the guest with page tables */
    static const p5_limits steps[] = {{.max_instructions = 211},
                                      {.max_instructions = 1009},
                                      {.max_clocks = 1511},
                                      {.max_instructions = 20011}};
    static p5_counts whole, pieces;
    int all = 0;
    if (argc < 2)
        return 2;
    for (unsigned m = 0; m < sizeof models / sizeof *models; m++)
        for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            if (run(models[m], argv[1], &kinds[k], (p5_limits){0}, &whole) != 1) {
                printf("%s on %s does not run\n", kinds[k].program, models[m]);
                return 1;
            }
            for (unsigned s = !kinds[k].dos; s < sizeof steps / sizeof *steps; s++) {
                int n = run(models[m], argv[1], &kinds[k], steps[s], &pieces);
                if (n < 2 || memcmp(&whole, &pieces, sizeof whole) != 0) {
                    printf("%s on %s: %llu clocks at CPL 3 in one go, %llu in %d pieces\n", kinds[k].program,
                           models[m], (unsigned long long)whole.clocks[P5_CPL_USER],
                           (unsigned long long)pieces.clocks[P5_CPL_USER], n);
                    return 1;
                }
                all += n;
            }
        }
    printf("%d pieces count what the runs they are of count in one go\n", all);
    return 0;
}
