/* A single bus cycle, inlined into bus.c and into data references (memory_data.c). */
#ifndef CORE_BUS_BUS_CYCLE_H
#define CORE_BUS_BUS_CYCLE_H

#include "core/bus/bus.h"

/* Records that the bus is in use in core clocks [from, to). The intervals are in order and never overlap,
 * because each cycle starts after the one before has ended. They are counted only on request (bus_advance); until
 * then the privilege class does not change. The latest ones may lie in the future (a code prefetch, a long WBINVD)
 * and count for the class in which they pass. Those that the log no longer keeps have passed. `own`: it is the
 * processor's cycle, not HOLD, AHOLD or another master. */
static inline void bus_mark_busy(bus *b, uint64_t from, uint64_t to, bool own)
{
    *b->log.next++ = (p5_bus_use){from, own ? to : to | P5_BUS_OTHER};
    if (own)
        b->own += to - from;
    else
        b->foreign += to - from;
}

/* Returns whether bus_log_make_space has to be called. Check this after every use, or after every BUS_CYCLES
 * uses. */
static inline bool bus_log_full(const bus_log *log)
{
    return log->next >= log->end;
}

/* Returns the duration of a cycle of `clocks` bus clocks with `idle` ones after it. */
static inline bus_time bus_takes(const bus *b, uint32_t clocks, uint32_t idle)
{
    uint64_t ratio = b->half_ratio;
    return (bus_time){clocks + idle, clocks * ratio, (clocks + idle) * ratio};
}

/* Returns whether `physical` is in the VGA's window or in the linear frame buffer. */
static inline bool bus_is_video(uint32_t physical)
{
    return physical - P5_VIDEO_WINDOW < P5_VIDEO_WINDOW_BYTES ||
           physical - P5_VIDEO_LINEAR < P5_VIDEO_LINEAR_BYTES;
}

/* Returns the number of transfers on the bus of the video memory (PCI, ISA) for `size` bytes. */
static inline uint32_t bus_video_transfers(const bus *b, uint32_t physical, unsigned size)
{
    uint32_t width = b->model->bus.video_bytes;
    return ((physical & (width - 1)) + size + width - 1) / width;
}

/* Returns the duration of a write of up to 8 bytes. */
static inline bus_time bus_write_time(const bus *b, uint32_t physical, unsigned size)
{
    if (__builtin_expect(!bus_is_video(physical), 1))
        return b->write;
    const model_bus *times = &b->model->bus;
    return bus_takes(b, bus_video_transfers(b, physical, size) * times->video_write, times->idle_after_write);
}

/* Returns `halves` / half_ratio. The inverse is too large by less than 1 in the last of its 32 places, and
 * the product by less than `halves` of them. This does not change the quotient as long as `halves` times
 * half_ratio (at most 7, model_fields.c) is below 2^32. Larger values are divided. */
static inline uint64_t bus_in_clocks(const bus *b, uint64_t halves)
{
    return halves >> 24 == 0 ? halves * b->inverse_ratio >> 32 : halves / b->half_ratio;
}

/* Returns the first bus clock from core clock `asked` on in which the bus is free. Most requests come while
 * the bus is in use or soon afterwards, so only the clocks after `free` are divided. */
static inline __attribute__((always_inline)) bus_clock bus_first_free(const bus *b, uint64_t asked)
{
    if (2 * asked <= b->begun)
        return (bus_clock){b->free, b->begun};
    uint64_t ratio = b->half_ratio, beyond = 2 * asked - b->begun + ratio - 1;
    uint64_t n = bus_in_clocks(b, beyond);
    return (bus_clock){b->free + n, b->begun + n * ratio};
}

/* Runs a cycle that begins in bus clock `at` and takes `time`; returns its end in core clocks. `own` is as in
 * bus_mark_busy. The caller checks bus_log_full. */
static inline uint64_t bus_cycle(bus *b, bus_clock at, bus_time time, bool own)
{
    const uint64_t from = (at.half + 1) / 2, end = (at.half + time.busy + 1) / 2; /* as bus_core_clock */
    b->free = at.n + time.clocks;
    b->begun = at.half + time.halves;
    bus_mark_busy(b, from, end, own);
    return end;
}

/* Arbitrates when the second processor was the last to own the bus: PBREQ# is active until the bus is free and
 * PBGNT# comes. Returns the bus clock of the cycle's ADS#. */
bus_clock bus_arbitrate(bus *b, uint64_t asked);

/* Returns the bus clock of the ADS# of a cycle requested in core clock `asked`. `shared`: there may be a second
 * processor. */
static inline __attribute__((always_inline)) bus_clock bus_start(bus *b, uint64_t asked, bool shared)
{
    return shared && __builtin_expect(b->lost, 0) ? bus_arbitrate(b, asked) : bus_first_free(b, asked);
}

/* Runs a cycle of the processor. `make_space`: also makes space in the log for the next one. */
static inline __attribute__((always_inline)) uint64_t bus_cycle_logged(bus *b, bus_clock at, bus_time time,
                                                                       bool make_space)
{
    uint64_t end = bus_cycle(b, at, time, true);
    if (make_space && __builtin_expect(bus_log_full(&b->log), 0))
        bus_log_make_space(&b->log);
    return end;
}

/* Runs the burst that reads a line. Without `whole`, `part` of the result is not set, and no space is made in the
 * log. The part of `physical` comes first. */
static inline __attribute__((always_inline)) bus_line bus_line_cycle(bus *b, bus_clock at, uint32_t physical,
                                                                     bool whole)
{
    const unsigned wanted = (physical >> 3) & 3;
    board_place place = board_read(&b->board, physical, true, at.n);
    bus_line line;
    line.first = (at.half + b->part[place][wanted][wanted] + 1) / 2;
    for (unsigned part = 0; whole && part < 4; part++)
        line.part[part] = (at.half + b->part[place][wanted][part] + 1) / 2;
    line.last = bus_cycle_logged(b, at, b->line[place], whole);
    return line;
}

/* Fills a line, starting with the 8 bytes at `physical`. */
static inline bus_line bus_read_line(bus *b, uint64_t asked, uint32_t physical)
{
    return bus_line_cycle(b, bus_start(b, asked, true), physical, true);
}

#endif
