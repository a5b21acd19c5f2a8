/* Port E9h, a Bochs convention: each byte written is a character of output. A read returns E9h, which tells
 * guests that the port exists. */
#include "machine/board/board_internal.h"

enum { DEBUG_PORT = 0xe9 };

static uint32_t debug_port_read(devices *b, uint16_t port)
{
    (void)b;
    (void)port;
    return DEBUG_PORT;
}

static void debug_port_write(devices *b, uint16_t port, uint32_t value)
{
    (void)port;
    devices_console_char(b, (char)(value & 0xff));
}

void debug_port_attach(devices *b)
{
    devices_attach(b, &(device){DEBUG_PORT, DEBUG_PORT, .read = debug_port_read, .write = debug_port_write,
                                .untimed = true});
}
