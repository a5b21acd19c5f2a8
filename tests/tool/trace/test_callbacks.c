/* Callbacks of an observed run. Stretches add up to the run. Exceptions are those of the manual. Handlers of ports are
 * called in order until one handles the access. Events come at the place where an observer of every instruction sees
 * them. Several observers work side by side, and each callback may call only the functions that the header allows. */
#include "guests.h"

#include "p5tool/report.h"

/* ---- machines ------------------------------------------------------------------------------------------ */

/* A machine with assembled code; *entry gets its address. */
static p5_machine *open_code(const char *text, unsigned cpl, uint32_t *entry)
{
    char source[2000];
    snprintf(source, sizeof source,
             "#! case callbacks\n#! models p55c-200\n#! n 1 2\n#! expect clocks 1\n"
             "%s\n",
             text);
    p5_case_program *program;
    p5_error error = {0};
    if (p5_case_assemble_text("callbacks", source, 1, &program, &error) != P5_OK)
        fail_msg("%s", error.message);
    p5_case_image image;
    p5_case_program_image(program, &image);
    image.cpl = (uint8_t)cpl;
    p5_machine *machine = open_machine("p55c-200");
    if (p5_machine_load_case(machine, &image, &error) != P5_OK)
        fail_msg("%s", error.message);
    *entry = image.entry;
    p5_case_program_free(program);
    return machine;
}

static p5_observer *observe(p5_machine *machine, const p5_observe_options *options)
{
    p5_observer *observer;
    p5_error error = {0};
    if (p5_machine_observe(machine, options, &observer, &error) != P5_OK)
        fail_msg("%s", error.message);
    return observer;
}

static p5_end run_some(p5_machine *machine, uint64_t instructions)
{
    p5_run_result result = {.size = sizeof result};
    p5_limits limits = {.size = sizeof limits, .timeout_seconds = 1200, .max_instructions = instructions};
    p5_error error = {0};
    if (p5_machine_run(machine, &limits, &result, &error) != P5_OK)
        fail_msg("%s", error.message);
    return result.end;
}

static p5_end run(p5_machine *machine)
{
    return run_some(machine, 0);
}

/* ---- stretches ----------------------------------------------------------------------------------------- */

typedef struct sums {
    p5_counts counts;
    uint64_t clocks, instructions, stretches, exceptions, interrupts, system_calls;
    uint32_t next;
    bool moved; /* after an exception, or at the start: the next stretch does not follow the previous one */
} sums;

static void add_stretch(void *context, p5_machine *machine, const p5_stretch *s)
{
    sums *to = context;
    if (!to->moved && s->address != to->next)
        fail_msg("a stretch begins at %x, the one before went to %x", s->address, to->next);
    assert_true(s->bytes >= s->instructions && s->bytes <= 15 * (s->instructions + 1));
    assert_int_equal(s->clock, p5_machine_clock(machine));
    p5_counts_add(&to->counts, s->counts);
    to->clocks += s->clocks;
    to->instructions += s->instructions;
    to->stretches++;
    to->next = s->next;
    to->moved = false;
    assert_int_equal(to->instructions, p5_machine_instructions(machine));
}

static void note_exception(void *context, p5_machine *machine, const p5_exception_info *x)
{
    sums *to = context;
    assert_int_equal(x->instructions, p5_machine_instructions(machine));
    to->moved = true;
    to->exceptions++;
    to->interrupts += x->kind == P5_TRANSFER_INTERRUPT;
    to->system_calls += x->kind == P5_TRANSFER_SOFTWARE && x->vector == 0x80;
}

