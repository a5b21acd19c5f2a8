/* The text of a value change dump. What it shows is told in batches, which may be put aside in between: all
 * that is kept here belongs to whoever makes text of them. */
#ifndef REPORT_TRACE_VCD_TEXT_H
#define REPORT_TRACE_VCD_TEXT_H

#include "p5scope/core.h"
#include "report/trace/file.h"
#include "report/trace/time_queue.h"

/* The signals; the columns of the trace follow. */
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
#define VCD_UNKNOWN UINT64_MAX /* as a value: x; of a text: - */

typedef struct vcd_signal {
    const char *scope, *type, *name;
    unsigned bits;
    uint64_t initial;
} vcd_signal;

extern const vcd_signal vcd_signals[VCD_COLUMNS];

/* Room for the characters of a signal's identifier. */
enum { VCD_IDENTIFIER_BYTES = 8 };
const char *vcd_identifier(uint32_t signal, char text[VCD_IDENTIFIER_BYTES]);

enum { VCD_USES = 512 };

/* A batch. Changes and uses of the bus may come after `before`, but behind this batch nothing comes that was
 * earlier. */
typedef struct vcd_told {
    uint64_t before;
    enum { VCD_CLOCK_STAYS, VCD_CLOCK_STARTS, VCD_CLOCK_STOPS } bus_clock; /* is shown from ... */
    uint64_t bus_clock_from;                                               /* ... this core clock on */
    ARRAY_OF(timed) changes;   /* of all but the bus: `what` is the signal that has another value */
    size_t use_count;          /* of the bus, ... */
    p5_bus_use uses[VCD_USES]; /* ... in order of time, behind those of the batch before */
} vcd_told;

typedef struct vcd_text vcd_text;

/* Of `signals` signals, columns included; a bus clock has `half_ratio` half core clocks. `file` is the
 * caller's. NULL: out of memory. */
vcd_text *vcd_text_open(trace_file *file, size_t signals, unsigned half_ratio);
void vcd_text_close(vcd_text *v);
/* The value of VCD_INSN and the like that stands for a text, without blanks. By the thread that tells. */
uint64_t vcd_text_string(vcd_text *v, const char *string);
/* The dump begins at `clock`, with what is known then of all signals but those whose bit is set in
 * `left_out`. */
void vcd_text_begin(vcd_text *v, uint64_t clock, uint32_t left_out);
/* It ends at `clock`, or where its last change is: nothing is known of what comes then. */
void vcd_text_end(vcd_text *v, uint64_t clock);
/* Writes everything that happens before `told->before` and has not been written. False: out of memory. */
bool vcd_text_write(vcd_text *v, const vcd_told *told);

#endif
