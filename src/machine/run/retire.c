/* Prices what the engine has retired: passes it to the core model, in this thread or in the model's thread (pricer.h),
 * and then notifies the observers.
 *
 *   stretch   retired instructions of one block
 *   batch     stretches that the engine reports together, each of which is a whole block
 *   message   a stretch or batch that is queued for the model's thread
 *
 * "Attention is wanted" means that run_attention must be called before anything else is executed. */
#include <assert.h>

#include "core/block.h"
#include "core/core.h"
#include "machine/board/bus_check.h"
#include "machine/observe/observe.h"
#include "machine/run/pricer.h"
#include "machine/run/run_internal.h"
#include "machine/state.h"

enum {
    LEAST_MESSAGES = 4, /* fewer messages between two waits for the model's thread mean that the threads only
                           take turns */
    MOST_SHORT_WAITS = 64,       /* consecutive waits of that kind after which this thread continues alone */
    ALONE_INSTRUCTIONS = 1 << 17 /* for how many instructions it continues alone */
};

/* Returns whether no observer needs to be notified of the stretch: see observe_horizon. */
static inline bool unobserved(const p5_machine *machine, const p5_retired *r)
{
    return p5_core_clock_estimate(machine->core) < machine->horizon.clock &&
           machine->instructions < machine->horizon.instruction && r->block->most_clocks <= HORIZON_CLOCKS &&
           r->access_count <= HORIZON_REFERENCES && r->count <= HORIZON_INSTRUCTIONS;
}

/* Returns whether stretches may be priced in batches, some instructions after they were executed. These conditions must
 * hold:
 *
 *   - No goal is near (batch_clocks).
 *   - Nothing inspects the machine in the meantime: observers, a debugger, breakpoints of the guest.
 *   - No work is postponed until an instruction has been priced (`after`).
 *   - No interrupt can be taken in the meantime. It suffices to look at IF now, because no batch contains an
 *     instruction that may set it.
 *   - What the core reads in the engine while it prices (contents.c) does not depend on the guest's stores. */
static bool run_may_batch(const p5_machine *machine)
{
    return machine->batch_clocks != 0 && !machine->each_observed && machine->debugger == NULL &&
           machine->after == 0 && (machine->dr[7] & DR7_ENABLED) == 0 &&
           !(machine->interrupt_request && engine_interrupts_on(machine->engine)) &&
           !engine_follows_stores(machine->engine);
}

bool run_rebatch(p5_machine *machine)
{
    bool may = run_may_batch(machine);
    machine->hands_over &= may;
    engine_batch(machine->engine, may ? machine->batch_clocks : 0);
    return may;
}

/* Returns whether attention is wanted: because it was requested, or because the instruction count or `clock` has
 * reached a limit that run_plan has set. */
static inline bool run_goal_reached(const p5_machine *machine, uint64_t clock)
{
    return machine->attention_wanted | (machine->instructions >= machine->check_instructions) |
           (clock >= machine->check_clock);
}

/* Does the work that follows a stretch of run_retired that was priced in this thread. Returns whether attention is
 * wanted. */
static inline bool run_finish(p5_machine *machine, const p5_retired *retired)
{
    if (__builtin_expect(machine->after != 0, 0)) {
        if ((machine->after & AFTER_CHECK) != 0)
            bus_check_retired(machine, retired);
        processor_after(machine);
        run_rebatch(machine);
    }
    if (__builtin_expect(machine->debug_written, 0) && engine_resuming(machine->engine)) {
        p5_core_resume(machine->core); /* EFLAGS.RF: the next instruction ignores code breakpoints */
        engine_resume_done(machine->engine);
    }
    if (__builtin_expect(machine->debugger != NULL, 0))
        machine->attention_wanted |= debug_retired(machine->debugger, retired);
    if (__builtin_expect(retired->interrupted, 0))
        machine->in_repeat = machine->attention_wanted = true;
    if (__builtin_expect(machine->interrupt_request, 0)) { /* IF may have been set */
        machine->attention_wanted |= engine_interruptible(machine->engine);
        run_rebatch(machine);
    }
    return run_goal_reached(machine, p5_core_clock_estimate(machine->core));
}

/* Takes the guest's x87 state out of the host's x87, where the engine may have left it, if pricing may call back code
 * of the host program, which may use the x87 itself. */
static inline void run_release_x87(p5_machine *machine)
{
    if (__builtin_expect(machine->observers != NULL || machine->lent, 0))
        engine_settle(machine->engine);
}

/* Prices a stretch and notifies the observers. While `executing_only` is set, the core only skips it. */
static inline void run_price_one(p5_machine *machine, const p5_retired *retired, p5_prediction prediction)
{
    if (__builtin_expect(machine->observers != NULL, 0) && !unobserved(machine, retired)) {
        observers_retired(machine, retired, prediction);
    } else {
        machine->instructions += (uint64_t)retired->count - retired->interrupted;
        if (__builtin_expect(machine->executing_only, 0))
            core_skip(machine->core, (uint64_t)retired->count - retired->interrupted);
        else
            core_price(machine->core, retired, prediction);
    }
}

/* Returns whether nothing that run_finish does applies to this stretch, except the check of run_goal_reached. Such a
 * stretch may be priced later. */