static sums check_stretches(const char *guest, const char *argument)
{
    sums seen = {.moved = true};
    MACHINE(machine, open_guest(guest, argument, "p55c-200"));
    const p5_observe_options options = {.size = sizeof options,
                                        .stretch_counts = true,
                                        .retired = add_stretch,
                                        .exception = note_exception,
                                        .context = &seen};
    observe(machine, &options);
    assert_int_equal(run(machine), P5_END_EXIT);
    p5_counts totals, alone;
    p5_machine_counts(machine, &totals);
    assert_int_equal(seen.clocks, p5_machine_clock(machine));
    assert_int_equal(seen.instructions, p5_machine_instructions(machine));
    assert_true(seen.stretches > 10 && seen.stretches < seen.instructions);
    /* A Linux guest ends in the delivery of a system call, whose references are counted and whose clocks
     * would come with the next stretch. */
    assert_memory_equal(seen.counts.clocks, totals.clocks, sizeof totals.clocks);
    assert_memory_equal(seen.counts.stalls, totals.stalls, sizeof totals.stalls);
    if (seen.system_calls == 0)
        assert_memory_equal(&seen.counts, &totals, sizeof totals);

    MACHINE(unobserved, open_guest(guest, argument, "p55c-200"));
    assert_int_equal(run(unobserved), P5_END_EXIT);
    p5_machine_counts(unobserved, &alone);
    assert_memory_equal(&totals, &alone, sizeof totals);
    return seen;
}

TEST(stretches_add_up)
{
    sums program = check_stretches("quicksort", "1");
    assert_int_equal(program.interrupts, 0);
    assert_true(program.system_calls >= 2); /* write and exit_group */
    assert_int_equal(program.exceptions, program.system_calls);
    check_stretches("selfmod", "50");
    check_stretches("mmx", "3");
    sums bare = check_stretches("timer.elf", NULL);
    const uint64_t *interrupts = bare.counts.increments[P5_EVENT_HARDWARE_INTERRUPTS];
    assert_true(bare.interrupts > 0);
    assert_int_equal(bare.interrupts, interrupts[P5_CPL_KERNEL] + interrupts[P5_CPL_USER]);
}

/* ---- exceptions ---------------------------------------------------------------------------------------- */

static void keep_exception(void *context, p5_machine *machine, const p5_exception_info *x)
{
    (void)machine;
    *(p5_exception_info *)context = *x;
}

static void expect_exception(const char *code, unsigned cpl, unsigned vector, int error_code, uint32_t cr2,
                             uint32_t offset, uint64_t instructions)
{
    uint32_t entry;
    p5_exception_info got = {.size = sizeof got, .vector = 255};
    MACHINE(machine, open_code(code, cpl, &entry));
    const p5_observe_options options = {.size = sizeof options, .exception = keep_exception, .context = &got};
    observe(machine, &options);
    run(machine); /* a case has no handlers: it ends there */
    bool same = got.kind == P5_TRANSFER_FAULT && got.vector == vector && got.cpl == cpl &&
                got.has_error_code == (error_code >= 0) &&
                (error_code < 0 || got.error_code == (uint32_t)error_code) && got.cr2 == cr2 &&
                got.eip == entry + offset && got.address == got.eip && got.cs == (cpl == 3 ? 0x1b : 0x08) &&
                got.instructions == instructions;
    if (!same)
        fail_msg("%s: kind %d, vector %u, CPL %u, error code %d %x, CR2 %x, %x:%x (entry %x), behind %llu "
                 "instructions",
                 code, (int)got.kind, got.vector, got.cpl, got.has_error_code, got.error_code, got.cr2,
                 got.cs, got.eip, entry, (unsigned long long)got.instructions);
}

/* Manual, chapter on exceptions: the error code of #PF is P, W/R, U/S; of #GP the selector, or the vector
 * with IDT set; all of them are faults that push the address of the instruction. */
TEST(exceptions_are_reported)
{
    expect_exception("nop\nmov eax,[0x50000000]", 0, 14, 0, 0x50000000, 1, 1);
    expect_exception("nop\nnop\nmov [0x50000004],eax", 0, 14, 2, 0x50000004, 2, 2);
    expect_exception("mov eax,[0x50000008]", 3, 14, 4, 0x50000008, 0, 0);
    expect_exception("push 0x50000000\nret", 3, 14, 4, 0x50000000, 0x50000000 - 0x100000, 2);
    expect_exception("xor ecx,ecx\ndiv ecx", 0, 0, -1, 0, 2, 1);
    expect_exception("mov ax,0xfff8\nmov ds,ax", 0, 13, 0xfff8, 0, 4, 1);
    expect_exception("nop\nhlt", 3, 13, 0, 0, 1, 1);
    expect_exception("nop\nint3", 0, 13, 3 * 8 + 2, 0, 1, 1); /* the IDT of a case is empty */
}

