/* A device that moves lines between itself and memory. It asserts HOLD, and the processor answers with HLDA
 * when the current bus cycle has ended. Before each line it makes an inquire cycle. If it writes to memory,
 * it asserts INV, so that no copy stays in the caches. A modified line is written to memory first, for which
 * the device releases the bus. */
#include "core/memory/memory_system.h"

uint64_t agent_dma_turn(struct memory *m, uint64_t asked, uint32_t line)
{
    uint64_t granted = bus_next_free(&m->bus, asked), written;
    memory_inquire(m, line, m->model->agent.write, granted, &written);
    return memory_foreign_bus(m, written, m->model->agent.clocks);
}
