/* The BIOS's ROM with its stubs, the services that need no file of their own, and the access of all services to the
 * guest's registers and memory (bios.h). */
#include "machine/bios/bios_internal.h"

#include <stdio.h>
#include <string.h>

#include "machine/base/end.h"
#include "machine/base/notice.h"
#include "machine/bios/video.h"

enum {
    ROM_BASE = 0xf0000,
    ROM_BYTES = 0x10000,
    STUBS = 0xe000, /* offset in the ROM of the stub of vector 0 */
    STUB_BYTES = 16,
    RESET_ENTRY = 0xfff0, /* these are offsets in the ROM, too */
    DATE = 0xfff5,        /* run-time libraries recognize a PC by it */
    MODEL_BYTE = 0xfffe,
    MODEL_AT = 0xfc,
    TICKS_PER_DAY = 0x1800b0,
    VECTORS = 256
};

/* --- registers and memory --- */

void bios_set_word(bios *b, engine_register r, uint16_t value)
{
    engine_set(b->machine->engine, r, (bios_reg(b, r) & 0xffff0000u) | value);
}

void bios_set_low(bios *b, engine_register r, uint8_t value)
{
    engine_set(b->machine->engine, r, (bios_reg(b, r) & 0xffffff00u) | value);
}

void bios_set_high(bios *b, engine_register r, uint8_t value)
{
    engine_set(b->machine->engine, r, (bios_reg(b, r) & 0xffff00ffu) | (uint32_t)value << 8);
}

uint32_t bios_segment(const bios *b, engine_segment_name which)
{
    engine_segment segment;
    engine_get_segment(b->machine->engine, which, &segment);
    return segment.base;
}

uint32_t bios_pointer(const bios *b, engine_segment_name segment, engine_register r)
{
    engine_segment s;
    engine_get_segment(b->machine->engine, segment, &s);
    return (uint32_t)s.selector << 16 | bios_word(b, r);
}

void bios_set_segment(engine *e, engine_segment_name which, uint16_t selector)
{
    engine_segment segment;
    engine_get_segment(e, which, &segment);
    segment.selector = selector;
    segment.base = (uint32_t)selector << 4;
    engine_set_segment(e, which, &segment);
}

void bios_set_pointer(bios *b, engine_register r, uint32_t pointer)
{
    bios_set_segment(b->machine->engine, ENGINE_ES, (uint16_t)(pointer >> 16));
    bios_set_word(b, r, (uint16_t)pointer);
}

uint32_t bios_load(const bios *b, uint32_t linear, unsigned size)
{
    uint32_t value = 0;
    engine_read_linear(b->machine->engine, linear, &value, size);
    return value;
}

void bios_store(bios *b, uint32_t linear, unsigned size, uint32_t value)
{
    engine_write_linear(b->machine->engine, linear, &value, size);
}

/* Changes a flag in the FLAGS image that INT pushed, after CS and IP. */
void bios_set_flag(bios *b, uint32_t flag, bool set)
{
    uint32_t at = bios_segment(b, ENGINE_SS) + ((bios_reg(b, ENGINE_ESP) + 4) & 0xffff);
    uint32_t flags = bios_load(b, at, 2);
    bios_store(b, at, 2, set ? flags | flag : flags & ~flag);
}

void bios_finish(bios *b, uint8_t status)
{
    bios_set_high(b, ENGINE_EAX, status);
    bios_set_flag(b, FLAG_CARRY, status != 0);
}

/* --- services --- */

/* INT 08h: Counts a timer tick. */
static void bios_tick(bios *b)
{
    uint32_t ticks = bios_load(b, BDA_TICKS, 4) + 1;
    if (ticks >= TICKS_PER_DAY) {
        ticks = 0;
        bios_store(b, BDA_MIDNIGHT, 1, 1);
    }
    bios_store(b, BDA_TICKS, 4, ticks);
}

