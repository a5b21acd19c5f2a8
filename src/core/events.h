/* The generated tables behind p5scope/event.h. */
#ifndef CORE_EVENTS_H
#define CORE_EVENTS_H

#include "p5scope/event.h"

extern const p5_event_info events_table[P5_EVENT_COUNT];
extern const p5_event_reserved events_reserved[];
extern const unsigned events_reserved_count;
/* Event id by select code and counter, -1 if there is none; families are not looked at. */
extern const int8_t events_by_code[64][2];

#endif
