/* Machines share nothing: several that run at the same time in threads of one process count what each counts
 * alone. property_threads FOLDER-OF-TESTPROGS */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "p5tool/machine.h"
#include "p5tool/core.h"

typedef struct job {
    const char *model, *program, *argument;
    char path[1024];
    p5_counts counts;
    const char *failure; /* NULL: it ran to its end */
    p5_error error;
} job;

static void *work(void *context)
{
    job *j = context;
    static const char *const environment[] = {NULL};
    const char *const arguments[] = {j->program, j->argument, NULL};
    const p5_machine_options options = {.size = sizeof options, .model = j->model};
    p5_run_result result = {.size = sizeof result};
    p5_machine *machine;
    if (p5_machine_open(&options, &machine, &j->error) != P5_OK) {
        j->failure = "no machine";
        return NULL;
    }
    if (p5_machine_load_linux(machine, j->path, arguments, environment, &j->error) != P5_OK ||
        p5_machine_run(machine, NULL, &result, &j->error) != P5_OK)
        j->failure = "no run";
    else if (result.end != P5_END_EXIT || result.status != 0)
        j->failure = "the guest failed";
    p5_machine_settle(machine);
    p5_machine_counts(machine, &j->counts);
    p5_machine_close(machine);
    return NULL;
}

int main(int argc, char **argv)
{
    enum { JOBS = 8, ROUNDS = 3 };
    static const job kinds[JOBS] = {
        {.model = "p55c-200", .program = "quicksort", .argument = "1"},
        {.model = "p54c-133", .program = "quicksort", .argument = "1"},
        {.model = "p55c-200", .program = "sieve", .argument = "1"},
        {.model = "p54c-100", .program = "x87", .argument = "20"},
        {.model = "p55c-233", .program = "mmx", .argument = "50"},
        {.model = "p55c-200", .program = "selfmod", .argument = "300"},
        {.model = "p54c-166", .program = "walk16k", .argument = "10"},
        {.model = "p55c-166", .program = "x87", .argument = "20"},
    };
    static job alone[JOBS], together[JOBS];
    if (argc < 2)
        return 2;
    for (unsigned i = 0; i < JOBS; i++) {
        alone[i] = kinds[i];
        snprintf(alone[i].path, sizeof alone[i].path, "%s/%s", argv[1], kinds[i].program);
        work(&alone[i]);
        if (alone[i].failure != NULL) {
            printf("%s on %s: %s: %s\n", kinds[i].program, kinds[i].model, alone[i].failure,
                   alone[i].error.message);
            return 1;
        }
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        pthread_t threads[JOBS];
        for (unsigned i = 0; i < JOBS; i++) {
            together[i] = kinds[i];
            memcpy(together[i].path, alone[i].path, sizeof alone[i].path);
            if (pthread_create(&threads[i], NULL, work, &together[i]) != 0) {
                printf("no thread\n");
                return 1;
            }
        }
        for (unsigned i = 0; i < JOBS; i++)
            pthread_join(threads[i], NULL);
        for (unsigned i = 0; i < JOBS; i++)
            if (together[i].failure != NULL ||
                memcmp(&together[i].counts, &alone[i].counts, sizeof alone[i].counts) != 0) {
                printf("%s on %s: %s beside others, and other counts than alone (%llu clocks, %llu alone)\n",
                       kinds[i].program, kinds[i].model, together[i].failure ? together[i].failure : "ran",
                       (unsigned long long)together[i].counts.clocks[P5_CPL_USER],
                       (unsigned long long)alone[i].counts.clocks[P5_CPL_USER]);
                return 1;
            }
    }
    printf("%d runs in threads count what they count alone\n", JOBS * ROUNDS);
    return 0;
}
