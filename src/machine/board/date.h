/* Dates of the board's clock. */
#ifndef MACHINE_BOARD_DATE_H
#define MACHINE_BOARD_DATE_H

#include <stdint.h>

enum { DAY_SECONDS = 86400 };

typedef struct date {
    int second, minute, hour, day, month, year; /* month and day from 1, year with the century */
    int weekday;                                /* Sunday is 1 */
} date;

/* Convert between a date and seconds since 1970-01-01 00:00:00. date_epoch ignores the weekday and accepts days,
 * hours, minutes and seconds beyond the ends of their ranges, which it carries. */
int64_t date_epoch(const date *t);
date date_of_epoch(int64_t epoch);

#endif
