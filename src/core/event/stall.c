/* Names of the causes of clocks, from events/stalls.tsv. */
#include "core/event/events.h"

const char *p5_stall_name(p5_stall cause)
{
    return (unsigned)cause < P5_STALL_COUNT ? stalls_table[cause].name : "unknown";
}

int p5_stall_event(p5_stall cause)
{
    return (unsigned)cause < P5_STALL_COUNT ? stalls_table[cause].event : -1;
}

const char *p5_stall_rule(p5_stall cause)
{
    return (unsigned)cause < P5_STALL_COUNT ? stalls_table[cause].rule : "";
}

const char *p5_stall_colour(p5_stall cause)
{
    return (unsigned)cause < P5_STALL_COUNT ? stalls_table[cause].colour : "#000000";
}
