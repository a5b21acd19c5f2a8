/* The generated tables of p5scope/event.h. */
#ifndef CORE_EVENT_EVENTS_H
#define CORE_EVENT_EVENTS_H

#include "p5tool/event.h"

extern const p5_event_info events_table[P5_EVENT_COUNT]; /* by enum p5_event */
extern const p5_event_reserved events_reserved[];        /* select codes that count nothing */
extern const unsigned events_reserved_count;
/* A cause of clocks, also called their owner: a row of events/stalls.tsv. */
typedef struct stall_row {
    const char *name;
    int event;          /* enum p5_event of the event that counts these clocks; -1: none */
    const char *colour; /* "#rrggbb", in diagrams */
    const char *rule;   /* which clocks it owns, in words */
} stall_row;
extern const stall_row stalls_table[P5_STALL_COUNT];
/* Event id by select code and counter, -1 if there is none, for all families together. */
extern const int8_t events_by_code[64][2];

/* Parses a raw code rNN or rNN.C (NN hexadecimal). *counter is 0 or 1, or -1 if it was left out. Returns
 * false if `name` does not have that form; *code may be out of range. */
bool event_parse_raw(const char *name, unsigned *code, int *counter);

#endif
