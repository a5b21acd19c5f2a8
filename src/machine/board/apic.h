/* The local APIC and the I/O APIC in the board ([board] apic = on). The 8259s drive LINT0 and input 0 of the I/O
 * APIC; the lines of the devices drive the 8259s and the I/O APIC. */
#ifndef MACHINE_BOARD_APIC_H
#define MACHINE_BOARD_APIC_H

#include "machine/board/board_internal.h"

/* Returns the input of the I/O APIC that line `irq` drives. The timer drives input 2, because the 8259s drive input 0. */
static inline unsigned apic_input(unsigned irq)
{
    return irq == IRQ_TIMER ? 2 : irq;
}
/* Access a register of either APIC. All devices must have been updated to the current clock. */
uint64_t apic_read(devices *b, uint32_t physical, unsigned size);
void apic_write(devices *b, uint32_t physical, unsigned size, uint64_t value);
/* Drives the I/O APIC by line `irq` of a device. */
void apic_set_irq(devices *b, unsigned irq, bool level);
/* Drives LINT0, and the I/O APIC's input 0, by the request of the 8259s. Returns true if the processor has an
 * interrupt, from either source. */
bool apic_intr(devices *b, bool request);
/* Returns true if a request on line `irq` would reach the processor. `passes_pic`: it would pass the 8259s. */
bool apic_open(const devices *b, unsigned irq, bool passes_pic);
/* Does the processor's interrupt acknowledge and returns the vector. */
uint8_t apic_acknowledge(devices *b);
/* Return the core clock of the local timer's next interrupt (UINT64_MAX: none), and advance the timer to b->now. */
uint64_t apic_deadline(const devices *b);
void apic_advance(devices *b);

#endif
