/* The second processor of a dual-processor board. The bus belongs to the most recent master (MRM). The other
 * processor, the least recent master (LRM), requests it with PBREQ# and gets PBGNT# when the MRM's cycle has
 * ended. Each snoops the cycles of the other on private pins: PHIT# says that it has the line, PHITM# that
 * the line is modified; in that case it takes the bus and writes the line back before the other proceeds.
 * These snoops are no inquire cycles: EADS# stays inactive, and events 07h and 08h do not count. Events 2Ah
 * and 2Ch count this processor's side. */
#include "core/memory/memory_system.h"

/* Takes one turn, in which the other processor reads or writes the line at physical address `line` and
 * asserts PBREQ# at core clock `asked`. Returns the core clock at which its cycle has ended. */
uint64_t agent_dual_turn(struct memory *m, uint64_t asked, uint32_t line)
{
    const model_agent *settings = &m->model->agent;
    uint64_t began = bus_next_free(&m->bus, asked), free = began;
    m->bus.lost = true;             /* the other processor is the MRM now */
    memory_upgrade_lines(m, began); /* lines whose write-through has ended are E before they are snooped */
    switch (snoop_line(m, line, settings->write, began, &free)) {
    case SNOOP_HIT_MODIFIED: /* for the write-back this processor took the bus back, which bus.c counted */
        memory_count(m, P5_EVENT_CACHE_M_STATE_LINE_SHARING);
        memory_count(m, P5_EVENT_CACHE_LINE_SHARING);
        break;
    case SNOOP_HIT:
        memory_count(m, P5_EVENT_CACHE_LINE_SHARING);
        break;
    case SNOOP_MISS:
        break;
    }
    uint64_t end = bus_foreign(&m->bus, free, settings->clocks);
    m->bus.lost = true; /* also after a write-back of this processor */
    return end;
}
