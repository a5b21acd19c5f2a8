/* Ports EAh and EBh: a guest marks the beginning and the end of something, with an id (p5scope/guest.h). */
#include "machine/board/devices.h"
#include "machine/state.h"
#include "p5scope/guest.h"

static uint32_t marker_port_read(void *context, uint16_t port, unsigned size)
{
    (void)context;
    (void)port;
    (void)size;
    return UINT32_MAX; /* as where nothing is */
}

static void marker_port_write(void *context, uint16_t port, unsigned size, uint32_t value)
{
    p5_machine *machine = context;
    (void)size;
    if (machine->observers != NULL)
        observers_marker(machine, port == P5_END_PORT, value);
}

void marker_port_attach(devices *b)
{
    devices_attach(b, &(device){"marker port", P5_BEGIN_PORT, P5_END_PORT, marker_port_read,
                                marker_port_write, b->machine, true});
}
