/* When the board's other bus master takes its turns (agent.h). */
#include "core/memory/memory_system.h"

/* Sets the agent's next turn to bus clock `turn`. */
static void plan(struct memory *m, uint64_t turn)
{
    m->agent.turn = turn;
    m->agent.due = bus_core_clock(&m->bus, turn);
}

/* RESET: plans the first turn, if the model has an agent. */
void agent_reset(struct memory *m)
{
    m->agent = (agent){.due = UINT64_MAX};
    if (memory_has_agent(m))
        plan(m, m->model->agent.period);
}

/* After a snapshot was loaded: computes the core clock of the next turn from its bus clock. */
void agent_restore(struct memory *m)
{
    if (memory_has_agent(m))
        plan(m, m->agent.turn);
}

const snapshot_table agent_state = {
    SNAPSHOT(agent, "agent", FIELD_DERIVED(due), FIELD_TIME(turn), FIELD_ANY(lines))};

/* Returns the core clock of the next turn; UINT64_MAX: there is no agent. */
uint64_t memory_agent_turn(const struct memory *m)
{
    return m->agent.due;
}

/* Takes all turns that are due at core clock `clock` or earlier. */
void agent_run(struct memory *m, uint64_t clock)
{
    const model_agent *settings = &m->model->agent;
    while (m->agent.due <= clock) {
        uint32_t line =
            cache_line(settings->base) + (uint32_t)(m->agent.lines * CACHE_LINE % settings->length);
        uint64_t end = settings->kind == AGENT_DMA ? agent_dma_turn(m, m->agent.due, line)
                                                   : agent_dual_turn(m, m->agent.due, line);
        m->agent.lines++;
        /* An agent that needs more than its period requests the bus again at the next multiple. */
        uint64_t turn = m->agent.turn + settings->period, released = bus_clock_at(&m->bus, end);
        if (turn < released)
            turn = (released + settings->period - 1) / settings->period * settings->period;
        plan(m, turn);
    }
}
