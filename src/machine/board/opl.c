#include "machine/board/opl.h"

#include "machine/board/board_internal.h"

enum {
    OPL_FIRST = 0x388,
    OPL_LAST = 0x38b,
    /* A Sound Blaster also has the chip at its own ports: both banks, and the first bank alone. */
    CARD_ALL_FIRST = 0x220,
    CARD_ALL_LAST = 0x223,
    CARD_BANK_FIRST = 0x228,
    CARD_BANK_LAST = 0x229,
    PRESET_1 = 2,
    PRESET_2 = 3,
    CONTROL = 4,
    CONTROL_RESET = 0x80,
    STATUS_ANY = 0x80,
    STATUS_TIMER_1 = 0x40
};

/* Returns the clocks in which a timer counts from its preset to 256, in steps of 80 us or 320 us. */
static uint64_t timer_period(const devices *b, unsigned which)
{
    return devices_microseconds(b, (256u - b->opl.timers[which].preset) * (which == 0 ? 80u : 320u));
}

/* Sets the flags of the timers that have overflowed by now. A masked timer sets none. */
static void timers_update(devices *b)
{
    for (unsigned i = 0; i < OPL_TIMERS; i++) {
        opl_timer *t = &b->opl.timers[i];
        uint64_t period = timer_period(b, i), passed = b->now - t->since;
        if (!t->running || passed < period)
            continue;
        t->overflowed |= !t->masked;
        t->since += passed / period * period;
    }
}

/* Register 04h: bit 7 resets the flags and nothing else; bits 6 and 5 mask the timers, 1 and 0 run them. */
static void control_write(devices *b, uint8_t value)
{
    for (unsigned i = 0; i < OPL_TIMERS; i++) {
        opl_timer *t = &b->opl.timers[i];
        bool runs = (value >> i & 1) != 0;
        if ((value & CONTROL_RESET) != 0) {
            t->overflowed = false;
            continue;
        }
        t->masked = (value & STATUS_TIMER_1 >> i) != 0;
        t->overflowed = t->overflowed && !t->masked;
        if (runs && !t->running)
            t->since = b->now;
        t->running = runs;
    }
}

static uint32_t opl_read(devices *b, uint16_t port)
{
    if ((port & 1) != 0)
        return 0xff;
    timers_update(b);
    uint32_t flags = 0;
    for (unsigned i = 0; i < OPL_TIMERS; i++)
        flags |= b->opl.timers[i].overflowed ? STATUS_ANY | (uint32_t)STATUS_TIMER_1 >> i : 0;
    return flags;
}

/* Writes the index (even ports) or the register (odd ports). Only the timers' registers, in the first bank, exist. */
static void opl_write(devices *b, uint16_t port, uint32_t value)
{
    opl *o = &b->opl;
    if ((port & 1) == 0) {
        o->index = (uint8_t)value;
        o->second_bank = (port & 2) != 0; /* 38Ah, 222h */
        return;
    }
    if (o->second_bank)
        return;
    timers_update(b);
    if (o->index == PRESET_1 || o->index == PRESET_2)
        o->timers[o->index - PRESET_1].preset = (uint8_t)value;
    else if (o->index == CONTROL)
        control_write(b, (uint8_t)value);
}

void opl_attach(devices *b)
{
    devices_attach(b, &(device){OPL_FIRST, OPL_LAST, .read = opl_read, .write = opl_write});
    devices_attach(b, &(device){CARD_ALL_FIRST, CARD_ALL_LAST, .read = opl_read, .write = opl_write});
    devices_attach(b, &(device){CARD_BANK_FIRST, CARD_BANK_LAST, .read = opl_read, .write = opl_write});
}

static const snapshot_table timer_state = {SNAPSHOT(
    opl_timer, "opl_timer", FIELD_ANY(preset), FIELD_FLAG(running, masked, overflowed), FIELD_TIME(since))};
const snapshot_table opl_state = {
    SNAPSHOT(opl, "opl", FIELD_ANY(index), FIELD_FLAG(second_bank), FIELD_TABLE(&timer_state, timers)),
    .since = 2};
