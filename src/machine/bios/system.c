/* INT 15h: A20, waits, memory sizes and the mouse. INT 1Ah: timer ticks and the real-time clock. */
#include "machine/base/end.h"
#include "machine/base/time.h"
#include "machine/bios/bios_internal.h"
#include "machine/board/mouse.h"
#include "machine/board/rtc.h"

enum {
    UNSUPPORTED = 0x86,      /* status in AH */
    MOUSE_HANDLER = 0xfd040, /* in the ROM: the pointer that AX = C207h sets */
    HIGH_MEMORY = 1 << 20,
    SIXTEEN_MB = 16 << 20,
    SMAP = 0x534d4150, /* "SMAP", the signature of AX = E820h */
    MAP_ENTRY = 20,    /* bytes */
    MAP_RAM = 1,
    MAP_RESERVED = 2
};

/* Cells of the real-time clock, and bits of its registers B and C. */
enum {
    RTC_SECONDS = 0,
    RTC_MINUTES = 2,
    RTC_HOURS = 4,
    RTC_DAY = 7,
    RTC_MONTH,
    RTC_YEAR,
    RTC_REGISTER_B = 11,
    RTC_REGISTER_C,
    RTC_SUMMER_TIME = 1,
    RTC_PERIODIC = 0x40
};

/* AH = 24h: AL = 0 closes and 1 opens the gate of address line 20, 2 returns its state, 3 how it can be controlled. */
static void system_a20(bios *b)
{
    devices *board = b->machine->devices;
    switch (bios_low(b, ENGINE_EAX)) {
    case 0:
    case 1:
        devices_set_a20(board, bios_low(b, ENGINE_EAX) == 1);
        break;
    case 2:
        bios_set_low(b, ENGINE_EAX, devices_a20(board));
        break;
    case 3: /* supported: keyboard controller and port 92h */
        bios_set_word(b, ENGINE_EBX, 3);
        break;
    default:
        bios_finish(b, UNSUPPORTED);
        return;
    }
    bios_finish(b, 0);
}

/* AH = 86h: Waits for CX:DX microseconds; the stub checks after each interrupt. Returns true to wait. */
static bool system_wait(bios *b)
{
    p5_machine *machine = b->machine;
    uint64_t microseconds = (uint64_t)bios_word(b, ENGINE_ECX) << 16 | bios_word(b, ENGINE_EDX);
    if (b->wait_until == 0)
        b->wait_until =
            devices_now(machine->devices) + machine_ns_to_clocks(machine, microseconds * 1000) + 1;
    if (devices_now(machine->devices) < b->wait_until)
        return true;
    b->wait_until = 0;
    bios_set_flag(b, FLAG_CARRY, false);
    return false;
}

static uint8_t cmos_cell(bios *b, uint8_t cell)
{
    devices_write(b->machine, 0x70, 1, cell);
    return (uint8_t)devices_read(b->machine, 0x71, 1);
}

static void cmos_set_cell(bios *b, uint8_t cell, uint8_t value)
{
    devices_write(b->machine, 0x70, 1, cell);
    devices_write(b->machine, 0x71, 1, value);
}

/* Turns the periodic interrupt of the real-time clock on or off. */
static void event_interrupts(bios *b, bool on)
{
    enum { SLAVE_MASK = 0xa1, RTC_LINE = 1 };
    uint8_t with = cmos_cell(b, RTC_REGISTER_B) & (uint8_t)~RTC_PERIODIC;
    cmos_set_cell(b, RTC_REGISTER_B, with | (on ? RTC_PERIODIC : 0));
    if (on)
        devices_write(b->machine, SLAVE_MASK, 1,
                      devices_read(b->machine, SLAVE_MASK, 1) & ~(uint32_t)RTC_LINE);
}

/* AH = 83h: AL = 00h sets bit 7 of the byte at ES:BX after CX:DX microseconds, which INT 70h counts. AL = 01h cancels
 * that. Returns the status. */
