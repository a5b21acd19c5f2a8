/* PM0 and PM1: what CESR makes them show (manual 26.4.4.3 and 26.4.5). */
#include "pmu/pins.h"

pin_function pin_function_of(const pmu_counter *c, p5_cc_clocks meaning)
{
    bool free_running = c->select.clocks && meaning == P5_CC_FREE_RUNNING;
    if ((!c->select.system && !c->select.user) || (c->event < 0 && !free_running))
        return PIN_IDLE;
    if (c->select.overflow_pin)
        return PIN_OVERFLOW;
    if (c->select.clocks || p5_event_describe((enum p5_event)c->event)->duration)
        return PIN_LEVEL;
    return PIN_PULSE;
}