/* ---- ports --------------------------------------------------------------------------------------------- */

typedef struct handler {
    uint32_t answer;
    bool takes_reads, takes_writes;
    unsigned reads, writes;
    uint32_t written;
} handler;

static bool answer_read(void *context, p5_machine *machine, uint16_t port, unsigned size, uint32_t *value)
{
    handler *h = context;
    (void)machine, (void)port, (void)size;
    h->reads++;
    if (h->takes_reads)
        *value = h->answer;
    return h->takes_reads;
}

static bool take_write(void *context, p5_machine *machine, uint16_t port, unsigned size, uint32_t value)
{
    handler *h = context;
    (void)machine, (void)port, (void)size;
    h->writes++;
    h->written = h->takes_writes ? value : h->written;
    return h->takes_writes;
}

static p5_status attach(p5_machine *machine, unsigned first, unsigned last, handler *h)
{
    p5_port_options options = {.size = sizeof options,
                               .first = (uint16_t)first,
                               .last = (uint16_t)last,
                               .read = answer_read,
                               .write = take_write,
                               .context = h};
    p5_error error = {0};
    return p5_machine_attach_ports(machine, &options, &error);
}

enum { MOST_ACCESSES = 16 };
typedef struct accesses {
    p5_port_access items[MOST_ACCESSES];
    unsigned count;
} accesses;

static void keep_access(void *context, p5_machine *machine, const p5_port_access *access)
{
    accesses *to = context;
    (void)machine;
    assert_true(to->count < MOST_ACCESSES);
    to->items[to->count++] = *access;
}

TEST(ports_are_answered_in_turn)
{
    static const char code[] = "mov dx,0x300\n" /* 4 bytes */
                               "in al,dx\n"     /* at 4: the second handler */
                               "mov dx,0x304\n" /* */
                               "in eax,dx\n"    /* at 9: the first */
                               "mov dx,0x300\n" /* */
                               "out dx,al\n"    /* at 14: the second leaves it to the first */
                               "mov dx,0x310\n" /* */
                               "in ax,dx\n"     /* at 19, 2 bytes: no handler */
                               "mov al,0x5a\n"  /* */
                               "out 0x80,al\n"  /* at 23: the board's */
                               "in al,0x80\n";  /* at 25 */
    static const struct {
        uint16_t port;
        uint8_t bytes;
        bool write, handled;
        uint32_t value, offset;
        uint64_t instructions;
    } expected[] = {{0x300, 1, false, true, 0x9a, 4, 1}, {0x304, 4, false, true, 0x12345678, 9, 3},
                    {0x300, 1, true, true, 0x78, 14, 5}, {0x310, 2, false, false, 0xffff, 19, 7},
                    {0x80, 1, true, false, 0x5a, 23, 9}, {0x80, 1, false, false, 0x5a, 25, 10}};
    enum { EXPECTED = sizeof expected / sizeof expected[0] };
    handler first = {.answer = 0x12345678, .takes_reads = true, .takes_writes = true};
    handler second = {.answer = 0x56789a, .takes_reads = true}; /* IN of a byte takes the lowest */
    accesses seen = {0};
    uint32_t entry;
    MACHINE(machine, open_code(code, 0, &entry));
    const p5_observe_options options = {.size = sizeof options, .port = keep_access, .context = &seen};
    observe(machine, &options);
    assert_int_equal(attach(machine, 0x300, 0x30f, &first), P5_OK);
    assert_int_equal(attach(machine, 0x300, 0x300, &second), P5_OK);
    assert_int_equal(attach(machine, 2, 1, &second), P5_ERR_RANGE);
    assert_int_equal(run(machine), P5_END_EXIT);
    assert_int_equal(seen.count, EXPECTED);
    for (unsigned i = 0; i < EXPECTED; i++) {
        const p5_port_access *got = &seen.items[i];
        if (got->port != expected[i].port || got->bytes != expected[i].bytes ||
            got->write != expected[i].write || got->handled != expected[i].handled ||
            got->value != expected[i].value || got->address != entry + expected[i].offset ||
            got->instructions != expected[i].instructions || got->cpl != 0)
            fail_msg("access %u: port %x, %u bytes, write %d, handled %d, value %x, at %x, behind %llu", i,
                     got->port, got->bytes, got->write, got->handled, got->value, got->address - entry,
                     (unsigned long long)got->instructions);
    }
    assert_int_equal(first.reads, 1);
    assert_int_equal(first.writes, 1);
    assert_int_equal(first.written, 0x78);
    assert_int_equal(second.reads, 1);
    assert_int_equal(second.writes, 1);
}

