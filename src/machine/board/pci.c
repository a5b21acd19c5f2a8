/* PCI configuration by mechanism 1, without a device on the bus: every register reads all ones. PCI Local Bus
 * Specification 2.1, 3.7.4.1. */
#include "machine/board/board_internal.h"

enum { ADDRESS_PORT = 0xcf8, DATA_LAST = 0xcff, ADDRESS_BYTES = 4, RESERVED = 0x7f000003 };

/* Only accesses of a whole doubleword reach the address register. Bytes go to ports that are not there. */
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
                   &(device){ADDRESS_PORT, DATA_LAST, .read = pci_read, .write = pci_write, .plain = true});
}
