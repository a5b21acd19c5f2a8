/* The local APIC and the I/O APIC in the board ([board] apic = on). The 8259s drive LINT0 and input 0 of the I/O
 * APIC; the lines of the devices drive the 8259s and the I/O APIC. */
#ifndef MACHINE_BOARD_APIC_H
#define MACHINE_BOARD_APIC_H

#include <stdbool.h>
#include <stdint.h>

struct devices;

/* Access registers. The devices have been advanced to b->now. */
uint64_t apic_read(struct devices *b, uint32_t physical, unsigned size);
void apic_write(struct devices *b, uint32_t physical, unsigned size, uint64_t value);
/* Drives the I/O APIC by line `irq` of a device. */
void apic_set_irq(struct devices *b, unsigned irq, bool level);
/* Drives LINT0 by the request of the 8259s and returns whether the processor has an interrupt. */
bool apic_intr(struct devices *b, bool request);
/* Returns true if a request on line `irq` would reach the processor; `passes`: it would pass the 8259s. */
bool apic_open(const struct devices *b, unsigned irq, bool passes);
uint8_t apic_acknowledge(struct devices *b);
/* Return the clock of the next interrupt of the local timer, and advance it to b->now. */
uint64_t apic_deadline(const struct devices *b);
void apic_advance(struct devices *b);

#endif