static uint8_t system_event(bios *b)
{
    enum { BUSY = 0x80 };
    const uint8_t al = bios_low(b, ENGINE_EAX);
    if (al > 1)
        return UNSUPPORTED;
    if (al == 0 && bios_load(b, BDA_EVENT_WAITS, 1) != 0)
        return BUSY;
    if (al == 0) {
        bios_store(b, BDA_EVENT_FLAG, 4, bios_pointer(b, ENGINE_ES, ENGINE_EBX));
        bios_store(b, BDA_EVENT_LEFT, 4, (uint32_t)bios_word(b, ENGINE_ECX) << 16 | bios_word(b, ENGINE_EDX));
    }
    bios_store(b, BDA_EVENT_WAITS, 1, al == 0);
    event_interrupts(b, al == 0);
    return 0;
}

void bios_clock_interrupt(bios *b)
{
    enum { PERIOD = 976 /* microseconds, as IBM's BIOS counts */, EXPIRED = 0x80 };
    const uint8_t causes = cmos_cell(b, RTC_REGISTER_C); /* ends the request */
    if ((causes & RTC_PERIODIC) == 0 || bios_load(b, BDA_EVENT_WAITS, 1) == 0)
        return;
    const uint32_t left = bios_load(b, BDA_EVENT_LEFT, 4);
    bios_store(b, BDA_EVENT_LEFT, 4, left - PERIOD);
    if (left >= PERIOD)
        return;
    const uint32_t flag = bios_load(b, BDA_EVENT_FLAG, 4), at = (flag >> 16) * 16 + (flag & 0xffff);
    bios_store(b, at, 1, bios_load(b, at, 1) | EXPIRED);
    bios_store(b, BDA_EVENT_WAITS, 1, 0);
    event_interrupts(b, false);
}

/* AH = 87h: Copies CX words from the segment of descriptor 2 to that of descriptor 3 in the table at ES:SI. Both must
 * lie in RAM or in a device's memory. IBM's BIOS copies upwards with REP MOVSW. So if the target begins within the source,
 * the words before it are repeated up to the end. */
static void system_move(bios *b)
{
    uint32_t table = bios_segment(b, ENGINE_ES) + bios_word(b, ENGINE_ESI), base[2];
    for (unsigned i = 0; i < 2; i++) {
        uint32_t low = bios_load(b, table + 0x10 + i * 8 + 2, 4),
                 high = bios_load(b, table + 0x10 + i * 8 + 7, 1);
        base[i] = (low & 0xffffff) | high << 24;
    }
    engine *e = b->machine->engine;
    uint32_t bytes = bios_word(b, ENGINE_ECX) * 2u, distance = base[1] - base[0];
    bool good = bytes <= 0x10000;
    for (unsigned i = 0; i < 2 && bytes != 0; i++)
        good &= engine_answers(e, base[i]) && engine_answers(e, base[i] + bytes - 1);
    /* Each part ends before the first byte that its own copy changes. MOVSW reads a whole word before it writes one. */
    uint32_t part = distance == 0 || distance > bytes ? bytes : distance == 1 ? 2 : distance;
    for (uint32_t done = 0; good && done < bytes; done += part) {
        uint32_t left = bytes - done;
        good = engine_copy_physical(e, base[1] + done, base[0] + done, left < part ? left : part);
    }
    bios_finish(b, good ? 0 : 1);
}

/* Returns the bytes of RAM above the address `from`. */
static uint32_t system_above(const bios *b, uint32_t from)
{
    uint32_t memory = b->machine->options.memory_bytes;
    return memory > from ? memory - from : 0;
}

/* AX = E801h: Returns the memory between 1 and 16 MB in KB, and that above in blocks of 64 KB. */
static void system_sizes(bios *b)
{
    uint32_t below = system_above(b, HIGH_MEMORY) - system_above(b, SIXTEEN_MB);
    uint16_t kilobytes = (uint16_t)(below >> 10), blocks = (uint16_t)(system_above(b, SIXTEEN_MB) >> 16);
    bios_set_word(b, ENGINE_EAX, kilobytes);
    bios_set_word(b, ENGINE_ECX, kilobytes);
    bios_set_word(b, ENGINE_EBX, blocks);
    bios_set_word(b, ENGINE_EDX, blocks);
    bios_set_flag(b, FLAG_CARRY, false);
}

