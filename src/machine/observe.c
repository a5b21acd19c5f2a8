/* Observation of a run (include/p5scope/observe.h).
 *
 * Nothing here stops the engine: execution does not depend on who looks. What must be exact is how far the
 * core model has come when somebody looks, so a stretch in which a goal falls is priced in parts. Pricing in
 * parts gives the same bits as in one go (tests/property/test_split.c). A goal in instructions says where to
 * part. For a goal in clocks the stretch is priced instruction by instruction as soon as it could reach it.
 */
#include "machine/observe.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "core/block.h"
#include "core/bound.h"
#include "core/model.h"
#include "machine/pins.h"
#include "machine/state.h"

enum { MOST_FRAMES = 65536 };
enum {
    WATCH_PER_CLOCK = 4, /* no event is counted more often in a clock */
    WATCH_AHEAD = 256    /* the memory side counts for instructions before they enter EX */
};

/* A watched function that has been entered and not left. */
typedef struct frame {
    uint32_t number;         /* index in addresses */
    uint32_t return_address; /* linear */
    uint32_t esp;            /* at its entry */
    uint8_t cpl;
} frame;

/* An event that is followed. */
typedef struct watch {
    p5_event_watch what;
    uint64_t goal;       /* total at which it is told next */
    uint64_t look_clock; /* the total cannot come there before this clock */
} watch;

struct p5_observer {
    p5_machine *machine;
    p5_observer *next;
    p5_observe_options options; /* all zero when it has been closed */
    p5_point *points;
    uint32_t *addresses;
    watch *watches;
    uint64_t next_clock, next_instruction; /* nearest goals */
    uint64_t interval_clock, interval_instruction;
    uint64_t stretch_clock;    /* behind the stretch told last */
    p5_counts *stretch_before; /* ... and the totals; NULL: not wanted */
    /* Arrival at a watched address; it is an entry when its first instruction completes. */
    bool arrived;
    frame arrival;
    ARRAY_OF(frame) frames;
};

struct observers {
    p5_observer *first;
    uint64_t next_clock, next_instruction; /* nearest of all */
    uint32_t *cuts;                        /* the addresses of all, ascending */
    size_t cut_count;
    bound most;       /* what a stretch can take */
    bool resumed;     /* the last stretch was an interrupted REP string: it goes on at the same address */
    bool some_closed; /* observers_sweep has something to do */
};

const char *p5_observation_name(p5_observation_kind kind)
{
    static const char *const names[P5_OBSERVE_KINDS] = {"interval", "point", "entry", "exit",  "begin",
                                                        "end",      "rdpmc", "rdmsr", "wrmsr", "event"};
    return names[kind];
}

/* ---- goals --------------------------------------------------------------------------------------------- */

