/* The generated tables behind p5scope/event.h. */
#ifndef CORE_EVENT_EVENTS_H
#define CORE_EVENT_EVENTS_H

#include "p5scope/event.h"

extern const p5_event_info events_table[P5_EVENT_COUNT];
extern const p5_event_reserved events_reserved[];
extern const unsigned events_reserved_count;
/* Owners of clocks: name, and event (-1: none). */
typedef struct stall_row {
    const char *name;
    int event;
} stall_row;
extern const stall_row stalls_table[P5_STALL_COUNT];
/* Event id by select code and counter, -1 if there is none; families are not looked at. */
extern const int8_t events_by_code[64][2];

/* Parses a raw code rNN or rNN.C (NN hexadecimal): *counter is 0, 1 or, if it was left out, -1. False if
 * `name` is not of that form; *code may be out of range. */
bool event_parse_raw(const char *name, unsigned *code, int *counter);

#endif
