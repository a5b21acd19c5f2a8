/* The real-time clock on ports 70h and 71h and line 8. */
#include "machine/board/board_internal.h"
#include "machine/state.h"

enum { CMOS_INDEX = 0x70, CMOS_DATA = 0x71 };
/* 1997-01-01 00:00:00. The default is fixed so that runs are reproducible. */
#define CMOS_DEFAULT_TIME INT64_C(852076800)

/* Returns the pulse of the clock's oscillator at which the board is now. */
static uint64_t cmos_pulse(const devices *b)
{
    return devices_pulses(b, b->now, RTC_HZ);
}

static void cmos_drive(devices *b)
{
    devices_set_irq(b, IRQ_RTC, rtc_interrupt(&b->rtc));
}

static uint32_t cmos_read(devices *b, uint16_t port)
{
    if (port == CMOS_INDEX)
        return 0xff; /* write only */
    uint8_t value = rtc_read(&b->rtc, cmos_pulse(b));
    cmos_drive(b);
    return value;
}

static void cmos_write(devices *b, uint16_t port, uint32_t value)
{
    if (port == CMOS_INDEX) /* bit 7 masks the NMI of parity and channel checks, which the board lacks */
        b->rtc.index = value & 0x7f;
    else
        rtc_write(&b->rtc, (uint8_t)value);
    cmos_drive(b);
}

static uint64_t cmos_deadline(const devices *b)
{
    uint64_t next = rtc_next(&b->rtc);
    return next == UINT64_MAX ? UINT64_MAX : devices_clock_of(b, next, RTC_HZ);
}

static void cmos_advance(devices *b)
{
    rtc_advance(&b->rtc, cmos_pulse(b));
    cmos_drive(b);
}

void cmos_fill(devices *b)
{
    int64_t epoch = b->machine->options.rtc_set ? b->machine->options.rtc_seconds : CMOS_DEFAULT_TIME;
    uint8_t types[2];
    for (uint8_t i = 0; i < 2; i++) {
        const disk_image *diskette = devices_drive(b, DRIVE_DISKETTE + i);
        types[i] = diskette != NULL ? diskette->type : 0;
    }
    rtc_reset(&b->rtc, epoch, b->machine->options.memory_bytes);
    rtc_set_drives(&b->rtc, types, devices_drives(b, DRIVE_HARD_DISK));
}

const date *cmos_time(const devices *b)
{
    return &b->rtc.time;
}

void cmos_attach(devices *b)
{
    cmos_fill(b);
    devices_attach(b, &(device){CMOS_INDEX, CMOS_DATA, .read = cmos_read, .write = cmos_write});
    devices_attach_timer(b, &(device_timer){IRQ_RTC, cmos_deadline, cmos_advance});
}
