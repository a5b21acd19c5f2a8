/* Prices deliveries of exceptions and interrupts, and HLT. The profile, if there is one, attributes what is counted to
 * the instruction in pipe.observer->instruction, and profile_commit adds it to the profile. */
#include "core/exact/delivery.h"

#include <assert.h>

#include "core/exact/branch_trace.h"
#include "core/exact/price.h"
#include "core/pipe/cost.h"
#include "core/pipe/pairing.h"
#include "core/profile/profile.h"
#include "isa/processor.h"

/* Runs the microcode of a delivery through the pipe: its references, and `clocks` that belong to `cause`. */
static void deliver(p5_core *core, const p5_access *accesses, uint32_t access_count, unsigned clocks,
                    p5_stall cause)
{
    pipe_begin(&core->pipe, core->now, 0, &core->resolver, &core->deltas[core->cpl_class]);
    pipe_deliver(&core->pipe, accesses, access_count, clocks, cause);
    core->now += (uint64_t)pipe_end(&core->pipe);
    if (core->profile)
        profile_commit(core);
}

/* Counts one event for the instruction at `instruction`. */
static void count_one(p5_core *core, enum p5_event event, uint32_t instruction)
{
    if (core->pipe.observer)
        core->pipe.observer->instruction = instruction;
    observed_count(&core->deltas[core->cpl_class], core->pipe.observer, event, 1, 1);
}

/* Counts one event for the instruction that was executed last, before its delivery begins. */
static void count_last(p5_core *core, enum p5_event event)
{
    count_one(core, event, core->profile ? profile_last(core) : 0);
    if (core->profile)
        profile_commit(core);
}

/* Returns whether the faulting instruction would have been the V partner of the instruction that is pending in D1, in
 * the same block or not. */
static bool faults_in_v(const p5_core *core, const p5_exception *e)
{
    const op *pending = &core->pipe.pending.operation;
    return e->kind == P5_TRANSFER_FAULT && core->pipe.waiting && e->block &&
           pending->address + pending->length == e->instruction &&
           pairing_check(pending, &e->block->ops[e->index]) == PAIRED;
}

/* Prices the page walk that ended in a page fault, with its TLB miss if the TLB has no entry for the page. Does nothing
 * for other deliveries. */
static void failed_walk(p5_core *core, const p5_exception *e)
{
    if (e->reference == P5_REFERENCE_NONE || !core->control.paging)
        return;
    bool code = e->reference == P5_REFERENCE_CODE;
    price_enter_class(core, e->cpl);
    price_last_asks(core);
    uint64_t done = memory_fault(core->memory, e->reference_linear, code, core->now);
    if (done > core->now)
        price_pass(core, code ? P5_STALL_CODE_FETCH : P5_STALL_DATA_TLB, done - core->now);
}

/* Erratum 44: an instruction that is stopped by an x87 exception and restarted after the handler matches its
 * code breakpoint both times. */
static void restarted_match(p5_core *core, const p5_exception *e)
{
    if (!core->timing.errata || !core->breakpoints.active || e->kind != P5_TRANSFER_FAULT ||
        e->vector != VECTOR_MF)
        return;
    price_enter_class(core, e->cpl);
    unsigned matches = breakpoints_code(&core->breakpoints, e->instruction, false);
    for (unsigned n = 0; n < BREAKPOINTS; n++)
        if (matches >> n & 1)
            count_last(core, (enum p5_event)(P5_EVENT_BREAKPOINT_MATCH_ON_DR0_REGISTER + n));
}

void delivery_price(p5_core *core, const p5_exception *e)
{
    assert(e->cpl <= 3 && e->cpl_after <= 3);
    bool in_v = faults_in_v(core, e); /* before price_settle issues the pending instruction */
    price_settle(core);
    failed_walk(core, e);
    restarted_match(core, e);
    bool software = e->kind == P5_TRANSFER_SOFTWARE;
    /* Every handler entry counts as an instruction. That of INT n counts at the privilege level at which its
     * clocks are counted. Erratum 44: the entry of a fault in V does not count if a second exception comes
     * before the handler's first instruction. When that is known, the entry has been counted, so the second
     * one is left out instead. */
    bool entry_counts = !core->faulted_in_v;
    core->faulted_in_v = in_v && core->timing.errata;
    if (software) { /* INT n itself already counts as an instruction, a branch and a load of CS */
        if (entry_counts)
            count_last(core, P5_EVENT_INSTRUCTIONS_EXECUTED);
        count_last(core, P5_EVENT_TAKEN_BRANCHES);
        count_last(core, P5_EVENT_TAKEN_BRANCH_OR_BTB_HIT);
        if (e->cpl_after != e->cpl)
            count_last(core, P5_EVENT_ANY_SEGMENT_REGISTER_LOADED);
    }
    price_enter_class(core, e->cpl_after); /* the rest counts for the handler's privilege class */
    if (core->profile) {
        profile_delivered(core, counts_class(e->cpl), e->handler);
        core->pipe.observer->instruction = e->handler;
    }
    enum p5_event events[8];
    unsigned n = 0;
    if (!software) {
        if (entry_counts)
            events[n++] = P5_EVENT_INSTRUCTIONS_EXECUTED;
        events[n++] = P5_EVENT_BRANCHES;
        events[n++] = P5_EVENT_PIPELINE_FLUSHES;
        events[n++] = P5_EVENT_ANY_SEGMENT_REGISTER_LOADED;
        if (e->cpl_after != e->cpl)
            events[n++] = P5_EVENT_ANY_SEGMENT_REGISTER_LOADED;
    }
    if (e->kind == P5_TRANSFER_INTERRUPT || e->kind == P5_TRANSFER_NMI)
        events[n++] = P5_EVENT_HARDWARE_INTERRUPTS;
    /* Erratum 44: an interrupt that is pending after a trap or NMI at the same boundary counts now, and again
     * when it is taken. */
    if (core->timing.errata && e->interrupt_waits &&
        (e->kind == P5_TRANSFER_TRAP || e->kind == P5_TRANSFER_NMI))
        events[n++] = P5_EVENT_HARDWARE_INTERRUPTS;
    if (e->on_return && !software)
        events[n++] = P5_EVENT_RETURNS;
    assert(n <= sizeof events / sizeof events[0]);
    for (unsigned i = 0; i < n; i++)
        count_one(core, events[i], e->handler);
    deliver(core, e->accesses, e->access_count, software ? 0 : cost_dispatch(&core->timing, e),
            P5_STALL_EXCEPTION);
    if (core->control.branch_trace)
        branch_trace_delivered(core, e);
}

void delivery_halt(p5_core *core, uint64_t clocks, unsigned cpl)
{
    price_settle(core);
    price_enter_class(core, cpl);
    price_pass(core, P5_STALL_HALT, clocks);
    price_last_asks(core);
    memory_pass(core->memory, core->now);
    if (clocks > 0) { /* all pending operations have completed */
        pipe_finish_units(&core->pipe);
        deliver(core, NULL, 0, 0, P5_STALL_HALT);
    }
}
