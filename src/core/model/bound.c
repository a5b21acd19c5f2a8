/* Derives upper bounds of durations from the model's parameters. The names of numbers of bus clocks say so; all other
 * durations are core clocks.
 *
 * The duration of a bus cycle is counted here up to the next possible ADS#: its own clocks, the idle ones after it, and
 * one more, because a request waits for a bus clock to begin. All cycles of a reference run one after the other, so
 * their durations add up. */
#include "core/model/bound.h"

#include "core/model/model.h"

enum {
    PAGE_BYTES = 4096,
    WALKS = 2,            /* of a reference in two pages */
    WALK_ENTRIES = 2,     /* entries that a page walk reads, and whose bits it may set */
    PIPE_CLOCKS = 192,    /* of the longest x87 instruction with the refill of the pipe after it */
    PENDING_ACCESSES = 2, /* references of the instruction that waits in D1 for its partner */
    FETCHED_LINES = 2 /* of an instruction that lies in two lines, which are fetched one after the other */
};

static uint32_t greater(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Returns bus clocks as core clocks, rounded up. */
static uint32_t core_clocks(const p5_model *model, uint32_t bus_clocks)
{
    return (bus_clocks * model->half_ratio + 1) / 2;
}

/* The slowest bus cycles of each kind, in bus clocks. */
typedef struct slowest {
    uint32_t read, line;        /* reads of up to 8 bytes and of a line */
    uint32_t write, write_back; /* writes of up to 8 bytes and of a line */
    uint32_t locked_read, locked_write;
    uint32_t video, video_pair; /* 8 bytes of video memory: aligned, and misaligned in two cycles */
    uint32_t port;
    uint32_t turn; /* of another bus master, after a write-back that it demands; 0: there is none */
} slowest;

static slowest slowest_cycles(const p5_model *model)
{
    const model_bus *bus = &model->bus;
    const model_dram *dram = &model->dram;
    const uint32_t after_read = bus->idle_after_read + 1, after_write = bus->idle_after_write + 1;
    const uint32_t first = greater(greater(dram->hit, dram->closed), greater(dram->miss, model->l2.first));
    const uint32_t transfer = greater(bus->video_read, bus->video_write);
    const uint32_t after = greater(after_read, after_write), transfers = 8 / bus->video_bytes;
    slowest s = {
        .read = first + after_read,
        .line = model_burst(first, greater(dram->next, model->l2.next)) + after_read,
        .write = bus->write + after_write,
        .write_back = model_burst(bus->write_back_first, bus->write_back_next) + after_write,
        .locked_read = bus->locked_read + after_read,
        .locked_write = bus->locked_write + greater(after_write, bus->locked_idle + 1),
        .video = transfers * transfer + after,
        .video_pair = (transfers + 1) * transfer + 2 * after,
        .port = greater(bus->io_read, bus->io_write) + after,
    };
    if (model->agent.kind != AGENT_NONE) /* the bus is granted to this processor twice */
        s.turn = model->agent.grant + s.write_back + model->agent.clocks + 2 + model->agent.grant;
    return s;
}

bound bound_of_model(const p5_model *model)
{
    const model_latency *latency = &model->latency;
    const slowest s = slowest_cycles(model);
    const uint32_t turn = core_clocks(model, s.turn);
    const uint32_t around = latency->miss_to_bus + latency->bus_to_use + latency->fill_to_array;
    const uint32_t ewbe = core_clocks(model, model->bus.ewbe);

    /* An entry is read after a modified copy was written back, and then read and written again to set its bits. */
    const uint32_t entry = s.write_back + s.read + s.locked_read + s.locked_write;
    bound b = {.walk_clocks = core_clocks(model, WALK_ENTRIES * entry) +
                              WALK_ENTRIES * 2 * latency->miss_to_bus + latency->walk_start +
                              latency->walk_between + latency->walk_end};

    /* A read that misses fills a line, and then the modified line that it replaces is written back. A locked
     * reference comes after the write-back of a modified copy. Each half of a reference can be either. */
    const uint32_t part = greater(s.line + s.write_back, s.write);
    const uint32_t locked = s.write_back + greater(s.locked_read, s.locked_write);
    const uint32_t half = greater(part, locked);
    const uint32_t halves = greater(2 * half, greater(s.video_pair, s.video + half));
    b.part_clocks = core_clocks(model, part) + around + latency->misaligned + ewbe;
    b.access_clocks =
        turn + WALKS * b.walk_clocks + core_clocks(model, halves) + 2 * around + latency->misaligned + ewbe;
    b.port_clocks = turn + core_clocks(model, 2 * s.port) + 2 * around;

    /* A modified copy of the line is written back first. Uncacheable code is read in four parts. */
    b.line_clocks = turn + core_clocks(model, s.write_back + greater(s.line, 4 * s.read)) + around;

    /* What memory may still do for earlier references: the turn of another bus master, a fill whose first part has
     * arrived, and full write buffers. */
    const uint32_t buffered = model->write_buffers * greater(s.write, s.video);
    const uint32_t pending = turn + core_clocks(model, s.line + s.write_back + buffered) + around + ewbe;
    b.backlog_clocks =
        PIPE_CLOCKS + PENDING_ACCESSES * b.access_clocks + b.line_clocks + b.walk_clocks + pending;
    b.fetch_clocks = pending + FETCHED_LINES * (b.line_clocks + b.walk_clocks);

    /* A TLB of two ways or more keeps the pages of both operands. Each of the four is walked for once, and perhaps once
     * more: to set its dirty bit, or because the other operand's step to its second page replaced its entry. */
    b.string_walks = model->data_tlb.large_ways == 1 ? UINT32_MAX : 4 * 2;
    return b;
}

uint32_t bound_gap(const p5_model *model)
{
    enum { WRITES = 27 /* of FNSAVE */ };
    const model_bus *bus = &model->bus;
    const uint32_t write = core_clocks(model, bus->write + bus->idle_after_write + 1 + bus->ewbe);
    return greater(bound_of_model(model).access_clocks, WRITES * write) <= TIMING_GAP_LEAST ? TIMING_GAP_LEAST
                                                                                            : TIMING_GAP_MOST;
}

uint64_t bound_own(const bound *b, uint64_t most, uint32_t references, uint32_t bytes)
{
    /* The code may begin and end within a line and within a page. */
    const uint32_t lines = bytes / P5_LINE_BYTES + 2, pages = bytes / PAGE_BYTES + 2;
    return most + (uint64_t)b->access_clocks * references + (uint64_t)b->line_clocks * lines +
           (uint64_t)b->walk_clocks * pages;
}

uint64_t bound_own_of_string(const bound *b, uint64_t most, uint32_t references, uint32_t bytes)
{
    const uint32_t possible = WALKS * references;
    const uint32_t spared = possible > b->string_walks ? possible - b->string_walks : 0;
    return bound_own(b, most, references, bytes) - (uint64_t)b->walk_clocks * spared;
}

uint64_t bound_worst(const bound *b, uint64_t most, uint32_t references, uint32_t bytes)
{
    return bound_own(b, most, references, bytes) + b->backlog_clocks;
}