uint32_t bios_end_at_caller(bios *b, uint32_t before)
{
    p5_machine *machine = b->machine;
    uint32_t stack = bios_segment(b, ENGINE_SS) + bios_word(b, ENGINE_ESP);
    uint32_t linear = (bios_load(b, stack + 2, 2) << 4) + bios_load(b, stack, 2) - before;
    uint32_t eip = linear - bios_segment(b, ENGINE_CS);
    devices_console_flush(machine->devices);
    machine_end(machine, P5_END_HALT, 0);
    machine_end_at(machine, eip);
    return eip;
}

/* Ends the run at an instruction whose exception the guest does not handle. */
static void bios_fatal(bios *b, unsigned vector)
{
    uint32_t eip = bios_end_at_caller(b, 0);
    const machine_elsewhere *elsewhere = machine_lacks(b->machine, eip);
    char hint[96] = "";
    if (elsewhere != NULL)
        snprintf(hint, sizeof hint, "; this is an instruction %s; %s", elsewhere->of, elsewhere->remedy);
    machine_end_message(b->machine, "%s: the guest has no handler for interrupt %02Xh%s",
                        vector == 0 ? "division error" : "invalid opcode", vector, hint);
}

/* INT 19h: loads the boot sector, to which the stub then jumps. Ends the run if there is none. */
static void bios_boot_again(bios *b)
{
    enum { JUMP_TARGET = 3 /* in the stub */ };
    uint32_t entry;
    if (bios_disk_boot(b, &entry)) {
        bios_store(b, ROM_BASE + STUBS + 0x19 * STUB_BYTES + JUMP_TARGET, 4, entry);
        return;
    }
    bios_end_at_caller(b, INT_BYTES);
    machine_end_message(b->machine, "INT 19h: there is no disk to boot from");
}

/* Serves a vector. Returns true if the stub must wait and call again. */
static bool bios_serve(bios *b, unsigned vector)
{
    switch (vector) {
    case 0x00:
    case 0x06:
        bios_fatal(b, vector);
        return false;
    case 0x08:
        bios_tick(b);
        return false;
    case 0x09:
        bios_key_interrupt(b);
        return false;
    case 0x10:
        bios_video(b);
        return false;
    case 0x11:
        bios_set_word(b, ENGINE_EAX, (uint16_t)bios_load(b, BDA_EQUIPMENT, 2));
        return false;
    case 0x12:
        bios_set_word(b, ENGINE_EAX, (uint16_t)bios_load(b, BDA_MEMORY, 2));
        return false;
    case 0x13:
        bios_disk_service(b);
        return false;
    case 0x14: /* serial and printer services do not exist: time-out */
    case 0x17:
        bios_set_high(b, ENGINE_EAX, 0x80);
        return false;
    case 0x15:
        return bios_system(b);
    case 0x16:
        return bios_keyboard(b);
    case 0x19:
        bios_boot_again(b);
        return false;
    case 0x1a:
        bios_time(b);
        return false;
    case 0x70:
        bios_clock_interrupt(b);
        return false;
    case VESA_WINDOW_SLOT: /* the stub of this vector is no interrupt handler but VESA's far routine */
        vesa_window(b);
        return false;
    default:
        return b->serve != NULL && b->serve(b, vector);
    }
}

/* Handles a write to the service port. The address of the stub selects the vector; a write from elsewhere has
 * no effect. Sets carry if the stub must wait. */
static void service_called(void *context)
{
    bios *b = context;
    engine *e = b->machine->engine;
    uint32_t at = bios_segment(b, ENGINE_CS) + engine_get(e, ENGINE_EIP) - (ROM_BASE + STUBS);
    if (at >= VECTORS * STUB_BYTES)
        return;
    bool wait = bios_serve(b, at / STUB_BYTES);
    uint32_t flags = engine_get(e, ENGINE_EFLAGS) & ~(uint32_t)FLAG_CARRY;
    engine_set(e, ENGINE_EFLAGS, flags | (wait ? FLAG_CARRY : 0));
}

/* Serves a stub that runs in virtual-8086 mode, where its OUT raises #GP. The fault is not delivered, because
 * a real BIOS has no such port and the guest's monitor must not see it. */
