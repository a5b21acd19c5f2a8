/* The interrupt controllers on their ports, 20h-21h and A0h-A1h. */
#include "machine/board/devices.h"

static uint32_t interrupts_read(void *context, uint16_t port, unsigned size)
{
    devices *b = context;
    (void)size;
    return pic_read(&b->pic, port);
}

static void interrupts_write(void *context, uint16_t port, unsigned size, uint32_t value)
{
    devices *b = context;
    (void)size;
    pic_write(&b->pic, port, (uint8_t)value);
}

void interrupts_attach(devices *b)
{
    pic_reset(&b->pic);
    devices_attach(b, &(device){"interrupt controller", PIC_MASTER, PIC_MASTER + 1, interrupts_read,
                                interrupts_write, b, false});
    devices_attach(b, &(device){"second interrupt controller", PIC_SLAVE, PIC_SLAVE + 1, interrupts_read,
                                interrupts_write, b, false});
}
