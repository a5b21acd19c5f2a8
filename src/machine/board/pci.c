/* PCI configuration mechanism 1, with an empty bus: every register reads as all ones. PCI Local Bus
 * Specification 2.1, 3.7.4.1. */
#include "machine/board/board_internal.h"

enum { ADDRESS_PORT = 0xcf8, DATA_LAST = 0xcff, ADDRESS_BYTES = 4, RESERVED = 0x7f000003 };

/* Only doubleword accesses reach the address register. Smaller ones refer to ports without a device. */
static uint32_t pci_read(devices *b, uint16_t port)
{
    return port == ADDRESS_PORT && b->access_bytes == ADDRESS_BYTES ? b->pci_address : UINT32_MAX;
}

static void pci_write(devices *b, uint16_t port, uint32_t value)
{
    if (port == ADDRESS_PORT && b->access_bytes == ADDRESS_BYTES)
        b->pci_address = value & ~(uint32_t)RESERVED;
}

void pci_attach(devices *b)
{
    devices_attach(b,
                   &(device){ADDRESS_PORT, DATA_LAST, .read = pci_read, .write = pci_write, .untimed = true});
}
