#include "machine/board/pic.h"

#include <string.h>

enum {
    ICW1 = 0x10,
    ICW1_LEVEL = 0x08,
    ICW1_SINGLE = 0x02,
    ICW1_ICW4 = 0x01,
    ICW4_FULLY_NESTED = 0x10,
    ICW4_AUTO_EOI = 0x02,
    OCW3 = 0x08,
    OCW3_SPECIAL_MASK_ENABLE = 0x40,
    OCW3_SPECIAL_MASK = 0x20,
    OCW3_POLL = 0x04,
    OCW3_READ = 0x02,
    OCW3_READ_ISR = 0x01,
    POLL_PENDING = 0x80,
    SPURIOUS = 7,
    NONE = 8
};

static void pic_reset_one(pic *c)
{
    memset(c, 0, sizeof *c);
    c->lowest = 7;
    c->imr = 0xff; /* as a BIOS leaves it; the chip's own state after power-on is undefined */
}

void pic_reset(pic_pair *p)
{
    pic_reset_one(&p->master);
    pic_reset_one(&p->slave);
}

/* Returns the priority of `level`: 0 is the highest, 7 the lowest. */
static unsigned pic_rank(const pic *c, unsigned level)
{
    return (level - c->lowest - 1u) & 7;
}

/* Returns the level of the highest priority in `set`, or NONE if it is empty. */
static unsigned pic_highest(const pic *c, unsigned set)
{
    for (unsigned rank = 0; rank < 8; rank++) {
        unsigned level = (c->lowest + 1u + rank) & 7;
        if ((set >> level & 1) != 0)
            return level;
    }
    return NONE;
}

/* Returns true if `level` may interrupt the levels in service. Fully nested mode: it needs a higher priority.
 * Special mask mode: masked levels in service do not block others. Special fully nested mode: the cascade input
 * does not block itself. */
static bool pic_passes(const pic *c, unsigned level, bool is_master)
{
    unsigned holding = c->special_mask ? c->isr & ~(unsigned)c->imr : c->isr;
    if (is_master && c->fully_nested && level == PIC_CASCADE)
        holding &= ~(1u << PIC_CASCADE);
    unsigned highest = pic_highest(c, holding);
    return highest == NONE || pic_rank(c, level) < pic_rank(c, highest);
}

/* Returns the level that the chip requests, or NONE. In special mask mode, levels in service are skipped, so a
 * lower level may pass. */
static unsigned pic_request(const pic *c, bool is_master)
{
    unsigned pending = c->irr & ~(unsigned)c->imr;
    if (c->special_mask)
        pending &= ~(unsigned)c->isr;
    unsigned level = pic_highest(c, pending);
    return level != NONE && pic_passes(c, level, is_master) ? level : NONE;
}

/* Changes an input. In edge-triggered mode, a rise sets the request, and a fall before the acknowledge withdraws it. */
static void pic_line(pic *c, unsigned level, bool high)
{
    uint8_t bit = (uint8_t)(1u << level);
    if (!high)
        c->irr &= (uint8_t)~bit;
    else if (c->level_triggered || (c->lines & bit) == 0)
        c->irr |= bit;
    c->lines = high ? c->lines | bit : c->lines & (uint8_t)~bit;
}

/* Drives the master's cascade input by the slave's output. */
static void pic_cascade(pic_pair *p)
{
    pic_line(&p->master, PIC_CASCADE, pic_request(&p->slave, false) != NONE);
}

void pic_set_line(pic_pair *p, unsigned irq, bool level)
{
    pic_line(irq < 8 ? &p->master : &p->slave, irq & 7, level);
    if (irq >= 8)
        pic_cascade(p);
}

bool pic_intr(const pic_pair *p)
{
    return pic_request(&p->master, true) != NONE;
}

/* Makes the request in a copy in which no other request is pending. */
bool pic_open(const pic_pair *p, unsigned irq)
{
    pic_pair then = *p;
    pic *c = irq < 8 ? &then.master : &then.slave;
    c->irr = c->lines = 0;
    if (irq >= 8)
        pic_line(&then.master, PIC_CASCADE, false);
    then.master.irr = irq < 8 ? then.master.irr : 0;
    pic_set_line(&then, irq, true);
    return pic_intr(&then);
}

/* Does one chip's part of an acknowledge: puts its level into service. */
static unsigned pic_take(pic *c, bool is_master)
{
    unsigned level = pic_request(c, is_master);
    if (level == NONE)
        return SPURIOUS;
    uint8_t bit = (uint8_t)(1u << level);
    if (!c->level_triggered || (c->lines & bit) == 0)
        c->irr &= (uint8_t)~bit;
    if (!c->auto_eoi)
        c->isr |= bit;
    else if (c->rotate_in_auto_eoi)
        c->lowest = (uint8_t)level;
    return level;
}