static inline bool run_needs_only_goals(const p5_machine *machine, const p5_retired *retired)
{
    return machine->after == 0 && !(machine->debug_written && engine_resuming(machine->engine)) &&
           machine->debugger == NULL && !retired->interrupted && !machine->interrupt_request;
}

/* Waits until the model's thread has priced everything. If there were only a few messages since the last wait, and
 * that happens many times in a row, the two threads mostly wait for each other to wake up. This thread then
 * continues alone for a while. Waits without any message in between do not count. */
static void run_wait(p5_machine *machine)
{
    pricer_wait(machine->pricer);
    machine->short_waits =
        machine->handed < LEAST_MESSAGES ? machine->short_waits + (machine->handed > 0) : 0;
    if (machine->short_waits >= MOST_SHORT_WAITS) {
        machine->hands_over = false;
        machine->short_waits = 0;
        machine->alone_until = machine->instructions + ALONE_INSTRUCTIONS;
        if (machine->alone_until < machine->check_instructions)
            machine->check_instructions = machine->alone_until;
    }
    machine->handed = 0;
}

/* Callback of the engine for one stretch: predicts its branch, and prices it or queues it for the model's thread.
 * Returns whether attention is wanted; false if the stretch was queued, because the model's thread then requests
 * attention itself (engine_request_attention). */
bool run_retired(void *context, const p5_retired *retired)
{
    p5_machine *machine = context;
    p5_prediction prediction = {0};
    if (!machine->executing_only)
        prediction = core_predict(machine->core, retired);
    if (machine->hands_over) {
        assert(!machine->executing_only); /* which runs in one thread */
        machine->handed++;
        if (run_needs_only_goals(machine, retired) && pricer_put_one(machine->pricer, retired, prediction))
            return false;
        run_wait(machine);
    }
    run_release_x87(machine);
    run_price_one(machine, retired, prediction);
    return run_finish(machine, retired);
}

bool run_price_copy(p5_machine *machine, const p5_retired *retired, p5_prediction prediction)
{
    run_price_one(machine, retired, prediction);
    return run_goal_reached(machine, p5_core_clock_estimate(machine->core));
}

bool run_price(p5_machine *machine, const p5_batch *batch, unsigned instructions)
{
    if (__builtin_expect(machine->observers != NULL, 0)) {
        observers_retired_batch(machine, batch, instructions);
        return run_goal_reached(machine, p5_core_clock_estimate(machine->core));
    }
    machine->instructions += instructions;
    return run_goal_reached(machine, core_price_batch(machine->core, batch));
}

/* Callback of the engine for a batch. Does for it what run_retired does for one stretch. No stretch of a batch needs
 * run_finish, except its check of goals (run_may_batch). `instructions`: of the whole batch. */
bool run_retired_blocks(void *context, const p5_access *accesses, const p5_value *values,
                        const p5_retired_block *blocks, size_t count, unsigned instructions)
{
    p5_machine *machine = context;
    if (machine->hands_over) {
        assert(!machine->executing_only);
        machine->handed++;
        pricer_put(machine->pricer, accesses, values, blocks, count, instructions);
        return false;
    }
    if (__builtin_expect(machine->executing_only, 0)) {
        machine->instructions += instructions;
        return run_goal_reached(machine, core_skip(machine->core, instructions));
    }
    p5_prediction predictions[ENGINE_BUFFER_BLOCKS];
    core_predict_blocks(machine->core, blocks, count, predictions);
    run_release_x87(machine);
    const p5_batch batch = {accesses, values, blocks, predictions, count};
    return run_price(machine, &batch, instructions);
}

/* Callback of the engine before it does anything that depends on the prices of what it has reported: the model's thread
 * must finish them first. */
void run_catch_up(void *context)
{
    p5_machine *machine = context;
    if (machine->hands_over)
        run_wait(machine);
}

/* Callback of the engine after an exception or interrupt has been delivered to its handler: prices the delivery. The
 * model's thread has finished before (run_catch_up). */
void run_delivered(void *context, const p5_exception *exception)
{
    p5_machine *machine = context;
    p5_exception delivered = *exception;
    delivered.interrupt_waits &= machine->interrupt_request; /* the engine does not know the INTR pin */
    p5_status status = p5_core_exception(machine->core, &delivered);
    assert(status == P5_OK);
    (void)status;            /* without assertions */
    if (machine->after != 0) /* the delivery has switched tasks */
        processor_after(machine);
    if (machine->observers != NULL)
        observers_delivered(machine, &delivered);
    if (machine->debugger != NULL)
        debug_delivered(machine, &delivered);
    /* Attention is needed in three cases:
     *
     *   - The engine executes single steps (`stepping`), in which attention follows each instruction.
     *   - An interrupt that STI or a load of SS had delayed is due before the handler's first instruction, if that
     *     STI or load did not complete.
     *   - A goal has been reached. It must be checked here, too, because exceptions may follow each other without
     *     end. */
    if (machine->stepping || (machine->interrupt_request && engine_interruptible(machine->engine)) ||
        run_goal_reached(machine, p5_core_clock_estimate(machine->core)))
        engine_request_attention(machine->engine);
}