/* ---- events -------------------------------------------------------------------------------------------- */

enum { MOST_TOLD = 20000, WATCHES = 5, SOME_INSTRUCTIONS = 150000 };
typedef struct reported {
    p5_observation items[MOST_TOLD];
    size_t count;
} reported;

static const p5_event_watch watches[WATCHES] = {
    {.size = sizeof(p5_event_watch), .event = P5_EVENT_DATA_READ_MISS, .every = 100},
    {.size = sizeof(p5_event_watch), .event = P5_EVENT_BRANCHES, .every = 997, .cpl_mask = P5_CPL_MASK_USER},
    {.size = sizeof(p5_event_watch), .event = P5_EVENT_PIPELINE_AGI_STALLS, .every = 5000, .asserted = true},
    {.size = sizeof(p5_event_watch), .event = P5_EVENT_DATA_TLB_MISS, .every = 1},
    {.size = sizeof(p5_event_watch), .event = P5_EVENT_HARDWARE_INTERRUPTS, .every = 3},
};

static void keep_event(void *context, p5_machine *machine, const p5_observation *at)
{
    reported *to = context;
    (void)machine;
    assert_int_equal(at->kind, P5_OBSERVE_EVENT);
    if (to->count < MOST_TOLD)
        to->items[to->count++] = *at;
}

typedef struct looker {
    const reported *expected;
    size_t next;
    uint64_t goal[WATCHES];
} looker;

/* At every boundary, also between two parts of a REP string: which goals have been reached is derived from
 * the totals alone. */
static void look(void *context, p5_machine *machine, const p5_observation *at)
{
    looker *l = context;
    p5_counts now;
    p5_machine_counts(machine, &now);
    for (unsigned i = 0; i < WATCHES && l->next < l->expected->count; i++) {
        const p5_event_watch *w = &watches[i];
        const uint64_t *row = w->asserted ? now.asserted[w->event] : now.increments[w->event];
        uint64_t total = p5_counts_sum(row, w->cpl_mask != 0 ? w->cpl_mask : P5_CPL_MASK_ALL);
        if (total < l->goal[i])
            continue;
        l->goal[i] = (total / w->every + 1) * w->every;
        const p5_observation *e = &l->expected->items[l->next++];
        if (e->number != i || e->value != total || e->clock != at->clock ||
            e->instructions != at->instructions || e->address != at->address)
            fail_msg("event %u came to %llu at clock %llu, instruction %llu; reported: event %u, %llu, clock "
                     "%llu, instruction %llu",
                     i, (unsigned long long)total, (unsigned long long)at->clock,
                     (unsigned long long)at->instructions, e->number, (unsigned long long)e->value,
                     (unsigned long long)e->clock, (unsigned long long)e->instructions);
    }
}

