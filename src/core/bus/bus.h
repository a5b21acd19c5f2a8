/* The processor's 64-bit bus: schedules its cycles. Cycles run in the order of the calls, which is the
 * processor's order (241428, 6): older buffered writes before reads, write-backs after the fill that caused
 * them.
 *
 * The bus clock is slower than the core clock by model->half_ratio / 2; bus clock n begins at half core clock
 * n * half_ratio. A request of core clock c is driven at the first bus clock edge at or after c. The core
 * sees the result of a bus clock at the first core clock edge at or after its end. Everything outside this
 * file is in core clocks. */
#ifndef CORE_BUS_BUS_H
#define CORE_BUS_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/bus/board.h"
#include "core/event/counts.h"

/* The number of latest bus uses that the log always keeps, and its space for further uses without and with a
 * callback. */
enum { BUS_RECENT = 16, BUS_UNREPORTED = 32, BUS_REPORTED = 112 };
/* Most cycles of one data reference: two lines, and two write-backs that make room for them. */
enum { BUS_CYCLES = 4 };

/* The latest uses of the bus, in order of time and without overlap. */
typedef struct bus_log {
    p5_bus_use *uses;       /* the array */
    p5_bus_use *next;       /* where the next use goes, at least BUS_RECENT after the start */
    p5_bus_use *end;        /* when `next` gets here, the log counts as full, although BUS_CYCLES more fit */
    p5_bus_use *unreported; /* the first use that was not yet passed to `report` */
    void (*report)(void *context, const p5_bus_use *uses, size_t count); /* callback, or NULL */
    void *context;
} bus_log;

/* A bus clock: its number, and the half core clock at which it begins. */
typedef struct bus_clock {
    uint64_t n, half;
} bus_clock;

/* Duration of a cycle. The idle clocks after it count in `clocks` and `halves`. */
typedef struct bus_time {
    uint32_t clocks;       /* bus clocks */
    uint64_t busy, halves; /* half core clocks, without and with the idle clocks */
} bus_time;

typedef struct bus {
    const p5_model *model;
    counts *totals; /* where events are counted; the owner's */
    unsigned class; /* P5_CPL_* of the running code, for which they are counted; the owner sets it */
    board board;
    uint64_t free;                     /* bus clock from which the next ADS# may be driven */
    uint64_t begun;                    /* half core clock at which bus clock `free` begins */
    uint64_t unlocked;                 /* bus clock from which the next locked sequence may start */
    bus_time write, write_back;        /* of a write of up to 8 bytes, and of a modified line */
    bus_time line[BOARD_PLACES];       /* of the read of a line */
    uint64_t part[BOARD_PLACES][4][4]; /* half core clocks from the start of a line's read to the end of each
                                          part, by the part that comes first */
    uint64_t half_ratio;               /* half core clocks per bus clock */
    uint64_t inverse_ratio;            /* 2^32 / half_ratio, rounded up */
    bool lost;                         /* the second processor was the last to own the bus */
    bus_log log;
    uint64_t own, foreign;             /* core clocks of all cycles so far, including cycles still in the
                                          future */
    uint64_t counted_all, counted_own; /* clocks of all uses, and of the processor's, already in the totals */
    uint64_t taken;                    /* `own` at the last call of bus_taken, for the profile */
    /* Bytes read and written by the processor's cycles; the owner adds them. */
    uint64_t bytes[2][P5_CPL_CLASSES];
} bus;

/* The core clocks at which the 8-byte parts of a line arrive, by their place in the line. `first` is that of the
 * requested part, `last` the end of the burst. */
typedef struct bus_line {
    uint64_t part[4], first, last;
} bus_line;

/* Saves or restores the bus. Before restoring, bus_init must have been called with the same model. */
void bus_transfer(bus *b, snapshot *s);
extern const snapshot_table bus_state, bus_use_state;
/* Sets the state after RESET. Returns false if memory runs out; bus_free frees what there is. */
bool bus_init(bus *b, const p5_model *model, counts *totals);
void bus_free(bus *b);
/* Resets the board (L2 and DRAM). The bus itself is not changed. */
void bus_reset(bus *b);

/* Sets the callback for further uses of the bus; it is called with `context` for many uses at once. NULL:
 * none. bus_report calls it now for the uses so far. */
void bus_on_use(bus *b, void (*report)(void *context, const p5_bus_use *uses, size_t count), void *context);
void bus_report(bus *b);
/* Makes space in the log, and calls the callback. */
void bus_log_make_space(bus_log *log);

/* The cycles below are requested in core clock `asked` and return core clocks. */
/* Reads up to 8 bytes of RAM; returns the clock at which the data arrives. */
uint64_t bus_read_single(bus *b, uint64_t asked, uint32_t physical);
/* Reads from any memory. Video memory has a bus of its own beyond this one. */
uint64_t bus_read_data(bus *b, uint64_t asked, uint32_t physical, unsigned size);
/* Writes up to 8 bytes of RAM; returns the clock at which the write ends. */
uint64_t bus_write(bus *b, uint64_t asked);
/* Run the read and the write of a locked read-modify-write (LOCK#); return the clock at which the cycle ends. */
uint64_t bus_locked_read(bus *b, uint64_t asked);
uint64_t bus_locked_write(bus *b, uint64_t asked);
/* Runs an I/O cycle; returns the clock at which it ends. */
uint64_t bus_io(bus *b, uint64_t asked, bool write);
/* Gives the bus to another master, or lets AHOLD or BOFF# be active, for `bus_clocks`, as soon as the bus is free.
 * Returns the clock at which that ends. */
uint64_t bus_foreign(bus *b, uint64_t asked, uint32_t bus_clocks);

/* Returns the first clock edge from `asked` on at which the bus is free. */
uint64_t bus_next_free(const bus *b, uint64_t asked);
/* Return the bus clock that begins at or after core clock `clock`, and the core clock at which bus clock `n`
 * has begun. */
uint64_t bus_clock_at(const bus *b, uint64_t clock);
uint64_t bus_core_clock(const bus *b, uint64_t n);

/* Core clocks up to `clock` in which the bus was in use: by anyone, and by the processor. bus_used changes
 * nothing. */
typedef struct bus_use {
    uint64_t all, own;
} bus_use;
bus_use bus_used(const bus *b, uint64_t clock);
/* Counts the utilisation events (18h, 2Eh/0) up to core clock `clock`. */
void bus_advance(bus *b, uint64_t clock);

#endif
