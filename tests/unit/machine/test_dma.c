/* The DMA controllers' registers. Intel 8237A data sheet (231466), figure 7; a PC has them at 00h-0Fh, and at every second
 * port of C0h-DFh. */
#include "board.h"

enum { ADDRESS_0 = 0x00, MASK_ALL = 0x0f, CLEAR_POINTER = 0x0c };

static unsigned in_both(p5_machine *machine, uint16_t port)
{
    unsigned low = in(machine, port);
    return low | in(machine, port) << 8;
}

/* A channel's registers take the low byte first, then the high one. */
TEST(test_registers)
{
    MACHINE(machine, board_open(""));
    out(machine, CLEAR_POINTER, 0);
    out(machine, ADDRESS_0, 0x34);
    out(machine, ADDRESS_0, 0x12);
    assert_int_equal(0x1234, in_both(machine, ADDRESS_0));
}

/* A word or dword access that begins at the last port of the first controller reaches no register with its other bytes,
 * because there is none at port 10h. */
TEST(test_access_past_the_last_port)
{
    MACHINE(machine, board_open(""));
    const dma before = machine->devices->dma;
    for (unsigned high_first = 0; high_first < 2; high_first++) {
        out(machine, CLEAR_POINTER, 0);
        if (high_first != 0)
            in(machine, ADDRESS_0);
        devices_write(machine, MASK_ALL, 2, 0x550f);
        devices_write(machine, MASK_ALL, 4, 0x5555550f);
        devices_write(machine, MASK_ALL - 1, 4, 0x55550f55);
    }
    out(machine, CLEAR_POINTER, 0);
    assert_memory_equal(&before, &machine->devices->dma, sizeof before);
    assert_int_equal(0xff, devices_read(machine, MASK_ALL, 2) >> 8);
}