engine_action bios_event(bios *b, const engine_event *event)
{
    enum { OUT_BYTES = 2 };
    engine *e = b->machine->engine;
    uint32_t at = bios_segment(b, ENGINE_CS) + event->eip;
    if (event->vector != VECTOR_GP || event->kind != P5_TRANSFER_FAULT ||
        (engine_get(e, ENGINE_EFLAGS) & EFLAGS_VM) == 0 || at - (ROM_BASE + STUBS) >= VECTORS * STUB_BYTES ||
        bios_load(b, at, OUT_BYTES) != (BIOS_PORT << 8 | 0xe6))
        return ENGINE_DELIVER;
    engine_set(e, ENGINE_EIP, event->eip + OUT_BYTES);
    service_called(b);
    return ENGINE_CONTINUE;
}

/* --- memory contents --- */

typedef struct bios_stub {
    uint8_t first, last; /* vectors */
    uint8_t size;
    uint8_t code[STUB_BYTES];
} bios_stub;

#define SERVICE 0xe6, BIOS_PORT
static const bios_stub bios_stubs[] = {
    /* out; hlt; jmp to the hlt */
    {0x00, 0x00, 5, {SERVICE, 0xf4, 0xeb, 0xfd}},
    {0x06, 0x06, 5, {SERVICE, 0xf4, 0xeb, 0xfd}},
    /* push ax; out; int 1Ch; mov al,20h; out 20h,al; pop ax; iret */
    {0x08, 0x08, 11, {0x50, SERVICE, 0xcd, 0x1c, 0xb0, 0x20, 0xe6, 0x20, 0x58, 0xcf}},
    /* push ax; in al,60h; mov ah,4Fh; stc; int 15h; jnc ends; out; ends: jmp to the MOV of the next stub */
    {0x09, 0x09, 14, {0x50, 0xe4, 0x60, 0xb4, 0x4f, 0xf9, 0xcd, 0x15, 0x73, 0x02, SERVICE, 0xeb, 0x05}},
    {0x0a, 0x0f, 9, {0x50, SERVICE, 0xb0, 0x20, 0xe6, 0x20, 0x58, 0xcf}},
    {0x70, 0x74, 11, {0x50, SERVICE, 0xb0, 0x20, 0xe6, 0xa0, 0xe6, 0x20, 0x58, 0xcf}},
    /* push ax; out F0h,al; mov al,20h; out A0h,al; out 20h,al; pop ax; int 2; iret */
    {0x75, 0x75, 13, {0x50, 0xe6, 0xf0, 0xb0, 0x20, 0xe6, 0xa0, 0xe6, 0x20, 0x58, 0xcd, 0x02, 0xcf}},
    {0x76, 0x77, 11, {0x50, SERVICE, 0xb0, 0x20, 0xe6, 0xa0, 0xe6, 0x20, 0x58, 0xcf}},
    {0x10, 0x14, 3, {SERVICE, 0xcf}},
    /* again: cli; out; jnc done; sti; hlt; jmp again; done: iret */
    {0x15, 0x16, 10, {0xfa, SERVICE, 0x73, 0x04, 0xfb, 0xf4, 0xeb, 0xf7, 0xcf}},
    {0x17, 0x17, 3, {SERVICE, 0xcf}},
    /* out; jmp 0:7C00h */
    {0x19, 0x19, 7, {SERVICE, 0xea, 0x00, 0x7c, 0x00, 0x00}},
    {0x1a, 0x1a, 3, {SERVICE, 0xcf}},
    {VESA_WINDOW_SLOT, VESA_WINDOW_SLOT, 3, {SERVICE, 0xcb}}, /* out; retf */
};

bool bios_next_own_code(uint32_t linear, machine_own_code *own)
{
    const uint32_t stubs = ROM_BASE + STUBS, end = stubs + VECTORS * STUB_BYTES,
                   last = ROM_BASE + ROM_BYTES - 1;
    if (linear > last)
        return false;
    if (linear >= end) {
        *own = (machine_own_code){end, last, "[bios]"};
        return true;
    }
    unsigned vector = linear < stubs ? 0 : (linear - stubs) / STUB_BYTES;
    own->start = stubs + vector * STUB_BYTES;
    own->last = own->start + STUB_BYTES - 1;
    snprintf(own->name, sizeof own->name, "[int %02xh]", vector);
    return true;
}

