/* Law: a run with the core model in a thread of its own equals the run with one thread, bit by bit, in totals, clocks
 * and what an observer of counts gets; in one piece, in several pieces, and with a profile. The observer also checks
 * that the second thread calls it. Usage: property_apart FOLDER-OF-TESTPROGS */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "p5scope/observe.h"
#include "p5scope/profile.h"
#include "p5scope/snapshot.h"
#include "p5tool/machine.h"
#include "p5tool/core.h"

enum { MOST_ROWS = 4096 };

typedef struct row {
    uint64_t clock, instructions, hash; /* of the totals */
} row;

typedef struct outcome {
    p5_counts counts;
    uint64_t clock, instructions, profile_hash;
    unsigned rows, elsewhere; /* reported in another thread than that of the run */
    row row[MOST_ROWS];
    int pieces;
} outcome;

typedef struct job {
    const char *name, *model, *program, *argument;
    p5_limits step; /* 0: in one go */
    uint64_t every_clocks, forward;
    bool profiled;
    bool alone; /* it makes the threads wait for each other so often that one continues alone */
} job;

static uint64_t hash_of(const void *bytes, size_t size, uint64_t hash)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ b[i]) * 0x100000001b3u;
    return hash;
}

static pthread_t runner;

static void observed(void *context, p5_machine *machine, const p5_observation *o)
{
    static p5_counts counts;
    outcome *out = context;
    p5_machine_counts(machine, &counts);
    if (out->rows < MOST_ROWS)
        out->row[out->rows++] =
            (row){o->clock, o->instructions, hash_of(&counts, sizeof counts, 14695981039346656037u)};
    out->elsewhere += !pthread_equal(pthread_self(), runner);
}

static p5_machine *open_guest(const job *j, const char *path, unsigned threads)
{
    static const char *const environment[] = {NULL};
    const char *const arguments[] = {j->program, j->argument, NULL};
    const p5_machine_options options = {.size = sizeof options, .model = j->model, .threads = threads};
    p5_machine *machine;
    p5_error error;
    if (p5_machine_open(&options, &machine, &error) != P5_OK)
        return NULL;
    if (p5_machine_load_linux(machine, path, arguments, environment, &error) == P5_OK)
        return machine;
    p5_machine_close(machine);
    return NULL;
}

/* Runs to the end, in pieces if the job says so. */
static bool run_to_end(p5_machine *machine, const job *j, outcome *out)
{
    p5_run_result result = {.size = sizeof result};
    p5_error error;
    do {
        const p5_limits *step = &j->step;
        p5_limits limits = {
            .size = sizeof limits,
            .max_instructions =
                step->max_instructions ? p5_machine_instructions(machine) + step->max_instructions : 0,
            .max_clocks = step->max_clocks ? p5_machine_clock(machine) + step->max_clocks : 0};
        if (p5_machine_run(machine, &limits, &result, &error) != P5_OK)
            return false;
        out->pieces++;
    } while (result.end == P5_END_INSTRUCTIONS || result.end == P5_END_CLOCKS);
    return result.end == P5_END_EXIT && result.status == 0;
}

static bool take_profile(p5_machine *machine, outcome *out)
{
    p5_profile *profile;
    p5_error error;
    char *text = NULL;
    size_t size = 0;
    if (p5_profile_take(machine, "guest", "", &profile, &error) != P5_OK)
        return false;
    FILE *stream = open_memstream(&text, &size);
    bool written = stream != NULL && p5_profile_write(stream, profile, &error) == P5_OK;
    if (stream != NULL)
        fclose(stream);
    out->profile_hash = hash_of(text, size, 14695981039346656037u);
    free(text);
    p5_profile_free(profile);
    return written && size > 0;
}

