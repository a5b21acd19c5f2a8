/* COM1 as far as text output needs a 16550: what is sent appears at once, the transmitter is always ready,
 * nothing is ever received and no interrupt is raised. Registers read back what was written. National
 * PC16550D data sheet, table 2. */
#include "machine/devices.h"

enum {
    COM1 = 0x3f8,
    RBR_THR = 0, /* receive / transmit; divisor low with DLAB */
    IER = 1,     /* interrupt enable; divisor high with DLAB */
    IIR_FCR = 2,
    LCR = 3,
    MCR = 4,
    LSR = 5,
    MSR = 6,
    LCR_DLAB = 0x80,
    IIR_NONE_PENDING = 0x01,
    IIR_FIFOS_ON = 0xc0,
    FCR_ENABLE = 0x01,
    LSR_TRANSMITTER_EMPTY = 0x60, /* THRE and TEMT */
    MCR_LOOP = 0x10,
    MSR_READY = 0xb0 /* DCD, DSR, CTS */
};

static uint32_t serial_read(void *context, uint16_t port, unsigned size)
{
    const devices *b = context;
    unsigned which = port - COM1;
    (void)size;
    if (which <= IER && (b->serial_registers[LCR] & LCR_DLAB) != 0)
        return b->serial_divisor[which];
    switch (which) {
    case RBR_THR:
        return 0;
    case IIR_FCR:
        return IIR_NONE_PENDING | ((b->serial_registers[IIR_FCR] & FCR_ENABLE) != 0 ? IIR_FIFOS_ON : 0);
    case LSR:
        return LSR_TRANSMITTER_EMPTY;
    case MSR:
        if ((b->serial_registers[MCR] & MCR_LOOP) !=
            0) { /* OUT2, OUT1, RTS, DTR come back as DCD, RI, CTS, DSR */
            unsigned mcr = b->serial_registers[MCR];
            return (mcr & 0x0c) << 4 | (mcr & 2) << 3 | (mcr & 1) << 5;
        }
        return MSR_READY;
    default:
        return b->serial_registers[which];
    }
}

static void serial_write(void *context, uint16_t port, unsigned size, uint32_t value)
{
    devices *b = context;
    unsigned which = port - COM1;
    (void)size;
    if (which <= IER && (b->serial_registers[LCR] & LCR_DLAB) != 0)
        b->serial_divisor[which] = (uint8_t)value;
    else if (which == RBR_THR && (b->serial_registers[MCR] & MCR_LOOP) == 0)
        devices_console_char(b, (char)(value & 0xff));
    else
        b->serial_registers[which] = (uint8_t)value;
}

void serial_attach(devices *b)
{
    devices_attach(b, &(device){"COM1", COM1, COM1 + 7, serial_read, serial_write, b});
}
