/* Conversion between dates and days since 1970 in the proleptic Gregorian calendar. Within the conversion, a year
 * begins with March, so that a leap day is the last of its year, and 400 years (146097 days) are an era. Eras count
 * from March 1 of year 0, which is 719468 days before 1970. */
#include "machine/board/date.h"

int64_t date_epoch(const date *t)
{
    int64_t month = t->month, year = t->year - (month <= 2);
    int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + t->day - 1;
    int64_t days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
    return days * DAY_SECONDS + t->hour * 3600 + t->minute * 60 + t->second;
}

date date_of_epoch(int64_t epoch)
{
    int64_t days = epoch / DAY_SECONDS, seconds = epoch % DAY_SECONDS;
    if (seconds < 0) {
        seconds += DAY_SECONDS;
        days--;
    }
    int64_t shifted = days + 719468, era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
    int64_t of_era = shifted - era * 146097;
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t part = (5 * of_year + 2) / 153;
    date t = {.second = (int)(seconds % 60),
              .minute = (int)(seconds / 60 % 60),
              .hour = (int)(seconds / 3600),
              .day = (int)(of_year - (153 * part + 2) / 5 + 1),
              .month = (int)(part < 10 ? part + 3 : part - 9),
              .weekday = (int)(((days + 4) % 7 + 7) % 7 + 1)};
    t.year = (int)(year_of_era + era * 400 + (t.month <= 2));
    return t;
}
