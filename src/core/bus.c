#include "core/bus.h"

#include <string.h>

bool bus_init(bus *b, const p5_model *model, counts *totals)
{
    memset(b, 0, sizeof *b);
    b->model = model;
    b->totals = totals;
    return board_init(&b->board, model);
}

void bus_free(bus *b)
{
    board_free(&b->board);
}

void bus_reset(bus *b)
{
    board_reset(&b->board);
}

/* First bus clock that begins at or after core clock `clock`. */
static uint64_t bus_clock_from(const bus *b, uint64_t clock)
{
    return (2 * clock + b->model->half_ratio - 1) / b->model->half_ratio;
}

/* First core clock edge at or after the beginning of bus clock `n`. */
static uint64_t core_clock_of(const bus *b, uint64_t n)
{
    return (n * b->model->half_ratio + 1) / 2;
}

uint64_t bus_clock_at(const bus *b, uint64_t clock)
{
    return bus_clock_from(b, clock);
}

uint64_t bus_core_clock(const bus *b, uint64_t n)
{
    return core_clock_of(b, n);
}

/* ---- utilisation ---- */

static void count_busy(bus *b, uint64_t all, uint64_t own)
{
    counts_add(b->totals, P5_EVENT_BUS_CYCLE_DURATION, b->class, all, all);
    counts_add(b->totals, P5_EVENT_BUS_UTILIZATION_DUE_TO_PROCESSOR_ACTIVITY, b->class, own, own);
}

void bus_advance(bus *b, uint64_t clock)
{
    uint64_t all = 0, own = 0;
    unsigned left = 0;
    for (unsigned i = 0; i < b->busy_count; i++) {
        bus_busy *busy = &b->busy[i];
        uint64_t to = busy->to < clock ? busy->to : clock;
        if (busy->from < to) {
            all += to - busy->from;
            own += busy->own ? to - busy->from : 0;
            busy->from = to;
        }
        if (busy->from < busy->to)
            b->busy[left++] = *busy;
    }
    b->busy_count = left;
    count_busy(b, all, own);
}

/* Room for more intervals. Counting waits until there is none, or somebody looks: what runs is of one
 * privilege class in between. The youngest may lie ahead of what has been executed (a code fetch in advance,
 * a long WBINVD) and wait on, so that they count for the class in which they pass; the others have passed. */
static void make_room(bus *b)
{
    enum { WAIT_ON = 6 };
    unsigned passed = BUS_BUSY - WAIT_ON;
    uint64_t all = 0, own = 0;
    for (unsigned i = 0; i < passed; i++) {
        all += b->busy[i].to - b->busy[i].from;
        own += b->busy[i].own ? b->busy[i].to - b->busy[i].from : 0;
    }
    count_busy(b, all, own);
    memmove(b->busy, b->busy + passed, WAIT_ON * sizeof *b->busy);
    b->busy_count = WAIT_ON;
}

/* The bus is in use in core clocks [from, to). The intervals never overlap: each cycle starts when the one
 * before has ended. */
static void mark_busy(bus *b, uint64_t from, uint64_t to, bool own)
{
    if (b->busy_count == BUS_BUSY)
        make_room(b);
    b->busy[b->busy_count++] = (bus_busy){from, to, own};
    if (b->told != NULL)
        b->told(b->told_context, from, to, own);
    b->taken += own ? to - from : 0;
}

/* ---- cycles ---- */

/* First bus clock from core clock `asked` on in which the bus is free. Most requests come while it is in use,
 * or soon afterwards: only what is beyond `free` has to be divided. */
static uint64_t next_free(const bus *b, uint64_t asked)
{
    if (2 * asked <= b->begun)
        return b->free;
    uint64_t beyond = 2 * asked - b->begun + b->model->half_ratio - 1;
    if (beyond > UINT32_MAX)
        return b->free + beyond / b->model->half_ratio;
    return b->free + (uint32_t)beyond / b->model->half_ratio;
}

