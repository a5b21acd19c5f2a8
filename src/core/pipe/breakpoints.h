/* The breakpoint comparators behind DR0-DR3 as the monitor sees them: events 23h-26h count matches whether or
 * not DR7 enables the breakpoint (273204, 26.4.6). Delivering #DB is not their business.
 *
 *   DR7:  31 30  29 28  27 26  25 24  23 22  21 20  19 18  17 16          7  6  5  4  3  2  1  0
 *         LEN3   R/W3   LEN2   R/W2   LEN1   R/W1   LEN0   R/W0   ...    G3 L3 G2 L2 G1 L1 G0 L0 */
#ifndef CORE_PIPE_BREAKPOINTS_H
#define CORE_PIPE_BREAKPOINTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "p5scope/core.h"

enum { BREAKPOINTS = 4 };

/* R/W of DR7: what a breakpoint compares with. */
typedef enum breakpoint_kind {
    BREAKPOINT_CODE,
    BREAKPOINT_WRITE,
    BREAKPOINT_PORT, /* only with CR4.DE */
    BREAKPOINT_DATA
} breakpoint_kind;

typedef struct breakpoint {
    uint32_t address, last; /* first and last byte that it covers */
    uint8_t kind;           /* breakpoint_kind */
    bool enabled;           /* L or G */
} breakpoint;

typedef struct breakpoints {
    bool active; /* a debug register was written since RESET: there is something to compare */
    bool ports;  /* CR4.DE */
    breakpoint all[BREAKPOINTS];
} breakpoints;

extern const snapshot_table breakpoints_state;
/* True if code breakpoints lie where none did. */
bool breakpoints_set(breakpoints *b, const p5_debug *debug);
/* Only instructions can match, each time that they are executed in U, and nothing but the count comes of it.
 */
bool breakpoints_count_only(const breakpoints *b);
/* A code breakpoint lies in these bytes. */
bool breakpoints_within(const breakpoints *b, uint32_t address, uint32_t bytes);
/* Which of the four match an instruction at `address` (bit n = DRn). Breakpoints that are not enabled look at
 * the U pipe alone. */
unsigned breakpoints_code(const breakpoints *b, uint32_t address, bool in_v);
/* Which of the four DR7 enables. */
unsigned breakpoints_enabled(const breakpoints *b);
/* Which of the four match a data or port reference. */
unsigned breakpoints_access(const breakpoints *b, const p5_access *access);

#endif
