/* Port E9h: each byte written is a character; a read answers E9h, by which guests find the port (Bochs
 * convention). */
#include "machine/board/devices.h"

enum { DEBUG_PORT = 0xe9 };

static uint32_t debug_port_read(void *context, uint16_t port, unsigned size)
{
    (void)context;
    (void)port;
    (void)size;
    return DEBUG_PORT;
}

static void debug_port_write(void *context, uint16_t port, unsigned size, uint32_t value)
{
    (void)port;
    (void)size;
    devices_console_char(context, (char)(value & 0xff));
}

void debug_port_attach(devices *b)
{
    devices_attach(
        b, &(device){"debug port", DEBUG_PORT, DEBUG_PORT, debug_port_read, debug_port_write, b, true});
}