static bool run(const job *j, const char *folder, unsigned threads, outcome *out)
{
    memset(out, 0, sizeof *out);
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, j->program);
    p5_machine *machine = open_guest(j, path, threads);
    if (machine == NULL)
        return false;
    p5_error error;
    p5_observer *observer;
    const p5_observe_options observe = {.size = sizeof observe,
                                        .every_clocks = j->every_clocks,
                                        .observed = observed,
                                        .counts_only = true,
                                        .context = out};
    const p5_profile_options profile = {.size = sizeof profile};
    runner = pthread_self();
    bool good = true;
    const p5_limits forward = {.size = sizeof forward, .max_instructions = j->forward};
    if (j->forward != 0)
        good = p5_machine_fast_forward(machine, &forward, NULL, &error) == P5_OK;
    if (good && j->every_clocks != 0)
        good = p5_machine_observe(machine, &observe, &observer, &error) == P5_OK;
    if (good && j->profiled)
        good = p5_profile_start(machine, path, &profile, &error) == P5_OK;
    good = good && run_to_end(machine, j, out);
    p5_machine_settle(machine);
    p5_machine_counts(machine, &out->counts);
    out->clock = p5_machine_clock(machine);
    out->instructions = p5_machine_instructions(machine);
    if (good && j->profiled)
        good = take_profile(machine, out);
    p5_machine_close(machine);
    return good;
}

static bool same(const outcome *a, const outcome *b)
{
    return a->clock == b->clock && a->instructions == b->instructions && a->pieces == b->pieces &&
           a->profile_hash == b->profile_hash && a->rows == b->rows &&
           memcmp(a->row, b->row, a->rows * sizeof a->row[0]) == 0 &&
           memcmp(&a->counts, &b->counts, sizeof a->counts) == 0;
}

int main(int argc, char **argv)
{
    /* A piece is long enough for the thread to be used: it is left alone shortly before a limit. */
    static const job jobs[] = {
        {"quicksort", "p55c-200", "quicksort", "3", .every_clocks = 50000},
        {"quicksort, P54C", "p54c-133", "quicksort", "2", .every_clocks = 100000},
        {"quicksort, profile", "p55c-200", "quicksort", "2", .every_clocks = 200000, .profiled = true},
        {"quicksort, pieces",
         "p55c-200",
         "quicksort",
         "2",
         {.max_instructions = 700001},
         .every_clocks = 50000},
        {"quicksort, fast-forward", "p55c-200", "quicksort", "3", .forward = 1200000, .every_clocks = 100000},
        {"sieve", "p55c-200", "sieve", "2", .every_clocks = 50000},
        {"sieve, pieces in clocks",
         "p55c-200",
         "sieve",
         "90",
         {.max_clocks = 120000001},
         .every_clocks = 50000},
        {"sieve, P54C, profile", "p54c-166", "sieve", "1", .every_clocks = 100000, .profiled = true},
        {"walk1m", "p55c-233", "walk1m", "2", .every_clocks = 100000},
        {"x87", "p55c-200", "x87", "100", .every_clocks = 20000},
        {"mmx", "p55c-200", "mmx", "300", .every_clocks = 20000},
        {"selfmod", "p55c-200", "selfmod", "20000", .every_clocks = 500000, .alone = true},
    };
    static outcome one, two;
    unsigned rows = 0;
    if (argc < 2)
        return 2;
    for (const job *j = jobs; j < jobs + sizeof jobs / sizeof *jobs; j++) {
        if (!run(j, argv[1], 1, &one) || !run(j, argv[1], 2, &two)) {
            printf("%s: does not run to its end\n", j->name);
            return 1;
        }
        if (!same(&one, &two)) {
            printf("%s: %llu clocks, %u rows in one thread, %llu clocks, %u rows in two\n", j->name,
                   (unsigned long long)one.clock, one.rows, (unsigned long long)two.clock, two.rows);
            return 1;
        }
        if (one.elsewhere != 0 || (two.elsewhere == 0 && !j->alone) ||
            (j->step.max_instructions | j->step.max_clocks ? one.pieces < 2 : 0)) {
            printf("%s: %u of %u rows told in another thread, %d pieces\n", j->name, two.elsewhere, two.rows,
                   one.pieces);
            return 1;
        }
        rows += two.rows;
    }
    printf("%zu runs are the same in one thread and in two, with %u rows\n", sizeof jobs / sizeof *jobs,
           rows);
    return 0;
}
