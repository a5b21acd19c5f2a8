/* A device that moves lines between itself and memory. It asserts HOLD; the processor answers HLDA when the
 * bus cycle under way has ended. Before each line it makes an inquire cycle: for a write to memory with INV,
 * so that no copy stays in the caches; a line that is modified there goes to memory first, for which the
 * device gives the bus back. */
#include "core/memory/memory_system.h"

uint64_t agent_dma_turn(struct memory *m, uint64_t asked, uint32_t line)
{
    uint64_t granted = bus_next_free(&m->bus, asked), written;
    memory_inquire(m, line, m->model->agent.write, granted, &written);
    return memory_foreign_bus(m, written, m->model->agent.clocks);
}
