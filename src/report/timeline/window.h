/* A window: consecutive executed instructions with their clocks in each stage, captured from the core's trace. A *trip*
 * is one iteration of the loop that a case or `bench` measures. A window of another run is one trip. */
#ifndef REPORT_TIMELINE_WINDOW_H
#define REPORT_TIMELINE_WINDOW_H

#include "isa/isa.h"
#include "p5tool/event.h"
#include "p5tool/report.h"
#include "report/json_writer.h"

typedef struct window_insn {
    p5_trace_insn trace;
    unsigned trip; /* the one it belongs to; 0 = the first captured */
    char text[80]; /* disassembly */
} window_insn;

struct p5_window {
    window_insn *items;
    size_t count, capacity;
    unsigned first_trip; /* number of the first captured trip in the run, from 1 */
    unsigned trips;      /* whole trips captured */
    unsigned run_trips;  /* trips of the whole run */
    uint64_t left_out;   /* instructions after the last one that were executed but are not in `items` */
    /* EX clock of the instruction after the last one. In a trace, and if the run ended there, the clock at which EX was
     * free after the last one. */
    uint64_t end;
};

/* An instruction that held another one back. */
typedef enum window_wait_kind {
    WAIT_REGISTER,    /* both could have been a pair, but for a register that the first writes */
    WAIT_ADDRESS,     /* AGI */
    WAIT_X87,         /* ST(i) was not ready */
    WAIT_UNIT,        /* the x87 unit or multiplier was busy, or the status word not complete */
    WAIT_MMX,         /* an MMX register was not ready */
    WAIT_WRITE_BUFFER /* the write buffer was full */
} window_wait_kind;
typedef struct window_wait {
    size_t by; /* index of the instruction that held it back */
    window_wait_kind kind;
    /* The register, such as "eax", "st(1)" or "mm0"; "" if the reason is no register, or one that both write. */
    char reg[8];
} window_wait;
enum { WINDOW_WAITS = 3 };
/* Finds the instructions of the window that held back the instruction with index `i`, and returns how many it
 * found. Flags hold nothing back: a branch pairs with the instruction that sets them, and ADC and SBB run in U. */
size_t window_waits(const p5_window *window, size_t i, window_wait waits[WINDOW_WAITS]);
/* Returns the kind as JSON and pictures name it, for example "address". */
const char *window_wait_name(window_wait_kind kind);

/* Clocks in which D1 had no instruction to take. */
typedef struct window_gap {
    uint64_t from, to; /* core clocks [from, to); equal: there is no gap */
    /* Owner of those clocks of the gap in which EX was empty because of it; P5_STALL_ISSUE: EX was not empty. */
    p5_stall owner;
} window_gap;
/* Returns the gap before instruction `i`. An instruction in V has none, because it enters D1 with its partner. */
window_gap window_gap_before(const p5_window *window, size_t i);

/* Returns the first core clock at which pictures show an instruction: that of PF, or of D1 if it is earlier. */
static inline uint64_t window_first_clock(const p5_trace_insn *insn)
{
    return insn->pf < insn->d1 ? insn->pf : insn->d1;
}
/* Returns the first core clock that pictures of the window show: the earliest PF or D1. */
uint64_t window_start(const p5_window *window);
/* Pictures show the first instructions of a window only; browsers show more of them slowly. */
enum { WINDOW_DRAWN = 2000 };
/* Returns the part of the window that pictures show; its items are those of `window`. */
p5_window window_drawn(const p5_window *window);
/* Draws the window as an element <svg>. Returns false if memory is out. */
bool window_draw(FILE *out, const p5_window *window, const char *title);
/* Writes instruction `i` as a JSON object, with clocks relative to `start`. */
void window_put_insn(json_writer *json, const p5_window *window, size_t i, uint64_t start);

#endif
