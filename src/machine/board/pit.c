#include "machine/board/pit.h"

#include <string.h>

enum {
    CONTROL_BCD = 0x01,
    ACCESS_LATCH = 0, /* bits 5-4 of the control word */
    ACCESS_LOW = 1,
    ACCESS_HIGH = 2,
    ACCESS_BOTH = 3,
    READ_BACK = 3, /* bits 7-6, in place of a counter */
    READ_BACK_NO_COUNT = 0x20,
    READ_BACK_NO_STATUS = 0x10,
    STATUS_OUT = 0x80,
    STATUS_NULL_COUNT = 0x40
};

void pit_reset(pit *p)
{
    memset(p, 0, sizeof *p);
    for (unsigned i = 0; i < PIT_COUNTERS; i++)
        p->counters[i] = (pit_counter){.mode = 3, .access = ACCESS_BOTH, .gate = i != 2};
}

/* Returns true for the periodic modes, 2 and 3. A count of 1 is illegal in them and produces no output. */
static bool pit_periodic(const pit_counter *c)
{
    return c->mode == 2 || c->mode == 3;
}

/* Returns the pulses counted since the counter was loaded. */
static int64_t pit_elapsed(const pit_counter *c, int64_t now)
{
    return c->before + (c->counting && now > c->since ? now - c->since : 0);
}

/* Returns the pulses for which OUT is high in mode 3: the larger half of the period. */
static int64_t pit_high_part(const pit_counter *c)
{
    return ((int64_t)c->count + 1) / 2;
}

/* Returns the pulse that ends the current period of mode 2 or half period of mode 3. */
static int64_t pit_boundary(const pit_counter *c, int64_t now)
{
    int64_t elapsed = pit_elapsed(c, now), in_period = elapsed % c->count;
    int64_t end = c->mode == 3 && in_period < pit_high_part(c) ? pit_high_part(c) : (int64_t)c->count;
    return now + (end - in_period);
}

/* Loads the new count of modes 2 and 3 at the end of the period or half period. */
static void pit_load_next(pit_counter *c, int64_t boundary)
{
    bool low_half = c->mode == 3 && pit_elapsed(c, boundary) % c->count != 0;
    c->count = c->next;
    c->next = 0;
    c->before = low_half ? pit_high_part(c) : 0;
    c->since = boundary;
}

/* Loads the pending count of mode 2 or 3 if the boundary for it, the first one after the pulse `since`, has passed.
 * pit_count_written has set `since` to the pulse at which the count was written. */
static void pit_settle(pit_counter *c, int64_t now)
{
    if (!c->loaded || !c->counting || c->next == 0 || !pit_periodic(c))
        return;
    int64_t boundary = pit_boundary(c, c->since);
    if (now >= boundary)
        pit_load_next(c, boundary);
}

/* Returns the level of OUT. A pending count must not be due before `now` (pit_settle). */
static bool pit_counter_out(const pit_counter *c, int64_t now)
{
    int64_t elapsed = pit_elapsed(c, now);
    switch (c->mode) {
    case 0: /* low until the terminal count */
        return c->loaded && elapsed >= c->count;
    case 1: /* low from the trigger to the terminal count */
        return !c->loaded || now < c->since || elapsed >= c->count;
    case 2: /* low in the pulse before the reload */
        return !c->loaded || !c->gate || c->count < 2 || elapsed % c->count != c->count - 1;
    case 3:
        return !c->loaded || !c->gate || c->count < 2 || elapsed % c->count < pit_high_part(c);
    default: /* low for the pulse of the terminal count */
        return !c->loaded || elapsed != c->count;
    }
}

/* Returns the counter's state at `now`. */
static pit_counter pit_at(const pit_counter *c, int64_t now)
{
    pit_counter then = *c;
    pit_settle(&then, now);
    return then;
}

bool pit_out(const pit *p, unsigned counter, int64_t now)
{
    pit_counter then = pit_at(&p->counters[counter], now);
    return pit_counter_out(&then, now);
}

int64_t pit_next_rise(const pit *p, unsigned counter, int64_t now)
{
    pit_counter c = pit_at(&p->counters[counter], now);
    if (!c.loaded || !c.counting)
        return PIT_NEVER;
    int64_t from = now > c.since ? now : c.since, elapsed = pit_elapsed(&c, from);
    if (!pit_periodic(&c)) {
        int64_t rise =
            from + (c.count - elapsed) + (c.mode >= 4); /* modes 4, 5: OUT rises after the strobe */
        return rise > now ? rise : PIT_NEVER;
    }
    if (c.count < 2)
        return PIT_NEVER;
    if (c.next != 0 && c.mode == 3 && elapsed % c.count < pit_high_part(&c)) {
        pit_load_next(&c, pit_boundary(&c, from));
        return c.since + (c.count - c.before);
    }
    return from + (c.count - elapsed % c.count);
}