uint64_t bus_next_free(const bus *b, uint64_t asked)
{
    return core_clock_of(b, next_free(b, asked));
}

/* The other processor had the bus last: PBREQ# until it is free and PBGNT# comes. Events 2Ah. */
static uint64_t arbitrate(bus *b, uint64_t asked)
{
    uint64_t granted = next_free(b, asked) + b->model->agent.grant;
    uint64_t waited = core_clock_of(b, granted) - core_clock_of(b, bus_clock_from(b, asked));
    b->lost = false;
    if (b->model->family == P5_FAMILY_P55C) {
        counts_add(b->totals, P5_EVENT_BUS_OWNERSHIP_TRANSFERS, b->class, 1, 1);
        counts_add(b->totals, P5_EVENT_BUS_OWNERSHIP_LATENCY, b->class, waited, waited);
    }
    return granted;
}

/* Bus clock of the ADS# of a cycle asked for in core clock `asked`. */
static uint64_t start(bus *b, uint64_t asked)
{
    return b->lost ? arbitrate(b, asked) : next_free(b, asked);
}

/* A cycle of `clocks` bus clocks with `idle` ones behind it; answers its end in core clocks. */
static uint64_t cycle(bus *b, uint64_t at, uint32_t clocks, uint32_t idle, bool own)
{
    uint64_t ratio = b->model->half_ratio, half = at * ratio;
    uint64_t from = (half + 1) / 2, end = (half + clocks * ratio + 1) / 2; /* as core_clock_of */
    b->free = at + clocks + idle;
    b->begun = half + (clocks + idle) * ratio;
    mark_busy(b, from, end, own);
    return end;
}

bus_line bus_read_line(bus *b, uint64_t asked, uint32_t physical)
{
    uint64_t at = start(b, asked);
    board_time time = board_read(&b->board, physical, true, at);
    bus_line line;
    for (unsigned n = 0; n < 4; n++)
        line.part[bus_burst_part((physical >> 3) & 3, n)] = core_clock_of(b, at + time.first + n * time.next);
    line.last = cycle(b, at, time.first + 3 * time.next, b->model->bus.idle_after_read, true);
    return line;
}

uint64_t bus_read_single(bus *b, uint64_t asked, uint32_t physical)
{
    uint64_t at = start(b, asked);
    board_time time = board_read(&b->board, physical, false, at);
    return cycle(b, at, time.first, b->model->bus.idle_after_read, true);
}

uint64_t bus_write(bus *b, uint64_t asked)
{
    return cycle(b, start(b, asked), b->model->bus.write, b->model->bus.idle_after_write, true);
}

uint64_t bus_write_back(bus *b, uint64_t asked)
{
    const model_bus *times = &b->model->bus;
    return cycle(b, start(b, asked), times->write_back_first + 3 * times->write_back_next,
                 times->idle_after_write, true);
}

/* Locked cycles are never pipelined, and at least one idle clock stands between two sequences (memory.md 6,
 * 7). */
uint64_t bus_locked_read(bus *b, uint64_t asked)
{
    uint64_t at = start(b, asked);
    if (at < b->unlocked)
        at = b->unlocked;
    return cycle(b, at, b->model->bus.locked_read, b->model->bus.idle_after_read, true);
}

uint64_t bus_locked_write(bus *b, uint64_t asked)
{
    uint64_t at = start(b, asked);
    uint64_t end = cycle(b, at, b->model->bus.locked_write, b->model->bus.idle_after_write, true);
    b->unlocked = at + b->model->bus.locked_write + b->model->bus.locked_idle;
    return end;
}

uint64_t bus_io(bus *b, uint64_t asked, bool write)
{
    const model_bus *times = &b->model->bus;
    return cycle(b, start(b, asked), write ? times->io_write : times->io_read,
                 write ? times->idle_after_write : times->idle_after_read, true);
}

uint64_t bus_foreign(bus *b, uint64_t asked, uint32_t bus_clocks)
{
    return cycle(b, next_free(b, asked), bus_clocks, 1, false);
}
