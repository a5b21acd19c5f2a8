/* Watches a Linux guest while it runs in p5scope: which code costs the most clocks, how often the guest enters
 * its kernel, and where every thousandth read miss of the data cache occurs.
 *   cc watch_guest.c $(pkg-config --cflags --libs p5scope)
 *   ./a.out GUEST [ARGUMENT...] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <p5scope/machine.h>
#include <p5scope/observe.h>

enum { PLACES = 4096, SHOWN = 5, MISSES = 1000 };

/* Code that was executed in one go, by its address; a full table takes no more. */
typedef struct place {
    uint32_t address;
    uint64_t times, clocks, instructions;
} place;

typedef struct watched {
    place places[PLACES];
    uint64_t exceptions, system_calls;
} watched;

static void require(p5_status status, const p5_error *error)
{
    if (status != P5_OK) {
        fprintf(stderr, "watch_guest: %s\n", error->message);
        exit(1);
    }
}

static void retired(void *context, p5_machine *machine, const p5_stretch *stretch)
{
    watched *w = context;
    (void)machine;
    for (uint32_t probe = 0; probe < PLACES; probe++) {
        place *p = &w->places[(stretch->address * 2654435761u + probe) % PLACES];
        if (p->times != 0 && p->address != stretch->address)
            continue;
        p->address = stretch->address;
        p->times++;
        p->clocks += stretch->clocks;
        p->instructions += stretch->instructions;
        return;
    }
}

static void exception(void *context, p5_machine *machine, const p5_exception_info *x)
{
    watched *w = context;
    (void)machine;
    if (x->kind == P5_TRANSFER_SOFTWARE && x->vector == 0x80)
        w->system_calls++;
    else
        w->exceptions++;
}

static void observed(void *context, p5_machine *machine, const p5_observation *at)
{
    (void)context;
    (void)machine;
    if (at->kind == P5_OBSERVE_EVENT)
        printf("miss %8" PRIu64 " at clock %" PRIu64 ", before %08" PRIx32 "\n", at->value, at->clock,
               at->address);
}

static int by_clocks(const void *a, const void *b)
{
    const place *x = a, *y = b;
    return x->clocks < y->clocks ? 1 : x->clocks > y->clocks ? -1 : 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: watch_guest GUEST [ARGUMENT...]\n");
        return 2;
    }
    const p5_machine_options machine_options = {.size = sizeof machine_options};
    p5_error error;
    p5_machine *machine;
    require(p5_machine_open(&machine_options, &machine, &error), &error);
    const p5_load_options load = {.size = sizeof load, .arguments = (const char *const *)argv + 1};
    require(p5_machine_load(machine, argv[1], &load, &error), &error);

    watched *w = calloc(1, sizeof *w);
    if (w == NULL)
        return 1;
    const p5_event_watch misses = {.size = sizeof misses, .event = P5_EVENT_DATA_READ_MISS, .every = MISSES};
    const p5_observe_options observe = {.size = sizeof observe,
                                        .events = &misses,
                                        .event_count = 1,
                                        .observed = observed,
                                        .retired = retired,
                                        .exception = exception,
                                        .context = w};
    require(p5_machine_observe(machine, &observe, NULL, &error), &error);
    p5_run_result result = {.size = sizeof result};
    require(p5_machine_run(machine, NULL, &result, &error), &error);

    qsort(w->places, PLACES, sizeof w->places[0], by_clocks);
    for (int i = 0; i < SHOWN && w->places[i].times != 0; i++)
        printf("code at %08" PRIx32 ": %10" PRIu64 " times, %10" PRIu64 " instructions, %10" PRIu64
               " clocks\n",
               w->places[i].address, w->places[i].times, w->places[i].instructions, w->places[i].clocks);
    printf("system calls %" PRIu64 ", other exceptions %" PRIu64 "\n", w->system_calls, w->exceptions);
    printf("instructions %" PRIu64 ", clocks %" PRIu64 "\n", p5_machine_instructions(machine),
           p5_machine_clock(machine));
    free(w);
    p5_machine_close(machine);
    return result.end == P5_END_EXIT ? result.status : 1;
}
