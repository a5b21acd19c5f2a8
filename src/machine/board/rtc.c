#include "machine/board/rtc.h"

#include <string.h>

/* The cells of the clock from 0 on; then bits of registers A to D (A_, B_, C_, D_) and other cells. */
enum {
    SECONDS,
    SECONDS_ALARM,
    MINUTES,
    MINUTES_ALARM,
    HOURS,
    HOURS_ALARM,
    WEEKDAY,
    DAY,
    MONTH,
    YEAR,
    REGISTER_A,
    REGISTER_B,
    REGISTER_C,
    REGISTER_D,
    A_UPDATE = 0x80,
    A_DIVIDER_RESET = 0x60, /* bits 6 and 5: both set stop the divider */
    B_SET = 0x80,
    B_BINARY = 0x04,
    B_24_HOURS = 0x02,
    ENABLES = 0x70, /* enables of periodic, alarm and update interrupts; register C has the same bits */
    PERIODIC = 0x40,
    ALARM = 0x20,
    UPDATE = 0x10,
    C_REQUEST = 0x80,
    D_VALID = 0x80,
    HOUR_PM = 0x80,
    CELL_DISKETTES = 0x10, /* types of the first and the second drive: high and low nibble */
    CELL_HARD_DISKS = 0x12,
    CELL_EQUIPMENT = 0x14,
    CELL_HARD_DISK_TYPES = 0x19, /* where CELL_HARD_DISKS has Fh */
    EQUIPMENT = 0x0e,            /* coprocessor, display, keyboard; bit 0 and 7-6 are the diskette drives */
    ALARM_ANY = 0xc0,            /* an alarm cell of C0h-FFh matches everything */
    UPDATE_WARNING = 8,          /* pulses (244 us) from the rise of UIP to the update */
    UPDATE_DURATION = 65         /* pulses (1984 us) of the update */
};

/* --- formats --- */

/* Convert between numbers and cells, which are BCD or binary, with 24 or 12 hours, as register B says. */
static uint8_t rtc_encode(const rtc *r, int value)
{
    bool binary = (r->cells[REGISTER_B] & B_BINARY) != 0;
    return (uint8_t)(binary ? value : value / 10 % 10 << 4 | value % 10);
}

static int rtc_decode(const rtc *r, uint8_t cell)
{
    bool binary = (r->cells[REGISTER_B] & B_BINARY) != 0;
    return binary ? cell : (cell >> 4) * 10 + (cell & 15);
}

static uint8_t rtc_encode_hour(const rtc *r, int hour)
{
    if ((r->cells[REGISTER_B] & B_24_HOURS) != 0)
        return rtc_encode(r, hour);
    return (uint8_t)(rtc_encode(r, (hour + 11) % 12 + 1) | (hour >= 12 ? HOUR_PM : 0));
}

static int rtc_decode_hour(const rtc *r, uint8_t cell)
{
    if ((r->cells[REGISTER_B] & B_24_HOURS) != 0)
        return rtc_decode(r, cell);
    return rtc_decode(r, cell & 0x7f) % 12 + ((cell & HOUR_PM) != 0 ? 12 : 0);
}

/* --- progress of time --- */

/* Returns the period of the periodic interrupt in pulses; 0 is off. With a 32768 Hz oscillator, rates 1 and 2
 * are the same as 8 and 9. */
static uint64_t rtc_period(const rtc *r)
{
    unsigned rate = r->cells[REGISTER_A] & 15;
    if (rate == 0)
        return 0;
    return UINT64_C(1) << (rate <= 2 ? rate + 6 : rate - 1);
}

/* Returns true if a cell of the alarm matches this second, minute or hour. */
static bool rtc_alarm_matches(const rtc *r, unsigned cell, int value)
{
    uint8_t alarm = r->cells[cell];
    return alarm >= ALARM_ANY ||
           (cell == HOURS_ALARM ? rtc_decode_hour(r, alarm) : rtc_decode(r, alarm)) == value;
}

