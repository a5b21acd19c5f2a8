/* "#time" lines of a value change dump. Times ascend, mostly by little, so that the line is kept as text, and
 * only the last four digits are written into it. */
#ifndef REPORT_TRACE_VCD_TIME_H
#define REPORT_TRACE_VCD_TIME_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { VCD_TIME_BYTES = 32, VCD_TIME_LOW = 10000, VCD_TIME_DIGITS = 4, VCD_EDGE_BYTES = 4 };

typedef struct vcd_digits {
    char text[VCD_TIME_LOW][VCD_TIME_DIGITS];
} vcd_digits;

typedef struct vcd_time {
    const vcd_digits *digits;
    uint64_t value;            /* as last written */
    uint64_t base, end;        /* `line` is that of times from `base` up to before `end`: */
    unsigned length;           /* ... so long in front of the last four digits; */
    char line[VCD_TIME_BYTES]; /* ... '#', digits, a newline */
} vcd_time;

/* The last four digits of every time: neighbours are used one after the other. */
static inline void vcd_digits_make(vcd_digits *digits)
{
    for (unsigned low = 0; low < VCD_TIME_LOW; low++)
        for (unsigned at = VCD_TIME_DIGITS, rest = low; at > 0; rest /= 10)
            digits->text[low][--at] = (char)('0' + rest % 10);
}

/* `line` becomes that of `clock`. */
static inline void vcd_time_move(vcd_time *time, uint64_t clock)
{
    uint64_t high = clock / VCD_TIME_LOW;
    time->base = high * VCD_TIME_LOW;
    time->end = time->base + VCD_TIME_LOW;
    time->length = 1;
    for (uint64_t rest = high; rest != 0; rest /= 10)
        time->length++;
    for (unsigned at = time->length; at > 1; high /= 10)
        time->line[--at] = (char)('0' + high % 10);
    time->line[0] = '#';
    time->line[time->length + VCD_TIME_DIGITS] = '\n';
}

/* A time of up to four digits. */
static inline char *vcd_time_put_short(char *to, uint64_t clock)
{
    char digits[VCD_TIME_DIGITS];
    unsigned at = VCD_TIME_DIGITS;
    do {
        digits[--at] = (char)('0' + clock % 10);
        clock /= 10;
    } while (clock != 0);
    *to++ = '#';
    while (at < VCD_TIME_DIGITS)
        *to++ = digits[at++];
    *to++ = '\n';
    return to;
}

/* Writes the line unless it is the time already, into VCD_TIME_BYTES; answers where the text goes on. What is
 * told of too late belongs to the time that has been reached. */
static inline char *vcd_time_put(vcd_time *time, char *to, uint64_t clock)
{
    if (clock <= time->value)
        return to;
    time->value = clock;
    if (__builtin_expect(clock >= time->end, 0)) {
        if (clock < VCD_TIME_LOW)
            return vcd_time_put_short(to, clock);
        vcd_time_move(time, clock);
    }
    memcpy(to, time->line, VCD_TIME_BYTES); /* and what is behind it */
    memcpy(to + time->length, time->digits->text[clock - time->base], VCD_TIME_DIGITS);
    return to + time->length + VCD_TIME_DIGITS + 1;
}

/* Text of a level that is on for a while: both times, but for their last four digits, and what happens then.
 */
typedef struct vcd_span {
    char text[VCD_TIME_BYTES];
    unsigned first, second, length; /* places of the digits, and where the text goes on */
} vcd_span;

/* ... within [base, end) of `time`, with `up` and `down` behind the digits. False: it would not fit. */
static inline bool vcd_span_make(vcd_span *span, const vcd_time *time, const char up[VCD_EDGE_BYTES],
                                 const char down[VCD_EDGE_BYTES])
{
    unsigned edge = time->length + VCD_TIME_DIGITS + VCD_EDGE_BYTES;
    if (2 * edge > VCD_TIME_BYTES)
        return false;
    memcpy(span->text, time->line, edge);
    memcpy(span->text + edge, time->line, edge);
    memcpy(span->text + edge - VCD_EDGE_BYTES, up, VCD_EDGE_BYTES);
    memcpy(span->text + 2 * edge - VCD_EDGE_BYTES, down, VCD_EDGE_BYTES);
    span->first = time->length;
    span->second = edge + time->length;
    span->length = 2 * edge;
    return true;
}

/* Writes one, into VCD_TIME_BYTES. */
static inline char *vcd_span_put(const vcd_span *span, const vcd_time *time, char *to, uint64_t from,
                                 uint64_t until)
{
    memcpy(to, span->text, VCD_TIME_BYTES);
    memcpy(to + span->first, time->digits->text[from - time->base], VCD_TIME_DIGITS);
    memcpy(to + span->second, time->digits->text[until - time->base], VCD_TIME_DIGITS);
    return to + span->length;
}

#endif
