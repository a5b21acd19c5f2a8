/* The real-time clock and CMOS memory of a PC. Motorola MC146818A data sheet; cells above 0Dh as in the PC/AT. */
#ifndef MACHINE_BOARD_RTC_H
#define MACHINE_BOARD_RTC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "machine/board/date.h"

enum { RTC_HZ = 32768, RTC_CELLS = 128, RTC_CENTURY = 0x32 };

typedef struct rtc {
    uint8_t index;            /* the cell selected by port 70h */
    uint8_t cells[RTC_CELLS]; /* all cells except the time: alarm, registers A-D, memory */
    date time;                /* binary, whatever the cells' format */
    uint64_t seen;            /* pulse of the 32768 Hz oscillator to which the clock is updated */
    uint64_t phase; /* what a divider reset has added to the divider, in pulses: less than a second */
} rtc;

extern const snapshot_table rtc_state;
/* Resets the clock and fills the cells. `epoch` is the time at pulse 0 in seconds since 1970. */
void rtc_reset(rtc *r, int64_t epoch, uint32_t memory_bytes);
/* Sets the cells for diskette drives (type 0: there is none) and hard disks. */
void rtc_set_drives(rtc *r, const uint8_t diskette_types[2], unsigned hard_disks);
/* Updates the clock to pulse `now`. */
void rtc_advance(rtc *r, uint64_t now);
/* Read and write the cell selected by port 70h. The clock must be updated to the current pulse (`now`) before. */
uint8_t rtc_read(rtc *r, uint64_t now);
void rtc_write(rtc *r, uint8_t value);
/* Returns the level of the interrupt output. */
bool rtc_interrupt(const rtc *r);
/* Returns the pulse of the next event that raises it, or UINT64_MAX: there is none, or it is active already. */
uint64_t rtc_next(const rtc *r);

#endif