/* AX = E820h: Stores entry EBX of the memory map at ES:DI. */
static void system_map(bios *b)
{
    const struct {
        uint32_t base, length, type;
    } map[] = {{0, BIOS_BASE_MEMORY_KB * 1024, MAP_RAM},
               {0xf0000, 0x10000, MAP_RESERVED},
               {HIGH_MEMORY, system_above(b, HIGH_MEMORY), MAP_RAM}};
    uint32_t entry = bios_reg(b, ENGINE_EBX), entries = system_above(b, HIGH_MEMORY) != 0 ? 3 : 2;
    if (bios_reg(b, ENGINE_EDX) != SMAP || entry >= entries || bios_reg(b, ENGINE_ECX) < MAP_ENTRY) {
        bios_finish(b, UNSUPPORTED);
        return;
    }
    uint32_t at = bios_segment(b, ENGINE_ES) + bios_word(b, ENGINE_EDI);
    bios_store(b, at, 4, map[entry].base);
    bios_store(b, at + 4, 4, 0);
    bios_store(b, at + 8, 4, map[entry].length);
    bios_store(b, at + 12, 4, 0);
    bios_store(b, at + 16, 4, map[entry].type);
    engine_set(b->machine->engine, ENGINE_EAX, SMAP);
    engine_set(b->machine->engine, ENGINE_EBX, entry + 1 < entries ? entry + 1 : 0);
    engine_set(b->machine->engine, ENGINE_ECX, MAP_ENTRY);
    bios_set_flag(b, FLAG_CARRY, false);
}

/* Sends the mouse a command and, unless `parameter` is negative, its parameter. Sets `answer` to the answer to the
 * command. Returns whether the mouse accepts the parameter. */
static bool mouse_send(bios *b, uint8_t command, int parameter, uint8_t answer[MOUSE_ANSWER])
{
    uint8_t taken[MOUSE_ANSWER];
    keyboard_send_mouse(b->machine->devices, command, answer);
    if (parameter < 0)
        return true;
    keyboard_send_mouse(b->machine->devices, (uint8_t)parameter, taken);
    return taken[0] == MOUSE_ACKNOWLEDGE;
}

/* AH = C2h: the mouse. Returns the status. Its handler (AL = 07h) is never called, because the mouse does not move. */
static uint8_t system_mouse(bios *b)
{
    enum { NO_FUNCTION = 1, BAD_INPUT = 2, NO_HANDLER = 5, LARGEST_PACKET = 8 };
    static const uint8_t rates[] = {10, 20, 40, 60, 80, 100, 200},
                         commands[] = {MOUSE_STATUS, MOUSE_SET_SCALING_1, MOUSE_SET_SCALING_2};
    uint8_t bh = bios_high(b, ENGINE_EBX), answer[MOUSE_ANSWER] = {0};
    switch (bios_low(b, ENGINE_EAX)) {
    case 0x00:
        if (bh > 1)
            return NO_FUNCTION;
        if (bh == 1 && bios_load(b, MOUSE_HANDLER, 4) == 0)
            return NO_HANDLER;
        mouse_send(b, bh == 1 ? MOUSE_ENABLE : MOUSE_DISABLE, -1, answer);
        return 0;
    case 0x01:
        mouse_send(b, MOUSE_RESET, -1, answer);
        bios_set_word(b, ENGINE_EBX, (uint16_t)(answer[2] << 8 | answer[1]));
        return 0;
    case 0x02:
        return bh < sizeof rates && mouse_send(b, MOUSE_SET_RATE, rates[bh], answer) ? 0 : BAD_INPUT;
    case 0x03:
        return mouse_send(b, MOUSE_SET_RESOLUTION, bh, answer) ? 0 : BAD_INPUT;
    case 0x04:
        mouse_send(b, MOUSE_READ_ID, -1, answer);
        bios_set_high(b, ENGINE_EBX, answer[1]);
        return 0;
    case 0x05:
        if (bh < 1 || bh > LARGEST_PACKET)
            return BAD_INPUT;
        mouse_send(b, MOUSE_SET_DEFAULTS, -1, answer);
        return 0;
    case 0x06:
        if (bh >= sizeof commands)
            return NO_FUNCTION;
        mouse_send(b, commands[bh], -1, answer);
        if (bh != 0)
            return 0;
        bios_set_low(b, ENGINE_EBX, answer[1]);
        bios_set_low(b, ENGINE_ECX, answer[2]);
        bios_set_low(b, ENGINE_EDX, answer[3]);
        return 0;
    case 0x07:
        bios_store(b, MOUSE_HANDLER, 4, bios_pointer(b, ENGINE_ES, ENGINE_EBX));
        return 0;
    default:
        return NO_FUNCTION;
    }
}