/* Returns the seconds until the alarm next matches, 1 to a day, or -1 if it never does. */
static int64_t rtc_until_alarm(const rtc *r, int64_t epoch)
{
    for (int64_t s = 1; s <= DAY_SECONDS;) {
        date t = date_of_epoch(epoch + s);
        if (!rtc_alarm_matches(r, HOURS_ALARM, t.hour))
            s += 3600 - t.minute * 60 - t.second;
        else if (!rtc_alarm_matches(r, MINUTES_ALARM, t.minute))
            s += 60 - t.second;
        else if (!rtc_alarm_matches(r, SECONDS_ALARM, t.second))
            s++;
        else
            return s;
    }
    return -1;
}

static bool rtc_divider_runs(const rtc *r)
{
    return (r->cells[REGISTER_A] & A_DIVIDER_RESET) != A_DIVIDER_RESET;
}

/* Returns the position of the divider, which counts pulses, since its first second began. */
static uint64_t rtc_divider(const rtc *r, uint64_t pulse)
{
    return pulse + r->phase;
}

/* Returns the number of updates that have ended. Each ends UPDATE_DURATION pulses after a full second, from the
 * first second on. */
static uint64_t rtc_updates(const rtc *r, uint64_t pulse)
{
    uint64_t divider = rtc_divider(r, pulse);
    return divider < UPDATE_DURATION ? 0 : (divider - UPDATE_DURATION) / RTC_HZ;
}

/* Advances the time, and sets the flags of the alarm and the update if they occurred. */
static void rtc_seconds_pass(rtc *r, uint64_t seconds)
{
    if ((r->cells[REGISTER_B] & B_SET) != 0 || seconds == 0)
        return;
    int64_t epoch = date_epoch(&r->time), until = rtc_until_alarm(r, epoch);
    if (until > 0 && (uint64_t)until <= seconds)
        r->cells[REGISTER_C] |= ALARM;
    int weekday = r->time.weekday;
    r->time = date_of_epoch(epoch + (int64_t)seconds);
    int64_t midnights = (epoch + (int64_t)seconds) / DAY_SECONDS - epoch / DAY_SECONDS;
    r->time.weekday =
        (int)((weekday - 1 + midnights) % 7 + 1); /* a counter of its own, independent of the date */
    r->cells[REGISTER_C] |= UPDATE;
}

void rtc_advance(rtc *r, uint64_t now)
{
    if (now <= r->seen)
        return;
    uint64_t period = rtc_period(r);
    if (rtc_divider_runs(r)) {
        if (period != 0 && rtc_divider(r, now) / period != rtc_divider(r, r->seen) / period)
            r->cells[REGISTER_C] |= PERIODIC;
        rtc_seconds_pass(r, rtc_updates(r, now) - rtc_updates(r, r->seen));
    }
    r->seen = now;
}

bool rtc_interrupt(const rtc *r)
{
    return (r->cells[REGISTER_C] & r->cells[REGISTER_B] & ENABLES) != 0;
}

uint64_t rtc_next(const rtc *r)
{
    uint64_t next = UINT64_MAX, period = rtc_period(r);
    uint8_t wanted = r->cells[REGISTER_B] & ENABLES;
    if (rtc_interrupt(r)) /* the output stays active until register C is read */
        return UINT64_MAX;
    if (!rtc_divider_runs(r))
        return UINT64_MAX;
    if ((wanted & PERIODIC) != 0 && period != 0)
        next = (rtc_divider(r, r->seen) / period + 1) * period - r->phase;
    int64_t seconds = -1;
    if ((r->cells[REGISTER_B] & B_SET) == 0) {
        if ((wanted & ALARM) != 0)
            seconds = rtc_until_alarm(r, date_epoch(&r->time));
        if ((wanted & UPDATE) != 0)
            seconds = 1;
    }
    if (seconds > 0) {
        uint64_t at = (rtc_updates(r, r->seen) + (uint64_t)seconds) * RTC_HZ + UPDATE_DURATION - r->phase;
        next = at < next ? at : next;
    }
    return next;
}