static void check_events(const char *guest, const char *argument)
{
    reported *seen = test_calloc(1, sizeof *seen);
    MACHINE(machine, open_guest(guest, argument, "p55c-200"));
    const p5_observe_options options = {.size = sizeof options,
                                        .events = watches,
                                        .event_count = WATCHES,
                                        .observed = keep_event,
                                        .context = seen};
    observe(machine, &options);
    run_some(machine, SOME_INSTRUCTIONS);
    p5_counts totals, alone;
    p5_machine_counts(machine, &totals);
    assert_true(seen->count > 0);

    looker l = {.expected = seen};
    for (unsigned i = 0; i < WATCHES; i++)
        l.goal[i] = watches[i].every;
    MACHINE(again, open_guest(guest, argument, "p55c-200"));
    const p5_observe_options every = {
        .size = sizeof every, .every_clocks = 1, .every_instructions = 1, .observed = look, .context = &l};
    observe(again, &every);
    run_some(again, SOME_INSTRUCTIONS);
    p5_machine_counts(again, &alone);
    assert_int_equal(l.next, seen->count);
    assert_memory_equal(&totals, &alone, sizeof totals);
    test_free(seen);
}

TEST(events_are_told_where_they_come)
{
    check_events("quicksort", "1");
    check_events("walk1m", "1");
    check_events("timer.elf", NULL);
}

/* ---- several observers, and what callbacks call -------------------------------------------------------- */

typedef struct party {
    p5_observer *observer[2];
    char log[64];
    size_t size;
} party;

typedef struct member {
    party *party;
    unsigned number;
    unsigned calls;
} member;

static void take_turns(void *context, p5_machine *machine, const p5_observation *at)
{
    member *m = context;
    party *p = m->party;
    (void)machine, (void)at;
    assert_true(p->size + 1 < sizeof p->log);
    p->log[p->size++] = (char)('a' + m->number);
    m->calls++;
    if (m->number == 0 && m->calls == 3)
        p5_observer_close(p->observer[0]); /* itself */
    if (m->number == 1 && m->calls == 5)
        p5_observer_every(p->observer[1], 0, 0);
}

/* Both members observe `machine`, each after so many instructions. */
static void join(p5_machine *machine, party *p, member members[2], const uint64_t every[2],
                 void (*observed)(void *context, p5_machine *machine, const p5_observation *at))
{
    for (unsigned i = 0; i < 2; i++) {
        members[i] = (member){p, i, 0};
        const p5_observe_options options = {.size = sizeof options,
                                            .every_instructions = every[i],
                                            .observed = observed,
                                            .context = &members[i]};
        p->observer[i] = observe(machine, &options);
    }
}

TEST(observers_take_turns)
{
    party p = {0};
    member members[2];
    MACHINE(machine, open_guest("quicksort", "1", "p55c-200"));
    join(machine, &p, members, (const uint64_t[]){20000, 10000}, take_turns);
    assert_int_equal(run(machine), P5_END_EXIT);
    assert_string_equal(p.log, "babbabba"); /* both at 20000, 40000 and 60000, in order of opening */
    p5_observer_close(p.observer[1]);
    p5_observer_close(NULL);
}

/* The first observer closes the second at a boundary at which both are due. */
static void close_the_other(void *context, p5_machine *machine, const p5_observation *at)
{
    member *m = context;
    (void)machine, (void)at;
    m->calls++;
    p5_observer_close(m->party->observer[1]);
    m->party->observer[1] = NULL;
}

TEST(a_closed_observer_is_not_called)
{
    party p = {0};
    member members[2];
    MACHINE(machine, open_guest("quicksort", "1", "p55c-200"));
    join(machine, &p, members, (const uint64_t[]){10000, 10000}, close_the_other);
    assert_int_equal(run(machine), P5_END_EXIT);
    assert_true(members[0].calls > 1);
    assert_int_equal(members[1].calls, 0);
}

static void close_itself(void *context, p5_machine *machine, const p5_observation *at)
{
    p5_observer **observer = context;
    (void)machine, (void)at;
    p5_observer_close(*observer);
    *observer = NULL;
}

