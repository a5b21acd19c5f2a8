/* Observation of a run (include/p5scope/observe.h).
 *
 * A stretch is a block that has retired, or a part of one. Pricing it means that the core model computes its
 * clocks and counts. A goal is a clock or an instruction count at which an observer is to be notified.
 *
 * Nothing here stops the engine: execution does not depend on observers. What must be exact is the core
 * model's progress when an observer is notified, so a stretch that contains a goal is priced in parts. That
 * gives the same bits as pricing it whole (tests/property/test_split.c). A goal in instructions says where to
 * split. For a goal in clocks, the stretch is priced instruction by instruction if it could reach the
 * goal. */
#include "core/core.h"
#include "machine/observe/observe_internal.h"

#include "core/block.h"

/* Returns the part of `r` that has `count` instructions from index `i` of the block on. Its accesses and values begin
 * at the given places. What belongs to the last instruction of `r` (target, iterations, gate) is only in the last
 * part. */
static p5_retired part_of(const p5_retired *r, unsigned i, unsigned count, const p5_access *accesses,
                          const p5_value *values)
{
    unsigned end = i + count;
    bool last = end == (unsigned)r->first + r->count;
    uint32_t accesses_left = r->access_count - (uint32_t)(accesses - r->accesses);
    uint32_t values_left = r->value_count - (uint32_t)(values - r->values);
    uint32_t fixed = 0, valued = 0;
    bool unsafe = false;
    for (unsigned n = i; n < end; n++) { /* all but the last instruction have a fixed number of accesses */
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
        part.gate = P5_GATE_NONE;
        part.interrupted = part.descriptor = false;
    }
    return part;
}

/* Returns how many instructions from index `i` on can be priced together: none of them but the last can reach a goal.
 * At least one. */
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
        if (clock + bound_worst(&o->most, most, references, bytes) >= o->next_clock)
            break;
        count++;
    }
    return count;
}

/* Prices a stretch in parts, and checks for goals after each part. */
static void retire_in_parts(p5_machine *machine, const p5_retired *r, p5_prediction prediction)
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
        core_price(machine->core, &part, prediction);
        observe_reached(machine, part.next, part.cpl_after);
    }
}

/* Returns true if the next goal in clocks may lie in the stretch. */
static bool may_reach_goal(const p5_machine *machine, const p5_retired *r)
{
    const observers *all = machine->observers;
    uint64_t clock = p5_machine_clock(machine);
    return clock + bound_worst(&all->most, r->block->most_clocks, r->access_count, r->block->code->size) >=
               all->next_clock &&
           clock + bound_clocks(machine->core, r) >= all->next_clock;
}

/* Prices a stretch, in parts if a goal may lie in it, and notifies observers of the goals that it reaches. */
static void retire(p5_machine *machine, const p5_retired *r, p5_prediction prediction)
{
    uint64_t instructions = machine->instructions + r->count - r->interrupted;
    bool near_goal = may_reach_goal(machine, r);
    if (r->count > 1 && (near_goal || instructions > machine->observers->next_instruction)) {
        retire_in_parts(machine, r, prediction);
    } else {
        machine->instructions = instructions;
        core_price(machine->core, r, prediction);
        observe_reached(machine, r->next, r->cpl_after);
    }
}

/* Prices a batch, which has `instructions` in total. Blocks that can reach no goal are priced together, and any other
 * one by itself. */
void observers_retired_batch(p5_machine *machine, const p5_batch *batch, unsigned instructions)
{
    observers *all = machine->observers;
    for (size_t n = 0; n < batch->count;) {
        const p5_batch rest = batch_rest(batch, n);
        size_t priced = 0;
        if (machine->instructions + instructions < all->next_instruction)
            priced = core_price_batch_before(machine->core, &rest, all->next_clock);
        for (size_t i = 0; i < priced; i++) {
            machine->instructions += rest.blocks[i].block->count;
            instructions -= rest.blocks[i].block->count;
        }
        n += priced;
        if (n == batch->count)
            break;
        const p5_batch next = batch_rest(&rest, priced);
        const p5_retired r = block_first(&next);
        retire(machine, &r, *next.predictions);
        instructions -= r.count;
        n++;
    }
    if (all->some_closed)
        observers_sweep(machine);
}

/* The order of the notifications is that of p5_observe_options: entry of this stretch, goals, the stretch, exits. An
 * interrupted REP string (`resumed`) at the beginning of a function is entered only once. */
void observers_retired(p5_machine *machine, const p5_retired *r, p5_prediction prediction)
{
    observers *all = machine->observers;
    uint32_t address = r->block->ops[r->first].address;
    for (p5_observer *o = all->first; o != NULL; o = o->next)
        if (o->arrived && !all->resumed)
            observe_enter(o, r, address);
    retire(machine, r, prediction);
    all->resumed = r->interrupted;
    observe_stretch(machine, r);
    unsigned branch = r->block->ops[r->first + r->count - 1].branch;
    bool returns = observe_may_return(branch);
    for (p5_observer *o = all->first; o != NULL; o = o->next)
        if (o->frames.count > 0 && returns)
            observe_leave(o, r->next, r->cpl_after);
    if (all->cut_count > 0)
        observe_arrive(machine, r->next, r->cpl_after, 0, branch == ISA_FAR);
    if (all->some_closed)
        observers_sweep(machine);
}

void observers_delivered(p5_machine *machine, const p5_exception *x)
{
    observers *all = machine->observers;
    observe_reached(machine, x->handler, x->cpl_after);
    all->resumed = false;
    if (all->cut_count > 0) /* an error code of 4 bytes is pushed after the return address */
        observe_arrive(machine, x->handler, x->cpl_after,
                       x->kind == P5_TRANSFER_FAULT && vector_has_error_code(x->vector) ? 4 : 0, true);
}

void observers_halted(p5_machine *machine)
{
    observe_reached(machine, observe_linear_eip(machine->engine), engine_cpl(machine->engine));
}
