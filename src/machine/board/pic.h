/* The pair of 8259A interrupt controllers of a PC: the second one's output is input 2 of the first. Intel
 * 8259A data sheet (231468); what an 8080 system needs (three-byte calls) is not there. */
#ifndef MACHINE_BOARD_PIC_H
#define MACHINE_BOARD_PIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/snapshot.h"

enum { PIC_MASTER = 0x20, PIC_SLAVE = 0xa0, PIC_CASCADE = 2 };

typedef struct pic {
    uint8_t lines; /* inputs as they are */
    uint8_t irr, isr, imr;
    uint8_t vector;   /* ICW2, bits 7-3 */
    uint8_t lowest;   /* the level with the lowest priority; the one behind it has the highest */
    uint8_t next_icw; /* 0, or 2-4: which initialisation word the next write to the odd port is */
    bool single, wants_icw4;
    bool level_triggered;
    bool auto_eoi, rotate_in_auto_eoi;
    bool fully_nested; /* special: a slave's further requests pass while one of it is in service */
    bool special_mask;
    bool read_isr, poll;
} pic;

typedef struct pic_pair {
    pic master, slave;
} pic_pair;

extern const snapshot_table pic_state;
void pic_reset(pic_pair *p);
/* `port` is 20h, 21h, A0h or A1h. */
uint8_t pic_read(pic_pair *p, uint16_t port);
void pic_write(pic_pair *p, uint16_t port, uint8_t value);
/* Drives input 0-15 (never 2). */
void pic_set_line(pic_pair *p, unsigned irq, bool level);
/* The INTR pin. */
bool pic_intr(const pic_pair *p);
/* The processor's interrupt acknowledge cycles: the vector. If no request is left it is that of level 7
 * (spurious), and nothing is in service then. */
uint8_t pic_acknowledge(pic_pair *p);
/* True if a request on `irq` now would raise INTR: not masked, nothing as important in service. */
bool pic_open(const pic_pair *p, unsigned irq);

#endif
