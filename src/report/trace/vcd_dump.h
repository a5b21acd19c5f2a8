/* The text of a value change dump: its signals, and their changes in order of time.
 *
 * Changes arrive out of order: a pipe becomes free later than the next instruction is known, a pin follows
 * some clocks later. They wait in a queue by time. The uses of the bus, most of a dump, arrive in order. */
#ifndef REPORT_TRACE_VCD_DUMP_H
#define REPORT_TRACE_VCD_DUMP_H

#include "report/trace/sink.h"
#include "report/trace/time_queue.h"

/* Of a text that stands for a value. */
enum { VCD_TEXT_BYTES = 100 };
#define VCD_UNKNOWN UINT64_MAX /* as a value: x */

typedef struct vcd_signal {
    const char *scope, *type, *name;
    unsigned bits;  /* 0: its value is a text */
    uint64_t value; /* as last written */
    char *text;     /* likewise, without blanks; NULL: nothing is there */
    bool hidden;
} vcd_signal;

/* The signals of every machine; the registers of a later monitor and the columns of the trace follow. */
enum {
    VCD_PM0,
    VCD_PM1,
    VCD_BP,
    VCD_IERR,
    VCD_BUS_CLOCK,
    VCD_BUS_BUSY,
    VCD_BUS_OTHER,
    VCD_BTM,
    VCD_BTM_ADDRESS,
    VCD_CESR,
    VCD_CTR0,
    VCD_CTR1,
    VCD_CPL,
    VCD_ADDRESS, /* of the instruction that comes next */
    VCD_INSN,
    VCD_PIPE_ADDRESS, /* of what is in EX of U; V follows */
    VCD_PIPE_INSN,
    VCD_V_ADDRESS,
    VCD_V_INSN,
    VCD_COLUMNS
};
/* From `clock` on. */
typedef struct bus_edge {
    uint64_t clock;
    bool busy, other;
} bus_edge;

typedef struct vcd_dump {
    p5_trace *trace;
    time_queue queue;       /* changes that have not been written, but for the bus */
    uint64_t order;         /* of the next change */
    ARRAY_OF(bus_edge) bus; /* ascending by clock */
    size_t bus_written;     /* so many of them */
    vcd_signal *signals;    /* `what` of a change is one of their numbers */
    size_t signal_count;
    uint32_t first_register, first_column; /* the monitor's registers, the columns */
    bool begun;
    uint64_t time;            /* as last written */
    uint64_t bus_clock_edges; /* number of the next edge of the bus clock */
    bool bus_clock;           /* there is another one */
} vcd_dump;

/* Without an interval there is a row after each instruction. Then the pipes are shown, not where the program
 * is at a row. */
bool vcd_shows_pipes(const p5_trace *trace);
/* `dump` is all zero. False: out of memory. */
bool vcd_dump_open(vcd_dump *dump, p5_trace *trace);
void vcd_dump_close(vcd_dump *dump);
void vcd_declare(const vcd_dump *dump);
/* Writes section `name`, at `clock` or where the last change is: the value of every signal, or that none is
 * known. */
void vcd_section(vcd_dump *dump, const char *name, uint64_t clock, bool known);
/* A change of `what`, whose order is made here; `text` becomes the dump's. */
void vcd_add(vcd_dump *dump, timed change);
/* Further uses of the bus. */
void vcd_add_bus(vcd_dump *dump, const p5_bus_use *uses, size_t count);
/* The bus clock is shown from core clock `clock` on. */
void vcd_start_bus_clock(vcd_dump *dump, uint64_t clock);
void vcd_stop_bus_clock(vcd_dump *dump);
/* Writes everything that happens before `clock`. */
void vcd_write_before(vcd_dump *dump, uint64_t clock);

#endif