/* The first multiple of `every` above `from`. */
static uint64_t next_multiple(uint64_t every, uint64_t from)
{
    if (every == 0)
        return UINT64_MAX;
    uint64_t whole = from / every;
    return whole >= UINT64_MAX / every ? UINT64_MAX : (whole + 1) * every;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void set_own_goals(p5_observer *o)
{
    o->next_clock = o->interval_clock;
    o->next_instruction = o->interval_instruction;
    for (size_t i = 0; i < o->options.point_count; i++) {
        const p5_point *point = &o->points[i];
        uint64_t *goal = point->instruction ? &o->next_instruction : &o->next_clock;
        *goal = lesser(*goal, point->at);
    }
    for (size_t i = 0; i < o->options.event_count; i++)
        o->next_clock = lesser(o->next_clock, o->watches[i].look_clock);
}

static void set_calm(const observers *all, p5_machine *machine)
{
    enum { MOST_BYTES = 15 * CALM_INSTRUCTIONS };
    machine->calm = (observe_calm){0};
    bool wanted = all->cut_count > 0 || all->some_closed;
    for (const p5_observer *o = all->first; o != NULL; o = o->next)
        wanted |= o->options.retired != NULL || o->arrived || o->frames.count > 0;
    uint64_t clocks = bound_blind(&all->most, CALM_CLOCKS, CALM_REFERENCES, MOST_BYTES);
    if (wanted || all->next_clock <= clocks || all->next_instruction <= CALM_INSTRUCTIONS)
        return;
    machine->calm = (observe_calm){all->next_clock - clocks, all->next_instruction - CALM_INSTRUCTIONS};
}

/* Whenever a goal or an observer changes. */
static void set_goals(observers *all, p5_machine *machine)
{
    all->next_clock = all->next_instruction = UINT64_MAX;
    for (const p5_observer *o = all->first; o != NULL; o = o->next) {
        all->next_clock = lesser(all->next_clock, o->next_clock);
        all->next_instruction = lesser(all->next_instruction, o->next_instruction);
    }
    set_calm(all, machine);
}

static void set_intervals(p5_observer *o)
{
    o->interval_clock = next_multiple(o->options.every_clocks, p5_machine_clock(o->machine));
    o->interval_instruction = next_multiple(o->options.every_instructions, o->machine->instructions);
}

static uint64_t watched_total(const p5_observer *o, const watch *w)
{
    unsigned cpl_mask = w->what.cpl_mask != 0 ? w->what.cpl_mask : 3;
    return p5_core_event_total(o->machine->core, w->what.event, cpl_mask, w->what.asserted);
}

/* The goal behind `total`, and from when on it can be reached. */
static void set_watch(watch *w, uint64_t total, uint64_t clock)
{
    if (total >= w->goal)
        w->goal = next_multiple(w->what.every, total);
    uint64_t left = w->goal - total;
    w->look_clock = clock + (left > WATCH_AHEAD ? (left - WATCH_AHEAD) / WATCH_PER_CLOCK : 0);
}

/* ---- telling ------------------------------------------------------------------------------------------- */

static void tell(p5_observer *o, p5_observation_kind kind, uint32_t address, unsigned cpl, uint32_t number,
                 uint64_t value)
{
    if (o->options.observed == NULL)
        return;
    p5_machine *machine = o->machine;
    p5_observation observation = {.kind = kind,
                                  .cpl = (uint8_t)cpl,
                                  .address = address,
                                  .clock = p5_machine_clock(machine),
                                  .instructions = machine->instructions,
                                  .number = number,
                                  .value = value};
    o->options.observed(o->options.context, machine, &observation);
}

static void tell_points(p5_observer *o, uint64_t clock, uint32_t address, unsigned cpl)
{
    for (size_t i = 0; i < o->options.point_count; i++) {
        p5_point *point = &o->points[i];
        if ((point->instruction ? o->machine->instructions : clock) < point->at)
            continue;
        point->at = UINT64_MAX;
        tell(o, P5_OBSERVE_POINT, address, cpl, (uint32_t)i, 0);
    }
}

static void tell_events(p5_observer *o, uint64_t clock, uint32_t address, unsigned cpl)
{
    for (size_t i = 0; i < o->options.event_count; i++) {
        watch *w = &o->watches[i];
        if (clock < w->look_clock)
            continue;
        uint64_t total = watched_total(o, w);
        bool reached = total >= w->goal;
        set_watch(w, total, clock);
        if (reached)
            tell(o, P5_OBSERVE_EVENT, address, cpl, (uint32_t)i, total);
    }
}

/* Tells of all goals that have been reached at this boundary. */
static void tell_goals(p5_machine *machine, uint32_t address, unsigned cpl)
{
    observers *all = machine->observers;
    uint64_t clock = p5_machine_clock(machine), instructions = machine->instructions;
    if (clock < all->next_clock && instructions < all->next_instruction)
        return;
    for (p5_observer *o = all->first; o != NULL; o = o->next) {
        if (clock < o->next_clock && instructions < o->next_instruction)
            continue;
        tell_points(o, clock, address, cpl);
        tell_events(o, clock, address, cpl);
        if (clock >= o->interval_clock || instructions >= o->interval_instruction) {
            set_intervals(o); /* before: the callback may change them */
            tell(o, P5_OBSERVE_INTERVAL, address, cpl, 0, 0);
        }
        set_own_goals(o);
    }
    set_goals(all, machine);
}

static void tell_stretch(p5_machine *machine, const p5_retired *r)
{
    const op *first = &r->block->ops[r->first], *last = first + r->count - 1;
    p5_stretch stretch = {.address = first->address,
                          .next = r->next,
                          .bytes = last->address + last->length - first->address,
                          .instructions = (uint32_t)r->count - r->interrupted,
                          .repeats = r->repeats,
                          .cpl = r->cpl,
                          .clock = p5_machine_clock(machine)};
    for (p5_observer *o = machine->observers->first; o != NULL; o = o->next) {
        if (o->options.retired == NULL)
            continue;
        p5_counts now, gained;
        stretch.clocks = stretch.clock - o->stretch_clock;
        stretch.counts = NULL;
        o->stretch_clock = stretch.clock;
        if (o->stretch_before != NULL) {
            p5_machine_counts(machine, &now);
            gained = now;
            p5_counts_subtract(&gained, o->stretch_before);
            *o->stretch_before = now;
            stretch.counts = &gained;
        }
        o->options.retired(o->options.context, machine, &stretch);
    }
}

/* ---- functions ----------------------------------------------------------------------------------------- */

static bool is_cut(const observers *all, uint32_t address)
{
    size_t low = 0, high = all->cut_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (all->cuts[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < all->cut_count && all->cuts[low] == address;
}

static int find_address(const p5_observer *o, uint32_t address)
{
    for (size_t i = 0; i < o->options.address_count; i++)
        if (o->addresses[i] == address)
            return (int)i;
    return -1;
}

static uint32_t stack_linear(const engine *e, uint32_t esp)
{
    engine_segment stack;
    engine_get_segment(e, ENGINE_SS, &stack);
    bool wide = (stack.flags >> 22 & 1) != 0; /* the B bit */
    return stack.base + (wide ? esp : esp & 0xffff);
}

/* Control has come to `next`: if it is a watched address, remembers the frame. `skip` bytes lie on the stack
 * above the return address. */
static void arrive(p5_machine *machine, uint32_t next, unsigned cpl, uint32_t skip)
{
    bool cut = is_cut(machine->observers, next);
    engine *e = machine->engine;
    for (p5_observer *o = machine->observers->first; o != NULL; o = o->next) {
        int number = cut ? find_address(o, next) : -1;
        o->arrived = number >= 0;
        if (!o->arrived)
            continue;
        engine_segment code;
        engine_get_segment(e, ENGINE_CS, &code);
        o->arrival =
            (frame){.number = (uint32_t)number, .esp = engine_get(e, ENGINE_ESP), .cpl = (uint8_t)cpl};
        uint32_t offset = 0;
        engine_read_linear(e, stack_linear(e, o->arrival.esp + skip), &offset, 4);
        o->arrival.return_address = code.base + offset;
    }
}

/* The first instruction of a stretch at a watched address has completed, and is not yet priced. */
static void enter(p5_observer *o, const p5_retired *r, uint32_t address)
{
    o->arrived = false;
    if (o->arrival.number >= o->options.address_count || o->addresses[o->arrival.number] != address)
        return;
    tell(o, P5_OBSERVE_ENTRY, address, r->cpl, o->arrival.number, 0);
    bool open = o->machine != NULL; /* the callback may have closed it */
    if (open && o->frames.count < MOST_FRAMES && ARRAY_ROOM(&o->frames))
        o->frames.items[o->frames.count++] = o->arrival;
}

static bool may_return(unsigned branch)
{
    return branch == ISA_RET || branch == ISA_IRET || branch == ISA_FAR || branch == ISA_JMP_INDIRECT;
}

/* A return to `next` has been priced. It leaves the innermost frame that was to return there, and those
 * above it, which have been left in another way (longjmp). */
static void leave(p5_observer *o, uint32_t next, unsigned cpl)
{
    uint32_t esp = engine_get(o->machine->engine, ENGINE_ESP);
    size_t left = o->frames.count;
    for (;;) {
        if (left == 0)
            return;
        const frame *f = &o->frames.items[--left];
        if (f->cpl == cpl && f->esp >= esp)
            return; /* this one is still on the stack */
        if (f->return_address == next)
            break;
    }
    while (o->frames.count > left) {
        uint32_t number = o->frames.items[--o->frames.count].number;
        tell(o, P5_OBSERVE_EXIT, next, cpl, number, 0);
    }
}

/* ---- stretches ----------------------------------------------------------------------------------------- */

/* The part of `r` that is the `count` instructions from `i` on, whose accesses and values begin at the given
 * places. */
static p5_retired part_of(const p5_retired *r, unsigned i, unsigned count, const p5_access *accesses,
                          const p5_value *values)
{
    unsigned end = i + count;
    bool last = end == (unsigned)r->first + r->count;
    uint32_t accesses_left = r->access_count - (uint32_t)(accesses - r->accesses);
    uint32_t values_left = r->value_count - (uint32_t)(values - r->values);
    uint32_t fixed = 0, valued = 0;
    bool unsafe = false;
    for (unsigned n = i; n < end; n++) {
        fixed += r->block->ops[n].accesses;
        valued += r->block->ops[n].value != ISA_VALUE_NONE;
        unsafe |= r->unsafe_x87 && r->unsafe_mask != NULL && r->unsafe_mask[n - r->first] != 0;
    }
    p5_retired part = *r;
    part.first = (uint16_t)i;
    part.count = (uint16_t)count;
    part.accesses = accesses;
    part.access_count = last || fixed > accesses_left ? accesses_left : fixed;
    part.values = values;
    part.value_count = valued < values_left ? valued : values_left;
    part.unsafe_x87 = unsafe;
    if (r->unsafe_mask != NULL)
        part.unsafe_mask = r->unsafe_mask + (i - r->first);
    if (!last) {
        const op *o = &r->block->ops[end - 1];
        part.next = o->address + o->length;
        part.repeats = 0;
        part.cpl_after = r->cpl;
        part.interrupted = part.descriptor = false;
    }
    return part;
}

/* How many instructions from `i` on cannot reach a goal before the last of them; at least one. */
static unsigned safe_count(const p5_machine *machine, const p5_retired *r, unsigned i)
{
    const observers *o = machine->observers;
    unsigned end = (unsigned)r->first + r->count, count = 1;
    uint64_t left = o->next_instruction - machine->instructions;
    uint64_t clock = p5_machine_clock(machine), most = r->block->ops[i].most_clocks;
    uint32_t references = r->block->ops[i].accesses;
    unsigned bytes = r->block->ops[i].length;
    while (i + count < end && count < left) {
        const op *next = &r->block->ops[i + count];
        most += next->most_clocks;
        references += i + count + 1 == end ? r->access_count : next->accesses;
        bytes += next->length;
        if (clock + bound_blind(&o->most, most, references, bytes) >= o->next_clock)
            break;
        count++;
    }
    return count;
}

/* Prices in parts, and looks at the goals behind each. */
static void retire_in_parts(p5_machine *machine, const p5_retired *r)
{
    const p5_access *accesses = r->accesses;
    const p5_value *values = r->values;
    for (unsigned i = r->first; i < (unsigned)r->first + r->count;) {
        unsigned count = safe_count(machine, r, i);
        p5_retired part = part_of(r, i, count, accesses, values);
        accesses += part.access_count;
        values += part.value_count;
        i += count;
        machine->instructions += count - part.interrupted;
        p5_core_retire(machine->core, &part);
        tell_goals(machine, part.next, part.cpl_after);
    }
}

/* The next goal in clocks may lie in the stretch. */
static bool is_near(const p5_machine *machine, const p5_retired *r)
{
    const observers *all = machine->observers;
    uint64_t clock = p5_machine_clock(machine);
    return clock + bound_blind(&all->most, r->block->most_clocks, r->access_count, r->block->code->size) >=
               all->next_clock &&
           clock + bound_clocks(machine->core, &all->most, r) >= all->next_clock;
}

void observers_retired(p5_machine *machine, const p5_retired *r)
{
    observers *all = machine->observers;
    uint32_t address = r->block->ops[r->first].address;
    for (p5_observer *o = all->first; o != NULL; o = o->next)
        if (o->arrived && !all->resumed)
            enter(o, r, address);
    uint64_t instructions = machine->instructions + r->count - r->interrupted;
    bool clock_near = is_near(machine, r);
    if (r->count > 1 && (clock_near || instructions > all->next_instruction)) {
        retire_in_parts(machine, r);
    } else {
        machine->instructions = instructions;
        p5_core_retire(machine->core, r);
        tell_goals(machine, r->next, r->cpl_after);
    }
    all->resumed = r->interrupted;
    tell_stretch(machine, r);
    bool returns = may_return(r->block->ops[r->first + r->count - 1].branch);
    for (p5_observer *o = all->first; o != NULL; o = o->next)
        if (o->frames.count > 0 && returns)
            leave(o, r->next, r->cpl_after);
    if (all->cut_count > 0)
        arrive(machine, r->next, r->cpl_after, 0);
    if (all->some_closed)
        observers_sweep(machine);
}

static bool has_error_code(const p5_exception *x)
{
    return x->kind == P5_TRANSFER_FAULT &&
           (x->vector == 8 || (x->vector >= 10 && x->vector <= 14) || x->vector == 17);
}

void observers_delivered(p5_machine *machine, const p5_exception *x)
{
    observers *all = machine->observers;
    tell_goals(machine, x->handler, x->cpl_after);
    all->resumed = false;
    if (all->cut_count > 0)
        arrive(machine, x->handler, x->cpl_after, has_error_code(x) ? 4 : 0);
}

static uint32_t linear_eip(const engine *e)
{
    engine_segment code;
    engine_get_segment(e, ENGINE_CS, &code);
    return code.base + engine_get(e, ENGINE_EIP);
}

void observers_halted(p5_machine *machine)
{
    tell_goals(machine, linear_eip(machine->engine), engine_cpl(machine->engine));
}

void observers_marker(p5_machine *machine, bool end, uint32_t id)
{
    for (p5_observer *o = machine->observers->first; o != NULL; o = o->next)
        if (o->options.markers)
            tell(o, end ? P5_OBSERVE_END : P5_OBSERVE_BEGIN, linear_eip(machine->engine),
                 engine_cpl(machine->engine), id, 0);
}

void observers_pmu(p5_machine *machine, p5_observation_kind kind, uint32_t ecx, uint64_t value)
{
    if (kind != P5_OBSERVE_RDPMC && (ecx < P5_MSR_TSC || ecx > P5_MSR_CTR1))
        return;
    for (p5_observer *o = machine->observers->first; o != NULL; o = o->next)
        if (o->options.pmu)
            tell(o, kind, linear_eip(machine->engine), engine_cpl(machine->engine), ecx, value);
}

void observers_exception(p5_machine *machine, const engine_event *event)
{
    engine_segment code;
    engine_get_segment(machine->engine, ENGINE_CS, &code);
    bool page_fault = event->kind == P5_TRANSFER_FAULT && event->vector == 14;
    p5_exception_info x = {.kind = event->kind,
                           .vector = event->vector,
                           .cpl = (uint8_t)engine_cpl(machine->engine),
                           .has_error_code = event->has_error_code,
                           .error_code = event->has_error_code ? event->error_code : 0,
                           .cr2 = page_fault ? event->fault_address : 0,
                           .cs = code.selector,
                           .eip = event->eip,
                           .address = code.base + event->eip,
                           .clock = p5_machine_clock(machine),
                           .instructions = machine->instructions};
    for (p5_observer *o = machine->observers->first; o != NULL; o = o->next)
        if (o->options.exception != NULL)
            o->options.exception(o->options.context, machine, &x);
}

void observers_port(p5_machine *machine, p5_port_access access)
{
    access.cpl = (uint8_t)engine_cpl(machine->engine);
    access.address = linear_eip(machine->engine);
    access.clock = p5_machine_clock(machine);
    access.instructions = machine->instructions;
    for (p5_observer *o = machine->observers->first; o != NULL; o = o->next)
        if (o->options.port != NULL)
            o->options.port(o->options.context, machine, &access);
}

bool observers_want_pins(const p5_machine *machine)
{
    const p5_observer *o = machine->observers != NULL ? machine->observers->first : NULL;
    while (o != NULL && o->options.pin == NULL)
        o = o->next;
    return o != NULL;
}

void observers_pin(p5_machine *machine, p5_pin pin, bool level, uint64_t clock)
{
    for (p5_observer *o = machine->observers->first; o != NULL; o = o->next)
        if (o->options.pin != NULL)
            o->options.pin(o->options.context, machine, pin, level, clock);
}

/* ---- opening and closing ------------------------------------------------------------------------------- */

static void free_observer(p5_observer *o)
{
    free(o->points);
    free(o->addresses);
    free(o->watches);
    free(o->stretch_before);
    free(o->frames.items);
    free(o);
}

void observers_free(p5_machine *machine)
{
    observers *all = machine->observers;
    if (all == NULL)
        return;
    for (p5_observer *o = all->first, *next; o != NULL; o = next) {
        next = o->next;
        free_observer(o);
    }
    free(all->cuts);
    free(all);
    machine->observers = NULL;
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void *copy_of(const void *items, size_t count, size_t size)
{
    void *copy = malloc(count * size + 1);
    if (copy != NULL && count > 0)
        memcpy(copy, items, count * size);
    return copy;
}

/* The addresses of all observers begin stretches. Between runs. */
static p5_status set_cuts(p5_machine *machine, p5_error *error)
{
    observers *all = machine->observers;
    size_t count = 0;
    for (const p5_observer *o = all->first; o != NULL; o = o->next)
        count += o->options.address_count;
    if (count > P5_OBSERVE_ADDRESSES)
        return error_set(error, P5_ERR_RANGE, "more than %d addresses", P5_OBSERVE_ADDRESSES);
    uint32_t *cuts = malloc((count + 1) * sizeof *cuts);
    if (cuts == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for an observation");
    count = 0;
    for (const p5_observer *o = all->first; o != NULL; o = o->next)
        for (size_t i = 0; i < o->options.address_count; i++)
            cuts[count++] = o->addresses[i];
    qsort(cuts, count, sizeof *cuts, ascending);
    engine_set_cuts(machine->engine, cuts, count);
    free(all->cuts);
    all->cuts = cuts;
    all->cut_count = count;
    return P5_OK;
}

void observers_sweep(p5_machine *machine)
{
    observers *all = machine->observers;
    if (all == NULL || !all->some_closed)
        return;
    for (p5_observer **at = &all->first; *at != NULL;) {
        p5_observer *o = *at;
        if (o->machine != NULL) {
            at = &o->next;
            continue;
        }
        *at = o->next;
        free_observer(o);
    }
    all->some_closed = false;
    set_goals(all, machine);
    if (!machine->running)
        set_cuts(machine, NULL); /* without memory the old ones stay, which nobody asks for */
    if (all->first == NULL && all->cut_count == 0)
        observers_free(machine);
    pins_open(machine);
}

static p5_status check_options(const p5_machine *machine, const p5_observe_options *options, p5_error *error)
{
    if (options->size != sizeof *options)
        return error_set(error, P5_ERR_STATE, "p5_observe_options.size is %zu, this library expects %zu",
                         options->size, sizeof *options);
    if (machine->engine == NULL)
        return error_set(error, P5_ERR_STATE, "nothing is loaded that could be observed");
    if (machine->running)
        return error_set(error, P5_ERR_STATE, "an observation begins between runs, not in a callback of one");
    for (size_t i = 0; i < options->event_count; i++) {
        const p5_event_watch *w = &options->events[i];
        if ((unsigned)w->event >= P5_EVENT_COUNT || w->cpl_mask > 3 || w->every == 0)
            return error_set(error, P5_ERR_RANGE,
                             "event %zu of the observation: an event, CPL mask 0 to 3, every 1 or more", i);
    }
    return P5_OK;
}

static p5_observer *make_observer(p5_machine *machine, const p5_observe_options *options)
{
    p5_observer *o = calloc(1, sizeof *o);
    if (o == NULL)
        return NULL;
    o->machine = machine;
    o->options = *options;
    o->points = copy_of(options->points, options->point_count, sizeof *o->points);
    o->addresses = copy_of(options->addresses, options->address_count, sizeof *o->addresses);
    o->watches = calloc(options->event_count + 1, sizeof *o->watches);
    bool counts = options->retired != NULL && options->stretch_counts;
    o->stretch_before = counts ? malloc(sizeof *o->stretch_before) : NULL;
    if (o->points == NULL || o->addresses == NULL || o->watches == NULL ||
        (counts && o->stretch_before == NULL)) {
        free_observer(o);
        return NULL;
    }
    uint64_t clock = o->stretch_clock = p5_machine_clock(machine);
    if (counts)
        p5_machine_counts(machine, o->stretch_before);
    for (size_t i = 0; i < options->event_count; i++) {
        o->watches[i].what = options->events[i];
        set_watch(&o->watches[i], watched_total(o, &o->watches[i]), clock);
    }
    set_intervals(o);
    set_own_goals(o);
    return o;
}

p5_status p5_machine_observe(p5_machine *machine, const p5_observe_options *options, p5_observer **observer,
                             p5_error *error)
{
    if (observer != NULL)
        *observer = NULL;
    p5_status status = check_options(machine, options, error);
    if (status != P5_OK)
        return status;
    if (machine->observers == NULL)
        machine->observers = calloc(1, sizeof *machine->observers);
    observers *all = machine->observers;
    p5_observer *o = all != NULL ? make_observer(machine, options) : NULL;
    if (o == NULL && all != NULL && all->first == NULL)
        observers_free(machine);
    if (o == NULL)
        return error_set(error, P5_ERR_MEMORY, "no memory for an observation");
    p5_observer **last = &all->first;
    while (*last != NULL)
        last = &(*last)->next;
    *last = o;
    status = set_cuts(machine, error);
    if (status != P5_OK) {
        p5_observer_close(o);
        return status;
    }
    all->most = bound_of_model(machine->model);
    set_goals(all, machine);
    pins_open(machine);
    if (o->options.address_count > 0)
        arrive(machine, linear_eip(machine->engine), engine_cpl(machine->engine), 0);
    if (observer != NULL)
        *observer = o;
    return P5_OK;
}

void p5_observer_close(p5_observer *observer)
{
    if (observer == NULL || observer->machine == NULL)
        return;
    p5_machine *machine = observer->machine;
    observer->machine = NULL;
    observer->options = (p5_observe_options){0};
    observer->interval_clock = observer->interval_instruction = UINT64_MAX;
    observer->frames.count = 0;
    observer->arrived = false;
    set_own_goals(observer);
    machine->observers->some_closed = true;
    machine->calm = (observe_calm){0};
    if (!machine->running)
        observers_sweep(machine);
}

void p5_observer_every(p5_observer *observer, uint64_t clocks, uint64_t instructions)
{
    if (observer->machine == NULL)
        return;
    observer->options.every_clocks = clocks;
    observer->options.every_instructions = instructions;
    set_intervals(observer);
    set_own_goals(observer);
    set_goals(observer->machine->observers, observer->machine);
}