uint8_t pic_acknowledge(pic_pair *p)
{
    bool slave = pic_request(&p->master, true) == PIC_CASCADE;
    unsigned level = pic_take(&p->master, true);
    if (!slave)
        return (uint8_t)(p->master.vector | level);
    level = pic_take(&p->slave, false);
    pic_line(&p->master, PIC_CASCADE, false); /* the slave's INT falls, and rises if it has another request */
    pic_cascade(p);
    return (uint8_t)(p->slave.vector | level);
}

/* --- programming --- */

/* Executes the EOI commands of OCW2: specific ones end `named`, others the level of the highest priority in service. */
static void pic_end_of_interrupt(pic *c, unsigned command, unsigned named)
{
    enum { SPECIFIC = 3, ROTATE = 4 };
    unsigned held = c->special_mask ? c->isr & ~(unsigned)c->imr : c->isr;
    unsigned level = (command & SPECIFIC) == SPECIFIC ? named : pic_highest(c, held);
    if (level == NONE)
        return;
    c->isr &= (uint8_t) ~(1u << level);
    if ((command & ROTATE) != 0)
        c->lowest = (uint8_t)level;
}

/* Executes OCW2: R, SL, EOI in bits 7-5, a level in bits 2-0. */
static void pic_ocw2(pic *c, uint8_t value)
{
    unsigned command = value >> 5, level = value & 7;
    switch (command) {
    case 0:
    case 4:
        c->rotate_in_auto_eoi = command == 4;
        break;
    case 6:
        c->lowest = (uint8_t)level;
        break;
    case 2:
        break; /* no operation */
    default:
        pic_end_of_interrupt(c, command, level);
    }
}

static void pic_ocw3(pic *c, uint8_t value)
{
    if ((value & OCW3_SPECIAL_MASK_ENABLE) != 0)
        c->special_mask = (value & OCW3_SPECIAL_MASK) != 0;
    c->poll = (value & OCW3_POLL) != 0;
    if ((value & OCW3_READ) != 0)
        c->read_isr = (value & OCW3_READ_ISR) != 0;
}

/* Executes ICW1: resets the edge sense circuit, the mask and the modes that ICW4 sets. */
static void pic_icw1(pic *c, uint8_t value)
{
    uint8_t lines = c->lines;
    *c = (pic){.lines = lines,
               .vector = c->vector,
               .lowest = 7,
               .next_icw = 2,
               .level_triggered = (value & ICW1_LEVEL) != 0,
               .single = (value & ICW1_SINGLE) != 0,
               .wants_icw4 = (value & ICW1_ICW4) != 0};
    if (c->level_triggered)
        c->irr = lines;
}

/* Handles a write to the odd port: the next ICW of an initialization, or OCW1, the mask. */
static void pic_odd(pic *c, uint8_t value)
{
    switch (c->next_icw) {
    case 2:
        c->vector = value & 0xf8;
        c->next_icw = !c->single ? 3 : c->wants_icw4 ? 4 : 0;
        break;
    case 3: /* slave inputs or the slave's number, which the board's wiring fixes */
        c->next_icw = c->wants_icw4 ? 4 : 0;
        break;
    case 4:
        c->auto_eoi = (value & ICW4_AUTO_EOI) != 0;
        c->fully_nested = (value & ICW4_FULLY_NESTED) != 0;
        c->next_icw = 0;
        break;
    default:
        c->imr = value;
    }
}

void pic_write(pic_pair *p, uint16_t port, uint8_t value)
{
    pic *c = port < PIC_SLAVE ? &p->master : &p->slave;
    if ((port & 1) != 0)
        pic_odd(c, value);
    else if ((value & ICW1) != 0)
        pic_icw1(c, value);
    else if ((value & OCW3) != 0)
        pic_ocw3(c, value);
    else
        pic_ocw2(c, value);
    pic_cascade(p);
}

/* Reads a port. After a poll command, any read is an acknowledge: it returns bit 7 and the level, and puts the
 * level into service. */
uint8_t pic_read(pic_pair *p, uint16_t port)
{
    bool is_master = port < PIC_SLAVE;
    pic *c = is_master ? &p->master : &p->slave;
    if (c->poll) {
        c->poll = false;
        if (pic_request(c, is_master) == NONE)
            return 0;
        unsigned level = pic_take(c, is_master);
        pic_cascade(p);
        return (uint8_t)(POLL_PENDING | level);
    }
    if ((port & 1) != 0)
        return c->imr;
    return c->read_isr ? c->isr : c->irr;
}

/* --- snapshots --- */

static const snapshot_table one_state = {
    SNAPSHOT(pic, "8259", FIELD_ANY(lines, irr, isr, imr), FIELD_BITS(0xf8, vector), FIELD_MOST(7, lowest),
             FIELD_MOST(4, next_icw),
             FIELD_FLAG(single, wants_icw4, level_triggered, auto_eoi, rotate_in_auto_eoi, fully_nested,
                        special_mask, read_isr, poll))};

const snapshot_table pic_state = {SNAPSHOT(pic_pair, "pic", FIELD_TABLE(&one_state, master, slave))};