/* --- counts --- */

/* Convert between the count register and a number of pulses, by the counter's format. */
static uint32_t pit_from_register(const pit_counter *c, uint32_t value)
{
    if (!c->bcd)
        return value != 0 ? value : 0x10000;
    uint32_t decimal =
        (value >> 12 & 15) * 1000 + (value >> 8 & 15) * 100 + (value >> 4 & 15) * 10 + (value & 15);
    return decimal != 0 ? decimal : 10000;
}

static uint16_t pit_to_register(const pit_counter *c, int64_t value)
{
    if (!c->bcd)
        return (uint16_t)value;
    uint32_t decimal = (uint32_t)(value % 10000);
    return (uint16_t)(decimal / 1000 << 12 | decimal / 100 % 10 << 8 | decimal / 10 % 10 << 4 | decimal % 10);
}

/* Returns the value of the counting element. Mode 3 counts by twos, from the even number at or below the count.
 * Modes 0, 1, 4 and 5 wrap after the terminal count and continue. */
static uint16_t pit_counting_element(const pit_counter *c, int64_t now)
{
    if (!c->loaded)
        return (uint16_t)c->written;
    int64_t elapsed = pit_elapsed(c, now), n = c->count;
    elapsed = elapsed > 0 ? elapsed : 0;
    if (c->mode == 2)
        return pit_to_register(c, n - elapsed % n);
    if (c->mode == 3) {
        int64_t at = elapsed % n, high = pit_high_part(c);
        bool in_high = at < high;
        at -= in_high ? 0 : high;
        int64_t odd = (n & 1) == 0 ? 0 : in_high ? -1 : 1; /* an odd count begins with a step of 1 or 3 */
        return pit_to_register(c, at == 0 ? n : n - 2 * at - odd);
    }
    int64_t wrap = c->bcd ? 10000 : 0x10000;
    return pit_to_register(c, ((n - elapsed) % wrap + wrap) % wrap);
}

static uint8_t pit_status(const pit_counter *c, int64_t now)
{
    bool null_count = !c->loaded || c->next != 0 || now < c->since;
    return (uint8_t)((pit_counter_out(c, now) ? STATUS_OUT : 0) | (null_count ? STATUS_NULL_COUNT : 0) |
                     c->access << 4 | c->mode << 1 | (c->bcd ? CONTROL_BCD : 0));
}

static void pit_latch_count(pit_counter *c, int64_t now)
{
    if (c->latched != 0)
        return; /* the chip ignores a latch command until the latched count has been read */
    c->latch = pit_counting_element(c, now);
    c->latched = c->access == ACCESS_BOTH ? 2 : 1;
}

static void pit_latch_status(pit_counter *c, int64_t now)
{
    if (!c->status_latched)
        c->status = pit_status(c, now);
    c->status_latched = true;
}

/* --- loading --- */

/* Starts a new count with the pulse after `now`. */
static void pit_load(pit_counter *c, uint32_t count, int64_t now)
{
    c->count = count;
    c->next = 0;
    c->before = 0;
    c->since = now + 1; /* the next pulse loads it */
    c->loaded = true;
    c->counting = c->gate || c->mode == 1 || c->mode == 5;
}

/* Handles a complete count. Modes 1 and 5 load it at a trigger, 2 and 3 at the end of the period. */
static void pit_count_written(pit_counter *c, int64_t now)
{
    uint32_t count = pit_from_register(c, c->written);
    if (c->mode == 1 || c->mode == 5) {
        c->next = count;
    } else if (pit_periodic(c) && c->loaded && c->count >= 2) {
        if (c->counting && now > c->since) { /* `since` must be the pulse of this write: pit_settle */
            c->before = pit_elapsed(c, now) % c->count;
            c->since = now;
        }
        c->next = count;
    } else {
        pit_load(c, count, now);
    }
}

static void pit_write_count(pit_counter *c, uint8_t value, int64_t now)
{
    if (c->access == ACCESS_BOTH && !c->write_high_next) {
        c->write_low = value;
        c->write_high_next = true;
        if (c->mode == 0) /* the first byte stops counting and sets OUT low */
            c->loaded = c->counting = false;
        return;
    }
    c->write_high_next = false;
    c->written = c->access == ACCESS_LOW    ? value
                 : c->access == ACCESS_HIGH ? (uint32_t)value << 8
                                            : (uint32_t)value << 8 | c->write_low;
    pit_count_written(c, now);
}

