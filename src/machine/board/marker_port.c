/* Ports EAh and EBh: a guest marks the beginning and the end of a region with an id (p5scope/guest.h). */
#include "machine/board/board_internal.h"
#include "machine/observe/observe.h"
#include "machine/state.h"
#include "p5scope/guest.h"

/* Passes a mark to the observers of the run; the written value is the region's id. */
static void marker_port_write(devices *b, uint16_t port, uint32_t value)
{
    if (b->machine->observers != NULL)
        observers_marker(b->machine, port == P5_END_PORT, value);
}

void marker_port_attach(devices *b)
{
    devices_attach(b, &(device){P5_BEGIN_PORT, P5_END_PORT, .write = marker_port_write, .untimed = true});
}
