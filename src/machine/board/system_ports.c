/* Port 80h stores the code of a power-on self test; programs also write to it as a short delay. Port 92h (system
 * control port A) controls A20 (bit 1) and resets the processor (bit 0). A reset ends the run. */
#include "machine/base/end.h"
#include "machine/board/board_internal.h"
#include "machine/state.h"

enum { POST_PORT = 0x80, PORT_A = 0x92, PORT_A_RESET = 0x01, PORT_A_A20 = 0x02 };

static uint32_t post_read(devices *b, uint16_t port)
{
    (void)port;
    return b->post_code;
}

static void post_write(devices *b, uint16_t port, uint32_t value)
{
    (void)port;
    b->post_code = (uint8_t)value;
}

void devices_set_a20(devices *b, bool enabled)
{
    b->a20 = enabled;
    if (b->machine->engine != NULL)
        engine_set_a20(b->machine->engine, enabled);
}

bool devices_a20(const devices *b)
{
    return b->a20;
}

void devices_reset_processor(devices *b)
{
    machine_end(b->machine, P5_END_RESET, 0);
    machine_end_at(b->machine, engine_get(b->machine->engine, ENGINE_EIP));
}

static uint32_t port_a_read(devices *b, uint16_t port)
{
    (void)port;
    return b->a20 ? PORT_A_A20 : 0;
}

static void port_a_write(devices *b, uint16_t port, uint32_t value)
{
    (void)port;
    devices_set_a20(b, (value & PORT_A_A20) != 0);
    if ((value & PORT_A_RESET) != 0)
        devices_reset_processor(b);
}

void system_ports_attach(devices *b)
{
    b->a20 = true; /* guests that are loaded without the BIOS expect A20 to be on */
    devices_attach(b,
                   &(device){POST_PORT, POST_PORT, .read = post_read, .write = post_write, .untimed = true});
    devices_attach(b, &(device){PORT_A, PORT_A, .read = port_a_read, .write = port_a_write, .untimed = true});
}
