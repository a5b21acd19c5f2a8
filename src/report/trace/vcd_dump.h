/* The text of a value change dump: its signals, and their changes in order of time. Times are core clocks.
 *
 * Changes arrive out of order: the clock at which a pipe becomes free is known before the next instruction
 * is, and pins lag by some clocks. A queue sorts them by time. Uses of the bus, which are most of a dump,
 * arrive in order and have an array of their own. */
#ifndef REPORT_TRACE_VCD_DUMP_H
#define REPORT_TRACE_VCD_DUMP_H

#include "report/trace/sink.h"
#include "report/trace/time_queue.h"

enum { VCD_TEXT_BYTES = 100 }; /* most bytes of a text value, with its NUL */
#define VCD_UNKNOWN UINT64_MAX /* the value x */

typedef struct vcd_signal {
    const char *scope; /* group of signals */
    const char *type;  /* kind of variable: wire, reg or string */
    const char *name;
    unsigned bits;  /* 0: its value is a text */
    uint64_t value; /* as last written; VCD_UNKNOWN: x */
    char *text;     /* as last written, without blanks; NULL: none */
    bool hidden;    /* this dump does not have the signal */
} vcd_signal;

/* Signals of every machine. The registers of a later monitor and the columns of the trace follow. */
enum {
    VCD_PM0,
    VCD_PM1,
    VCD_BP, /* BP0-BP3: matches of the breakpoint addresses */
    VCD_IERR,
    VCD_BUS_CLOCK,
    VCD_BUS_BUSY,
    VCD_BUS_OTHER,   /* busy because of another bus master */
    VCD_BTM,         /* branch trace message: 1 with the branch's address, 2 with the target's, 0 none */
    VCD_BTM_ADDRESS, /* of the last one */
    VCD_CESR,
    VCD_CTR0,
    VCD_CTR1,
    VCD_CPL,
    VCD_ADDRESS, /* of the next instruction */
    VCD_INSN,
    VCD_PIPE_ADDRESS, /* of the instruction in EX of U; those of V are two numbers higher */
    VCD_PIPE_INSN,
    VCD_V_ADDRESS,
    VCD_V_INSN,
    VCD_COLUMNS /* number of these signals */
};

/* The state of the bus from `clock` on. */
typedef struct bus_edge {
    uint64_t clock;
    bool busy;  /* it is in use */
    bool other; /* by a bus master other than the processor */
} bus_edge;

typedef struct vcd_dump {
    p5_trace *trace;
    time_queue queue;       /* changes not written yet, except for the bus */
    uint64_t order;         /* of the next change; changes at the same clock are written in this order */
    ARRAY_OF(bus_edge) bus; /* changes of the bus, ascending by clock */
    size_t bus_written;     /* how many of them have been written */
    vcd_signal *signals;    /* a change's `what` is the index of its signal */
    size_t signal_count;
    uint32_t first_register;  /* signal of the first register of the monitor */
    uint32_t first_column;    /* signal of the trace's first column */
    bool begun;               /* the first section has been written */
    uint64_t time;            /* as last written */
    uint64_t bus_clock_edges; /* number of the next edge of the bus clock, from clock 0; even ones rise */
    bool bus_clock;           /* the bus clock is shown and running */
} vcd_dump;

/* Returns true if the options have no interval. There is then a row per instruction, and the dump shows which instruction
 * is in EX of each pipe; otherwise it shows the program's place at each row. */
bool vcd_shows_pipes(const p5_trace *trace);
/* Opens a dump, whose struct must be all zero. Returns false when memory is out. */
bool vcd_dump_open(vcd_dump *dump, p5_trace *trace);
void vcd_dump_close(vcd_dump *dump);
/* Writes the declarations of the signals. */
void vcd_declare(const vcd_dump *dump);
/* Writes the section `name` ("$dumpvars", "$dumpoff"), at `clock` or at the last change if that is later: the value of
 * every signal, or if not `known`, unknown values. */
void vcd_section(vcd_dump *dump, const char *name, uint64_t clock, bool known);
/* Queues a change of the signal change.what to change.value, or to change.text if its value is a text, which the dump then
 * owns. Sets change.order. */
void vcd_add(vcd_dump *dump, timed change);
/* Adds uses of the bus, in order of time. */
void vcd_add_bus(vcd_dump *dump, const p5_bus_use *uses, size_t count);
/* Starts showing the bus clock at core clock `clock`. */
void vcd_start_bus_clock(vcd_dump *dump, uint64_t clock);
/* Stops the bus clock: its edges that are not written yet are dropped. */
void vcd_stop_bus_clock(vcd_dump *dump);
/* Writes all changes before `clock`, and ends the record of the file. */
void vcd_write_before(vcd_dump *dump, uint64_t clock);

#endif