/* --- cells --- */

/* Returns UIP: an update is in progress or begins soon. */
static bool rtc_updating(const rtc *r, uint64_t now)
{
    uint64_t divider = rtc_divider(r, now), in_second = divider % RTC_HZ;
    return (r->cells[REGISTER_B] & B_SET) == 0 && rtc_divider_runs(r) &&
           (in_second >= RTC_HZ - UPDATE_WARNING || (in_second < UPDATE_DURATION && divider >= RTC_HZ));
}

uint8_t rtc_read(rtc *r, uint64_t now)
{
    unsigned cell = r->index & (RTC_CELLS - 1);
    const date *t = &r->time;
    switch (cell) {
    case SECONDS:
        return rtc_encode(r, t->second);
    case MINUTES:
        return rtc_encode(r, t->minute);
    case HOURS:
        return rtc_encode_hour(r, t->hour);
    case WEEKDAY:
        return rtc_encode(r, t->weekday);
    case DAY:
        return rtc_encode(r, t->day);
    case MONTH:
        return rtc_encode(r, t->month);
    case YEAR:
        return rtc_encode(r, t->year % 100);
    case RTC_CENTURY:
        return (uint8_t)(t->year / 1000 % 10 << 4 | t->year / 100 % 10);
    case REGISTER_A:
        return (r->cells[REGISTER_A] & 0x7f) | (rtc_updating(r, now) ? A_UPDATE : 0);
    case REGISTER_C: { /* a read clears it */
        uint8_t flags = r->cells[REGISTER_C] & ENABLES;
        flags |= rtc_interrupt(r) ? C_REQUEST : 0;
        r->cells[REGISTER_C] = 0;
        return flags;
    }
    default:
        return r->cells[cell];
    }
}

/* Writes a time cell; returns false for other cells. The next update counts on from it, and turns an invalid
 * date into a valid one. */
static bool rtc_write_time(rtc *r, unsigned cell, uint8_t value)
{
    date *t = &r->time;
    int number = rtc_decode(r, value);
    switch (cell) {
    case SECONDS:
        t->second = number;
        return true;
    case MINUTES:
        t->minute = number;
        return true;
    case HOURS:
        t->hour = rtc_decode_hour(r, value);
        return true;
    case WEEKDAY:
        t->weekday = number >= 1 && number <= 7 ? number : 1;
        return true;
    case DAY:
        t->day = number;
        return true;
    case MONTH:
        t->month = number >= 1 && number <= 12 ? number : 1;
        return true;
    case YEAR:
        t->year = t->year / 100 * 100 + number % 100;
        return true;
    case RTC_CENTURY:
        t->year = ((value >> 4) * 10 + (value & 15)) % 100 * 100 + t->year % 100;
        return true;
    default:
        return false;
    }
}

/* Writes register A. The first update follows half a second after the end of a divider reset. */
static void rtc_write_a(rtc *r, uint8_t value)
{
    bool ran = rtc_divider_runs(r);
    r->cells[REGISTER_A] = value & 0x7f;
    if (!ran && rtc_divider_runs(r))
        r->phase = (RTC_HZ + RTC_HZ / 2 - r->seen % RTC_HZ) % RTC_HZ;
}

void rtc_write(rtc *r, uint8_t value)
{
    unsigned cell = r->index & (RTC_CELLS - 1);
    if (rtc_write_time(r, cell, value))
        return;
    if (cell == REGISTER_A)
        rtc_write_a(r, value);
    else if (cell == REGISTER_B) /* SET also disables the update interrupt */
        r->cells[cell] = (value & B_SET) != 0 ? value & (uint8_t)~UPDATE : value;
    else if (cell != REGISTER_C && cell != REGISTER_D)
        r->cells[cell] = value;
}