void bios_put_stub(bios *b, unsigned vector, const uint8_t *code, size_t size)
{
    memcpy(engine_ram(b->machine->engine, ROM_BASE + STUBS + vector * STUB_BYTES, STUB_BYTES), code, size);
}

/* Writes the whole ROM, and the MP tables if the board has APICs. */
static void bios_rom(bios *b)
{
    /* bytes that follow, model, submodel, revision, features */
    static const uint8_t system_table[] = {8, 0, MODEL_AT, 0, 0, 0x60 /* second 8259, RTC */, 0, 0, 0, 0};
    static const uint8_t reset[] = {0xcd, 0x19, 0xf4, 0xeb, 0xfd}; /* int 19h; halt: hlt; jmp halt */
    uint8_t *rom = engine_ram(b->machine->engine, ROM_BASE, ROM_BYTES);
    memset(rom, 0, ROM_BYTES);
    for (unsigned vector = 0; vector < VECTORS; vector++)
        rom[STUBS + vector * STUB_BYTES] = 0xcf; /* IRET */
    for (unsigned i = 0; i < sizeof bios_stubs / sizeof bios_stubs[0]; i++)
        for (unsigned vector = bios_stubs[i].first; vector <= bios_stubs[i].last; vector++)
            bios_put_stub(b, vector, bios_stubs[i].code, bios_stubs[i].size);
    memcpy(rom + BIOS_SYSTEM_TABLE, system_table, sizeof system_table);
    memcpy(rom + RESET_ENTRY, reset, sizeof reset);
    video_rom(rom);
    vesa_rom(rom);
    bios_disk_tables(b, rom);
    memcpy(rom + DATE, "01/01/97", 8);
    rom[MODEL_BYTE] = MODEL_AT;
    mp_table_fill(b->machine->devices);
}

uint32_t bios_stub_address(unsigned vector)
{
    return bios_rom_pointer(STUBS + vector * STUB_BYTES);
}

/* Fills the vector table. 1Dh-1Fh, 41h and 46h are pointers to tables: 1Eh, 41h and 46h to those of the disks, 1Fh to a
 * font (video_set_font). A table that does not exist has a pointer of 0. */
static void bios_vectors(bios *b)
{
    for (unsigned vector = 0; vector < VECTORS; vector++) {
        bool table = (vector >= 0x1d && vector <= 0x1f) || vector == 0x41 || vector == 0x46;
        bios_store(b, vector * 4, 4, table ? bios_disk_table(b, vector) : bios_stub_address(vector));
    }
}

/* Programs the interrupt controllers (vectors 08h and 70h; timer, keyboard, second controller and x87 error
 * unmasked), the timer (18.2 ticks a second; counter 1 as for DRAM refresh) and the keyboard controller (interrupts,
 * translated codes). */
static void bios_program(bios *b)
{
    static const struct {
        uint16_t port;
        uint8_t value;
    } writes[] = {
        {0x20, 0x11}, {0x21, 0x08}, {0x21, 0x04}, {0x21, 0x01}, {0x21, 0xf8}, /* first 8259 */
        {0xa0, 0x11}, {0xa1, 0x70}, {0xa1, 0x02}, {0xa1, 0x01}, {0xa1, 0xdf}, /* second 8259 */
        {0x43, 0x36}, {0x40, 0x00}, {0x40, 0x00}, {0x43, 0x54}, {0x41, 18},   /* 8254 */
        {0x64, 0x60}, {0x60, 0x45},                                           /* 8042 */
    };
    for (unsigned i = 0; i < sizeof writes / sizeof writes[0]; i++)
        devices_write(b->machine, writes[i].port, 1, writes[i].value);
}

void bios_init(bios *b, p5_machine *machine)
{
    *b = (bios){.machine = machine};
}

void bios_attach(bios *b)
{
    devices_attach_service(b->machine->devices, BIOS_PORT, service_called, b);
}

void bios_install(bios *b)
{
    devices_input_to_keyboard(b->machine->devices);
    bios_rom(b);
    bios_vectors(b);
    data_area_fill(b->machine);
    bios_video_open(b);
    bios_attach(b);
    bios_program(b);
}
