/* The pair of 8259A interrupt controllers of a PC; the slave's output is the master's input 2. Intel 8259A data
 * sheet (231468). The mode for 8080 systems is not implemented. */
#ifndef MACHINE_BOARD_PIC_H
#define MACHINE_BOARD_PIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"

enum { PIC_MASTER = 0x20, PIC_SLAVE = 0xa0, PIC_CASCADE = 2 };

typedef struct pic {
    uint8_t lines;           /* levels of the inputs */
    uint8_t irr, isr, imr;   /* requests, levels in service, mask */
    uint8_t vector;          /* ICW2, bits 7-3 */
    uint8_t lowest;          /* the level of the lowest priority; the next level has the highest */
    uint8_t next_icw;        /* 2-4: number of the ICW that the next write to the odd port is; 0: none */
    bool single, wants_icw4; /* ICW1: no ICW3 follows; ICW4 follows */
    bool level_triggered;
    bool auto_eoi, rotate_in_auto_eoi;
    bool fully_nested; /* special fully nested mode: more slave requests pass while one is in service */
    bool special_mask;
    bool read_isr; /* a read of the even port returns the ISR, else the IRR */
    bool poll;     /* the next read of either port is an acknowledge */
} pic;

typedef struct pic_pair {
    pic master, slave;
} pic_pair;

extern const snapshot_table pic_state;
/* Masks all inputs, as a BIOS does, and clears the rest; the chip's own state after power-on is undefined. */
void pic_reset(pic_pair *p);
/* `port` is 20h, 21h, A0h or A1h. */
uint8_t pic_read(pic_pair *p, uint16_t port);
void pic_write(pic_pair *p, uint16_t port, uint8_t value);
/* Drives input `irq`, 0-15 (never 2). Driving it with the level that it has changes nothing. */
void pic_set_line(pic_pair *p, unsigned irq, bool level);
/* Returns the level of input `irq`. */
static inline bool pic_level(const pic_pair *p, unsigned irq)
{
    return ((irq < 8 ? p->master.lines : p->slave.lines) >> (irq & 7) & 1) != 0;
}
/* Returns the level of the INTR pin. */
bool pic_intr(const pic_pair *p);
/* Does the processor's interrupt acknowledge cycles and returns the vector. If no request is left, returns the
 * vector of the master's level 7 (spurious) and puts no level into service. */
uint8_t pic_acknowledge(pic_pair *p);
/* Returns true if a request on `irq` would raise INTR now: it is unmasked, and no level of the same or a higher
 * priority is in service. */
bool pic_open(const pic_pair *p, unsigned irq);

#endif
