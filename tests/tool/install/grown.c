/* A client of the library for grown.sh: results that the library writes stay within the structs of this version, and
 * options of this version are accepted. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <p5scope/machine.h>
#include <p5scope/observe.h>

#define CHECK(x)                                                                                             \
    do {                                                                                                     \
        if (!(x)) {                                                                                          \
            fprintf(stderr, "grown.c:%d: %s: %s\n", __LINE__, #x, error.message);                            \
            return 1;                                                                                        \
        }                                                                                                    \
    } while (0)

/* mov ecx, 100; again: mov eax, [200000h]; dec ecx; jnz again */
static const uint8_t code[] = {0xb9, 100, 0, 0, 0, 0xa1, 0, 0, 0x20, 0, 0x49, 0x75, 0xf8};
static unsigned reached;

static void observed(void *context, p5_machine *machine, const p5_observation *at)
{
    (void)context, (void)machine;
    reached += at->kind == P5_OBSERVE_EVENT && at->value == UINT64_C(10) * (reached + 1);
}

int main(void)
{
    p5_error error = {0};
#ifdef SIZES
    printf("%zu %zu %zu", sizeof(p5_machine_options), sizeof(p5_limits), sizeof(p5_run_result));
    return 0;
#endif
    struct {
        p5_run_result result;
        uint64_t after[16];
    } to = {.result = {.size = sizeof to.result}};
    memset(to.after, 0x5a, sizeof to.after);
    const p5_machine_options options = {.size = sizeof options, .model = "p55c-200"};
    const p5_code_options how = {.size = sizeof how, .system = true};
    const p5_limits limits = {.size = sizeof limits, .max_instructions = 1000000};
    const p5_event_watch watches[1] = {{.size = sizeof *watches, .event = P5_EVENT_DATA_READ, .every = 10}};
    const p5_observe_options observe = {
        .size = sizeof observe, .events = watches, .event_count = 1, .observed = observed};
    p5_machine *machine;
    CHECK(p5_machine_open(&options, &machine, &error) == P5_OK);
    CHECK(p5_machine_load_code(machine, code, sizeof code, &how, &error) == P5_OK);
    CHECK(p5_machine_observe(machine, &observe, NULL, &error) == P5_OK);
    CHECK(p5_machine_run(machine, &limits, &to.result, &error) == P5_OK);
    CHECK(to.result.end == P5_END_EXIT && to.result.size == sizeof to.result);
    for (unsigned i = 0; i < 16; i++)
        CHECK(to.after[i] == UINT64_C(0x5a5a5a5a5a5a5a5a));
    CHECK(reached == 10);
    p5_counts *counts = p5_counts_new();
    CHECK(counts != NULL);
    p5_machine_counts(machine, counts);
    CHECK(p5_counts_event(counts, P5_EVENT_DATA_READ, P5_CPL_MASK_KERNEL) == 100);
    p5_counts_free(counts);
    p5_machine_close(machine);
    return 0;
}
