/* Runs a Linux guest in p5scope and prints its clocks and every event that happened.
 *   cc count_guest.c $(pkg-config --cflags --libs p5scope)
 *   ./a.out GUEST [ARGUMENT...] */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <p5scope/event.h>
#include <p5scope/machine.h>

static void require(p5_status status, const p5_error *error)
{
    if (status != P5_OK) {
        fprintf(stderr, "count_guest: %s\n", error->message);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: count_guest GUEST [ARGUMENT...]\n");
        return 2;
    }
    const p5_machine_options options = {.size = sizeof options, .model = "p55c-200"};
    p5_error error;
    p5_machine *machine;
    require(p5_machine_open(&options, &machine, &error), &error);
    const p5_load_options load = {.size = sizeof load, .arguments = (const char *const *)argv + 1};
    require(p5_machine_load(machine, argv[1], &load, &error), &error);

    p5_run_result result = {.size = sizeof result};
    require(p5_machine_run(machine, NULL, &result, &error), &error);
    if (result.end != P5_END_EXIT) {
        fprintf(stderr, "count_guest: the guest ended at %08" PRIx32 ": %s\n", result.address,
                result.message);
        return 1;
    }

    p5_counts *counts = p5_counts_new();
    if (counts == NULL)
        return 1;
    p5_machine_counts(machine, counts);
    printf("%14" PRIu64 " clocks\n", p5_counts_clocks(counts, P5_CPL_MASK_ALL));
    for (int event = 0; event < P5_EVENT_COUNT; event++) {
        uint64_t count = p5_counts_event(counts, (enum p5_event)event, P5_CPL_MASK_USER);
        if (count > 0)
            printf("%14" PRIu64 " %s\n", count, p5_event_describe((enum p5_event)event)->name);
    }
    p5_counts_free(counts);
    p5_machine_close(machine);
    return result.status;
}
