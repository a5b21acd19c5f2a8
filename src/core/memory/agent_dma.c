/* A device that transfers lines between itself and memory. It asserts HOLD, and the processor answers with
 * HLDA when the current bus cycle has ended. Before each line it makes an inquire cycle. If it writes to
 * memory, it asserts INV, so that no copy stays in the caches. If the processor has the line modified, the
 * device releases the bus until the processor has written it back. */
#include "core/memory/memory_system.h"

/* Takes one turn with the line at physical address `line`, for which the device asserts HOLD at core clock
 * `asked`. Returns the core clock at which the bus is free again. */
uint64_t agent_dma_turn(struct memory *m, uint64_t asked, uint32_t line)
{
    uint64_t granted = bus_next_free(&m->bus, asked), written;
    memory_inquire(m, line, m->model->agent.write, granted, &written); /* `written`: end of a write-back */
    return bus_foreign(&m->bus, written, m->model->agent.clocks);
}
