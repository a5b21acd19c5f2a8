/* Branch trace messages: special cycles that show the program's path on the bus (TR12.TR and FTR; manual,
 * table 26-21). The model assumes that they pass through a write buffer, for which the processor waits; the manual does
 * not say so. */
#include "core/exact/branch_trace.h"

#include "core/exact/price.h"

/* Sends one message, which holds the address of a branch or of its `target`. The processor waits for the write buffer,
 * and the profile attributes the wait to the branch. */
static void send(p5_core *core, uint32_t address, bool target)
{
    branch_trace *t = &core->branches;
    uint64_t end;          /* of the special cycle */
    price_last_asks(core); /* for the profile */
    price_wait_for_bus(core, memory_branch_message(core->memory, core->now, &end), P5_STALL_WRITE_BUFFER);
    if (t->message != NULL)
        t->message(t->context, &(p5_branch_message){end, address, target});
}

/* Sends the messages of a branch: its own address and, in normal tracing, also that of its target. */
static void send_branch(p5_core *core, uint32_t from, uint32_t to)
{
    price_settle(core); /* an instruction that waits for a partner issues first */
    send(core, from, false);
    if (!core->control.fast_branch_trace)
        send(core, to, true);
}

/* Sends the messages of a taken branch at the end of a stretch. Those of INT are sent by branch_trace_delivered. */
void branch_trace_retired(p5_core *core, const p5_retired *r)
{
    const op *o = &r->block->ops[r->first + r->count - 1];
    core->branches.last = o->address;
    core->branches.next = r->next;
    if (!r->interrupted && price_taken(o, r->next) && o->branch != ISA_INT)
        send_branch(core, o->address, r->next);
}

/* Sends the messages of a delivery, which counts as a branch to the handler. A software interrupt branches from the last
 * instruction executed. Any other delivery occurs before the next instruction and branches from there. */
void branch_trace_delivered(p5_core *core, const p5_exception *e)
{
    bool software = e->kind == P5_TRANSFER_SOFTWARE;
    send_branch(core, software ? core->branches.last : core->branches.next, e->handler);
    core->branches.next = e->handler;
}
