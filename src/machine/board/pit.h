/* The 8254 programmable interval timer. Times are numbers of its input clock's pulses (1.193182 MHz) since the
 * start. A counter does not count: its state at any pulse is computed from the pulse at which it was loaded. Intel
 * 8254 data sheet (231164). */
#ifndef MACHINE_BOARD_PIT_H
#define MACHINE_BOARD_PIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"

enum { PIT_COUNTER0 = 0x40, PIT_CONTROL = 0x43, PIT_COUNTERS = 3 };

typedef struct pit_counter {
    uint8_t mode;   /* 0-5 */
    uint8_t access; /* 1 low byte, 2 high byte, 3 low then high */
    bool bcd;
    bool gate;
    bool loaded;      /* the counting element has a count */
    bool counting;    /* false while the gate stops it */
    int64_t since;    /* pulse at which it was loaded or counting resumed */
    int64_t before;   /* pulses counted before `since`; -1 delays the count by a pulse (pit_set_gate) */
    uint32_t count;   /* loaded count: 1 to 65536 (10000 in BCD) */
    uint32_t next;    /* pending count, loaded at a trigger (modes 1, 5) or at the end of a period; 0: none */
    uint32_t written; /* the count register, as written */
    uint8_t write_low;                    /* the low byte, while write_high_next */
    bool write_high_next, read_high_next; /* access 3: the next byte is the high one */
    uint8_t latched;                      /* unread bytes of the latched count */
    uint16_t latch;                       /* the latched count */
    bool status_latched;
    uint8_t status; /* the latched status */
} pit_counter;

typedef struct pit {
    pit_counter counters[PIT_COUNTERS];
} pit;

#define PIT_NEVER INT64_MAX

extern const snapshot_table pit_state;
void pit_reset(pit *p);
/* Access a port, change the gate of a counter, return its OUT. `now` is the number of the last pulse. */
uint8_t pit_read(pit *p, uint16_t port, int64_t now);
void pit_write(pit *p, uint16_t port, uint8_t value, int64_t now);
void pit_set_gate(pit *p, unsigned counter, bool gate, int64_t now);
bool pit_out(const pit *p, unsigned counter, int64_t now);
/* Returns the first pulse after `now` at which OUT rises, or PIT_NEVER if it does not rise without further writes. */
int64_t pit_next_rise(const pit *p, unsigned counter, int64_t now);

#endif
