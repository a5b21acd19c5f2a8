/* x87 errors in a PC/AT, while CR0.NE is clear. FERR# sets a flip-flop that drives IRQ 13. A write to port F0h or F1h
 * clears it and asserts IGNNE# for the pending exception. The processor stops before the next x87 instruction
 * until the interrupt arrives (Pentium Processor Family Developer's Manual, FERR# and IGNNE#). Port F1h does not reset
 * the x87 unit, as it does an 80287. */
#include "machine/board/board_internal.h"
#include "machine/state.h"

enum { CLEAR_PORT = 0xf0, RESET_PORT = 0xf1, IRQ_MATH = 13 };

void coprocessor_error(devices *b)
{
    b->math_error = true;
    devices_set_irq(b, IRQ_MATH, true);
}

static void coprocessor_write(devices *b, uint16_t port, uint32_t value)
{
    (void)port;
    (void)value;
    if (b->math_error && b->machine->engine != NULL)
        engine_ignore_math_error(b->machine->engine);
    b->math_error = false;
    devices_set_irq(b, IRQ_MATH, false);
}

void coprocessor_attach(devices *b)
{
    devices_attach(b, &(device){CLEAR_PORT, RESET_PORT, .write = coprocessor_write});
}
