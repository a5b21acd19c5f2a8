/* The breakpoint comparators of DR0-DR3 as the monitor sees them: events 23h-26h count matches whether or not
 * DR7 enables the breakpoint (273204, 26.4.6). The engine delivers #DB.
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

/* What a breakpoint compares with: R/W of DR7. */
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
    bool active; /* a debug register was written since RESET, so breakpoints have to be compared */
    bool ports;  /* CR4.DE */
    breakpoint all[BREAKPOINTS];
} breakpoints;

extern const snapshot_table breakpoints_state;
/* Sets the breakpoints from the debug registers. Returns true if there is now a code breakpoint at an address that had
 * none. */
bool breakpoints_set(breakpoints *b, const p5_debug *debug);
/* Returns true if only instructions executed in U can match, and a match does nothing but count: no breakpoint is
 * enabled or for data. */
bool breakpoints_count_only(const breakpoints *b);
/* Returns whether a code breakpoint lies in the `bytes` from `address` on. */
bool breakpoints_within(const breakpoints *b, uint32_t address, uint32_t bytes);
/* Returns which of the four match an instruction at `address` (bit n = DRn). Breakpoints that are not enabled
 * match in the U pipe only. */
unsigned breakpoints_code(const breakpoints *b, uint32_t address, bool in_v);
/* Returns which of the four DR7 enables by L or G (bit n = DRn). */
unsigned breakpoints_enabled(const breakpoints *b);
/* Returns which of the four match a data or port reference (bit n = DRn). */
unsigned breakpoints_access(const breakpoints *b, const p5_access *access);

#endif
