/* "#time" lines of a value change dump. Times ascend, mostly by little, so that all but the last four digits
 * are kept as text. */
#ifndef REPORT_VCD_TIME_H
#define REPORT_VCD_TIME_H

#include <stdint.h>
#include <string.h>

enum { VCD_TIME_BYTES = 32, VCD_TIME_HIGH = 16, VCD_TIME_LOW = 10000 };

typedef struct vcd_time {
    uint64_t value;           /* as last written; the dump begins with #0 */
    uint64_t base;            /* `value` but for the last four digits; */
    unsigned length;          /* ... as text, */
    char high[VCD_TIME_HIGH]; /* ... which has no digits if it is 0 */
} vcd_time;

static const char vcd_time_pairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/* Not out of line: the caller's time would then have an address, and be read anew after every character. */
static inline void vcd_time_move(vcd_time *time, uint64_t clock)
{
    uint64_t high = clock / VCD_TIME_LOW;
    time->base = high * VCD_TIME_LOW;
    time->length = 0;
    for (uint64_t rest = high; rest != 0; rest /= 10)
        time->length++;
    for (unsigned at = time->length; at > 0; high /= 10)
        time->high[--at] = (char)('0' + high % 10);
}

/* Writes the line unless it is the time already, into VCD_TIME_BYTES; answers where the text goes on. What is
 * told of too late belongs to the time that has been reached. */
static inline char *vcd_time_put(vcd_time *time, char *to, uint64_t clock)
{
    if (clock <= time->value)
        return to;
    time->value = clock;
    if (__builtin_expect(clock - time->base >= VCD_TIME_LOW, 0))
        vcd_time_move(time, clock);
    unsigned low = (unsigned)(clock - time->base), skip = 0;
    *to++ = '#';
    memcpy(to, time->high, VCD_TIME_HIGH); /* and what is behind them */
    to += time->length;
    memcpy(to, vcd_time_pairs + low / 100 * 2, 2);
    memcpy(to + 2, vcd_time_pairs + low % 100 * 2, 2);
    if (__builtin_expect(time->base == 0, 0)) { /* no digits in front: no zeros either */
        while (to[skip] == '0')
            skip++;
        memmove(to, to + skip, 4 - skip);
    }
    to += 4 - skip;
    *to++ = '\n';
    return to;
}

#endif