/* Executes a control word: a read-back command, a latch command, or a new mode of a counter. */
static void pit_control(pit *p, uint8_t value, int64_t now)
{
    unsigned which = value >> 6, access = value >> 4 & 3;
    if (which == READ_BACK) {
        for (unsigned i = 0; i < PIT_COUNTERS; i++) {
            if ((value >> (i + 1) & 1) == 0)
                continue;
            if ((value & READ_BACK_NO_COUNT) == 0)
                pit_latch_count(&p->counters[i], now);
            if ((value & READ_BACK_NO_STATUS) == 0)
                pit_latch_status(&p->counters[i], now);
        }
        return;
    }
    pit_counter *c = &p->counters[which];
    if (access == ACCESS_LATCH) {
        pit_latch_count(c, now);
        return;
    }
    unsigned mode = value >> 1 & 7;
    *c = (pit_counter){.mode = (uint8_t)(mode > 5 ? mode - 4 : mode), /* 6 and 7 are 2 and 3 */
                       .access = (uint8_t)access,
                       .bcd = (value & CONTROL_BCD) != 0,
                       .gate = c->gate};
}

void pit_write(pit *p, uint16_t port, uint8_t value, int64_t now)
{
    for (unsigned i = 0; i < PIT_COUNTERS; i++)
        pit_settle(&p->counters[i], now);
    if (port == PIT_CONTROL)
        pit_control(p, value, now);
    else
        pit_write_count(&p->counters[port - PIT_COUNTER0], value, now);
}

/* Reads a counter: first a latched status, then a latched count, otherwise the running count. */
uint8_t pit_read(pit *p, uint16_t port, int64_t now)
{
    if (port == PIT_CONTROL)
        return 0xff; /* the control port is write-only */
    pit_counter *c = &p->counters[port - PIT_COUNTER0];
    pit_settle(c, now);
    if (c->status_latched) {
        c->status_latched = false;
        return c->status;
    }
    uint16_t value = c->latched != 0 ? c->latch : pit_counting_element(c, now);
    bool high = c->access == ACCESS_HIGH || (c->access == ACCESS_BOTH && c->read_high_next);
    if (c->access == ACCESS_BOTH)
        c->read_high_next = !c->read_high_next;
    if (c->latched != 0)
        c->latched--;
    return (uint8_t)(high ? value >> 8 : value);
}

/* Changes a gate. A low gate stops modes 0, 2, 3 and 4; a rise restarts the period of modes 2 and 3. Modes 1 and 5
 * are triggered by a rise and never stop. */
void pit_set_gate(pit *p, unsigned counter, bool gate, int64_t now)
{
    pit_counter *c = &p->counters[counter];
    pit_settle(c, now);
    if (c->gate == gate)
        return;
    c->gate = gate;
    if (c->mode == 1 || c->mode == 5) {
        uint32_t count = c->next != 0 ? c->next : c->loaded ? c->count : 0;
        bool low = c->mode == 1 && !pit_counter_out(c, now);
        if (gate && count != 0)
            pit_load(c, count, now);
        if (gate && low) { /* retriggered: OUT stays low until the reload */
            c->since = now;
            c->before = -1;
        }
        return;
    }
    if (!c->loaded)
        return;
    if (!gate) {
        c->before = pit_elapsed(c, now);
        c->counting = false;
    } else if (pit_periodic(c)) {
        pit_load(c, c->next != 0 ? c->next : c->count, now);
    } else {
        c->since = now;
        c->counting = true;
    }
}

/* --- snapshots --- */

/* The largest pulse number in a snapshot. */
#define PULSES_MOST (INT64_C(1) << 58)

static const snapshot_table counter_state = {
    SNAPSHOT(pit_counter, "8254 counter", FIELD_MOST(5, mode), FIELD_RANGE(1, 3, access),
             FIELD_FLAG(bcd, gate, loaded, counting), FIELD_MOST(PULSES_MOST, since, before),
             FIELD_MOST(0x10000, count, next), FIELD_MOST(0xffff, written), FIELD_ANY(write_low),
             FIELD_FLAG(write_high_next, read_high_next), FIELD_MOST(2, latched), FIELD_ANY(latch),
             FIELD_FLAG(status_latched), FIELD_ANY(status))};

static void check_pit(const void *row, snapshot *s)
{
    const pit *p = row;
    for (unsigned i = 0; i < PIT_COUNTERS; i++)
        if (p->counters[i].loaded && p->counters[i].count == 0)
            snapshot_refuse(s, "pit.counters.count: the count of counter %u is 0", i);
}

const snapshot_table pit_state = {SNAPSHOT(pit, "pit", FIELD_TABLE(&counter_state, counters)),
                                  .check = check_pit};
