/* A run in pieces is the same run: a guest that is stopped by limits again and again counts what it counts in
 * one go. The first are so short that nothing is priced later than it was executed. So does a run in which
 * memo, observers and profile are turned on and off between the pieces, and which continues from snapshots.
 * property_pieces FOLDER-OF-TESTPROGS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "p5tool/core.h"
#include "p5scope/observe.h"
#include "p5scope/profile.h"
#include "p5scope/snapshot.h"
#include "p5tool/machine.h"

typedef struct kind {
    const char *program, *argument;
    bool dos;
} kind;

/* How a run is cut. */
typedef struct cut {
    p5_limits step; /* 0: in one go */
    bool switched;  /* something is turned on or off between the pieces */
    unsigned threads;
} cut;

/* What is turned on and off in a run. */
typedef struct switches {
    unsigned state; /* of the random numbers */
    p5_observer *observer;
    bool profiled;
    unsigned pieces, snapshots;
} switches;

static unsigned below(switches *s, unsigned n)
{
    s->state = s->state * 1103515245 + 12345;
    return (s->state >> 16) % n;
}

static void ignore_observation(void *context, p5_machine *machine, const p5_observation *o)
{
    (void)context;
    (void)machine;
    (void)o;
}

static void ignore_stretch(void *context, p5_machine *machine, const p5_stretch *stretch)
{
    (void)context;
    (void)machine;
    (void)stretch;
}

static void fail(const p5_error *error)
{
    printf("%s\n", error->message);
    exit(1);
}

/* Opens an observer of one kind or another, or closes the one there is. */
static void switch_observer(switches *s, p5_machine *machine)
{
    const unsigned what = below(s, 4);
    const p5_event_watch event = {.size = sizeof event, .event = P5_EVENT_DATA_READ, .every = 1000};
    const p5_observe_options options = {.size = sizeof options,
                                        .every_clocks = what == 0 ? 777 : 0,
                                        .every_instructions = what == 1 ? 313 : 0,
                                        .events = &event,
                                        .event_count = what == 2,
                                        .observed = what < 3 ? ignore_observation : NULL,
                                        .counts_only = below(s, 2) != 0,
                                        .stretch_counts = what == 3 && below(s, 2) != 0,
                                        .retired = what == 3 ? ignore_stretch : NULL};
    p5_error error;
    if (s->observer) {
        p5_observer_close(s->observer);
        s->observer = NULL;
    } else if (p5_machine_observe(machine, &options, &s->observer, &error) != P5_OK) {
        fail(&error);
    }
}

/* The run continues in another machine. */
static void switch_machines(switches *s, p5_machine **machine, const char *image)
{
    char path[64];
    const p5_machine_options options = {.size = sizeof options, .image = image};
    p5_machine *other;
    p5_error error;
    snprintf(path, sizeof path, "property_pieces.%ld", (long)getpid());
    if (p5_machine_save(*machine, path, NULL, &error) != P5_OK)
        fail(&error);
    if (below(s, 2) != 0) {
        if (p5_machine_restore(path, &options, &other, &error) != P5_OK)
            fail(&error);
        p5_machine_close(*machine);
        *machine = other;
        s->observer = NULL;
        s->profiled = false;
        s->snapshots++;
    }
    remove(path);
}

static void switch_something(switches *s, p5_machine **machine, const char *guest, const kind *k)
{
    static p5_counts counts;
    const p5_profile_options profile = {.size = sizeof profile};
    p5_error error;
    switch (below(s, 6)) {
    case 0:
    case 1:
        p5_core_set_memo(p5_machine_core(*machine), below(s, 2) != 0);
        break;
    case 2:
        switch_observer(s, *machine);
        break;
    case 3:
        p5_machine_counts(*machine, &counts);
        break;
    case 4:
        if (!s->profiled && below(s, 8) == 0 && p5_profile_start(*machine, guest, &profile, &error) != P5_OK)
            fail(&error);
        else
            s->profiled = true;
        break;
    default:
        if (below(s, 8) == 0)
            switch_machines(s, machine, k->dos ? guest : NULL);
    }
}

static int run(const char *model, const char *folder, const kind *k, const cut *c, p5_counts *counts)
{
    static const char *const environment[] = {NULL};
    char path[1024];
    const char *const arguments[] = {k->program, k->argument, NULL};
    const p5_machine_options options = {.size = sizeof options, .model = model, .threads = c->threads};
    p5_run_result result = {.size = sizeof result, .end = P5_END_FAILED};
    switches s = {.state = 1};
    p5_machine *machine;
    p5_error error;
    snprintf(path, sizeof path, "%s/%s", folder, k->program);
    if (p5_machine_open(&options, &machine, &error) != P5_OK)
        return 0;
    if ((k->dos ? p5_machine_load_dos : p5_machine_load_linux)(machine, path, arguments, environment,
                                                               &error) == P5_OK)
        for (;;) {
            const p5_limits *step = &c->step;
            p5_limits limits = {
                .size = sizeof limits,
                .max_instructions =
                    step->max_instructions ? p5_machine_instructions(machine) + step->max_instructions : 0,
                .max_clocks = step->max_clocks ? p5_machine_clock(machine) + step->max_clocks : 0};
            s.pieces++;
            if (p5_machine_run(machine, &limits, &result, &error) != P5_OK ||
                (result.end != P5_END_INSTRUCTIONS && result.end != P5_END_CLOCKS))
                break;
            if (c->switched)
                switch_something(&s, &machine, path, k);
        }
    p5_machine_settle(machine);
    p5_machine_counts(machine, counts);
    p5_machine_close(machine);
    return result.end == P5_END_EXIT ? (int)s.pieces : 0;
}

int main(int argc, char **argv)
{
    static const kind kinds[] = {{"quicksort", "1", false},  {"sieve", "1", false},
                                 {"x87", "20", false},       {"selfmod", "5000", false},
                                 {"strings", "2000", false}, {"dos/paging.com", NULL, true}};
    static const char *const models[] = {"p55c-200", "p54c-133"};
    /* the first so short that nothing is priced later than it was executed: for the guest with page tables */
    static const cut cuts[] = {{.step = {.max_instructions = 211}},
                               {.step = {.max_instructions = 1009}},
                               {.step = {.max_clocks = 1511}},
                               {.step = {.max_instructions = 20011}},
                               {.step = {.max_instructions = 5003}, .switched = true, .threads = 1},
                               /* long enough for the second thread, more than some guests have */
                               {.step = {.max_instructions = 700001}, .switched = true, .threads = 2}};
    static p5_counts whole, pieces;
    int all = 0;
    if (argc < 2)
        return 2;
    for (unsigned m = 0; m < sizeof models / sizeof *models; m++)
        for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            if (run(models[m], argv[1], &kinds[k], &(cut){0}, &whole) != 1) {
                printf("%s on %s does not run\n", kinds[k].program, models[m]);
                return 1;
            }
            for (unsigned s = !kinds[k].dos; s < sizeof cuts / sizeof *cuts; s++) {
                int n = run(models[m], argv[1], &kinds[k], &cuts[s], &pieces);
                if (n < (cuts[s].threads == 2 ? 1 : 2) || memcmp(&whole, &pieces, sizeof whole) != 0) {
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