/* AH = 53h: Those functions of the APM 1.2 BIOS by which a guest switches the power off, through the real-mode interface.
 * This ends the run. Installation check, connection, and enabling of power management succeed. */
static void system_power(bios *b)
{
    enum { CHECK, CONNECT, DISCONNECT = 4, SET_STATE = 7, ENABLE, DRIVER_VERSION = 0x0e, ENGAGE };
    enum { ALL_DEVICES = 1, OFF = 3, VERSION = 0x0102, CANNOT_ENTER_STATE = 0x60 };
    uint16_t device = bios_word(b, ENGINE_EBX);
    bios_finish(b, 0);
    switch (bios_low(b, ENGINE_EAX)) {
    case CHECK: /* flags in CX: no interface of protected mode */
        bios_set_word(b, ENGINE_EBX, 'P' << 8 | 'M');
        bios_set_word(b, ENGINE_ECX, 0);
        bios_set_word(b, ENGINE_EAX, VERSION);
        return;
    case DRIVER_VERSION:
        bios_set_word(b, ENGINE_EAX, VERSION);
        return;
    case CONNECT:
    case DISCONNECT:
    case ENABLE:
    case ENGAGE:
        return;
    case SET_STATE:
        if (device != ALL_DEVICES || bios_word(b, ENGINE_ECX) != OFF) {
            bios_finish(b, CANNOT_ENTER_STATE);
            return;
        }
        bios_end_at_caller(b, INT_BYTES);
        machine_end_message(b->machine, "the guest has switched the power off");
        return;
    default:
        bios_finish(b, UNSUPPORTED);
    }
}

bool bios_system(bios *b)
{
    uint32_t kilobytes = b->memory_taken ? 0 : system_above(b, HIGH_MEMORY) >> 10;
    switch (bios_high(b, ENGINE_EAX)) {
    case 0x24:
        system_a20(b);
        return false;
    case 0x4f: /* keyboard intercept: carry means that the scan code in AL is to be processed */
        bios_set_flag(b, FLAG_CARRY, true);
        return false;
    case 0x53:
        system_power(b);
        return false;
    case 0x83:
        bios_finish(b, system_event(b));
        return false;
    case 0x86:
        return system_wait(b);
    case 0x87:
        system_move(b);
        return false;
    case 0x88: /* KB above 1 MB */
        bios_set_word(b, ENGINE_EAX, (uint16_t)(kilobytes < 0xffff ? kilobytes : 0xffff));
        bios_set_flag(b, FLAG_CARRY, false);
        return false;
    case 0x90: /* the BIOS waits for a device, or the device is ready: hooks of multitasking programs */
    case 0x91:
        bios_finish(b, 0);
        return false;
    case 0xc0:
        bios_set_pointer(b, ENGINE_EBX, bios_rom_pointer(BIOS_SYSTEM_TABLE));
        bios_finish(b, 0);
        return false;
    case 0xc2:
        bios_finish(b, system_mouse(b));
        return false;
    case 0xe8:
        if (bios_low(b, ENGINE_EAX) == 0x01)
            system_sizes(b);
        else if (bios_low(b, ENGINE_EAX) == 0x20)
            system_map(b);
        else
            bios_finish(b, UNSUPPORTED);
        return false;
    default:
        bios_finish(b, UNSUPPORTED);
        return false;
    }
}

/* --- INT 1Ah --- */

