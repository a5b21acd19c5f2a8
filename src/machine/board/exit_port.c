/* Ports that end the run. A write to F4h gives the exit status value * 2 + 1, low eight bits (QEMU's
 * isa-debug-exit convention); a write to F5h gives the exit status value. */
#include "machine/base/end.h"
#include "machine/board/board_internal.h"
#include "machine/state.h"

enum { EXIT_PORT = 0xf4, EXIT_STATUS_PORT = 0xf5 };

static uint32_t exit_port_read(devices *b, uint16_t port)
{
    (void)b;
    (void)port;
    return 0;
}

static void exit_port_write(devices *b, uint16_t port, uint32_t value)
{
    machine_end(b->machine, P5_END_EXIT, (int)((port == EXIT_STATUS_PORT ? value : value * 2 + 1) & 0xff));
}

void exit_port_attach(devices *b)
{
    devices_attach(b, &(device){EXIT_PORT, EXIT_STATUS_PORT, .read = exit_port_read, .write = exit_port_write,
                                .untimed = true});
}
