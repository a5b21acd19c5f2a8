/* Law: no stretch takes more clocks than its bound, which is computed before it is priced, with or without
 * the places of its references. Computing it changes no state. The guests are random and real ones.
 * property_bound [FOLDER-OF-TESTPROGS [GUESTS]] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"
#include "core/block.h"
#include "core/model/bound.h"
#include "engine/internal.h"
#include "machine/state.h"
#include "p5scope/model.h"
#include "random_core.h"
#include "random_model.h"
#include "untouched.h"

enum { STRETCHES = 2000 };

typedef struct judge {
    bound bound;
    uint64_t stretches, clocks, looked, blind; /* sums; the last of stretches */
    unsigned broken;
    untouched *before;
} judge;

static void judge_stretch(judge *j, p5_core *core, const p5_retired *r)
{
    uint64_t before = p5_core_clock_estimate(core);
    uint64_t blind = j->bound.backlog_clocks +
                     (block_is_repeat(r->block) ? bound_own_of_string : bound_own)(
                         &j->bound, r->block->most_clocks, r->access_count, r->block->code->size);
    p5_prediction prediction = core_predict(core, r);
    untouched_keep(j->before, core, r);
    uint64_t looked = bound_clocks(core, r);
    if (!untouched_holds(j->before, core, r) && j->broken++ < 5)
        printf("block at %08" PRIx32 ": computing its bound changed the memory side\n",
               r->block->code->linear);
    core_price(core, r, prediction);
    uint64_t taken = p5_core_clock_estimate(core) - before;
    j->stretches++;
    j->clocks += taken;
    j->looked += looked;
    j->blind += blind;
    if ((taken > looked || taken > blind) && j->broken++ < 5)
        printf("block at %08" PRIx32 ": %" PRIu64 " clocks, but bounds of %" PRIu64 " with and %" PRIu64
               " without the references\n",
               r->block->code->linear, taken, looked, blind);
}

static void retire_random(void *context, p5_core *core, const p5_retired *r)
{
    judge_stretch(context, core, r);
}

static bool random_guest(const p5_model *model, unsigned long seed, untouched *before)
{
    static p5_counts totals;
    judge j = {.bound = bound_of_model(model), .before = before};
    const random_core_observer observer = {.retire = retire_random, .context = &j};
    random_core_watch(model, true, seed, STRETCHES, &totals, &observer);
    return j.broken == 0;
}

/* Replaces run_retired. The context is the machine, so the judge is a variable of its own. */
static judge real;
static bool retire_real(void *context, const p5_retired *r)
{
    p5_machine *machine = context;
    machine->instructions += (uint64_t)r->count - r->interrupted;
    judge_stretch(&real, machine->core, r);
    return machine->attention_wanted | (machine->instructions >= machine->check_instructions) |
           (p5_core_clock_estimate(machine->core) >= machine->check_clock);
}

static bool run_real(const char *name, const char *folder, const char *program, const char *argument,
                     untouched *before)
{
    static const char *const environment[] = {NULL};
    char path[1024];
    const char *const arguments[] = {program, argument, NULL};
    const p5_machine_options options = {.size = sizeof options, .model = name};
    p5_machine *machine;
    p5_error error;
    p5_run_result result = {.size = sizeof result, .end = P5_END_FAILED};
    snprintf(path, sizeof path, "%s/%s", folder, program);
    if (p5_machine_open(&options, &machine, &error) != P5_OK)
        return false;
    if (p5_machine_load_linux(machine, path, arguments, environment, &error) == P5_OK) {
        engine_set_retired(machine->engine, retire_real, NULL);
        real = (judge){.bound = bound_of_model(machine->model), .before = before};
        if (p5_machine_run(machine, NULL, &result, &error) != P5_OK)
            printf("%s\n", error.message);
    }
    p5_machine_close(machine);
    double stretches = (double)real.stretches;
    printf("%s on %s: %" PRIu64
           " stretches of %.1f clocks, bounds of %.1f with and %.1f without the references\n",
           program, name, real.stretches, (double)real.clocks / stretches, (double)real.looked / stretches,
           (double)real.blind / stretches);
    return result.end == P5_END_EXIT && real.broken == 0;
}

int main(int argc, char **argv)
{
    /* The first two run on the first model only: it alone has MMX, and walk1m takes long. */
    static const char *const kinds[][2] = {{"mmx", "20"},      {"walk1m", "1"}, {"walk16k", "50"},
                                           {"quicksort", "1"}, {"x87", "20"},   {"selfmod", "500"},
                                           {"strings", "2000"}};
    static const char *const models[] = {"p55c-200", "p54c-133", "p54c-166", P5_SLOW_MODELS "/slow-p54c.ini",
                                         P5_SLOW_MODELS "/slow-p55c.ini"};
    enum { BUILT_IN = 3 };
    unsigned long seeds = argc > 2 ? strtoul(argv[2], NULL, 10) : 30;
    unsigned long first = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
    bool holds = true;
    untouched *before = untouched_open();
    for (unsigned m = 0; m < sizeof models / sizeof *models; m++) {
        p5_model *model;
        p5_error error;
        if (p5_model_open(models[m], &model, &error) != P5_OK) {
            printf("%s\n", error.message);
            return 1;
        }
        for (unsigned long seed = first; seed - first < seeds; seed++)
            if (!random_guest(model, seed, before)) {
                printf("... model %s, seed %lu\n", models[m], seed);
                holds = false;
            }
        p5_model_close(model);
        for (unsigned k = m == 0 ? 0 : 2; m < BUILT_IN && argc > 1 && k < sizeof kinds / sizeof *kinds; k++)
            holds &= run_real(models[m], argv[1], kinds[k][0], kinds[k][1], before);
    }
    for (unsigned long seed = first; seed - first < seeds; seed++) {
        p5_model *model = random_model(seed);
        if (!random_guest(model, seed, before)) {
            random_model_print(stdout, model);
            holds = false;
        }
        p5_model_close(model);
    }
    free(before);
    return holds ? 0 : 1;
}
