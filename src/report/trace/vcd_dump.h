/* The text of a value change dump: its signals, and their changes in order of time.
 *
 * Changes arrive out of order: the clock at which a pipe becomes free is known before the next instruction
 * is, and pins lag by some clocks. A queue sorts them by time. Uses of the bus, which are most of a dump,
 * arrive in order. */
#ifndef REPORT_TRACE_VCD_DUMP_H
#define REPORT_TRACE_VCD_DUMP_H

#include "report/trace/sink.h"
#include "report/trace/time_queue.h"

/* The most bytes of a text value. */
enum { VCD_TEXT_BYTES = 100 };
#define VCD_UNKNOWN UINT64_MAX /* the value x */

typedef struct vcd_signal {
    const char *scope, *type, *name;
    unsigned bits;  /* 0: its value is a text */
    uint64_t value; /* as last written */
    char *text;     /* as last written, without blanks; NULL: none */
    bool hidden;
} vcd_signal;

/* Signals of every machine. The registers of a later monitor and the columns of the trace follow. */
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
    VCD_ADDRESS, /* of the next instruction */
    VCD_INSN,
    VCD_PIPE_ADDRESS, /* of the instruction in EX of U; V follows */
    VCD_PIPE_INSN,
    VCD_V_ADDRESS,
    VCD_V_INSN,
    VCD_COLUMNS
};
/* The state of the bus from `clock` on. */
typedef struct bus_edge {
    uint64_t clock;
    bool busy, other;
} bus_edge;

typedef struct vcd_dump {
    p5_trace *trace;
    time_queue queue;       /* changes not written yet, except for the bus */
    uint64_t order;         /* of the next change */
    ARRAY_OF(bus_edge) bus; /* ascending by clock */
    size_t bus_written;     /* number of edges written */
    vcd_signal *signals;    /* `what` of a change is an index of it */
    size_t signal_count;
    uint32_t first_register, first_column; /* of the monitor's registers and of the columns */
    bool begun;
    uint64_t time;            /* as last written */
    uint64_t bus_clock_edges; /* number of the next edge of the bus clock */
    bool bus_clock;           /* the bus clock is running */
} vcd_dump;

/* Returns true without an interval. There is then a row per instruction, and the dump shows the pipes instead
 * of the program's place at each row. */
bool vcd_shows_pipes(const p5_trace *trace);
/* Opens a dump that is all zero. Returns false when memory is out. */
bool vcd_dump_open(vcd_dump *dump, p5_trace *trace);
void vcd_dump_close(vcd_dump *dump);
void vcd_declare(const vcd_dump *dump);
/* Writes section `name`, at `clock` or at the last change if that is later: the value of every signal, or
 * unknown values. */
void vcd_section(vcd_dump *dump, const char *name, uint64_t clock, bool known);
/* Adds a change of `what` and sets its order. `text` becomes the dump's. */
void vcd_add(vcd_dump *dump, timed change);
/* Adds uses of the bus. */
void vcd_add_bus(vcd_dump *dump, const p5_bus_use *uses, size_t count);
/* Starts showing the bus clock at core clock `clock`. */
void vcd_start_bus_clock(vcd_dump *dump, uint64_t clock);
void vcd_stop_bus_clock(vcd_dump *dump);
/* Writes all changes before `clock`. */
void vcd_write_before(vcd_dump *dump, uint64_t clock);

#endif
