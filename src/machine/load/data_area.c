/* The BIOS data area of a machine with a VGA in text mode 3, a keyboard with 101 keys and COM1. */
#include "machine/load/data_area.h"

#include <string.h>

#include "engine/engine.h"
#include "machine/board/devices.h"
#include "machine/state.h"

enum {
    DATA_AREA = 0x400,
    DATA_AREA_BYTES = 0x100,
    PULSES_PER_TICK = 0x10000, /* of the timer's input, for each IRQ 0 */
    /* Bits of the equipment word. */
    EQUIPMENT_DISKETTE = 0x01,
    EQUIPMENT_FPU = 0x02,
    EQUIPMENT_VIDEO_80 = 0x20,
    EQUIPMENT_SERIAL = 0x200
};

/* Returns bit 0 and bits 7-6 of the equipment word: there are diskette drives; their number less one. */
static uint32_t diskette_bits(unsigned diskettes)
{
    return diskettes != 0 ? EQUIPMENT_DISKETTE | (diskettes - 1) << 6 : 0;
}

uint32_t data_area_ticks(const date *t)
{
    uint32_t seconds = (uint32_t)((t->hour * 60 + t->minute) * 60 + t->second);
    return (uint32_t)((uint64_t)seconds * PIT_HZ / PULSES_PER_TICK);
}

/* Writes all cells that are not 0. */
void data_area_fill(p5_machine *machine)
{
    unsigned diskettes = devices_drives(machine->devices, DRIVE_DISKETTE);
    uint32_t equipment = EQUIPMENT_FPU | EQUIPMENT_VIDEO_80 | EQUIPMENT_SERIAL;
    const struct {
        uint16_t at, bytes; /* address and size */
        uint32_t value;
    } cells[] = {
        {BDA_COM1, 2, 0x3f8},
        {BDA_EQUIPMENT, 2, equipment | diskette_bits(diskettes)},
        {BDA_MEMORY, 2, BIOS_BASE_MEMORY_KB},
        {BDA_KEY_HEAD, 2, BDA_KEY_BUFFER - DATA_AREA},
        {BDA_KEY_TAIL, 2, BDA_KEY_BUFFER - DATA_AREA},
        {BDA_KEY_START, 2, BDA_KEY_BUFFER - DATA_AREA},
        {BDA_KEY_END, 2, BDA_KEY_BUFFER + 32 - DATA_AREA},
        {BDA_VIDEO_MODE, 1, 3},
        {BDA_COLUMNS, 2, 80},
        {BDA_PAGE_BYTES, 2, 0x1000},
        {BDA_CURSOR_SHAPE, 2, 0x0607},
        {BDA_CRTC, 2, 0x3d4},
        {BDA_ROWS, 1, 24},
        {BDA_KEYBOARD, 1, 0x10},
        {BDA_DISKS, 1, devices_drives(machine->devices, DRIVE_HARD_DISK)},
        {BDA_TICKS, 4, data_area_ticks(cmos_time(machine->devices))},
    };
    uint8_t *area = engine_ram(machine->engine, DATA_AREA, DATA_AREA_BYTES);
    for (unsigned i = 0; i < sizeof cells / sizeof cells[0]; i++)
        memcpy(area + (cells[i].at - DATA_AREA), &cells[i].value, cells[i].bytes);
}
