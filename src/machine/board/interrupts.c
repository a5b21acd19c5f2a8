/* Connects the interrupt controllers to their ports, 20h-21h and A0h-A1h. */
#include "machine/board/board_internal.h"

static uint32_t interrupts_read(devices *b, uint16_t port)
{
    return pic_read(&b->pic, port);
}

static void interrupts_write(devices *b, uint16_t port, uint32_t value)
{
    pic_write(&b->pic, port, (uint8_t)value);
}

void interrupts_attach(devices *b)
{
    pic_reset(&b->pic);
    devices_attach(b,
                   &(device){PIC_MASTER, PIC_MASTER + 1, .read = interrupts_read, .write = interrupts_write});
    devices_attach(b,
                   &(device){PIC_SLAVE, PIC_SLAVE + 1, .read = interrupts_read, .write = interrupts_write});
}
