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

void bus_rest(bus *b, uint64_t clock)
{
    b->free = bus_clock_from(b, clock);
    b->begun = b->free * b->model->half_ratio;
    b->unlocked = 0;
    memset(b->busy, 0, sizeof b->busy);
    b->counted_all = b->all;
    b->counted_own = b->own;
    if (b->board.dram_free > b->free)
        b->board.dram_free = b->free;
}

/* ---- utilisation ---- */

void bus_advance(bus *b, uint64_t clock)
{
    uint64_t all = b->all, own = b->own; /* less what lies ahead */
    for (unsigned n = 1; n <= BUS_BUSY; n++) {
        const bus_busy *busy = &b->busy[(b->busy_next - n) % BUS_BUSY];
        if (busy->to <= clock)
            break;
        uint64_t ahead = busy->to - (busy->from > clock ? busy->from : clock);
        all -= ahead;
        own -= busy->own ? ahead : 0;
    }
    if (all <= b->counted_all)
        return;
    uint64_t more = all - b->counted_all, more_own = own - b->counted_own;
    counts_add(b->totals, P5_EVENT_BUS_CYCLE_DURATION, b->class, more, more);
    counts_add(b->totals, P5_EVENT_BUS_UTILIZATION_DUE_TO_PROCESSOR_ACTIVITY, b->class, more_own, more_own);
    b->counted_all = all;
    b->counted_own = own;
}

/* The bus is in use in core clocks [from, to). The intervals are in order and never overlap: each cycle
 * starts when the one before has ended. Counting waits until somebody looks: what runs is of one privilege
 * class in between. The youngest may lie ahead of what has been executed (a code fetch in advance, a long
 * WBINVD) and count for the class in which they pass; those that left the ring have passed. */
static inline void mark_busy(bus *b, uint64_t from, uint64_t to, bool own)
{
    b->busy[b->busy_next++ % BUS_BUSY] = (bus_busy){from, to, own};
    b->all += to - from;
    b->own += own ? to - from : 0;
    if (__builtin_expect(b->told != NULL, 0))
        b->told(b->told_context, from, to, own);
}

/* ---- cycles ---- */

/* First bus clock from core clock `asked` on in which the bus is free. Most requests come while it is in use,
 * or soon afterwards: only what is beyond `free` has to be divided. */
static inline uint64_t next_free(const bus *b, uint64_t asked)
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
static uint64_t __attribute__((noinline)) arbitrate(bus *b, uint64_t asked)
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
static inline uint64_t start(bus *b, uint64_t asked)
{
    return __builtin_expect(b->lost, 0) ? arbitrate(b, asked) : next_free(b, asked);
}

/* A cycle of `clocks` bus clocks with `idle` ones behind it; answers its end in core clocks. */
static inline __attribute__((always_inline)) uint64_t cycle(bus *b, uint64_t at, uint32_t clocks,
                                                            uint32_t idle, bool own)
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

/* Locked cycles are never pipelined, and at least one idle clock stands between two sequences (241428,
 * 6). */
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
