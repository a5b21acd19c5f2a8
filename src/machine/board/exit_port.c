/* Ports that end the guest. F4h: exit status = value * 2 + 1, low eight bits (QEMU's isa-debug-exit
 * convention). F5h: exit status = value. */
#include "machine/board/devices.h"
#include "machine/state.h"

enum { EXIT_PORT = 0xf4, EXIT_STATUS_PORT = 0xf5 };

static uint32_t exit_port_read(void *context, uint16_t port, unsigned size)
{
    (void)context;
    (void)port;
    (void)size;
    return 0;
}

static void exit_port_write(void *context, uint16_t port, unsigned size, uint32_t value)
{
    p5_machine *machine = context;
    (void)size;
    machine_end(machine, P5_END_EXIT, (int)((port == EXIT_STATUS_PORT ? value : value * 2 + 1) & 0xff));
}

void exit_port_attach(devices *b)
{
    devices_attach(b, &(device){"exit port", EXIT_PORT, EXIT_STATUS_PORT, exit_port_read, exit_port_write,
                                b->machine, true});
}