/* An observer of a function closes itself at the entry. After the run, nothing observes the machine. */
TEST(a_run_ends_with_no_closed_observer)
{
    uint32_t entry;
    p5_observer *observer = NULL;
    MACHINE(machine, open_code("again: inc eax\njmp again", 0, &entry));
    const p5_observe_options options = {.size = sizeof options,
                                        .addresses = &entry,
                                        .address_count = 1,
                                        .observed = close_itself,
                                        .context = &observer};
    p5_run_result result = {.size = sizeof result};
    p5_error error = {0};
    observer = observe(machine, &options);
    assert_int_equal(p5_machine_run_gdb(machine, "/no/such/folder", NULL, &result, &error), P5_ERR_STATE);
    assert_int_equal(run_some(machine, 100), P5_END_INSTRUCTIONS);
    assert_null(observer);
    assert_int_equal(p5_machine_run_gdb(machine, "/no/such/folder", NULL, &result, &error), P5_ERR_IO);
}

static void try_everything(void *context, p5_machine *machine, const p5_observation *at)
{
    unsigned *calls = context;
    (void)at;
    if ((*calls)++ > 0)
        return;
    p5_error error = {0};
    p5_run_result result = {.size = sizeof result};
    const char *arguments[] = {"hello", NULL}, *environment[] = {NULL};
    char path[1000];
    snprintf(path, sizeof path, "%s/hello", guests);
    const p5_observe_options options = {.size = sizeof options, .every_clocks = 1000};
    p5_observer *observer;
    assert_int_equal(p5_machine_run(machine, NULL, &result, &error), P5_ERR_STATE);
    assert_int_equal(p5_machine_observe(machine, &options, &observer, &error), P5_ERR_STATE);
    assert_null(observer);
    assert_int_equal(attach(machine, 0x300, 0x300, NULL), P5_ERR_STATE);
    assert_int_equal(p5_machine_load_linux(machine, path, arguments, environment, &error), P5_ERR_STATE);
    assert_int_equal(p5_machine_run_gdb(machine, "1", NULL, &result, &error), P5_ERR_STATE);
    p5_machine_close(machine); /* when the run has ended */
}

TEST(callbacks_cannot_run_the_machine)
{
    unsigned calls = 0;
    p5_machine *machine = open_guest("quicksort", "1", "p55c-200");
    const p5_observe_options options = {
        .size = sizeof options, .every_instructions = 10000, .observed = try_everything, .context = &calls};
    observe(machine, &options);
    assert_int_equal(run(machine), P5_END_STOPPED); /* and the machine is closed */
    assert_true(calls >= 1);
}

TEST(options_are_checked)
{
    p5_error error = {0};
    uint32_t addresses[P5_OBSERVE_ADDRESSES] = {0x1000};
    p5_observer *observer;
    p5_machine *machine = open_machine("p55c-200");
    p5_observe_options options = {.size = sizeof options};
    assert_int_equal(p5_machine_observe(machine, &options, &observer, &error), P5_ERR_STATE); /* no guest */
    p5_machine_close(machine);
    machine = open_guest("hello", NULL, "p55c-200");
    options.size = 0;
    assert_int_equal(p5_machine_observe(machine, &options, &observer, &error), P5_ERR_STATE);
    options.size = sizeof options;
    p5_event_watch bad[] = {
        {.size = sizeof(p5_event_watch), .event = (enum p5_event)P5_EVENT_COUNT, .every = 1},
        {.size = sizeof(p5_event_watch), .event = P5_EVENT_BRANCHES, .every = 0},
        {.size = sizeof(p5_event_watch),
         .event = P5_EVENT_BRANCHES,
         .every = 1,
         .cpl_mask = P5_CPL_MASK_ALL + 1}};
    options.event_count = 1;
    for (unsigned i = 0; i < 3; i++) {
        options.events = &bad[i];
        assert_int_equal(p5_machine_observe(machine, &options, &observer, &error), P5_ERR_RANGE);
    }
    options.event_count = 0;
    options.addresses = addresses;
    options.address_count = P5_OBSERVE_ADDRESSES;
    assert_int_equal(p5_machine_observe(machine, &options, NULL, &error), P5_OK);
    options.address_count = 1;
    assert_int_equal(p5_machine_observe(machine, &options, &observer, &error), P5_ERR_RANGE);
    assert_int_equal(run(machine), P5_END_EXIT);
    p5_machine_close(machine);
}