/* AH = 03h: Sets the time of the clock to CX and DH, in BCD. Bit 0 of DL turns on daylight-saving time. */
static void time_set(bios *b)
{
    uint8_t with = cmos_cell(b, RTC_REGISTER_B) & (uint8_t)~RTC_SUMMER_TIME;
    cmos_set_cell(b, RTC_HOURS, bios_high(b, ENGINE_ECX));
    cmos_set_cell(b, RTC_MINUTES, bios_low(b, ENGINE_ECX));
    cmos_set_cell(b, RTC_SECONDS, bios_high(b, ENGINE_EDX));
    cmos_set_cell(b, RTC_REGISTER_B, with | (bios_low(b, ENGINE_EDX) & RTC_SUMMER_TIME));
}

/* AH = 05h: Sets the date of the clock to century CH, year CL, month DH and day DL, in BCD. */
static void date_set(bios *b)
{
    cmos_set_cell(b, RTC_CENTURY, bios_high(b, ENGINE_ECX));
    cmos_set_cell(b, RTC_YEAR, bios_low(b, ENGINE_ECX));
    cmos_set_cell(b, RTC_MONTH, bios_high(b, ENGINE_EDX));
    cmos_set_cell(b, RTC_DAY, bios_low(b, ENGINE_EDX));
}

/* Returns the last two decimal digits as BCD. */
static uint8_t time_bcd(int value)
{
    return (uint8_t)(value / 10 % 10 << 4 | value % 10);
}

void bios_set_clock(bios *b, const date *t)
{
    cmos_set_cell(b, RTC_CENTURY, time_bcd(t->year / 100));
    cmos_set_cell(b, RTC_YEAR, time_bcd(t->year));
    cmos_set_cell(b, RTC_MONTH, time_bcd(t->month));
    cmos_set_cell(b, RTC_DAY, time_bcd(t->day));
    cmos_set_cell(b, RTC_HOURS, time_bcd(t->hour));
    cmos_set_cell(b, RTC_MINUTES, time_bcd(t->minute));
    cmos_set_cell(b, RTC_SECONDS, time_bcd(t->second));
    bios_store(b, BDA_TICKS, 4, data_area_ticks(t));
    bios_store(b, BDA_MIDNIGHT, 1, 0);
}

void bios_time(bios *b)
{
    const date *t = cmos_time(b->machine->devices);
    uint32_t ticks = bios_load(b, BDA_TICKS, 4);
    bios_set_flag(b, FLAG_CARRY, false);
    switch (bios_high(b, ENGINE_EAX)) {
    case 0x00: /* ticks since midnight; AL: midnight has passed since the last call */
        bios_set_low(b, ENGINE_EAX, (uint8_t)bios_load(b, BDA_MIDNIGHT, 1));
        bios_store(b, BDA_MIDNIGHT, 1, 0);
        bios_set_word(b, ENGINE_ECX, (uint16_t)(ticks >> 16));
        bios_set_word(b, ENGINE_EDX, (uint16_t)ticks);
        break;
    case 0x01:
        bios_store(b, BDA_TICKS, 4, (uint32_t)bios_word(b, ENGINE_ECX) << 16 | bios_word(b, ENGINE_EDX));
        bios_store(b, BDA_MIDNIGHT, 1, 0);
        break;
    case 0x02: /* time of the real-time clock */
        bios_set_word(b, ENGINE_ECX, (uint16_t)(time_bcd(t->hour) << 8 | time_bcd(t->minute)));
        bios_set_word(
            b, ENGINE_EDX,
            (uint16_t)(time_bcd(t->second) << 8 | (cmos_cell(b, RTC_REGISTER_B) & RTC_SUMMER_TIME)));
        break;
    case 0x04: /* its date */
        bios_set_word(b, ENGINE_ECX, (uint16_t)(time_bcd(t->year / 100) << 8 | time_bcd(t->year % 100)));
        bios_set_word(b, ENGINE_EDX, (uint16_t)(time_bcd(t->month) << 8 | time_bcd(t->day)));
        break;
    case 0x03: /* set the time */
        time_set(b);
        break;
    case 0x05: /* set the date */
        date_set(b);
        break;
    default:
        bios_set_flag(b, FLAG_CARRY, true);
    }
}
