/* Routes port accesses to the host's handlers (p5_machine_attach_ports) and then to the board. */
#ifndef MACHINE_BOARD_PORTS_H
#define MACHINE_BOARD_PORTS_H

#include <stdint.h>

/* Port callbacks of the engine: `context` is the machine. */
uint32_t ports_read(void *context, uint16_t port, unsigned size);
void ports_write(void *context, uint16_t port, unsigned size, uint32_t value);

#endif
