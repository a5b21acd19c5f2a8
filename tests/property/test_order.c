/* What caches, TLBs and the branch target buffer contain depends on what is executed and in which order, not on the clock: the
 * same random stream on two boards whose clock and bus ratio differ gives the same misses, hits, write-backs and mispredictions.
 * The P54C's branch target buffer is an exception: it is looked up by pairs, and whether a pair forms can depend on the clock.
 * A flush of its pipe fetches code again, which misses while the cache is off.
 * Arguments: programs per pair of models, number of the first one. */
#include <stdio.h>
#include <stdlib.h>

#include "p5scope/model.h"
#include "random_core.h"

enum { STRETCHES = 200 };

static const char *const pairs[][2] = {{"p55c-166", "p55c-233"}, {"p54c-100", "p54c-166"}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static const enum p5_event by_order[] = {P5_EVENT_DATA_READ,
                                         P5_EVENT_DATA_WRITE,
                                         P5_EVENT_DATA_TLB_MISS,
                                         P5_EVENT_DATA_READ_MISS,
                                         P5_EVENT_DATA_WRITE_MISS,
                                         P5_EVENT_WRITE_HIT_TO_M_OR_E_STATE_LINES,
                                         P5_EVENT_DATA_CACHE_LINES_WRITTEN_BACK,
                                         P5_EVENT_CODE_TLB_MISS,
                                         P5_EVENT_BRANCHES,
                                         P5_EVENT_TAKEN_BRANCHES,
                                         P5_EVENT_INSTRUCTIONS_EXECUTED,
                                         P5_EVENT_CODE_CACHE_MISS,
                                         P5_EVENT_BTB_HITS,
                                         P5_EVENT_TAKEN_BRANCH_OR_BTB_HIT,
                                         P5_EVENT_PIPELINE_FLUSHES};
enum { BY_ORDER = sizeof by_order / sizeof *by_order, ABOUT_BTB = 4 /* the last of them */ };

static bool agree(p5_model *const models[2], uint64_t seed)
{
    static p5_counts totals[2];
    bool same = true;
    for (unsigned m = 0; m < 2; m++)
        random_core_run(models[m], true, seed, STRETCHES, &totals[m]);
    const unsigned count = p5_model_family(models[0]) == P5_FAMILY_P54C ? BY_ORDER - ABOUT_BTB : BY_ORDER;
    for (unsigned i = 0; i < count; i++) {
        const uint64_t first = p5_counts_sum(totals[0].increments[by_order[i]], P5_CPL_MASK_ALL),
                       second = p5_counts_sum(totals[1].increments[by_order[i]], P5_CPL_MASK_ALL);
        if (first == second)
            continue;
        printf("%s: %llu on %s, %llu on %s, seed %llu\n", p5_event_describe(by_order[i])->name,
               (unsigned long long)first, p5_model_name(models[0]), (unsigned long long)second,
               p5_model_name(models[1]), (unsigned long long)seed);
        same = false;
    }
    return same;
}

int main(int argc, char **argv)
{
    const unsigned long programs = argc > 1 ? strtoul(argv[1], NULL, 0) : 500,
                        first = argc > 2 ? strtoul(argv[2], NULL, 0) : 1;
    bool same = true;
    for (unsigned i = 0; i < PAIRS; i++) {
        p5_model *models[2];
        p5_error error;
        for (unsigned m = 0; m < 2; m++)
            if (p5_model_open(pairs[i][m], &models[m], &error) != P5_OK) {
                printf("%s\n", error.message);
                return 2;
            }
        for (unsigned long n = first; n < first + programs; n++)
            same &= agree(models, n);
        for (unsigned m = 0; m < 2; m++)
            p5_model_close(models[m]);
    }
    return same ? 0 : 1;
}
