/* The processor's 64-bit bus: which cycle runs when. Cycles run in the order in which they are asked for
 * here, which is the processor's order (241428, 6): older buffered writes before reads, write-backs after
 * the fill that caused them.
 *
 * The bus clock is slower than the core clock by model->half_ratio / 2; bus clock n begins at half core clock
 * n * half_ratio. A request of core clock c is driven at the first bus clock edge at or after c; what a bus
 * clock brings is seen by the core at the first core clock edge at or after its end. Everything outside this
 * file is in core clocks. */
#ifndef CORE_BUS_BUS_H
#define CORE_BUS_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bus/board.h"
#include "core/event/counts.h"

/* How many uses of the bus are kept at least; how many more there is room for when nobody is told of them,
 * and when somebody is. */
enum { BUS_RECENT = 16, BUS_UNTOLD = 32, BUS_TOLD = 112 };
enum { BUS_CYCLES = 4 }; /* of one data reference at most: two lines, and two that made room for them */

/* The last uses of the bus, in order of time and without overlap. */
typedef struct bus_log {
    p5_bus_use *uses; /* room for all of them; */
    p5_bus_use *next; /* ... the next one's place, behind BUS_RECENT at least, */
    p5_bus_use *end;  /* ... from where on there is none, or only for some more cycles, */
    p5_bus_use *told; /* ... the first of which nobody has been told */
    void (*tell)(void *context, const p5_bus_use *uses, size_t count); /* NULL: nobody is */
    void *context;
} bus_log;

/* A bus clock: its number, and the half core clock at which it begins. */
typedef struct bus_clock {
    uint64_t n, half;
} bus_clock;

/* How long a cycle takes: bus clocks with the idle ones behind it, half core clocks without and with them. */
typedef struct bus_time {
    uint32_t clocks;
    uint64_t busy, halves;
} bus_time;

typedef struct bus {
    const p5_model *model;
    counts *totals;
    unsigned class; /* P5_CPL_* of what is running */
    board board;
    uint64_t free;                     /* bus clock from which the next ADS# may be driven */
    uint64_t begun;                    /* half core clock at which bus clock `free` begins */
    uint64_t unlocked;                 /* bus clock from which the next locked sequence may start */
    bus_time write, write_back;        /* of a write of up to 8 bytes and of a modified line, */
    bus_time line[BOARD_PLACES];       /* ... of the read of a line, */
    uint64_t part[BOARD_PLACES][4][4]; /* ... half core clocks of it, by the part that comes first, to the end
                                          of each part */
    uint64_t half_ratio;
    uint64_t inverse_ratio; /* 2^32 / half_ratio, rounded up */
    bool lost;              /* the second processor had the bus last */
    bus_log log;
    uint64_t own, foreign;             /* core clocks of all cycles so far, also those still to come */
    uint64_t counted_all, counted_own; /* ... that are in the totals */
    uint64_t taken;                    /* `own` when it was looked at last: for the profile */
    uint64_t bytes[2][P5_CPL_CLASSES]; /* of cycles of the processor: read, written */
} bus;

/* When the 8-byte parts of a line arrive, by their place in the line; `first` is the one asked for, `last`
 * the latest. */
typedef struct bus_line {
    uint64_t part[4], first, last;
} bus_line;

/* In either direction. Loading: after bus_init with the same model. */
void bus_transfer(bus *b, snapshot *s);
extern const snapshot_table bus_state, bus_use_state;
bool bus_init(bus *b, const p5_model *model, counts *totals);
void bus_free(bus *b);
void bus_reset(bus *b);

/* `tell` is called with `context` for the uses of the bus from now on, many at once; NULL: nobody is told of
 * them. bus_tell: now for those so far. */
void bus_on_use(bus *b, void (*tell)(void *context, const p5_bus_use *uses, size_t count), void *context);
void bus_tell(bus *b);
/* Makes room for uses. */
void bus_log_turn(bus_log *log);
/* An empty log in `uses`, which has room for BUS_RECENT + BUS_UNTOLD. */
bus_log bus_log_in(p5_bus_use *uses);

/* Each is asked for in core clock `asked` and answers in core clocks. */
/* Read of up to 8 bytes of RAM; answers when the data has arrived. */
uint64_t bus_read_single(bus *b, uint64_t asked, uint32_t physical);
/* The same of any memory: video memory has a bus of its own behind this one. */
uint64_t bus_read_data(bus *b, uint64_t asked, uint32_t physical, unsigned size);
/* Write of up to 8 bytes; answers when it has ended. */
uint64_t bus_write(bus *b, uint64_t asked);
uint64_t bus_locked_read(bus *b, uint64_t asked);
uint64_t bus_locked_write(bus *b, uint64_t asked);
uint64_t bus_io(bus *b, uint64_t asked, bool write);
/* Another master has the bus, or AHOLD or BOFF# is active, for `bus_clocks`. */
uint64_t bus_foreign(bus *b, uint64_t asked, uint32_t bus_clocks);

/* Clock edge from `asked` on at which the bus is free. */
uint64_t bus_next_free(const bus *b, uint64_t asked);
/* Bus clock that begins at or after core clock `clock`, and core clock at which bus clock `n` has begun. */
uint64_t bus_clock_at(const bus *b, uint64_t clock);
uint64_t bus_core_clock(const bus *b, uint64_t n);

/* Core clocks in which the bus was in use up to `clock`; changes nothing. */
typedef struct bus_use {
    uint64_t all, own;
} bus_use;
bus_use bus_used(const bus *b, uint64_t clock);
/* Counts the utilisation events (18h, 2Eh/0) up to core clock `clock`. */
void bus_advance(bus *b, uint64_t clock);

#endif