/* Stores the checksum of cells 10h-2Dh, which a BIOS checks. */
static void rtc_sum(rtc *r)
{
    unsigned sum = 0;
    for (unsigned i = 0x10; i <= 0x2d; i++)
        sum += r->cells[i];
    r->cells[0x2e] = (uint8_t)(sum >> 8);
    r->cells[0x2f] = (uint8_t)sum;
}

/* Fills CMOS memory as a BIOS does: memory below 1 MB (640 KB); above 1 MB in KB up to 64 MB; above 16 MB in
 * units of 64 KB. */
static void rtc_fill(rtc *r, uint32_t memory_bytes)
{
    uint32_t extended = memory_bytes > 1u << 20 ? (memory_bytes - (1u << 20)) >> 10 : 0;
    uint32_t high = memory_bytes > 16u << 20 ? (memory_bytes - (16u << 20)) >> 16 : 0;
    extended = extended < 0xffff ? extended : 0xffff;
    high = high < 0xffff ? high : 0xffff;
    r->cells[CELL_EQUIPMENT] = EQUIPMENT;
    r->cells[0x15] = 640 & 255;
    r->cells[0x16] = 640 >> 8;
    r->cells[0x17] = r->cells[0x30] = (uint8_t)extended;
    r->cells[0x18] = r->cells[0x31] = (uint8_t)(extended >> 8);
    r->cells[0x34] = (uint8_t)high;
    r->cells[0x35] = (uint8_t)(high >> 8);
    rtc_sum(r);
}

void rtc_set_drives(rtc *r, const uint8_t diskette_types[2], unsigned hard_disks)
{
    enum { TYPE_ELSEWHERE = 0x0f, TYPE_OF_ITS_OWN = 47 };
    unsigned diskettes = diskette_types[0] == 0 ? 0 : diskette_types[1] == 0 ? 1 : 2;
    r->cells[CELL_DISKETTES] = (uint8_t)(diskette_types[0] << 4 | diskette_types[1]);
    r->cells[CELL_HARD_DISKS] =
        (uint8_t)((hard_disks > 0 ? TYPE_ELSEWHERE << 4 : 0) | (hard_disks > 1 ? TYPE_ELSEWHERE : 0));
    r->cells[CELL_HARD_DISK_TYPES] = hard_disks > 0 ? TYPE_OF_ITS_OWN : 0;
    r->cells[CELL_HARD_DISK_TYPES + 1] = hard_disks > 1 ? TYPE_OF_ITS_OWN : 0;
    r->cells[CELL_EQUIPMENT] = (uint8_t)(EQUIPMENT | (diskettes > 0 ? 1 | (diskettes - 1) << 6 : 0));
    rtc_sum(r);
}

void rtc_reset(rtc *r, int64_t epoch, uint32_t memory_bytes)
{
    memset(r, 0, sizeof *r);
    r->cells[REGISTER_A] = 0x26; /* 32768 Hz, 1024 interrupts per second */
    r->cells[REGISTER_B] = B_24_HOURS;
    r->cells[REGISTER_D] = D_VALID;
    r->time = date_of_epoch(epoch);
    rtc_fill(r, memory_bytes);
}

/* --- snapshots --- */

/* Limits of values in a snapshot. A guest may set invalid times: two digits each, or a byte. */
enum { MOST_YEAR = 999999, MOST_NUMBER = 299 };

static const snapshot_table time_state = {
    SNAPSHOT(date, "time", FIELD_MOST(MOST_NUMBER, second, minute, hour, day), FIELD_RANGE(1, 12, month),
             FIELD_MOST(MOST_YEAR, year), FIELD_RANGE(1, 7, weekday))};

const snapshot_table rtc_state = {
    SNAPSHOT(rtc, "rtc", FIELD_ANY(index), FIELD_ANY_OF([0], cells), FIELD_TABLE(&time_state, time),
             FIELD_MOST(UINT64_C(1) << 58, seen), FIELD_SINCE(4, FIELD_MOST(RTC_HZ - 1, phase)))};
