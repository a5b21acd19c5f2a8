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
#include "core/model.h"
#include "machine/state.h"

enum { MOST_FRAMES = 65536 };

/* A watched function that has been entered and not left. */
typedef struct frame {
    uint32_t number;         /* index in addresses */
    uint32_t return_address; /* linear */
    uint32_t esp;            /* at its entry */
    uint8_t cpl;
} frame;

struct observer {
    p5_observe_options options;
    p5_point *points;
    uint32_t *addresses;                   /* as given */
    uint32_t *cuts;                        /* the same, ascending */
    uint64_t next_clock, next_instruction; /* nearest goals */
    uint64_t interval_clock, interval_instruction;
    /* No reference to memory, fetch of a code line, and rest of what was before takes longer: most_clocks. */
    uint32_t access_clocks, line_clocks, backlog_clocks;
    /* Arrival at a watched address; it is an entry when its first instruction completes. */
    bool arrived;
    frame arrival;
    bool resumed; /* the last stretch was an interrupted REP string: it goes on at the same address */
    ARRAY_OF(frame) frames;
};

const char *p5_observation_name(p5_observation_kind kind)
{
    static const char *const names[P5_OBSERVE_KINDS] = {"interval", "point", "entry", "exit", "begin",
                                                        "end",      "rdpmc", "rdmsr", "wrmsr"};
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

static void set_goals(observer *o)
{
    o->next_clock = o->interval_clock;
    o->next_instruction = o->interval_instruction;
    for (size_t i = 0; i < o->options.point_count; i++) {
        const p5_point *point = &o->points[i];
        uint64_t *goal = point->instruction ? &o->next_instruction : &o->next_clock;
        if (point->at < *goal)
            *goal = point->at;
    }
}

static void set_intervals(observer *o, uint64_t clock, uint64_t instructions)
{
    o->interval_clock = next_multiple(o->options.every_clocks, clock);
    o->interval_instruction = next_multiple(o->options.every_instructions, instructions);
    set_goals(o);
}

/* ---- telling ------------------------------------------------------------------------------------------- */

static void tell(p5_machine *machine, p5_observation_kind kind, uint32_t address, unsigned cpl,
                 uint32_t number, uint64_t value)
{
    const observer *o = machine->observer;
    p5_observation observation = {.kind = kind,
                                  .cpl = (uint8_t)cpl,
                                  .address = address,
                                  .clock = p5_machine_clock(machine),
                                  .instructions = machine->instructions,
                                  .number = number,
                                  .value = value};
    o->options.observed(o->options.context, machine, &observation);
}

/* Tells of all goals that have been reached at this boundary. */
static void tell_goals(p5_machine *machine, uint32_t address, unsigned cpl)
{
    observer *o = machine->observer;
    uint64_t clock = p5_machine_clock(machine);
    uint64_t instructions = machine->instructions;
    if (clock < o->next_clock && instructions < o->next_instruction)
        return;
    for (size_t i = 0; i < o->options.point_count; i++) {
        p5_point *point = &o->points[i];
        if ((point->instruction ? instructions : clock) < point->at)
            continue;
        point->at = UINT64_MAX;
        tell(machine, P5_OBSERVE_POINT, address, cpl, (uint32_t)i, 0);
    }
    if (clock >= o->interval_clock || instructions >= o->interval_instruction) {
        set_intervals(o, clock, instructions); /* before: the callback may change them */
        tell(machine, P5_OBSERVE_INTERVAL, address, cpl, 0, 0);
    }
    set_goals(o);
}

/* ---- functions ----------------------------------------------------------------------------------------- */

static int find_address(const observer *o, uint32_t address)
{
    size_t low = 0, high = o->options.address_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (o->cuts[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == o->options.address_count || o->cuts[low] != address)
        return -1;
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
    observer *o = machine->observer;
    int number = find_address(o, next);
    o->arrived = number >= 0;
    if (!o->arrived)
        return;
    engine *e = machine->engine;
    engine_segment code;
    engine_get_segment(e, ENGINE_CS, &code);
    o->arrival = (frame){.number = (uint32_t)number, .esp = engine_get(e, ENGINE_ESP), .cpl = (uint8_t)cpl};
    uint32_t offset = 0;
    engine_read_linear(e, stack_linear(e, o->arrival.esp + skip), &offset, 4);
    o->arrival.return_address = code.base + offset;
}

/* The first instruction of a stretch at a watched address has completed, and is not yet priced. */
static void enter(p5_machine *machine, const p5_retired *r, uint32_t address)
{
    observer *o = machine->observer;
    o->arrived = false;
    if (o->arrival.number >= o->options.address_count || o->addresses[o->arrival.number] != address)
        return;
    tell(machine, P5_OBSERVE_ENTRY, address, r->cpl, o->arrival.number, 0);
    if (o->frames.count < MOST_FRAMES && ARRAY_ROOM(&o->frames))
        o->frames.items[o->frames.count++] = o->arrival;
}

static bool may_return(unsigned branch)
{
    return branch == ISA_RET || branch == ISA_IRET || branch == ISA_FAR || branch == ISA_JMP_INDIRECT;
}

/* A return to `next` has been priced. It leaves the innermost frame that was to return there, and those
 * above it, which have been left in another way (longjmp). */
static void leave(p5_machine *machine, uint32_t next, unsigned cpl)
{
    observer *o = machine->observer;
    uint32_t esp = engine_get(machine->engine, ENGINE_ESP);
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
        tell(machine, P5_OBSERVE_EXIT, next, cpl, number, 0);
    }
}

/* ---- stretches ----------------------------------------------------------------------------------------- */

/* More clocks than `count` instructions take that have `most` in sum, with that many references: what memory
 * may add, and what the pipe still holds. */
static uint64_t most_clocks(const observer *o, uint64_t most, uint32_t references, unsigned bytes)
{
    enum { LINE_BYTES = 32 };
    unsigned lines = bytes / LINE_BYTES + 2; /* where the stream goes on is fetched too */
    return most + o->backlog_clocks + (uint64_t)o->access_clocks * references +
           (uint64_t)o->line_clocks * lines;
}

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
    const observer *o = machine->observer;
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
        if (clock + most_clocks(o, most, references, bytes) >= o->next_clock)
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

void observer_retired(p5_machine *machine, const p5_retired *r)
{
    observer *o = machine->observer;
    uint32_t address = r->block->ops[r->first].address;
    if (o->arrived && !o->resumed)
        enter(machine, r, address);
    uint64_t instructions = machine->instructions + r->count - r->interrupted;
    bool clock_near = p5_machine_clock(machine) +
                          most_clocks(o, r->block->most_clocks, r->access_count, r->block->code->size) >=
                      o->next_clock;
    if (r->count > 1 && (clock_near || instructions > o->next_instruction)) {
        retire_in_parts(machine, r);
    } else {
        machine->instructions = instructions;
        p5_core_retire(machine->core, r);
        tell_goals(machine, r->next, r->cpl_after);
    }
    o->resumed = r->interrupted;
    if (o->frames.count > 0 && may_return(r->block->ops[r->first + r->count - 1].branch))
        leave(machine, r->next, r->cpl_after);
    if (o->options.address_count > 0)
        arrive(machine, r->next, r->cpl_after, 0);
}

static bool has_error_code(const p5_exception *x)
{
    return x->kind == P5_TRANSFER_FAULT &&
           (x->vector == 8 || (x->vector >= 10 && x->vector <= 14) || x->vector == 17);
}

void observer_delivered(p5_machine *machine, const p5_exception *x)
{
    observer *o = machine->observer;
    tell_goals(machine, x->handler, x->cpl_after);
    o->resumed = false;
    if (o->options.address_count > 0)
        arrive(machine, x->handler, x->cpl_after, has_error_code(x) ? 4 : 0);
}

static uint32_t linear_eip(const engine *e)
{
    engine_segment code;
    engine_get_segment(e, ENGINE_CS, &code);
    return code.base + engine_get(e, ENGINE_EIP);
}

void observer_halted(p5_machine *machine)
{
    tell_goals(machine, linear_eip(machine->engine), engine_cpl(machine->engine));
}

void observer_marker(p5_machine *machine, bool end, uint32_t id)
{
    if (machine->observer->options.markers)
        tell(machine, end ? P5_OBSERVE_END : P5_OBSERVE_BEGIN, linear_eip(machine->engine),
             engine_cpl(machine->engine), id, 0);
}

void observer_pmu(p5_machine *machine, p5_observation_kind kind, uint32_t ecx, uint64_t value)
{
    if (machine->observer->options.pmu &&
        (kind == P5_OBSERVE_RDPMC || (ecx >= P5_MSR_TSC && ecx <= P5_MSR_CTR1)))
        tell(machine, kind, linear_eip(machine->engine), engine_cpl(machine->engine), ecx, value);
}

/* ---- opening and closing ------------------------------------------------------------------------------- */

void observer_free(observer *o)
{
    if (o == NULL)
        return;
    free(o->points);
    free(o->addresses);
    free(o->cuts);
    free(o->frames.items);
    free(o);
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

static uint32_t greater(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* What memory takes at most, in core clocks. */
static void set_bounds(observer *o, const p5_model *model)
{
    enum {
        WALK = 2,   /* table entries */
        PIPE = 192, /* the longest x87 instruction and a refill */
    };
    const model_bus *bus = &model->bus;
    const model_latency *latency = &model->latency;
    uint32_t write_back = bus->write_back_first + 3 * bus->write_back_next + bus->idle_after_write;
    uint32_t fill = greater(model->dram.miss, model->l2.first) +
                    3 * greater(model->dram.next, model->l2.next) + bus->idle_after_read;
    if (model->agent.kind != AGENT_NONE) {
        fill += model->agent.clocks + model->agent.grant;
        write_back += model->agent.clocks + model->agent.grant;
    }
    o->line_clocks = fill * model->half_ratio / 2 + latency->miss_to_bus + latency->bus_to_use;
    uint32_t walk = WALK * o->line_clocks + latency->walk_start + latency->walk_between + latency->walk_end;
    o->access_clocks = walk + o->line_clocks + write_back * model->half_ratio / 2 + latency->misaligned;
    o->backlog_clocks = PIPE + o->access_clocks + walk;
}

p5_status p5_machine_observe(p5_machine *machine, const p5_observe_options *options, p5_error *error)
{
    if (options != NULL && options->size != sizeof *options)
        return error_set(error, P5_ERR_STATE, "p5_observe_options.size is %zu, this library expects %zu",
                         options->size, sizeof *options);
    if (options != NULL && machine->engine == NULL)
        return error_set(error, P5_ERR_STATE, "nothing is loaded that could be observed");
    if (options != NULL && options->address_count > P5_OBSERVE_ADDRESSES)
        return error_set(error, P5_ERR_RANGE, "more than %d addresses", P5_OBSERVE_ADDRESSES);
    observer *o = NULL;
    if (options != NULL) {
        o = calloc(1, sizeof *o);
        if (o == NULL)
            return error_set(error, P5_ERR_MEMORY, "no memory for an observation");
        o->options = *options;
        o->points = copy_of(options->points, options->point_count, sizeof *o->points);
        o->addresses = copy_of(options->addresses, options->address_count, sizeof *o->addresses);
        o->cuts = copy_of(options->addresses, options->address_count, sizeof *o->cuts);
        if (o->points == NULL || o->addresses == NULL || o->cuts == NULL) {
            observer_free(o);
            return error_set(error, P5_ERR_MEMORY, "no memory for an observation");
        }
        qsort(o->cuts, options->address_count, sizeof *o->cuts, ascending);
        set_bounds(o, machine->model);
        set_intervals(o, p5_machine_clock(machine), machine->instructions);
    }
    if (machine->engine != NULL)
        engine_set_cuts(machine->engine, o != NULL ? o->cuts : NULL, o != NULL ? options->address_count : 0);
    observer_free(machine->observer);
    machine->observer = o;
    if (o != NULL && options->address_count > 0)
        arrive(machine, linear_eip(machine->engine), engine_cpl(machine->engine), 0);
    return P5_OK;
}

void p5_machine_observe_every(p5_machine *machine, uint64_t clocks, uint64_t instructions)
{
    observer *o = machine->observer;
    if (o == NULL)
        return;
    o->options.every_clocks = clocks;
    o->options.every_instructions = instructions;
    set_intervals(o, p5_machine_clock(machine), machine->instructions);
}
