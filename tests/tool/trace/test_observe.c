/* Observation is exact and has no effect. An observer of intervals gets what an observer of every instruction and
 * delivery gets at the first boundary that reaches the goal, and every run ends with the totals of an unobserved one. */
#include "guests.h"
#include "p5tool/core.h"

enum { MOST = 4096 };

typedef struct seen {
    uint64_t clock, instructions;
    uint32_t address;
    p5_counts counts;
} seen;

typedef struct record {
    seen *items;
    size_t count, all;
} record;

static void note(void *context, p5_machine *machine, const p5_observation *at)
{
    record *to = context;
    to->all++;
    if (to->count == MOST)
        return;
    seen *s = &to->items[to->count++];
    s->clock = at->clock;
    s->instructions = at->instructions;
    s->address = at->address;
    p5_machine_counts(machine, &s->counts);
}

static void run_to_end(p5_machine *machine, p5_counts *totals, uint64_t *instructions)
{
    p5_run_result result = {.size = sizeof result};
    p5_error error = {0};
    assert_int_equal(p5_machine_run(machine, NULL, &result, &error), P5_OK);
    assert_int_equal(result.end, P5_END_EXIT);
    p5_machine_settle(machine);
    p5_machine_counts(machine, totals);
    *instructions = p5_machine_instructions(machine);
}

/* Looks after every instruction and every delivery, which takes clocks of its own, and compares where an
 * observation of `noted` is due. */
typedef struct comparison {
    const record *noted;
    const char *guest;
    uint64_t clocks, instructions;
    size_t next;
    uint64_t goal;
} comparison;

static uint64_t goal_behind(const comparison *c, uint64_t reached)
{
    uint64_t every = c->clocks != 0 ? c->clocks : c->instructions;
    return (reached / every + 1) * every;
}

static void compare(void *context, p5_machine *machine, const p5_observation *at)
{
    comparison *c = context;
    uint64_t reached = c->clocks != 0 ? at->clock : at->instructions;
    if (reached < c->goal || c->next == c->noted->count)
        return;
    const seen *s = &c->noted->items[c->next++];
    p5_counts now;
    p5_machine_counts(machine, &now);
    if (s->clock != at->clock || s->instructions != at->instructions || s->address != at->address ||
        memcmp(&s->counts, &now, sizeof now) != 0)
        fail_msg("%s, observation %zu: clock %llu, expected %llu; instruction %llu, expected %llu", c->guest,
                 c->next, (unsigned long long)s->clock, (unsigned long long)at->clock,
                 (unsigned long long)s->instructions, (unsigned long long)at->instructions);
    c->goal = goal_behind(c, reached);
}

static void check_intervals_of(const char *name, const char *argument, const char *model, uint64_t clocks,
                               uint64_t instructions, bool counts_only)
{
    record noted = {.items = test_calloc(MOST, sizeof *noted.items)};
    MACHINE(observed, open_guest(name, argument, model));
    p5_observe_options options = {.size = sizeof options,
                                  .every_clocks = clocks,
                                  .every_instructions = instructions,
                                  .observed = note,
                                  .counts_only = counts_only,
                                  .context = &noted};
    p5_error error = {0};
    assert_int_equal(p5_machine_observe(observed, &options, NULL, &error), P5_OK);
    p5_counts totals, alone, all;
    uint64_t executed, executed_alone, executed_all;
    run_to_end(observed, &totals, &executed);
    assert_true(noted.count > 3);

    MACHINE(plain, open_guest(name, argument, model));
    run_to_end(plain, &alone, &executed_alone);
    assert_int_equal(executed, executed_alone);
    assert_memory_equal(&totals, &alone, sizeof totals);

    comparison c = {.noted = &noted, .guest = name, .clocks = clocks, .instructions = instructions};
    c.goal = goal_behind(&c, 0);
    MACHINE(every, open_guest(name, argument, model));
    p5_observe_options looks = {
        .size = sizeof looks, .every_clocks = 1, .every_instructions = 1, .observed = compare, .context = &c};
    assert_int_equal(p5_machine_observe(every, &looks, NULL, &error), P5_OK);
    run_to_end(every, &all, &executed_all);
    assert_memory_equal(&all, &alone, sizeof all);
    assert_int_equal(c.next, noted.count);
    test_free(noted.items);
}

/* The same with the model in a second thread, which the guest may overtake. */
static void check_intervals(const char *name, const char *argument, const char *model, uint64_t clocks,
                            uint64_t instructions)
{
    check_intervals_of(name, argument, model, clocks, instructions, false);
    check_intervals_of(name, argument, model, clocks, instructions, true);
}

TEST(intervals_are_exact)
{
    check_intervals("quicksort", "1", "p55c-200", 10007, 0);
    check_intervals("quicksort", "1", "p54c-133", 0, 9973);
    check_intervals("walk1m", "1", "p54c-100", 100003, 0); /* misses, page walks, write-backs */
    check_intervals("x87", "10", "p55c-166", 997, 0);      /* long instructions */
    check_intervals("mmx", "3", "p55c-200", 0, 1);         /* after every instruction */
    check_intervals("selfmod", "50", "p55c-200", 499, 0);
    check_intervals("timer.elf", NULL, "p55c-200", 0, 7); /* interrupts */
}

