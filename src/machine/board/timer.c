/* Connects the 8254 to its ports and counter 0 to interrupt line 0. Port 61h: gate and output of counter 2, the
 * speaker, and the refresh flag that counter 1 toggles. */
#include "machine/board/board_internal.h"

enum {
    SYSTEM_PORT = 0x61,
    GATE2 = 0x01,
    WRITABLE = 0x0f, /* gate, speaker, and enables of two NMI sources that the board lacks */
    REFRESH = 0x10,
    OUT2 = 0x20,
    REFRESH_PULSES = 18 /* divisor of counter 1 in a PC: 15 us */
};

/* Returns the pulse of the timer's input clock at which the board is now. */
static int64_t timer_pulse(const devices *b)
{
    return (int64_t)devices_pulses(b, b->now, PIT_HZ);
}

static uint32_t timer_read(devices *b, uint16_t port)
{
    return pit_read(&b->pit, port, timer_pulse(b));
}

/* Writes to the timer, and passes an immediate change of counter 0's OUT to the interrupt controller. */
static void timer_write(devices *b, uint16_t port, uint32_t value)
{
    pit_write(&b->pit, port, (uint8_t)value, timer_pulse(b));
    devices_set_irq(b, IRQ_TIMER, pit_out(&b->pit, 0, timer_pulse(b)));
}

static uint32_t system_port_read(devices *b, uint16_t port)
{
    (void)port;
    int64_t pulse = timer_pulse(b);
    return (b->system_port & WRITABLE) | (pulse / REFRESH_PULSES % 2 != 0 ? REFRESH : 0u) |
           (pit_out(&b->pit, 2, pulse) ? OUT2 : 0u);
}

static void system_port_write(devices *b, uint16_t port, uint32_t value)
{
    (void)port;
    b->system_port = (uint8_t)value;
    pit_set_gate(&b->pit, 2, (value & GATE2) != 0, timer_pulse(b));
}

/* Returns the clock at which counter 0's OUT next rises, which requests an interrupt. */
static uint64_t timer_deadline(const devices *b)
{
    int64_t rise = pit_next_rise(&b->pit, 0, (int64_t)b->pit_seen);
    return rise == PIT_NEVER ? UINT64_MAX : devices_clock_of(b, (uint64_t)rise, PIT_HZ);
}

/* If counter 0's OUT has risen, lowers line 0 first, so that the interrupt controller sees an edge even if OUT
 * fell and rose since the last update. */
static void timer_advance(devices *b)
{
    int64_t now = timer_pulse(b);
    bool rose = pit_next_rise(&b->pit, 0, (int64_t)b->pit_seen) <= now;
    b->pit_seen = (uint64_t)now;
    if (rose)
        devices_set_irq(b, IRQ_TIMER, false);
    devices_set_irq(b, IRQ_TIMER, pit_out(&b->pit, 0, now));
}

void timer_attach(devices *b)
{
    pit_reset(&b->pit);
    devices_attach(b, &(device){PIT_COUNTER0, PIT_CONTROL, .read = timer_read, .write = timer_write});
    devices_attach(b,
                   &(device){SYSTEM_PORT, SYSTEM_PORT, .read = system_port_read, .write = system_port_write});
    devices_attach_timer(b, &(device_timer){IRQ_TIMER, timer_deadline, timer_advance});
}
