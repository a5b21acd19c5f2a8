/* Derives upper bounds of durations from the model's parameters. Durations are core clocks unless their names say
 * bus clocks. `x * half_ratio / 2` converts bus clocks to core clocks. */
#include "core/model/bound.h"

#include "core/model/model.h"

enum {
    WALK_ENTRIES = 2, /* entries that a page walk reads */
    PIPE_CLOCKS = 192 /* the longest x87 instruction, and the refill of the pipe after it */
};

static uint32_t greater(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Returns the bus clocks of a misaligned reference of 8 bytes to video memory. It consists of two bus cycles, which
 * need one transfer more than an aligned reference. */
static uint32_t video_bus_clocks(const model_bus *cycles)
{
    uint32_t transfers = 8 / cycles->video_bytes + 1;
    return transfers * greater(cycles->video_read, cycles->video_write) +
           2 * greater(cycles->idle_after_read, cycles->idle_after_write);
}

bound bound_of_model(const p5_model *model)
{
    const model_bus *cycles = &model->bus;
    const model_latency *latency = &model->latency;
    uint32_t write_back_bus_clocks =
        model_burst(cycles->write_back_first, cycles->write_back_next) + cycles->idle_after_write;
    uint32_t fill_bus_clocks =
        model_burst(greater(model->dram.miss, model->l2.first), greater(model->dram.next, model->l2.next)) +
        cycles->idle_after_read;
    if (model->agent.kind != AGENT_NONE) { /* another bus master may go first */
        fill_bus_clocks += model->agent.clocks + model->agent.grant;
        write_back_bus_clocks += model->agent.clocks + model->agent.grant;
    }
    bound b = {.line_clocks =
                   fill_bus_clocks * model->half_ratio / 2 + latency->miss_to_bus + latency->bus_to_use};
    b.walk_clocks =
        WALK_ENTRIES * b.line_clocks + latency->walk_start + latency->walk_between + latency->walk_end;
    uint32_t edge = model->half_ratio / 2 + 1; /* core clocks until the next bus clock begins */
    b.write_back_clocks = write_back_bus_clocks * model->half_ratio / 2 + edge;
    uint32_t memory = b.line_clocks + write_back_bus_clocks * model->half_ratio / 2;
    uint32_t video = video_bus_clocks(cycles) * model->half_ratio / 2 + 2 * edge + latency->miss_to_bus +
                     latency->bus_to_use;
    b.access_clocks = b.walk_clocks + greater(memory, video) + latency->misaligned;
    /* The next reference may have to wait for the write-back that follows this line's fill. If it writes to an E
     * or M line, it also waits for EWBE#. */
    b.miss_clocks = b.line_clocks + edge + b.write_back_clocks + latency->misaligned +
                    latency->fill_to_array + cycles->ewbe * model->half_ratio / 2;
    return b;
}

uint64_t bound_worst(const bound *b, uint64_t most, uint32_t references, uint32_t bytes)
{
    uint32_t lines = bytes / P5_LINE_BYTES + BOUND_LINES_AHEAD;
    uint64_t backlog = PIPE_CLOCKS + b->access_clocks + b->walk_clocks; /* of what began before */
    return most + backlog + (uint64_t)b->access_clocks * references + (uint64_t)b->line_clocks * lines;
}