typedef struct calls {
    uint64_t entries, exits, depth, deepest;
    bool nested;
} calls;

static void note_call(void *context, p5_machine *machine, const p5_observation *at)
{
    calls *to = context;
    (void)machine;
    if (at->kind == P5_OBSERVE_ENTRY) {
        to->entries++;
        to->depth++;
        to->deepest = to->depth > to->deepest ? to->depth : to->deepest;
    } else {
        assert_int_equal(at->kind, P5_OBSERVE_EXIT);
        assert_true(to->depth > 0);
        to->exits++;
        to->depth--;
    }
}

/* Events of quicksort's recursive function: every entry has its exit, and CALLs are as many as the function
 * that only counts returns says (RET of sort, of main and of the library). */
TEST(entries_have_exits)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/quicksort", guests);
    uint32_t addresses[2];
    p5_error error = {0};
    assert_int_equal(p5_symbol_find(path, "sort", &addresses[0], NULL, &error), P5_OK);
    calls sorts = {0};
    MACHINE(machine, open_guest("quicksort", "2", "p55c-200"));
    p5_observe_options options = {.size = sizeof options,
                                  .addresses = addresses,
                                  .address_count = 1,
                                  .observed = note_call,
                                  .context = &sorts};
    assert_int_equal(p5_machine_observe(machine, &options, NULL, &error), P5_OK);
    p5_counts totals, alone;
    uint64_t executed;
    run_to_end(machine, &totals, &executed);
    MACHINE(unobserved, open_guest("quicksort", "2", "p55c-200"));
    run_to_end(unobserved, &alone, &executed);
    assert_memory_equal(&totals, &alone, sizeof totals);
    assert_int_equal(sorts.entries, sorts.exits);
    assert_true(sorts.entries > 1000 && sorts.deepest > 5);
    /* every call of sort returns once; main's other calls are a few */
    uint64_t returns = totals.increments[P5_EVENT_RETURNS][P5_CPL_USER];
    assert_true(returns >= sorts.exits && returns - sorts.exits < 100);
}

typedef struct marks {
    struct {
        p5_observation_kind kind;
        uint32_t number;
        uint64_t value;
    } items[16];
    size_t count;
} marks;

static void note_mark(void *context, p5_machine *machine, const p5_observation *at)
{
    marks *to = context;
    (void)machine;
    assert_true(to->count < 16);
    to->items[to->count].kind = at->kind;
    to->items[to->count].number = at->number;
    to->items[to->count++].value = at->value;
}

static void expect_marks(const char *guest, const p5_observation_kind *kinds, const uint32_t *numbers,
                         size_t count, marks *got)
{
    MACHINE(machine, open_guest(guest, NULL, "p55c-200"));
    p5_observe_options options = {
        .size = sizeof options, .markers = true, .pmu = true, .observed = note_mark, .context = got};
    p5_error error = {0};
    assert_int_equal(p5_machine_observe(machine, &options, NULL, &error), P5_OK);
    p5_counts totals;
    uint64_t executed;
    run_to_end(machine, &totals, &executed);
    assert_int_equal(got->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(got->items[i].kind, kinds[i]);
        assert_int_equal(got->items[i].number, numbers[i]);
    }
}

TEST(markers_and_registers_are_seen)
{
    const p5_observation_kind B = P5_OBSERVE_BEGIN, E = P5_OBSERVE_END;
    marks by_nop = {0}, by_port = {0};
    expect_marks("markers", (p5_observation_kind[]){B, B, E, E, B, E}, (uint32_t[]){1, 2, 2, 1, 3, 3}, 6,
                 &by_nop);
    expect_marks("markers.elf", (p5_observation_kind[]){B, P5_OBSERVE_WRMSR, P5_OBSERVE_RDMSR, E},
                 (uint32_t[]){7, P5_MSR_CESR, P5_MSR_CTR0, 0x70000}, 4, &by_port);
    assert_int_equal(by_port.items[1].value, 0xc0);
    assert_int_equal(by_port.items[2].value, 10);
}

TEST(wrong_symbols_are_told)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/quicksort", guests);
    uint32_t address, main_address;
    p5_error error = {0};
    assert_int_equal(p5_symbol_find(path, "sorte", &address, NULL, &error), P5_ERR_NAME);
    assert_non_null(strstr(error.hint, "sort"));
    assert_int_equal(p5_symbol_find(path, "main", &main_address, NULL, &error), P5_OK);
    assert_int_equal(p5_symbol_find(path, "main+0x10", &address, NULL, &error), P5_OK);
    assert_int_equal(address, main_address + 0x10);
    assert_int_equal(p5_symbol_find(path, "main+", &address, NULL, &error), P5_ERR_SYNTAX);
    assert_int_equal(p5_symbol_find(path, "0x1234", &address, NULL, &error), P5_OK);
    assert_int_equal(address, 0x1234);
    assert_int_equal(p5_symbol_find("/dev/null", "main", &address, NULL, &error), P5_ERR_NAME);
}
