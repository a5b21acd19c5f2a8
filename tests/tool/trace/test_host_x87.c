/* The host's x87 holds the guest's registers between instructions of the guest. Whenever other code runs, it is empty
 * and has the control word that programs expect. */
#include "guests.h"

#include "p5tool/core.h"

typedef struct looked {
    unsigned calls;
    uint32_t control, tags, top;
} looked;

static void look(looked *at)
{
    uint32_t environment[7];
    __asm__ volatile("fnstenv %0\n\tfldenv %0" : "=m"(environment));
    at->calls++;
    at->control |= (environment[0] & 0xffff) ^ 0x37f;
    at->tags |= (environment[2] & 0xffff) ^ 0xffff;
    at->top |= environment[1] & 0x3800;
}

/* `least`: the least number of looks. */
static void run(p5_machine *machine, looked *at, unsigned least)
{
    p5_run_result result = {.size = sizeof result};
    p5_error error = {0};
    assert_int_equal(p5_machine_run(machine, NULL, &result, &error), P5_OK);
    assert_int_equal(result.end, P5_END_EXIT);
    assert_true(at->calls >= least);
    look(at);
    assert_int_equal(at->control, 0);
    assert_int_equal(at->tags, 0);
    assert_int_equal(at->top, 0);
    p5_machine_close(machine);
}

static void on_stretch(void *context, p5_machine *machine, const p5_stretch *stretch)
{
    (void)machine, (void)stretch;
    look(context);
}

static void on_interval(void *context, p5_machine *machine, const p5_observation *observation)
{
    (void)machine, (void)observation;
    look(context);
}

static void on_bus(void *context, const p5_bus_use *uses, size_t count)
{
    assert_true(count > 0 && uses[count - 1].to > uses[0].from);
    look(context);
}

static void observe(p5_observe_options options)
{
    looked at = {0};
    p5_error error = {0};
    p5_machine *machine = open_guest("x87", "10", "p55c-200");
    options.size = sizeof options;
    options.context = &at;
    assert_int_equal(p5_machine_observe(machine, &options, NULL, &error), P5_OK);
    run(machine, &at, 100);
}

TEST(observers_find_it_free)
{
    observe((p5_observe_options){.retired = on_stretch});
    observe((p5_observe_options){.observed = on_interval, .every_clocks = 997});
    observe((p5_observe_options){.observed = on_interval, .every_clocks = 997, .counts_only = true});
    observe((p5_observe_options){.observed = on_interval, .every_instructions = 101});
}

/* x87 fills two arrays of 4 KB, and the core tells of bus cycles while it prices. */
TEST(listeners_of_the_core_find_it_free)
{
    looked at = {0};
    p5_machine *machine = open_guest("x87", "10", "p55c-200");
    p5_core_on_bus(p5_machine_core(machine), on_bus, &at);
    run(machine, &at, 3);
}
