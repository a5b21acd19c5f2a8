/* The clock and CMOS memory of a PC: Motorola MC146818A data sheet; cells above 0Dh as the PC/AT uses them.
 */
#ifndef MACHINE_BOARD_RTC_H
#define MACHINE_BOARD_RTC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"
#include "machine/board/date.h"

enum { RTC_HZ = 32768, RTC_CELLS = 128, RTC_CENTURY = 0x32 };

typedef struct rtc {
    uint8_t index;
    uint8_t cells[RTC_CELLS]; /* the alarm, registers A-D, and everything else that is not the time */
    date time;                /* binary, whatever the format of the cells */
    uint64_t seen;            /* pulses of the 32768 Hz oscillator up to which everything has been done */
} rtc;

extern const snapshot_table rtc_state;
/* `epoch` is the time at pulse 0 in seconds since 1970. */
void rtc_reset(rtc *r, int64_t epoch, uint32_t memory_bytes);
/* Brings the clock up to pulse `now`. */
void rtc_advance(rtc *r, uint64_t now);
/* Reads and writes the cell that port 70h selected; the clock must have been brought up to `now`. */
uint8_t rtc_read(rtc *r, uint64_t now);
void rtc_write(rtc *r, uint8_t value, uint64_t now);
/* The interrupt output. */
bool rtc_interrupt(const rtc *r);
/* The pulse of the next event that raises it, UINT64_MAX if none can. */
uint64_t rtc_next(const rtc *r);

#endif
